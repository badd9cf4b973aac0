/* sweep.h - a run for each of several numbers of components, and the one with the best bound. */
#ifndef MB_SWEEP_H
#define MB_SWEEP_H

#include "sim/sim.h"

enum { SWEEP_MOST = 1000 /* numbers of components in a list */ };

/* One number of components with one algorithm. */
typedef struct sweep_row {
    const sim_choice *choice;
    int32_t           K, left; /* asked for, and left by pruning                        */
    double            bound;   /* nats, data units; NaN: none                           */
    double            least;   /* smallest weight of a component; NaN: not known        */
    double            seconds;
    int64_t           rounds;
    mb_verdict        verdict;
    int32_t           attempts, at_best;
    int32_t           owner; /* the process that ran it                             */
    mb_status         st;    /* MB_STOP: a signal came; an error ends the sweep     */
} sweep_row;

typedef struct sweep {
    int32_t           automatic; /* 1: K grows until the bound does not              */
    int32_t           count;     /* of K                                             */
    int32_t          *K;         /* ascending                                        */
    sweep_row        *row;       /* of every K so far and each algorithm             */
    int32_t           nrow;
    const sim_choice *by;   /* whose bounds decide                                   */
    const sweep_row  *best; /* NULL: not known yet                                   */
} sweep;

/* sweep_options.c: --n-components as a text, in place of the number that the models have. */
extern const mb_opt sweep_options[];
/* Its value into the options of the models; a list, a range or "auto" into s->asked.sweep. */
mb_status sweep_take(sim *s, mb_err *err) MB_CHECKED;
/* Refuses what several numbers of components do not go with. */
mb_status sweep_check(const sim *s, mb_err *err) MB_CHECKED;
/* The number of components of the model that runs. */
mb_status sweep_set(sim *s, int32_t K, mb_err *err) MB_CHECKED;

/* sweep_run.c: all runs, and then the options of the best number of components. MB_STOP: a signal
 * came. Collective. */
mb_status sweep_run(sim *s, mb_err *err) MB_CHECKED;

/* sweep_write.c: the table on standard output; nothing without a sweep. */
void sweep_print(const sim *s);
/* components.csv. */
mb_status sweep_file(sim *s, mb_err *err) MB_CHECKED;
/* "components" of summary.json. */
void sweep_summary(const sim *s, mb_json_out *j);

#endif
