/* fit/private.h - one release of second moments with noise, and the posterior that knows the noise.
 * docs/math.md, section 32. */
#ifndef MB_FIT_PRIVATE_H
#define MB_FIT_PRIVATE_H

#include "meshbayes/extend.h"
#include "num/privacy.h"

enum {
    MB_PRIVATE_FEWEST = 3,
    MB_PRIVATE_MOST = 1024 /* nodes, each of which masks for all others */
};

/* A release as it is known before any row is read. Its numbers are those of columns that are moved
 * and scaled by their bounds to [-1, 1]. */
typedef struct mb_privacy {
    mb_promise promise;
    double     mu;          /* what it costs                                                      */
    double     sensitivity; /* of the moments, svec order, when one row is replaced               */
    double     sd;          /* of the noise of all nodes in each; off the diagonal over sqrt 2    */
    double     unit;        /* of the whole numbers in which it is drawn                          */
    int64_t    share;       /* standard deviation of what a node draws, units                     */
    int32_t    n, constant; /* order of the moments; 1: their first row is of the constant 1      */
} mb_privacy;

/* Sizes of a kind that has a posterior which knows the noise (mb_kind::noisy); MB_E_ARG for others,
 * and for an epsilon outside (0, MB_EPSILON_MOST], a delta outside (0, 1), both too small, and a
 * number of nodes or colluders that cannot be. */
mb_status mb_privacy_make(const mb_kind *kind, const mb_sizes *size, const mb_promise *promise,
                          mb_privacy *out, mb_err *err) MB_CHECKED;
/* Numbers of the moments: n(n + 1)/2. */
size_t mb_privacy_len(const mb_privacy *p);
/* sums (mb_privacy_len): the moments of the rows of a node, clipped to the bounds, as whole numbers
 * of units; each row is rounded. Weights do not count. MB_E_NUMERIC for a value that is missing,
 * MB_E_ARG for more rows than whole numbers have room for. O(rows n^2). */
mb_status mb_privacy_sums(mb_arena *a, const mb_privacy *p, const mb_rows *rows,
                          const mb_bounds *bounds, int64_t *sums, mb_err *err) MB_CHECKED;
/* sums += the noise of a node, but the number of rows, which is public; on one machine they may be
 * shown afterwards. */
mb_status mb_privacy_add_noise(mb_arena *a, const mb_privacy *p, const mb_entropy *from,
                               int64_t *sums, mb_err *err) MB_CHECKED;
/* The posterior of sums with noise, ready to predict, with the reference prior in the units of the
 * bounds; its columns have no names of their own. *raised: eigenvalues below sd, raised to it. */
mb_status mb_privacy_posterior(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                               const mb_privacy *p, const mb_bounds *bounds, int64_t rows,
                               const int64_t *sums, mb_posterior *out, int32_t *raised,
                               mb_err *err) MB_CHECKED;

/* What is to be expected of a release before it is made. */
typedef struct mb_foreseen {
    double  with, without; /* standard deviation of an input's coefficient, units of the bounds */
    int32_t raised;        /* eigenvalues that would be raised if the noise itself were 0       */
} mb_foreseen;
/* Where inputs are independent, they and the target have this standard deviation (halves of their
 * range) around the middle, and the inputs explain r2 of the target. */
mb_status mb_privacy_foresee(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                             const mb_privacy *p, int64_t rows, double spread, double r2,
                             mb_foreseen *out, mb_err *err) MB_CHECKED;

/* What nodes know beside their rows: how they are linked, masks of each two of them, and where each
 * has its random bytes from. */
typedef struct mb_private_nodes {
    mb_local_part    *place; /* place->part.tree is set */
    const mb_masks   *masks; /* whose epoch no other sum has had */
    const mb_entropy *from;  /* part.n_local */
    mb_tree           tree;  /* mb_private_nodes_link */
    mb_traffic        sent;  /* by the nodes of this process */
} mb_private_nodes;
/* The tree, before anything is known of rows; it is in the arena. Collective. */
mb_status mb_private_nodes_link(mb_arena *a, mb_private_nodes *nodes, mb_err *err) MB_CHECKED;
/* One exact sum over the tree: each node adds its noise and its masks to its sums (own: n_local x
 * mb_privacy_len) and to the number of its rows (n_local), and sums (mb_privacy_len) and *total are
 * those of all nodes, with all their noise, the same at every node. The first byte of rows leaves
 * here, once. Collective. */
mb_status mb_private_nodes_sum(mb_arena *a, const mb_privacy *p, mb_private_nodes *nodes,
                               int64_t *own, const int64_t *rows, int64_t *sums, int64_t *total,
                               mb_err *err) MB_CHECKED;

#endif
