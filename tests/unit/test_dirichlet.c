/* test_dirichlet.c - the Dirichlet against closed forms and its domain's edges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meshbayes/extend.h"
#include "near.h"

#include <string.h>

static const double TOL_CLOSED_FORM = 1e-14;

/* Dirichlet(1, 1, 1): E[ln pi] = psi(1) - psi(3) = -3/2, A = -ln Gamma(3). */
static void uniform_has_known_moments(void **state)
{
    const double phi[3] = {0, 0, 0};
    double       mu[3], A;

    (void)state;
    assert_int_equal(mb_dirichlet.moments(3, phi, mu, &A, NULL), MB_OK);
    for (int k = 0; k < 3; k++)
        assert_near(mu[k], -1.5, TOL_CLOSED_FORM);
    assert_near(A, -log(2), TOL_CLOSED_FORM);
}

/* KL(Beta(2, 1) || Beta(1, 1)) = integral of 2x ln 2x = ln 2 - 1/2. */
static void kl_of_a_beta_is_known(void **state)
{
    const double p[2] = {1, 0}, q[2] = {0, 0};
    double       kl, scratch[2];
    mb_layout    l = {0};
    mb_err       err;

    (void)state;
    assert_int_equal(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err), MB_OK);
    assert_int_equal(mb_kl(&l, p, q, &kl, scratch, &err), MB_OK);
    assert_near(kl, log(2) - 0.5, TOL_CLOSED_FORM);
}

/* A sparse prior: phi = alpha - 1 keeps 1e-16 absolute, 1e-11 of alpha = 1e-5. */
static void a_tiny_alpha_survives_the_natural_form(void **state)
{
    const double alpha[2] = {1e-5, 1e-5};
    double       phi[2], back[2], mu[2];

    (void)state;
    assert_int_equal(mb_dirichlet.from_par(2, alpha, phi), MB_OK);
    assert_int_equal(mb_dirichlet.to_par(2, phi, back, NULL), MB_OK);
    assert_true(fabs(back[0] / alpha[0] - 1) < 2e-11);
    /* psi(a) - psi(2a) = -1/(2a) + O(a) */
    assert_int_equal(mb_dirichlet.moments(2, phi, mu, NULL, NULL), MB_OK);
    assert_true(fabs(mu[0] * 2e-5 + 1) < 1e-9);
}

static void edges_of_the_domain(void **state)
{
    static const double bad[] = {-1, -1.5, NAN, INFINITY, -INFINITY};
    double              mu[2];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double phi[2] = {0, bad[i]};

        assert_int_equal(mb_dirichlet.moments(2, phi, mu, NULL, NULL), MB_E_DOMAIN);
        assert_int_equal(mb_dirichlet.to_par(2, phi, mu, NULL), MB_E_DOMAIN);
    }
}

static void projection_clips_entries(void **state)
{
    double phi[3] = {-3, 2, -0.5}, dist2;

    (void)state;
    assert_int_equal(mb_dirichlet.project(3, 0.25, phi, &dist2, NULL), MB_OK);
    assert_true(phi[0] == -0.75 && phi[1] == 2 && phi[2] == -0.5);
    assert_near(dist2, 2.25 * 2.25, TOL_CLOSED_FORM);
}

static void projection_with_a_margin_below_rounding_is_inside(void **state)
{
    double phi[2] = {-7, 0}, dist2, A;

    (void)state;
    assert_int_equal(mb_dirichlet.project(2, 1e-30, phi, &dist2, NULL), MB_OK);
    assert_int_equal(mb_dirichlet.moments(2, phi, NULL, &A, NULL), MB_OK);
}

static void margin_follows_the_smallest_alpha(void **state)
{
    const double prior[3] = {0, 1, -0.5};
    double       eps;

    (void)state;
    assert_int_equal(mb_dirichlet.margin(3, prior, &eps, NULL), MB_OK);
    assert_near(eps / 0.5e-6, 1, TOL_CLOSED_FORM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_has_known_moments),
        cmocka_unit_test(kl_of_a_beta_is_known),
        cmocka_unit_test(a_tiny_alpha_survives_the_natural_form),
        cmocka_unit_test(edges_of_the_domain),
        cmocka_unit_test(projection_clips_entries),
        cmocka_unit_test(projection_with_a_margin_below_rounding_is_inside),
        cmocka_unit_test(margin_follows_the_smallest_alpha),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
