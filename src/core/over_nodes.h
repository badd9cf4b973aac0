/* over_nodes.h - sums and extremes over all nodes of the network, in whatever process they are. */
#ifndef MB_CORE_OVER_NODES_H
#define MB_CORE_OVER_NODES_H

#include "meshbayes/extend.h"

/* Calls see() for every node, by ascending id, with its row of v (n_local rows, stride ld). */
mb_status mb_over_nodes_(const mb_problem *p, const double *v, size_t ld, size_t len, mb_visit see,
                         void *self, mb_err *err) MB_CHECKED;
/* Reduces v over all processes, in place; MB_SUM for whole numbers only. */
mb_status mb_over_all_(const mb_problem *p, mb_reduce op, double *v, int32_t n,
                       mb_err *err) MB_CHECKED;
/* Sums counts of rows, whole numbers, over all processes that have rows of the problem. */
mb_status mb_over_rows_(const mb_problem *p, double *v, int32_t n, mb_err *err) MB_CHECKED;
/* mb_central_check in the caller's memory: all (n_local x (L + 1)), after (L + 1), scratch
 * (mb_local_scratch). */
mb_status mb_central_check_in_(const mb_problem *p, const double *phi, double *all, double *after,
                               double *scratch, double *moved, double *bound,
                               mb_err *err) MB_CHECKED;
/* 1: the network is one node, whose phi* is the centralised step from its phi. */
int mb_is_stepped_(const mb_problem *p, const mb_state *s);
/* What a step from phi to `after` moves, at most: |after - phi|/max(1, |phi|). */
double mb_moved_(size_t len, const double *phi, const double *after);

#endif
