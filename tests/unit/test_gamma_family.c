/* test_gamma_family.c - the gamma against closed forms, and slices whose members differ in size. */
#include "expfam/expfam.h"
#include "gen.h"
#include "test.h"

static const double TOL_CLOSED_FORM = 1e-14, EULER = 0.57721566490153286061;

/* Gamma(3, rate 2): E[ln lambda] = psi(3) - ln 2 = 3/2 - gamma - ln 2, A = ln 2 - 3 ln 2. */
TEST(moments_of_a_known_gamma)
{
    const double par[2] = {3, 2};
    double       phi[2], mu[2], A;

    must(mb_gamma.from_par(1, par, phi));
    assert_near(phi[0], 2, 0);
    assert_near(phi[1], -2, 0);
    must(mb_gamma.moments(1, phi, mu, &A, NULL));
    assert_near(mu[0], 1.5 - EULER - log(2), TOL_CLOSED_FORM);
    assert_near(mu[1], 1.5, TOL_CLOSED_FORM);
    assert_near(A, -2 * log(2), TOL_CLOSED_FORM);
}

/* KL(Exp(1) || Exp(2)) = ln(1/2) + 2 - 1. */
TEST(divergence_of_two_exponentials)
{
    const double p[2] = {0, -1}, q[2] = {0, -2};
    double       kl, scratch[2];
    mb_layout    l = {0};

    must(mb_layout_add(&l, &mb_gamma, 1, 1, NULL));
    must(mb_kl(&l, p, q, &kl, scratch, NULL));
    assert_near(kl, 1 - log(2), TOL_CLOSED_FORM);
}

TEST(the_domain_is_a_quadrant)
{
    const double out[][2] = {{-1, -1}, {0, 0}, {0, 1}, {-3, 2}};
    double       mu[2], phi[2], dist2;

    for (int i = 0; i < 4; i++)
        assert_int_equal(mb_gamma.moments(1, out[i], mu, NULL, NULL), MB_E_DOMAIN);
    memcpy(phi, out[3], sizeof phi);
    must(mb_gamma.project(1, 0.25, phi, &dist2, NULL));
    assert_near(phi[0], -0.75, 0);
    assert_near(phi[1], -0.25, 0);
    assert_near(dist2, 2.25 * 2.25 + 2.25 * 2.25, TOL_CLOSED_FORM);
}

/* The mean of draws is a/b within 6 standard deviations of a mean. */
TEST(draws_have_the_mean)
{
    enum { N = 20000 };
    const double par[2] = {2, 4};
    mb_rng       r = gen_rng(5);
    double       x, sum = 0;

    for (int i = 0; i < N; i++) {
        must(mb_gamma.draw(1, par, &r, &x, NULL));
        sum += x / N;
    }
    assert_near(sum, 0.5, 6 * sqrt(2.0 / 16 / N));
}

static const int32_t dims[2][3] = {{2, 4, 3}, {2, 3, 4}};

TEST(members_of_different_sizes_have_a_text_and_a_hash)
{
    const int32_t bad[] = {2, 0};
    mb_layout     l[2] = {{.len = 0}};
    char          text[64];

    for (int i = 0; i < 2; i++) {
        must(mb_layout_add_mixed(&l[i], &mb_dirichlet, dims[i], 3, NULL, 2, NULL));
        assert_int_equal(l[i].len, 18);
        assert_int_equal(l[i].block[0].len, 9);
        mb_layout_text(&l[i], text, sizeof text);
        assert_string_equal(text, "dirichlet.1:(9)x3*2");
    }
    assert_true(l[0].hash != l[1].hash);
    assert_int_equal(mb_layout_add_mixed(&l[0], &mb_dirichlet, bad, 2, NULL, 2, NULL), MB_E_ARG);
}

/* The same numbers as blocks of one size each. */
TEST(they_are_their_members_side_by_side)
{
    mb_layout whole = {0}, one;
    double    par[18], phi[18], back[18], mu[18], own[4], A, sum = 0, part, eps, least = 1, dist2;
    mb_rng    r = gen_rng(9);
    size_t    at = 0;

    must(mb_layout_add_mixed(&whole, &mb_dirichlet, dims[0], 3, NULL, 2, NULL));
    gen_par(&r, &whole, par);
    must(mb_from_par(&whole, par, phi, NULL));
    must(mb_moments(&whole, phi, mu, &A, NULL, NULL));
    must(mb_margin(&whole, phi, &eps, NULL, NULL));
    for (int i = 0; i < 6; i++) {
        memset(&one, 0, sizeof one);
        must(mb_layout_add(&one, &mb_dirichlet, dims[0][i % 3], 1, NULL));
        must(mb_moments(&one, phi + at, own, &part, NULL, NULL));
        assert_all_near(mu + at, own, one.len, 1e-15);
        sum += part;
        must(mb_margin(&one, phi + at, &part, NULL, NULL));
        least = fmin(least, part);
        at += one.len;
    }
    assert_near(A, sum, 1e-13);
    assert_near(eps, least, 0);
    must(mb_to_par(&whole, phi, back, NULL, NULL));
    assert_all_near(back, par, 18, 1e-14);
    assert_int_equal(mb_random_len(&whole), 18);
    must(mb_project(&whole, &eps, phi, &dist2, NULL, NULL));
    assert_near(dist2, 0, 0);
}

RUN_TESTS(NULL, NULL)
