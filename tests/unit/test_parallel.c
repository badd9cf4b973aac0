/* Statistics over pieces of the rows: the same for any number of threads. */
#include "arena.h"
#include "base/pool.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { N = 4096 * 70, K = 2, D = 2 }; /* more than 64 pieces of 4096 */

static mb_model base;
static mb_pool *pool; /* of 5 */
static double  *x, *w, *phi;
static mb_rows  rows;

static int set_up(void **state)
{
    const mb_gmm_opt o = mb_gmm_defaults(K, D);
    mb_rng           r = gen_rng(21);
    mb_err           err;
    double          *par;

    if (arena_up(state) || mb_pool_open(arena, 5, &pool, &err) < 0 ||
        mb_gmm_new(arena, &o, &base, &err) < 0)
        return 1;
    x = doubles((size_t)N * D);
    w = doubles(N);
    phi = doubles(base.layout.len);
    par = doubles(base.layout.len);
    if (!x || !w || !phi || !par)
        return 1;
    gen_rows(&r, N, D, K, x);
    for (int j = 0; j < N; j++)
        w[j] = mb_rng_uniform(&r);
    gen_par(&r, &base.layout, par);
    rows = (mb_rows){.x = x, .w = w, .n = N, .d = D, .ld = D};
    return mb_from_par(&base.layout, par, phi, &err) < 0;
}

static int tear_down(void **state)
{
    mb_pool_close(pool);
    return arena_down(state);
}

static double stats(const mb_model *m, int64_t n, double *s)
{
    double *scratch = doubles(m->scratch), logz = 0;
    mb_rows some = rows;
    mb_err  err;

    some.n = n;
    memset(s, 0, m->layout.len * sizeof *s);
    must(m->ops->stats(m, phi, &some, s, &logz, scratch, &err));
    return logz;
}

static mb_model parallel(int32_t threads)
{
    mb_model m;
    mb_err   err;

    must(mb_model_parallel(arena, &base, pool, threads, &m, &err));
    return m;
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const int64_t sizes[] = {4097, 3 * 4096 - 1, N};
    double               one[64], many[64];

    assert_true(base.layout.len <= 64);
    for (int i = 0; i < 3; i++)
        for (int32_t threads = 0; threads < 6; threads++) {
            const mb_model first = parallel(1), m = parallel(threads);
            const double   a = stats(&first, sizes[i], one), b = stats(&m, sizes[i], many);

            assert_memory_equal(&a, &b, sizeof a);
            assert_memory_equal(one, many, base.layout.len * sizeof *one);
        }
}

TEST(the_sums_are_those_of_the_base)
{
    static const int64_t sizes[] = {0, 4096, 4097, N};
    const mb_model       m = parallel(2);
    double               want[64], got[64];

    for (int i = 0; i < 4; i++) {
        const double a = stats(&base, sizes[i], want), b = stats(&m, sizes[i], got);

        /* a few hundred thousand terms in another order */
        assert_near(b, a, 1e-10);
        assert_all_near(got, want, base.layout.len, 1e-10);
        if (sizes[i] <= 4096)
            assert_memory_equal(got, want, base.layout.len * sizeof *got);
    }
}

/* s and logz of n rows in these groups by m, which has `base` without weights in it. */
static double grouped_stats(const mb_model *m, const int64_t *first, int32_t ngroup, double *s)
{
    const mb_rows all = rows;
    double        logz;

    rows.first = first;
    rows.ngroup = ngroup;
    rows.w = NULL;
    logz = stats(m, first[ngroup], s);
    rows = all;
    return logz;
}

/* A group is never cut: here all begin in the first piece. */
TEST(groups_that_begin_in_one_piece_have_the_bits_of_the_base)
{
    static const int64_t first[] = {0, 4000, 4100, N};
    const mb_model       alone = base;
    mb_gmm_opt           o = mb_gmm_defaults(K, D);
    mb_model             m;
    double               want[64], got[64], a, b;

    o.grouped = 1;
    must(mb_gmm_new(arena, &o, &base, NULL));
    m = parallel(2);
    a = grouped_stats(&base, first, 3, want);
    b = grouped_stats(&m, first, 3, got);
    base = alone;
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(got, want, base.layout.len * sizeof *got);
}

/* Groups of 1 to 7 rows and, after every thousandth, one of 9000, which is longer than a piece; up
 * to 4096 rows in one piece. */
TEST(groups_have_the_sums_of_the_base_on_any_number_of_threads)
{
    static int64_t first[N + 1];
    const mb_model alone = base;
    mb_gmm_opt     o = mb_gmm_defaults(K, D);
    int32_t        ngroup = 0;

    o.grouped = 1;
    must(mb_gmm_new(arena, &o, &base, NULL));
    for (; first[ngroup] < N; ngroup++) {
        const int64_t end = first[ngroup] + (ngroup % 1000 == 999 ? 9000 : 1 + ngroup % 7);

        first[ngroup + 1] = end < N ? end : N;
    }
    for (int few = 0; few < 2; few++) {
        const int32_t count = few ? 999 : ngroup;
        double        want[64], one[64], many[64];
        const double  a = grouped_stats(&base, first, count, want);

        for (int32_t threads = 1; threads < 6; threads++) {
            const mb_model m = parallel(threads);
            const double   b = grouped_stats(&m, first, count, threads > 1 ? many : one);

            assert_near(b, a, few ? 0 : 1e-10);
            assert_all_near(one, want, base.layout.len, few ? 0 : 1e-10);
            if (threads > 1)
                assert_memory_equal(many, one, base.layout.len * sizeof *one);
        }
    }
    base = alone;
}

/* Pieces of wide rows are smaller. */
TEST(wide_rows_have_the_same_bits_and_sums)
{
    enum { WIDE = 65, ROWS = 4500 };
    const mb_gmm_opt o = mb_gmm_defaults(1, WIDE);
    mb_model         one, m;
    mb_rng           rng = gen_rng(3);
    double          *wide = doubles(WIDE * ROWS), *s[4], logz[4] = {0};
    mb_rows          all = {.x = wide, .n = ROWS, .d = WIDE, .ld = WIDE};

    for (size_t e = 0; e < (size_t)WIDE * ROWS; e++)
        wide[e] = mb_rng_normal(&rng);
    must(mb_gmm_new(arena, &o, &one, NULL));
    for (int32_t threads = 0; threads < 4; threads++) {
        double *scratch;

        m = one;
        if (threads)
            must(mb_model_parallel(arena, &one, pool, threads, &m, NULL));
        scratch = doubles(mb_local_scratch(&m));
        s[threads] = mb_alloc(arena, one.layout.len, sizeof **s);
        assert_non_null(scratch);
        assert_non_null(s[threads]);
        must(m.ops->stats(&m, one.prior, &all, s[threads], &logz[threads], scratch, NULL));
    }
    assert_memory_equal(s[1], s[2], one.layout.len * sizeof **s);
    assert_memory_equal(s[1], s[3], one.layout.len * sizeof **s);
    assert_memory_equal(&logz[1], &logz[3], sizeof *logz);
    assert_near(logz[1], logz[0], 1e-10);
    assert_all_near(s[1], s[0], one.layout.len, 1e-9);
}

/* Of a model whose statistics are fixed: a run need not make them again. */
TEST(a_seed_has_the_bits_of_statistics)
{
    const mb_linreg_opt o = mb_linreg_defaults(D - 1, 1);
    mb_model            one, m;
    double             *scratch, s[64] = {0}, seeded[64] = {0};

    must(mb_linreg_new(arena, &o, &one, NULL));
    must(mb_model_parallel(arena, &one, pool, 2, &m, NULL));
    scratch = doubles(m.scratch);
    must(m.ops->stats(&m, one.prior, &rows, s, NULL, scratch, NULL));
    must(m.ops->seed_stats(&m, &rows, NULL, seeded, scratch, NULL));
    assert_memory_equal(s, seeded, one.layout.len * sizeof *s);
}

TEST(an_error_names_the_row_of_the_whole)
{
    const mb_model m = parallel(2);
    double        *scratch = doubles(m.scratch), s[64] = {0}, logz = 7;
    const double   keep = x[D * 100000];
    mb_err         err;

    x[D * 100000] = NAN;
    assert_int_equal(m.ops->stats(&m, phi, &rows, s, &logz, scratch, &err), MB_E_NUMERIC);
    x[D * 100000] = keep;
    assert_non_null(strstr(err.msg, "row 100000"));
    assert_true(logz > 6 && logz < 8);
}

TEST(outside_the_domain_nothing_is_touched)
{
    const mb_model m = parallel(2);
    double        *scratch = doubles(m.scratch), s[64] = {3}, logz = 7;
    const double   keep = phi[0];
    mb_err         err;

    phi[0] = -2;
    assert_int_equal(m.ops->stats(&m, phi, &rows, s, &logz, scratch, &err), MB_E_DOMAIN);
    phi[0] = keep;
    assert_true(s[0] > 2 && s[0] < 4 && logz > 6 && logz < 8);
}

TEST(the_rest_is_the_base)
{
    const mb_model m = parallel(3);
    double        *scratch = doubles(mb_local_scratch(&m));
    double         resp[10 * K], a[64], b[64];
    mb_rows        ten = rows;
    mb_err         err;

    ten.n = 10;
    for (int i = 0; i < 10 * K; i++)
        resp[i] = 0.5;
    must(mb_seed_step(&base, &ten, 1, resp, a, scratch, &err));
    must(mb_seed_step(&m, &ten, 1, resp, b, scratch, &err));
    assert_memory_equal(a, b, base.layout.len * sizeof *a);
    must(base.ops->predict(&base, a, &ten, MB_WANT_RESP, a, scratch, &err));
    must(m.ops->predict(&m, b, &ten, MB_WANT_RESP, b, scratch, &err));
    assert_memory_equal(a, b, sizeof resp);
    assert_string_equal(m.ops->name, "full");
    assert_int_equal(mb_model_parallel(arena, &base, pool, -1, &(mb_model){0}, &err), MB_E_ARG);
}

RUN_TESTS(set_up, tear_down)
