/* doubts.h - what speaks against the answer of `fit`, a sentence each. */
#ifndef MB_RUN_DOUBTS_H
#define MB_RUN_DOUBTS_H

#include "run/answer.h"

enum { SIM_DOUBTS = 4 };
typedef struct sim_doubts {
    const char *line[SIM_DOUBTS]; /* without the full stop */
    int32_t     n;
} sim_doubts;

/* Nothing for other commands than fit. */
mb_status sim_doubts_find(sim_job *job, const sim_case *cs, sim_doubts *to, mb_err *err) MB_CHECKED;
/* On standard output, a line each. */
mb_status sim_doubts_print(sim_job *job, const sim_case *cs, mb_err *err) MB_CHECKED;
/* "doubts", a list of texts. */
mb_status sim_doubts_write(sim_job *job, const sim_case *cs, mb_json_out *j,
                           mb_err *err) MB_CHECKED;
/* How many components hold no rows. */
int32_t sim_empty(const sim_answer *a);
/* *safe 1: all of several initialisations agree, every component has two rows or more a column, and
 * there is no doubt. */
mb_status sim_is_safe(sim_job *job, const sim_case *cs, const sim_answer *a, int *safe,
                      mb_err *err) MB_CHECKED;

#endif
