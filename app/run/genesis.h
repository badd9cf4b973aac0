/* run/genesis.h - `sim --write-genesis`: the constants that a run had in common, as a file
 * for a mesh. */
#ifndef MB_RUN_GENESIS_H
#define MB_RUN_GENESIS_H

#include "run/sim.h"

/* What `meshbayes genesis` has of its own. */
typedef struct genesis_opt {
    const char *from, *algorithm, *bounds;
    int64_t     rows_batch;
} genesis_opt;

/* genesis_ranges.c: what `genesis ranges` needs, and what it writes; the exit status. */
mb_status genesis_ranges_check(sim_job *job, sim_args *args, mb_err *err) MB_CHECKED;
int       genesis_ranges(sim *s, mb_err *err);
/* Refuses --write-genesis with options whose run has no genesis. command: how messages call what
 * needs one, "--write-genesis" or the command. */
mb_status genesis_check(const sim_args *args, const char *command, mb_err *err) MB_CHECKED;
/* Writes the file of --write-genesis, when it is given, from the runs that have ended. */
mb_status genesis_write(sim_job *job, const sim_results *all, mb_err *err) MB_CHECKED;

#endif
