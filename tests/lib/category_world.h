/* category_world.h - a world with a softmax regression: levels overlap, every node sees inputs of
 * its own place, row weights differ. */
#ifndef MB_TEST_CATEGORY_WORLD_H
#define MB_TEST_CATEGORY_WORLD_H

#include "linreg_world.h"
#include "meshbayes/meshbayes.h"
#include "model/model.h"
#include "test.h"

enum { CATEGORY_LEVELS = 3 };

/* The target of the regression's rows, cut into levels with an error of its own. */
static inline void category_rows(uint64_t seed, int32_t node, int32_t rows, double *x)
{
    mb_rng r = mb_rng_at(seed, MB_STREAM_SAMPLE, 9, (uint64_t)node);

    lr_rows(seed, node, rows, x);
    for (int32_t j = 0; j < rows; j++) {
        double *y = x + (j + 1) * LR_COLUMNS - 1;

        *y += mb_rng_normal(&r);
        *y = *y < -1 ? 0 : *y < 1 ? 1 : 2;
    }
}

static inline world *category_world(mb_arena *a, const char *text, mb_rule rule, uint64_t seed,
                                    int32_t rows)
{
    world     *w = linreg_world(a, text, rule, seed, rows);
    mb_glm_opt o = mb_glm_defaults(LR_D, 1);

    o.link = MB_LINK_MULTINOMIAL;
    o.levels = CATEGORY_LEVELS;
    o.lambda0 = 1;
    must(mb_glm_new(a, &o, &w->model, NULL));
    for (int32_t i = 0; i < w->net->part.n_local; i++) {
        double *x = mb_alloc(a, (size_t)rows * LR_COLUMNS, sizeof *x);

        category_rows(seed, i, rows, x);
        w->rows[i].x = x;
    }
    linreg_world_start(w);
    return w;
}

#endif
