/* Moments of many rows in one pass: those of closed forms, of any kernel, and the same bits however
 * the rows are read. */
#include "base/pool.h"
#include "base/rows.h"
#include "data/parse.h"
#include "fit/case.h"
#include "gen.h"
#include "net.h"
#include "scratch.h"
#include "start/moments.h"
#include "start/row_sums.h"
#include "start/start.h"
#include "test.h"

enum { MANY = MB_SHARE_LEAST + 4099, COLS = 4 };

static double *numbers(scratch *s, size_t n)
{
    double *x = mb_alloc(s->a, n, sizeof *x);

    assert_non_null(x);
    return x;
}

static mb_rows rows_of(const double *x, int64_t n, int32_t d)
{
    return (mb_rows){.x = x, .n = n, .d = d, .ld = (size_t)d};
}

/* As the network of one node sees them. */
static mb_row_moments agree(scratch *s, const mb_rows *rows, int32_t with_cov)
{
    net           *one = net_make(s->a, "complete:n=1");
    mb_tree        tree;
    mb_traffic     sent = {0, 0};
    mb_row_moments out;

    must(mb_agree_tree(s->a, s->a, &one->tp, &tree, &sent, &s->err));
    must(mb_agree_moments(s->a, s->a, &one->tp, &tree, rows, rows->d, with_cov, 0, NULL, &out,
                          &sent, &s->err));
    return out;
}

static void expect_near(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

static mb_row_sums make(scratch *s, const mb_rows *rows, int32_t products)
{
    mb_row_sums out;
    int         made;

    must(mb_row_sums_make_(s->a, rows, products, &out, &made, &s->err));
    assert_int_equal(made, 1);
    return out;
}

static void expect_same(const mb_row_sums *a, const mb_row_sums *b)
{
    const size_t d = (size_t)a->d, count = (size_t)a->count;

    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->ends, b->ends, 2 * d * sizeof(double));
    assert_memory_equal(a->weight, b->weight, count * sizeof(double));
    assert_memory_equal(a->base, b->base, count * d * sizeof(double));
    assert_memory_equal(a->mean, b->mean, count * d * sizeof(double));
    assert_memory_equal(a->square, b->square, count * a->len * sizeof(double));
}

/* Row j: j, 7 j, 0.1 and 1e15 + j % 2. The variance of 0 .. n - 1 is n (n + 1)/12. */
TEST(moments_are_those_of_closed_forms)
{
    scratch       *s = *state;
    double        *x = numbers(s, (size_t)MANY * COLS);
    const mb_rows  rows = rows_of(x, MANY, COLS);
    const double   n = MANY, ones = MANY / 2; /* odd rows of 0 .. n - 1 */
    mb_row_moments m;

    for (int64_t j = 0; j < MANY; j++) {
        x[j * COLS] = (double)j;
        x[j * COLS + 1] = (double)(7 * j);
        x[j * COLS + 2] = 0.1;
        x[j * COLS + 3] = 1e15 + (double)(j % 2);
    }
    m = agree(s, &rows, 1);
    assert_true(m.weight >= n && m.weight <= n);
    expect_near(m.mean[0], (n - 1) / 2, 1e-14);
    expect_near(m.cov[0], n * (n + 1) / 12, 1e-13);
    expect_near(m.cov[1], 7 * n * (n + 1) / 12, 1e-13);
    expect_near(m.cov[COLS + 1], 49 * n * (n + 1) / 12, 1e-13);
    expect_near(m.sd[1], 7 * sqrt(n * (n + 1) / 12), 1e-13);
    expect_near(m.cov[3 * COLS + 3], ones * (n - ones) / n / (n - 1), 1e-12);
    assert_true(m.constant[2] && !m.constant[3]);
    assert_memory_equal(&m.mean[2], &x[2], sizeof *x);
    for (int d = 0; d < COLS; d++)
        assert_true(!(fabs(m.cov[2 * COLS + d]) > 0) && !(fabs(m.cov[d * COLS + 2]) > 0));
    m = agree(s, &rows, 0);
    expect_near(m.sd[0], sqrt(n * (n + 1) / 12), 1e-13);
    expect_near(m.sd[3], sqrt(ones * (n - ones) / n / (n - 1)), 1e-12);
}

/* The first rows of all pieces, whose mean is the origin, are 1e6 off; all others are -1 or 1. */
TEST(rows_that_begin_far_off_lose_three_digits_at_most)
{
    scratch    *s = *state;
    double     *x = numbers(s, MANY);
    mb_rows     rows = rows_of(x, MANY, 1);
    mb_row_sums sums;
    double      n, sum;

    for (int64_t j = 0; j < MANY; j++)
        x[j] = j % 2 ? 1 : -1;
    for (int64_t j = 0; j < MANY; j += (MANY + 63) / 64)
        for (int64_t k = j; k < MANY && k < j + 8; k++)
            x[k] = 1e6;
    sums = make(s, &rows, 1);
    n = (double)sums.piece;
    sum = 8e6 - (double)(sums.piece % 2);                     /* the others cancel, from a -1 on */
    expect_near(sums.base[0] + sums.mean[0], sum / n, 1e-11); /* of 1e6 in the origin */
    expect_near(sums.square[0], 8e12 + (n - 8) - sum * sum / n, 1e-13);
}

/* Every kernel, number of columns and rest of rows, in two parts that are cut at will. */
TEST(every_kernel_sums_rows_in_their_order)
{
    scratch          *s = *state;
    mb_rng            r = gen_rng(5);
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int32_t d = 1; d <= 35; d++) {
        const mb_row_sums of = {.d = d, .products = 1};
        const int32_t     n = 2 * d + 1 < MB_SCATTER_ROWS ? 2 * d + 1 : MB_SCATTER_ROWS;
        const size_t      D = (size_t)d;
        double           *x = numbers(s, (size_t)n * D);
        mb_block_sums_    once, cut;

        for (size_t k = 0; k < (size_t)n * D; k++)
            x[k] = mb_rng_normal(&r);
        for (int k = 0; kernel[k]; k++) {
            must(mb_block_sums_new_(s->a, &of, &once, &s->err));
            must(mb_block_sums_new_(s->a, &of, &cut, &s->err));
            kernel[k]->scatter(&once.sums, n, x);
            kernel[k]->scatter(&cut.sums, d, x);
            kernel[k]->scatter(&cut.sums, n - d, x + D * D);
            for (size_t i = 0; i < D; i++)
                for (size_t j = 0; j <= i; j++) {
                    const size_t at = i * once.sums.len + j;
                    long double  sum = 0;

                    for (size_t l = 0; l < (size_t)n; l++)
                        sum += (long double)x[l * D + i] * x[l * D + j];
                    assert_true(fabs(once.sums.square[at] - (double)sum) <= 1e-13 * n);
                    assert_memory_equal(&once.sums.square[at], &cut.sums.square[at],
                                        sizeof(double));
                }
            assert_memory_equal(once.sums.sum, cut.sums.sum, D * sizeof(double));
            assert_memory_equal(once.sums.more, cut.sums.more, D * sizeof(double));
            assert_memory_equal(once.sums.less, cut.sums.less, D * sizeof(double));
        }
    }
}

/* The pieces of a process are those of all rows. */
TEST(a_share_has_the_pieces_of_all_rows)
{
    scratch    *s = *state;
    mb_rng      r = gen_rng(6);
    double     *x = numbers(s, (size_t)MANY * COLS);
    mb_rows     rows = rows_of(x, MANY, COLS), part;
    mb_row_sums all, some;

    for (size_t k = 0; k < (size_t)MANY * COLS; k++)
        x[k] = mb_rng_normal(&r);
    all = make(s, &rows, 1);
    part = mb_rows_part(&rows, 21 * all.piece, 30 * all.piece);
    part.remote_rows = MANY - part.n;
    some = make(s, &part, 1);
    assert_int_equal(some.count, 30);
    assert_memory_equal(some.mean, all.mean + 21 * COLS, 30 * COLS * sizeof(double));
    assert_memory_equal(some.square, all.square + 21 * all.len, 30 * all.len * sizeof(double));
}

/* Numbers beyond those of files are summed one by one, in units of their range. */
TEST(numbers_beyond_those_of_files_do_not_overflow)
{
    scratch       *s = *state;
    double        *x = numbers(s, MANY);
    mb_rows        rows = rows_of(x, MANY, 1);
    mb_row_sums    sums;
    mb_row_moments m;
    int            made;

    for (int64_t j = 0; j < MANY; j++)
        x[j] = j % 2 ? 1e200 : -1e200;
    m = agree(s, &rows, 0);
    expect_near(m.sd[0], 1e200, 1e-5);
    x[MANY - 1] = (double)NAN;
    must(mb_row_sums_make_(s->a, &rows, 0, &sums, &made, &s->err));
    assert_int_equal(made, 0);
}

/* What a look finds on several threads is what is found in memory. */
TEST(looks_are_the_same_on_any_number_of_threads)
{
    scratch      *s = *state;
    mb_rng        r = gen_rng(7);
    const int64_t shape[2] = {MANY, COLS};
    double       *x = numbers(s, (size_t)MANY * COLS);
    mb_rows       rows = rows_of(x, MANY, COLS);
    const char   *path = scratch_path(s, "many.npy");
    mb_npy_rows   mapped;
    mb_row_sums   want;

    for (size_t k = 0; k < (size_t)MANY * COLS; k++)
        x[k] = mb_rng_normal(&r);
    want = make(s, &rows, 1);
    must(mb_npy_write(s->a, path, 2, shape, x, &s->err));
    must(mb_npy_map(path, &mapped, &s->err));
    for (int32_t threads = 1; threads <= 5; threads += 2) {
        mb_table t = {.rows = mb_npy_view(&mapped), .name = path};
        mb_pool *pool;
        uint64_t hash;

        must(mb_pool_open(s->a, threads, &pool, &s->err));
        must(mb_table_look(s->a, &mapped, 1, pool, &t, NULL, &hash, &s->err));
        mb_pool_close(pool);
        assert_true(hash == mb_npy_hash(&mapped));
        assert_non_null(t.rows.sums);
        expect_same(t.rows.sums, &want);
    }
    mb_npy_unmap(&mapped);
}

TEST(the_first_wrong_number_is_the_one_that_is_reported)
{
    scratch      *s = *state;
    const int64_t shape[2] = {MANY, 2};
    double       *x = numbers(s, (size_t)MANY * 2);
    const char   *path = scratch_path(s, "wrong.npy");
    mb_npy_rows   mapped;
    mb_table      t;
    mb_pool      *pool;
    int64_t       gaps;
    uint64_t      hash;

    x[2 * 200000 + 1] = x[2 * 200001] = x[2 * 250000] = (double)NAN;
    must(mb_npy_write(s->a, path, 2, shape, x, &s->err));
    must(mb_npy_map(path, &mapped, &s->err));
    must(mb_pool_open(s->a, 3, &pool, &s->err));
    t = (mb_table){.rows = mb_npy_view(&mapped), .name = path};
    scratch_expect(s, mb_table_look(s->a, &mapped, 1, pool, &t, NULL, &hash, &s->err), MB_E_FORMAT,
                   "wrong.npy: row 200001, column 2: nan");
    must(mb_table_look(s->a, &mapped, 1, pool, &t, &gaps, &hash, &s->err));
    assert_int_equal(gaps, 3);
    assert_int_equal(t.rows.gaps, 1);
    assert_null(t.rows.sums);
    mb_pool_close(pool);
    mb_npy_unmap(&mapped);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
