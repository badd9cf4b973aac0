/* genesis_world.h - plans, samples and cases with a genesis, for its tests. */
#ifndef MB_TEST_GENESIS_WORLD_H
#define MB_TEST_GENESIS_WORLD_H

#include "fits.h"
#include "test.h"

enum { WORLD_D = 12 };
static const char *const world_column[WORLD_D] = {"x1", "a long name", "x3", "x4",  "x5",  "x6",
                                                  "x7", "x8",          "x9", "x10", "x11", "y"};

typedef struct world {
    mb_gmm_kind    gmm;
    mb_linreg_kind linreg;
    mb_plan        plan;
} world;

static inline void gmm_world(world *w, int32_t k, int32_t columns)
{
    *w = (world){.gmm = {0}};
    OK(mb_opt_defaults(mb_kind_gmm.opts, &w->gmm, &err));
    w->gmm.n_components = k;
    w->plan = (mb_plan){.kind = &mb_kind_gmm,
                        .kind_opt = &w->gmm,
                        .columns = columns,
                        .column = world_column,
                        .seed = 5,
                        .from = MB_GENESIS_SAMPLE};
}

static inline void linreg_world(world *w, int32_t intercept, int32_t columns)
{
    *w = (world){.gmm = {0}};
    OK(mb_opt_defaults(mb_kind_linreg.opts, &w->linreg, &err));
    w->linreg.intercept = intercept;
    w->plan = (mb_plan){.kind = &mb_kind_linreg,
                        .kind_opt = &w->linreg,
                        .columns = columns,
                        .column = world_column,
                        .seed = 5,
                        .from = MB_GENESIS_SAMPLE};
}

/* n rows, far from the origin, each column in units of its own. */
static inline mb_rows world_rows(int64_t n, int32_t columns)
{
    mb_rng  r = gen_rng(11);
    double *x = doubles((size_t)(n * columns));

    for (int64_t l = 0; l < n * columns; l++)
        x[l] = 1000 + (double)(1 + l % columns) * mb_rng_normal(&r);
    return (mb_rows){.x = x, .n = n, .d = columns, .ld = (size_t)columns};
}

static inline mb_genesis of_sample(const world *w, int64_t n)
{
    const mb_rows rows = world_rows(n, w->plan.columns);
    mb_genesis    g;

    OK(mb_genesis_of_sample(arena, arena, &w->plan, &rows, &g, &err));
    return g;
}

/* The block in the arena. */
static inline unsigned char *encoded(mb_genesis *g, const world *w, size_t *n)
{
    const size_t   room = mb_genesis_bytes(&w->plan);
    unsigned char *out = mb_alloc(arena, room, 1);

    assert_non_null(out);
    OK(mb_genesis_encode(g, out, room, n, &err));
    assert_int_equal(*n, room);
    return out;
}

#endif
