/* Posteriors in memory: made, asked, ordered, compared, sampled. */
#include "arena.h"
#include "base/rows.h"
#include "model/components.h"
#include "num/num.h"
#include "posterior/posterior.h"
#include "test.h"

static const double LN_PI = 1.14472988584940017414;

/* One component on one column: alpha, nu, beta, m, W^-1. */
static const double   one[] = {3, 9, 4, 1e6, 50};
static const mb_sizes one_size = {.K = 1, .D = 1};
/* Two components on two columns, the second to the left of the first. */
static const double   two[] = {3, 1, 7, 5, 4, 1, 20, 3, 10, 8, 2, -4, 2, 30, -2, 6};
static const mb_sizes two_size = {.K = 2, .D = 2};
/* y = 1 + 2 x: a, b, coefficients, precision. */
static const double   line[] = {6, 12, 1, 2, 40, 8, 25};
static const mb_sizes line_size = {.K = 0, .D = 1, .intercept = 1};

static mb_posterior make(const mb_kind *kind, const mb_sizes *size, const double *par)
{
    mb_posterior p;
    mb_err       err = {0};

    must(mb_posterior_make(arena, kind, size, par, &p, &err));
    return p;
}

static double *scratch_of(const mb_posterior *p, int64_t n)
{
    double *scratch = doubles(mb_posterior_scratch(p, n));

    return scratch;
}

/* nu + 1 - D = 9 degrees of freedom around m, squared scale W^-1 (1 + beta)/(beta 9). */
TEST(one_component_predicts_students_t)
{
    const mb_posterior p = make(&mb_kind_gmm, &one_size, one);
    const double       x[] = {1e6, 1e6 + 2, 1e6 - 31}, dof = 9, s2 = 50 * 5.0 / (4 * dof);
    const mb_rows      rows = {.x = x, .n = 3, .d = 1, .ld = 1};
    double             out[3];
    mb_err             err;

    must(mb_posterior_predict(&p, &rows, MB_WANT_LOGPDF, 0, out, scratch_of(&p, 3), &err));
    for (int j = 0; j < 3; j++) {
        const double z2 = (x[j] - 1e6) * (x[j] - 1e6) / (s2 * dof);
        const double want = lgamma(dof / 2 + 0.5) - lgamma(dof / 2) -
                            0.5 * (LN_PI + log(dof * s2)) - (dof + 1) / 2 * log1p(z2);

        assert_true(fabs(out[j] - want) < 1e-12); /* digits that origin 1e6 leaves */
    }
}

/* Of single precision, and stored elsewhere. */
TEST(rows_of_any_form_have_the_densities_of_the_same_doubles)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    const float        x32[] = {4.1F, 1.3F, 9, -4.7F, 2.2F, 9, 0.1F, -0.3F, 9};
    double             x[6], want[3], out[3], *scratch = scratch_of(&p, 3);
    const mb_rows      doubles = {.x = x, .n = 3, .d = 2, .ld = 2};
    const mb_rows      floats = {.x32 = x32, .n = 3, .d = 2, .ld = 3};
    mb_rows            others;
    mb_err             err;

    for (int k = 0; k < 6; k++)
        x[k] = (double)x32[3 * (k / 2) + k % 2];
    must(mb_rows_in_units(arena, &floats, (double[]){0, 0}, (double[]){1, 1}, &others, &err));
    must(mb_posterior_predict(&p, &doubles, MB_WANT_LOGPDF, 0, want, scratch, &err));
    must(mb_posterior_predict(&p, &floats, MB_WANT_LOGPDF, 0, out, scratch, &err));
    assert_memory_equal(out, want, sizeof out);
    must(mb_posterior_predict(&p, &others, MB_WANT_LOGPDF, 0, out, scratch, &err));
    assert_memory_equal(out, want, sizeof out);
}

/* 2a degrees of freedom; squared scale b/a (1 + z' Lambda^-1 z), z = (1, x). */
TEST(a_line_predicts_students_t)
{
    const mb_posterior p = make(&mb_kind_linreg, &line_size, line);
    const double       x = 3, det = 40 * 25 - 8 * 8.0;
    const double       spread = 1 + (25 - 2 * 8 * x + 40 * x * x) / det, scale = sqrt(2 * spread);
    const double       half = scale * mb_student_quantile(12, 0.95);
    const mb_rows      rows = {.x = &x, .n = 1, .d = 1, .ld = 1};
    const double       want[] = {7, 7 - half, 7 + half, scale, 12};
    double             out[5];
    mb_err             err;

    must(mb_posterior_predict(&p, &rows, MB_WANT_INTERVAL, 0.9, out, scratch_of(&p, 1), &err));
    for (int k = 0; k < 5; k++)
        assert_true(fabs(out[k] - want[k]) < 1e-12 * fabs(want[k]));
}

TEST(rows_of_the_wrong_shape_are_refused)
{
    const mb_posterior p = make(&mb_kind_linreg, &line_size, line);
    const double       x[3] = {0};
    mb_rows            rows = {.x = x, .n = 1, .d = 3, .ld = 3};
    double             out[5], *scratch = scratch_of(&p, 1);
    mb_err             err;

    assert_int_equal(mb_posterior_predict(&p, &rows, MB_WANT_MEAN_VAR, 0, out, scratch, &err),
                     MB_E_SHAPE);
    rows.d = 1; /* its density needs the target */
    assert_int_equal(mb_posterior_predict(&p, &rows, MB_WANT_LOGPDF, 0, out, scratch, &err),
                     MB_E_SHAPE);
    assert_int_equal(mb_posterior_predict(&p, &rows, MB_WANT_RESP, 0, out, scratch, &err),
                     MB_E_NOSUP);
}

TEST(the_score_is_the_weighted_mean_of_densities)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    const double       x[] = {4, 1, -4, 2, 0, 0}, w[] = {1, 0.5, 2};
    const mb_rows      rows = {.x = x, .w = w, .n = 3, .d = 2, .ld = 2};
    mb_score           score = {0};
    double             out[3], each[4], *scratch = scratch_of(&p, 3);
    mb_err             err;

    must(mb_posterior_predict(&p, &rows, MB_WANT_LOGPDF, 0, out, scratch, &err));
    must(mb_score_rows(&p, &rows, MB_PREDICTIVE, each, scratch, &err));
    assert_memory_equal(out, each, sizeof out);
    mb_score_add(&score, &p, &rows, MB_PREDICTIVE, each);
    assert_int_equal(score.rows, 3);
    assert_true(fabs(score.weight - 3.5) < 1e-15);
    assert_true(fabs(score.sum - (out[0] + 0.5 * out[1] + 2 * out[2])) < 1e-14 * fabs(score.sum));
}

TEST(components_are_ordered_by_their_means)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    const mb_units     same = {2, (double[]){0, 0}, (double[]){1, 1}, NULL, 0};
    mb_posterior       q;
    double            *phi = doubles(p.model->layout.len);
    int32_t            order[2];
    mb_err             err;

    must(mb_posterior_order(arena, &mb_kind_gmm, &two_size, two, order, &err));
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 0);
    must(mb_from_par(&p.model->layout, two, phi, &err));
    must(mb_posterior_of(arena, &mb_kind_gmm, &two_size, p.model, &same, phi, NULL, &q, &err));
    assert_true(fabs(q.par[0] - two[1]) < 1e-15 * 4);
    assert_true(fabs(q.par[4] - two[11]) < 1e-14 * 4 && fabs(q.par[11] - two[4]) < 1e-14 * 4);
    assert_null(q.phi);
}

TEST(units_of_a_run_become_data_units)
{
    const mb_posterior p = make(&mb_kind_gmm, &one_size, one);
    const mb_units     run = {1, (double[]){100}, (double[]){8}, NULL, log(8)};
    const double       par[] = {3, 9, 4, 0.25, 2};
    mb_posterior       q;
    double             phi[5];
    mb_err             err;

    must(mb_from_par(&p.model->layout, par, phi, &err));
    must(mb_posterior_of(arena, &mb_kind_gmm, &one_size, p.model, &run, phi, NULL, &q, &err));
    assert_true(fabs(q.par[3] - 102) < 1e-12);
    assert_true(fabs(q.par[4] - 128) < 1e-12);
}

TEST(nothing_is_between_a_posterior_and_itself)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    const mb_posterior l = make(&mb_kind_linreg, &line_size, line);
    double             same[16] = {1, 3};
    mb_posterior       q;
    mb_compared        c;
    mb_err             err;

    memcpy(same + 2, two + 9, 7 * sizeof *same);
    memcpy(same + 9, two + 2, 7 * sizeof *same);
    q = make(&mb_kind_gmm, &two_size, same);
    must(mb_posterior_compare(arena, &p, &q, &c, &err));
    assert_true(fabs(c.kl[0]) < 1e-12 && fabs(c.kl[1]) < 1e-12);
    assert_true(c.largest <= 0);
    assert_int_equal(c.match[0], 1);
    assert_int_equal(c.parts.rows, 2);
    assert_true(c.parts.x[4] <= 0 && c.parts.x[1] == 1);
    must(mb_posterior_compare(arena, &l, &l, &c, &err));
    assert_true(fabs(c.kl[0]) < 1e-12 && c.largest <= 0);
    assert_string_equal(c.parts.label[0], "(intercept)");
    assert_int_equal(mb_posterior_compare(arena, &p, &l, &c, &err), MB_E_SHAPE);
}

/* Component 0 moved by v = (0.3, -0.2): the root of v'C^-1 v with C = W^-1/nu. */
TEST(components_are_compared_in_their_standard_deviations)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    const double      *w = two + 2 + 4, det = w[0] * w[2] - w[1] * w[1];
    double             moved[16];
    mb_posterior       q;
    mb_compared        c;
    mb_err             err;

    memcpy(moved, two, sizeof moved);
    moved[4] += 0.3, moved[5] -= 0.2;
    q = make(&mb_kind_gmm, &two_size, moved);
    must(mb_posterior_compare(arena, &p, &q, &c, &err));
    assert_string_equal(c.parts.column[5].name, "mean_distance_sd");
    assert_near(c.parts.x[4], sqrt(0.13), 1e-12);
    assert_near(c.parts.x[5], sqrt(two[2] * (0.09 * w[2] + 0.12 * w[1] + 0.04 * w[0]) / det),
                1e-12);
    assert_true(c.parts.x[6 + 4] <= 0 && c.parts.x[6 + 5] <= 0);
}

TEST(components_are_seen_on_two_columns)
{
    mb_components all;
    mb_component  c[2];
    mb_err        err;

    must(mb_components_make(arena, &mb_kind_gmm, &two_size, two, &all, &err));
    mb_components_on(&all, 1, 0, c);
    assert_true(fabs(c[0].weight - 0.75) < 1e-16);
    assert_true(c[1].mean[0] == 2 && c[1].mean[1] == -4);
    assert_true(c[1].cov[0] == 6 / 8.0 && c[1].cov[1] == -2 / 8.0 && c[1].cov[2] == 30 / 8.0);
}

TEST(samples_do_not_depend_on_batches)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    double             all[8], *scratch = scratch_of(&p, 4), last[2];
    int32_t            component[4], of_last;
    mb_err             err;

    must(mb_posterior_sample(&p, 5, 0, 4, all, component, scratch, &err));
    must(mb_posterior_sample(&p, 5, 3, 1, last, &of_last, scratch, &err));
    assert_memory_equal(last, all + 6, sizeof last);
    assert_int_equal(of_last, component[3]);
}

TEST(draws_are_lines_with_names)
{
    const mb_posterior p = make(&mb_kind_gmm, &two_size, two);
    const mb_posterior l = make(&mb_kind_linreg, &line_size, line);
    double             x[16], scratch[256];
    mb_draws           d;
    mb_err             err;

    must(mb_posterior_draws(arena, &p, &d, &err));
    assert_int_equal(d.rows, 2);
    assert_int_equal(d.columns, 8);
    assert_string_equal(d.name[4], "mean.x2");
    assert_string_equal(d.name[6], "covariance.x2.x1");
    assert_true(mb_posterior_draw_scratch(&p) < 256);
    must(mb_posterior_draw(&p, 1, 4, x, scratch, &err));
    assert_true(x[0] == 5 && x[1] == 0 && x[8] == 5 && x[9] == 1);
    assert_true(fabs(x[2] + x[10] - 1) < 1e-15); /* weights */
    must(mb_posterior_draws(arena, &l, &d, &err));
    assert_int_equal(d.columns, 4);
    assert_string_equal(d.name[1], "intercept");
    assert_string_equal(d.name[2], "coef.x1");
}

TEST(parameters_outside_the_domain_are_refused)
{
    const double singular[] = {3, 9, 4, 1, 0};
    mb_posterior p;
    mb_err       err;

    assert_int_equal(mb_posterior_make(arena, &mb_kind_gmm, &one_size, singular, &p, &err),
                     MB_E_DOMAIN);
}

RUN_TESTS(arena_up, arena_down)
