/* base/deal.h - random orders, and rows that are dealt to nodes. */
#ifndef MB_BASE_DEAL_H
#define MB_BASE_DEAL_H

#include "meshbayes/meshbayes.h"

/* A uniform random permutation of 0..n-1. */
void mb_random_order(mb_rng *rng, int64_t n, int64_t *order);
/* The node of each of n rows, dealt at random: as many for each of N nodes or one more (stream
 * MB_STREAM_DEAL). Groups (first: ngroup + 1 rows, the last one n; NULL: none) are dealt whole. */
mb_status mb_deal_(mb_arena *a, uint64_t seed, int32_t N, int64_t n, int64_t ngroup,
                   const int64_t *first, int32_t **node, mb_err *err) MB_CHECKED;

#endif
