/* Priors that kinds make from the moments of all rows, against numbers worked out by hand. */
#include "arena.h"
#include "expfam/expfam.h"
#include "model/prior.h"
#include "test.h"

#define NEAR(got, want) assert_true(fabs((got) - (want)) <= 1e-13 * fmax(1, fabs(want)))

static mb_err err;

/* Columns a and b: midpoint and spread of their ranges, and run units that are others. */
static double         origin[2] = {10, -3}, scale[2] = {2, 0.5}, at[2] = {8, -2}, by[2] = {4, 0.25};
static uint8_t        varies[2] = {0, 0};
static const mb_units run = {2, at, by, varies, 0};

static mb_row_moments moments(double *cov, double weight)
{
    static double mean[2] = {9, -2.5}, sd[2];

    sd[0] = sqrt(cov[0]);
    sd[1] = sqrt(cov[3]);
    return (mb_row_moments){.d = 2,
                            .weight = weight,
                            .mean = mean,
                            .sd = sd,
                            .middle = origin,
                            .spread = scale,
                            .constant = varies,
                            .cov = cov};
}

static mb_gmm_kind mixture(const char *prior)
{
    mb_gmm_kind o = {0};

    must(mb_opt_defaults(mb_kind_gmm.opts, &o, &err));
    o.n_components = 4;
    o.prior = prior;
    return o;
}

/* Textbook parameters of the prior that the kind makes, in data units. */
static const double *made(const mb_kind *kind, const void *opt, const mb_row_moments *seen,
                          const char **warning)
{
    mb_prior  p = {.par = NULL};
    mb_arena *a = arena;
    double   *scratch;

    if (kind->prior(a, opt, &run, seen, &p, &err) != MB_OK)
        fail_msg("%s", err.msg);
    *warning = p.warning;
    if (p.par)
        return p.par;
    p.par = mb_alloc(a, p.model.layout.len, sizeof *p.par);
    scratch = mb_alloc(a, p.model.layout.scratch, sizeof *scratch);
    must(mb_to_par(&p.model.layout, p.model.prior, p.par, scratch, &err));
    mb_move_par(&p.model.layout, run.origin, run.scale, p.par);
    return p.par;
}

/* par of a mixture of 4: alpha (4), then nu, beta, m (2), W^-1 (3) of each. */
static void expect_component(const double *par, int k, double nu, double beta, const double *m,
                             const double *winv)
{
    const double want[] = {nu, beta, m[0], m[1], winv[0], winv[1], winv[2]};

    for (int l = 0; l < 7; l++)
        NEAR(par[4 + 7 * k + l], want[l]);
}

TEST(empirical_is_mean_and_covariance_with_d_degrees_of_freedom)
{
    static double        cov[4] = {3, -0.4, -0.4, 0.2};
    const mb_row_moments seen = moments(cov, 50);
    const double         m[2] = {9, -2.5}, winv[3] = {3, -0.4, 0.2};
    const char          *warning;

    for (int given = 0; given < 2; given++) {
        const mb_gmm_kind o = mixture(given ? "empirical" : NULL);
        const double     *par = made(&mb_kind_gmm, &o, &seen, &warning);

        assert_null(warning);
        assert_int_equal(mb_kind_gmm.needs_covariance(&o), 1);
        for (int k = 0; k < 4; k++) {
            NEAR(par[k], 0.25);
            expect_component(par, k, 2, 1, m, winv);
        }
    }
}

TEST(weak_and_paper_need_no_covariance)
{
    const mb_gmm_kind    weak = mixture("weak"), paper = mixture("paper");
    const double         one[3] = {4, 0, 0.25}, five[2] = {1e-5, 1e-5}, tiny[3] = {1e-5, 0, 1e-5};
    static double        cov[4] = {3, -0.4, -0.4, 0.2};
    const mb_row_moments seen = moments(cov, 50);
    const char          *warning;

    assert_int_equal(mb_kind_gmm.needs_covariance(&weak), 0);
    assert_int_equal(mb_kind_gmm.needs_covariance(&paper), 0);
    expect_component(made(&mb_kind_gmm, &weak, &seen, &warning), 3, 4, 1, origin, one);
    expect_component(made(&mb_kind_gmm, &paper, &seen, &warning), 0, 3, 1e-5, five, tiny);
}

/* par of a mixture of 4 without matrices: alpha (4), then of each column or of both: a, b, m, lambda. */
static void expect_columns(const double *par, int one, const double *m, const double *winv,
                           double nu, double beta)
{
    const double *c = par + 4 + (one ? 6 : 8);

    if (one) {
        const double want[] = {nu, winv[0], m[0], m[1], beta, beta};

        for (int l = 0; l < 6; l++)
            NEAR(c[l], want[l]);
        return;
    }
    for (int d = 0; d < 2; d++) {
        const double want[] = {nu / 2, winv[d] / 2, m[d], beta};

        for (int l = 0; l < 4; l++)
            NEAR(c[4 * d + l], want[l]);
    }
}

/* scikit-learn's: variances, or their mean; a single variance needs columns in one scale. */
TEST(without_matrices_the_priors_are_of_variances)
{
    static double        cov[4] = {3, -0.4, -0.4, 0.2};
    const mb_row_moments seen = moments(cov, 50);
    const double         m[2] = {9, -2.5}, five[2] = {1e-5, 1e-5}, given[2] = {7, 7};
    const double         empirical[2][2] = {{3, 0.2}, {1.6, 0}};
    const double         weak[2][2] = {{4, 0.25}, {2.125, 0}};
    const char          *warning;

    for (int one = 0; one < 2; one++) {
        mb_gmm_kind o = mixture(NULL);

        by[1] = one ? by[0] : 0.25;
        o.covariance_type = one ? MB_COVARIANCE_SPHERICAL : MB_COVARIANCE_DIAG;
        assert_int_equal(mb_kind_gmm.needs_covariance(&o), 0);
        expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), one, m, empirical[one], 2, 1);
        assert_null(warning);
        o.w0inv = "7";
        expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), one, m, given, 2, 1);
        o.w0inv = NULL;
        o.prior = "weak";
        expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), one, origin, weak[one], 4, 1);
        o.prior = "paper";
        expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), one, five, five, 3, 1e-5);
    }
    by[1] = 0.25;
}

TEST(a_variance_of_zero_is_raised_and_a_mean_of_variances_is_not)
{
    static double        cov[4] = {6, 0, 0, 0}, none[4] = {0, 0, 0, 0};
    const mb_row_moments seen = moments(cov, 50);
    const double         m[2] = {9, -2.5}, raised[2] = {6, 3e-6}, mean[1] = {3};
    mb_gmm_kind          o = mixture(NULL);
    const char          *warning;

    o.covariance_type = MB_COVARIANCE_DIAG;
    expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), 0, m, raised, 2, 1);
    assert_non_null(strstr(warning, "constant columns"));
    o.covariance_type = MB_COVARIANCE_SPHERICAL;
    by[1] = by[0];
    expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), 1, m, mean, 2, 1);
    assert_null(warning);

    const mb_row_moments flat = moments(none, 50);

    made(&mb_kind_gmm, &o, &flat, &warning);
    assert_non_null(strstr(warning, "no covariance"));
    by[1] = 0.25;
}

TEST(as_many_numbers_as_variances_are_read)
{
    static double        cov[4] = {3, -0.4, -0.4, 0.2};
    const mb_row_moments seen = moments(cov, 50);
    const double         m[2] = {9, -2.5}, two[2] = {2, 5};
    mb_gmm_kind          o = mixture(NULL);
    mb_prior             p = {.par = NULL};
    const char          *warning;

    o.covariance_type = MB_COVARIANCE_DIAG;
    o.w0inv = "2,5";
    expect_columns(made(&mb_kind_gmm, &o, &seen, &warning), 0, m, two, 2, 1);
    o.covariance_type = MB_COVARIANCE_SPHERICAL;
    assert_int_equal(mb_kind_gmm.prior(arena, &o, &run, &seen, &p, &err), MB_E_ARG);
    assert_string_equal(err.msg, "--prior.w0inv: got 2 numbers; expected 1 number");
    o.w0inv = "-2";
    assert_int_equal(mb_kind_gmm.prior(arena, &o, &run, &seen, &p, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "w0inv = -"));
}

TEST(single_options_win_over_the_empirical_prior)
{
    static double        cov[4] = {3, -0.4, -0.4, 0.2};
    const mb_row_moments seen = moments(cov, 50);
    const double         m[2] = {1, 2}, winv[3] = {7, 0, 7};
    mb_gmm_kind          o = mixture("empirical");
    const char          *warning;

    o.nu0 = 5.5;
    o.beta0 = 0.5;
    o.mu0 = "1,2";
    o.w0inv = "7";
    assert_int_equal(mb_kind_gmm.needs_covariance(&o), 0); /* then the covariance is not needed */
    expect_component(made(&mb_kind_gmm, &o, &seen, &warning), 1, 5.5, 0.5, m, winv);
}

TEST(a_singular_covariance_is_raised_by_1e_6_of_its_mean_diagonal)
{
    static double cov[][4] = {{4, 2, 2, 1}, {6, 0, 0, 0}, {0, 0, 0, 2}};

    for (size_t k = 0; k < sizeof cov / sizeof *cov; k++) {
        const mb_row_moments seen = moments(cov[k], 50);
        const mb_gmm_kind    o = mixture(NULL);
        const double         more = 1e-6 * (cov[k][0] + cov[k][3]) / 2;
        const double         winv[3] = {cov[k][0] + more, cov[k][1], cov[k][3] + more};
        const char          *warning;

        expect_component(made(&mb_kind_gmm, &o, &seen, &warning), 2, 2, 1, seen.mean, winv);
        assert_non_null(strstr(warning, "singular"));
    }
}

/* Columns in metres and in nanometres; also close to collinear, but not so. */
TEST(units_of_columns_do_not_make_a_covariance_singular)
{
    static double cov[][4] = {
        {1e-18, 0.5e-9, 0.5e-9, 1}, {1, 1 - 1e-9, 1 - 1e-9, 1}, {1e12, 1e-2, 1e-2, 1e-12}};

    for (size_t k = 0; k < sizeof cov / sizeof *cov; k++) {
        const mb_row_moments seen = moments(cov[k], 50);
        const char          *warning = NULL;
        double               out[4];

        must(mb_prior_covariance_(arena, &seen, out, &warning, &err));
        assert_null(warning);
        assert_memory_equal(out, cov[k], sizeof out);
    }
}

TEST(without_a_covariance_the_weak_one_is_used)
{
    static double none[4] = {0, 0, 0, 0}, some[4] = {3, 0, 0, 2}, undefined[4] = {NAN, 0, 0, NAN};
    const mb_row_moments seen[] = {moments(none, 50), moments(some, 1), moments(some, 0.5),
                                   moments(undefined, 1)};
    const double         winv[3] = {4, 0, 0.25};

    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        const mb_gmm_kind o = mixture(NULL);
        const char       *warning;

        expect_component(made(&mb_kind_gmm, &o, &seen[k], &warning), 0, 2, 1, seen->mean, winv);
        assert_non_null(strstr(warning, "no covariance"));
    }
}

static mb_linreg_kind line(const char *prior, int32_t intercept)
{
    mb_linreg_kind o = {0};

    must(mb_opt_defaults(mb_kind_linreg.opts, &o, &err));
    o.prior = prior;
    o.intercept = intercept;
    return o;
}

/* y = w0 + w1 x with x = 9 + s z, y = -2.5 + t v and v = u0 + u1 z, where 1e-6 (u0^2 + u1^2) is the
 * exponent: u1 = w1 s/t, u0 = (w0 + 9 w1 + 2.5)/t. */
TEST(empirical_regression_is_isotropic_at_means_and_deviations)
{
    static double        cov[4] = {4, -0.3, -0.3, 0.25};
    const mb_row_moments seen = moments(cov, 50);
    const mb_linreg_kind o = line("empirical", 1);
    const double         want[7] = {0.5, 1e-4 * 0.25, -2.5, 0, 1e-6, 9e-6, 1e-6 * (81 + 4)};
    const char          *warning;
    const double        *par = made(&mb_kind_linreg, &o, &seen, &warning);

    assert_false(mb_kind_linreg.needs_covariance(&o)); /* it needs no covariance */
    for (int l = 0; l < 7; l++)
        assert_true(fabs(par[l] - want[l]) <= 1e-13 * fmax(1e-3, fabs(want[l])));
}

/* a = -p/2, and 1e-12 in the same columns. */
TEST(reference_regression_is_flat)
{
    static double        cov[4] = {4, -0.3, -0.3, 0.25};
    const mb_row_moments seen = moments(cov, 50);
    const mb_linreg_kind o = line("reference", 1);
    const double         want[7] = {-1, 1e-12 * 0.25, -2.5, 0, 1e-12, 9e-12, 1e-12 * (81 + 4)};
    const char          *warning;
    const double        *par = made(&mb_kind_linreg, &o, &seen, &warning);

    assert_true(mb_kind_linreg.needs_covariance(&o));
    assert_null(warning);
    for (int l = 0; l < 7; l++)
        assert_true(fabs(par[l] - want[l]) <= 1e-13 * fabs(want[l]));
}

/* Rows that are no more than coefficients, collinear columns: the empirical one, with a warning. */
TEST(reference_regression_needs_rows)
{
    static double        cov[4] = {4, -0.3, -0.3, 0.25}, exact[4] = {4, 1, 1, 0.25};
    const mb_row_moments few = moments(cov, 2), collinear = moments(exact, 50);
    const mb_linreg_kind o = line("reference", 1);
    const char          *warning;
    const double        *par = made(&mb_kind_linreg, &o, &few, &warning);

    assert_true(par[0] == 0.5);
    assert_non_null(strstr(warning, "no more rows than coefficients"));
    par = made(&mb_kind_linreg, &o, &collinear, &warning);
    assert_true(par[0] == 0.5);
    assert_non_null(strstr(warning, "--linreg.relevance on"));
}

/* Through the origin the scale is the root mean square: sd^2 + mean^2. */
TEST(without_an_intercept_its_scale_is_about_zero)
{
    static double        cov[4] = {4, -0.3, -0.3, 0.25};
    const mb_row_moments seen = moments(cov, 50);
    const mb_linreg_kind o = line("empirical", 0);
    const double         want[4] = {0.5, 1e-4 * (0.25 + 6.25), 0, 1e-6 * (4 + 81)};
    const char          *warning;
    const double        *par = made(&mb_kind_linreg, &o, &seen, &warning);

    for (int l = 0; l < 4; l++)
        assert_true(fabs(par[l] - want[l]) <= 1e-13 * fabs(want[l]));
}

TEST(weak_regression_is_isotropic_at_middle_and_spread)
{
    static double        cov[4] = {4, -0.3, -0.3, 0.25};
    const mb_row_moments seen = moments(cov, 50);
    const mb_linreg_kind o = line("weak", 1);
    const double         want[7] = {0.5, 1e-4 * 0.25, -3, 0, 1e-4, 1e-3, 1e-4 * (100 + 4)};
    const char          *warning;
    const double        *par = made(&mb_kind_linreg, &o, &seen, &warning);

    for (int l = 0; l < 7; l++)
        assert_true(fabs(par[l] - want[l]) <= 1e-13 * fmax(1e-3, fabs(want[l])));
}

TEST(an_unknown_prior_is_refused_with_what_there_is)
{
    static double        cov[4] = {4, -0.3, -0.3, 0.25};
    const mb_row_moments seen = moments(cov, 50);
    const mb_gmm_kind    o[] = {mixture("strong"), mixture("posterior:yesterday.json")};
    const mb_linreg_kind p = line("paper", 1);
    mb_prior             out = {.par = NULL};

    assert_int_equal(mb_kind_gmm.prior(arena, &o[0], &run, &seen, &out, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "\"strong\""));
    assert_non_null(strstr(err.msg, "empirical, weak, paper or posterior"));
    assert_int_equal(mb_kind_gmm.prior(arena, &o[1], &run, &seen, &out, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "mb_case_opt.prior"));
    assert_int_equal(mb_kind_linreg.prior(arena, &p, &run, &seen, &out, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "\"paper\""));
}

RUN_TESTS(arena_up, arena_down)
