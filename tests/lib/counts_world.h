/* counts_world.h - a world with the model that counts: every node one row of counts, no
 * two alike. */
#ifndef MB_TEST_COUNTS_WORLD_H
#define MB_TEST_COUNTS_WORLD_H

#include "counts.h"
#include "world.h"

static inline world *counts_world(mb_arena *a, const char *text, mb_rule rule)
{
    world  *w = mb_alloc(a, 1, sizeof *w);
    int32_t n;

    assert_non_null(w);
    *w = (world){.a = a, .net = world_net(a, text, 1, rule), .model = counts_model()};
    n = w->net->part.n_local;
    w->rows = mb_alloc(a, (size_t)n, sizeof *w->rows);
    w->star = mb_alloc(a, (size_t)n * COUNTS_K, sizeof *w->star);
    for (int32_t i = 0; i < n; i++) {
        double *x = mb_alloc(a, COUNTS_K, sizeof *x);

        for (int k = 0; k < COUNTS_K; k++) {
            x[k] = 1 + (k ? (7 * i + 3 * k) % 5 : i) + 10 * (k == i % COUNTS_K);
            w->star[i * COUNTS_K + k] = n * x[k];
        }
        w->rows[i] = (mb_rows){.x = x, .n = 1, .d = COUNTS_K, .ld = COUNTS_K};
    }
    world_solve(w);
    return w;
}

#endif
