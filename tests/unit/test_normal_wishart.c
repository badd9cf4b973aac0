/* test_normal_wishart.c - the normal-Wishart against closed forms and its domain's edges. */
#include "gen.h"
#include "num/num.h"
#include "test.h"

static const double TOL_CLOSED_FORM = 1e-14;

enum { MAX_LEN = 64, MAX_SCRATCH = 256 };

static const mb_family *nw = &mb_normal_wishart;

/* D = 1, nu = 3, beta = 2, m = 0.5, W^-1 = 4: M = [2, 1; 1, 4.5]. */
static const double PAR1[4] = {3, 2, 0.5, 4};

TEST(natural_form_of_a_known_posterior)
{
    const double want[4] = {1, -1, -sqrt(2) / 2, -2.25};
    double       phi[4];

    assert_int_equal(nw->len(1), 4);
    must(nw->from_par(1, PAR1, phi));
    assert_all_near(phi, want, 4, TOL_CLOSED_FORM);
}

/* E[ln lam] = psi(3/2) - ln 2, E[lam] = nu W = 3/4, E[lam mu] = 3/8, E[mu^2 lam] = 1/2 + 3/16. */
TEST(moments_of_a_known_posterior)
{
    const double euler = 0.57721566490153286061;
    const double want[4] = {2 - euler - 2 * log(2) - log(2), 0.6875, -sqrt(2) * 0.375, 0.75};
    double       phi[4], mu[4], A, scratch[MAX_SCRATCH];

    must(nw->from_par(1, PAR1, phi));
    must(nw->moments(1, phi, mu, &A, scratch));
    assert_all_near(mu, want, 4, TOL_CLOSED_FORM);
    /* -1/2 ln 2 + 3/2 (ln 1/4 + ln 2) + ln Gamma(3/2), Gamma(3/2) = sqrt(pi)/2 */
    assert_near(A, -2 * log(2) + 0.5 * log(3.14159265358979323846) - log(2), TOL_CLOSED_FORM);
}

TEST(papers_order_of_a_known_posterior)
{
    const double par[7] = {5, 2, 1, -3, 4, 0.5, 1}; /* D = 2, W^-1 = [4, .5; .5, 1] */
    const double want[8] = {1.5, -3, 2.75, 2.75, -9.5, 2, -6, -1};
    double       phi[7], out[8], scratch[MAX_SCRATCH];

    must(nw->from_par(2, par, phi));
    nw->to_paper(2, phi, NULL, NULL, out, scratch);
    assert_all_near(out, want, 8, TOL_CLOSED_FORM);
}

TEST(a_row_adds_its_natural_statistics)
{
    /* phi + [1/2, svec(-z z'/2)]: nu + 1, beta + 1, m = (beta m + x)/(beta + 1) */
    const double x = 2.5, row[4] = {0.5, -0.5, -sqrt(2) / 2 * x, -0.5 * x * x};
    const double m = (2 * 0.5 + x) / 3, winv = 4 + 2 * 0.25 + x * x - 3 * m * m;
    const double want[4] = {4, 3, m, winv};
    double       phi[4], par[4], scratch[MAX_SCRATCH];

    must(nw->from_par(1, PAR1, phi));
    for (int e = 0; e < 4; e++)
        phi[e] += row[e];
    must(nw->to_par(1, phi, par, scratch));
    assert_all_near(par, want, 4, TOL_CLOSED_FORM);
}

TEST(edges_of_the_domain)
{
    static const struct {
        int    entry;
        double value;
    } bad[] = {
        {0, -0.5},      /* nu = D - 1              */
        {0, -0.6},      /* nu < D - 1              */
        {1, 0},         /* beta = 0                */
        {1, 1},         /* beta < 0                */
        {3, -0.25},     /* W^-1 = M22 - m^2 beta = 0 */
        {3, -0.2},      /* W^-1 < 0                */
        {0, INFINITY},  /* not finite              */
        {3, -INFINITY}, /* not finite              */
    };
    double phi[4], mu[4], A, scratch[MAX_SCRATCH];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        must(nw->from_par(1, PAR1, phi));
        phi[bad[i].entry] = bad[i].value;
        assert_int_equal(nw->moments(1, phi, mu, &A, scratch), MB_E_DOMAIN);
    }
    must(nw->from_par(1, PAR1, phi));
    phi[0] = -0.5 + 1e-12;
    must(nw->moments(1, phi, mu, &A, scratch));
}

TEST(nu_just_above_its_bound_never_gives_infinity)
{
    mb_rng r = gen_rng(7);
    double par[MAX_LEN], phi[MAX_LEN], mu[MAX_LEN], A, scratch[MAX_SCRATCH];

    for (int32_t D = 1; D <= 8; D++) {
        gen_normal_wishart(&r, D, par);
        must(nw->from_par(D, par, phi));
        phi[0] = nextafter(-0.5, 0);
        for (int step = 0; step < 40; step++, phi[0] = nextafter(phi[0], 0))
            if (nw->moments(D, phi, mu, &A, scratch) == MB_OK)
                assert_true(isfinite(A) && isfinite(mu[0]));
    }
}

TEST(textbook_parameters_outside_are_refused)
{
    double par[4], phi[4];

    memcpy(par, PAR1, sizeof par);
    par[0] = 0; /* nu = D - 1 */
    assert_int_equal(nw->from_par(1, par, phi), MB_E_DOMAIN);
    par[0] = 3;
    par[1] = 0; /* beta */
    assert_int_equal(nw->from_par(1, par, phi), MB_E_DOMAIN);
    par[1] = NAN;
    assert_int_equal(nw->from_par(1, par, phi), MB_E_DOMAIN);
}

/* M = diag(2, -3): the nearest of the shrunk cone is diag(2, eps); nu is clipped apart. */
TEST(projection_clips_eigenvalues_and_nu)
{
    const double eps = 0.125;
    double       phi[4] = {-2, -1, 0, 1.5}, dist2, scratch[MAX_SCRATCH];

    must(nw->project(1, eps, phi, &dist2, scratch));
    assert_near(phi[0], -0.5 + eps, TOL_CLOSED_FORM);
    assert_near(phi[1], -1, TOL_CLOSED_FORM);
    assert_near(phi[2], 0, TOL_CLOSED_FORM);
    assert_near(phi[3], -eps / 2, TOL_CLOSED_FORM);
    assert_near(dist2, 1.625 * 1.625 + (1.5 + eps / 2) * (1.5 + eps / 2), TOL_CLOSED_FORM);
}

/* An eps far below the rounding of large eigenvalues must still end inside. */
TEST(projection_of_a_badly_scaled_matrix_is_inside)
{
    double phi[4] = {0, -1e8, -1e8, 1}, dist2, A, scratch[MAX_SCRATCH], once[4];

    must(nw->project(1, 1e-11, phi, &dist2, scratch));
    assert_true(dist2 > 0);
    must(nw->moments(1, phi, NULL, &A, scratch));
    memcpy(once, phi, sizeof once);
    must(nw->project(1, 1e-11, phi, &dist2, scratch));
    assert_memory_equal(phi, once, sizeof once);
}

TEST(a_margin_below_rounding_still_leaves_nu_inside)
{
    mb_rng r = gen_rng(9);
    double par[MAX_LEN], phi[MAX_LEN], dist2, A, scratch[MAX_SCRATCH];

    for (int32_t D = 1; D <= 8; D++) {
        gen_normal_wishart(&r, D, par);
        must(nw->from_par(D, par, phi));
        phi[0] = -5;
        must(nw->project(D, 1e-30, phi, &dist2, scratch));
        must(nw->moments(D, phi, NULL, &A, scratch));
        assert_true(isfinite(A));
    }
}

/* A graded M is inside though its small eigenvalue is below the rounding of its large one. */
TEST(a_graded_matrix_inside_is_left_alone)
{
    double phi[4] = {0, -5e-10, 0, -5e9}, dist2, scratch[MAX_SCRATCH], before[4];

    memcpy(before, phi, sizeof before);
    must(nw->project(1, 1e-11, phi, &dist2, scratch));
    assert_memory_equal(phi, before, sizeof before);
}

/* Smallest eigenvalue of diag(beta, W^-1) is beta = 1e-5. */
TEST(margin_of_the_papers_prior)
{
    const double par[7] = {3, 1e-5, 0, 0, 2e-5, 0, 3e-5};
    double       phi[7], eps, scratch[MAX_SCRATCH];

    must(nw->from_par(2, par, phi));
    must(nw->margin(2, phi, &eps, scratch));
    assert_near(eps / 1e-11, 1, 1e-12);
}

enum { WIDE = 40, MANY = WIDE * WIDE };

/* eps of M over 1e-6 times M's smallest eigenvalue. M is destroyed. */
static double relative_margin(double *M)
{
    double phi[1 + MANY] = {0}, scratch[2 * MANY + WIDE], eps;

    mb_svec_(M, WIDE, phi + 1);
    for (int e = 1; e <= MANY; e++)
        phi[e] *= -0.5;
    must(nw->margin(WIDE - 1, phi, &eps, scratch));
    must(mb_eig_sym_(M, WIDE, scratch, NULL));
    return eps / (1e-6 * scratch[0]);
}

/* Of path Laplacians, whose smallest eigenvalues are close to each other, plus a multiple of I. */
TEST(margin_of_many_columns_is_a_little_below_that_of_the_smallest_eigenvalue)
{
    for (double least = 1e-9; least < 1e4; least *= 10) {
        double M[MANY] = {0}, got;

        for (int i = 0; i < WIDE; i++) {
            M[i * WIDE + i] = least + (i == 0 || i == WIDE - 1 ? 1 : 2);
            if (i > 0)
                M[i * WIDE + i - 1] = M[(i - 1) * WIDE + i] = -1;
        }
        got = relative_margin(M);
        assert_true(got < 1 - 1e-6);
        assert_true(got > 0.99);
    }
}

/* I less nearly all of its part along a vector that is orthogonal to where inverse iteration begins:
 * its estimate is 1. */
TEST(margin_of_many_columns_stays_one_where_inverse_iteration_misses)
{
    double M[MANY] = {0}, v[2] = {1 + 1.0 / WIDE, -1}, square = v[0] * v[0] + v[1] * v[1], got;

    for (int i = 0; i < WIDE; i++)
        M[i * WIDE + i] = 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            M[i * WIDE + j] -= (1 - 1e-3) * v[i] * v[j] / square;
    got = relative_margin(M);
    assert_true(got < 1);
    assert_true(got > 0.7);
}

/* Its inverse iteration overflows, and all eigenvalues are computed. */
TEST(margin_of_many_columns_is_found_where_one_eigenvalue_is_nearly_0)
{
    double M[MANY] = {0};

    for (int i = 0; i < WIDE; i++)
        M[i * WIDE + i] = i ? 1 : 2e-308;
    assert_true(relative_margin(M) >= 1);
}

RUN_TESTS(NULL, NULL)
