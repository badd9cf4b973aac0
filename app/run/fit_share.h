/* fit_share.h - `fit` by several processes, each of which has a share of the rows. */
#ifndef MB_RUN_FIT_SHARE_H
#define MB_RUN_FIT_SHARE_H

#include "run/sim.h"

/* 1: there are other processes, and enough rows that stay in their file. */
int sim_is_shared(const sim_job *job, const sim_rows *rows);
/* fit_share.c: 1: --data names a part for each process, FILE-%r.npy. */
int sim_in_parts(const sim_args *args);
/* The rows of all parts in place of a mapped file; plain 0: `read` wants what they cannot give.
 * Collective. */
mb_status sim_parts(sim_job *job, sim_rows *rows, int plain, const mb_data_opt *read,
                    mb_err *err) MB_CHECKED;
/* The mapped rows as those of the data. */
mb_status sim_use_mapped(sim_job *job, sim_rows *rows, mb_err *err) MB_CHECKED;
/* How the look of each process at its rows went; the first failure is that of all. Collective. */
mb_status sim_share_agree(const sim_job *job, mb_status st, mb_err *err) MB_CHECKED;
/* 1: there are other processes, each of which has all rows, to make some initialisations. */
int sim_shares_starts(const sim_job *job, const sim_case *cs);
/* Folder and trace, before the first attempt of `fit`. Of attempts that processes make apart they
 * learn how it went with the first one, which is process 0's; a run of all begins with that. */
mb_status sim_open(sim_result *r, int32_t attempt, mb_err *err) MB_CHECKED;
/* Once the sums are made process 0 alone reads rows: all of them, in its file. */
mb_status sim_share_over(sim_result *r, mb_err *err) MB_CHECKED;
/* What was exchanged, on standard output. */
void sim_share_print(const sim_job *job, const sim_case *cs);

#endif
