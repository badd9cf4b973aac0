/* test_wishart.c - the Wishart without a mean against closed forms. */
#include "gen.h"
#include "test.h"

enum { MAX_D = 4, MAX_LEN = 16, MAX_SCRATCH = 64, DRAWS = 20000 };

static double partition(int32_t D, const double *phi)
{
    double A, scratch[MAX_SCRATCH];

    must(mb_wishart.moments(D, phi, NULL, &A, scratch));
    return A;
}

/* D = 1: Lambda ~ Gamma(nu/2, rate 1/(2W)), A = ln Gamma(a) - a ln b. */
TEST(one_column_is_a_gamma)
{
    const double par[2] = {3, 5}, a = 1.5, b = 2.5, euler = 0.57721566490153286061;
    double       phi[2], mu[2], scratch[MAX_SCRATCH];

    must(mb_wishart.from_par(1, par, phi));
    assert_near(phi[0], a - 1, 1e-15);
    assert_near(phi[1], -b, 1e-15);
    must(mb_wishart.moments(1, phi, mu, NULL, scratch));
    assert_near(partition(1, phi), lgamma(a) - a * log(b), 1e-14);
    assert_near(mu[0], 2 - euler - 2 * log(2) - log(b), 1e-14); /* psi(3/2) - ln b */
    assert_near(mu[1], a / b, 1e-14);
}

/* D = 2 in numbers: |W^-1| = 4, A = nu/2 (2 ln 2 - ln 4) + ln Gamma(nu/2) + ln Gamma((nu-1)/2), which
 * at nu = 4 is ln Gamma(2) + ln Gamma(3/2), and E[Lambda] = nu W. */
TEST(two_columns_have_the_closed_form)
{
    const double par[4] = {4, 2, 1, 2.5};
    const double want[4] = {0, 4 * 2.5 / 4, -sqrt(2) * 4 * 1 / 4, 4 * 2.0 / 4};
    double       phi[4], mu[4], scratch[MAX_SCRATCH];

    must(mb_wishart.from_par(2, par, phi));
    must(mb_wishart.moments(2, phi, mu, NULL, scratch));
    assert_near(partition(2, phi), 0.5 * log(3.14159265358979323846) - log(2), 1e-14);
    assert_all_near(mu + 1, want + 1, 3, 1e-14);
}

/* W^-1 + e e', whose first entries are par + 1; returns e' W e by Gaussian elimination. */
static double quadratic(int32_t D, const double *par, const double *e)
{
    double M[MAX_D][MAX_D + 1], q = 0;

    for (int32_t i = 0; i < D; i++) {
        for (int32_t j = 0; j <= i; j++)
            M[i][j] = M[j][i] = par[1 + i * (i + 1) / 2 + j];
        M[i][D] = e[i];
    }
    for (int32_t k = 0; k < D; k++) {
        q += M[k][D] * M[k][D] / M[k][k];
        for (int32_t i = k + 1; i < D; i++) {
            const double by = M[i][k] / M[k][k];

            for (int32_t j = k; j <= D; j++)
                M[i][j] -= by * M[k][j];
        }
    }
    return q;
}

/* The marginal density of e ~ N(0, Lambda^-1) is a multivariate Student-t: up to a factor of D and nu,
 * |W|^(1/2) (1 + e'We)^(-(nu+1)/2), and at e = 0 Gamma((nu+1)/2)/Gamma((nu+1-D)/2) |W|^(1/2). */
TEST(the_partition_is_that_of_students_t)
{
    for (int32_t D = 1; D <= MAX_D; D++) {
        mb_rng r = gen_rng((uint64_t)D);
        double par[MAX_LEN], phi[MAX_LEN], at_0[MAX_LEN], at_e[MAX_LEN], e[MAX_D], nu;
        size_t l = 1;

        gen_wishart(&r, D, par);
        nu = par[0];
        must(mb_wishart.from_par(D, par, phi));
        memcpy(at_e, phi, sizeof phi);
        for (int32_t i = 0; i < D; i++) {
            e[i] = 2 * mb_rng_normal(&r);
            for (int32_t j = 0; j <= i; j++)
                at_e[l++] -= (i == j ? 0.5 : sqrt(0.5)) * e[i] * e[j];
        }
        memcpy(at_0, phi, sizeof phi);
        at_0[0] += 0.5;
        at_e[0] += 0.5;
        assert_near(partition(D, at_e) - partition(D, at_0),
                    -(nu + 1) / 2 * log1p(quadratic(D, par, e)), 1e-12);
        for (size_t k = 1; k < mb_wishart.len(D); k++) /* W = I: |W| = 1 */
            phi[k] = 0;
        for (int32_t i = 0, k = 0; i < D; k += i + 1, i++)
            phi[1 + k + i] = -0.5;
        memcpy(at_0, phi, sizeof phi);
        at_0[0] += 0.5;
        assert_near(partition(D, at_0) - partition(D, phi),
                    lgamma((nu + 1) / 2) - lgamma((nu + 1 - D) / 2) + D * log(2) / 2, 1e-12);
    }
}

/* E[Lambda^-1] = W^-1/(nu - D - 1); a mean of DRAWS is within 6 standard errors but in 2e-9. */
TEST(draws_have_the_expected_covariance)
{
    enum { D = 2, LEN = 3 };
    const double par[4] = {12, 2, 1, 2.5};
    double       sum[LEN] = {0}, squares[LEN] = {0}, one[LEN], scratch[MAX_SCRATCH];
    mb_rng       r = gen_rng(9);

    assert_int_equal(mb_wishart.draw_len(D), LEN);
    for (int n = 0; n < DRAWS; n++) {
        must(mb_wishart.draw(D, par, &r, one, scratch));
        for (int e = 0; e < LEN; e++) {
            sum[e] += one[e];
            squares[e] += one[e] * one[e];
        }
    }
    for (int e = 0; e < LEN; e++) {
        const double mean = sum[e] / DRAWS,
                     error = sqrt((squares[e] / DRAWS - mean * mean) / DRAWS);

        assert_true(fabs(mean - par[1 + e] / (12 - D - 1)) < 6 * error);
    }
}

/* Columns 2 x_1 and 10 x_2 have the covariance diag(2, 10) S diag(2, 10), wherever they begin. */
TEST(scaled_columns_scale_the_matrix)
{
    const double origin[2] = {7, -3}, scale[2] = {2, 10}, want[4] = {4, 8, 20, 250};
    double       par[4] = {4, 2, 1, 2.5};

    mb_wishart.move_par(2, origin, scale, par);
    assert_all_near(par, want, 4, 1e-15);
}

TEST(too_few_degrees_of_freedom_are_outside)
{
    const double few[4] = {1, 2, 1, 2.5}, none[4] = {-1, -1, 0, -1};
    double       phi[4], A, scratch[MAX_SCRATCH];

    assert_int_equal(mb_wishart.from_par(2, few, phi), MB_E_DOMAIN);
    assert_int_equal(mb_wishart.moments(2, none, NULL, &A, scratch), MB_E_DOMAIN);
}

RUN_TESTS(NULL, NULL)
