/* Claims about digamma, ln Gamma and log-sum-exp: exact values and functional equations. */
#include "num/num.h"
#include "test.h"

static const double EULER = 0.57721566490153286061, LN2 = 0.69314718055994530942,
                    PI = 3.14159265358979323846;
/* The recurrence shifts to x >= 12, where terms are up to 40: some ulps of that remain, in units of
 * the larger of 1 and the value. */
static const double TOL = 1.5e-14;

static void near(double got, double want)
{
    const double scale = fmax(1, fabs(want));

    if (!(fabs(got - want) <= TOL * scale))
        fail_msg("%.17g is not %.17g: %.2e", got, want, (got - want) / scale);
}

TEST(digamma_has_its_known_values)
{
    near(mb_digamma_(1), -EULER);
    near(mb_digamma_(0.5), -EULER - 2 * LN2);
    near(mb_digamma_(0.25), -EULER - PI / 2 - 3 * LN2);
    near(mb_digamma_(2), 1 - EULER);
    near(mb_digamma_(1e9), log(1e9) - 0.5e-9);
    near(mb_digamma_(1e-5), -1e5 - EULER + 1e-5 * PI * PI / 6);
}

TEST(digamma_obeys_recurrence_and_duplication)
{
    for (double x = 0.013; x < 300; x *= 1.31) {
        near(mb_digamma_(x + 1), mb_digamma_(x) + 1 / x);
        near(mb_digamma_(2 * x), (mb_digamma_(x) + mb_digamma_(x + 0.5)) / 2 + LN2);
    }
}

TEST(lgamma_has_its_known_values)
{
    double factorial = 1;

    near(mb_lgamma_(0.5), log(PI) / 2);
    near(mb_lgamma_(1), 0);
    near(mb_lgamma_(2), 0);
    for (int n = 2; n < 25; n++) {
        factorial *= n;
        near(mb_lgamma_(n + 1), log(factorial));
    }
    near(mb_lgamma_(1e-5), log(1e5) - 1e-5 * EULER + 1e-10 * PI * PI / 12);
}

TEST(lgamma_obeys_duplication)
{
    for (double x = 0.013; x < 1e6; x *= 1.7)
        near(mb_lgamma_(2 * x),
             (2 * x - 1) * LN2 - log(PI) / 2 + mb_lgamma_(x) + mb_lgamma_(x + 0.5));
}

TEST(digamma_is_the_slope_of_lgamma)
{
    for (double x = 0.3; x < 50; x *= 1.37) {
        const double h = 1e-3 * x; /* five points: error h^4 f5/30, below 1e-10 relative here */
        const double slope = (mb_lgamma_(x - 2 * h) - 8 * mb_lgamma_(x - h) +
                              8 * mb_lgamma_(x + h) - mb_lgamma_(x + 2 * h)) /
                             (12 * h);

        assert_true(fabs(slope - mb_digamma_(x)) < 1e-9 * fmax(1, fabs(mb_digamma_(x))));
    }
}

TEST(the_multivariate_forms_are_sums)
{
    near(mb_lgamma_multi_(3, 4.2), mb_lgamma_(4.2) + mb_lgamma_(3.7) + mb_lgamma_(3.2));
    near(mb_digamma_multi_(3, 4.2), mb_digamma_(4.2) + mb_digamma_(3.7) + mb_digamma_(3.2));
}

TEST(the_logarithm_of_a_product_neither_overflows_nor_underflows)
{
    const double wide[] = {1e300, 1e-300, 1e300, 1e300, 5e-324, 1e-300, 1e-300, 2};
    const double plain[] = {2, -1, 3, -1, 7, -1};

    near(mb_log_product_(wide, 1, 3), log(1e300));
    near(mb_log_product_(wide, 1, 5), 3 * log(1e300) - log(1e300) + log(5e-324));
    near(mb_log_product_(wide, 1, 8), log(5e-324) + LN2);
    near(mb_log_product_(plain, 2, 3), log(42));
    near(mb_log_product_(plain, 2, 0), 0);
}

TEST(logsumexp_neither_overflows_nor_underflows)
{
    const double large[] = {1000, 1000}, small[] = {-1000, -1000 + log(3)};
    const double none[] = {-INFINITY, -INFINITY}, one[] = {-INFINITY, 2}, bad[] = {1, NAN};

    near(mb_logsumexp_(large, 2), 1000 + LN2);
    near(mb_logsumexp_(small, 2), -1000 + log(4));
    assert_true(mb_logsumexp_(none, 2) < 0 && isinf(mb_logsumexp_(none, 2)));
    near(mb_logsumexp_(one, 2), 2);
    assert_true(isnan(mb_logsumexp_(bad, 2)));
}

RUN_TESTS(NULL, NULL)
