/* Claims about quantiles of the Beta distribution: closed forms, symmetry, the normal limit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "num/num.h"

static const double PI = 3.14159265358979323846;

static void near(double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol * fabs(want)))
        fail_msg("%.17g is not %.17g: %.2e", got, want, (got - want) / want);
}

static void one_parameter_of_one_is_a_power(void **state)
{
    (void)state;
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

static void halves_are_the_arcsine_distribution(void **state)
{
    (void)state;
    for (double p = 1e-6; p < 1; p = p < .01 ? 3 * p : p + .013)
        near(mb_beta_quantile(.5, .5, p), pow(sin(PI * p / 2), 2), 1e-10);
}

static void two_and_two_solve_a_cubic(void **state)
{
    (void)state;
    for (double p = .01; p < 1; p += .0191) {
        const double x = mb_beta_quantile(2, 2, p);

        near(x * x * (3 - 2 * x), p, 1e-10);
    }
}

static void exchanged_parameters_mirror_it(void **state)
{
    (void)state;
    for (double a = .2; a < 3e5; a *= 9)
        for (double b = .3; b < 3e5; b *= 11)
            near(mb_beta_quantile(a, b, .25) + mb_beta_quantile(b, a, .75), 1, 1e-9);
}

static void many_rows_make_it_normal(void **state)
{
    const double a = 3e7, b = 7e7, n = a + b, sd = sqrt(a * b / (n * n * (n + 1)));

    (void)state;
    near((mb_beta_quantile(a, b, .975) - a / n) / sd, 1.959963984540054, 1e-3);
    near((mb_beta_quantile(a, b, .025) - a / n) / sd, -1.959963984540054, 1e-3);
}

static void what_is_no_distribution_has_none(void **state)
{
    (void)state;
    assert_true(isnan(mb_beta_quantile(0, 1, .5)));
    assert_true(isnan(mb_beta_quantile(1, -1, .5)));
    assert_true(isnan(mb_beta_quantile(1, 1, 1.5)));
    assert_true(isnan(mb_beta_quantile((double)NAN, 1, .5)));
    near(1 + mb_beta_quantile(3, 4, 0), 1, 0);
    near(mb_beta_quantile(3, 4, 1), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_parameter_of_one_is_a_power),
        cmocka_unit_test(halves_are_the_arcsine_distribution),
        cmocka_unit_test(two_and_two_solve_a_cubic),
        cmocka_unit_test(exchanged_parameters_mirror_it),
        cmocka_unit_test(many_rows_make_it_normal),
        cmocka_unit_test(what_is_no_distribution_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
