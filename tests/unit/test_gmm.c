/* test_gmm.c - densities of the mixture of Gaussians, and rows far away. What every mixture computes is
 * compared with textbooks in contract/textbook.c. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { MAX_LEN = 256 };

static const double LN_PI = 1.14472988584940017414;

/* A mixture and a random posterior of it. */
typedef struct mixture {
    mb_model m;
    double   phi[MAX_LEN], *scratch;
} mixture;

static void random_mixture(mixture *x, int32_t K, int32_t D, uint64_t seed)
{
    mb_gmm_opt o = mb_gmm_defaults(K, D);
    mb_rng     r = gen_rng(seed);
    double     par[MAX_LEN];

    must(mb_gmm_new(arena, &o, &x->m, NULL));
    assert_true(x->m.layout.len <= MAX_LEN);
    gen_par(&r, &x->m.layout, par);
    must(mb_from_par(&x->m.layout, par, x->phi, NULL));
    x->scratch = doubles(mb_local_scratch(&x->m));
}

/* x = m + sinh(u): heavy tails become exponential ones and the trapezoid rule converges fast. */
TEST(density_integrates_to_one_on_the_line)
{
    enum { STEPS = 1201 };
    const double h = 0.05;
    double       x[STEPS], out[STEPS], sum = 0;
    mb_rows      view = {.x = x, .n = STEPS, .d = 1, .ld = 1};
    mixture      mix;

    random_mixture(&mix, 3, 1, 5);
    for (int i = 0; i < STEPS; i++)
        x[i] = sinh(h * (i - STEPS / 2));
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_LOGPDF, out, mix.scratch, NULL));
    for (int i = 0; i < STEPS; i++)
        sum += exp(out[i]) * h * cosh(h * (i - STEPS / 2));
    assert_near(sum, 1, 1e-9);
}

TEST(density_integrates_to_one_in_the_plane)
{
    enum { SIDE = 535 };
    const double h = 0.03;
    double      *x = doubles(2 * SIDE * SIDE), *out = doubles(SIDE * SIDE), sum = 0;
    mb_rows      view = {.x = x, .n = SIDE * SIDE, .d = 2, .ld = 2};
    mixture      mix;

    random_mixture(&mix, 2, 2, 6);
    for (int32_t k = 0; k < 2; k++) /* enough degrees of freedom for tails within the square */
        mix.phi[mix.m.layout.block[1].off + mix.m.layout.block[1].len * (size_t)k] = 4;
    for (int i = 0; i < SIDE * SIDE; i++) {
        x[2 * i] = sinh(h * (i / SIDE - SIDE / 2));
        x[2 * i + 1] = sinh(h * (i % SIDE - SIDE / 2));
    }
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_LOGPDF, out, mix.scratch, NULL));
    for (int i = 0; i < SIDE * SIDE; i++)
        sum +=
            exp(out[i]) * h * cosh(h * (i / SIDE - SIDE / 2)) * h * cosh(h * (i % SIDE - SIDE / 2));
    assert_near(sum, 1, 1e-8);
}

/* nu + 1 - D = 1, D = 1: a Cauchy with the scale of the formula. */
TEST(density_of_few_rows_is_a_cauchy)
{
    const double alpha = 1, nu = 1, beta = 0.5, winv = 2, m = 1, x = 4;
    const double par[5] = {alpha, nu, beta, m, winv}, s2 = winv * (1 + beta) / beta;
    mb_rows      view = {.x = &x, .n = 1, .d = 1, .ld = 1};
    mixture      mix;
    double       got;

    random_mixture(&mix, 1, 1, 7);
    must(mb_from_par(&mix.m.layout, par, mix.phi, NULL));
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_LOGPDF, &got, mix.scratch, NULL));
    assert_near(got, -LN_PI - 0.5 * log(s2) - log1p((x - m) * (x - m) / s2), 1e-14);
}

TEST(a_tie_goes_to_the_lowest_label)
{
    const double x[2] = {0.3, 1e3};
    mb_rows      view = {.x = x, .n = 2, .d = 1, .ld = 1};
    mixture      mix;
    double       label[2];

    random_mixture(&mix, 3, 1, 8);
    must(mix.m.ops->predict(&mix.m, mix.m.prior, &view, MB_WANT_LABEL, label, mix.scratch, NULL));
    assert_near(label[0], 0, 0);
    assert_near(label[1], 0, 0);
}

/* Far rows: ln rho = -1e8 apart must neither underflow to 0/0 nor lose ln Z. */
TEST(far_rows_keep_a_finite_density)
{
    const double x = 1e6;
    mb_rows      view = {.x = &x, .n = 1, .d = 1, .ld = 1};
    mixture      mix;
    double       s[MAX_LEN] = {0}, logz = 0;

    random_mixture(&mix, 2, 1, 10);
    must(mix.m.ops->stats(&mix.m, mix.phi, &view, s, &logz, mix.scratch, NULL));
    assert_true(isfinite(logz) && logz < -1e8);
    assert_near(s[0] + s[1], 1, 1e-15);
}

/* Responsibilities keep their relative precision down to e^-600. Of the two components the weights
 * differ by psi(3) - psi(2) = 1/2, the means are 0 and 10, E[Lambda] = 9. */
TEST(a_small_responsibility_is_not_zero)
{
    const double par[10] = {2, 3, 9, 4, 0, 1, 9, 4, 10, 1};
    int          seen = 0;

    for (int i = 0; i < 32; i++) {
        const double x = 5 - 0.25 * i, ln_ratio = 0.5 - 4.5 * ((x - 10) * (x - 10) - x * x);
        mb_rows      view = {.x = &x, .n = 1, .d = 1, .ld = 1};
        mixture      mix;
        double       resp[2];

        random_mixture(&mix, 2, 1, 11);
        must(mb_from_par(&mix.m.layout, par, mix.phi, NULL));
        if (ln_ratio < -600)
            continue;
        must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_RESP, resp, mix.scratch, NULL));
        assert_near(log(resp[1] / resp[0]), ln_ratio, 1e-9);
        seen++;
    }
    assert_in_range(seen, 20, 31);
}

RUN_TESTS(arena_up, arena_down)
