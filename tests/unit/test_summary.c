/* What a posterior says of its parts, for people. */
#include "arena.h"
#include "posterior/posterior.h"
#include "test.h"

static const double TOL = 1e-14;
/* Two components on two columns: concentrations; nu, beta, m, W^-1 by rows. */
static const double   two[] = {3, 1, 7, 5, -4, 2, 20, 3, 10, 8, 2, 4, 1, 30, -2, 6};
static const mb_sizes two_size = {.K = 2, .D = 2};
/* y = 1 + 2 x: a, b, coefficients, precision. */
static const double   line[] = {6, 12, 1, 2, 40, 8, 25};
static const mb_sizes line_size = {.K = 0, .D = 1, .intercept = 1};

static mb_summary summary_of(const mb_kind *kind, const mb_sizes *size, const double *par,
                             const double *prior, const mb_kind *as)
{
    mb_posterior p;
    mb_summary   s;
    mb_err       err = {0};

    must(mb_posterior_make(arena, kind, size, par, &p, &err));
    p.prior_par = prior;
    p.kind = as;
    must(mb_posterior_summary(arena, &p, &s, &err));
    return s;
}

static void are_the_two_components(const mb_summary *s)
{
    const double variance[] = {20 / 7.0, 10 / 7.0, 30 / 8.0, 6 / 8.0};
    const double mean[] = {-4, 2, 4, 1};

    assert_string_equal(s->part, "component");
    assert_int_equal(s->rows, 2);
    assert_int_equal(s->columns, 2);
    assert_string_equal(s->name[1], "x2");
    assert_near(s->weight[0], 0.75, TOL);
    assert_near(s->weight[1], 0.25, TOL);
    for (int e = 0; e < 4; e++) {
        assert_near(s->mean[e], mean[e], TOL);
        assert_near(s->sd[e], sqrt(variance[e]), TOL);
    }
}

TEST(a_component_has_the_rows_that_the_prior_had_not)
{
    const double prior[sizeof two / sizeof *two] = {0.5, 0.5};
    mb_summary   s = summary_of(&mb_kind_gmm, &two_size, two, prior, &mb_kind_gmm);

    are_the_two_components(&s);
    assert_near(s.count[0], 2.5, TOL);
    assert_near(s.count[1], 0.5, TOL);
    s = summary_of(&mb_kind_gmm, &two_size, two, NULL, &mb_kind_gmm);
    assert_true(isnan(s.count[0]));
}

/* Marginals are Student's t with 12 degrees of freedom, squared scale b/a times the inverse. */
TEST(a_coefficient_has_the_interval_of_students_t)
{
    const double     inverse[] = {25 / 936.0, 40 / 936.0}, t = 2.1788128296672284;
    const mb_summary s = summary_of(&mb_kind_linreg, &line_size, line, NULL, &mb_kind_linreg);

    assert_string_equal(s.part, "coefficient");
    assert_string_equal(s.label[0], "(intercept)");
    assert_string_equal(s.name[0], "y");
    assert_null(s.weight);
    for (int j = 0; j < 2; j++) {
        const double scale = sqrt(2 * inverse[j]);

        assert_near(s.mean[j], 1 + j, TOL);
        assert_near(s.sd[j], scale * sqrt(12 / 10.0), 1e-13);
        assert_near(s.low[j], 1 + j - t * scale, 1e-9);
        assert_near(s.high[j], 1 + j + t * scale, 1e-9);
    }
    assert_non_null(strstr(s.note, "12 degrees of freedom"));
}

TEST(a_kind_with_components_needs_no_function)
{
    mb_kind    plain = mb_kind_gmm;
    mb_summary s;

    plain.summary = NULL;
    s = summary_of(&mb_kind_gmm, &two_size, two, NULL, &plain);
    are_the_two_components(&s);
    assert_true(isnan(s.count[0]));
}

TEST(a_kind_without_components_lists_its_parameters)
{
    mb_kind    plain = mb_kind_gmm;
    mb_summary s;

    plain.summary = NULL;
    plain.component = NULL;
    s = summary_of(&mb_kind_gmm, &two_size, two, NULL, &plain);
    assert_int_equal(s.rows, 2);
    assert_int_equal(s.columns, 4);
    assert_string_equal(s.name[0], "weight_concentration");
    assert_string_equal(s.name[3], "degrees_of_freedom");
    assert_near(s.mean[0], 3, TOL);
    assert_near(s.mean[7], 8, TOL);
}

RUN_TESTS(arena_up, arena_down)
