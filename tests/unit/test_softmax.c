/* Claims about the likelihood of a category: its bound, the derivatives, its probabilities. */
#include "arena.h"
#include "gen.h"
#include "model/softmax.h"
#include "test.h"

enum { MOST = 4, CASES = 60, POINTS = 201 };

/* Predictors of 1 to MOST classes, with standard deviations from 0.05 to 5. */
static mb_softmax_ draw(int i, double *spread)
{
    const int32_t T = 1 + i % MOST;
    mb_rng        r = gen_rng(50 + (uint64_t)i);
    double       *scratch = doubles(mb_softmax_scratch_(T));
    double        B[MOST * MOST];
    mb_softmax_   w;

    w = mb_softmax_carve_(mb_how_best_(1, 1).kernel, T, scratch);
    *spread = 0.05 * pow(100, mb_rng_uniform(&r));
    for (int32_t c = 0; c < T; c++)
        w.e[c] = 2 * mb_rng_normal(&r);
    for (int32_t e = 0; e < T * T; e++)
        B[e] = *spread * mb_rng_normal(&r) / sqrt(T);
    for (int32_t c = 0; c < T; c++)
        for (int32_t d = 0; d < T; d++) {
            w.V[c * T + d] = 0;
            for (int32_t k = 0; k < T; k++)
                w.V[c * T + d] += B[c * T + k] * B[d * T + k];
        }
    return w;
}

/* E[ln sum exp] and the probability of class 1 of one or two predictors, by sums of products. */
static void by_sum(mb_softmax_ *w, double *value, double *probability)
{
    const int    second = w->T == 2;
    const double h = 18.0 / (POINTS - 1);

    mb_softmax_factor_(w);
    *value = *probability = 0;
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < (second ? POINTS : 1); j++) {
            const double z[2] = {-9 + h * i, second ? -9 + h * j : 0};
            const double weight = exp(-0.5 * (z[0] * z[0] + z[1] * z[1])) * h /
                                  sqrt(2 * 3.14159265358979323846) *
                                  (second ? h / sqrt(2 * 3.14159265358979323846) : 1);
            const double a = w->e[0] + w->K[0] * z[0];
            const double b = second ? w->e[1] + w->K[2] * z[0] + w->K[3] * z[1] : -(double)INFINITY;
            const double top = fmax(0, fmax(a, b));
            const double all = top + log(exp(-top) + exp(a - top) + exp(b - top));

            *value += weight * all;
            *probability += weight * exp(a - all);
        }
}

/* How much of it is lost: below 0.01 nats up to a standard deviation of about 1. */
TEST(the_bound_is_above_the_expectation_and_close)
{
    for (int i = 0; i < CASES; i++) {
        double      spread, value, p, bound;
        mb_softmax_ w = draw(i, &spread);

        if (w.T > 2)
            continue;
        bound = mb_softmax_bound_(&w);
        by_sum(&w, &value, &p);
        assert_true(bound >= value - 1e-9);
        assert_true(spread > 0.3 || bound < value + 0.01);
    }
}

/* No other place of the bound is lower. */
TEST(the_bound_is_the_lowest_of_its_kind)
{
    for (int i = 0; i < CASES; i++) {
        double      spread;
        mb_softmax_ w = draw(i, &spread);

        mb_softmax_bound_(&w);
        for (int32_t c = 0; c < w.T; c++)
            assert_near(w.s[c], w.a[c], 1e-11);
    }
}

TEST(its_derivatives_are_those_of_the_shares)
{
    const double h = 1e-4;

    for (int i = 0; i < CASES; i++) {
        double      spread, s[MOST], up, down;
        mb_softmax_ w = draw(i, &spread);

        mb_softmax_bound_(&w);
        memcpy(s, w.s, (size_t)w.T * sizeof *s);
        for (int32_t c = 0; c < w.T; c++) {
            w.e[c] += h;
            up = mb_softmax_bound_(&w);
            w.e[c] -= 2 * h;
            down = mb_softmax_bound_(&w);
            w.e[c] += h;
            assert_near((up - down) / (2 * h), s[c], 1e-7);
            w.V[c * w.T + c] *= 1 + h;
            up = mb_softmax_bound_(&w);
            w.V[c * w.T + c] *= (1 - h) / (1 + h);
            down = mb_softmax_bound_(&w);
            w.V[c * w.T + c] /= 1 - h;
            assert_near((up - down) / (2 * h), w.V[c * w.T + c] * 0.5 * (s[c] - s[c] * s[c]), 1e-6);
        }
    }
}

/* Rows of the same number of classes whose variances are small. */
static int32_t draw_rows(int32_t T, double *e, double *V, mb_softmax_ *row)
{
    int32_t n = 0;

    for (int i = T - 1; n < MB_LANES_MAX; i += MOST) {
        double       spread, trace = 0;
        mb_softmax_ *w = &row[n];

        *w = draw(i, &spread);
        assert_int_equal(w->T, T);
        for (int32_t c = 0; c < T; c++)
            trace += w->V[c * T + c];
        if (trace > 1)
            continue;
        for (int32_t c = 0; c < T; c++) {
            e[c * MB_LANES_MAX + n] = w->e[c];
            for (int32_t d = 0; d <= c; d++)
                V[(c * (c + 1) / 2 + d) * MB_LANES_MAX + n] = w->V[c * T + d];
        }
        n++;
    }
    return n;
}

TEST(rows_together_have_the_bounds_of_each)
{
    enum { N = MB_LANES_MAX };
    const mb_kernel_ *kernel[MB_KERNELS_MAX];

    mb_kernel_list_(kernel);
    for (int k = 0; kernel[k] && kernel[k]->tilted; k++)
        for (int32_t T = 1; T <= MOST; T++) {
            double      e[MOST * N], V[MOST * MOST * N], s[MOST * N], f[N];
            mb_softmax_ row[N];

            assert_int_equal(draw_rows(T, e, V, row), N);
            kernel[k]->tilted(T, N, N, e, V, s, f);
            for (int u = 0; u < N; u++) {
                assert_near(f[u], mb_softmax_bound_(&row[u]), 1e-13);
                for (int32_t c = 0; c < T; c++)
                    assert_near(s[c * N + u], row[u].s[c], 2e-12);
            }
            e[3] = (double)NAN;
            kernel[k]->tilted(T, N, N, e, V, s, f);
            assert_true(isnan(f[3]) && isfinite(f[2]) && isfinite(f[4]));
        }
}

TEST(the_likeliest_class_is_that_of_the_probabilities)
{
    int decided = 0;

    for (int i = 0; i < CASES; i++) {
        double        spread, out[MOST + 1];
        mb_softmax_   w = draw(i, &spread);
        const int32_t best = mb_softmax_likeliest_(&w);

        mb_softmax_factor_(&w);
        mb_softmax_mean_(&w, out);
        decided += best >= 0;
        for (int32_t c = 0; best >= 0 && c <= w.T; c++)
            assert_true(out[best] >= out[c]);
    }
    assert_true(decided > CASES / 5 && decided < CASES);
}

TEST(probabilities_are_the_integral)
{
    for (int i = 0; i < CASES; i++) {
        double      spread, value, p, out[MOST + 1];
        mb_softmax_ w = draw(i, &spread);

        if (w.T > 2)
            continue;
        by_sum(&w, &value, &p);
        mb_softmax_mean_(&w, out);
        assert_near(out[1], p, spread < 1 ? 5e-4 : 5e-3);
    }
}

/* Where V is small: by its first order, and with the same logarithms. */
TEST(probabilities_of_small_variances_are_nearer)
{
    int met = 0;

    for (int i = 0; i < CASES; i++) {
        double      spread, value, p, out[MOST + 1];
        mb_softmax_ w = draw(i, &spread);

        if (w.T > 2 || w.V[0] + (w.T > 1 ? w.V[3] : 0) > 0.02)
            continue;
        by_sum(&w, &value, &p);
        mb_softmax_mean_(&w, out);
        assert_near(out[1], p, 2e-5);
        for (int32_t c = 0; c <= w.T; c++)
            assert_near(exp(mb_softmax_log_mean_(&w, c)), out[c], 1e-14);
        met++;
    }
    assert_true(met > 2);
}

TEST(they_sum_to_one_also_in_logarithms)
{
    for (int i = 0; i < CASES; i++) {
        double      spread, out[MOST + 1], sum = 0;
        mb_softmax_ w = draw(i, &spread);

        mb_softmax_factor_(&w);
        mb_softmax_mean_(&w, out);
        for (int32_t c = 0; c <= w.T; c++) {
            assert_near(mb_softmax_log_mean_(&w, c), log(out[c]), 1e-11);
            sum += out[c];
        }
        assert_near(sum, 1, 1e-13);
    }
}

/* Extreme predictors: no probability is lost to underflow, no step of the search without end. */
TEST(extreme_predictors_have_finite_answers)
{
    for (int i = 0; i < CASES; i++) {
        double      spread, bound;
        mb_softmax_ w = draw(i, &spread);

        for (int32_t c = 0; c < w.T; c++)
            w.e[c] *= 1000;
        for (int32_t c = 0; c < w.T * w.T; c++)
            w.V[c] *= i % 2 ? 10000 : 1e-300;
        bound = mb_softmax_bound_(&w);
        assert_true(isfinite(bound) && bound >= 0);
        for (int32_t c = 0; c < w.T; c++)
            assert_true(fabs(w.s[c] - w.a[c]) < 1e-9);
        for (int32_t c = 0; c <= w.T; c++)
            assert_true(isfinite(mb_softmax_log_mean_(&w, c)));
    }
}

RUN_TESTS(arena_up, arena_down)
