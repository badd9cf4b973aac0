/* test_mixed.c - regression with effects that vary by group. */
#include "arena.h"
#include "base/columns.h"
#include "gen.h"
#include "kinds.h"
#include "ln_z.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "posterior/posterior.h"
#include "test.h"

enum { D = 2, ROWS = 40, GROUPS = 5, MOST = 64 };
static const double LN_2PI = 1.83787706640934548356;

/* The second input varies, and the intercept. */
static const mb_sizes WITH = {.D = D, .intercept = 1}, WITHOUT = {.D = D};
static const int64_t  first[GROUPS + 1] = {0, 3, 4, 15, 15, ROWS};

typedef struct bench {
    mb_sizes size;
    mb_model m;
    double   x[ROWS * (D + 1)], *scratch;
    double   phi[MOST];
    mb_rows  rows;
} bench;

static void set_up(bench *b, const mb_sizes *size)
{
    mb_rng r = gen_rng(3);
    double par[MOST];

    b->size = *size;
    b->size.columns = kinds_varying(D);
    must(mb_kind_mixed.model(arena, &b->size, &b->m, NULL));
    b->scratch = doubles(b->m.scratch);
    gen_rows(&r, ROWS, D + 1, 3, b->x);
    gen_par(&r, &b->m.layout, par);
    must(mb_from_par(&b->m.layout, par, b->phi, NULL));
    b->rows =
        (mb_rows){.x = b->x, .n = ROWS, .d = D + 1, .ld = D + 1, .first = first, .ngroup = GROUPS};
}

/* L is that of three groups more, so that every Student's t has a variance. */
static void set_up_known(bench *b)
{
    double par[MOST];

    set_up(b, &WITH);
    must(mb_to_par(&b->m.layout, b->phi, par, b->scratch, NULL));
    par[b->m.layout.block[1].off] += 3;
    must(mb_from_par(&b->m.layout, par, b->phi, NULL));
}

static double ln_z(bench *b, const double *phi, double *s)
{
    return ln_z_of(&b->m, phi, &b->rows, s, b->scratch);
}

/* Along each entry of phi the change of ln Z is that of mu times the statistics. */
TEST(statistics_are_the_gradient_of_ln_z)
{
    const mb_sizes *const sizes[] = {&WITH, &WITHOUT};
    bench                 b;

    for (int k = 0; k < 2; k++) {
        set_up(&b, sizes[k]);
        assert_gradient_of_ln_z(&b.m, b.phi, &b.rows, 0, b.scratch);
    }
}

/* ln Z of group g from the dense Gaussian of its rows, whose covariance is 1/E[tau] + x' E[L]^-1 x,
 * about the mean of theta. L, tau: [E ln, E]. */
static double dense(const bench *b, int g, const double *m, const double *L, const double *tau)
{
    const double L00 = L[1], L10 = L[2] / sqrt(2), L11 = L[3], det = L00 * L11 - L10 * L10;
    const int    n = (int)(first[g + 1] - first[g]);
    double       S[ROWS * ROWS], r[ROWS], square = 0, ln = 0;

    for (int i = 0; i < n; i++) {
        const double *x = b->x + (first[g] + i) * (D + 1);

        r[i] = x[2] - m[0] - m[1] * x[0] - m[2] * x[1];
        for (int j = 0; j <= i; j++) {
            const double z = b->x[(first[g] + j) * (D + 1) + 1];

            S[i * n + j] = (L11 - L10 * (x[1] + z) + L00 * x[1] * z) / det;
            S[i * n + j] += i == j ? 1 / tau[1] : 0;
        }
    }
    if (!n)
        return 0;
    assert_int_equal(mb_chol_(S, n), 0);
    mb_chol_forward_(S, n, r);
    for (int i = 0; i < n; i++) {
        square += r[i] * r[i];
        ln += 2 * log(S[i * n + i]);
    }
    /* E[ln tau] and E[ln |L|] in place of the logarithms of the means */
    return 0.5 * (n * (tau[0] - log(tau[1])) + L[0] - log(det) - n * LN_2PI - ln - square);
}

TEST(ln_z_is_that_of_the_dense_gaussian)
{
    double par[MOST], s[MOST], mu[MOST], got, want = 0;
    bench  b;

    set_up(&b, &WITH);
    must(mb_to_par(&b.m.layout, b.phi, par, b.scratch, NULL));
    for (size_t e = D + 1; e < b.m.layout.block[0].len; e++) /* theta is certain */
        par[e] *= 1e9;
    must(mb_from_par(&b.m.layout, par, b.phi, NULL));
    got = ln_z(&b, b.phi, s);
    must(mb_moments(&b.m.layout, b.phi, mu, NULL, b.scratch, NULL));

    for (int g = 0; g < GROUPS; g++)
        want += dense(&b, g, par, mu + b.m.layout.block[1].off, mu + b.m.layout.block[2].off);
    assert_near(got, want, 1e-6);
}

static void predict(bench *b, mb_want want, const mb_rows *rows, double *out)
{
    must(b->m.ops->predict(&b->m, b->phi, rows, want, out, b->scratch, NULL));
}

/* By the trapezoid rule in u, y = location + scale sinh u: exponentially accurate. */
TEST(each_density_integrates_to_one_and_has_the_mean_and_variance)
{
    const double step = 0.05;
    bench        b;
    double       x[11 * (D + 1)], at[3 * 11], moments[2 * 11], density[11];

    set_up_known(&b);
    b.rows = (mb_rows){.x = x, .n = 11, .d = D + 1, .ld = D + 1, .first = first, .ngroup = 1};
    for (int64_t n = 1; n <= 11; n += 5) { /* rows of the group before the last one */
        const int64_t whole[] = {0, n};
        double       *y = &x[n * (D + 1) - 1], sum[3] = {0};

        memcpy(x, b.x + 4 * (D + 1), (size_t)n * (D + 1) * sizeof *x);
        b.rows.n = n;
        b.rows.first = whole;
        predict(&b, MB_WANT_INTERVAL, &b.rows, at);
        predict(&b, MB_WANT_MEAN_VAR, &b.rows, moments);

        const double *last = at + 3 * (n - 1);

        assert_true(last[2] > 2); /* it has a variance */
        for (double u = -100; u <= 100; u += step) {
            const double z = sinh(u), d = step * last[1] * cosh(u);

            *y = last[0] + last[1] * z;
            predict(&b, MB_WANT_LOGPDF, &b.rows, density);
            for (int k = 0; k < 3; k++)
                sum[k] += d * exp(density[n - 1]) * pow(z, k);
        }
        assert_near(sum[0], 1, 1e-9);
        assert_near(last[0] + last[1] * sum[1], moments[2 * (n - 1)], 1e-7);
        assert_near(last[1] * last[1] * sum[2] / moments[2 * (n - 1) + 1], 1, 1e-5);
    }
}

/* A row's own target says nothing of its prediction, and rows without a target say nothing. */
TEST(a_row_is_predicted_from_the_others_of_its_group)
{
    double all[3 * ROWS], without[3 * ROWS], own[3 * ROWS];
    bench  b;

    for (int k = 0; k < 2; k++) {
        set_up(&b, k ? &WITH : &WITHOUT);
        predict(&b, MB_WANT_INTERVAL, &b.rows, all);
        for (int j = 0; j < ROWS; j++) {
            const double y = b.x[j * (D + 1) + D];

            b.x[j * (D + 1) + D] = (double)NAN;
            predict(&b, MB_WANT_INTERVAL, &b.rows, without);
            b.x[j * (D + 1) + D] = y;
            assert_all_near(all + 3 * j, without + 3 * j, 3, 1e-8);
        }
        b.rows.d = D; /* new groups */
        predict(&b, MB_WANT_INTERVAL, &b.rows, without);
        b.rows.first = NULL;
        b.rows.ngroup = 0;
        predict(&b, MB_WANT_INTERVAL, &b.rows, own);
        assert_all_near(own, without, 3 * ROWS, 1e-12);
    }
}

/* Effects that are all of the variance: rows of one group nearly agree, a new group does not. */
TEST(a_known_group_is_nearer_than_a_new_one)
{
    double at[3 * ROWS], new[3 * ROWS];
    double par[MOST];
    bench  b;

    set_up(&b, &WITH);
    must(mb_to_par(&b.m.layout, b.phi, par, b.scratch, NULL));
    par[b.m.layout.block[2].off + 1] = 1e-4 * par[b.m.layout.block[2].off]; /* tau = 1e4 */
    must(mb_from_par(&b.m.layout, par, b.phi, NULL));
    for (int j = 0; j < ROWS; j++) {
        const double *x = b.x + j * (D + 1);

        b.x[j * (D + 1) + D] = par[0] + par[1] * x[0] + par[2] * x[1] + 2;
    }
    predict(&b, MB_WANT_INTERVAL, &b.rows, at);
    b.rows.d = D;
    predict(&b, MB_WANT_INTERVAL, &b.rows, new);
    for (int64_t j = first[4]; j < ROWS; j++) {
        assert_near(at[3 * j] - new[3 * j], 2, 0.1);
        assert_true(at[3 * j + 1] < new[3 * j + 1]);
    }
}

/* A row of which all inputs are 0 and that has no target has the group's intercept and noise; of one
 * whose varying input is 1, the mean is the sum of both effects. */
TEST(effects_of_a_group_are_what_its_rows_say_of_a_further_one)
{
    static const double inputs[2][D + 1] = {{0, 0, (double)NAN}, {0, 1, (double)NAN}};
    double              x[(ROWS + 2) * (D + 1)], at[3 * (ROWS + 2)], par[MOST];
    double              effect[2 * 2 * 3], noise;
    bench               b;

    set_up_known(&b);
    must(mb_to_par(&b.m.layout, b.phi, par, b.scratch, NULL));
    noise = par[b.m.layout.block[2].off + 1] / par[b.m.layout.block[2].off];
    for (int64_t n = 0; n <= 11; n += 11) { /* of a new group, of one with 11 rows */
        const int64_t whole[] = {0, n, n}, longer[] = {0, n + 2};

        memcpy(x, b.x + 4 * (D + 1), (size_t)n * (D + 1) * sizeof *x);
        memcpy(x + n * (D + 1), inputs, sizeof inputs);
        b.rows =
            (mb_rows){.x = x, .n = n + 2, .d = D + 1, .ld = D + 1, .first = longer, .ngroup = 1};
        predict(&b, MB_WANT_INTERVAL, &b.rows, at);
        b.rows.n = n;
        b.rows.first = whole;
        b.rows.ngroup = 2;
        must(b.m.ops->effects(&b.m, b.phi, &b.rows, effect, b.scratch, NULL));
        assert_near(effect[0], at[3 * n], 1e-12);
        assert_near(effect[0] + effect[3], at[3 * n + 3], 1e-12);
        assert_near(effect[1] * effect[1] + noise, at[3 * n + 1] * at[3 * n + 1], 1e-12);
        assert_near(effect[6], par[0], 1e-12); /* the second has no rows */
        assert_true(effect[1] < effect[7] || !n);
        assert_true(effect[2] > 2);
    }
}

TEST(weights_are_of_groups)
{
    double w[ROWS], s[2][MOST], *twice = s[1];
    mb_err err;
    bench  b;

    set_up(&b, &WITH);
    for (int j = 0; j < ROWS; j++)
        w[j] = 2;
    ln_z(&b, b.phi, s[0]);
    b.rows.w = w;
    ln_z(&b, b.phi, twice);
    for (size_t e = 0; e < b.m.layout.len; e++)
        assert_near(twice[e], 2 * s[0][e], 1e-12 * (1 + fabs(twice[e])));
    w[5] = 1;
    assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, twice, NULL, b.scratch, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "row 5"));
}

TEST(something_must_vary)
{
    const mb_sizes none = {.D = D};
    mb_model       m;
    mb_err         err;

    assert_int_equal(mb_kind_mixed.model(arena, &none, &m, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "--mixed.varying"));
}

/* p: how many effects vary, the last of which is `last`. Draws past their end are the sanitizers'. */
static void check_draws(int32_t inputs, int32_t intercept, int32_t p, const char *last)
{
    static const char *const column[] = {"a", "b", "c"}, *const target = "y";
    const mb_sizes size = {.D = inputs, .intercept = intercept, .columns = kinds_varying(inputs)};
    mb_rng         r = gen_rng(5);
    double         par[MOST], *out, *scratch;
    mb_posterior   post;
    mb_draws       d;
    mb_model       m;

    must(mb_kind_mixed.model(arena, &size, &m, NULL));
    gen_par(&r, &m.layout, par);
    must(mb_posterior_make(arena, &mb_kind_mixed, &size, par, &post, NULL));
    post.column = column;
    post.target = &target;
    must(mb_posterior_draws(arena, &post, &d, NULL));
    assert_int_equal(d.columns, 1 + intercept + inputs + p * (p + 1) / 2 + 1);
    for (int32_t k = 0; k < d.columns; k++)
        assert_non_null(d.name[k]);
    assert_string_equal(d.name[d.columns - 2], last);
    assert_string_equal(d.name[d.columns - 1], "noise_precision");
    out = doubles((size_t)d.columns);
    scratch = doubles(mb_posterior_draw_scratch(&post));
    must(mb_posterior_draw(&post, 1, 0, out, scratch, NULL));
    assert_true(out[d.columns - 2] > 0 && out[d.columns - 1] > 0); /* a variance, a precision */
}

TEST(draws_are_named_by_the_effects_that_vary)
{
    check_draws(1, 1, 2, "group_covariance.a.a");
    check_draws(3, 0, 1, "group_covariance.c.c");
    check_draws(3, 1, 2, "group_covariance.c.c");
}

TEST(the_option_names_the_inputs_that_vary)
{
    static const char *const name[] = {"a", "b,c", "b", "y"};
    const mb_columns        *columns = NULL;
    mb_mixed_kind            opt;
    mb_err                   err;

    must(mb_opt_defaults(mb_kind_mixed.opts, &opt, NULL));
    must(mb_kind_effects(arena, &mb_kind_mixed, &opt, 4, name, &columns, NULL));
    assert_null(columns);
    opt.varying = "b,c,a";
    must(mb_kind_effects(arena, &mb_kind_mixed, &opt, 4, name, &columns, NULL));
    assert_string_equal(columns->text, "varying,varying,number,number");
    opt.varying = "b,y";
    columns = NULL;
    assert_int_equal(mb_kind_effects(arena, &mb_kind_mixed, &opt, 4, name, &columns, &err),
                     MB_E_ARG);
    assert_non_null(strstr(err.msg, "no input \"y\""));
}

RUN_TESTS(arena_up, arena_down)
