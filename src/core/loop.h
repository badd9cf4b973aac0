/* loop.h - a run in progress, and what it does with one node. */
#ifndef MB_CORE_LOOP_H
#define MB_CORE_LOOP_H

#include "core/run.h"
#include "core/workers.h"
#include "meshbayes/extend.h"

typedef struct mb_loop_ {
    const mb_problem *p;
    mb_state         *s;
    mb_transport     *tp;
    const mb_run_opt *opt;
    mb_crew_          crew;
    const int32_t    *nbr_deg; /* per directed edge       */
    double           *fixed;   /* mb_problem's, or the run's own; NULL: they depend on phi */
    int64_t           t;       /* the current round       */
    int32_t           bound;   /* 1: this round's bounds are wanted */
} mb_loop_;

static inline double *mb_row_(double *plane, const mb_state *s, int64_t i)
{
    return plane ? plane + (size_t)i * s->ld : NULL;
}

/* step.c: what an algorithm sees of node i. */
mb_node mb_node_of_(const mb_loop_ *r, mb_worker_ *w, int32_t i);

/* step.c: 1 when every node follows its own phi* alone, and a step that lowers the bound is
 * shortened. */
int mb_backtracks_(const mb_problem *p);

/* step.c: the local step of node i at the phi that its algorithm has just made; `from`: the phi
 * before, of a node that follows its own phi* alone, with its local step there, else NULL. */
mb_status mb_step_(const mb_loop_ *r, mb_worker_ *w, int32_t i, const double *from) MB_CHECKED;

/* step.c: repeats the step of node i at its phi for the bound there, unless that is known; phi*
 * stays bit-identical. */
mb_status mb_late_bound_(const mb_loop_ *r, mb_worker_ *w, int32_t i) MB_CHECKED;

/* local.c: room for the statistics of n nodes, none of them made; NULL, unless they are fixed. */
mb_status mb_fixed_new_(mb_arena *a, const mb_model *m, int32_t n, double **out,
                        mb_err *err) MB_CHECKED;
/* local.c: those of node i; NULL: there is no room for them. */
static inline double *mb_fixed_of_(double *fixed, const mb_model *m, int32_t i)
{
    return fixed ? fixed + (size_t)i * m->layout.len : NULL;
}

/* local.c: mb_seed_step of one. As below. */
mb_status mb_seed_step_(const mb_model *m, const mb_rows *rows, double scale, const double *resp,
                        double *fixed, double *phi_star, double *scratch, mb_err *err) MB_CHECKED;

/* local.c: mb_local_step of a model whose statistics are fixed. They are made when fixed[0] is NaN,
 * or a bound is wanted that needs the rows; else they are read there. NULL: mb_local_step. */
mb_status mb_local_step_(const mb_model *m, const mb_rows *rows, double scale, const double *phi,
                         double *fixed, double *phi_star, double *bound, double *mu,
                         double *scratch, mb_err *err) MB_CHECKED;

#endif
