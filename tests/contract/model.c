/* model.c - what every model promises, run against each of them. */
#include "chain_model.h"
#define MODEL_ALSO &chain
#include "models.h"
#include "test.h"

/* Adds to b->s[to]; returns the sum of w ln Z. */
static double stats(bench *b, const mb_rows *rows, int to)
{
    double logz = 0;

    must(b->m.ops->stats(&b->m, b->phi, rows, b->s[to], &logz, b->scratch, &b->err));
    return logz;
}

TEST(statistics_add_over_a_split)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rows first, second;
        double  whole, split;

        set_up(&b, i);
        first = part(&b, 0, 77);
        second = part(&b, 77, ROWS - 77);
        whole = stats(&b, &b.rows, 0);
        split = stats(&b, &first, 1);
        split += stats(&b, &second, 1);
        assert_near(whole, split, TOL_ORDER);
        assert_all_near(b.s[0], b.s[1], b.m.layout.len, TOL_ORDER);
    }
}

/* What statistics of other rows left in the scratch serves. */
TEST(more_statistics_have_the_bits_of_statistics)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double  more = 0;
        mb_rows some;

        set_up(&b, i);
        if (!b.m.ops->more_stats)
            continue;
        some = part(&b, 5, 70);
        stats(&b, &b.rows, 0);
        memset(b.s[0], 0, b.m.layout.len * sizeof(double));
        must(b.m.ops->more_stats(&b.m, b.phi, &some, b.s[0], &more, b.scratch, &b.err));
        assert_true(more == stats(&b, &some, 1));
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof(double));
    }
}

TEST(weight_two_is_the_row_twice)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double heavy, twice;

        set_up(&b, i);
        for (int j = 0; j < ROWS; j++)
            b.w[j] = 2;
        heavy = stats(&b, &b.rows, 0);
        b.rows.w = NULL;
        twice = stats(&b, &b.rows, 1);
        twice += stats(&b, &b.rows, 1);
        assert_near(heavy, twice, TOL_ORDER);
        assert_all_near(b.s[0], b.s[1], b.m.layout.len, TOL_ORDER);
    }
}

/* Even when a row of weight zero holds garbage, the bits are those of the other rows. */
TEST(weight_zero_is_no_row)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rows tail;

        set_up(&b, i);
        tail = part(&b, 3, ROWS - 3);
        stats(&b, &tail, 0);
        for (int j = 0; j < 3; j++) {
            b.w[j] = 0;
            b.x[(size_t)j * b.rows.ld] = NAN;
        }
        stats(&b, &b.rows, 1);
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof(double));
    }
}

TEST(rows_with_a_stride_are_the_same_rows)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rows wide;
        double *x;

        set_up(&b, i);
        wide = b.rows;
        wide.ld = b.rows.ld + 3;
        wide.x = x = doubles(ROWS * wide.ld);
        for (size_t j = 0; j < ROWS; j++) {
            for (size_t d = 0; d < wide.ld; d++)
                x[j * wide.ld + d] = d < b.rows.ld ? b.x[j * b.rows.ld + d] : (double)NAN;
        }
        stats(&b, &b.rows, 0);
        stats(&b, &wide, 1);
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof(double));
    }
}

/* The same bits as from the rounded numbers in double precision, with and without a stride. */
TEST(single_precision_only_rounds_the_rows)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double  density[2][ROWS];
        mb_rows single;
        float  *x;

        set_up(&b, i);
        single = b.rows;
        single.ld = b.rows.ld + 2;
        single.x = NULL;
        single.x32 = x = mb_alloc(arena, ROWS * single.ld, sizeof *x);
        assert_non_null(x);
        for (size_t j = 0; j < ROWS; j++)
            for (size_t d = 0; d < b.rows.ld; d++) {
                x[j * single.ld + d] = (float)b.x[j * b.rows.ld + d];
                b.x[j * b.rows.ld + d] = x[j * single.ld + d];
            }
        assert_near(stats(&b, &single, 0), stats(&b, &b.rows, 1), 0);
        must(b.m.ops->seed_stats(&b.m, &single, b.resp, b.s[0], b.scratch, NULL));
        must(b.m.ops->seed_stats(&b.m, &b.rows, b.resp, b.s[1], b.scratch, NULL));
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof(double));
        must(b.m.ops->predict(&b.m, b.phi, &single, MB_WANT_LOGPDF, density[0], b.scratch, NULL));
        must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LOGPDF, density[1], b.scratch, NULL));
        assert_memory_equal(density[0], density[1], sizeof density[0]);
    }
}

static void soil(bench *b)
{
    for (size_t e = 0; e < mb_local_scratch(&b->m); e++)
        b->scratch[e] = NAN;
}

/* 21 rows: the kernels' lanes and tiles are part full. */
TEST(scratch_may_hold_anything)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        double clean[2][MAX_LEN], soiled[MAX_LEN], bound[2];

        set_up(&b, i);
        b.rows.n = 21;
        memset(b.scratch, 0, mb_local_scratch(&b.m) * sizeof *b.scratch);
        must(mb_local_step(&b.m, &b.rows, 1, b.phi, clean[0], &bound[0], NULL, b.scratch, NULL));
        memset(b.scratch, 0, mb_local_scratch(&b.m) * sizeof *b.scratch);
        must(mb_seed_step(&b.m, &b.rows, 1, b.resp, clean[1], b.scratch, NULL));
        soil(&b);
        must(mb_local_step(&b.m, &b.rows, 1, b.phi, soiled, &bound[1], NULL, b.scratch, NULL));
        assert_memory_equal(soiled, clean[0], b.m.layout.len * sizeof *soiled);
        assert_near(bound[1], bound[0], 0);
        soil(&b);
        must(mb_seed_step(&b.m, &b.rows, 1, b.resp, soiled, b.scratch, NULL));
        assert_memory_equal(soiled, clean[1], b.m.layout.len * sizeof *soiled);
    }
}

/* With prior_at phi* is that prior, which no independent factors are: the bound is below 0. */
TEST(no_rows_give_no_statistics)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rows none;
        double  star[MAX_LEN], mu[MAX_LEN], at[MAX_LEN], bound, A; /* bound: -KL(prior || prior) */

        set_up(&b, i);
        none = part(&b, 0, 0);
        must(mb_local_step(&b.m, &none, 5, b.m.prior, star, &bound, mu, b.scratch, &b.err));
        if (b.m.ops->prior_at)
            b.m.ops->prior_at(&b.m, mu, at, &A);
        assert_all_near(star, b.m.ops->prior_at ? at : b.m.prior, b.m.layout.len, 0);
        assert_true(b.m.ops->prior_at ? bound < 0 : bound >= 0 && bound <= 0);
    }
}

TEST(outside_the_domain_nothing_is_written)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++)
        for (int32_t k = 0; k == 0 || k < b.m.layout.nblock; k++) {
            double star[MAX_LEN], bound = 7, logz = 7;

            set_up(&b, i);
            memset(star, 1, sizeof star);
            memcpy(b.s[0], star, b.m.layout.len * sizeof *star);
            memcpy(b.s[1], star, b.m.layout.len * sizeof *star);
            leave_the_domain(&b, k);
            assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], &logz, b.scratch, &b.err),
                             MB_E_DOMAIN);
            assert_near(logz, 7, 0);
            assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof *star);
            assert_int_equal(
                mb_local_step(&b.m, &b.rows, 1, b.phi, star, &bound, NULL, b.scratch, &b.err),
                MB_E_DOMAIN);
            assert_memory_equal(star, b.s[1], b.m.layout.len * sizeof *star);
            assert_true(strlen(b.err.msg) > 0);
        }
}

TEST(a_row_that_is_not_a_number_is_named)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    bench               b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        for (size_t v = 0; v < sizeof bad / sizeof *bad; v++) {
            double star[MAX_LEN];

            b.x[101 * b.rows.ld] = bad[v];
            assert_int_equal(
                mb_local_step(&b.m, &b.rows, 1, b.phi, star, NULL, NULL, b.scratch, &b.err),
                MB_E_NUMERIC);
            assert_non_null(strstr(b.err.msg, "row 101"));
            assert_int_equal(
                b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LOGPDF, b.resp, b.scratch, &b.err),
                MB_E_NUMERIC);
        }
    }
}

TEST(unusable_rows_are_refused)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        mb_rows rows;

        set_up(&b, i);
        rows = b.rows;
        rows.d++;
        assert_int_equal(b.m.ops->stats(&b.m, b.phi, &rows, b.s[0], NULL, b.scratch, &b.err),
                         MB_E_SHAPE);
        assert_int_equal(b.m.ops->seed_stats(&b.m, &rows, b.resp, b.s[0], b.scratch, &b.err),
                         MB_E_SHAPE);
        b.w[5] = -1;
        assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], NULL, b.scratch, &b.err),
                         MB_E_ARG);
        assert_non_null(strstr(b.err.msg, "row 5"));
        b.w[5] = NAN;
        assert_int_equal(b.m.ops->seed_stats(&b.m, &b.rows, b.resp, b.s[0], b.scratch, &b.err),
                         MB_E_ARG);
        b.w[5] = 1;
        if (b.m.K > 0) {
            b.resp[8 * b.m.K] = NAN;
            assert_int_equal(b.m.ops->seed_stats(&b.m, &b.rows, b.resp, b.s[0], b.scratch, &b.err),
                             MB_E_ARG);
            assert_non_null(strstr(b.err.msg, "row 8"));
            b.resp[8 * b.m.K] = 1;
        }
        b.x[9 * b.rows.ld] = INFINITY;
        assert_int_equal(b.m.ops->seed_stats(&b.m, &b.rows, b.resp, b.s[0], b.scratch, &b.err),
                         MB_E_NUMERIC);
        assert_non_null(strstr(b.err.msg, "row 9"));
    }
}

/* Seeding with the responsibilities of the E-step gives the E-step, or its counts where rows have
 * other latent variables, too; a model without components gives it for any seed. */
TEST(seed_of_own_responsibilities_is_the_estep)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        stats(&b, &b.rows, 0);
        if (b.m.K > 0)
            must(b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, b.resp, b.scratch, &b.err));
        else if (b.m.ops->overshoots || mb_kind_needs_groups(b.kind))
            continue; /* they depend on phi */
        must(b.m.ops->seed_stats(&b.m, &b.rows, b.m.K > 0 ? b.resp : NULL, b.s[1], b.scratch,
                                 &b.err));
        assert_all_near(b.s[0], b.s[1], b.m.ops->more_latent ? (size_t)b.m.K : b.m.layout.len,
                        TOL_ORDER);
    }
}

/* What a run takes for granted of models that say so: any phi, the same bits. */
TEST(fixed_statistics_are_the_same_at_any_phi)
{
    bench b;
    int   some = 0;

    for (size_t i = 0; i < MODELS; i++) {
        double star[MAX_LEN];

        set_up(&b, i);
        if (!b.m.ops->fixed_stats)
            continue;
        some++;
        stats(&b, &b.rows, 0);
        must(mb_local_step(&b.m, &b.rows, 3, b.phi, star, NULL, NULL, b.scratch, &b.err));
        memcpy(b.phi, star, b.m.layout.len * sizeof *star);
        stats(&b, &b.rows, 1);
        assert_memory_equal(b.s[0], b.s[1], b.m.layout.len * sizeof *star);
    }
    assert_true(some > 0);
}

/* Of regressions the bound of the rows follows from their statistics. */
TEST(a_log_base_makes_densities_of_statistics)
{
    bench b;
    int   some = 0;

    for (size_t i = 0; i < MODELS; i++) {
        double mu[MAX_LEN], sum, logz;

        set_up(&b, i);
        if (!b.m.ops->log_base)
            continue;
        some++;
        logz = stats(&b, &b.rows, 0);
        must(mb_moments(&b.m.layout, b.phi, mu, NULL, b.scratch, &b.err));
        sum = b.m.ops->log_base(&b.m, b.s[0]);
        for (size_t l = 0; l < b.m.layout.len; l++)
            sum += b.s[0][l] * mu[l];
        assert_near(sum, logz, TOL_ORDER * fabs(logz));
    }
    assert_true(some > 1);
}

RUN_TESTS(arena_up, arena_down)
