/* model/gmm_step.h - what models whose components are Gaussian with a matrix, given more or less,
 * share of the mixture of Gaussians. */
#ifndef MB_GMM_STEP_H
#define MB_GMM_STEP_H

#include "model/columns.h"
#include "model/model.h"

/* The layout begins with one Dirichlet of dim K and K normal-Wisharts of dim D. */
enum { MB_GMM_WEIGHTS_, MB_GMM_NORMALS_ };
/* Where component k is in a message. */
static inline size_t mb_gmm_at_(const mb_layout *l, int32_t k)
{
    return l->block[MB_GMM_NORMALS_].off + l->block[MB_GMM_NORMALS_].len * (size_t)k;
}

/* Component k of phi: the lower triangle of L, (D+1) x (D+1), gets [sqrt(beta), 0; sqrt(beta) m,
 * chol(W^-1)], *nu its degrees of freedom. MB_E_DOMAIN outside Omega. */
mb_status mb_gmm_normal_(const mb_model *m, const double *phi, int32_t k, double *L, double *nu,
                         mb_err *err) MB_CHECKED;
/* s += the sums of r z z', z = (1, x), of component k: S, (D+1) x (D+1), lower triangle. v: room
 * for as many doubles. */
void mb_gmm_gather_(const mb_model *m, int32_t k, const double *S, double *v, double *s);
/* mb_mixture_form_::finish, once the sums are in g->S. */
void mb_gmm_finish_(mb_pass_ *w, double *s);
/* Component k of textbook parameters. */
typedef struct mb_gmm_par_ {
    double        nu, beta;
    const double *m, *w_inverse; /* D; lower triangle by rows */
} mb_gmm_par_;
/* mb_model::spec of full.c. */
typedef struct mb_full_spec_ {
    mb_mixing_spec_ mix;
    mb_how_         how;
} mb_full_spec_;
/* full.c, tied.c: complete m, whose layout, K and prior are there; D: columns. */
mb_status mb_gmm_full_new_(mb_arena *a, int32_t D, int32_t grouped, mb_model *m,
                           mb_err *err) MB_CHECKED;
mb_status mb_gmm_tied_(mb_arena *a, int32_t D, mb_model *m, mb_err *err) MB_CHECKED;

/* Checks the options and makes layout and prior of *m; `more`, if not NULL: K slices of a further
 * family, whose textbook parameters are 0 in the prior. emission: how the columns are explained;
 * NULL: by a matrix. MB_E_ARG names the option that is wrong. */
mb_status mb_gmm_base_(mb_arena *a, const mb_gmm_opt *opt, const mb_family *more, int32_t dim,
                       mb_model *m, const mb_emission **emission, mb_err *err) MB_CHECKED;
/* Component k of phi is factored into L = g->tmp + K and g. MB_E_DOMAIN outside Omega. */
mb_status mb_gmm_factor_(const mb_model *m, const double *phi, int32_t k, mb_estep_ *g,
                         mb_err *err) MB_CHECKED;
/* ln Gamma(h) - ln Gamma(h - D/2) in steps of a half: with many rows both are large, their
 * difference is small. */
double mb_gmm_ln_ratio_(int32_t D, double h);

/* A precision u of a row of component k, relative to the component's; par: of the whole model. */
typedef double (*mb_gmm_relative_)(const mb_model *m, const double *par, int32_t k, mb_rng *rng);
/* mb_model_ops::sample with `relative`, NULL: 1, and with 1. scratch: K (D D + 1) doubles. */
mb_status mb_gmm_draw_(const mb_model *m, const double *par, mb_gmm_relative_ relative,
                       uint64_t seed, int64_t first, int64_t n, double *out, double *scratch,
                       mb_err *err) MB_CHECKED;
mb_status mb_gmm_sample_(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                         int64_t n, double *out, double *scratch, mb_err *err) MB_CHECKED;

/* model/gmm_gaps.c: the steps of a form (mb_mixture_form_) in the pass over rows with gaps, g
 * having c of the E-step, or g, h and c of the predictive density. The sums are in g->S. */
void      mb_gaps_clear_(mb_pass_ *w);
mb_status mb_gaps_look_(mb_pass_ *w, mb_err *err) MB_CHECKED;
mb_status mb_gaps_density_(mb_pass_ *w, mb_err *err) MB_CHECKED;
mb_status mb_gaps_gather_(mb_pass_ *w, mb_err *err) MB_CHECKED;
/* Of them: m and W^-1 (from g->tmp + K + D + 2 on, D + 1 numbers a row) of component k; A, whose
 * room is acc, is still to be set. */
mb_status mb_gaps_component_(const mb_model *m, const double *phi, int32_t k, const mb_estep_ *g,
                             mb_split_ *q, mb_err *err) MB_CHECKED;
/* After it the columns of pattern `at`, and their factor. */
mb_status mb_gaps_factor_(const mb_estep_ *g, int32_t k, const mb_patterns_ *p, int32_t at,
                          mb_split_ *q, mb_err *err) MB_CHECKED;
/* After it ln |A_mm|. */
double mb_gaps_volume_(const mb_estep_ *g, const mb_split_ *q);

#endif
