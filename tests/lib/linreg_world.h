/* linreg_world.h - a world with a linear regression: every node sees inputs of its own place, row
 * weights differ. */
#ifndef MB_TEST_LINREG_WORLD_H
#define MB_TEST_LINREG_WORLD_H

#include "linreg_data.h"
#include "test.h"
#include "world.h"

/* Nothing is latent: a start is the statistics. */
static inline void linreg_world_start(world *w)
{
    const size_t n = (size_t)w->net->part.n_local, len = w->model.layout.len;
    double      *scratch = mb_alloc(w->a, mb_local_scratch(&w->model), sizeof *scratch);
    mb_err       err;

    w->star = mb_alloc(w->a, n * len, sizeof *w->star);
    for (size_t i = 0; i < n; i++)
        must(mb_seed_step(&w->model, &w->rows[i], (double)n, NULL, w->star + i * len, scratch,
                          &err));
}

static inline world *linreg_world_of(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                                     int32_t rows, const mb_linreg_opt *o)
{
    world  *w = mb_alloc(a, 1, sizeof *w);
    mb_err  err;
    int32_t n;

    assert_non_null(w);
    *w = (world){.a = a, .net = world_net(a, text, seed, rule)};
    n = w->net->part.n_local;
    must(mb_linreg_new(a, o, &w->model, &err));
    w->rows = mb_alloc(a, (size_t)n, sizeof *w->rows);
    for (int32_t i = 0; i < n; i++) {
        double *x = mb_alloc(a, (size_t)rows * LR_COLUMNS, sizeof *x);
        double *weight = mb_alloc(a, (size_t)rows, sizeof *weight);

        lr_rows(seed, i, rows, x);
        for (int32_t j = 0; j < rows; j++)
            weight[j] = 0.5 * ((i + j) % 4);
        w->rows[i] = (mb_rows){.x = x, .w = weight, .n = rows, .d = LR_COLUMNS, .ld = LR_COLUMNS};
    }
    linreg_world_start(w);
    return w;
}

static inline world *linreg_world(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                                  int32_t rows)
{
    const mb_linreg_opt o = mb_linreg_defaults(LR_D, 1);

    return linreg_world_of(a, text, rule, seed, rows, &o);
}

#endif
