/* expfam/expfam.h - what the loop and files do with natural parameters, beside extend.h. */
#ifndef MB_EXPFAM_H
#define MB_EXPFAM_H

#include "meshbayes/extend.h"

/* D below 16384, K up to MB_TIED_MOST; 0: not possible. */
int32_t mb_tied_dim(int32_t D, int32_t K);

/* v_g, g >= 0. */
double mb_dof_at(int32_t g);

/* The first block of a family; NULL: there is none. */
const mb_block *mb_layout_find(const mb_layout *l, const mb_family *f);
/* The block of the weights of K components, the first that may be them; NULL: there is none. */
const mb_block *mb_layout_weights(const mb_layout *l, int32_t K);
/* The layout as text, "dirichlet.1:2*1; normal-wishart.1:1*2" (dim*count), with the number of parts
 * where there are some ("tied-normal-wishart.1:1/2*1"); at most cap bytes with the final 0. */
void mb_layout_text(const mb_layout *l, char *buf, size_t cap);

/* mb_moments for a prior, which may be improper (mb_family::improper): the mu of such a slice is
 * 0, as it has none. */
mb_status mb_prior_moments(const mb_layout *l, const double *prior, double *mu, double *A,
                           double *scratch, mb_err *err) MB_CHECKED;
/* eps[b] for each block: the smallest margin of the prior's slices. scratch: l->scratch.
 * MB_E_DOMAIN when the prior is outside Omega and not improper as mb_family::improper has it. */
mb_status mb_margin(const mb_layout *l, const double *prior, double *eps, double *scratch,
                    mb_err *err) MB_CHECKED;
/* Doubles that mb_random writes. */
size_t mb_random_len(const mb_layout *l);
/* One draw of all parameters from the posterior with textbook parameters par: the draws of the
 * slices one after the other, mb_random_len(l) numbers. scratch: l->scratch. MB_E_NOSUP for a
 * family without draws, MB_E_DOMAIN when par is outside. */
mb_status mb_random(const mb_layout *l, const double *par, mb_rng *rng, double *out,
                    double *scratch, mb_err *err) MB_CHECKED;
/* The coordinates of phi (mb_family::to_free). scratch: l->scratch. MB_E_DOMAIN when phi is outside
 * Omega. Cost: O(D^3) per component. */
mb_status mb_to_free(const mb_layout *l, const double *phi, double *free, double *scratch,
                     mb_err *err) MB_CHECKED;
/* phi of such coordinates, which are lost; prior: as phi. MB_E_DOMAIN: no doubles hold it. */
mb_status mb_from_free(const mb_layout *l, const double *prior, double *free, double *phi,
                       mb_err *err) MB_CHECKED;
/* Textbook parameters of the same posterior after the columns become origin + scale * x, in place.
 * origin, scale: one number per column. Families without move_par are left unchanged. */
void mb_move_par(const mb_layout *l, const double *origin, const double *scale, double *par);
/* phi in the paper's order, eq. (45), length l->paper_len, after the same change of columns (origin
 * and scale NULL: none). scratch: l->scratch. phi may be outside Omega. */
void mb_to_paper(const mb_layout *l, const double *phi, const double *origin, const double *scale,
                 double *out, double *scratch);

/* Exchangeable components. A block belongs to components when it has K slices (component k is slice
 * k, in a square block entry k of each, too), is the one of their weights (component k is entry k),
 * or has one member of K parts (component k is part k). Sticks are no exchangeable weights: permute
 * such a message only by the identity, and match its components so.
 * The doubles that each component has in the block, 0 if it does not belong to components; *at:
 * where those of the first are in the message, which the others follow. */
size_t mb_block_components(const mb_layout *l, const mb_block *b, int32_t K, size_t *at);
/* out = p with component k taken from component perm[k]; p: phi, par or mu. out may not alias p. */
void mb_permute(const mb_layout *l, int32_t K, const int32_t *perm, const double *p, double *out);
/* p without component `gone`, in the layout of K - 1 components (a block that belongs to components
 * has one less). prior NULL: p are textbook parameters, of which nothing else changes; given: both
 * are natural parameters, and the statistics of both are in component `keep`,
 * p_keep + p_gone - prior_keep; of a square block in its row and its column. out may not alias
 * p. */
void mb_merge_components(const mb_layout *l, int32_t K, int32_t keep, int32_t gone,
                         const double *prior, const double *p, double *out);
/* cost[k*K + c] = -<component c of q, mu component k>: KL(p || q permuted by perm) =
 * const + sum_k cost[k*K + perm[k]], because A(q) does not change. mu = mu(p). Where the weights
 * have an order, the identity costs 0 and anything else 1e290 and more. Of a square block only the
 * diagonal counts here: the rest depends on pairs of components. */
void mb_match_cost(const mb_layout *l, int32_t K, const double *mu, const double *q, double *cost);
/* Where there is a square block: exchanges two components in perm as long as that lowers
 * KL(p || q permuted), with all of the block. O(K^3) a sweep. No exchange of two is better then; of
 * all permutations another may be. */
void mb_match_exchange(const mb_layout *l, int32_t K, const double *mu, const double *q,
                       const double *cost, int32_t *perm);

#endif
