/* Claims about quantiles of Student's t: closed forms, symmetry, values of 30-digit arithmetic. */
#include "num/num.h"
#include "test.h"

static const double PI = 3.14159265358979323846;
static const double TOL = 1e-12; /* relative; the closed forms lose some digits themselves */

static void near(double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol * fabs(want)))
        fail_msg("%.17g is not %.17g: %.2e", got, want, (got - want) / want);
}

TEST(one_degree_is_the_cauchy_distribution)
{
    for (double q = 1e-12; q < 0.5; q *= 1.37)
        near(mb_student_quantile(1, q), -1 / tan(PI * q), TOL);
}

TEST(two_degrees_have_a_closed_form)
{
    for (double q = 1e-12; q < 0.4; q *= 1.37)
        near(mb_student_quantile(2, q), (2 * q - 1) / sqrt(2 * q * (1 - q)), TOL);
}

TEST(four_degrees_have_a_closed_form)
{
    for (double q = 1e-6; q < 0.4; q *= 1.37) {
        const double root = sqrt(4 * q * (1 - q));

        near(mb_student_quantile(4, q), -2 * sqrt(cos(acos(root) / 3) / root - 1), TOL);
    }
}

/* Roots of the regularised incomplete beta function in 30-digit arithmetic. */
TEST(other_degrees_have_their_known_quantiles)
{
    static const struct {
        double dof, p, t;
    } known[] = {
        {0.05, 0.9, 10876044676001.984},   {0.5, 0.975, 164.55767348048824},
        {3, 0.975, 3.1824463052837084},    {5, 0.995, 4.0321429835552272},
        {7.3, 1e-10, -48.427203034637975}, {10, 0.975, 2.2281388519862742},
        {30, 0.6, 0.25560536495191271},    {100.5, 1e-30, -16.531231009604672},
        {1000, 0.999, 3.0984021639129226},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        near(mb_student_quantile(known[i].dof, known[i].p), known[i].t, TOL);
}

TEST(infinitely_many_degrees_are_the_normal_distribution)
{
    near(mb_student_quantile(INFINITY, 0.975), 1.9599639845400542, 1e-15);
    near(mb_student_quantile(INFINITY, 0.6), 0.25334710313579972, 1e-15);
    near(mb_student_quantile(INFINITY, 1e-30), -11.464024688443615, 1e-15);
    near(mb_student_quantile(1e300, 0.9), 1.2815515655446004, 1e-15);
}

/* Both branches are used at their worst on the two sides of the seam. */
TEST(the_two_branches_meet)
{
    const double seam = 1e5;

    for (double q = 1e-300; q < 0.499; q *= 3)
        near(mb_student_quantile(seam, q), mb_student_quantile(nextafter(seam, 0), q), 1e-11);
}

TEST(quantiles_are_odd_and_rise)
{
    for (double dof = 0.3; dof < 1e7; dof *= 3.7) {
        double before = -INFINITY;

        for (int i = 1; i < 64; i++) {
            const double p = i / 64.0, t = mb_student_quantile(dof, p);

            assert_true(t > before);
            near(t, -mb_student_quantile(dof, 1 - p), 1e-15);
            before = t;
        }
    }
}

/* Near the middle t = (p - 1/2)/f(0), f(0) = Gamma((dof+1)/2)/(Gamma(dof/2) sqrt(pi dof)). */
TEST(close_to_the_median_digits_are_retained)
{
    const double step = 0x1p-40;

    for (double dof = 0.1; dof < 100; dof *= 1.4)
        near(mb_student_quantile(dof, 0.5 + step),
             step * exp(lgamma(dof / 2) - lgamma((dof + 1) / 2)) * sqrt(PI * dof), TOL);
}

TEST(edges_and_nonsense)
{
    assert_true(mb_student_quantile(3, 0.5) >= 0 && mb_student_quantile(3, 0.5) <= 0);
    assert_true(isinf(mb_student_quantile(3, 0)) && mb_student_quantile(3, 0) < 0);
    assert_true(isinf(mb_student_quantile(3, 1)) && mb_student_quantile(3, 1) > 0);
    assert_true(isinf(mb_student_quantile(0.05, 1e-300)));
    assert_true(isnan(mb_student_quantile(0, 0.9)) && isnan(mb_student_quantile(-1, 0.9)));
    assert_true(isnan(mb_student_quantile(NAN, 0.9)) && isnan(mb_student_quantile(3, NAN)));
    assert_true(isnan(mb_student_quantile(3, -0.1)) && isnan(mb_student_quantile(3, 1.1)));
}

TEST(half_steps_of_lgamma_do_not_cancel)
{
    for (double x = 1e-3; x < 100; x *= 1.3)
        assert_true(fabs(mb_lgamma_half_(x) - (lgamma(x + 0.5) - lgamma(x))) < 1e-13);
    near(mb_lgamma_half_(0.5), -0.5 * log(PI), 1e-15);
    near(mb_lgamma_half_(1e12), 0.5 * log(1e12) - 1 / 8e12, 1e-15);
    /* Gamma(x+1/2)/Gamma(x) times Gamma(x+1)/Gamma(x+1/2) is x */
    for (double x = 1e-3; x < 1e9; x *= 1.7)
        assert_true(fabs(mb_lgamma_half_(x) + mb_lgamma_half_(x + 0.5) - log(x)) <
                    1e-14 * fmax(1, fabs(log(x))));
}

RUN_TESTS(NULL, NULL)
