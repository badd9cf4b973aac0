/* sweep.h - a run for each of several numbers of components and forms of their covariance, and the
 * one with the best bound. */
#ifndef MB_RUN_SWEEP_H
#define MB_RUN_SWEEP_H

#include "run/sim.h"

enum { SWEEP_MOST = 1000 /* numbers of components in a list */ };

/* What is tried: a number of components, and a form of their covariance (NULL: as asked for). */
typedef struct sweep_at {
    int32_t     K;
    const char *form;
} sweep_at;

/* One of them with one algorithm. */
typedef struct sweep_row {
    const sim_choice *choice;
    const char       *form;
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
    int32_t            automatic; /* 1: K grows until the bound does not              */
    const char *const *form;      /* nform: those tried; of one, NULL: as asked for   */
    int32_t            nform;
    int32_t            count; /* of at                                            */
    sweep_at          *at;    /* form by form, each with K ascending              */
    sweep_row         *row;   /* of every one so far and each algorithm           */
    sweep_row         *made;  /* count: those that processes have made ahead      */
    int32_t            nrow;
    const sim_choice  *by;   /* whose bounds decide                               */
    const sweep_row   *best; /* NULL: not known yet                               */
} sweep;

/* sweep_options.c: --n-components and --covariance-type as texts, in place of the options that the
 * models have. */
extern const mb_opt sweep_options[];
/* Their values into the options of the models; a list, a range or "auto" into s->args.sweep. kind:
 * the model that is asked for; NULL: none that is known. */
mb_status sweep_take(sim_job *job, sim_args *args, const mb_kind *kind, mb_err *err) MB_CHECKED;
/* Refuses what a sweep does not go with. */
mb_status sweep_check(const sim_args *args, mb_err *err) MB_CHECKED;
/* The same command line with them as options of the models. */
mb_status sweep_args(mb_arena *a, const sim_args *args, const sweep_at *at, sim_args *out,
                     mb_err *err) MB_CHECKED;

/* The numbers of components that auto tries at most: 1 to most, with each form. */
void sweep_grow(sweep *w, int32_t most);

/* sweep.c: all runs, into to->sweep, and the case of the best one in place of to->cs. MB_STOP: a
 * signal came. Collective. */
mb_status sweep_run(sim_job *job, sim_results *to, mb_err *err) MB_CHECKED;

/* sweep.c: the table on standard output; nothing without a sweep. */
void sweep_print(const sim_results *all);
/* components.csv. */
mb_status sweep_file(sim_job *job, const sim_results *all, mb_err *err) MB_CHECKED;
/* "components" of summary.json. */
void sweep_summary(const sim_results *all, mb_json_out *j);

#endif
