/* reach.c - components that do not reach a row are skipped by every kernel; the bits are those of
 * sums that skip nothing, which are computed with so few components that nothing is. */
#include "arena.h"
#include "gen.h"
#include "kernel/kernel.h"
#include "test.h"

enum { K = MB_MANY_K + 19, FEW = 10, COLUMNS = 20, HAND = 7 };

static mb_estep_ view(const mb_kernel_ *kernel, mb_form_ form, int32_t components, int32_t D)
{
    const mb_how_ how = {.kernel = kernel, .form = form};
    mb_estep_     g;

    mb_estep_carve_(&g, &how, components, D, doubles(mb_estep_scratch_(components, D)));
    return g;
}

static int32_t padded(int32_t rows)
{
    return (rows + MB_LANES_MAX - 1) / MB_LANES_MAX * MB_LANES_MAX;
}

static void weigh(mb_estep_ *g, int32_t rows, int unit)
{
    g->rows = rows;
    g->unit = unit;
    for (int32_t l = 0; l < padded(rows); l++)
        g->w[l] = l >= rows ? 0 : unit ? 1 : 0.25 * (1 + l % 5);
}

/* Log densities of FEW components: of each row some are within reach and some are not. */
static void draw_few(mb_rng *r, mb_estep_ *few)
{
    for (int32_t l = 0; l < padded(few->rows); l++)
        for (int32_t k = 0; k < FEW; k++)
            few->r[k * few->block + l] = -2000 * mb_rng_uniform(r) * (l % 3 ? 1 : 0.01);
}

/* The same ones in every fifth place, and in between none that any row can reach. */
static void spread(mb_rng *r, const mb_estep_ *few, mb_estep_ *many)
{
    for (int32_t l = 0; l < padded(few->rows); l++) {
        double top = few->r[l];

        for (int32_t k = 1; k < FEW; k++)
            top = fmax(top, few->r[k * few->block + l]);
        for (int32_t k = 0; k < K; k++)
            many->r[k * many->block + l] = k % 5 == 0 && k < 5 * FEW
                                               ? few->r[k / 5 * few->block + l]
                                           : k % 7 ? top - 700.001 - 1e6 * mb_rng_uniform(r)
                                                   : -(double)INFINITY;
    }
}

static void same_softmax(const mb_kernel_ *kernel, int32_t rows, int unit)
{
    static const double nothing[MB_BLOCK_MAX];
    mb_estep_           few = view(kernel, MB_FORM_SMALL, FEW, 2);
    mb_estep_           many = view(kernel, MB_FORM_SMALL, K, 2);
    mb_rng              r = gen_rng((uint64_t)rows);
    const size_t        bytes = (size_t)rows * sizeof *few.r;
    double              want, got;

    weigh(&few, rows, unit);
    weigh(&many, rows, unit);
    draw_few(&r, &few);
    spread(&r, &few, &many);
    want = kernel->softmax(&few);
    got = kernel->softmax(&many);
    assert_memory_equal(&got, &want, sizeof got);
    assert_memory_equal(many.lnz, few.lnz, bytes);
    for (int32_t k = 0; k < K; k++)
        assert_memory_equal(many.r + k * many.block,
                            k % 5 == 0 && k < 5 * FEW ? few.r + k / 5 * few.block : nothing, bytes);
}

TEST(responsibilities_have_the_bits_of_the_components_in_reach)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++)
        for (int32_t rows = 1; rows <= MB_BLOCK_MAX; rows += rows < 40 ? 1 : 19)
            for (int unit = 0; unit <= 1; unit++)
                same_softmax(kernel[i], rows, unit);
}

/* Of one component alone, whatever the others are. */
TEST(a_row_that_is_not_a_number_is_found_among_the_skipped)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++)
        for (int32_t bad = 0; bad < K; bad += 5)
            for (int32_t row = 0; row < MB_BLOCK_MAX; row += 17) {
                mb_estep_ g = view(kernel[i], MB_FORM_SMALL, K, 2);

                weigh(&g, MB_BLOCK_MAX, 1);
                for (int32_t e = 0; e < K * g.block; e++)
                    g.r[e] = e / g.block == 3 ? 0 : -5000;
                g.r[bad * g.block + row] = (double)NAN;
                assert_false(isfinite(kernel[i]->softmax(&g)));
                for (int32_t l = 0; l < MB_BLOCK_MAX; l++)
                    assert_int_equal(!isfinite(g.lnz[l]), l == row);
            }
}

/* Responsibilities of `each` components a row; rows of a component are together, or anywhere. */
static void share_out(mb_rng *r, mb_estep_ *g, int32_t each, int together)
{
    for (int32_t e = 0; e < K * g->block; e++)
        g->r[e] = 0;
    for (int32_t l = 0; l < g->rows; l++)
        for (int32_t i = 0; i < each; i++) {
            const int32_t any = (int32_t)(mb_rng_uniform(r) * K);

            g->r[((together ? l / 13 + i : any) % K) * g->block + l] = mb_rng_uniform(r);
        }
}

static void take_rows(mb_estep_ *g, const double *x, int32_t rows)
{
    g->rows = rows;
    g->from = x;
    g->from_ld = (size_t)g->D;
    g->at = g->row;
    for (int32_t l = 0; l < padded(rows); l++)
        g->row[l] = l < rows ? l : rows - 1;
    g->kernel->fill(g);
}

/* The second moments of the rows of the block under r (D x D), added up one by one. */
static void add_by_hand(const mb_estep_ *g, const double *r, double *sum)
{
    for (int32_t l = 0; l < g->rows; l++)
        for (int32_t i = 0; i < g->D; i++)
            for (int32_t j = 0; j <= i; j++)
                sum[i * g->D + j] += r[l] * g->z[i * g->block + l] * g->z[j * g->block + l];
}

/* Two blocks, of all components and of each one by itself. */
static void same_moments(const mb_kernel_ *kernel, mb_form_ form, int32_t D, int32_t each)
{
    const size_t n = (size_t)D + 1;
    mb_estep_    g = view(kernel, form, K, D), one[K];
    mb_rng       r = gen_rng((uint64_t)(100 * D + each));
    double      *x = doubles((size_t)(g.block * D)), *hand = doubles((size_t)(D * D));

    for (int32_t k = 0; k < K; k++)
        one[k] = view(kernel, form, 1, D);
    for (int32_t e = 0; e < g.block * D; e++)
        x[e] = mb_rng_normal(&r);
    for (int block = 0; block < 2; block++) {
        take_rows(&g, x, g.block - 11 * block);
        share_out(&r, &g, each, block);
        kernel->moments(&g);
        add_by_hand(&g, g.r + HAND * g.block, hand);
        for (int32_t k = 0; k < K; k++) {
            take_rows(&one[k], x, g.rows);
            memcpy(one[k].r, g.r + k * g.block, (size_t)g.block * sizeof *g.r);
            kernel->moments(&one[k]);
        }
    }
    kernel->sums(&g);
    for (int32_t k = 0; k < K; k++) {
        kernel->sums(&one[k]);
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(g.S + (size_t)k * n * n + i * n, one[k].S + i * n,
                                (i + 1) * sizeof *g.S);
    }
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            assert_near(g.S[HAND * n * n + (size_t)(i + 1) * n + (size_t)(j + 1)], hand[i * D + j],
                        1e-12);
}

TEST(moments_have_the_bits_of_each_component_by_itself)
{
    static const int32_t each[] = {0, 1, 3, 12, K};
    const mb_kernel_    *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int i = 0; kernel[i]; i++)
        for (int32_t D = 1; D <= COLUMNS; D++)
            for (size_t e = 0; e < sizeof each / sizeof *each; e++)
                for (int form = MB_FORM_SMALL; form <= MB_FORM_DIRECT; form++)
                    if ((form == MB_FORM_SMALL) == (D <= MB_SMALL_D))
                        same_moments(kernel[i], (mb_form_)form, D, each[e]);
}

RUN_TESTS(arena_up, arena_down)
