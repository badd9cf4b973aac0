/* Claims about predictions of linear regression: density, moments, intervals. */
#include "linreg_bench.h"
#include "num/num.h"
#include "test.h"

/* One row at which predictions are asked for. */
static const double AT[LR_COLUMNS] = {1.5, -2, 0.3, 9};

static mb_rows row_at(const double *x, int32_t d)
{
    return (mb_rows){.x = x, .n = 1, .d = d, .ld = LR_COLUMNS};
}

/* x' Lambda^-1 x by the tests' own elimination. */
static double leverage(const lr_bench *b, const double *row)
{
    lr_sums     s = lr_prior(&b->o);
    long double v[LR_MAX_P], sum = 0;

    lr_add(&s, &b->rows);
    for (int32_t i = 0; i < s.p; i++)
        s.A[i][s.p] = lr_input(&s, row, i);
    lr_solve(&s, v);
    for (int32_t i = 0; i < s.p; i++)
        sum += v[i] * lr_input(&s, row, i);
    return (double)sum;
}

/* p(y | x) = integral over tau of Gamma(tau | a, b) N(y | m'x, (1 + x' Lambda^-1 x)/tau), by the
 * trapezoidal rule in ln tau, where it converges geometrically. */
static double density_by_quadrature(const lr_bench *b, double residual, double spread)
{
    const double a = b->par[0], rate = b->par[1], h = 0.005;
    double       sum = 0;

    for (double lt = log(a / rate) - 12; lt < log(a / rate) + 6; lt += h)
        sum += exp(a * log(rate) - lgamma(a) + a * lt - rate * exp(lt) +
                   0.5 * (lt - log(2 * 3.14159265358979323846 * spread)) -
                   0.5 * exp(lt) * residual * residual / spread);
    return sum * h;
}

TEST(the_density_is_the_average_over_the_posterior)
{
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        lr_bench *b = lr_bench_new(intercept, 1);
        double    row[LR_COLUMNS], location = intercept ? b->par[2] : 0, ln_p;

        memcpy(row, AT, sizeof row);
        for (int i = 0; i < LR_D; i++)
            location += b->par[2 + intercept + i] * row[i];
        for (row[LR_D] = location - 6; row[LR_D] < location + 7; row[LR_D] += 1.37) {
            const mb_rows one = row_at(row, LR_COLUMNS);

            lr_predict(b, &one, MB_WANT_LOGPDF, &ln_p);
            assert_near(ln_p,
                        log(density_by_quadrature(b, row[LR_D] - location, 1 + leverage(b, row))),
                        1e-11);
        }
    }
}

/* Simpson's rule for P(|y - location| < half), the predictive density given. */
static double mass_within(lr_bench *b, double location, double half)
{
    enum { STEPS = 2000 };
    const double h = 2 * half / STEPS;
    double       row[LR_COLUMNS], sum = 0, ln_p;

    memcpy(row, AT, sizeof row);
    for (int i = 0; i <= STEPS; i++) {
        const mb_rows one = row_at(row, LR_COLUMNS);

        row[LR_D] = location - half + i * h;
        lr_predict(b, &one, MB_WANT_LOGPDF, &ln_p);
        sum += exp(ln_p) * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return sum * h / 3;
}

TEST(intervals_hold_their_probability)
{
    static const double probability[] = {0.5, 0.9, 0.95, 0.999};
    lr_bench           *b = lr_bench_new(1, 1);
    const mb_rows       one = row_at(AT, LR_COLUMNS);
    double              t[3];

    lr_predict(b, &one, MB_WANT_INTERVAL, t);
    assert_near(t[2], 2 * b->par[0], 1e-15);
    for (size_t i = 0; i < sizeof probability / sizeof *probability; i++)
        assert_near(
            mass_within(b, t[0], t[1] * mb_student_quantile(t[2], (1 + probability[i]) / 2)),
            probability[i], 1e-10);
}

/* b/(a-1) (1 + x' Lambda^-1 x), and scale^2 dof/(dof-2). */
TEST(mean_and_variance_are_those_of_the_density)
{
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        lr_bench     *b = lr_bench_new(intercept, 0);
        const mb_rows one = row_at(AT, LR_COLUMNS);
        double        mv[2], t[3];

        lr_predict(b, &one, MB_WANT_MEAN_VAR, mv);
        lr_predict(b, &one, MB_WANT_INTERVAL, t);
        assert_near(mv[0], t[0], 0);
        assert_near(mv[1], t[1] * t[1] * t[2] / (t[2] - 2), 1e-14);
        assert_near(mv[1], b->par[1] / (b->par[0] - 1) * (1 + leverage(b, AT)), 1e-12);
    }
}

TEST(the_target_is_not_needed_for_its_moments)
{
    lr_bench     *b = lr_bench_new(1, 0);
    const mb_rows without = {.x = b->x, .n = LR_ROWS, .d = LR_D, .ld = LR_COLUMNS};
    double        out[2][3 * LR_ROWS];

    lr_predict(b, &b->rows, MB_WANT_INTERVAL, out[0]);
    lr_predict(b, &without, MB_WANT_INTERVAL, out[1]);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    lr_predict(b, &b->rows, MB_WANT_MEAN_VAR, out[0]);
    lr_predict(b, &without, MB_WANT_MEAN_VAR, out[1]);
    assert_memory_equal(out[0], out[1], 2 * LR_ROWS * sizeof(double));
    b->x[5 * LR_COLUMNS + LR_D] = NAN; /* a target not yet known */
    lr_predict(b, &b->rows, MB_WANT_MEAN_VAR, out[1]);
    assert_memory_equal(out[0], out[1], 2 * LR_ROWS * sizeof(double));
    assert_int_equal(
        b->m.ops->predict(&b->m, b->phi, &without, MB_WANT_LOGPDF, out[0], b->scratch, &b->err),
        MB_E_SHAPE);
    assert_non_null(strstr(b->err.msg, "3 inputs and a target"));
}

TEST(rows_of_weight_zero_are_predicted_too)
{
    lr_bench *b = lr_bench_new(1, 1);
    mb_rows   heavy = b->rows;
    double    out[2][LR_ROWS];

    heavy.w = NULL;
    lr_predict(b, &b->rows, MB_WANT_LOGPDF, out[0]);
    lr_predict(b, &heavy, MB_WANT_LOGPDF, out[1]);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
}

/* dof = 2a: no variance up to 2, not even a mean up to 1. */
TEST(a_variance_that_does_not_exist_is_not_a_number)
{
    const mb_rows one = row_at(AT, LR_COLUMNS);
    lr_bench     *b = lr_bench_new(1, 0);
    double        mv[2];

    b->par[0] = 1.25;
    must(mb_from_par(&b->m.layout, b->par, b->phi, &b->err));
    lr_predict(b, &one, MB_WANT_MEAN_VAR, mv);
    assert_true(isfinite(mv[1]));
    b->par[0] = 1;
    must(mb_from_par(&b->m.layout, b->par, b->phi, &b->err));
    lr_predict(b, &one, MB_WANT_MEAN_VAR, mv);
    assert_true(isinf(mv[1]) && mv[1] > 0);
    b->par[0] = 0.5;
    must(mb_from_par(&b->m.layout, b->par, b->phi, &b->err));
    lr_predict(b, &one, MB_WANT_MEAN_VAR, mv);
    assert_true(isnan(mv[1]) && isfinite(mv[0]));
}

TEST(what_can_not_be_predicted_is_named)
{
    lr_bench *b = lr_bench_new(1, 0);
    double    out[3 * LR_ROWS];
    mb_rows   rows = b->rows;

    b->x[7 * LR_COLUMNS + 1] = INFINITY;
    assert_int_equal(
        b->m.ops->predict(&b->m, b->phi, &rows, MB_WANT_MEAN_VAR, out, b->scratch, &b->err),
        MB_E_NUMERIC);
    assert_non_null(strstr(b->err.msg, "row 7"));
    b->x[7 * LR_COLUMNS + 1] = 0;
    b->x[9 * LR_COLUMNS + LR_D] = NAN;
    assert_int_equal(
        b->m.ops->predict(&b->m, b->phi, &rows, MB_WANT_LOGPDF, out, b->scratch, &b->err),
        MB_E_NUMERIC);
    assert_non_null(strstr(b->err.msg, "row 9"));
    rows.d = LR_D - 1;
    assert_int_equal(
        b->m.ops->predict(&b->m, b->phi, &rows, MB_WANT_MEAN_VAR, out, b->scratch, &b->err),
        MB_E_SHAPE);
    b->phi[0] = -9;
    assert_int_equal(
        b->m.ops->predict(&b->m, b->phi, &b->rows, MB_WANT_MEAN_VAR, out, b->scratch, &b->err),
        MB_E_DOMAIN);
}

RUN_TESTS(arena_up, arena_down)
