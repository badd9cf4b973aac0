/* Claims about noise for privacy: what it costs, and how it is drawn. */
#include "base/text.h"
#include "num/privacy.h"
#include "test.h"

static mb_status fill(void *self, void *to, size_t n, mb_err *err)
{
    unsigned char *bytes = to;

    (void)err;
    for (size_t k = 0; k < n; k++)
        bytes[k] = (unsigned char)mb_rng_u32(self);
    return MB_OK;
}

/* Of mpmath, 30 digits. */
TEST(delta_is_that_of_the_analytic_gaussian_mechanism)
{
    assert_near(mb_privacy_delta_(1, 1) / 0.12693673750664392, 1, 1e-13);
    assert_near(mb_privacy_delta_(1, 0.25) / 2.9242721048563077e-06, 1, 1e-11);
    assert_near(mb_privacy_delta_(8, 2) / 0.000495401738938746, 1, 1e-11);
    assert_near(mb_privacy_delta_(0, 0.5) / 0.1974126513658474, 1, 1e-13);
}

TEST(mu_is_the_largest_that_costs_no_more)
{
    static const double delta[] = {1e-12, 1e-9, 1e-5, 1e-2, 0.5};

    for (double epsilon = 1e-3; epsilon <= MB_EPSILON_MOST; epsilon *= 3)
        for (int k = 0; k < 5; k++) {
            const double mu = mb_privacy_mu_(epsilon, delta[k]);

            assert_true(mb_privacy_delta_(epsilon, mu) <= delta[k]);
            assert_true(mb_privacy_delta_(epsilon, mu * (1 + 1e-6)) > delta[k]);
            assert_near(mb_privacy_epsilon_(mu, delta[k]) / epsilon, 1, 1e-6);
        }
}

TEST(two_releases_cost_more_than_one_and_less_than_twice)
{
    const double mu = mb_privacy_mu_(1, 1e-5), both = mb_privacy_epsilon_(sqrt(2) * mu, 1e-5);

    assert_true(both > 1.4 && both < 1.6);
    assert_true(mb_privacy_epsilon_(0, 1e-5) <= 0);
    assert_true(isinf(mb_privacy_epsilon_(60, 1e-5)));
}

/* Chi-squared of 200,000 draws against exp(-x^2 / 18), cells with at least 20 of them expected: 21
 * degrees of freedom, above 80 with probability below 1e-8. */
TEST(draws_have_the_frequencies_of_the_discrete_gaussian)
{
    enum { SIGMA = 3, MOST = 10, DRAWS = 200000 };
    const int        n = sized(DRAWS, DRAWS / 20);
    mb_rng           rng = mb_rng_at(5, MB_STREAM_START, 0, 0);
    const mb_entropy from = {fill, &rng};
    mb_err           err = {0};
    int64_t         *x = malloc((size_t)n * sizeof *x), seen[2 * MOST + 1] = {0}, far = 0;
    double           all = 0, chi = 0, rest = 1;

    must(mb_discrete_gaussian_(&from, SIGMA, (size_t)n, x, &err));
    for (int k = 0; k < n; k++)
        if (llabs(x[k]) <= MOST)
            seen[x[k] + MOST]++;
        else
            far++;
    for (int k = -100; k <= 100; k++)
        all += exp(-k * k / (2.0 * SIGMA * SIGMA));
    for (int k = -MOST; k <= MOST; k++) {
        const double p = exp(-k * k / (2.0 * SIGMA * SIGMA)) / all, want = n * p;

        rest -= p;
        chi += ((double)seen[k + MOST] - want) * ((double)seen[k + MOST] - want) / want;
    }
    chi += ((double)far - n * rest) * ((double)far - n * rest) / (n * rest);
    assert_true(chi < 80);
    free(x);
}

/* Standard errors of 20,000 draws: .007 sigma of the mean, .5 % of the standard deviation, .035 of
 * the kurtosis; six of each are allowed. Neighbouring numbers are of both parities. */
TEST(wide_draws_have_the_moments_of_a_gaussian)
{
    enum { DRAWS = 20000, ODD = 6 * 71 /* six standard deviations of a fair coin */ };
    static const int64_t sigma[] = {1 << 10, (1 << 26) - 1, MB_SIGMA_MOST};
    const int            n = sized(DRAWS, DRAWS / 10);
    const double         wider = sqrt((double)DRAWS / n);
    mb_rng               rng = mb_rng_at(6, MB_STREAM_START, 0, 0);
    const mb_entropy     from = {fill, &rng};
    int64_t             *x = malloc((size_t)n * sizeof *x);
    mb_err               err = {0};

    for (int s = 0; s < 3; s++) {
        double mean = 0, square = 0, fourth = 0, odd = 0;

        must(mb_discrete_gaussian_(&from, sigma[s], (size_t)n, x, &err));
        for (int k = 0; k < n; k++) {
            const double z = (double)x[k] / (double)sigma[s];

            mean += z / n;
            square += z * z / n;
            fourth += z * z * z * z / n;
            odd += (double)(x[k] & 1);
        }
        assert_true(fabs(mean) < 0.042 * wider);
        assert_true(fabs(sqrt(square) - 1) < 0.03 * wider);
        assert_true(fabs(fourth / (square * square) - 3) < 0.21 * wider);
        assert_true(fabs(odd - 0.5 * n) < ODD);
    }
    free(x);
}

static mb_status fails(void *self, void *to, size_t n, mb_err *err)
{
    (void)self, (void)to, (void)n;
    MB_FAIL(err, MB_E_IO, "no random bytes");
}

TEST(without_random_bytes_there_is_no_noise)
{
    const mb_entropy from = {fails, NULL};
    mb_err           err = {0};
    int64_t          x[4];

    assert_int_equal(mb_discrete_gaussian_(&from, 1 << 20, 4, x, &err), MB_E_IO);
    assert_string_equal(err.msg, "no random bytes");
}

RUN_TESTS(NULL, NULL)
