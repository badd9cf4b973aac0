/* test_lca.c - latent classes of mixed columns against sums over all assignments, which are written
 * out here in closed form, and the densities of known posteriors. */
#include "arena.h"
#include "mesh/genesis.h"
#include "model/model.h"
#include "posterior/posterior.h"
#include "test.h"

#include <stdlib.h>

enum { N = 6, D = 4, L = 3, MAX = 200 };

static mb_err err;

static const char *const level[] = {"red", "green", "blue"};
/* In another order than the blocks of the layout. */
static const mb_column kinds[D] = {{.kind = MB_COLUMN_CATEGORY, .levels = L, .level = level},
                                   {.kind = MB_COLUMN_NUMBER},
                                   {.kind = MB_COLUMN_FLAG},
                                   {.kind = MB_COLUMN_COUNT}};
static const double    x[N * D] = {0, -9.1, 0, 0,  0, -8.9, 0, 1,  0, -9.4, 0, 0,
                                   2, 9.2,  1, 25, 1, 8.8,  1, 30, 2, 9.1,  1, 27};

static mb_columns columns;

static mb_model model_of(int32_t K)
{
    const mb_sizes s = {.K = K, .D = D, .columns = &columns};
    mb_model       m;

    must(mb_columns_make(arena, D, kinds, &columns, &err));
    must(mb_kind_lca.model(arena, &s, &m, &err));
    return m;
}

static mb_rows rows_of(const double *from, int64_t n)
{
    return (mb_rows){.x = from, .n = n, .d = D, .ld = D};
}

/* Bound after VB from these responsibilities, until it is at rest. */
static double bound_of(const mb_model *m, const mb_rows *rows, const double *resp, double *phi)
{
    double *scratch = doubles(mb_local_scratch(m)), *star, bound = 0;

    star = doubles(m->layout.len);
    must(mb_seed_step(m, rows, 1, resp, phi, scratch, &err));
    for (int t = 0; t < 50; t++) {
        const double before = bound;

        must(mb_local_step(m, rows, 1, phi, star, &bound, NULL, scratch, &err));
        assert_true(t == 0 || bound > before - 1e-10 * fabs(bound));
        memcpy(phi, star, m->layout.len * sizeof *phi);
    }
    return bound;
}

/* ln p of the number column of the rows in a set, all parameters integrated out. */
static double numbers(const double *from, const int *in, int n)
{
    const double a0 = 0.5, b0 = 0.5, l0 = 1;
    double       sum = 0, square = 0, ln, an, bn;

    for (int j = 0; j < N; j++) {
        sum += in[j] ? from[j * D + 1] : 0;
        square += in[j] ? from[j * D + 1] * from[j * D + 1] : 0;
    }
    ln = l0 + n;
    an = a0 + n / 2.0;
    bn = b0 + (square - sum * sum / ln) / 2;
    return lgamma(an) - lgamma(a0) + a0 * log(b0) - an * log(bn) + log(l0 / ln) / 2 -
           n / 2.0 * log(8 * atan(1));
}

static double counts(const double *from, const int *in, int n)
{
    double sum = 0, each = 0;

    for (int j = 0; j < N; j++) {
        sum += in[j] ? from[j * D + 3] : 0;
        each += in[j] ? lgamma(from[j * D + 3] + 1) : 0;
    }
    return lgamma(1 + sum) - (1 + sum) * log(1.0 + n) - each;
}

static double shares(const double *from, const int *in, int n, int column, int levels)
{
    double total = lgamma(levels) - lgamma(levels + n);

    for (int l = 0; l < levels; l++) {
        int here = 0;

        for (int j = 0; j < N; j++)
            here += in[j] && (int)from[j * D + column] == l;
        total += lgamma(1 + here);
    }
    return total;
}

/* ln p(rows, assignment): bit j of z is the class of row j. */
static double joint(const double *from, int z, int K)
{
    const double alpha = 1.0 / K;
    double       total = -lgamma(1 + N);

    for (int k = 0; k < K; k++) {
        int in[N], n = 0;

        for (int j = 0; j < N; j++)
            n += in[j] = (z >> j & 1) == k;
        total += lgamma(alpha + n) - lgamma(alpha) + numbers(from, in, n) + counts(from, in, n) +
                 shares(from, in, n, 0, L) + shares(from, in, n, 2, 2);
    }
    return total;
}

TEST(one_class_is_the_exact_marginal_likelihood)
{
    const mb_model m = model_of(1);
    const mb_rows  rows = rows_of(x, N);
    const double   resp[N] = {1, 1, 1, 1, 1, 1};
    double         phi[MAX];

    assert_near(bound_of(&m, &rows, resp, phi), joint(x, 0, 1), 1e-10);
}

/* The bound is below the sum over all 64 assignments; of classes that differ widely only two of
 * them matter, which have the same classes in another order, and the bound is that of one. */
TEST(two_classes_are_below_the_sum_over_all_assignments)
{
    const mb_model m = model_of(2);
    const mb_rows  rows = rows_of(x, N);
    double         resp[2 * N] = {0}, phi[MAX], exact = 0, best = joint(x, 7, 2), bound;

    for (int j = 0; j < N; j++)
        resp[2 * j + (j >= 3)] = 1;
    for (int z = 0; z < 1 << N; z++)
        exact += exp(joint(x, z, 2) - best);
    exact = best + log(exact);
    bound = bound_of(&m, &rows, resp, phi);
    assert_true(bound < exact);
    assert_near(bound, exact - log(2), 1e-6);
}

/* A cell that says nothing: the density of the others alone, summed over the categories. */
TEST(a_missing_category_is_summed_over)
{
    const mb_model m = model_of(2);
    const mb_rows  rows = rows_of(x, N);
    double         resp[2 * N] = {0}, phi[MAX], sum = 0, cell[D] = {0, 8, 1, 20}, density;
    double        *scratch = doubles(mb_local_scratch(&m));
    mb_rows        one = rows_of(cell, 1);

    for (int j = 0; j < N; j++)
        resp[2 * j + (j >= 3)] = 1;
    bound_of(&m, &rows, resp, phi);
    for (int l = 0; l < L; l++) {
        cell[0] = l;
        must(m.ops->predict(&m, phi, &one, MB_WANT_LOGPDF, &density, scratch, &err));
        sum += exp(density);
    }
    cell[0] = (double)NAN;
    must(m.ops->predict(&m, phi, &one, MB_WANT_LOGPDF, &density, scratch, &err));
    assert_near(density, log(sum), 1e-12);
}

/* With very many rows it is the Poisson density of the mean rate: ln 5^3 e^-5 / 3!; what is left of
 * the gamma's width is below 1/a. */
TEST(with_many_rows_it_is_poisson)
{
    const mb_column count = {.kind = MB_COLUMN_COUNT};
    const double    par[] = {1, 5e9, 1e9}, value = 3;
    const mb_rows   row = {.x = &value, .n = 1, .d = 1, .ld = 1};
    mb_columns      one;
    mb_sizes        s = {.K = 1, .D = 1, .columns = &one};
    mb_posterior    p;
    double          density, *scratch;

    must(mb_columns_make(arena, 1, &count, &one, &err));
    must(mb_posterior_make(arena, &mb_kind_lca, &s, par, &p, &err));
    scratch = doubles(mb_posterior_scratch(&p, 1));
    must(mb_posterior_predict(&p, &row, MB_WANT_LOGPDF, 0, &density, scratch, &err));
    assert_near(density, 3 * log(5) - 5 - log(6), 1e-8);
}

TEST(what_is_no_code_is_refused)
{
    static const int    column[] = {0, 0, 2, 3, 3};
    static const double value[] = {3, -1, 2, -1, 0.5};
    const mb_model      m = model_of(2);
    double             *scratch = doubles(mb_local_scratch(&m)), s[MAX] = {0}, logz;

    for (int i = 0; i < 5; i++) {
        double  cell[D] = {0, 8, 1, 20};
        mb_rows one = rows_of(cell, 1);

        cell[column[i]] = value[i];
        assert_int_equal(m.ops->stats(&m, m.prior, &one, s, &logz, scratch, &err), MB_E_NUMERIC);
        assert_non_null(strstr(err.msg, "row 0"));
    }
}

/* Rows of the predictive distribution have the mean of the counts and the shares, within 6 standard
 * deviations of a mean. */
TEST(samples_have_the_means_of_their_class)
{
    enum { ROWS = 4000 };
    const double par[] = {1, 40, 80, 2, 50, 60, 2, 5, 3, 2, 6, 4};
    mb_columns   own;
    mb_sizes     s = {.K = 1, .D = D, .columns = &own};
    mb_posterior p;
    double      *rows, *scratch, mean[D] = {0}, blue = 0;

    must(mb_columns_make(arena, D, kinds, &own, &err));
    must(mb_posterior_make(arena, &mb_kind_lca, &s, par, &p, &err));
    rows = doubles(ROWS * D);
    scratch = doubles(mb_posterior_scratch(&p, ROWS));
    must(mb_posterior_sample(&p, 3, 0, ROWS, rows, NULL, scratch, &err));
    for (int j = 0; j < ROWS; j++) {
        for (int d = 0; d < D; d++)
            mean[d] += rows[j * D + d] / ROWS;
        blue += rows[j * D] > 1 ? 1.0 / ROWS : 0;
    }
    assert_near(blue, 0.2, 6 * sqrt(0.16 / ROWS));
    assert_near(mean[1], 2, 6 * sqrt(2.1 / ROWS));
    assert_near(mean[2], 0.4, 6 * sqrt(0.24 / ROWS));
    assert_near(mean[3], 30, 6 * sqrt((30 + 15) / (double)ROWS));
}

/* The genesis block of mixed columns is read back to the bit, and so is its text in a plan. */
TEST(the_genesis_block_holds_kinds_and_categories)
{
    static const char *const name[] = {"colour", "size", "on", "n"};
    mb_lca_kind              opt;
    mb_plan                  plan;
    mb_genesis               g, back;
    mb_rows                  rows = rows_of(x, N);
    unsigned char           *block;
    size_t                   n, room;

    must(mb_opt_defaults(mb_kind_lca.opts, &opt, &err));
    must(mb_columns_make(arena, D, kinds, &columns, &err));
    plan = (mb_plan){.kind = &mb_kind_lca,
                     .kind_opt = &opt,
                     .columns = D,
                     .column = name,
                     .kinds = &columns,
                     .from = MB_GENESIS_SAMPLE};
    must(mb_genesis_of_sample(arena, arena, &plan, &rows, &g, &err));
    assert_int_equal(g.start_len, 2 * (L + 3));
    assert_near(g.run.origin[3], 0, 0);
    assert_near(g.run.scale[3], 1, 0);
    room = mb_genesis_bytes(&plan);
    block = mb_alloc(arena, room, 1);
    must(mb_genesis_encode(&g, block, room, &n, &err));
    assert_int_equal(n, room);
    assert_int_equal(block[4], 3);
    must(mb_genesis_decode(arena, block, n, &back, &err));
    must(mb_genesis_same(&g, &back, &err));
    assert_string_equal(back.size.columns->text, "category(red|green|blue),number,flag,count");
    assert_true(back.hash == g.hash);
    for (size_t at = 0; at < n; at++) {
        unsigned char saved = block[at];

        block[at] ^= 0x15;
        (void)!mb_genesis_decode(arena, block, n, &back, &err);
        block[at] = saved;
    }
}

RUN_TESTS(arena_up, arena_down)
