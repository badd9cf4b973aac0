/* meshbayes/extend.h - the interfaces of families, models, algorithms and transports, and the
 * stages of a fit, for those who write one or measure it. */
#ifndef MESHBAYES_EXTEND_H
#define MESHBAYES_EXTEND_H

#include "meshbayes/meshbayes.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Families ---- */

enum { MB_MIXING_ENTRY = 2 /* the most doubles of an mb_mixing::entry */ };
/* What a family is to mixtures whose weights have it, K = dim. Pure functions. */
typedef struct mb_mixing {
    size_t  entry;    /* doubles of a component in phi and in par, one after the other       */
    int32_t in_order; /* 1: components that change places are another distribution           */
    /* E[ln pi_k], K of them. MB_E_DOMAIN outside Omega. scratch: the family's. */
    mb_status (*expect)(int32_t dim, const double *phi, double *ln_pi, double *scratch);
    /* A number in proportion to E[pi_k], from the entry of component k in par; -1 when that is
     * outside. *left: 1 before the first component, then what the call before has left. */
    double (*share)(const double *entry, double *left);
    /* s += the statistics of rows: count[k] of component k. */
    void (*add)(int32_t dim, const double *count, double *s);
    /* out: p without the entry of `gone`, whose rows `keep` has; all natural parameters. */
    void (*merge)(int32_t dim, int32_t keep, int32_t gone, const double *prior, const double *p,
                  double *out);
} mb_mixing;

/* What a family is to mixtures whose components depend on each other through what they share: a
 * member has parts, which are exchangeable. In phi, par and mu part k begins after k * len doubles;
 * what the parts share follows the last. Pure functions. */
typedef struct mb_parted {
    int32_t (*count)(int32_t dim);               /* parts of a member                           */
    int32_t (*size)(int32_t dim);                /* what remains of dim without them            */
    int32_t (*dim)(int32_t size, int32_t count); /* of both together; 0: that is not possible   */
    size_t (*len)(int32_t dim);                  /* doubles of a part                           */
    /* out: p without the part `gone`, whose statistics `keep` has; all natural parameters. out has
     * p without that part already. */
    void (*merge)(int32_t dim, int32_t keep, int32_t gone, const double *prior, const double *p,
                  double *out);
} mb_parted;

/* An exponential family as generic code sees it. `dim` is its size (K of a Dirichlet, D of a
 * normal-Wishart); a member that is NULL means "does not apply". */
typedef struct mb_family {
    const char *name;               /* "dirichlet.1": with a version, it enters the layout hash */
    size_t (*len)(int32_t dim);     /* doubles in phi, and in par                               */
    size_t (*scratch)(int32_t dim); /* doubles the calls below may use; NULL: 0                 */

    /* mu = grad A(phi) = E[u], eq. (10a), and A(phi). mu, A may be NULL.
     * MB_E_DOMAIN iff phi is not in Omega, eq. (8) (NaN included). mu must not alias phi. */
    mb_status (*moments)(int32_t dim, const double *phi, double *mu, double *A, double *scratch);

    /* Move phi to the nearest point (2-norm) of Omega shrunk by eps > 0, eq. (38b).
     * *dist2 = squared distance moved, 0 when phi was inside. MB_E_NUMERIC if phi is not finite. */
    mb_status (*project)(int32_t dim, double eps, double *phi, double *dist2, double *scratch);
    /* The eps of a prior: 1e-6 times its smallest distance-to-the-boundary scale
     * (normal-Wishart: smallest eigenvalue of M; Dirichlet: smallest alpha). */
    mb_status (*margin)(int32_t dim, const double *prior, double *eps, double *scratch);
    /* A(prior) of a prior that is improper, outside Omega, and becomes proper with enough rows: by
     * a convention that the family states, under which it moves with the columns' units as that of
     * a proper prior does. MB_E_DOMAIN: it is no such prior. NULL: the family has none. */
    mb_status (*improper)(int32_t dim, const double *prior, double *A, double *scratch);

    /* phi from textbook parameters (see each family), as long. MB_E_DOMAIN: plainly outside. */
    mb_status (*from_par)(int32_t dim, const double *par, double *phi);
    /* Textbook parameters of phi. MB_E_DOMAIN when phi is not in Omega. */
    mb_status (*to_par)(int32_t dim, const double *phi, double *par, double *scratch);

    /* Textbook parameters of the same posterior after the columns become
     * origin + scale * x; in place. NULL: parameters that do not depend on the columns' units. */
    void (*move_par)(int32_t dim, const double *origin, const double *scale, double *par);

    /* The paper's order, eq. (45), after the same change of columns (origin, scale may be NULL
     * together: no change). Linear, so phi may be outside Omega. paper_len and to_paper may both be
     * NULL: phi itself, whatever becomes of the columns. */
    size_t (*paper_len)(int32_t dim);
    /* phi in the paper's order, length paper_len. */
    void (*to_paper)(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch);

    /* One draw of theta from the member with these textbook parameters: draw_len numbers, listed
     * at each family. MB_E_DOMAIN when par is outside. NULL together: no draws. */
    size_t (*draw_len)(int32_t dim);
    /* out: draw_len numbers. */
    mb_status (*draw)(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch);

    /* Coordinates, as many as phi has, that may have any values: logarithms of what is positive,
     * Cholesky factors of matrices with the logarithms of their diagonals. MB_E_DOMAIN when phi is
     * not in Omega. NULL together: phi itself. */
    mb_status (*to_free)(int32_t dim, const double *phi, double *free, double *scratch);
    /* Textbook parameters of such coordinates, in place, of no fewer rows than the prior, a phi,
     * has. Where doubles cannot hold them, from_par refuses them. */
    void (*from_free)(int32_t dim, const double *prior, double *free);

    const mb_mixing *weights; /* NULL: not a family of mixture weights                      */
    const mb_parted *parts;   /* NULL: its members have no parts: a component is a slice    */
} mb_family;

/* dim = K: phi = alpha - 1 > -1; par = alpha; paper order = alpha - 1. A draw is the K weights. */
extern MB_API const mb_family mb_dirichlet;

/* dim = K sticks of a Dirichlet process that is cut off after K components: v_k ~ Beta(a_k, b_k),
 * pi_k = v_k prod_{l<k} (1 - v_l); the rest of the stick is beyond the last component.
 * phi = [a_1 - 1, b_1 - 1, .., b_K - 1], all > -1; par = [a_1, b_1, ..]; paper order: phi.
 * A row adds r_k to a_k and the r of all components after k to b_k. The prior is a = 1, b = the
 * concentration. The order of the components matters. A draw is the K weights over their sum. */
extern MB_API const mb_family mb_sticks;

/* dim = D: phi = [(nu-D)/2, svec(-M/2)] with M = [beta, beta m'; beta m, W^-1 + beta m m'],
 * of size D+1. Omega is nu > D-1 and M > 0: project clips eigenvalues, and
 * chol(M) = [sqrt(beta), 0; sqrt(beta) m, chol(W^-1)] gives beta, m, W at once.
 * A row x adds r [1/2, svec(-z z'/2)], z = (1, x).
 * par = [nu, beta, m (D), lower triangle of W^-1 by rows, unscaled (D(D+1)/2)].
 * Paper order: (nu-D)/2, -W^-1/2 - beta/2 m m' (D*D, row-major), beta m (D), -beta/2.
 * A draw is [mean (D), lower triangle of the covariance Lambda^-1 by rows]. */
extern MB_API const mb_family mb_normal_wishart;

/* dim = D: the precision Lambda ~ Wishart(nu, W) of D columns whose mean is 0 or has a family of
 * its own, as random effects have. phi = [(nu-D-1)/2, svec(-W^-1/2)], u = [ln |Lambda|,
 * svec(Lambda)]. Omega is nu > D-1 and W > 0: project clips eigenvalues. A row with the deviation e
 * adds r [1/2, svec(-E[e e']/2)]. par = [nu, lower triangle of W^-1 by rows]. `origin` is not read.
 * Paper order: phi. A draw is the lower triangle of the covariance Lambda^-1 by rows. */
extern MB_API const mb_family mb_wishart;

/* The same for the effects that p coefficients of a regression have in a group, about their mean:
 * the precision Lambda of p effects, which change with the columns as coefficients do: dim = p.
 * mb_effects: effect 0 multiplies the constant 1; origin and scale are those of the p-1 inputs and
 * then the target (p entries). mb_effects_origin: no intercept; p+1 scales, `origin` is not read.
 * Paper order: phi, after the change. */
extern MB_API const mb_family mb_effects;
extern MB_API const mb_family mb_effects_origin; /* see mb_effects: no intercept */

/* K means that share one precision: Lambda ~ Wishart(nu, W), mu_k | Lambda ~ N(m_k, (beta_k
 * Lambda)^-1). dim = parts->dim(D, K): the K means are parts [-beta_k/2, -beta_k m_k/sqrt 2],
 * followed by [(nu-D-1+K)/2, svec(-T/2)], T = W^-1 + sum_k beta_k m_k m_k'. Omega is nu > D-1 and
 * beta, W^-1 > 0; project maximises the dual function of the nearest point, O(D^3 + K D^2) a step.
 * dim = D: the normal-Wishart in another order.
 * A row x of which component k has r_k adds r_k [-1/2, -x/sqrt 2] to part k and, to the rest,
 * [1/2, svec(-x x'/2)] times sum_k r_k. par = parts [beta, m (D)], then [nu, lower triangle of W^-1
 * by rows]. Paper order: phi. A draw is [means (K x D), lower triangle of the covariance Lambda^-1
 * by rows]. */
extern MB_API const mb_family mb_tied_wishart;
enum { MB_TIED_MOST = 131072 /* means that share a precision */ };

/* Linear regression, dim = p coefficients w: tau ~ Gamma(a, rate b) is the precision of the noise,
 * w | tau ~ N(m, (tau Lambda)^-1). phi = [a-1+p/2, svec(-M/2)] with
 * M = [Lambda, Lambda m; m' Lambda, 2b + m' Lambda m], of size p+1. Omega is a > 0 and M > 0:
 * project clips eigenvalues, and chol(M) = [chol(Lambda), 0; m' chol(Lambda), sqrt(2b)].
 * A row (x, y) adds r [1/2, svec(-z z'/2)], z = (x, y), where x has p entries.
 * par = [a, b, m (p), lower triangle of Lambda by rows (p(p+1)/2)].
 * The paper has no such model; its order here: a-1+p/2, -M/2 ((p+1)*(p+1), row-major).
 * mb_normal_gamma: coefficient 0 multiplies the constant 1; origin and scale of move_par and
 * to_paper are those of the p-1 inputs and then the target (p entries).
 * mb_normal_gamma_origin: no intercept; p+1 scales. A hyperplane through the origin cannot follow a
 * moved origin: `origin` is not read, and inference must use columns that are only scaled.
 * A draw is [coefficients (p), variance of the noise 1/tau]. */
extern MB_API const mb_family mb_normal_gamma;
extern MB_API const mb_family mb_normal_gamma_origin; /* see mb_normal_gamma: no intercept */
/* The same for inputs that are latent and have no units, after the constant 1: origin and scale are
 * those of the target alone. */
extern MB_API const mb_family mb_normal_gamma_latent;
/* D targets of such inputs with one tau, as equal noise has it, and m_d, Lambda_d of their own:
 * dim = p + MB_TARGETS_STEP (D - 1). phi = [a-1+D p/2, svec(-Lambda_d/2) and -k_d/sqrt 2 (p) for
 * each d, -c/2], k_d = Lambda_d m_d, c = 2b + sum_d m_d' Lambda_d m_d. Omega is a, Lambda_d, b > 0;
 * project splits c among the targets by the alternating direction method of multipliers. A row
 * (x, y) adds r [D/2, svec(-x x'/2) and -y_d x/sqrt 2 for each d, -sum_d y_d^2/2]. par = [a, b, m_d
 * (p) and the lower triangle of Lambda_d by rows for each d]. A change of columns must have one
 * scale, that of the first. Paper order: phi. A draw is [coefficients (D x p), variance of the
 * noise]. */
extern MB_API const mb_family mb_normal_gamma_shared;

/* The same for T >= 2 targets with the same inputs, independent, of which a and Lambda are
 * shared: dim = p + MB_TARGETS_STEP (T - 1). phi = [a-1+p/2, svec(-Lambda/2), and for each target
 * -k_t/sqrt 2 (p), -c_t/2], k_t = Lambda m_t, c_t = 2b_t + m_t' Lambda m_t. Omega is a, Lambda,
 * all b_t > 0. A row adds r [1/2, svec(-x x'/2), and for each target -y_t x/sqrt 2, -y_t^2/2].
 * par = [a, b (T), m (T x p), lower triangle of Lambda by rows]. Paper order: a-1+p/2, -Lambda/2
 * (p*p), for each target -k_t/2, -c_t/2. Columns: inputs, targets. A draw is [coefficients (T x
 * p), noise variances (T)]. */
enum { MB_TARGETS_STEP = 1 << 14 /* above all p */ };
extern MB_API const mb_family mb_matrix_normal_gamma;        /* with an intercept */
extern MB_API const mb_family mb_matrix_normal_gamma_origin; /* no intercept */

/* dim = D columns with one precision: tau ~ Gamma(a, rate b), mu_d | tau ~ N(m_d, (tau
 * lambda_d)^-1). D = 1 is one Gaussian column, D > 1 a spherical Gaussian.
 * phi = [a-1+D/2; for each d -lambda_d/2, -lambda_d m_d/sqrt 2; -(b + sum_d lambda_d m_d^2/2)]:
 * the normal-gamma of the coefficients mu with a diagonal Lambda. Omega is a, lambda_d, b > 0;
 * project finds the nearest point by two nested bisections.
 * A row x adds r [o/2; -1/2, -x_d/sqrt 2 for each of its o columns that has a value; -sum x_d^2/2].
 * par = [a, b, m (D), lambda (D)]. A change of columns must have one scale, that of the first.
 * Paper order: phi. A draw is [means (D), variance 1/tau]. */
extern MB_API const mb_family mb_normal_gamma_diag;

/* The degrees of freedom of Student's t on a grid: v_g = 2^(g/4), g = 0 .. G - 1, dim = G.
 * P(v_g) = exp(phi_0 c(v_g) + phi_1 v_g/2 - A(phi)) with c(v) = v/2 ln(v/2) - ln Gamma(v/2):
 * phi = 0 has the same probability at each point. Omega is all finite phi. A row whose precision u
 * relative to its component's is Gamma(v/2, rate v/2) adds r [1, E[ln u] - E[u]].
 * par = phi: [rows, sum of E[ln u - u]]. It does not depend on the columns. Paper order: phi.
 * A draw is v. */
extern MB_API const mb_family mb_dof;
/* A rate lambda, whatever dim: phi = [a - 1, -b]. A count x with this rate adds r [x, -1] where it
 * has a value. par = [a, b]. Paper order: phi; columns may change. A draw is lambda. */
extern MB_API const mb_family mb_gamma;
/* The same for a lambda in the unit of its column, squared: the prior precision of the column's
 * coefficient, in units of the noise's. */
extern MB_API const mb_family mb_gamma_squared;
/* The same for the precision of noise, in the unit of the target to the power -2; origin and scale
 * are those of the target. A row with the deviation e adds r [1/2, -e^2/2]. */
extern MB_API const mb_family mb_gamma_noise;

/* Coefficients w of a linear predictor w'x, dim = p: w ~ N(m, P^-1). phi = [P m (p), svec(-P/2)],
 * u = [w, svec(w w')]; Omega is P > 0, and project clips its eigenvalues. par = [m (p), lower
 * triangle of P by rows (p(p+1)/2)]. Paper order: P m, -P/2 (p*p, row-major). A draw is the p
 * coefficients.
 * mb_gaussian: coefficient 0 multiplies the constant 1; origin and scale are those of the p-1
 * inputs. mb_gaussian_origin: no intercept; p scales, `origin` is not read.
 * dim = p + MB_TARGETS_STEP (T - 1): T predictors of the same inputs, whose T p coefficients, one
 * predictor after the other, are the w of one Gaussian; the rest is the same with T p for p. */
extern MB_API const mb_family mb_gaussian;
extern MB_API const mb_family mb_gaussian_origin; /* see mb_gaussian: no intercept */
/* The same for the coefficients of a target that is a column, too, after the inputs: origin and
 * scale have p entries, without an intercept p+1. T = 1. */
extern MB_API const mb_family mb_gaussian_target;
extern MB_API const mb_family mb_gaussian_target_origin; /* see mb_gaussian: no intercept */

/* `count` consecutive slices of the message. A slice is a product of `members` independent members
 * of one family, one after the other: usually 1, or one for each of some columns, of any sizes. */
typedef struct mb_block {
    const mb_family *family;    /* static                                      */
    int32_t          dim;       /* of each member; 0: they differ              */
    const int32_t   *dims;      /* members: of each, if they differ; else NULL */
    int32_t          members;   /* of each slice                               */
    int32_t          count;     /* slices                                      */
    const int32_t   *column;    /* members: the first column of each; NULL: 0  */
    const int32_t   *pick;      /* picks: the columns of a slice; NULL: those in turn */
    int32_t          picks;     /* of them                                     */
    int32_t          square;    /* 1: see mb_layout_add_square                 */
    size_t           off;       /* first slice, doubles from the beginning     */
    size_t           len;       /* of each slice, doubles                      */
    size_t           paper_len; /* of each slice in the paper's order          */
} mb_block;

enum { MB_MAX_BLOCKS = 16 /* of a layout */ };
/* The meaning of the doubles of a message: a sequence of blocks. The weights of K components are
 * the first block, no square one, with one slice of size K of a family with mb_family::weights; a
 * later one that looks the same belongs to no component. */
typedef struct mb_layout {
    mb_block block[MB_MAX_BLOCKS]; /* nblock of them are used               */
    int32_t  nblock;               /* blocks                                */
    size_t   len;                  /* L: doubles per message                          */
    size_t   paper_len;            /* P: doubles in the paper's order                 */
    size_t   scratch;              /* doubles: max over the blocks                    */
    uint64_t hash;                 /* FNV-1a of the text form                          */
} mb_layout;

/* Appends a block of `count` members of a family; starts from a zeroed layout. MB_E_ARG when there
 * are MB_MAX_BLOCKS already, or for a dim or count below 1. */
MB_API mb_status mb_layout_add(mb_layout *l, const mb_family *f, int32_t dim, int32_t count,
                               mb_err *err) MB_CHECKED;
/* The same for slices of `members` members each. column, borrowed: where among the columns those of
 * each member begin, for mb_move_par and mb_to_paper; NULL: all at the first. The text has
 * "FAMILY:DIMxMEMBERS*COUNT". MB_E_ARG for members below 1, too. */
MB_API mb_status mb_layout_add_product(mb_layout *l, const mb_family *f, int32_t dim,
                                       int32_t members, const int32_t *column, int32_t count,
                                       mb_err *err) MB_CHECKED;
/* The same for members of their own sizes, dims (members of them, borrowed). The text has
 * "FAMILY:(SUM OF DIMS)xMEMBERS*COUNT", and the hash covers each. MB_E_ARG for one below 1. */
MB_API mb_status mb_layout_add_mixed(mb_layout *l, const mb_family *f, const int32_t *dims,
                                     int32_t members, const int32_t *column, int32_t count,
                                     mb_err *err) MB_CHECKED;
enum { MB_PICKS_MAX = 64 /* columns that a slice may pick */ };
/* Appends one slice that reads of the columns those that are picked, in this order; pick (picks of
 * them) is borrowed. MB_E_ARG for more than MB_PICKS_MAX. */
MB_API mb_status mb_layout_add_picked(mb_layout *l, const mb_family *f, int32_t dim,
                                      const int32_t *pick, int32_t picks, mb_err *err) MB_CHECKED;

/* Appends K slices of size K of a family with exchangeable weights, such as transitions between K
 * states: both the slices and the entries of each belong to the components, so that permuting them
 * permutes rows and columns, and merging two adds both. The text has "FAMILY:K*K square".
 * MB_E_ARG for another family. */
MB_API mb_status mb_layout_add_square(mb_layout *l, const mb_family *f, int32_t K,
                                      mb_err *err) MB_CHECKED;

/* The following functions are generic: they work for every family; p, q, phi, par and mu have
 * length l->len. mu = E[u] = grad A(phi), eq. (10a), and A(phi), nats, over all blocks; either may
 * be NULL. scratch: l->scratch. MB_E_DOMAIN when phi is outside Omega, eq. (8); the error names the
 * block and slice. Cost: O(D^3) per component. */
MB_API mb_status mb_moments(const mb_layout *l, const double *phi, double *mu, double *A,
                            double *scratch, mb_err *err) MB_CHECKED;
/* Moves phi to the nearest point (2-norm) of Omega shrunk by eps, eq. (38b). eps: one number per
 * block (mb_margin). *dist2: squared distance moved, all blocks. scratch: l->scratch. MB_E_NUMERIC
 * when phi is not finite. Cost: eigenvalues, O(D^3) per component. */
MB_API mb_status mb_project(const mb_layout *l, const double *eps, double *phi, double *dist2,
                            double *scratch, mb_err *err) MB_CHECKED;
/* KL(p||q) = <p-q, mu(p)> - A(p) + A(q), nats. scratch: l->len + l->scratch.
 * MB_E_DOMAIN when p or q is outside Omega. */
MB_API mb_status mb_kl(const mb_layout *l, const double *p, const double *q, double *kl,
                       double *scratch, mb_err *err) MB_CHECKED;
/* Textbook parameters of phi, slice by slice as each family documents. scratch: l->scratch.
 * MB_E_DOMAIN when phi is outside Omega. */
MB_API mb_status mb_to_par(const mb_layout *l, const double *phi, double *par, double *scratch,
                           mb_err *err) MB_CHECKED;
/* phi from textbook parameters, as mb_to_par has them. MB_E_DOMAIN when par is outside. */
MB_API mb_status mb_from_par(const mb_layout *l, const double *par, double *phi,
                             mb_err *err) MB_CHECKED;

/* ---- Models ---- */

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

/* What f(x) of an entry is (mb_entry), i and j being its columns. */
typedef enum mb_entry_kind {
    MB_ENTRY_OTHER,  /* 1: c alone, which counts no rows                                        */
    MB_ENTRY_WEIGHT, /* 1: rows; where i is a column, those that have a value there            */
    MB_ENTRY_LEVEL,  /* 1 where x_i is `level`, else 0                                         */
    MB_ENTRY_FIRST,  /* x_i                                                                    */
    MB_ENTRY_SECOND  /* x_i x_j                                                                */
} mb_entry_kind;
/* What an entry of the statistics of rows is:
 *     s_e = factor sum_j w_j c_j f(x_j),   least <= c_j <= most,
 * over rows j with weights w_j; c_j is what row j counts. Of a mixture it is the sum of the row's
 * responsibilities of some components, in [0, 1], or that times a number of the row and the
 * component, as the E[u] of Student's t. Entries with the same first, components, groups, least and
 * most have the same c. So the number of component k's rows, their mean and their second moments
 * follow from the WEIGHT, FIRST and SECOND entries of k, each over its factor: with a
 * normal-Wishart, of [1/2, svec(-z z'/2)], 1/2, then -1/2 on the diagonal and -1/sqrt 2 beside
 * it. */
typedef struct mb_entry {
    mb_entry_kind kind;       /* f                                                          */
    int32_t       first;      /* component; of a model without: which c                     */
    int32_t       components; /* from it on; 0: none, or the model has none                 */
    int32_t       column[2];  /* i, j; -1: none                                             */
    int32_t       columns;    /* f is the sum over columns i, .., i + columns - 1, j alike  */
    int32_t       level;      /* of MB_ENTRY_LEVEL                                          */
    int32_t       filled;     /* 1: where a row has a gap f is an expectation under phi     */
    int32_t       groups;     /* 1: rows in a group count once, together                    */
    double        factor;     /* of the sum                                                 */
    double        least;      /* of c; -INFINITY: no limit                                  */
    double        most;       /* of c; INFINITY: no limit                                   */
} mb_entry;

/* How iterations of groups of rows ended. */
typedef struct mb_iterations {
    int64_t groups; /* of rows, with a weight above 0                */
    int64_t sum;    /* iterations of all                             */
    int64_t most;   /* of one                                        */
    int64_t capped; /* groups that did not come to rest within `cap` */
    int64_t cap;    /* most that there may be                        */
} mb_iterations;

/* What a model can do: pure functions. scratch: mb_model::scratch doubles. A model of groups of
 * rows (mb_rows.first) takes rows without `first` as groups of one row each; of a kind whose groups
 * are "always", cases, nodes and posteriors give all rows a `first`. */
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

    /* Of all phi that mean the same to the model, as by the sign or the rotation of what is latent,
     * the one that stands for them, in place; from phi alone, so nothing is sent. It must not lower
     * the bound, and keeps its own results (to rounding). Each phi that a node's algorithm makes
     * becomes canonical before the local step; comparisons and files have this form, too. What
     * decides should be the same at nodes whose phi differ a little. phi outside Omega must remain
     * outside. Of m only spec and sizes are read. scratch: mb_model::scratch doubles. NULL: phi. */
    void (*canonical)(const struct mb_model *m, double *phi, double *scratch);

    /* Moves phi along what means nearly the same to where local steps have a shorter way, in place,
     * as `canonical`, but by as little as may be: averages over nodes need signs and places that
     * remain. Each local step is made there, while the algorithm's phi stays where it is, and
     * becomes canonical in files and comparisons alone. scratch: mb_model::scratch doubles.
     * NULL: phi. */
    void (*straighten)(const struct mb_model *m, double *phi, double *scratch);

    /* 1: the statistics do not depend on phi, only *logz does, for nothing is latent: a run adds up
     * the rows of a node once, and again only where the bound is wanted at another phi. */
    int32_t fixed_stats;

    /* sum_j w_j ln Z_j of rows with statistics s, less <s, mu>, nats, with fixed_stats: a local
     * step then has the bound without *logz, and a run adds up the rows once. NULL: it has not. */
    double (*log_base)(const struct mb_model *m, const double *s);

    /* Of a local step that finds what is known of a group by iterations: adds to *out how these of
     * the rows at phi end. NULL: it has none. */
    mb_status (*iterations)(const struct mb_model *m, const double *phi, const mb_rows *rows,
                            mb_iterations *out, double *scratch, mb_err *err);

    /* Doubles of scratch for calls whose longest group has `longest` rows: no fewer for more rows.
     * Whoever has the rows sets mb_model::scratch by it before the first call: a case for the
     * longest group of its rows, a node of a mesh for one group of all rows that it has room for
     * (mb_peer_opt.rows), because rows come while it runs. NULL: mb_model::scratch does for any. */
    size_t (*group_scratch)(const struct mb_model *m, int64_t longest);

    /* out: rows->n x width, of MB_WANT_AHEAD rows->ngroup x rows->ahead x width, row-major.
     * MB_E_NOSUP for a `want` it has not. NULL: it has none. */
    mb_status (*predict)(const struct mb_model *m, const double *phi, const mb_rows *rows,
                         mb_want want, double *out, double *scratch, mb_err *err);

    /* What is known of the effects in each group from its rows that have a target: location, scale
     * and degrees of freedom of the Student's t of each effect that varies, in their order, in the
     * units of the rows. Of a group without such rows, what a new group's may be. out: groups x
     * effects x 3. NULL: no effect varies by group. */
    mb_status (*effects)(const struct mb_model *m, const double *phi, const mb_rows *rows,
                         double *out, double *scratch, mb_err *err);

    /* Rows first .. first + n - 1 of the predictive distribution with textbook parameters par, in
     * their units: out is n x (1 + columns), the component drawn and then the row. Row j depends
     * on par, seed and j alone. NULL: the model has none. */
    mb_status (*sample)(const struct mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err);

    /* Describes those entries of the statistics that it knows, out: layout.len. The others remain
     * what mb_model_entries makes of all. NULL: it knows none. */
    void (*entries)(const struct mb_model *m, mb_entry *out);
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
    int32_t             alike;   /* slices that may stand in any order without being components of
                                    rows, such as topics: comparisons match them; 0: none */
    size_t              scratch; /* doubles, for any number of rows; see group_scratch    */
} mb_model;

/* prior, eps and A_prior of m, whose layout is complete, from textbook parameters of the whole
 * layout. MB_E_DOMAIN, MB_E_NUMERIC when double precision does not hold the prior. For
 * constructors. */
MB_API mb_status mb_model_prior(mb_arena *a, const double *par, mb_model *m,
                                mb_err *err) MB_CHECKED;

/* What each entry of the statistics of rows is, out: layout.len. One of which nothing is known, as
 * those of an emission of the caller's, is MB_ENTRY_OTHER, of any size. O(layout.len). */
MB_API void mb_model_entries(const mb_model *m, mb_entry *out);

/* What the values of rows may be, in the units of the rows: those of the run. */
typedef struct mb_range {
    int32_t       d;    /* columns, targets too                             */
    const double *low;  /* d: no value is below                             */
    const double *high; /* d: none is above                                 */
    int32_t       gaps; /* 1: rows may have gaps                            */
} mb_range;
/* bound[e] (n of them): the largest size of entry e in the statistics of one row of weight 1 whose
 * values are within the range, at any phi in Omega and for given responsibilities, up to rounding:
 *     |factor| max(|least|, |most|) max |f|,
 * where of x_i x_j and of a sum over columns each is at its largest (docs/math.md, section 29).
 * INFINITY: there is none, as for c without a limit (a Poisson regression), and for what fills
 * gaps, whose expectation follows phi and not the range. A logistic regression keeps it while the
 * standard deviations of predictors are below 8000. MB_E_SHAPE for an entry with a column that the
 * range has not, MB_E_ARG names a column whose ends are not finite or not in order. O(n). */
MB_API mb_status mb_entry_bound(const mb_entry *entry, size_t n, const mb_range *range,
                                double *bound, mb_err *err) MB_CHECKED;

/* The statistics of a node's rows at phi, without the prior: s (layout.len) becomes
 *     sum_j w_j E_q(y_j)[u(x_j, y_j)],
 * of which phi* = prior + N s (prior: that of prior_at where a model has it), and *logz, which may
 * be NULL, sum_j w_j ln Z_j, of which the bound is N logz - KL(phi || prior), nats. Sums of s and
 * logz over nodes are those of all their rows. On threads of the pool (NULL: the caller's alone),
 * on which the bits do not depend. Scratch is freed again, unless a is a buffer of the caller's
 * (mb_arena_fixed). MB_E_DOMAIN when phi is outside Omega, MB_E_NUMERIC names a row that the model
 * cannot have. Costs the model's stats. */
MB_API mb_status mb_row_statistics(mb_arena *a, const mb_model *m, const mb_rows *rows,
                                   const double *phi, mb_pool *pool, double *s, double *logz,
                                   mb_err *err) MB_CHECKED;

/* A choice among forms of a model that its posterior remembers, beside the sizes. */
typedef struct mb_choice {
    const char        *name;   /* in files and in bindings: "covariance_type"                 */
    const char        *option; /* of the kind's table, that asks for it: "covariance-type"    */
    const char *const *word;   /* its words, ends with NULL; files without it have the first. The
                                  option may have more of them, short for the last one         */
} mb_choice;

/* What the last dimension of an array runs over, both of a symmetric one: columns of some kinds, as
 * bits 1 << mb_column_kind, or what stands here. */
typedef enum mb_over {
    MB_OVER_INPUTS = 0, /* the D columns, or nothing of the columns */
    /* the levels of each category and flag, one column after the other */
    MB_OVER_LEVELS = 1 << MB_COLUMN_CATEGORY | 1 << MB_COLUMN_FLAG,
    /* the intercept, where there is one, and the inputs whose effects vary by group */
    MB_OVER_VARYING = 1 << MB_COLUMN_KINDS,
    /* the K components, by their numbers from 0 */
    MB_OVER_COMPONENTS = 1 << (MB_COLUMN_KINDS + 1)
} mb_over;
/* A named array within a flat vector: textbook parameters (mb_posterior::par), the numbers derived
 * from them, or one draw of the parameters. The array consists of items `step` apart: one for each
 * index of the first dimension, or a single one when there is none (ndim 0, or 2 when symmetric).
 * An item is stored row-major, its numbers `inner` apart; a symmetric matrix as its lower triangle
 * by rows. */
typedef struct mb_field {
    const char *key;       /* name in files and in bindings: "means"                          */
    int32_t     ndim;      /* dimensions, 0 to 3                                              */
    int32_t     shape[3];  /* ndim of them                                                    */
    int32_t     symmetric; /* 1: the last two dimensions are a symmetric matrix               */
    int32_t derived;   /* 1: at and step are places in the output of mb_kind::derive, not in par */
    int32_t optional;  /* 1: only there when mb_sizes::intercept is 1                     */
    int32_t absent;    /* 1: not there at these sizes; null in files                      */
    int32_t bounded;   /* 1: every number must be above `above`                           */
    double  above;     /* lower limit, exclusive                                          */
    double  improper;  /* of a prior, which may be improper: how far below `above` it may be */
    size_t  at;        /* doubles before the first item                                   */
    size_t  step;      /* doubles from one item to the next                               */
    size_t  inner;     /* doubles from one number of an item to the next; 0: 1            */
    int32_t over;      /* what its last dimension runs over: see mb_over                  */
    int32_t by_target; /* 1: its first dimension runs over the targets; of one that is a category
                          over its levels but the first                                */
    int32_t by_factor; /* 1: its first dimension runs over the factors                   */
} mb_field;
enum { MB_FIELDS_MAX = 16 /* that a kind may have */ };

/* How the run ended that a posterior is from, as far as that is known. */
typedef struct mb_run_info {
    int32_t settled;      /* 1, 0; -1: not known                                          */
    int64_t rounds;       /* made; -1: not known                                          */
    double  bound;        /* lower bound over all rows, nats, data units; NaN: not known  */
    double  weight_total; /* of all rows                                                  */
} mb_run_info;

/* One component of a mixture on two columns, data units. */
typedef struct mb_component {
    double weight;  /* expected share, 0 to 1                  */
    double mean[2]; /* of the two columns                      */
    double cov[3];  /* expected covariance: xx, xy, yy         */
} mb_component;

/* A model with its prior, as mb_kind::prior makes it. */
typedef struct mb_prior {
    mb_model    model;   /* in run units                                                         */
    double     *par;     /* textbook parameters of the prior, data units (layout.len); NULL: those
                            of the model's prior, moved there                                    */
    const char *warning; /* what people must know of it, a sentence without its full stop; NULL:
                            nothing                                                              */
} mb_prior;

/* An option that is given as numbers. */
typedef struct mb_numbers {
    const char   *name; /* of the option of the table that it wins over */
    const double *x;    /* n; NULL: not given so                        */
    size_t        n;    /* numbers that these columns and options need  */
    size_t        at;   /* offsetof the pointer in the option struct    */
} mb_numbers;
enum { MB_NUMBERS_MAX = 4 /* that a kind may have */ };

enum { MB_EMISSION_MAX = 8 /* numbers of an emission's parameter */ };
/* A number of each column in files and in bindings. */
typedef struct mb_named {
    const char *key;     /* "rate"                                                      */
    int32_t     at;      /* its place among textbook parameters, or a name below        */
    int32_t     bounded; /* 1: it must be above 0                                       */
} mb_named;
enum { MB_NAMED_MEAN = -1, MB_NAMED_VARIANCE = -2 /* derived: of mb_emission::moments */ };
/* How a component explains a value x of a column: p(x | theta) = h(x) exp(<u(theta), T(x)>), where
 * u are the sufficient statistics of theta's family. Pure functions. */
typedef struct mb_emission {
    const mb_family *family;  /* of theta, with `draw`; at dim 1 it has at most MB_EMISSION_MAX
                                numbers, in a draw too, and needs no scratch                   */
    const char      *expects; /* what a value is, for messages: "a number > 0"                  */
    /* t := T(x), in the order of u. Returns ln h(x), nats; NaN when x is no value. Data units. */
    double (*statistics)(double x, double *t);
    /* A value of p(x | theta), theta as the family draws it. */
    double (*draw)(const double *theta, mb_rng *rng);
    /* What a kind that has it among its mb_kind::emissions needs, too. */
    const mb_named    *numbers; /* of each column, ends with a NULL key                        */
    const char *const *drawn;   /* names of the numbers of a draw of theta, ends with NULL     */
    const double      *prior;   /* textbook parameters of theta, of a kind without `model`     */
    /* The expected mean of a column and its variance among the rows of a component, from textbook
     * parameters; of one with n levels the share of each and its variance. Either may be NULL. */
    void (*moments)(const double *par, int32_t n, double *mean, double *variance);
    uint32_t columns; /* those that it explains: bits 1 << mb_column_kind; 0: all          */
    /* In place of `statistics` and `draw`: whole blocks of rows at once, as the library's own
     * emissions have it (src/model/columns.h). NULL: by these two. */
    const struct mb_columns_code_ *code;
} mb_emission;

/* What follows from emissions. */
extern MB_API const struct mb_emitted mb_by_emissions;
/* Emissions of a kind: the first that takes a column explains it. */
typedef struct mb_emissions {
    const mb_emission *const *list; /* ends with NULL    */
    const struct mb_emitted  *by;   /* &mb_by_emissions  */
} mb_emissions;
/* Those whose addresses these are. */
#define MB_EMISSIONS(...)                                                                          \
    &(const mb_emissions)                                                                          \
    {                                                                                              \
        (const mb_emission *const[]){__VA_ARGS__, NULL}, &mb_by_emissions                          \
    }

/* What a private release shows of rows: sums of z z', z = (1, x, y) or (x, y), with noise. */
typedef struct mb_noisy {
    int64_t       rows;    /* exact                                                           */
    const double *moments; /* n x n, n the length of z, positive definite                     */
    double        sd;      /* of the noise: in a diagonal entry; off the diagonal over sqrt 2;
                              in the number of rows there is none                             */
} mb_noisy;

/* A kind of model. Everything is static; functions are pure. opt: a struct of opt_size bytes that
 * the table opts describes; it may come from mb_opt_defaults, the command line or C code. The
 * sizes follow from it: components, or factors, are the option n-components, the intercept is the
 * option of that name, the choices are those of `choices`, and of several targets there are as
 * many as target-column names or an option NAME.targets says. */
typedef struct mb_kind {
    const char      *name;      /* as in --model and in posterior files: "gmm"                 */
    const char      *title;     /* one line for help and reports                               */
    const char      *estimator; /* its class in bindings, "LatentClassMixture"; NULL: none     */
    const mb_opt    *opts;      /* its options, ends with a NULL name; NULL: none              */
    size_t           opt_size;  /* bytes of its option struct                                  */
    const mb_choice *choices;   /* its choices, ends with a NULL name; NULL: none              */
    /* What asks for rows in groups (mb_rows.first): an option and the second word of its choice,
     * "gmm.unit=group". "always": a group is a sequence, and rows that come without groups are one:
     * those of a node, or all where no node has them yet; mb_case::warning says so. In files: each
     * file (mb_data_opt.file_groups). NULL: nothing. */
    const char *groups;
    int32_t     targets; /* most columns, the last ones, that are explained by the others */
    int32_t     ahead;   /* 1: the rows after a group can be predicted (MB_WANT_AHEAD)   */
    /* Of sequences with components that may differ in spread alone, which centres of rows cannot
     * see: every second initialisation is made from deviations in windows of this number of rows.
     * 0: none is. */
    int32_t windows;
    int32_t factors; /* 1: rows have as many factors as the option n-components says, and no
                            components (MB_WANT_SCORES, MB_WANT_FILLED); groups of rows:
                            MB_WANT_TOPICS                                               */
    /* What the columns of rows are, all of them and in this order, ends with MB_COLUMN_KINDS; a
     * category that comes as numbers has these as its names. The option KIND.vocabulary says how
     * many categories there may be (mb_table_vocabulary). NULL: whatever there is. */
    const mb_column_kind *form;
    /* What the target is: a flag, of which MB_WANT_MEAN_VAR says the probability; a category, whose
     * inputs are numbers; a flag is a category where mb_sizes::columns has the names of its levels.
     * NULL: a number. */
    mb_column_kind (*target_kind)(const mb_sizes *s);
    int32_t gaps; /* 1: rows may have gaps (mb_rows.gaps), which are integrated out;
                                  every column has a density in run units                      */
    /* Of a mixture whose columns are independent within a component: MB_EMISSIONS(..), how they are
     * explained. `model`, `fields`, `derive`, `drawn` and `component` follow where they are not
     * there, and columns may be of the kinds that the emissions name. NULL: it is another kind, all
     * columns of which are numbers. */
    const mb_emissions *emissions;

    /* Parts of the state of a row in a sequence, such as the level of a series, ends with NULL:
     * MB_WANT_SMOOTHED and MB_WANT_FILTERED say mean and variance of each. The first is in the
     * target's units, the others in its scale alone. NULL: the states are the K components. */
    const char *const *(*state)(const mb_sizes *s);
    /* The kinds of all columns that these options are short for, "*:count", as mb_data_opt.column
     * has them, which then says none. NULL: none. */
    const char *(*declares)(const void *opt);
    /* Options behind pointers to numbers; returns how many, at most MB_NUMBERS_MAX. NULL: none. */
    int32_t (*numbers)(const void *opt, int32_t columns, mb_numbers *out);
    /* 1 when all columns need one scale. NULL: each has its own. */
    int32_t (*one_scale)(const mb_sizes *s);
    /* The units that the run computes in at these sizes, from the agreed ones (*run is a copy of
     * those): origins that must stay 0, the Jacobian of what has a density. NULL: as they are, or
     * those of the data where an emission has `statistics`. */
    void (*units)(const mb_sizes *s, mb_units *run);
    /* The model with its prior; *out is zeroed before. seen: the moments of all rows, with their
     * covariance when needs_covariance says so. MB_E_ARG names the option that is wrong as the
     * command line spells it. NULL: `model` in run units. */
    mb_status (*prior)(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err);
    /* 1 when the prior that these options ask for is made from the covariance of the rows, which
     * the network then sums and thereby reveals. NULL: never. */
    int32_t (*needs_covariance)(const void *opt);
    /* Of a kind whose start, units and prior leave out rows that are far: how many robust standard
     * deviations (mb_agree_limits); 0: none is far. NULL: never. */
    double (*trims)(const void *opt);

    /* The inverse of the link: the mean of a target at eta, for MB_WANT_RANGE. NULL: there is no
     * link. */
    double (*mean_at)(const mb_sizes *s, double eta);
    /* The model of these sizes with its default prior. MB_E_ARG names the size that is wrong. */
    mb_status (*model)(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err);
    /* The point at which every node makes its first local step, of a kind whose start is no
     * assignment of rows to components, such as noise: phi (layout.len, inside Omega). rng: of the
     * seed, the same at every node, another for each attempt. centres: of a kind that is latent,
     * those that were agreed, K rows in data units, a category as a column for each level; else
     * NULL. run: the units of phi. Nothing else is sent. Not asked where random or given
     * responsibilities or an earlier posterior are the start. NULL: responsibilities of the
     * centres, or what mb_model_ops::seed_stats says. */
    void (*phi0)(const mb_model *m, const mb_units *run, const double *centres, mb_rng *rng,
                 double *phi);
    /* The textbook parameters and what is derived from them, in the order of files; each number of
     * par belongs to one field that is not derived. Returns how many, at most MB_FIELDS_MAX. */
    int32_t (*fields)(const mb_sizes *s, mb_field *out);
    /* The numbers that follow from par, those of the derived fields without gaps; a field that has
     * no value is NaN. MB_E_DOMAIN when par is outside the domain. NULL: no field is derived. */
    mb_status (*derive)(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                        mb_err *err);
    /* One draw of the parameters (mb_random) as fields. With components each field has K items, or
     * is a number or a symmetric matrix that all components have in common. NULL: no sampling. */
    int32_t (*drawn)(const mb_sizes *s, mb_field *out);
    /* Component k from textbook parameters, which begin with those of the weights: the expected
     * mean of column x where y < 0, else the expected covariance of x and y among the rows of the
     * component. With components a run needs an initialisation, and labels and responsibilities can
     * be predicted; their order, units, initialisation and comparison follow from it. NULL, without
     * emissions: the kind has none. */
    double (*component)(const mb_sizes *s, const double *par, int32_t k, int32_t x, int32_t y);
    /* Middle and spread of the columns as the posterior of a kind without components knows them.
     * out: origin and scale (D, and those of the targets) are there to be filled, log_jacobian too.
     * NULL: 0 and 1. */
    void (*own_units)(const mb_sizes *s, const double *par, mb_units *out);
    /* Part by part (component, coefficient) what p is and what q, of the same layout, is. other: K,
     * the component of q that matches each of p. NULL: how far components are apart; without them
     * nothing. */
    mb_status (*compare)(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err);
    /* The parts of the answer for people: reports and printed results are made from them. phi may
     * be NULL. out: weight, count, mean and sd as `component` gives them, to be completed or
     * replaced, zeroed without it. NULL: they remain so, or are made of the fields. */
    mb_status (*summary)(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err);
    /* The parts of the summary are variances, each the inverse of a precision's mean, which q knows
     * too well: how many, and *at, where the natural parameters (a - 1, -b) of their gammas begin
     * in phi. Their intervals are made from the rows, by observed information. NULL: they are
     * none. */
    int32_t (*variances)(const mb_sizes *s, const mb_layout *l, size_t *at);
    /* The attributes of scikit-learn's estimator of this kind, *count of them; those that need what
     * is not known of the run are left out. MB_E_ARG without prior_par. NULL: it has none. */
    mb_status (*sklearn)(mb_arena *a, const mb_posterior *p, const mb_run_info *run, mb_array **out,
                         int32_t *count, mb_err *err);
    /* Textbook parameters of the posterior that knows the noise of these moments, and of its prior,
     * in their units, for sizes with one target. Its intervals must contain the truth as often as
     * they say. NULL: it has none, and no private release. MB_E_ARG for too few rows. */
    mb_status (*noisy)(mb_arena *a, const mb_sizes *s, const mb_noisy *from, double *par,
                       double *prior, mb_err *err);
    /* The algorithm that a network runs where none is asked for. NULL: edge. */
    const char *algorithm;
    /* Where another settles: one sentence for help. NULL where algorithm is. */
    const char *algorithm_why;
} mb_kind;

/* mb_kind::units of a kind whose columns are neither moved nor scaled. */
MB_API void mb_units_of_data(const mb_sizes *s, mb_units *run);

/* A mixture of K components over D columns that are independent within a component. alpha0:
 * Dirichlet concentration of each component. par: D textbook parameters of the family, the prior of
 * each column. Layout: dirichlet.1, then K slices of D members. A local step costs O(n K D) calls
 * of `statistics`. Predictive densities are exact, ln p(x | data) = A(phi + T(x)) - A(phi) + ln
 * h(x), up to the rounding of A. Keeps the emission's address; MB_E_ARG names what is wrong. */
MB_API mb_status mb_mixture_new(mb_arena *a, const mb_emission *emission, int32_t K, int32_t D,
                                double alpha0, const double *par, mb_model *out,
                                mb_err *err) MB_CHECKED;

/* ---- Transports ---- */

/* What a process exchanges with the owners of its rows' neighbours. Lists have the same order at
 * both ends: by the sender's node id, then the reader's. */
typedef struct mb_halo {
    int32_t        npeer;     /* processes it exchanges with                                  */
    const int32_t *peer;      /* npeer: processes, ascending                                  */
    const int32_t *ghost_ptr; /* npeer + 1: ghosts of peer k begin at ghost_ptr[k]            */
    const int32_t *read_ptr;  /* npeer + 1: rows that peer k reads begin at read[read_ptr[k]] */
    const int32_t *read;      /* local rows that peers read                                   */
    int64_t        ncross;    /* directed edges that end here and begin elsewhere             */
    const int64_t *cross_ptr; /* npeer + 1: those from peer k, positions after the local edges;
                                 as many leave for it, at leave[cross_ptr[k]]                 */
    const int64_t *leave;     /* local plane rows (i to its p-th neighbour) that peer k reads */
} mb_halo;

/* The rows this process owns, and those it only reads. Rows 0..n_local-1 are computed here, by
 * ascending node id; the ghosts after them are filled by the transport, by owner and node id.
 * Simulator: n_local = N, n_ghost = 0. Neighbours are in the order of their ids, not of their rows,
 * so sums are those of a single process. */
typedef struct mb_part {
    int32_t        n_local;  /* rows computed here                    */
    int32_t        n_ghost;  /* rows of others that are read here     */
    int32_t        n_global; /* N: nodes of the whole network         */
    const int32_t *gid;      /* row -> global node id, n_local + n_ghost */
    const int32_t *owner;    /* ghost g -> peer that owns it, n_ghost    */
    mb_graph       g;      /* n_local rows; adj holds row numbers; rev of an edge from a ghost: its
                             position after the local edges                                     */
    const int32_t *deg;    /* degree of every row, n_local + n_ghost   */
    mb_weights     w;      /* aligned with g                                                   */
    const uint8_t *border; /* n_local: 1 if a neighbour is a ghost; NULL: no ghosts          */
    mb_halo        halo;   /* zeroed for a single process                                      */
    const int32_t *turn;   /* n_local: position on the ring (mb_graph_ring); NULL: no ring      */
    /* Aligned with g.adj: MB_TO_ROOT at the neighbour in a spanning tree that is nearer its root, 1
     * at those that are farther, else 0; NULL: no tree (mb_part_whole and mb_part_share make none).
     * Borrowed. */
    const uint8_t *tree;
} mb_part;

enum { MB_TO_ROOT = 2 /* mb_part::tree, mb_node::tree, mb_tree::link */ };

/* How many messages a node makes in a round. */
typedef enum mb_fanout {
    MB_BROADCAST,    /* one, the same for all neighbours */
    MB_PER_NEIGHBOUR /* one for each neighbour           */
} mb_fanout;

/* What the 8-byte numbers of a message are. */
typedef enum mb_coding {
    MB_CODED_DOUBLES, /* float64                                                               */
    MB_CODED_INTEGERS /* unsigned integers, sums modulo 2^64 (mb_word): of fixed-point numbers, of
                         masks. Any bits may occur, so a transport may not read them as doubles,
                         round them or take some of them for errors                            */
} mb_coding;

/* Number k of a row of integers. */
static inline uint64_t mb_word(const double *row, size_t k)
{
    uint64_t word;

    memcpy(&word, row + k, sizeof word);
    return word;
}

/* Writes it. */
static inline void mb_set_word(double *row, size_t k, uint64_t word)
{
    memcpy(row + k, &word, sizeof word);
}

enum { MB_AGAIN = 2 /* mb_mail::fresh, mb_inbox::fresh */ };
/* One round's mail. A directed edge e = ptr[i] + p is "from neighbour adj[e] to node i" when it
 * is read here. The plane has a row per node (broadcast) or per directed edge (per neighbour:
 * row ptr[i] + p holds the message of node i to its p-th neighbour), ghosts behind. */
typedef struct mb_mail {
    mb_fanout      fanout; /* rows of the plane                                       */
    mb_coding      coding; /* of the numbers; set by the caller after mb_mail_new     */
    size_t         ld;     /* row stride, doubles                                     */
    size_t         len;    /* row length, doubles                                     */
    double        *plane;  /* rows x ld, 64-byte aligned                              */
    uint8_t       *sent;   /* n_local + n_ghost: 1 when the node sends this round; ours are set by
                            the caller (emit != MB_QUIET), the ghosts' by the transport       */
    const uint8_t *links;  /* ptr[n_local]: 1 on links that carry messages, both directions alike;
                            NULL: all do. Borrowed; set by the caller after mb_mail_new          */
    const double **from;   /* ptr[n_local]: newest message heard on edge e; NULL: never */
    int32_t       *age;    /* ptr[n_local]: rounds since it was sent, 0 = this round   */
    uint8_t       *fresh;  /* ptr[n_local]: 1 when it arrived this round; MB_AGAIN: none did, and
                            the newest counts again, for the sender's is nearly the same    */
    uint8_t       *leaves; /* rows of the plane and of ghosts: 1 when the message leaves, which the
                            transport tells the other processes; NULL: every one of a node that
                            sends                                                           */
    mb_traffic    *left;   /* n_local: what a round has sent, by a transport or an algorithm that
                            sends less than whole messages; NULL: all of them, whole        */
    int32_t       *words;  /* rows of the plane: numbers of the message that leave, see
                            MB_WANTS_WORDS; NULL: all                                       */
} mb_mail;
/* Rows of the plane for a fan-out, without ghosts. */
MB_API size_t mb_mail_rows(const mb_part *part, mb_fanout fanout);
/* Empty mail for messages of len doubles. */
MB_API mb_status mb_mail_new(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len,
                             mb_mail *out, mb_err *err) MB_CHECKED;

/* How reduce() joins the numbers of all processes. */
typedef enum mb_reduce {
    MB_SUM, /* their sum */
    MB_MAX, /* largest   */
    MB_MIN  /* smallest  */
} mb_reduce;

/* Called for every node of the network, by ascending id. */
typedef void (*mb_visit)(void *self, int32_t gid, const double *row);

/* A message on directed edge e between two rounds: heard already, or on its way. */
typedef struct mb_letter {
    int64_t       sent; /* round it was sent in                                 */
    int64_t       due;  /* round it is heard in; up to the last one: it was heard */
    const double *row;  /* mb_mail::len numbers                                 */
} mb_letter;

/* One exchange per round. begin() sends the local rows that others read and may return before they
 * have left; it fills from, age, fresh of the nodes without a neighbour elsewhere, end() of the
 * others (part->border). timeout_ms < 0 waits for all. reduce() and walk() serve metrics and the
 * start only: every process calls them alike and gets the same. MB_SUM is exact for whole numbers;
 * other sums are made over walk(), whose order is that of the ids, however the nodes are shared. */
typedef struct mb_transport mb_transport;
/* What a transport can do. Errors: MB_E_PEER, MB_E_IO. */
typedef struct mb_transport_ops {
    const char *scheme; /* "none", "faults", "mpi" */
    /* Sends the local rows of round t that others read; may return before they have left. */
    mb_status (*begin)(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err);
    /* Receives: fills from, age, fresh. */
    mb_status (*end)(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err);
    /* v (n numbers) joined over all processes, in place. */
    mb_status (*reduce)(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err);
    /* Shows the rows of all nodes, by ascending id. v: n_local rows of len doubles, stride ld. */
    mb_status (*walk)(mb_transport *tp, const double *v, size_t ld, size_t len, mb_visit see,
                      void *self, mb_err *err);
    /* What a later round may still read, t: the last round; keyed by the edge, so that a run
     * resumes from it on other processes. 1: *out is the first letter on edge e sent after round
     * `after` (-1: any), its row valid until the next round; 0: there is none. NULL: nothing can
     * be stored. */
    int32_t (*held)(const mb_transport *tp, int64_t t, const mb_mail *mail, int64_t e,
                    int64_t after, mb_letter *out);
    /* Puts a letter back, in the order of held(); first NULL, which empties the edge. MB_E_FORMAT
     * for rounds that cannot be. */
    mb_status (*put)(mb_transport *tp, int64_t t, mb_mail *mail, int64_t e, const mb_letter *letter,
                     mb_err *err);
    /* Releases what it holds of the system; always there. */
    void (*close)(mb_transport *tp);
} mb_transport_ops;
/* A transport in use. */
struct mb_transport {
    const mb_transport_ops *ops;   /* static                                          */
    const mb_part          *part;  /* borrowed                                        */
    void                   *self;  /* its own data                                    */
    int32_t                 lossy; /* 1: messages may be lost or late, nodes silent */
    const mb_cancel *cancel; /* ends what is done over it with MB_E_STOPPED; NULL: nobody does */
    const mb_mail   *mail;   /* that of the letters of held() and put(); NULL: the caller's */
};

/* All rows are here: the simulator. */
MB_API mb_status mb_transport_none(mb_arena *a, const mb_part *part, mb_transport *out,
                                   mb_err *err) MB_CHECKED;

/* Bytes on their way to another process, or from it. */
typedef struct mb_parcel {
    int32_t peer;  /* the other process         */
    void   *bytes; /* n of them, borrowed       */
    size_t  n;     /* how many bytes            */
} mb_parcel;

/* What it can do. */
struct mb_comm {
    int32_t rank; /* of this process, 0..size-1 */
    int32_t size; /* processes                  */
    /* The transport between the shares of a network. Collective. */
    mb_status (*link)(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                      mb_err *err);
    /* Collective: the error of the first process that has one; st where none has. */
    mb_status (*agree)(const mb_comm *c, mb_status st, mb_err *err);
    /* Bytes of process `from`, in all of them. Collective. */
    mb_status (*share)(const mb_comm *c, int32_t from, void *bytes, size_t n, mb_err *err);
    /* Sends parcels and receives others: two processes name those between them in one order, of
     * one size. Waits for the peers that are named only. MB_E_PEER, MB_E_NOMEM. */
    mb_status (*trade)(const mb_comm *c, const mb_parcel *out, int32_t nout, const mb_parcel *in,
                       int32_t nin, mb_err *err);
    void *self; /* its own data */
};

/* ---- Algorithms ---- */

/* What a node has heard by the end of a round. Arrays are in the order of the neighbours' ids. */
typedef struct mb_inbox {
    int32_t              deg;    /* neighbours                                         */
    const double *const *msg;    /* deg; newest heard, mb_algo::vectors vectors; NULL: never heard
                                 from that one                                              */
    const int32_t       *age;    /* deg; rounds since it was sent, 0 = this round       */
    const uint8_t       *fresh;  /* deg; 1 when it arrived in this round, or MB_AGAIN   */
    const double        *w;      /* deg combination weights                             */
    double               w_self; /* weight of the node's own message                  */
} mb_inbox;

/* Masks of the contributions to exact sums: what a node adds to its own words looks random to all
 * who do not hold the masks of its partners, and over all nodes they add up to 0 modulo 2^64. */
typedef struct mb_masks {
    void    *self;  /* its own data, for add */
    uint64_t epoch; /* of the run that begins: no mask of one epoch is one of another */
    /* w (n words, mb_word) += the masks of node id. Once for each contribution, which (epoch, pass)
     * names: two of them under one mask would show their difference. Different nodes in different
     * threads. 0: it would be the second one with other words, and w, not masked, may not leave;
     * 1: done. */
    int32_t (*add)(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w);
    /* Of nodes (mb_peer_opt::masks) alone, where epoch is of no use. n bytes that cannot be
     * foretold, never the same again. */
    mb_status (*random)(void *self, void *to, size_t n, mb_err *err);
    /* Masks of node id are from now on those of this record of n bytes, which its partners (ids)
     * have, too. Negative: there are none, and the node sends nothing. */
    mb_status (*begin)(void *self, int32_t id, const void *record, size_t n, const int32_t *partner,
                       int32_t partners, mb_err *err);
} mb_masks;

/* One node as an algorithm sees it: what it may touch. A vector has `len` numbers: the L =
 * layout->len numbers of the layout, then mb_algo::extra numbers of the algorithm's own. */
typedef struct mb_node {
    const mb_layout *layout;  /* of the first L numbers                          */
    size_t           len;     /* L + extra: of phi, phi_star, aux, edge and each vector of a
                                 message                                         */
    const void      *opt;     /* the algorithm's options, read-only             */
    int64_t          t;       /* round, from 1; 0 in init and open              */
    int32_t          id;      /* of the node in the network, 0..n-1                  */
    int32_t          deg;     /* neighbours                                         */
    const int32_t   *nbr_deg; /* deg: degrees of the neighbours                 */
    const double    *rho;     /* deg: stiffness of each edge, 0: not in use; NULL: of the degrees */
    const uint8_t   *tree;    /* deg: 1 at neighbours in the tree, MB_TO_ROOT at the one that is
                                 nearer to the root; NULL: no tree (mb_part::tree)        */
    double           scale;   /* N of eq. (15)                                      */
    const double    *prior;   /* L: phi without data; phi* = prior + N statistics   */
    const double    *most;    /* L: as mb_problem::most; NULL: not known            */
    const mb_masks  *masks;   /* as mb_problem::masks; NULL: none                   */
    double          *phi;     /* len: the node's estimate; before init the prior, then zeros */
    double       *extra; /* mb_algo::extra: behind phi_star; the node's to write, zero at first */
    const double *mu;    /* L: grad A at phi, see MB_WANTS_MU; else NULL */
    const double *at; /* L: the phi of mu where mb_model_ops::straighten made another; NULL: phi */
    double        bound;     /* see MB_WANTS_BOUND; else of no use             */
    int32_t      *words;     /* deg, in emit: see MB_WANTS_WORDS; NULL: messages leave whole */
    double       *aux;       /* naux * len: duals, caches; zero at first       */
    double       *edge;      /* deg * nedge * len, neighbour-major; zero at first */
    double       *memo;      /* mb_algo::memo numbers; zero at first           */
    double       *scratch;   /* len + layout->scratch                          */
    int32_t       turn;      /* place on the ring of a method that MB_NEEDS_RING, else 0 */
    int32_t       outside;   /* 1 while phi_star is held because phi was outside Omega */
    mb_on_domain  on_domain; /* policy for a phi outside Omega            */
    const double *eps;       /* layout->nblock: margins of the projection      */
    int64_t      *projected; /* count of projections at this node            */
} mb_node;

/* What a run must provide: for the right fixed point of the method, and for its functions. */
enum {
    MB_NEEDS_EVERY_MSG = 1, /* a late or lost message biases it for good: refused on a lossy net */
    MB_NEEDS_RING = 2,   /* a cyclic path through all nodes: refused where mb_part::turn is NULL */
    MB_NEEDS_NO_MSG = 4, /* its nodes send nothing, so no node waits for messages */
    /* mb_node::mu = grad A, eq. (10a), at the phi of the node's last local step inside Omega: in
     * emit phi itself, unless the node is outside, or mb_node::at, where the model straightens it.
     * Before the first local step it is at the prior.
     * Costs mb_moments a step, O(D^3) a component (nothing in rounds whose bound is wanted), and a
     * plane. */
    MB_WANTS_MU = 8,
    /* A spanning tree: refused where mb_part::tree is NULL and there is more than one node. Only
     * links of the tree carry messages: rows of the others are not read, are not counted, and
     * their mb_inbox::msg is NULL. */
    MB_NEEDS_TREE = 16,
    /* mb_node::bound = L_i(phi) of eq. (15), nats, at the node's last local step; NaN before the
     * first one and outside Omega. Costs mb_moments a step. */
    MB_WANTS_BOUND = 32,
    /* emit says in mb_node::words how many numbers of each message leave, 0: none; whatever it
     * says, the neighbour that hears anything hears the whole row. With MB_PER_NEIGHBOUR. */
    MB_WANTS_WORDS = 64,
    /* A phi outside Omega, or at which a number is not finite, is one that the algorithm takes
     * back: the node is outside there, whatever the policy, and the run continues. */
    MB_TAKES_BACK = 128
};

/* What leaves an algorithm's answer as it is: at rest it is that of central VB, whatever of this
 * happened on the way. An algorithm that bears all three runs on the nodes of a mesh, mb_peer. */
enum {
    MB_BEARS_LOSS = 1,   /* messages that are lost, late or repeated                            */
    MB_BEARS_SPEEDS = 2, /* nodes of their own speeds: no round number is common                */
    MB_BEARS_CHURN = 4,  /* nodes and links that come and go; needs mb_algo::mesh               */
    MB_BEARS_CHANGES = 8 /* in place of a message one heard before that is nearly the same      */
};

/* What the network knows of itself when the options that say "auto" are settled. */
typedef struct mb_net_facts {
    int32_t n;             /* nodes                                                            */
    int32_t hops;          /* H: hops from the lowest node id to the farthest node             */
    double  lambda2;       /* second-largest eigenvalue modulus of the combination weights     */
    int64_t delay;         /* largest delay of a message, rounds                               */
    int32_t lossy;         /* 1 when messages may be lost, nodes silent or messages late       */
    int32_t overshoots;    /* mb_model_ops::overshoots                                         */
    double  tree_mean;     /* distance of two nodes in the tree (mb_part::tree), hops: mean over all
                              ordered pairs, also of a node and itself                         */
    int32_t tree_diameter; /* hops of the longest path in that tree                            */
} mb_net_facts;

/* What a node of a mesh knows when it settles the options of its algorithm. */
typedef struct mb_mesh_facts {
    int32_t hops;     /* H, as the node knows it                                            */
    int32_t together; /* 1: H was given, and the node begins with all others                */
    double  kappa;    /* mb_peer_opt.kappa; 0: automatic                                    */
    double  eta;      /* mb_peer_opt.eta; 0: automatic                                      */
} mb_mesh_facts;

enum {
    MB_MESH_OPT = 40 /* the most bytes of mb_algo::opt_size of an algorithm with mb_mesh_ops */
};
/* What a node of a mesh asks of its algorithm beside the functions of a round: the algorithm
 * averages the x = (phi* - prior)/N of all nodes, and has one vector z for each edge. Pure
 * functions, none NULL.
 *
 * A round is restiffen, absorb, the local step, emit, with nd->rho the stiffness of each edge, and
 * without nbr_deg and tree. absorb finds no message that is fresh: hear has taken them when they
 * arrived; deg of its inbox is that of the edges in use, and their age is in the node's ticks.
 * init, which makes the result of round 1, and step are not NULL; emit writes deg messages, is not
 * quiet after round 1, and leaves s, the node's estimate of the mean of all x, in nd->scratch. To
 * an edge not yet in use, z = 0, it says what that end takes as its z: nd->rho is half there.
 * Before there is a genesis a node averages numbers that are no model's by emit alone, in round 2,
 * with scale 1 and without a prior. extra is 0: the mesh has numbers of its own behind phi; open,
 * cycle, ready and vectors are NULL, and messages are doubles. */
typedef struct mb_mesh_ops {
    size_t  kappa; /* place in the options of kappa, a double above 0, which the frames say     */
    int32_t naux;  /* vectors of mb_node::aux, whatever the options                             */
    /* 1: at rest s and z - rho s of all edges add up to the node's x, as of EDGE (docs/math.md,
     * section 4). Then what frames say is bounded by the rows of the network, and members audit
     * each other. */
    int32_t flows;
    /* The options of a node, at first and whenever the facts change. */
    void (*settle)(void *opt, const mb_mesh_facts *facts);
    /* Of an edge to a node that says kappa, above 0 and the same at both ends; mine, theirs: edges
     * in use at these. */
    double (*stiffness)(const void *opt, double kappa, int32_t mine, int32_t theirs);
    /* Message m has arrived over an edge in use. The first one, before, became z. */
    void (*hear)(const void *opt, const double *m, size_t len, double *z);
    /* Edges are rho stiff (deg; 0: not in use, z is 0) from now on, instead of nd->rho. */
    void (*restiffen)(mb_node *nd, const double *s, const double *rho);
    /* N becomes `scale`: nd->scale, and phi = prior + (N'/N)(phi - prior), phi* and what is
     * compared with it likewise. prior: len, that of phi*. */
    void (*rescale)(mb_node *nd, double scale, const double *prior, double *phi_star);
    /* The node's rows have changed, or (1) it was away: the next round says nothing of the last. */
    void (*event)(mb_node *nd, int32_t restart);
} mb_mesh_ops;

/* What results say of a run: a number of mb_node::memo, joined over all nodes. */
typedef struct mb_count {
    const char *name;  /* in files: "old"                                */
    const char *title; /* for reports: "messages of other passes"        */
    int32_t     at;    /* its place in memo                              */
    mb_reduce   how;   /* joins those of the nodes                       */
} mb_count;

/* What a pass costs. */
typedef struct mb_pass {
    int64_t rounds;   /* of the network */
    int64_t messages; /* of all nodes */
} mb_pass;

/* A distributed algorithm: a table of pure functions and of what they need. Functions return MB_OK
 * or an error that ends the run. */
typedef struct mb_algo {
    const char   *name;  /* "dsvb"                                              */
    const char   *title; /* one line for help and reports                       */
    const char   *label; /* as in figures: "dSVB"; NULL: the name               */
    const mb_opt *opts;  /* its options ("dsvb.tau"), ends with a NULL name; NULL: none */
    /* For help: what it does, assumes and costs, what it is not for, and its sources. Paragraphs
     * end with a newline. NULL: the title says it. */
    const char *about;
    size_t      opt_size;  /* bytes of its option struct                          */
    mb_fanout   fanout;    /* emit writes 1 or deg messages (msg: deg rows)       */
    mb_coding   coding;    /* of the numbers of a message                         */
    unsigned    needs;     /* MB_NEEDS_*, MB_WANTS_* */
    unsigned    bears;     /* MB_BEARS_*                                          */
    int32_t     consensus; /* 1: its nodes are meant to agree at rest            */
    int32_t     memo;      /* numbers of mb_node::memo: what a node counts or remembers */
    /* Numbers after the L of the layout in phi, phi_star, aux, edge and each vector of a message,
     * which only the algorithm reads and writes (a count, a weight); phi's must stay finite. */
    int32_t extra;
    /* Vectors of a message, >= 1, after tune; NULL: 1. Vector k of a row begins at k * len. */
    int32_t (*vectors)(const void *opt);
    /* Further vectors of state per node, after tune; NULL: none. */
    int32_t (*naux)(const void *opt);
    /* Further vectors of state per neighbour, after tune; NULL: none. */
    int32_t (*nedge)(const void *opt);
    /* Settle the options that are automatic (NaN). NULL: nothing to settle. */
    mb_status (*tune)(void *opt, const mb_net_facts *net, mb_err *err);
    /* 1: contributions are masked, and mb_node::masks must be there; after tune. NULL: never. */
    int32_t (*masked)(const void *opt);
    /* Rounds from one local step of a node to the next, after tune; NULL: 1. The step is made in
     * the rounds t with t mod cycle = turn; in the others it is held, and phi must stay. */
    int64_t (*cycle)(const void *opt);
    /* Instead of cycle, for a node that waits for a message: 1 when what it waits for is there, and
     * the local step is made in the round nd->t; else it is held, and phi must stay. A pure
     * function, asked after absorb, several times. nd: opt, t, deg, memo alone. Not with
     * MB_NEEDS_NO_MSG. NULL: by cycle. */
    int32_t (*ready)(const mb_node *nd);
    /* The part of the way to its target that a node went in the round nd->t, in (0, 1]: the
     * stopping rule divides by it; NaN: says nothing. nd: opt, t, deg, memo alone. NULL: 1. */
    double (*step)(const mb_node *nd);

    /* Optional, once, before anything is exchanged: phi_star is the first phi*. Where the local
     * step is held, it is there up to absorb of round 1: a bound that is asked for before the first
     * local step leaves phi* at phi instead. */
    mb_status (*init)(mb_node *nd, const double *phi_star, mb_err *err);
    /* Optional, once: the neighbours' first phi are in the inbox (an opening exchange of phi is
     * made only for algorithms that have this): doubles, in the first vector of the message. */
    mb_status (*open)(mb_node *nd, const mb_inbox *in, mb_err *err);

    /* First half: consume phi_star, update phi and aux, write the message(s). msg: one row, or deg
     * rows of stride ld. MB_QUIET: nothing to send, neighbours keep what they have. */
    mb_status (*emit)(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err);
    /* Second half: consume the neighbours' messages. msg is our own. */
    mb_status (*absorb)(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err);
    /* Optional, for algorithms with MB_NEEDS_NO_MSG, after the local step of each round: *bound is
     * L_i(phi) of eq. (15), nats, and -infinity where phi is outside Omega or a number is not
     * finite. 1: phi is taken back; phi, phi_star and *bound are those of an earlier round again.
     * NULL: each phi is taken as it is. */
    int32_t (*judge)(mb_node *nd, double *phi_star, double *bound);
    /* Optional, after tune: one pass over all nodes where nothing is lost, of a method whose nodes
     * wait for sums of all. */
    mb_pass (*pass)(const void *opt);
    const mb_count    *counts; /* at most MB_COUNTS, then a NULL name; NULL: none */
    const mb_mesh_ops *mesh;   /* NULL: it cannot run on the nodes of a mesh */
} mb_algo;

/* An algorithm that sends phi itself calls this after writing it: projects phi onto Omega, eq.
 * (38b), when the policy is MB_PROJECT and counts it. (The loop projects after absorb by itself.)
 * MB_E_NUMERIC when phi is not finite. Cost: O(D^3) a component. */
MB_API mb_status mb_node_project(mb_node *nd, mb_err *err);

/* ---- Runs ---- */

/* What a run works on; read-only during it but for `fixed`, and borrowed. */
typedef struct mb_problem {
    const mb_model *model; /* with its prior                             */
    const mb_algo  *algo;  /* what the nodes do                          */
    const void     *opt;   /* the algorithm's options, tuned               */
    const mb_part  *part;  /* the network                                */
    const mb_rows  *rows;  /* n_local views                                */
    double          scale; /* N of eq. (15): replicas of local data        */
    /* L: no statistic of the rows of all nodes is larger in size; INFINITY: not known. NULL: none
     * is known. The same in all processes. */
    const double   *most;
    const mb_masks *masks; /* of an algorithm that is mb_algo::masked; NULL: none. Borrowed */
    mb_transport   *tp; /* carries the messages, joins what is measured. NULL: mb_transport_none */
    /* n_local x L, of a model with fixed_stats: the statistics of each node, the first number NaN
     * until a step has made them; later runs and steps on the same rows read them. NULL: each run
     * has its own. */
    double *fixed;
} mb_problem;

/* All node state, structure of arrays: row i of a plane is node i's vector (stride ld doubles). */
typedef struct mb_state {
    size_t      ld;       /* >= len, rows 64-byte aligned                                   */
    size_t      len;      /* of a vector: L + mb_algo::extra                                */
    int64_t     t;        /* rounds done                                                    */
    int32_t     naux;     /* vectors of mb_node::aux                                           */
    int32_t     nedge;    /* vectors of mb_node::edge of each neighbour                        */
    int32_t     nmemo;    /* numbers of mb_node::memo                                          */
    double     *phi;      /* n_local x ld                                                   */
    double     *phi_star; /* n_local x ld: the last one, kept while a node is frozen        */
    double     *mu;    /* n_local x ld: grad A at the last phi inside Omega; NULL: no MB_WANTS_MU */
    double     *at;    /* n_local x ld: that phi, straightened; NULL: nothing is, or no mu       */
    double     *aux;   /* n_local x naux x ld                                            */
    double     *edge;  /* ptr[n_local] x nedge x ld                                      */
    double     *memo;  /* n_local x nmemo                                                */
    double     *bound; /* n_local: L_i(phi_i) of eq. (15), nats; NaN outside Omega or not asked */
    uint8_t    *outside;   /* n_local: 1 while phi is outside Omega (after the last round)   */
    int64_t    *frozen;    /* n_local: freezes so far                                        */
    int64_t    *projected; /* n_local: projections so far                                    */
    mb_mail     mail;      /* of the round                                                     */
    mb_traffic *by;        /* n_local: what each node sent so far                               */
    mb_traffic  sent;      /* the same of all nodes of this process                             */
} mb_state;

/* Something that is stored for a restart of a run besides its state: for every row i of this
 * process `pieces` times `bytes` at at + piece * piece_stride + i * stride; stride 0: once, the
 * same on all processes. bytes: a multiple of 8. */
typedef struct mb_checkpoint_item {
    const char *name;         /* of the thing, in messages                                        */
    void       *at;           /* borrowed                                                         */
    size_t      bytes;        /* of a piece                                                       */
    size_t      stride;       /* from row to row; 0: once                                         */
    int64_t     pieces;       /* of a row, >= 1                                                   */
    size_t      piece_stride; /* from piece to piece */
    int32_t     fixed; /* 1: rows are not restored but must be the same: what the run stands on  */
    int32_t     of_links; /* 1: of the links of rows: the piece of link e at at + e * stride  */
} mb_checkpoint_item;
enum { MB_CHECKPOINT_ITEMS = 10 /* things of one observer at most */ };

/* Units of a fit that are over, by name: what it does not compute again after an interruption
 * (mb_checkpoint_put). Both are called by every process, for the same units in the same order. */
typedef struct mb_store {
    void *self; /* their first argument */
    /* Reads n numbers; MB_QUIET: none are stored. */
    mb_status (*get)(void *self, const char *name, double *x, size_t n, mb_err *err);
    /* Stores n numbers. */
    mb_status (*put)(void *self, const char *name, const double *x, size_t n, mb_err *err);
} mb_store;

/* Looks at a run between rounds: metrics, trace, stopping. */
typedef struct mb_observer {
    void   *self;        /* its own data                                         */
    int64_t every;       /* rounds; >= 1. The last round is always seen. */
    int32_t wants_bound; /* 1: state->bound (run units) is filled in the rounds it is due */
    /* MB_STOP ends the run with success. The state is read-only. */
    mb_status (*see)(void *self, const mb_problem *p, const mb_state *s, mb_err *err);
    /* What later looks depend on: fills out (MB_CHECKPOINT_ITEMS at most), returns how many. NULL:
     * nothing. */
    int32_t (*keep)(void *self, mb_checkpoint_item *out);
} mb_observer;

/* The stopping rule at its last check: every tenth round; of one node alone every second. */
typedef struct mb_stop_state {
    int32_t still;   /* 1: no node has moved, and all messages needed have arrived since          */
    int32_t settled; /* 1: still, or at the rounding limit, and within MB_SETTLED                */
    int32_t rounding; /* 1: not still, but rounding keeps the moving nodes from coming closer    */
    int32_t checks;   /* number of centralised steps so far                                     */
    double  level;    /* largest distance of a moving node, posterior standard deviations; 0: no
                         node moves, or not all were measured                                    */
    int64_t more;  /* rounds until `level` falls to the tolerance, at the rate of the last half of
                        the run; -1: not known, or it does not fall                               */
    double  moved; /* mb_central_check at the last centralised step; NaN: no such step          */
    double  disagreement; /* mb_disagreement at that step; NaN: no such step                    */
} mb_stop_state;

/* ---- Stages of a fit ---- */

/* This process's share of a network and the transport that connects it to the others. */
typedef struct mb_local_part {
    const mb_network *net;  /* borrowed                                   */
    const mb_comm    *comm; /* borrowed; NULL: one process                */
    mb_part           part; /* this process's nodes                       */
    mb_transport      tp;   /* reliable; points to part: do not copy or move a place */
} mb_local_part;

/* Shares the nodes over the processes of comm (NULL: one), with few links between them where the
 * build has METIS, else by blocks of ids, and connects them. Collective. MB_E_ARG: more processes
 * than nodes. */
MB_API mb_status mb_place_make(mb_arena *a, const mb_network *net, const mb_comm *comm,
                               mb_local_part *out, mb_err *err) MB_CHECKED;
/* Closes the transport; safe on a zeroed place. */
MB_API void mb_place_close(mb_local_part *place);

/* A breadth-first tree of the network: the root is the lowest node id, the parent of another node
 * its neighbour of lowest id that is one hop nearer to the root. In the arena of its maker. */
typedef struct mb_tree {
    const uint8_t *link;  /* aligned with g.adj: as mb_part::tree                                 */
    const int32_t *depth; /* n_local + n_ghost: hops from the root                                */
    const int32_t *order; /* n_local: local rows by depth, then id                                */
    const int32_t *at;    /* hops + 2: rows of depth d are order[at[d]] .. order[at[d + 1] - 1]   */
    int64_t        links; /* links of the tree, both directions                                   */
    int32_t        hops;  /* H: from the root to the farthest node; 0 for one node                */
    int32_t        diameter; /* hops of the longest path in the tree                              */
    double         mean; /* distance of two nodes in the tree, hops: mean over all ordered pairs,
                            also of a node and itself                                             */
    struct mb_exact_ *exact; /* sums over it are of integers; NULL: in double precision           */
} mb_tree;

/* Where most rows are, for a start that rows far out cannot move (docs/math.md, section 17): a row
 * is far when the mean of ((x - middle)/reach)^2 over its columns is above 1. */
typedef struct mb_limits {
    int32_t d;      /* columns; 0: no row is far                                      */
    double *middle; /* d: median                                                      */
    double *reach;  /* d: > 0; 0: the column has no say                                */
} mb_limits;

/* Constants of a case that were agreed before, as those of a mesh (genesis.h). Borrowed. */
typedef struct mb_case_given {
    const mb_units *run;       /* units of the run                           */
    const mb_model *model;     /* with its prior, run units                  */
    const double   *prior_par; /* textbook parameters of the prior, data units */
} mb_case_given;

/* Values that rows do not have. */
typedef struct mb_gaps {
    int64_t cells;    /* without a value                        */
    int64_t rows;     /* with at least one of them              */
    int64_t empty;    /* of these: without any value, weight 0  */
    double  jacobian; /* mb_gaps_jacobian in the units of the run */
} mb_gaps;

/* The rows at their nodes, the common units, the model and its prior: what all algorithms and all
 * initialisations have in common. */
typedef struct mb_case {
    mb_local_part        *place;        /* network, this process's share of it, transport        */
    const mb_kind        *kind;         /* of the model                                          */
    const struct mb_case *nodes;        /* central case: the case of the nodes; else NULL         */
    mb_table              table;        /* rows by the network's nodes, target last; with gaps
                                          those without any value have weight 0                  */
    mb_rows              *data;         /* n_local views of them, data units                     */
    mb_rows              *rows;         /* n_local, run units                                     */
    mb_row_moments        seen;         /* of all rows, with limits of those that are not far;
                                          cov when the kind's prior sees it                      */
    mb_limits             limits;       /* d = 0: no row is far, or nobody asked (mb_kind::trims) */
    mb_units              agreed;       /* common origin and scale (mb_common_units); with
                                          mb_case_opt::given those of the run                    */
    mb_units              run;          /* units of the run                                       */
    int32_t               raw;          /* mb_case_opt::raw                                       */
    const mb_bounds      *bounds;       /* mb_case_opt::bounds; NULL: none                        */
    mb_sizes              size;         /* of the model                                           */
    mb_model              model;        /* in run units                                           */
    double               *prior_par;    /* textbook parameters of its prior, data units           */
    const char           *warning;      /* about the prior (mb_prior), or that rows without groups
                                           were taken as sequences; NULL: none                    */
    double                weight_total; /* of all rows                                            */
    mb_gaps               gaps;         /* of all rows                                            */
    mb_tree               tree;         /* of the network; the place's part borrows it            */
    mb_traffic            sent;         /* by this process's nodes for tree and moments           */
} mb_case;

/* Agrees on a tree and common units, copies this process's rows into them and makes the model.
 * Collective. kind_opt: as the kind's table describes it; NULL, as for opt: defaults.
 * MB_E_FORMAT for a column whose values differ by less than 4e-100 or without any, MB_E_NOSUP
 * for groups or gaps that the model cannot have, MB_E_ARG for a group at two nodes, an earlier
 * answer of another kind, size or names of columns. O(rows). Sets place->part.tree: a outlives
 * place. */
MB_API mb_status mb_case_make(mb_arena *a, mb_local_part *place, const mb_table *table,
                              const mb_kind *kind, const void *kind_opt, const mb_case_opt *opt,
                              mb_case *out, mb_err *err) MB_CHECKED;
/* The posterior phi (run units) in data units, with its names and prior. order: of its components
 * (K); NULL: the canonical one. MB_E_DOMAIN when phi is outside Omega. Not ready to predict:
 * mb_posterior_ready makes it so, unless double precision cannot hold it in its own units. */
MB_API mb_status mb_case_posterior(mb_arena *a, const mb_case *c, const double *phi,
                                   const int32_t *order, mb_posterior *out, mb_err *err) MB_CHECKED;

enum { MB_WATCHERS = 10 /* observers of a session at most */ };
/* One run: open, seed or load a checkpoint, watch, run, end, close. It owns its memory, which is
 * freed whole. Observers point into it: it must not be moved. */
typedef struct mb_session {
    const mb_case *c;        /* borrowed                                                          */
    mb_method      how;      /* copied; what it points to is borrowed                             */
    mb_arena      *own;      /* memory of the run; observers may use it                           */
    mb_arena  *parent_arena; /* memory of the case, freed with the session; NULL: it has its own  */
    void      *opt;          /* the algorithm's options, settled                                  */
    mb_problem problem;      /* what mb_run, metrics and checkpoints work on                      */
    mb_masks  *masks;        /* simulated, of problem.masks; NULL: none                           */
    mb_state   state;        /* of the nodes                                                      */
    mb_transport  faults;    /* over the place's transport where faults are simulated             */
    mb_transport  changes;   /* over these where only changes are sent                            */
    mb_stop_state stand;     /* as the stopping rule saw it last                                  */
    int32_t       stopped;   /* 1: the stopping rule ended the run                                */
    int32_t     finished_early; /* 1: mb_case_best or mb_session_prune ended it: no state to save */
    mb_observer obs[MB_WATCHERS]; /* in the order they were added                             */
    int32_t     nobs;             /* how many                                                 */
} mb_session;
/* Settles the algorithm's options and makes the state before the first round. */
MB_API mb_status mb_session_open(const mb_case *c, const mb_method *how, mb_session *out,
                                 mb_err *err) MB_CHECKED;
/* mb_case_seed into the state. */
MB_API mb_status mb_session_seed(mb_session *s, const mb_start *start, int32_t attempt,
                                 mb_err *err) MB_CHECKED;
/* Adds an observer; what it points to is borrowed. MB_E_ARG when there are MB_WATCHERS already. */
MB_API mb_status mb_session_watch(mb_session *s, const mb_observer *obs, mb_err *err) MB_CHECKED;
/* Adds the stopping rule (mb_stop_new), which ends no run before round `from`; tol 0: none. */
MB_API mb_status mb_session_stop(mb_session *s, double tol, int64_t from, mb_err *err) MB_CHECKED;
/* Runs to the last round or until an observer ends it; again: resumes, unless s->stopped.
 * MB_E_STOPPED: asked by mb_transport.cancel; the state is that of the last round. */
MB_API mb_status mb_session_run(mb_session *s, mb_err *err) MB_CHECKED;

/* The lower bound over all rows after the last round, nats, data units, as a node has it: the mean
 * over the nodes in Omega of mb_state::bound, which is in run units. NaN where no observer asked
 * for the bound of that round, without a node in Omega, and where other processes have nodes.
 * O(nodes), O(rows) with weights or gaps. */
MB_API double mb_session_bound_now(const mb_session *s);

/* The outcome, in the session's arena. Collective. One local step a node. */
MB_API mb_status mb_session_end(mb_session *s, mb_outcome *out, mb_err *err) MB_CHECKED;
/* Frees the session; safe on a zeroed struct. */
MB_API void mb_session_close(mb_session *s);

/* The stages that a fit went through. They must not be moved. */
typedef struct mb_fit_stages {
    mb_pool      *pool;    /* threads                                                       */
    mb_local_part place;   /* of the nodes                                                  */
    mb_case       nodes;   /* the case of the nodes                                         */
    mb_case       central; /* of central VB; zeroed when it was not needed                  */
    mb_session    session; /* the run whose result is taken                                 */
} mb_fit_stages;

#ifdef __cplusplus
}
#endif
#endif
