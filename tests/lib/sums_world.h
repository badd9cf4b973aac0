/* sums_world.h - a mesh that draws its genesis from sums, and what the block must be: moments of
 * all rows in two passes of long double. */
#ifndef MB_TEST_SUMS_WORLD_H
#define MB_TEST_SUMS_WORLD_H

#include "mesh_fit.h"
#include "test.h"

/* A mixture of other rows than those of fits.h. */
static inline void up_table(world *w, const char *topology, const mb_table *table)
{
    *w = (world){0};
    (void)mixture(&w->gmm);
    case_of(w, topology, table, &mb_kind_gmm, &w->gmm);
    nodes_up(w, &w->gmm, MB_GENESIS_SUMS);
}

/* Ticks until all nodes that are there have one block, at most `most`. */
static inline int drawn(world *w, void (*tick)(mesh *m), int most)
{
    for (int t = 1; t <= most; t++) {
        uint64_t run = 0;
        int      same = 1;

        tick(&w->m);
        for (int32_t i = 0; i < w->net.n; i++) {
            const uint64_t own = mesh_look(&w->m, i).run;

            if (w->m.down == 1 + i)
                continue;
            run = run ? run : own;
            same &= own && own == run;
        }
        if (same)
            return t;
    }
    return most + 1;
}

typedef struct moments {
    long double weight, mean[3], cov[3][3]; /* of at most three columns */
} moments;

/* Of the rows of the nodes with use[i], in two passes. */
static inline moments of_all(const world *w, const uint8_t *use)
{
    const int32_t D = w->plan.columns < 3 ? w->plan.columns : 3;
    moments       out = {0};

    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < w->net.n; i++)
            for (int64_t j = 0; j < w->c.data[i].n && (!use || use[i]); j++) {
                const mb_rows    *r = &w->c.data[i];
                const long double weight = r->w ? (long double)r->w[j] : 1;

                out.weight += pass ? 0 : weight;
                for (int32_t a = 0; a < D; a++) {
                    const long double x = (long double)mb_rows_at(r, j, a);

                    out.mean[a] += pass ? 0 : weight * x;
                    for (int32_t b = 0; b < D && pass; b++)
                        out.cov[a][b] += weight * (x - out.mean[a]) *
                                         ((long double)mb_rows_at(r, j, b) - out.mean[b]);
                }
            }
        for (int32_t a = 0; a < D; a++) {
            out.mean[a] /= pass ? 1 : out.weight;
            for (int32_t b = 0; b < D && pass; b++)
                out.cov[a][b] /= out.weight - 1;
        }
    }
    return out;
}

static inline void assert_within(double got, long double expected, long double scale)
{
    if (!(fabsl((long double)got - expected) <= 1e-9L * scale))
        fail_msg("got %.17g, expected %.17Lg within 1e-9 of %Lg", got, expected, scale);
}

/* scale: the power of two nearest to sd; origin: the mean, to 1/64 of it. */
static inline void assert_units(const mb_genesis *g, const moments *all)
{
    for (int32_t d = 0; d < g->columns; d++) {
        const long double sd = sqrtl(all->cov[d][d]);

        assert_true(ldexp(1, ilogb(g->run.scale[d])) >= g->run.scale[d]);
        assert_true((double)sd / g->run.scale[d] > .7 && (double)sd / g->run.scale[d] < 1.42);
        assert_true(fabsl((long double)g->run.origin[d] - all->mean[d]) <=
                    (long double)g->run.scale[d] / 128 * 1.001L);
    }
}

static const double *array(const mb_genesis *g, const char *name, size_t *n)
{
    mb_array *all;
    int32_t   count;

    OK(mb_kind_arrays(arena, g->kind, &g->size, g->prior_par, &all, &count, &err));
    for (int32_t k = 0; k < count; k++)
        if (!strcmp(all[k].name, name)) {
            *n = 1;
            for (int32_t d = 0; d < all[k].ndim; d++)
                *n *= (size_t)all[k].shape[d];
            return all[k].x;
        }
    fail_msg("no array %s", name);
    return NULL;
}

/* scikit-learn's prior: mean and covariance of all rows, D degrees of freedom. */
static inline void assert_prior(const mb_genesis *g, const moments *all)
{
    const int32_t D = g->columns;
    size_t        nm, nw;
    const double *m = array(g, "means", &nm), *v = array(g, "w_inverse", &nw);

    assert_int_equal(nm, K * D);
    assert_int_equal(nw, K * D * D);
    for (int32_t k = 0; k < K; k++)
        for (int32_t a = 0; a < D; a++) {
            assert_within(m[k * D + a], all->mean[a], fabsl(all->mean[a]) + sqrtl(all->cov[a][a]));
            for (int32_t b = 0; b < D; b++)
                assert_within(v[(k * D + a) * D + b], all->cov[a][b],
                              sqrtl(all->cov[a][a] * all->cov[b][b]));
        }
}

/* Each centre is a row of the data, and no two are the same. */
static inline void assert_centres(const world *w, const mb_genesis *g)
{
    const size_t D = (size_t)g->columns;

    assert_int_equal(g->start_len, K * D);
    for (size_t k = 0; k < K; k++) {
        int is_row = 0;

        for (int32_t i = 0; i < w->net.n; i++)
            for (int64_t j = 0; j < w->c.data[i].n; j++)
                is_row |= !memcmp(w->c.data[i].x + (size_t)j * w->c.data[i].ld, g->start + k * D,
                                  D * sizeof *g->start);
        assert_true(is_row);
        for (size_t l = 0; l < k; l++)
            assert_memory_not_equal(g->start + k * D, g->start + l * D, D * sizeof *g->start);
    }
}

static inline void assert_block(const world *w, int32_t node, const uint8_t *use)
{
    const mb_genesis *g = mb_peer_block(w->m.peer[node]);
    const moments     all = of_all(w, use);

    assert_non_null(g);
    assert_units(g, &all);
    assert_prior(g, &all);
    assert_centres(w, g);
}

#endif
