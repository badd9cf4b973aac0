/* blocks.c - rows that follow each other in memory and rows of a list fill a block of every kernel
 * with the same bits, and a block whose rows are not listed knows which they are. */
#include "arena.h"
#include "base/rows.h"
#include "gen.h"
#include "model/estep.h"
#include "test.h"

enum { COLUMNS = 35, BEFORE = 3, BLOCKS = 3 };

static mb_estep_ view(const mb_kernel_ *kernel, int32_t D)
{
    mb_estep_ g;

    mb_rows_carve_(&g, kernel, 1, D, doubles(mb_rows_scratch_(1, D)));
    return g;
}

/* Rows of ld numbers, of which D count. */
static mb_rows drawn(int32_t D, size_t ld, int64_t n)
{
    mb_rng  r = gen_rng((uint64_t)D);
    double *x = doubles((size_t)n * ld);

    for (size_t i = 0; i < (size_t)n * ld; i++)
        x[i] = mb_rng_normal(&r);
    return (mb_rows){.x = x, .n = n, .d = D, .ld = ld};
}

static int32_t padded(int32_t rows)
{
    return (rows + MB_LANES_MAX - 1) / MB_LANES_MAX * MB_LANES_MAX;
}

/* The lanes after the rows weigh nothing. */
static void assert_filled(const mb_estep_ *g, const mb_rows *rows)
{
    for (int32_t l = 0; l < g->rows; l++) {
        const double *x = rows->x + (size_t)mb_estep_row_(g, l) * rows->ld;

        for (int32_t i = 0; i < g->D; i++)
            assert_memory_equal(&g->z[i * g->block + l], x + i, sizeof *x);
    }
    for (int32_t l = g->rows; l < padded(g->rows); l++)
        assert_true(g->w[l] >= 0 && g->w[l] <= 0);
}

TEST(a_block_has_the_rows_that_follow_each_other)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int v = 0; kernel[v]; v++)
        for (int32_t D = 1; D <= COLUMNS; D++)
            for (int32_t wide = 0; wide < 2; wide++) {
                mb_estep_     g = view(kernel[v], D);
                const mb_rows rows = drawn(D, (size_t)(D + wide), BLOCKS * g.block - D);
                int64_t       next = 0;

                for (int64_t from = 0; next < rows.n; from = next) {
                    next = mb_estep_fill_(&g, &rows, next);
                    assert_int_equal(next - from, g.rows);
                    assert_int_equal(mb_estep_row_(&g, 0), from);
                    assert_int_equal(mb_estep_row_(&g, g.rows - 1), next - 1);
                    for (int32_t l = 0; l < g.rows; l++)
                        assert_true(g.w[l] >= 1 && g.w[l] <= 1);
                    assert_filled(&g, &rows);
                }
            }
}

/* Every third row has weight 0. */
TEST(a_block_has_the_rows_of_positive_weight)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int v = 0; kernel[v]; v++)
        for (int32_t D = 1; D <= COLUMNS; D++) {
            mb_estep_ g = view(kernel[v], D);
            mb_rows   rows = drawn(D, (size_t)D, BLOCKS * g.block - D);
            double   *w = doubles((size_t)rows.n);
            int64_t   j = 0;

            for (int64_t i = 0; i < rows.n; i++)
                w[i] = i % 3 ? 0.5 + (double)(i % 7) : 0;
            rows.w = w;
            for (int64_t next = 0; next < rows.n;) {
                next = mb_estep_fill_(&g, &rows, next);
                for (int32_t l = 0; l < g.rows; l++, j++) {
                    j += !(w[j] > 0);
                    assert_int_equal(mb_estep_row_(&g, l), j);
                    assert_true(g.w[l] >= w[j] && g.w[l] <= w[j]);
                }
                assert_filled(&g, &rows);
            }
        }
}

/* A block that had rows of weight 1 takes others, and the other way round. */
TEST(a_block_forgets_the_rows_before)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int v = 0; kernel[v]; v++) {
        mb_estep_     g = view(kernel[v], 2);
        const mb_rows ones = drawn(2, 2, g.block), few = mb_rows_part(&ones, 0, 13);
        mb_rows       heavy = ones;
        double       *w = doubles((size_t)heavy.n);

        for (int64_t i = 0; i < heavy.n; i++)
            w[i] = 2;
        heavy.w = w;
        for (int turn = 0; turn < BEFORE; turn++) {
            const mb_rows *rows[BEFORE] = {&ones, &heavy, &few};

            for (int i = 0; i < BEFORE; i++) {
                const mb_rows *now = rows[(i * (turn + 1)) % BEFORE];
                const double   want = now->w ? 2 : 1;

                assert_int_equal(mb_estep_fill_(&g, now, 0), now->n);
                for (int32_t l = 0; l < g.rows; l++)
                    assert_true(g.w[l] >= want && g.w[l] <= want);
                assert_filled(&g, now);
            }
        }
    }
}

RUN_TESTS(arena_up, arena_down)
