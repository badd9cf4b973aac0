/* posterior/posterior.h - posteriors made from natural parameters, and moved to other units. */
#ifndef MB_POSTERIOR_H
#define MB_POSTERIOR_H

#include "meshbayes/extend.h"

/* Names of its columns, targets last: mb_posterior_columns(p). */
static inline void mb_posterior_names(const mb_posterior *p, const char **out)
{
    const int32_t d = mb_posterior_columns(p);

    for (int32_t k = 0; k < d; k++)
        out[k] = k < p->size.D ? p->column[k] : p->target[k - p->size.D];
}
/* The model of a posterior of a kind and sizes, which are set, and the number of its parameters. */
mb_status mb_posterior_model_(mb_arena *a, mb_posterior *p, mb_err *err) MB_CHECKED;
/* A posterior that can predict, from its textbook parameters in data units (the kind's fields that
 * are not derived, mb_kind_arrays). Borrows par; columns are called x1 .. xD and y, until the
 * caller replaces the names. MB_E_ARG for sizes that the kind refuses, MB_E_DOMAIN for parameters
 * that are outside the domain. Cost: O(D^3) a component. */
mb_status mb_posterior_make(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                            const double *par, mb_posterior *out, mb_err *err) MB_CHECKED;
/* The posterior with natural parameters phi of `model`, in the units that a run computed in: its
 * components in the given order (K; NULL: the canonical one). Names and prior are the caller's to
 * fill in. MB_E_DOMAIN when phi is outside Omega. Not ready to predict. */
mb_status mb_posterior_of(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                          const mb_model *model, const mb_units *run, const double *phi,
                          const int32_t *order, mb_posterior *out, mb_err *err) MB_CHECKED;
/* The canonical order of components: means in lexicographic order. order: K. O(K^2). */
mb_status mb_posterior_order(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                             const double *par, int32_t *order, mb_err *err) MB_CHECKED;
/* par of the same layout, data units, as natural parameters in the units where p computes: phi
 * (layout.len). MB_E_DOMAIN when double precision cannot hold them. */
mb_status mb_posterior_move(mb_arena *a, const mb_posterior *p, const double *par, double *phi,
                            mb_err *err) MB_CHECKED;
/* How many times `width` numbers mb_posterior_predict writes for these rows: once for each row,
 * group, or row that follows a group. Without groups all are one where the kind needs groups. */
int64_t mb_want_lines_(const mb_posterior *p, const mb_rows *rows, mb_want want);
/* 1 when rows can be predicted by this name: it is listed (*out is which), or the model says itself
 * what a forecast lacks. */
int mb_want_named_(const mb_kind *kind, const mb_sizes *s, const char *name, mb_want *out);
/* How many numbers a line has. */
int32_t mb_want_width_(const mb_posterior *p, mb_want want);
/* What a score of this density asks of each row. */
mb_want mb_density_want_(mb_density density);
/* *sum += sum_j w_j ln Z_j of the rows, in the units where p computes: ln Z is what the E-step
 * divides by. scratch: mb_posterior_scratch. */
mb_status mb_score_expected_(const mb_posterior *p, const mb_rows *rows, double *scratch,
                             double *sum, mb_err *err) MB_CHECKED;
/* observed.c: the variances of u (mb_kind::variances) get the ends of their 95 % intervals, of the
 * rows (data units) whose answer p is; where the curvature there has no inverse u stays. Costs two
 * local steps for each variance. */
mb_status mb_posterior_observed_(mb_arena *a, const mb_posterior *p, const mb_rows *rows,
                                 mb_summary *u, mb_err *err) MB_CHECKED;
/* statistics.c: the prior (prior_par) as natural parameters in the units of p (len). */
mb_status mb_posterior_prior_(mb_arena *a, const mb_posterior *p, double *phi,
                              mb_err *err) MB_CHECKED;
/* statistics.c: MB_E_NOSUP: sums over rows alone do not give the next posterior of this model. */
mb_status mb_posterior_adds_(mb_arena *a, const mb_posterior *p, mb_err *err) MB_CHECKED;
/* Sums of rows with targets at p (length len): expected statistics in the units where it computes,
 * *logz the sum of ln Z in data units. */
mb_status mb_posterior_sums_(mb_arena *a, const mb_posterior *p, const mb_rows *rows, double *s,
                             double *logz, mb_err *err) MB_CHECKED;
/* The posterior of such sums over all rows, a step of central VB from p, whose names and prior it
 * borrows; *kl of p from the prior (NaN: it is improper), *moved the largest change of a natural
 * parameter, relative. */
mb_status mb_posterior_step_(mb_arena *a, const mb_posterior *p, const double *s, mb_posterior *out,
                             double *kl, double *moved, mb_err *err) MB_CHECKED;

/* ahead.c: for n rows that follow (MB_WANT_AHEAD), with the states (n x K) of MB_WANT_STATES_AHEAD:
 * the ends of central intervals of probability `level` of each column, n x D x 2, data units. Each
 * column is normal within a state; a category has none. */
mb_status mb_ahead_intervals_(mb_arena *a, const mb_posterior *p, int64_t n, const double *states,
                              double level, double *out, mb_err *err) MB_CHECKED;

#endif
