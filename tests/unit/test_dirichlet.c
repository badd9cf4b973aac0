/* test_dirichlet.c - the Dirichlet against closed forms and its domain's edges. */
#include "meshbayes/extend.h"
#include "test.h"

static const double TOL_CLOSED_FORM = 1e-14;

/* Dirichlet(1, 1, 1): E[ln pi] = psi(1) - psi(3) = -3/2, A = -ln Gamma(3). */
TEST(uniform_has_known_moments)
{
    const double phi[3] = {0, 0, 0};
    double       mu[3], A;

    must(mb_dirichlet.moments(3, phi, mu, &A, NULL));
    for (int k = 0; k < 3; k++)
        assert_near(mu[k], -1.5, TOL_CLOSED_FORM);
    assert_near(A, -log(2), TOL_CLOSED_FORM);
}

/* KL(Beta(2, 1) || Beta(1, 1)) = integral of 2x ln 2x = ln 2 - 1/2. */
TEST(kl_of_a_beta_is_known)
{
    const double p[2] = {1, 0}, q[2] = {0, 0};
    double       kl, scratch[2];
    mb_layout    l = {0};
    mb_err       err;

    must(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err));
    must(mb_kl(&l, p, q, &kl, scratch, &err));
    assert_near(kl, log(2) - 0.5, TOL_CLOSED_FORM);
}

/* A sparse prior: phi = alpha - 1 keeps 1e-16 absolute, 1e-11 of alpha = 1e-5. */
TEST(a_tiny_alpha_survives_the_natural_form)
{
    const double alpha[2] = {1e-5, 1e-5};
    double       phi[2], back[2], mu[2];

    must(mb_dirichlet.from_par(2, alpha, phi));
    must(mb_dirichlet.to_par(2, phi, back, NULL));
    assert_true(fabs(back[0] / alpha[0] - 1) < 2e-11);
    /* psi(a) - psi(2a) = -1/(2a) + O(a) */
    must(mb_dirichlet.moments(2, phi, mu, NULL, NULL));
    assert_true(fabs(mu[0] * 2e-5 + 1) < 1e-9);
}

TEST(edges_of_the_domain)
{
    static const double bad[] = {-1, -1.5, NAN, INFINITY, -INFINITY};
    double              mu[2];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double phi[2] = {0, bad[i]};

        assert_int_equal(mb_dirichlet.moments(2, phi, mu, NULL, NULL), MB_E_DOMAIN);
        assert_int_equal(mb_dirichlet.to_par(2, phi, mu, NULL), MB_E_DOMAIN);
    }
}

TEST(projection_clips_entries)
{
    double phi[3] = {-3, 2, -0.5}, dist2;

    must(mb_dirichlet.project(3, 0.25, phi, &dist2, NULL));
    assert_true(phi[0] == -0.75 && phi[1] == 2 && phi[2] == -0.5);
    assert_near(dist2, 2.25 * 2.25, TOL_CLOSED_FORM);
}

TEST(projection_with_a_margin_below_rounding_is_inside)
{
    double phi[2] = {-7, 0}, dist2, A;

    must(mb_dirichlet.project(2, 1e-30, phi, &dist2, NULL));
    must(mb_dirichlet.moments(2, phi, NULL, &A, NULL));
}

TEST(margin_follows_the_smallest_alpha)
{
    const double prior[3] = {0, 1, -0.5};
    double       eps;

    must(mb_dirichlet.margin(3, prior, &eps, NULL));
    assert_near(eps / 0.5e-6, 1, TOL_CLOSED_FORM);
}

RUN_TESTS(NULL, NULL)
