/* Mixtures of regressions: assignments added up one by one, gradients, predictions by quadrature. */
#include "arena.h"
#include "expfam/expfam.h"
#include "gen.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "posterior/posterior.h"
#include "start/lines.h"
#include "test.h"

#include <math.h>

enum { K = 2, D = 2, P = D + 1, FIVE = 5, LEN = K + K * (1 + (P + 1) * (P + 2) / 2) };

static const double LN_2PI = 1.83787706640934548356;

/* Two lines that cross, y = 1 + 2u - v and y = -1 - u + v, in rows of weight 1. */
static const double  five[] = {0.5,  0.1, 1.95, -1,  0.7, 0.4, 1.5, -0.2,
                               -2.8, 0,   1,    0.1, 2,   1.5, 3.4};
static const mb_rows rows = {.x = five, .n = FIVE, .d = D + 1, .ld = D + 1};

static mb_model model(int32_t intercept)
{
    mb_mixreg_opt o = mb_mixreg_defaults(K, D, intercept);
    mb_model      m;

    o.line.lambda0 = 0.1;
    o.line.b0 = 0.2;
    must(mb_mixreg_new(arena, &o, &m, NULL));
    return m;
}

/* A posterior of the five rows under some responsibilities. */
static void stand(const mb_model *m, double *phi)
{
    const double resp[FIVE * K] = {0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.8, 0.2};
    double      *scratch = mb_alloc(arena, mb_local_scratch(m), sizeof *scratch);

    must(mb_seed_step(m, &rows, 1, resp, phi, scratch, NULL));
}

/* T(row): [1/2, svec(-z z'/2)], z = (1, u, v, y), or without the 1. */
static void statistics(int32_t p, const double *row, double *t)
{
    const double z[P + 1] = {1, row[0], row[1], row[2]}, *from = z + (P - p);

    *t++ = 0.5;
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= i; j++)
            *t++ = -0.5 * from[i] * from[j] * (i == j ? 1 : sqrt(2));
}

/* ln of the sum over all 2^5 assignments of exp(E[ln p(rows, assignment)]), from E[u] = mu; s, unless
 * it is NULL: the expected statistics. */
static double enumerate(int32_t p, const double *mu, double *s)
{
    const size_t len = 1 + (size_t)((p + 1) * (p + 2) / 2);
    double       sum = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int all = 0; all < 1 << FIVE; all++) {
            double ln = 0, t[LEN];

            for (int j = 0; j < FIVE; j++) {
                const int k = all >> j & 1;

                statistics(p, five + j * (D + 1), t);
                ln += mu[k] - LN_2PI / 2;
                for (size_t l = 0; l < len; l++)
                    ln += t[l] * mu[K + (size_t)k * len + l];
            }
            sum += pass ? 0 : exp(ln);
            for (int j = 0; pass && s && j < FIVE; j++) {
                const int k = all >> j & 1;

                statistics(p, five + j * (D + 1), t);
                s[k] += exp(ln) / sum;
                for (size_t l = 0; l < len; l++)
                    s[K + (size_t)k * len + l] += exp(ln) / sum * t[l];
            }
        }
    return log(sum);
}

TEST(a_step_is_the_sum_over_all_assignments)
{
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        const mb_model m = model(intercept);
        const size_t   len = m.layout.len;
        double        *scratch = mb_alloc(arena, mb_local_scratch(&m), sizeof *scratch);
        double         phi[LEN], mu[LEN], s[LEN] = {0}, want[LEN] = {0}, logz = 0;

        stand(&m, phi);
        must(mb_moments(&m.layout, phi, mu, NULL, scratch, NULL));
        must(m.ops->stats(&m, phi, &rows, s, &logz, scratch, NULL));
        assert_near(logz, enumerate(D + intercept, mu, want), 1e-12);
        assert_all_near(s, want, len, 1e-12);
    }
}

/* d ln Z / d mu are the statistics, so that a full step is the natural gradient's. */
TEST(statistics_are_the_gradient)
{
    const double   h = 1e-4;
    const mb_model m = model(1);
    double        *scratch = mb_alloc(arena, mb_local_scratch(&m), sizeof *scratch);
    double         phi[LEN], mu[LEN], s[LEN] = {0};

    stand(&m, phi);
    must(mb_moments(&m.layout, phi, mu, NULL, scratch, NULL));
    must(m.ops->stats(&m, phi, &rows, s, NULL, scratch, NULL));
    for (size_t l = 0; l < m.layout.len; l++) {
        const double at = mu[l];
        double       slope = 0;

        for (int side = -2; side <= 2; side++) {
            const double w[] = {1, -8, 0, 8, -1};

            mu[l] = at + side * h;
            slope += w[side + 2] * enumerate(P, mu, NULL) / (12 * h);
        }
        mu[l] = at;
        assert_near(slope, s[l], 1e-8);
    }
}

/* A posterior in data units whose lines have different noise and few rows. */
static mb_posterior posterior(void)
{
    static const mb_sizes size = {.K = K, .D = D, .intercept = 1};
    static const double   par[] = {3, 6, 3.5, 2,  1, 2,  -1, 2, 0.1, 3,   0.2, 0,
                                   4, 5, 9,   -4, 1, -1, 3,  0, 6,   0.5, 0.3, 7};
    mb_posterior          p;

    must(mb_posterior_make(arena, &mb_kind_mixreg, &size, par, &p, NULL));
    return p;
}

/* The density of the target at x. */
static double density(const mb_posterior *p, const double *x, double y, double *scratch)
{
    const double  row[] = {x[0], x[1], y};
    const mb_rows one = {.x = row, .n = 1, .d = D + 1, .ld = D + 1};
    double        ln;

    must(mb_posterior_predict(p, &one, MB_WANT_LOGPDF, 0, &ln, scratch, NULL));
    return exp(ln);
}

/* The integral of y^power times the density up to `end`, by Simpson's rule in y = 5 sinh(t). */
static double integral(const mb_posterior *p, const double *x, double end, int power, double about,
                       double *scratch)
{
    enum { STEPS = 4000 };
    const double low = -14, high = isinf(end) ? 14 : asinh(end / 5), h = (high - low) / STEPS;
    double       sum = 0;

    for (int k = 0; k <= STEPS; k++) {
        const double t = low + k * h, y = 5 * sinh(t);

        sum += (k == 0 || k == STEPS ? 1
                : k % 2              ? 4
                                     : 2) *
               density(p, x, y, scratch) * pow(y - about, power) * 5 * cosh(t);
    }
    return sum * h / 3;
}

TEST(mean_variance_and_interval_are_those_of_the_density)
{
    const double       x[] = {0.4, -0.7};
    const mb_posterior p = posterior();
    const mb_rows      one = {.x = x, .n = 1, .d = D, .ld = D};
    double *scratch = mb_alloc(arena, mb_posterior_scratch(&p, 1), sizeof *scratch), both[2], in[3];

    must(mb_posterior_predict(&p, &one, MB_WANT_MEAN_VAR, 0, both, scratch, NULL));
    assert_near(integral(&p, x, INFINITY, 0, 0, scratch), 1, 1e-9);
    assert_near(integral(&p, x, INFINITY, 1, 0, scratch), both[0], 1e-8);
    assert_near(integral(&p, x, INFINITY, 2, both[0], scratch), both[1], 1e-4);
    for (double level = 0.5; level < 1; level += 0.45) {
        must(mb_posterior_predict(&p, &one, MB_WANT_RANGE, level, in, scratch, NULL));
        assert_near(in[0], both[0], 1e-12);
        assert_near(integral(&p, x, in[1], 0, 0, scratch), (1 - level) / 2, 1e-9);
        assert_near(integral(&p, x, in[2], 0, 0, scratch), (1 + level) / 2, 1e-9);
    }
}

/* Of one component the mixture is its line: Student's quantile. */
TEST(an_interval_of_one_component_is_its_own)
{
    const double share[] = {1, 0}, part[] = {2, 3, 7, 50, 1, 3};

    for (double q = 0.01; q < 1; q += 0.07) {
        const double own[] = {mb_student_quantile(7, q), mb_student_quantile(3, q)};

        assert_near(mb_student_mixture_quantile_(2, share, part, own, q), 2 + 3 * own[0], 1e-9);
    }
}

/* Where the rows of a component are follows from its sums: as the rows themselves say. */
TEST(a_component_is_where_its_rows_are)
{
    enum { N = 60 };
    const mb_sizes size = {.K = 1, .D = D, .intercept = 1};
    mb_mixreg_opt  o = mb_mixreg_defaults(1, D, 1);
    mb_rng         r = gen_rng(3);
    double         x[N * (D + 1)], resp[N], par[LEN], phi[LEN], mean[D + 1] = {0};
    mb_model       m;
    double        *scratch;

    o.line.lambda0 = o.line.b0 = 1e-12;
    o.line.a0 = 1e-12;
    must(mb_mixreg_new(arena, &o, &m, NULL));
    scratch = mb_alloc(arena, mb_local_scratch(&m), sizeof *scratch);
    for (int j = 0; j < N; j++) {
        double *row = x + j * (D + 1);

        row[0] = mb_rng_normal(&r);
        row[1] = row[0] + 2 * mb_rng_normal(&r) + 5;
        row[2] = 3 - row[0] + 2 * row[1] + 0.5 * mb_rng_normal(&r);
        resp[j] = 1;
        for (int d = 0; d <= D; d++)
            mean[d] += row[d] / N;
    }
    must(mb_seed_step(&m, &(mb_rows){.x = x, .n = N, .d = D + 1, .ld = D + 1}, 1, resp, phi,
                      scratch, NULL));
    must(mb_to_par(&m.layout, phi, par, scratch, NULL));
    for (int32_t i = 0; i <= D; i++) {
        assert_near(mb_kind_mixreg.component(&size, par, 0, i, -1), mean[i], 1e-8);
        for (int32_t j = 0; j <= D; j++) {
            double cov = 0;

            for (int k = 0; k < N; k++)
                cov += (x[k * 3 + i] - mean[i]) * (x[k * 3 + j] - mean[j]) / N;
            assert_near(mb_kind_mixreg.component(&size, par, 0, i, j), cov, 1e-8);
        }
    }
}

/* Rows on a line and a parabola of one input, which k-means does not tell apart. */
TEST(lines_through_few_rows_find_those_that_cross)
{
    enum { N = 80 };
    double         origin[] = {5, 30, 25}, scale[] = {4, 32, 16};
    const mb_units run = {.d = 3, .origin = origin, .scale = scale};
    mb_rng         r = gen_rng(9), start[2] = {gen_rng(1), gen_rng(1)};
    double         x[N * 3], lines[2][6], resp[N * 2], row[3];
    mb_rows        sample = {.x = x, .n = N, .d = 3, .ld = 3};
    int            same = 0;

    for (int j = 0; j < N; j++) {
        const double u = 10 * mb_rng_uniform(&r);

        x[3 * j] = u;
        x[3 * j + 1] = u * u;
        x[3 * j + 2] = (j % 2 ? 5 * u : 15 + 10 * u - u * u) + 0.5 * mb_rng_normal(&r);
    }
    for (int k = 0; k < 2; k++)
        must(mb_lines_from_(arena, 2, 1, &run, &sample, 20, &start[k], lines[k], NULL));
    assert_memory_equal(lines[0], lines[1], sizeof lines[0]);
    mb_lines_resp_(2, 1, &run, lines[0], &sample, row, resp);
    for (int j = 0; j < N; j++) {
        assert_near(resp[2 * j] + resp[2 * j + 1], 1, 0);
        same += resp[2 * j + j % 2] > 0.5;
    }
    assert_true(same > 0.9 * N || same < 0.1 * N);
}

TEST(a_mixture_that_cannot_be_is_refused)
{
    mb_mixreg_opt o = mb_mixreg_defaults(K, D, 1);
    mb_model      m;
    mb_err        err;

    o.line.targets = 2;
    assert_int_equal(mb_mixreg_new(arena, &o, &m, &err), MB_E_ARG);
    o = mb_mixreg_defaults(K, D, 1);
    o.alpha0 = 0;
    assert_int_equal(mb_mixreg_new(arena, &o, &m, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "alpha0"));
    o = mb_mixreg_defaults(0, D, 1);
    o.alpha0 = 1;
    assert_int_equal(mb_mixreg_new(arena, &o, &m, &err), MB_E_ARG);
    o = mb_mixreg_defaults(K, 0, 0);
    assert_int_equal(mb_mixreg_new(arena, &o, &m, &err), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)
