/* counts_world.h - a world with the model that counts: every node one row of counts, no
 * two alike. */
#ifndef MB_TEST_COUNTS_WORLD_H
#define MB_TEST_COUNTS_WORLD_H

#include "counts.h"
#include "test.h"
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

/* With phi* fixed every node ends within tol of the exact mean, whatever is lost or late. */
static inline void expect_mean_under_faults(mb_arena *a, const mb_algo *algo, const char *text,
                                            int64_t rounds, double tol)
{
    const mb_faults fault[] = {
        {.seed = 1},
        {.loss = 0.5, .seed = 2},
        {.loss_directed = 0.5, .seed = 3},
        {.silent = 0.3, .seed = 4},
        {.delay = 3, .seed = 5},
        {.loss = 0.2, .loss_directed = 0.2, .silent = 0.1, .delay = 2, .seed = 6},
    };
    const world *w = counts_world(a, text, MB_METROPOLIS);

    for (size_t k = 0; k < sizeof fault / sizeof *fault; k++) {
        run *r = world_run(w, algo, "", &fault[k]);

        must(world_go(r, rounds, 1, NULL, 0));
        assert_true(farthest(r, w->cvb) < tol);
    }
}

#endif
