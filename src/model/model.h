/* model/model.h - constructors of the models, and the local step of a node. */
#ifndef MB_MODEL_H
#define MB_MODEL_H

#include "meshbayes/extend.h"

#include <string.h>

/* Options of a Gaussian mixture: weights ~ Dirichlet(alpha0), each component's precision (or, tied,
 * the one that all share) Lambda ~ Wishart(nu0, W0), each mean ~ N(mu0, (beta0 Lambda)^-1). With a
 * variance for each column its inverse is tau_d ~ Gamma(nu0/2, rate (W0^-1)_dd/2), with a single
 * one tau ~ Gamma(D nu0/2, rate tr(W0^-1)/2), and mu_d ~ N(mu0_d, (beta0 tau)^-1): in both, one row
 * more is one more degree of freedom, as with a matrix. */
typedef struct mb_gmm_opt {
    int32_t       K;      /* components, 1 to 1000000                                           */
    int32_t       D;      /* columns, 1 to 10000                                                */
    double        alpha0; /* Dirichlet concentration of each component, > 0; default 1/K        */
    double        beta0;  /* > 0; default 1                                                     */
    double        nu0;    /* > D - 1, > 0 without matrices; default D + 2                       */
    const double *mu0;    /* D; NULL: 0                                                         */
    const double *w0inv;  /* full, tied: D x D, row-major, symmetric positive definite; diag: D, the
                             diagonal; spherical: 1, times the identity; NULL: identity         */
    mb_covariance covariance; /* default full                                                   */
    int32_t process; /* 1: the weights are the sticks of a Dirichlet process with concentration
                              alpha0, cut off after K; default 0: a Dirichlet distribution       */
    int32_t grouped; /* 1: the rows of a group (mb_rows.first; NULL: each is one) share their
                              component, counted once, and their row weight; default 0           */
} mb_gmm_opt;
/* K components, D columns, the rest as listed at mb_gmm_opt. */
mb_gmm_opt mb_gmm_defaults(int32_t K, int32_t D);
/* The model in natural form. Keeps nothing of opt. MB_E_ARG names the option that is wrong. A local
 * step costs O(n K D^2), O(n D (K + D)) when all share a matrix, O(n K D) without matrices. Layout:
 * dirichlet.1 (weights), then K normal-Wishart; K times D normal-gamma-diag of one column; K
 * normal-gamma-diag of D columns; one tied-normal-wishart. MB_WANT_LOGPDF of rows in groups costs
 * O(K D^3) a row, and is MB_E_NOSUP for gaps and matrices, as are groups for a common matrix. */
mb_status mb_gmm_new(mb_arena *a, const mb_gmm_opt *opt, mb_model *out, mb_err *err) MB_CHECKED;

/* Options of a robust mixture: components are Student's t. Row x of component k has a precision u ~
 * Gamma(v_k/2, rate v_k/2) relative to its component's, x ~ N(mu_k, (u Lambda_k)^-1), so that rows
 * far out count less; v_k, the degrees of freedom, have a uniform prior on the logarithmic grid of
 * mb_dof, 1 to 256. */
typedef struct mb_tmm_opt {
    mb_gmm_opt gmm; /* full covariances only; W0^-1 is the prior of the scale matrices */
    double     dof; /* v of all components, > 0; 0: learnt by each (default)           */
} mb_tmm_opt;
enum { MB_TMM_GRID = 33 /* points of the grid */ };
/* K components, D columns, the rest as listed at mb_tmm_opt. */
mb_tmm_opt mb_tmm_defaults(int32_t K, int32_t D);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. Costs of a local step as those of
 * mb_gmm_new, and a logarithm for each row and component; MB_WANT_LOGPDF, an integral over u by
 * quadrature, about 4 microseconds a row and component. Layout: dirichlet.1, K
 * normal-Wishart, and when v is learnt K mb_dof. */
mb_status mb_tmm_new(mb_arena *a, const mb_tmm_opt *opt, mb_model *out, mb_err *err) MB_CHECKED;

/* Linear regression y = w'x + noise: normal-gamma posterior, no latent variables, K = 0. Rows have
 * D + 1 columns, the last is the target y; for MB_WANT_MEAN_VAR and MB_WANT_INTERVAL the target may
 * be missing (d = D). One local step from anywhere in Omega is the exact posterior, and the bound
 * there is the log marginal likelihood when scale = 1. p = D + intercept coefficients, the
 * intercept first.
 * Prior: tau ~ Gamma(a0, rate b0) is the noise's precision, w | tau ~ N(m0, (tau Lambda0)^-1), with
 * Lambda0 = lambda0 I or a full matrix. It is worth 2 a0 rows that say the noise's standard
 * deviation is sqrt(b0/a0). The defaults are weak for columns brought to a common origin and scale
 * (mb_common_units): one row, 0.014 of the target's scale; coefficients with 100 times
 * the noise's standard deviation. Without an intercept columns may be scaled, never moved.
 * With relevance (automatic relevance determination) w_j | alpha_j, tau ~ N(0, (tau alpha_j)^-1),
 * alpha_j ~ Gamma(1e-6, rate 1e-6) for each input; the intercept keeps its lambda0, m0 and
 * lambda0_matrix must be NULL. Its posterior has a gamma for each input after the normal-gamma, of
 * which alpha_j is independent (mean field), so a fit takes steps (mb_model_ops::prior_at).
 * T > 1 targets are the last T columns, each with its own tau_t ~ Gamma(a0, rate b0) and w_t |
 * tau_t ~ N(m0_t, (tau_t Lambda0)^-1): mb_matrix_normal_gamma, which has Lambda once. Predictions
 * are T times as wide; MB_WANT_LOGPDF is the sum over targets. A local step: O(n (D + T)^2). */
typedef struct mb_linreg_opt {
    int32_t       D;         /* inputs, >= 1 (>= 0 with an intercept)                            */
    int32_t       intercept; /* 1: coefficient 0 multiplies the constant 1; 0: none              */
    double        a0;        /* > 0; default 0.5                                                 */
    double        b0;        /* > 0, squared units of the target; default 1e-4                   */
    double        lambda0;   /* > 0; default 1e-4; not read when lambda0_matrix is given         */
    const double *m0;        /* T x p; NULL: 0                                                   */
    const double
           *lambda0_matrix; /* p x p, row-major, symmetric positive definite; NULL: lambda0 I */
    int32_t relevance; /* 1: each input has its own precision, which is found; default 0        */
    int32_t targets;   /* T, 1 to 10000; default 0: one                                         */
} mb_linreg_opt;
/* D inputs, with or without an intercept, the rest as listed at mb_linreg_opt. */
mb_linreg_opt mb_linreg_defaults(int32_t D, int32_t intercept);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. */
mb_status mb_linreg_new(mb_arena *a, const mb_linreg_opt *opt, mb_model *out,
                        mb_err *err) MB_CHECKED;

/* Mixture of K regressions of one target: weights ~ Dirichlet(alpha0), coefficients and noise of
 * each component have the prior of `line`, without relevance. Rows have D + 1 columns, the last is
 * the target, which may be missing for MB_WANT_MEAN_VAR and MB_WANT_RANGE. Layout: dirichlet.1,
 * then K normal-gamma. A local step costs O(n K D^2). */
typedef struct mb_mixreg_opt {
    mb_linreg_opt line;
    int32_t       K;      /* components                                            */
    double        alpha0; /* concentration of each component, > 0; default 1/K     */
} mb_mixreg_opt;
/* K components, D inputs, with or without an intercept. */
mb_mixreg_opt mb_mixreg_defaults(int32_t K, int32_t D, int32_t intercept);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. */
mb_status mb_mixreg_new(mb_arena *a, const mb_mixreg_opt *opt, mb_model *out,
                        mb_err *err) MB_CHECKED;

/* Coefficient j is, marginally, Student's t with 2a degrees of freedom around m_j: scale[j] (p of
 * them) = sqrt(b/a (Lambda^-1)_jj), from the textbook parameters of the normal-gamma. scratch: 2 p
 * p doubles. O(p^3). MB_E_DOMAIN when par is none. */
mb_status mb_linreg_scales(int32_t p, const double *par, double *scale, double *scratch,
                           mb_err *err) MB_CHECKED;

/* A model (mb_gmm_new and others) for one node with many rows: stats adds up pieces of at least
 * 4096 rows (1024 of more than 64 columns) on threads of a pool (borrowed; NULL: one thread):
 * `threads` of them, 0: as many as pay, one for a step below about 1 ms of work. A piece has the
 * groups that begin in it, whole. The order depends on the rows alone, so the bits depend on
 * neither threads nor pool; up to 4096 rows they are those of base (borrowed). Where the pool
 * is at work already (nodes that run in parallel) it is one thread. scratch grows by 64 messages
 * and by that of base for each thread. */
mb_status mb_model_parallel(mb_arena *a, const mb_model *base, mb_pool *pool, int32_t threads,
                            mb_model *out, mb_err *err) MB_CHECKED;

/* The prior at expected statistics mu: prior_at's, in own (len numbers, those after the layout 0),
 * or `prior` for a model without. */
const double *mb_prior_at(const mb_model *m, const double *mu, const double *prior, size_t len,
                          double *own);
/* mb_model::scratch for calls whose longest group has `longest` rows. */
static inline size_t mb_group_scratch_(const mb_model *m, int64_t longest)
{
    return m->ops->group_scratch ? m->ops->group_scratch(m, longest) : m->scratch;
}
/* phi as mb_model_ops::straighten, which is there, has it: into room (L). */
static inline const double *mb_straight_(const mb_model *m, const double *phi, double *room,
                                         double *work)
{
    memcpy(room, phi, m->layout.len * sizeof *phi);
    m->ops->straighten(m, room, work);
    return room;
}
/* Where the last local step with this scratch was made: phi, or as straighten had it. */
const double *mb_step_place_(const mb_model *m, const double *phi, const double *scratch);
/* How many slices of a posterior may stand in any order. */
static inline int32_t mb_alike_(const mb_model *m)
{
    return m->K ? m->K : m->alike;
}
/* most (layout.len): no statistic of rows of this weight in all, with values in the range, is
 * larger in size; of one without a limit, what few exceed. entry: room for as many. Errors as those
 * of mb_entry_bound. */
mb_status mb_model_largest_(const mb_model *m, const mb_range *range, double weight,
                            mb_entry *entry, double *most, mb_err *err) MB_CHECKED;

/* Doubles that mb_local_step and mb_seed_step may use, with the scratch that m has. */
size_t mb_local_scratch(const mb_model *m);
/* phi* = prior + scale * expected statistics at phi, eq. (17a) and (18); the prior is that at phi.
 * phi_star (length L) may not alias phi. bound may be NULL, else *bound = L_i(phi), eq. (15), nats.
 * mu (length L, no alias) may be NULL, else grad A(phi), eq. (10a): with a bound it costs a copy,
 * without one the moments, O(D^3) a component (which prior_at needs in any case). MB_E_DOMAIN when
 * phi is outside Omega; phi_star and mu are then untouched (the caller's freeze). scratch:
 * mb_local_scratch(m) doubles. Cost: that of the model's stats, linear in the rows. */
mb_status mb_local_step(const mb_model *m, const mb_rows *rows, double scale, const double *phi,
                        double *phi_star, double *bound, double *mu, double *scratch,
                        mb_err *err) MB_CHECKED;
/* phi := its canonical form, of a model that has one: before each local step of a node. scratch:
 * mb_model::scratch. */
void mb_canonical_(const mb_model *m, double *phi, double *scratch);
/* The same in own (mb_canonical_len_(m) doubles), where the model has one; else phi. m->ops may be
 * NULL. */
const double *mb_canonical_of_(const mb_model *m, const double *phi, double *own);
size_t        mb_canonical_len_(const mb_model *m);
/* Where all nodes make their first local step, of a kind that has mb_kind::phi0: phi (L). */
void mb_phi0_(const mb_kind *kind, const mb_model *m, const mb_units *run, const double *centres,
              uint64_t seed, int32_t attempt, double *phi);
/* The first phi* from given responsibilities (n x K; NULL when K = 0); a prior_at is that at
 * m->prior. scratch as mb_local_step. */
mb_status mb_seed_step(const mb_model *m, const mb_rows *rows, double scale, const double *resp,
                       double *phi_star, double *scratch, mb_err *err) MB_CHECKED;

/* What a fit asks of the models of a kind that has MB_WANT_INTERVAL, besides mb_want: width 1, the
 * mean of MB_WANT_MEAN_VAR, to the bit, without what its variance costs. */
static const mb_want MB_WANT_MEAN_ = (mb_want)(MB_WANT_TOPICS + 1);

/* Generalised linear model: the target's distribution depends on eta = w'x through the link, w ~
 * N(m0, Lambda0^-1) a priori. The posterior is the Gaussian of the highest lower bound, K = 0. Rows
 * have D + 1 columns, the last is the target, which may be missing for MB_WANT_MEAN_VAR (the mean
 * and variance of the target, its distribution integrated over w). p = D + intercept
 * coefficients, the intercept first. A local step costs O(n (p^2 + q)), q the points of a
 * quadrature: 5 to 11 for logistic rows whose predictors have standard deviations up to
 * 0.3, 35 up to 1.4, more beyond, none for counts.
 * A category has p coefficients for each level but the first, whose predictor is 0; all of them are
 * one Gaussian, with the prior above for each level, independent. Of a row's log density there is a
 * lower bound, and the posterior is the Gaussian of the highest sum of these (docs/math.md, section
 * 28). It predicts MB_WANT_PROB and MB_WANT_LABEL with w integrated out by 128 to 2048 points, with
 * errors below 1e-3 where predictors have standard deviations below 1, 1e-2 up to 10. A local step
 * costs O(n (C^2 p^2 + C^3 p) + C^3 p^3). */
typedef struct mb_glm_opt {
    int32_t       D;         /* inputs, >= 1 (>= 0 with an intercept)                            */
    int32_t       intercept; /* 1: coefficient 0 multiplies the constant 1; 0: none              */
    mb_link       link;      /* default MB_LINK_LOGISTIC                                         */
    double        lambda0;   /* > 0; default 0.01; not read when lambda0_matrix is given         */
    const double *m0;        /* p; NULL: 0                                                       */
    const double *lambda0_matrix; /* p x p, symmetric positive definite; NULL: lambda0 I         */
    int32_t       levels; /* C of MB_LINK_MULTINOMIAL: 2 to 100, with (C - 1) p at most 10001    */
    mb_offset     offset; /* of the column after the D inputs, if there is one: its values, or their
                             logarithms, are added to the predictors of the rows, of a category to
                             those of each level but the first                               */
} mb_glm_opt;
/* D inputs, with or without an intercept, the rest as listed at mb_glm_opt. */
mb_glm_opt mb_glm_defaults(int32_t D, int32_t intercept);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. */
mb_status mb_glm_new(mb_arena *a, const mb_glm_opt *opt, mb_model *out, mb_err *err) MB_CHECKED;

#endif
