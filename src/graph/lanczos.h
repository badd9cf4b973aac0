/* graph/lanczos.h - extreme eigenvalues of large sparse matrices of a network. */
#ifndef MB_GRAPH_LANCZOS_H
#define MB_GRAPH_LANCZOS_H

#include "meshbayes/graph.h"

/* A symmetric matrix on the nodes: diagonal and off-diagonal entries on the edges. */
typedef struct mb_sparse {
    const mb_graph *g;
    const double   *diag; /* n                */
    const double   *edge; /* aligned with adj */
    const double   *lead; /* n: unit eigenvector that is left out */
} mb_sparse;

/* Smallest and largest eigenvalue of the matrix on the vectors orthogonal to lead, by Lanczos
 * iteration (n >= 2). *exact = 0 when the work limit ends it: the true ends lie outside then. */
mb_status mb_lanczos_(mb_arena *a, const mb_sparse *s, double *lo, double *hi, int32_t *exact,
                      mb_err *err) MB_CHECKED;

/* y = diag x + edge x. */
void mb_sparse_times_(const mb_graph *g, const double *diag, const double *edge, const double *x,
                      double *y);
/* How many products a statistic may take: a second or so of work, at least 64. */
int64_t mb_work_limit_(const mb_graph *g);
/* A random vector, the same every time, of length n. */
void mb_random_vector_(int32_t n, double *x);

#endif
