/* gaps.c - what every kind promises whose rows may have gaps: they are integrated out. */
#include "base/pool.h"
#include "models.h"
#include "test.h"

#include <stdlib.h>

#define EACH_MODEL_WITH_GAPS(b)                                                                    \
    for (size_t i_ = 0; i_ < MODELS; i_++)                                                         \
        if (set_up(b, i_), (b)->rows.gaps = 1, (b)->kind->gaps)

/* Leaves out about 30 % of n rows of d numbers, and all of row 5, from column `from` on. */
static void leave_out(double *x, int n, int32_t d, int32_t from)
{
    mb_rng r = gen_rng(12);

    for (int e = 0; e < n * d; e++)
        if ((mb_rng_uniform(&r) < 0.3 || e / d == 5) && e % d >= from)
            x[e] = (double)NAN;
}

static void log_densities(bench *b, const double *x, int64_t n, double *out)
{
    const mb_rows rows = {.x = x, .n = n, .d = b->rows.d, .ld = b->rows.ld, .gaps = 1};

    must(b->m.ops->predict(&b->m, b->phi, &rows, MB_WANT_LOGPDF, out, b->scratch, &b->err));
}

/* Grouped components with matrices, whose posterior given a row with gaps is of no family. */
static int has_no_density(const bench *b)
{
    return mb_kind_grouped(b->kind, &b->size) && b->m.layout.block[1].family == &mb_normal_wishart;
}

/* The density of the row summed over the values that column i may have. Numbers: x = sinh t, of which
 * sums at equal steps converge exponentially: to t = 26, beyond which are e^-26 of a density with one
 * degree of freedom, or to t = 12, for a hundred of them. */
static double integral(bench *b, const double *row, int32_t i)
{
    enum { FAR = 320, NEAR = 150, POINTS = 2 * FAR + 1 };
    static double        x[POINTS * COLUMNS], ln[POINTS];
    const mb_columns    *of = b->size.columns;
    const mb_column_kind kind = of ? mb_columns_kind(of, i) : MB_COLUMN_NUMBER;
    const int32_t        half = b->m.ops->more_latent ? FAR : NEAR, d = b->rows.d;
    const int32_t        n = kind >= MB_COLUMN_CATEGORY ? of->of[i].levels : 2 * half + 1;
    const double         h = 0.08;
    double               sum = 0;

    for (int32_t e = 0; e < n * d; e++)
        x[e] = e % d != i                 ? row[e % d]
               : kind == MB_COLUMN_NUMBER ? sinh(h * (e / d - half))
                                          : e / d;
    log_densities(b, x, n, ln);
    for (int32_t s = 0; s < n; s++)
        sum += (kind == MB_COLUMN_NUMBER ? h * cosh(h * (s - half)) : 1) * exp(ln[s]);
    return sum;
}

/* Of several gaps one is summed over: what is left has one less. Where tests are small: one
 * gap, and without robust mixtures, of which sums have many points. Of factors it is itself a sum, over
 * points that lie elsewhere for other columns, and the posterior here is far from any of rows. */
TEST(the_density_of_a_row_with_gaps_is_the_integral_over_them)
{
    const int small = sized(0, 1);
    bench     b;

    EACH_MODEL_WITH_GAPS(&b)
    {
        const int32_t d = b.rows.d;
        const int32_t gaps[] = {1, 1 << (d - 1), (1 << d) - 1};

        if (has_no_density(&b) || (small && b.m.ops->more_latent))
            continue;
        for (int p = 0; p < (d > 1 && !small ? 3 : 1); p++) {
            double row[COLUMNS], ln;

            for (int32_t i = 0; i < d; i++)
                row[i] = gaps[p] >> i & 1 && i >= gaps_from(&b)
                             ? (double)NAN
                             : as_kind(&b.size, i, 0.4 - 0.7 * i);
            log_densities(&b, row, 1, &ln);
            for (int32_t i = 0; i < d; i++)
                if (gaps[p] >> i & 1 && i >= gaps_from(&b) && (p < 2 || i == d / 2))
                    assert_near(ln, log(integral(&b, row, i)), b.kind->factors ? 2e-2 : 1e-9);
        }
    }
}

TEST(a_row_of_gaps_only_says_nothing)
{
    double none[COLUMNS], density;
    bench  b;

    EACH_MODEL_WITH_GAPS(&b)
    {
        double logz = 0;

        for (int32_t i = 0; i < COLUMNS; i++)
            none[i] = i < gaps_from(&b) ? 1 : (double)NAN;
        b.rows.x = none;
        b.rows.n = 1;
        must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], &logz, b.scratch, &b.err));
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof *b.s[0]);
        assert_true(logz == 0);
        if (has_no_density(&b))
            continue;
        log_densities(&b, none, 1, &density);
        assert_near(density, 0, 1e-12);
    }
}

/* Groups are put together in another order, of which sums keep the last digits. */
TEST(rows_without_gaps_keep_their_bits)
{
    double logz[2], resp[2][ROWS * 4];
    bench  b;

    EACH_MODEL_WITH_GAPS(&b)
    {
        for (int gaps = 0; gaps < 2; gaps++) {
            b.rows.gaps = gaps;
            logz[gaps] = 0;
            must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[gaps], &logz[gaps], b.scratch, &b.err));
            if (b.m.K)
                if (b.m.K > 0)
                    must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, resp[gaps], b.scratch,
                                          &b.err));
        }
        if (mb_kind_grouped(b.kind, &b.size)) {
            assert_all_near(b.s[0], b.s[1], b.m.layout.len, TOL_ORDER);
            assert_near(logz[0], logz[1], TOL_ORDER);
            continue;
        }
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof *b.s[0]);
        assert_memory_equal(&logz[0], &logz[1], sizeof logz[0]);
        assert_memory_equal(resp[0], resp[1], (size_t)(ROWS * b.m.K) * sizeof **resp);
    }
}

TEST(the_bound_never_falls_with_gaps)
{
    bench b;

    EACH_MODEL_WITH_GAPS(&b)
    {
        double bound, before = -INFINITY, star[MAX_LEN];

        leave_out(b.x, ROWS, b.rows.d, gaps_from(&b));
        must(mb_seed_step(&b.m, &b.rows, 1, b.resp, b.phi, b.scratch, &b.err));
        for (int t = 0; t < sized(60, 12); t++) {
            must(mb_local_step(&b.m, &b.rows, 1, b.phi, star, &bound, NULL, b.scratch, &b.err));
            assert_true(bound >= before - 1e-11 * fabs(bound));
            before = bound;
            memcpy(b.phi, star, b.m.layout.len * sizeof *star);
        }
    }
}

/* Of the first shape: many rows, that more than one piece is shared out. */
TEST(threads_and_single_precision_do_not_change_bits_of_rows_with_gaps)
{
    enum { MANY = 9000 };
    static double x[MANY * COLUMNS];
    static float  narrow[MANY * COLUMNS];
    bench         b;

    EACH_MODEL_WITH_GAPS(&b)
    {
        const int32_t d = b.rows.d;
        mb_rng        r = gen_rng(11);
        double        s[4][MAX_LEN] = {{0}}, logz[4] = {0};
        mb_pool      *pool;

        if (d != shapes[0].columns || (b.m.K && b.m.K != shapes[0].K))
            continue;
        gen_rows(&r, MANY, d, b.m.K ? b.m.K : 3, x);
        for (int32_t e = 0; e < MANY * d; e++)
            x[e] = narrow[e] = (float)as_kind(&b.size, e % d, x[e]);
        leave_out(x, MANY, d, gaps_from(&b));
        for (int32_t e = 0; e < MANY * d; e++)
            narrow[e] = isnan(x[e]) ? (float)NAN : narrow[e];
        must(mb_pool_open(arena, 3, &pool, &b.err));
        for (int t = 0; t < 4; t++) {
            const mb_rows rows = {.x = x,
                                  .x32 = t == 3 ? narrow : NULL,
                                  .n = MANY,
                                  .d = d,
                                  .ld = (size_t)d,
                                  .gaps = 1};
            mb_model      on;

            must(mb_model_parallel(arena, &b.m, pool, 1 + t % 3, &on, &b.err));
            must(on.ops->stats(&on, b.phi, &rows, s[t], &logz[t], doubles(on.scratch), &b.err));
            assert_memory_equal(s[t], s[0], sizeof s[0]);
            assert_memory_equal(&logz[t], &logz[0], sizeof logz[0]);
        }
        mb_pool_close(pool);
    }
}

static void refuse(bench *b, int32_t gaps)
{
    b->rows.n = 1;
    b->rows.gaps = gaps;
    assert_int_equal(b->m.ops->stats(&b->m, b->phi, &b->rows, b->s[0], NULL, b->scratch, &b->err),
                     MB_E_NUMERIC);
    assert_int_equal(b->m.ops->seed_stats(&b->m, &b->rows, b->resp, b->s[0], b->scratch, &b->err),
                     MB_E_NUMERIC);
}

/* The first column is a number in every kind. */
TEST(only_a_gap_is_forgiven)
{
    bench b;

    EACH_MODEL_WITH_GAPS(&b)
    {
        const int32_t last = b.rows.d - 1;

        b.x[0] = (double)NAN;
        refuse(&b, 0);
        b.x[last] = (double)INFINITY;
        refuse(&b, 1);
        b.x[last] = -(double)INFINITY;
        refuse(&b, 1);
    }
}

RUN_TESTS(arena_up, arena_down)
