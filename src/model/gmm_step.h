/* model/gmm_step.h - what models whose components are Gaussian with a matrix, given more or less,
 * share of the mixture of Gaussians. */
#ifndef MB_GMM_STEP_H
#define MB_GMM_STEP_H

#include "kernel/gaps.h"
#include "model/gmm_kernel.h"
#include "model/mixture.h"
#include "model/model.h"

/* The layout begins with one Dirichlet of dim K and K normal-Wisharts of dim D. */
enum { MB_GMM_WEIGHTS_, MB_GMM_NORMALS_ };
/* Where component k is in a message. */
static inline size_t mb_gmm_at_(const mb_layout *l, int32_t k)
{
    return l->block[MB_GMM_NORMALS_].off + l->block[MB_GMM_NORMALS_].len * (size_t)k;
}

/* src/model/tied_normal.c: what follows works for components that share a precision, too
 * (mb_tied_wishart), which are parts of one slice. Columns of the rows. */
int32_t mb_gmm_wide_(const mb_model *m);
/* Component k of phi: the lower triangle of L, (D+1) x (D+1), gets [sqrt(beta), 0; sqrt(beta) m,
 * chol(W^-1)], *nu its degrees of freedom. MB_E_DOMAIN outside Omega. */
mb_status mb_gmm_normal_(const mb_model *m, const double *phi, int32_t k, double *L, double *nu,
                         mb_err *err) MB_CHECKED;
/* s += the sums of r z z', z = (1, x), of component k: S, (D+1) x (D+1), lower triangle. v: room
 * for as many doubles. */
void mb_gmm_gather_(const mb_model *m, int32_t k, const double *S, double *v, double *s);
/* Component k of textbook parameters. */
typedef struct mb_gmm_par_ {
    double        nu, beta;
    const double *m, *w_inverse; /* D; lower triangle by rows */
} mb_gmm_par_;
mb_gmm_par_ mb_gmm_par_of_(const mb_model *m, const double *par, int32_t k);
/* src/model/tied.c: completes m, whose layout, K and prior are there; D: columns. */
mb_status mb_gmm_tied_(mb_arena *a, int32_t D, mb_model *m, mb_err *err) MB_CHECKED;

/* Checks the options and makes layout and prior of *m; `more`, if not NULL: K slices of a further
 * family, whose textbook parameters are 0 in the prior. emission: how the columns are explained;
 * NULL: by a matrix. MB_E_ARG names the option that is wrong. */
mb_status mb_gmm_base_(mb_arena *a, const mb_gmm_opt *opt, const mb_family *more, int32_t dim,
                       mb_model *m, const mb_emission_ **emission, mb_err *err) MB_CHECKED;
/* Component k of phi is factored into L = g->tmp + K and g. MB_E_DOMAIN outside Omega. */
mb_status mb_gmm_factor_(const mb_model *m, const double *phi, int32_t k, mb_estep_ *g,
                         mb_err *err) MB_CHECKED;
/* After it, c and g of the E-step of component k, nw, or c, h and g of its predictive density,
 * given ln of its weight. */
void mb_gmm_expect_(const double *nw, int32_t k, double ln_pi, mb_estep_ *g);
void mb_gmm_student_(const double *nw, int32_t k, double ln_share, mb_estep_ *g);
/* r of component k: the predictive density of the block's rows. */
void mb_gmm_student_density_(const mb_estep_ *g, int32_t k);
/* s += the kernel's sums in natural form, without the weights of the mixture; h: rows of each
 * component. */
void mb_gmm_sums_(const mb_model *m, const mb_estep_ *g, double *s);
/* ln Gamma(h) - ln Gamma(h - D/2) in steps of a half: with many rows both are large, their
 * difference is small. */
double mb_gmm_ln_ratio_(int32_t D, double h);

/* model/gmm_groups.c: the mixture whose rows come in groups, and doubles of scratch more. */
extern const mb_model_ops mb_gmm_groups_ops_;
size_t                    mb_gmm_groups_room_(int32_t K, int32_t D);

/* A precision u of a row of component k, relative to the component's; par: of the whole model. */
typedef double (*mb_gmm_relative_)(const mb_model *m, const double *par, int32_t k, mb_rng *rng);
/* mb_model_ops::sample; relative NULL: 1. scratch: K (D D + 1) doubles. */
mb_status mb_gmm_draw_(const mb_model *m, const double *par, mb_gmm_relative_ relative,
                       uint64_t seed, int64_t first, int64_t n, double *out, double *scratch,
                       mb_err *err) MB_CHECKED;

/* For rows with gaps, once the sums of those without are in the caller's: m and W^-1 (from
 * g->tmp + K + D + 2 on, D + 1 numbers a row) of component k; A, whose room is acc, is still to be
 * set. */
mb_status mb_gaps_component_(const mb_model *m, const double *phi, int32_t k, const mb_estep_ *g,
                             mb_split_ *q, mb_err *err) MB_CHECKED;
/* After it the columns of pattern `at`, and their factor. */
mb_status mb_gaps_factor_(const mb_estep_ *g, int32_t k, const mb_patterns_ *p, int32_t at,
                          mb_split_ *q, mb_err *err) MB_CHECKED;
/* After it ln |A_mm|. */
double mb_gaps_volume_(const mb_estep_ *g, const mb_split_ *q);
/* The second pass of `stats`, over the rows with gaps, after the sums of those without are in s: g
 * holds c of the E-step at phi. resp, unless it is NULL, takes the place of the E-step; what is
 * missing is then expected by phi, which need not be where g has been. *total += sum of w ln Z.
 * q: all rows, with gaps or without, in groups (c without the weights); NULL: in none. */
mb_status mb_gaps_absorb_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                          mb_groups_ *q, const double *resp, double *s, double *total,
                          mb_err *err) MB_CHECKED;
/* The same for `predict`: g holds c of the E-step, or, without groups, of the predictive density,
 * at phi. */
mb_status mb_gaps_predict_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                           mb_groups_ *q, mb_want want, double *out, mb_err *err) MB_CHECKED;

#endif
