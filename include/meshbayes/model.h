/* meshbayes/model.h - what a model must say for itself, and nothing more.
 *
 * A model maps (phi, rows) to expected sufficient statistics. Everything else of the local
 * VB step is generic (src/core/local.c):
 *     phi* = prior + scale * sum_j w_j E[u(x_j, y_j)]      (VBE + VBM, eq. 17a, 18)
 *     L_i  = scale * sum_j w_j ln Z_j - KL(phi || prior)   (eq. 15, at phi, q(y) optimal for it)
 * where the prior is fixed, or that of mb_model_ops::prior_at.
 * A model is immutable after creation and shared by all nodes and threads. */
#ifndef MESHBAYES_MODEL_H
#define MESHBAYES_MODEL_H

#include "meshbayes/column.h"
#include "meshbayes/expfam.h"
#include "meshbayes/pool.h"
#include "meshbayes/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the network knows of the columns of all rows, a target too, in data units; the same at all
 * nodes (mb_agree_moments). Sums have the divisor weight - 1, or weight if that is not positive. */
typedef struct mb_row_moments {
    int32_t  d;        /* columns                                                            */
    double   weight;   /* of all rows                                                        */
    double  *mean;     /* d: weighted mean; the middle if weight is 0                        */
    double  *sd;       /* d: weighted standard deviation; exactly 0 for a constant column    */
    double  *middle;   /* d: midpoint of the range of the values; rows of weight 0 count     */
    double  *spread;   /* d: power of two nearest to a quarter of the range (ratio in [1/sqrt 2,
                          sqrt 2)); 1 for a constant column                                  */
    uint8_t *constant; /* d: 1 for a column with one value only; rows of weight 0 count      */
    double  *cov;      /* d x d, row-major: weighted covariance; NULL: not asked for         */
    double  *filled;   /* d: weight of the rows that have a value there; NULL: rows have no gaps.
                          With it all moments are of the values that are there, cov of those that
                          both columns have, about their means; 0 if there are none            */
    const mb_columns *kinds; /* what the columns are, for a kind of model that takes them; NULL: all
                                are numbers                                                  */
    double sample_of;        /* estimate of the number of rows that these are a random sample of;
                                0: they are all                                              */
} mb_row_moments;
/* What mb_model_ops::predict can say of each row. */
typedef enum mb_want {
    MB_WANT_LOGPDF,   /* width 1: ln p(x | data), nats, exact predictive density;
                         regression: ln p(target | inputs, data); of rows in groups
                         given the earlier rows of the group, too                   */
    MB_WANT_RESP,     /* width K: responsibilities of the E-step, rows sum to 1        */
    MB_WANT_LABEL,    /* width 1: index of the largest responsibility (lowest on a tie) */
    MB_WANT_MEAN_VAR, /* width 2: regression: location (the mean when dof > 1) and variance of the
                         target; the variance is infinite for 1 < dof <= 2, NaN for dof <= 1 */
    MB_WANT_INTERVAL, /* width 3: regression: location, scale and degrees of freedom of the target's
                         Student's t, for mb_student_quantile                       */
    MB_WANT_PROB,     /* width C: a target with C categories, or a flag (C = 2): the probability of
                         each, sums to 1; MB_WANT_LABEL is then the number of the likeliest */
    MB_WANT_RANGE /* width 3: a generalised linear model: the mean of a count, the probability of
                         the likeliest category (flag); mean and standard deviation of what the
                         link makes of it: the logarithm, the log odds; nearly normal */
} mb_want;

struct mb_model;
/* What a model can do: pure functions. scratch: mb_model::scratch doubles. */
typedef struct mb_model_ops {
    const char *name; /* "gmm" */
    /* 1: rows have latent variables besides their component, of which responsibilities that are
     * given say nothing: seed_stats takes them at a state of its own. */
    int32_t more_latent;

    /* s += sum_j w_j E_q(y_j)[u(x_j, y_j)]; *logz += sum_j w_j ln Z_j (with -D/2 ln 2 pi), nats.
     * Adds, so rows may come in batches or as a stream. Touches only s, logz, scratch.
     * logz may be NULL. MB_E_DOMAIN when phi is outside Omega (s, logz untouched). */
    mb_status (*stats)(const struct mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err);

    /* As stats, with the same bits, in the scratch of a call of stats or more_stats that returned
     * MB_OK for the same phi: what depends on phi alone need not be made again. NULL: stats is. */
    mb_status (*more_stats)(const struct mb_model *m, const double *phi, const mb_rows *rows,
                            double *s, double *logz, double *scratch, mb_err *err);

    /* s += statistics of given responsibilities (n x K, row-major), in place of an E-step: every
     * initialisation. Component k must mean the same thing at every node. NULL, for a model without
     * latent variables: stats at the prior. */
    mb_status (*seed_stats)(const struct mb_model *m, const mb_rows *rows, const double *resp,
                            double *s, double *scratch, mb_err *err);

    /* For factors of the posterior that depend on each other in the prior: its natural parameters
     * (layout.len) at the posterior of expected statistics mu, and *A, with which
     *     KL(q || prior) = <phi - out, mu> - A(phi) + *A          (docs/math.md, section 20).
     * out has the optimal parameters of the factors that the others depend on, given mu, and the
     * expectation under these of the others' own, so that each local step is coordinate ascent.
     * Of m only prior, A_prior and the sizes are read: a prior that is read from a file suffices.
     * NULL: the prior is m->prior, A_prior. */
    void (*prior_at)(const struct mb_model *m, const double *mu, double *out, double *A);

    /* 1: phi* may lie beyond what raises the bound, because the likelihood is not conjugate: ln Z_j
     * is E[ln p(x_j | theta)] and E[u(x_j)] its gradient with respect to mu, so that phi* - phi is
     * the natural gradient of the bound (docs/math.md, section 21). mb_run then moves a node that
     * follows its own phi* alone back towards its last phi until the bound does not fall. */
    int32_t overshoots;

    /* 1: the statistics do not depend on phi, only *logz does, for nothing is latent: a run adds up
     * the rows of a node once, and again only where the bound is wanted at another phi. */
    int32_t fixed_stats;

    /* out: rows->n x width, row-major. MB_E_NOSUP for a `want` it has not. NULL: it has none. */
    mb_status (*predict)(const struct mb_model *m, const double *phi, const mb_rows *rows,
                         mb_want want, double *out, double *scratch, mb_err *err);

    /* Rows first .. first + n - 1 of the predictive distribution with textbook parameters par, in
     * their units: out is n x (1 + columns), the component drawn and then the row. Row j depends
     * on par, seed and j alone. NULL: the model has none. */
    mb_status (*sample)(const struct mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err);
} mb_model_ops;

/* A model with its prior. Immutable after creation. */
typedef struct mb_model {
    const mb_model_ops *ops;     /* static                                              */
    const void         *spec;    /* the model's own constants, in the creating arena    */
    mb_layout           layout;  /* of phi                                              */
    const double       *prior;   /* phi_0, length layout.len: with prior_at what it begins with */
    const double       *eps;     /* layout.nblock: margins of the projection, eq. (38b) */
    double              A_prior; /* A(prior)                                          */
    int32_t             K;       /* exchangeable components; 0 when there are none      */
    size_t              scratch; /* doubles; does not depend on the number of rows    */
} mb_model;

/* prior, eps and A_prior of m, whose layout is complete, from textbook parameters of the whole
 * layout. MB_E_DOMAIN, MB_E_NUMERIC when double precision does not hold the prior. For
 * constructors. */
MB_API mb_status mb_model_prior(mb_arena *a, const double *par, mb_model *m,
                                mb_err *err) MB_CHECKED;

/* The covariances of a mixture's components, as scikit-learn calls them. */
typedef enum mb_covariance {
    MB_COVARIANCE_FULL,      /* each component has a matrix                      */
    MB_COVARIANCE_DIAG,      /* each component has a variance for each column    */
    MB_COVARIANCE_SPHERICAL, /* each component has one variance                  */
    MB_COVARIANCE_TIED,      /* all components share one matrix                  */
    MB_COVARIANCES           /* how many there are                               */
} mb_covariance;
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
MB_API mb_gmm_opt mb_gmm_defaults(int32_t K, int32_t D);
/* The model in natural form. Keeps nothing of opt. MB_E_ARG names the option that is wrong. A local
 * step costs O(n K D^2), O(n D (K + D)) when all share a matrix, O(n K D) without matrices. Layout:
 * dirichlet.1 (weights), then K normal-Wishart; K times D normal-gamma-diag of one column; K
 * normal-gamma-diag of D columns; one tied-normal-wishart. MB_WANT_LOGPDF of rows in groups costs
 * O(K D^3) a row, and is MB_E_NOSUP for gaps and matrices, as are groups for a common matrix. */
MB_API mb_status mb_gmm_new(mb_arena *a, const mb_gmm_opt *opt, mb_model *out,
                            mb_err *err) MB_CHECKED;

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
MB_API mb_tmm_opt mb_tmm_defaults(int32_t K, int32_t D);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. Costs of a local step as those of
 * mb_gmm_new, and a logarithm for each row and component; MB_WANT_LOGPDF, an integral over u by
 * quadrature, about 4 microseconds a row and component. Layout: dirichlet.1, K
 * normal-Wishart, and when v is learnt K mb_dof. */
MB_API mb_status mb_tmm_new(mb_arena *a, const mb_tmm_opt *opt, mb_model *out,
                            mb_err *err) MB_CHECKED;

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
MB_API mb_linreg_opt mb_linreg_defaults(int32_t D, int32_t intercept);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. */
MB_API mb_status mb_linreg_new(mb_arena *a, const mb_linreg_opt *opt, mb_model *out,
                               mb_err *err) MB_CHECKED;

/* Coefficient j is, marginally, Student's t with 2a degrees of freedom around m_j: scale[j] (p of
 * them) = sqrt(b/a (Lambda^-1)_jj), from the textbook parameters of the normal-gamma. scratch: 2 p
 * p doubles. O(p^3). MB_E_DOMAIN when par is none. */
MB_API mb_status mb_linreg_scales(int32_t p, const double *par, double *scale, double *scratch,
                                  mb_err *err) MB_CHECKED;

/* The same model for one node with many rows: stats adds up pieces of at least 4096 rows (1024 of
 * more than 64 columns) on threads of a pool (borrowed; NULL: one thread): `threads` of them, 0: as
 * many as pay, one for a step below about 1 ms of work. The order depends on the rows alone, so the
 * bits depend on neither threads nor pool; up to 4096 rows, and for rows in groups (which are not
 * cut), they are those of base (borrowed). Where the pool is at work already (nodes that run in
 * parallel) it is one thread. scratch grows by 64 messages and by that of base for each thread. */
MB_API mb_status mb_model_parallel(mb_arena *a, const mb_model *base, mb_pool *pool,
                                   int32_t threads, mb_model *out, mb_err *err) MB_CHECKED;

/* The prior at expected statistics mu: prior_at's, in own (len numbers, those after the layout 0),
 * or `prior` for a model without. */
MB_API const double *mb_prior_at(const mb_model *m, const double *mu, const double *prior,
                                 size_t len, double *own);
/* Doubles that mb_local_step and mb_seed_step may use; does not depend on the rows. */
MB_API size_t mb_local_scratch(const mb_model *m);
/* phi* = prior + scale * expected statistics at phi, eq. (17a) and (18); the prior is that at phi.
 * phi_star (length L) may not alias phi. bound may be NULL, else *bound = L_i(phi), eq. (15), nats.
 * mu (length L, no alias) may be NULL, else grad A(phi), eq. (10a): with a bound it costs a copy,
 * without one the moments, O(D^3) a component (which prior_at needs in any case). MB_E_DOMAIN when
 * phi is outside Omega; phi_star and mu are then untouched (the caller's freeze). scratch:
 * mb_local_scratch(m) doubles. Cost: that of the model's stats, linear in the rows. */
MB_API mb_status mb_local_step(const mb_model *m, const mb_rows *rows, double scale,
                               const double *phi, double *phi_star, double *bound, double *mu,
                               double *scratch, mb_err *err) MB_CHECKED;
/* The first phi* from given responsibilities (n x K; NULL when K = 0); a prior_at is that at
 * m->prior. scratch as mb_local_step. */
MB_API mb_status mb_seed_step(const mb_model *m, const mb_rows *rows, double scale,
                              const double *resp, double *phi_star, double *scratch,
                              mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif

#include "meshbayes/models/glm.h"
#endif
