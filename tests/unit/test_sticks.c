/* test_sticks.c - the weights of a truncated Dirichlet process, by closed forms. */
#include "gen.h"
#include "test.h"

enum { K = 4 };

static const mb_mixing *of(void)
{
    return mb_sticks.weights;
}

/* The shares one after the other, as from entries of par. */
static void shares_of(const double *par, double *out)
{
    double left = 1;

    for (int k = 0; k < K; k++)
        out[k] = of()->share(par + 2 * (size_t)k, &left);
}

/* Sticks of 1/2, of what is left 1/2, and so on. */
TEST(shares_halve_with_beta_1_1)
{
    const double par[2 * K] = {1, 1, 1, 1, 1, 1, 1, 1};
    double       out[K];

    shares_of(par, out);
    for (int k = 0; k < K; k++)
        assert_near(out[k], pow(0.5, k + 1), 1e-15);
}

/* E[ln v] = psi(1) - psi(2) = -1 = E[ln(1 - v)] for Beta(1, 1). */
TEST(expectations_of_uniform_sticks_are_whole_numbers)
{
    const double phi[2 * K] = {0};
    double       out[K], mu[2 * K];

    must(of()->expect(K, phi, out, NULL));
    must(mb_sticks.moments(K, phi, mu, NULL, NULL));
    for (int k = 0; k < K; k++) {
        assert_near(out[k], -(k + 1.0), 1e-13);
        assert_near(mu[2 * k], -1, 1e-13);
        assert_near(mu[2 * k + 1], -1, 1e-13);
    }
}

TEST(rows_count_in_the_sticks_before_theirs)
{
    const double count[K] = {1, 20, 300, 4000};
    const double expected[2 * K] = {1, 4320, 20, 4300, 300, 4000, 4000, 0};
    double       s[2 * K] = {0};

    of()->add(K, count, s);
    assert_all_near(s, expected, 2 * K, 0);
}

/* Merging is counting the rows again, in either direction. */
TEST(merged_sticks_are_those_of_the_merged_counts)
{
    const double count[K] = {1, 20, 300, 4000}, prior[2 * K] = {0, .5, 0, .5, 0, .5, 0, .5};
    double       p[2 * K];

    for (int e = 0; e < 2 * K; e++)
        p[e] = prior[e];
    of()->add(K, count, p);
    for (int keep = 0; keep < K; keep++)
        for (int gone = 0; gone < K; gone++) {
            double fewer[K - 1] = {0}, want[2 * K - 2], got[2 * K];

            if (keep == gone)
                continue;
            for (int k = 0, to = 0; k < K; k++)
                if (k != gone)
                    fewer[to++] = count[k] + (k == keep ? count[gone] : 0);
            for (int e = 0; e < 2 * K - 2; e++)
                want[e] = prior[e];
            of()->add(K - 1, fewer, want);
            of()->merge(K, keep, gone, prior, p, got);
            assert_all_near(got, want, 2 * K - 2, 1e-12);
        }
}

TEST(what_is_no_stick_is_named)
{
    const double par[2 * K] = {1, 1, 1, 0, 1, 1, 1, 1};
    double       out[K];

    shares_of(par, out);
    assert_true(out[0] > 0 && out[1] == -1 && out[2] > 0);
}

/* The mean of 20,000 draws, with standard errors below .002 each. */
TEST(draws_have_the_expected_shares)
{
    enum { DRAWS = 20000 };
    const double par[2 * K] = {30, 60, 20, 30, 40, 5, 9, 1e-9};
    double       out[K], mean[K] = {0}, share[K];
    mb_rng       r = gen_rng(4);

    shares_of(par, share); /* the last stick leaves nothing */
    for (int i = 0; i < DRAWS; i++) {
        must(mb_sticks.draw(K, par, &r, out, NULL));
        for (int k = 0; k < K; k++)
            mean[k] += out[k] / DRAWS;
    }
    assert_all_near(mean, share, K, 0.005);
}

RUN_TESTS(NULL, NULL)
