/* Rows drawn from a mixture's predictive distribution. False alarms: see sample_mean.h. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "sample_mean.h"
#include "test.h"

enum { K = 3, D = 2, WIDTH = 1 + D, ROWS = 60000 };

static mb_model model;
static double  *par, *scratch, *out;

static int set_up(void **state)
{
    const mb_gmm_opt o = mb_gmm_defaults(K, D);
    mb_rng           r = gen_rng(11);
    mb_err           err;

    if (arena_up(state) || mb_gmm_new(arena, &o, &model, &err) < 0)
        return 1;
    par = doubles(model.layout.len);
    scratch = doubles(model.scratch);
    out = doubles((size_t)ROWS * WIDTH);
    if (!par || !scratch || !out)
        return 1;
    gen_par(&r, &model.layout, par);
    for (int k = 0; k < K; k++) /* degrees of freedom above 4: squares have a variance */
        par[model.layout.block[1].off + (size_t)k * model.layout.block[1].len] = 7.5 + k;
    return 0;
}

static const double *normal(int k)
{
    return par + model.layout.block[1].off + (size_t)k * model.layout.block[1].len;
}

static void rows(uint64_t seed, int64_t first, int64_t n, double *to)
{
    mb_err err;

    must(model.ops->sample(&model, par, seed, first, n, to, scratch, &err));
}

TEST(components_come_as_often_as_their_weights_say)
{
    sample_mean count[K] = {{0}};
    double      total = 0;

    rows(1, 0, ROWS, out);
    for (int j = 0; j < ROWS; j++)
        for (int k = 0; k < K; k++)
            sample_add(&count[k], (int)out[j * WIDTH] == k);
    for (int k = 0; k < K; k++)
        total += par[k];
    for (int k = 0; k < K; k++)
        assert_mean(&count[k], par[k] / total);
}

/* Mean m; covariance W^-1 (1 + beta) / (beta (df - 2)), df = nu + 1 - D. */
TEST(rows_have_the_moments_of_student_t)
{
    rows(2, 0, ROWS, out);
    for (int k = 0; k < K; k++) {
        const double *p = normal(k), *m = p + 2, *tril = p + 2 + D;
        const double  by = (1 + p[1]) / (p[1] * (p[0] + 1 - D - 2));
        sample_mean   mean[D] = {{0}}, square[3] = {{0}};

        for (int j = 0; j < ROWS; j++) {
            const double x = out[j * WIDTH + 1] - m[0], y = out[j * WIDTH + 2] - m[1];

            if ((int)out[j * WIDTH] != k)
                continue;
            sample_add(&mean[0], x);
            sample_add(&mean[1], y);
            sample_add(&square[0], x * x);
            sample_add(&square[1], x * y);
            sample_add(&square[2], y * y);
        }
        for (int d = 0; d < D; d++)
            assert_mean(&mean[d], 0);
        for (int e = 0; e < 3; e++)
            assert_mean(&square[e], tril[e] * by);
    }
}

/* With q = (x - m)' W (x - m) beta / (1 + beta), 1/(1 + q) is Beta(df/2, D/2): tails included. */
TEST(distances_have_the_law_of_student_t)
{
    rows(3, 0, ROWS, out);
    for (int k = 0; k < K; k++) {
        const double *p = normal(k), *m = p + 2, *t = p + 2 + D;
        const double  a = (p[0] + 1 - D) / 2, b = D / 2.0, det = t[0] * t[2] - t[1] * t[1];
        sample_mean   first = {0}, second = {0};

        for (int j = 0; j < ROWS; j++) {
            const double x = out[j * WIDTH + 1] - m[0], y = out[j * WIDTH + 2] - m[1];
            const double q = (t[2] * x * x - 2 * t[1] * x * y + t[0] * y * y) / det;
            const double v = 1 / (1 + q * p[1] / (1 + p[1]));

            if ((int)out[j * WIDTH] != k)
                continue;
            sample_add(&first, v);
            sample_add(&second, v * v);
        }
        assert_mean(&first, a / (a + b));
        assert_mean(&second, a * (a + 1) / ((a + b) * (a + b + 1)));
    }
}

/* E_p[q / p] = 1 for every density q; here p is what predict says, and the rows are drawn. */
TEST(the_density_of_predict_is_the_density_of_the_rows)
{
    double     *phi = doubles(model.layout.len);
    double     *x = doubles((size_t)ROWS * D);
    double     *ln_p = doubles(ROWS);
    mb_rows     all = {.x = x, .n = ROWS, .d = D, .ld = D};
    sample_mean ratio = {0};
    mb_err      err;

    assert_true(phi && x && ln_p);
    rows(4, 0, ROWS, out);
    for (int j = 0; j < ROWS; j++)
        memcpy(x + (ptrdiff_t)j * D, out + (ptrdiff_t)j * WIDTH + 1, D * sizeof *x);
    must(mb_from_par(&model.layout, par, phi, &err));
    must(model.ops->predict(&model, phi, &all, MB_WANT_LOGPDF, ln_p, scratch, &err));
    for (int j = 0; j < ROWS; j++) { /* q: a normal density, narrower than the tails of p */
        const double u = x[j * D] - normal(0)[2], v = x[j * D + 1] - normal(0)[3];

        sample_add(&ratio, exp(-0.5 * (u * u + v * v) - log(2 * acos(-1)) - ln_p[j]));
    }
    assert_mean(&ratio, 1);
}

TEST(a_row_depends_on_seed_and_number_alone)
{
    double some[7 * WIDTH], other[7 * WIDTH];

    rows(5, 0, 1000, out);
    rows(5, 400, 7, some);
    assert_memory_equal(some, out + 400 * WIDTH, sizeof some);
    rows(6, 400, 7, other);
    for (int j = 0; j < 7; j++)
        assert_true(other[j * WIDTH + 1] < some[j * WIDTH + 1] ||
                    other[j * WIDTH + 1] > some[j * WIDTH + 1]);
}

TEST(a_posterior_outside_its_domain_is_refused)
{
    const double keep = par[1];
    mb_err       err;

    par[1] = 0;
    assert_int_equal(model.ops->sample(&model, par, 0, 0, 1, out, scratch, &err), MB_E_DOMAIN);
    assert_non_null(strstr(err.msg, "component 1"));
    par[1] = keep;
}

/* 1e-9 degrees of freedom: half of all rows are beyond the largest double. */
TEST(rows_beyond_double_are_an_error_that_says_why)
{
    double *nu = par + model.layout.block[1].off, keep[K];
    mb_err  err;

    for (size_t k = 0; k < K; k++) {
        keep[k] = nu[k * model.layout.block[1].len];
        nu[k * model.layout.block[1].len] = D - 1 + 1e-9;
    }
    assert_int_equal(model.ops->sample(&model, par, 0, 0, 100, out, scratch, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "degrees of freedom"));
    for (size_t k = 0; k < K; k++)
        nu[k * model.layout.block[1].len] = keep[k];
}

RUN_TESTS(set_up, arena_down)
