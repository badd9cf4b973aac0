/* meshbayes/expfam.h - exponential families in natural form, and the layout of a
 * message: q(theta) = prod_b h(z_b) exp(<phi_b, u(z_b)> - A_b(phi_b)), eq. (7).
 *
 * Symmetric matrices are stored as svec: lower triangle, row by row, off-diagonal entries
 * times sqrt(2). Then <.,.> of two flat vectors is the trace inner product and the 2-norm
 * is the Frobenius norm, so code that knows nothing of blocks (combine, ADMM, residuals,
 * KL) is exact on the flat vector. */
#ifndef MESHBAYES_EXPFAM_H
#define MESHBAYES_EXPFAM_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* K means that share one precision: Lambda ~ Wishart(nu, W), mu_k | Lambda ~ N(m_k, (beta_k
 * Lambda)^-1). dim = mb_tied_dim(D, K): the K means are parts [-beta_k/2, -beta_k m_k/sqrt 2],
 * followed by [(nu-D-1+K)/2, svec(-T/2)], T = W^-1 + sum_k beta_k m_k m_k'. Omega is nu > D-1 and
 * beta, W^-1 > 0; project maximises the dual function of the nearest point, O(D^3 + K D^2) a step.
 * dim = D: the normal-Wishart in another order.
 * A row x of which component k has r_k adds r_k [-1/2, -x/sqrt 2] to part k and, to the rest,
 * [1/2, svec(-x x'/2)] times sum_k r_k. par = parts [beta, m (D)], then [nu, lower triangle of W^-1
 * by rows]. Paper order: phi. A draw is [means (K x D), lower triangle of the covariance Lambda^-1
 * by rows]. */
extern MB_API const mb_family mb_tied_wishart;
enum { MB_TIED_MOST = 131072 /* means that share a precision */ };
/* D below 16384, K up to MB_TIED_MOST; 0: not possible. */
MB_API int32_t mb_tied_dim(int32_t D, int32_t K);

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
/* v_g, g >= 0. */
MB_API double mb_dof_at(int32_t g);
/* A rate lambda, whatever dim: phi = [a - 1, -b]. A count x with this rate adds r [x, -1] where it
 * has a value. par = [a, b]. Paper order: phi; columns may change. A draw is lambda. */
extern MB_API const mb_family mb_gamma;
/* The same for a lambda in the unit of its column, squared: the prior precision of the column's
 * coefficient, in units of the noise's. */
extern MB_API const mb_family mb_gamma_squared;

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

/* `count` consecutive slices of the message. A slice is a product of `members` independent members
 * of one family, one after the other: usually 1, or one for each of some columns, of any sizes. */
typedef struct mb_block {
    const mb_family *family;    /* static                                      */
    int32_t          dim;       /* of each member; 0: they differ              */
    const int32_t   *dims;      /* members: of each, if they differ; else NULL */
    int32_t          members;   /* of each slice                               */
    int32_t          count;     /* slices                                      */
    const int32_t   *column;    /* members: the first column of each; NULL: 0  */
    size_t           off;       /* first slice, doubles from the beginning     */
    size_t           len;       /* of each slice, doubles                      */
    size_t           paper_len; /* of each slice in the paper's order          */
} mb_block;

enum { MB_MAX_BLOCKS = 16 /* of a layout */ };
/* The meaning of the doubles of a message: a sequence of blocks. */
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
/* The first block of a family; NULL: there is none. */
MB_API const mb_block *mb_layout_find(const mb_layout *l, const mb_family *f);
/* The block of the weights of K components; NULL: there is none. */
MB_API const mb_block *mb_layout_weights(const mb_layout *l, int32_t K);
/* The layout as text, "dirichlet.1:2*1; normal-wishart.1:1*2" (dim*count), with the number of parts
 * where there are some ("tied-normal-wishart.1:1/2*1"); at most cap bytes with the final 0. */
MB_API void mb_layout_text(const mb_layout *l, char *buf, size_t cap);

/* The following functions are generic: they work for every family; p, q, phi, par and mu have
 * length l->len. mu = E[u] = grad A(phi), eq. (10a), and A(phi), nats, over all blocks; either may
 * be NULL. scratch: l->scratch. MB_E_DOMAIN when phi is outside Omega, eq. (8); the error names the
 * block and slice. Cost: O(D^3) per component. */
MB_API mb_status mb_moments(const mb_layout *l, const double *phi, double *mu, double *A,
                            double *scratch, mb_err *err) MB_CHECKED;
/* The same for a prior, which may be improper (mb_family::improper): the mu of such a slice is 0,
 * as it has none. */
MB_API mb_status mb_prior_moments(const mb_layout *l, const double *prior, double *mu, double *A,
                                  double *scratch, mb_err *err) MB_CHECKED;
/* Moves phi to the nearest point (2-norm) of Omega shrunk by eps, eq. (38b). eps: one number per
 * block (mb_margin). *dist2: squared distance moved, all blocks. scratch: l->scratch. MB_E_NUMERIC
 * when phi is not finite. Cost: eigenvalues, O(D^3) per component. */
MB_API mb_status mb_project(const mb_layout *l, const double *eps, double *phi, double *dist2,
                            double *scratch, mb_err *err) MB_CHECKED;
/* eps[b] for each block: the smallest margin of the prior's slices. scratch: l->scratch.
 * MB_E_DOMAIN when the prior is outside Omega and not improper as mb_family::improper has it. */
MB_API mb_status mb_margin(const mb_layout *l, const double *prior, double *eps, double *scratch,
                           mb_err *err) MB_CHECKED;
/* KL(p||q) = <p-q, mu(p)> - A(p) + A(q), nats. scratch: l->len + l->scratch.
 * MB_E_DOMAIN when p or q is outside Omega. */
MB_API mb_status mb_kl(const mb_layout *l, const double *p, const double *q, double *kl,
                       double *scratch, mb_err *err) MB_CHECKED;
/* Textbook parameters of phi, slice by slice as each family documents. scratch: l->scratch.
 * MB_E_DOMAIN when phi is outside Omega. */
MB_API mb_status mb_to_par(const mb_layout *l, const double *phi, double *par, double *scratch,
                           mb_err *err) MB_CHECKED;
/* Doubles that mb_random writes. */
MB_API size_t mb_random_len(const mb_layout *l);
/* One draw of all parameters from the posterior with textbook parameters par: the draws of the
 * slices one after the other, mb_random_len(l) numbers. scratch: l->scratch. MB_E_NOSUP for a
 * family without draws, MB_E_DOMAIN when par is outside. */
MB_API mb_status mb_random(const mb_layout *l, const double *par, mb_rng *rng, double *out,
                           double *scratch, mb_err *err) MB_CHECKED;
/* phi from textbook parameters, as mb_to_par has them. MB_E_DOMAIN when par is outside. */
MB_API mb_status mb_from_par(const mb_layout *l, const double *par, double *phi,
                             mb_err *err) MB_CHECKED;
/* The coordinates of phi (mb_family::to_free). scratch: l->scratch. MB_E_DOMAIN when phi is outside
 * Omega. Cost: O(D^3) per component. */
MB_API mb_status mb_to_free(const mb_layout *l, const double *phi, double *free, double *scratch,
                            mb_err *err) MB_CHECKED;
/* phi of such coordinates, which are lost; prior: as phi. MB_E_DOMAIN: no doubles hold it. */
MB_API mb_status mb_from_free(const mb_layout *l, const double *prior, double *free, double *phi,
                              mb_err *err) MB_CHECKED;
/* Textbook parameters of the same posterior after the columns become origin + scale * x, in place.
 * origin, scale: one number per column. Families without move_par are left unchanged. */
MB_API void mb_move_par(const mb_layout *l, const double *origin, const double *scale, double *par);
/* phi in the paper's order, eq. (45), length l->paper_len, after the same change of columns (origin
 * and scale NULL: none). scratch: l->scratch. phi may be outside Omega. */
MB_API void mb_to_paper(const mb_layout *l, const double *phi, const double *origin,
                        const double *scale, double *out, double *scratch);

/* Exchangeable components. A block belongs to components when it has K slices (component k is slice
 * k), is the one of their weights (component k is entry k), or has one member of K parts (component
 * k is part k). Sticks are no exchangeable weights: permute such a message only by the identity,
 * and match its components so.
 * The doubles that each component has in the block, 0 if it does not belong to components; *at:
 * where those of the first are in the message, which the others follow. */
MB_API size_t mb_block_components(const mb_block *b, int32_t K, size_t *at);
/* out = p with component k taken from component perm[k]; p: phi, par or mu. out may not alias p. */
MB_API void mb_permute(const mb_layout *l, int32_t K, const int32_t *perm, const double *p,
                       double *out);
/* p without component `gone`, in the layout of K - 1 components (a block that belongs to components
 * has one less). prior NULL: p are textbook parameters, of which nothing else changes; given: both
 * are natural parameters, and the statistics of both are in component `keep`,
 * p_keep + p_gone - prior_keep. out may not alias p. */
MB_API void mb_merge_components(const mb_layout *l, int32_t K, int32_t keep, int32_t gone,
                                const double *prior, const double *p, double *out);
/* cost[k*K + c] = -<component c of q, mu component k>: KL(p || q permuted by perm) =
 * const + sum_k cost[k*K + perm[k]], because A(q) does not change. mu = mu(p). Where the weights
 * have an order, the identity costs 0 and anything else 1e290 and more. */
MB_API void mb_match_cost(const mb_layout *l, int32_t K, const double *mu, const double *q,
                          double *cost);

#ifdef __cplusplus
}
#endif
#endif
