/* test_normal_gamma.c - the normal-gamma against closed forms and its domain's edges. */
#include "gen.h"
#include "test.h"

static const double TOL_CLOSED_FORM = 1e-14;

enum { MAX_LEN = 64, MAX_SCRATCH = 256 };

static const mb_family *ng = &mb_normal_gamma, *ng_origin = &mb_normal_gamma_origin;

/* p = 1, a = 3, b = 2, m = 0.5, Lambda = 4: M = [4, 2; 2, 5]. */
static const double PAR1[4] = {3, 2, 0.5, 4};

TEST(natural_form_of_a_known_posterior)
{
    const double want[4] = {2.5, -2, -sqrt(2), -2.5};
    double       phi[4];

    assert_int_equal(ng->len(1), 4);
    must(ng->from_par(1, PAR1, phi));
    assert_all_near(phi, want, 4, TOL_CLOSED_FORM);
}

/* E[ln tau] = psi(3) - ln 2, E[tau] = 3/2, E[tau w] = 3/4, E[tau w^2] = 1/4 + 3/8. */
TEST(moments_of_a_known_posterior)
{
    const double euler = 0.57721566490153286061;
    const double want[4] = {1.5 - euler - log(2), 0.625, -sqrt(2) * 0.75, 1.5};
    double       phi[4], mu[4], A, scratch[MAX_SCRATCH];

    must(ng->from_par(1, PAR1, phi));
    must(ng->moments(1, phi, mu, &A, scratch));
    assert_all_near(mu, want, 4, TOL_CLOSED_FORM);
    /* -1/2 ln 4 - 3 ln 2 + ln Gamma(3) */
    assert_near(A, -3 * log(2), TOL_CLOSED_FORM);
}

TEST(coefficients_far_from_zero_keep_their_digits)
{
    const double par[7] = {2, 2, 3e3, -5e3, 1e6, 0, 1e6};
    double       phi[7], back[7], scratch[MAX_SCRATCH];

    must(ng->from_par(2, par, phi));
    must(ng->to_par(2, phi, back, scratch));
    assert_near(back[2], 3e3, 1e-13);
    assert_near(back[3], -5e3, 1e-13);
    /* b = 2 stands beside m' Lambda m = 3.4e13: 13 of 16 digits are gone, as they must be */
    assert_near(back[1], 2, 0.02);
}

/* Quadrature over ln tau and w, with the base measure (2 pi)^(-1/2). */
TEST(the_density_integrates_to_exp_A)
{
    const double dlt = 0.02, dw = 0.04;
    double       phi[4], A, scratch[MAX_SCRATCH], sum = 0;

    must(ng->from_par(1, PAR1, phi));
    must(ng->moments(1, phi, NULL, &A, scratch));
    for (double lt = -12; lt < 5; lt += dlt)
        for (double w = -40; w < 40; w += dw) {
            const double tau = exp(lt), u[3] = {tau * w * w, -sqrt(2) * tau * w, tau};

            sum += exp(phi[0] * lt + phi[1] * u[0] + phi[2] * u[1] + phi[3] * u[2] + lt);
        }
    sum *= dlt * dw / sqrt(2 * 3.14159265358979323846);
    assert_near(log(sum), A, 1e-6); /* the heavy tails beyond |w| = 40 are cut off */
}

/* par + [1/2, svec(-z z'/2)], z = (1, 2): Lambda 5, m = (4 * .5 + 2)/5, a + 1/2,
 * b + (y - m x)^2 / 2 / (1 + 1/4). */
TEST(a_row_adds_its_natural_statistics)
{
    const double row[4] = {0.5, -0.5, -sqrt(2), -2};
    const double want[4] = {3.5, 2 + 0.5 * 1.5 * 1.5 / 1.25, 0.8, 5};
    double       phi[4], par[4], scratch[MAX_SCRATCH];

    must(ng->from_par(1, PAR1, phi));
    for (int e = 0; e < 4; e++)
        phi[e] += row[e];
    must(ng->to_par(1, phi, par, scratch));
    assert_all_near(par, want, 4, TOL_CLOSED_FORM);
}

TEST(papers_order_of_a_known_posterior)
{
    const double want[5] = {2.5, -2, -1, -1, -2.5};
    double       phi[4], out[5], scratch[MAX_SCRATCH];

    assert_int_equal(ng->paper_len(1), 5);
    must(ng->from_par(1, PAR1, phi));
    ng->to_paper(1, phi, NULL, NULL, out, scratch);
    assert_all_near(out, want, 5, TOL_CLOSED_FORM);
}

/* y = 1 + 2 x in columns x = 10 + 4 x', y = 3 + 0.5 y': y = 3 + .5 + 1 (x - 10)/4. */
TEST(moved_columns_move_the_line)
{
    const double origin[2] = {10, 3}, scale[2] = {4, 0.5};
    double       par[7] = {3, 2, 1, 2, 1, 0, 1};
    const double want[7] = {3, 0.5, 3.5 - 2.5, 0.25, 1, 10, 116};
    double       slope[4] = {3, 2, 0.5, 4};
    const double slope_want[4] = {3, 0.5, 0.0625, 64};

    ng->move_par(2, origin, scale, par);
    assert_all_near(par, want, 7, TOL_CLOSED_FORM);
    ng_origin->move_par(1, origin, scale, slope);
    assert_all_near(slope, slope_want, 4, TOL_CLOSED_FORM);
}

TEST(edges_of_the_domain)
{
    static const struct {
        int    entry;
        double value;
    } bad[] = {
        {0, -0.5},      /* a = 0                     */
        {0, -0.6},      /* a < 0                     */
        {1, 0},         /* Lambda = 0                */
        {1, 1},         /* Lambda < 0                */
        {3, -0.5},      /* 2b = M22 - m^2 Lambda = 0 */
        {3, -0.4},      /* b < 0                     */
        {0, INFINITY},  /* not finite                */
        {3, -INFINITY}, /* not finite                */
    };
    double phi[4], mu[4], A, scratch[MAX_SCRATCH];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        must(ng->from_par(1, PAR1, phi));
        phi[bad[i].entry] = bad[i].value;
        assert_int_equal(ng->moments(1, phi, mu, &A, scratch), MB_E_DOMAIN);
    }
    must(ng->from_par(1, PAR1, phi));
    phi[0] = -0.5 + 1e-12;
    must(ng->moments(1, phi, mu, &A, scratch));
}

TEST(textbook_parameters_outside_are_refused)
{
    static const double bad[2][3] = {{-0.51, -1, NAN}, {0, -1, NAN}}; /* a, b */
    double              par[4], phi[4];

    for (size_t i = 0; i < 3; i++)
        for (size_t e = 0; e < 2; e++) {
            memcpy(par, PAR1, sizeof par);
            par[e] = bad[e][i];
            assert_int_equal(ng->from_par(1, par, phi), MB_E_DOMAIN);
        }
}

/* a from -p/2 to 0: no member of the family, but a prior, whose A lacks ln Gamma(a). With
 * b = Lambda = any c and a = -p/2 it is 0, that of the density 1/tau. */
TEST(a_flat_prior_is_improper)
{
    static const double c[] = {1e-12, 1e-3, 7};
    double              phi[4], mu[4], scratch[16], A = NAN, eps = 0;

    for (size_t i = 0; i < 3; i++) {
        const double par[4] = {-0.5, c[i], 3, c[i]};

        must(ng->from_par(1, par, phi));
        assert_true(phi[0] == -1);
        assert_int_equal(ng->moments(1, phi, mu, &A, scratch), MB_E_DOMAIN);
        must(ng->improper(1, phi, &A, scratch));
        assert_true(fabs(A) <= 1e-9); /* 2b + m Lambda m of 3: b has lost a digit */
        must(ng->margin(1, phi, &eps, scratch));
        assert_true(eps > 0 && eps < c[i]);
    }
    phi[0] = -1.001;
    assert_int_equal(ng->improper(1, phi, &A, scratch), MB_E_DOMAIN);
}

/* M = diag(2, -3): the nearest of the shrunk cone is diag(2, eps); a is clipped apart. */
TEST(projection_clips_eigenvalues_and_a)
{
    const double eps = 0.125;
    double       phi[4] = {-2, -1, 0, 1.5}, dist2, scratch[MAX_SCRATCH];

    must(ng->project(1, eps, phi, &dist2, scratch));
    assert_near(phi[0], -0.5 + eps, TOL_CLOSED_FORM);
    assert_near(phi[1], -1, TOL_CLOSED_FORM);
    assert_near(phi[2], 0, TOL_CLOSED_FORM);
    assert_near(phi[3], -eps / 2, TOL_CLOSED_FORM);
    assert_near(dist2, 1.625 * 1.625 + (1.5 + eps / 2) * (1.5 + eps / 2), TOL_CLOSED_FORM);
}

TEST(a_margin_below_rounding_still_leaves_a_inside)
{
    mb_rng r = gen_rng(9);
    double par[MAX_LEN], phi[MAX_LEN], dist2, A, scratch[MAX_SCRATCH];

    for (int32_t p = 1; p <= 8; p++) {
        gen_normal_gamma(&r, p, par);
        must(ng->from_par(p, par, phi));
        phi[0] = -5;
        must(ng->project(p, 1e-30, phi, &dist2, scratch));
        must(ng->moments(p, phi, NULL, &A, scratch));
        assert_true(isfinite(A));
    }
}

/* The smaller of a and the smallest eigenvalue of M = diag(Lambda, 2b). */
TEST(margin_follows_the_smallest_of_a_and_the_eigenvalues)
{
    const double wide[4] = {0.5, 100, 0, 50}, flat[4] = {0.5, 100, 0, 1e-4};
    double       phi[4], eps, scratch[MAX_SCRATCH];

    must(ng->from_par(1, wide, phi));
    must(ng->margin(1, phi, &eps, scratch));
    assert_near(eps / 0.5e-6, 1, 1e-12);
    must(ng->from_par(1, flat, phi));
    must(ng->margin(1, phi, &eps, scratch));
    assert_near(eps / 1e-10, 1, 1e-9);
}

RUN_TESTS(NULL, NULL)
