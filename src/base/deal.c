/* deal.c - random orders, and rows that are dealt to nodes. */
#include "base/deal.h"

void mb_random_order(mb_rng *rng, int64_t n, int64_t *order)
{
    for (int64_t r = 0; r < n; r++)
        order[r] = r;
    for (int64_t r = n - 1; r > 0; r--) {
        int64_t other = (int64_t)mb_rng_below(rng, (uint64_t)r + 1);
        int64_t swapped = order[r];

        order[r] = order[other];
        order[other] = swapped;
    }
}

mb_status mb_deal_(mb_arena *a, uint64_t seed, int32_t N, int64_t n, int64_t ngroup,
                   const int64_t *first, int32_t **node, mb_err *err)
{
    const int64_t units = first ? ngroup : n;
    mb_rng        rng = mb_rng_at(seed, MB_STREAM_DEAL, 0, 0);
    int64_t      *order;

    MB_NEW(order, a, n + 1, err);
    MB_NEW(*node, a, n + 1, err);
    mb_random_order(&rng, units, order);
    for (int64_t k = 0; k < units; k++) {
        const int64_t from = first ? first[order[k]] : order[k];
        const int64_t end = first ? first[order[k] + 1] : from + 1;

        for (int64_t j = from; j < end; j++)
            (*node)[j] = (int32_t)(k % N);
    }
    return MB_OK;
}
