/* Claims about quantiles of the Beta distribution: closed forms, symmetry, the normal limit. */
#include "num/num.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static void near(double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol * fabs(want)))
        fail_msg("%.17g is not %.17g: %.2e", got, want, (got - want) / want);
}

TEST(one_parameter_of_one_is_a_power)
{
    for (double a = 1e-3; a < 1e7; a *= 7.3) {
        const double tol = 1e-10 + 1e-14 * a * fmax(1, log(a)); /* of ln Gamma */

        for (double p = 1e-9; p < 1; p = p < .01 ? 11 * p : p + .07) {
            const double x = exp(log(p) / a);

            if (x > 1e-290 && x < 1 - 1e-4)
                near(mb_beta_quantile(a, 1, p), x, tol);
            near(mb_beta_quantile(1, a, p), -expm1(log1p(-p) / a), tol);
        }
    }
}

TEST(halves_are_the_arcsine_distribution)
{
    for (double p = 1e-6; p < 1; p = p < .01 ? 3 * p : p + .013)
        near(mb_beta_quantile(.5, .5, p), pow(sin(PI * p / 2), 2), 1e-10);
}

TEST(two_and_two_solve_a_cubic)
{
    for (double p = .01; p < 1; p += .0191) {
        const double x = mb_beta_quantile(2, 2, p);

        near(x * x * (3 - 2 * x), p, 1e-10);
    }
}

TEST(exchanged_parameters_mirror_it)
{
    for (double a = .2; a < 3e5; a *= 9)
        for (double b = .3; b < 3e5; b *= 11)
            near(mb_beta_quantile(a, b, .25) + mb_beta_quantile(b, a, .75), 1, 1e-9);
}

TEST(many_rows_make_it_normal)
{
    const double a = 3e7, b = 7e7, n = a + b, sd = sqrt(a * b / (n * n * (n + 1)));

    near((mb_beta_quantile(a, b, .975) - a / n) / sd, 1.959963984540054, 1e-3);
    near((mb_beta_quantile(a, b, .025) - a / n) / sd, -1.959963984540054, 1e-3);
}

TEST(what_is_no_distribution_has_none)
{
    assert_true(isnan(mb_beta_quantile(0, 1, .5)));
    assert_true(isnan(mb_beta_quantile(1, -1, .5)));
    assert_true(isnan(mb_beta_quantile(1, 1, 1.5)));
    assert_true(isnan(mb_beta_quantile((double)NAN, 1, .5)));
    near(1 + mb_beta_quantile(3, 4, 0), 1, 0);
    near(mb_beta_quantile(3, 4, 1), 1, 0);
}

RUN_TESTS(NULL, NULL)
