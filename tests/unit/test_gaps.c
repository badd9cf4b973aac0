/* test_gaps.c - rows with gaps: densities against integrals, statistics against conditioning by hand,
 * and rows without gaps to the bit. */
#include "arena.h"
#include "base/pool.h"
#include "gen.h"
#include "model/model.h"
#include "network/network.h"
#include "start/moments.h"
#include "start/start.h"
#include "test.h"

enum { ROWS = 300, MANY = 9000, K = 2, D = 3, MAX = 128 };

static const double PI = 3.14159265358979323846;
static double       x[MANY * D], resp[MANY * K];

static void draw_rows(int n, int32_t d)
{
    mb_rng r = gen_rng(11);

    gen_rows(&r, n, d, K, x);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < K; k++)
            resp[j * K + k] = k == j % K ? 0.75 : 0.25;
}

/* Leaves out about 30 % of the values, and all of row 5. */
static void make_gaps(int n, int32_t d)
{
    mb_rng r = gen_rng(12);

    for (int e = 0; e < n * d; e++)
        if (mb_rng_uniform(&r) < 0.3 || e / d == 5)
            x[e] = (double)NAN;
}

static mb_rows rows_of(int n, int32_t d, int32_t gaps)
{
    return (mb_rows){.x = x, .n = n, .d = d, .ld = (size_t)d, .gaps = gaps};
}

static mb_model model_of(int covariance, int32_t d)
{
    mb_gmm_opt o = mb_gmm_defaults(K, d);
    mb_model   m;

    o.covariance = (mb_covariance)covariance;
    must(mb_gmm_new(arena, &o, &m, NULL));
    assert_true(m.layout.len <= MAX);
    return m;
}

/* A posterior of rows without gaps. */
static mb_model fitted(int covariance, int32_t d, double *phi)
{
    const mb_model m = model_of(covariance, d);
    const mb_rows  rows = rows_of(ROWS, d, 0);

    draw_rows(ROWS, d);
    must(mb_seed_step(&m, &rows, 1, resp, phi, doubles(mb_local_scratch(&m)), NULL));
    return m;
}

static double log_density(const mb_model *m, const double *phi, const double *row, int32_t d,
                          double *scratch)
{
    const mb_rows one = {.x = row, .n = 1, .d = d, .ld = (size_t)d, .gaps = 1};
    double        out;

    must(m->ops->predict(m, phi, &one, MB_WANT_LOGPDF, &out, scratch, NULL));
    return out;
}

/* The density summed over the columns that are NaN, from column i on: x = 3 tan t makes the integrand
 * smooth and periodic, so that the midpoint rule converges at once. */
static double integral(const mb_model *m, const double *phi, double *row, int32_t d, int32_t i,
                       double *scratch)
{
    enum { STEPS = 160 };
    double sum = 0;

    while (i < d && !isnan(row[i]))
        i++;
    if (i == d)
        return exp(log_density(m, phi, row, d, scratch));
    for (int s = 0; s < STEPS; s++) {
        const double t = PI * ((s + 0.5) / STEPS - 0.5);

        row[i] = 3 * tan(t);
        sum += integral(m, phi, row, d, i + 1, scratch) * 3 / (cos(t) * cos(t)) * PI / STEPS;
    }
    row[i] = (double)NAN;
    return sum;
}

TEST(the_density_of_a_row_with_gaps_is_the_integral_over_them)
{
    double phi[MAX];

    for (int c = 0; c < MB_COVARIANCES; c++)
        for (int32_t d = 1; d <= D; d++) {
            const mb_model m = fitted(c, d, phi);
            double        *scratch = doubles(m.scratch), row[D];

            for (int gaps = 1; gaps < 1 << d; gaps++) {
                for (int32_t i = 0; i < d; i++)
                    row[i] = gaps >> i & 1 ? (double)NAN : 0.4 - 0.7 * i;
                if (gaps == 7) /* a cube of points; the square tells as much */
                    continue;
                assert_near(log_density(&m, phi, row, d, scratch),
                            log(integral(&m, phi, row, d, 0, scratch)), 1e-9);
            }
        }
}

/* z' Lambda z of one component with known parameters: with P = nu W, x_2 given x_1 has the mean
 * m_2 - P_21/P_22 (x_1 - m_1) and the variance 1/P_22. */
TEST(what_is_missing_is_expected_given_what_is_there)
{
    const double nu = 7, beta = 3, m1 = 0.5, m2 = -1, s11 = 2, s21 = 0.6, s22 = 1.5;
    const double par[] = {4, nu, beta, m1, m2, s11, s21, s22}, x1 = 1.7, root = sqrt(2);
    const double det = s11 * s22 - s21 * s21, p11 = nu * s22 / det, p21 = -nu * s21 / det,
                 p22 = nu * s11 / det;
    const double x2 = m2 - p21 / p22 * (x1 - m1), var = 1 / p22;
    const double far =
        p11 * (x1 - m1) * (x1 - m1) + 2 * p21 * (x1 - m1) * (x2 - m2) + p22 * (x2 - m2) * (x2 - m2);
    const double  psi = -0.57721566490153286061; /* psi(7/2) and psi(3), from psi(1/2) and psi(1) */
    const double  half = psi - 2 * log(2) + 2 + 2.0 / 3 + 2.0 / 5, whole = psi + 1 + 0.5;
    const double  e_log_det = half + whole + 2 * log(2) - log(det);
    const double  row[] = {x1, (double)NAN};
    const mb_rows rows = {.x = row, .n = 1, .d = 2, .ld = 2, .gaps = 1};
    mb_gmm_opt    o = mb_gmm_defaults(1, 2);
    mb_model      m;
    double        phi[MAX], s[MAX] = {0}, logz = 0;

    must(mb_gmm_new(arena, &o, &m, NULL));
    must(mb_from_par(&m.layout, par, phi, NULL));
    must(m.ops->stats(&m, phi, &rows, s, &logz, doubles(m.scratch), NULL));
    const double want[] = {1,
                           0.5,
                           -0.5,
                           -root / 2 * x1,
                           -0.5 * x1 * x1,
                           -root / 2 * x2,
                           -root / 2 * x1 * x2,
                           -0.5 * (x2 * x2 + var)};
    assert_int_equal(m.layout.len, 8);
    assert_all_near(s, want, 8, 1e-13);
    assert_near(logz,
                e_log_det / 2 - log(2 * PI) - (2 / beta + far) / 2 + (log(2 * PI) - log(p22)) / 2,
                1e-13);
}

TEST(rows_without_gaps_keep_their_bits)
{
    double phi[MAX], s[2][MAX], logz[2], scratch_resp[2][ROWS * K];

    for (int c = 0; c < MB_COVARIANCES; c++) {
        const mb_model m = fitted(c, D, phi);
        double        *scratch = doubles(m.scratch);

        memset(s, 0, sizeof s);
        for (int gaps = 0; gaps < 2; gaps++) {
            const mb_rows rows = rows_of(ROWS, D, gaps);

            logz[gaps] = 0;
            must(m.ops->stats(&m, phi, &rows, s[gaps], &logz[gaps], scratch, NULL));
            must(m.ops->predict(&m, phi, &rows, MB_WANT_RESP, scratch_resp[gaps], scratch, NULL));
        }
        assert_memory_equal(s[0], s[1], sizeof s[0]);
        assert_memory_equal(&logz[0], &logz[1], sizeof logz[0]);
        assert_memory_equal(scratch_resp[0], scratch_resp[1], sizeof scratch_resp[0]);
    }
}

TEST(the_bound_never_falls)
{
    for (int c = 0; c < MB_COVARIANCES; c++) {
        const mb_model m = model_of(c, D);
        const mb_rows  rows = rows_of(ROWS, D, 1);
        double *scratch = doubles(mb_local_scratch(&m)), phi[2][MAX], bound, before = -INFINITY;

        draw_rows(ROWS, D);
        make_gaps(ROWS, D);
        must(mb_seed_step(&m, &rows, 1, resp, phi[0], scratch, NULL));
        for (int t = 0; t < 60; t++) {
            must(mb_local_step(&m, &rows, 1, phi[t % 2], phi[1 - t % 2], &bound, NULL, scratch,
                               NULL));
            assert_true(bound >= before - 1e-11 * fabs(bound));
            before = bound;
        }
    }
}

TEST(threads_and_single_precision_do_not_change_bits)
{
    static float narrow[MANY * D];
    double       phi[MAX], s[4][MAX], logz[4];

    for (int c = 0; c < MB_COVARIANCES; c++) {
        const mb_model m = fitted(c, D, phi);
        mb_rows        rows = rows_of(MANY, D, 1);
        mb_pool       *pool;
        mb_model       on;

        draw_rows(MANY, D);
        make_gaps(MANY, D);
        for (int e = 0; e < MANY * D; e++) {
            narrow[e] = (float)x[e];
            x[e] = narrow[e];
        }
        memset(s, 0, sizeof s);
        must(mb_pool_open(arena, 3, &pool, NULL));
        for (int t = 0; t < 4; t++) {
            rows.x32 = t == 3 ? narrow : NULL;
            logz[t] = 0;
            must(mb_model_parallel(arena, &m, pool, 1 + t % 3, &on, NULL));
            must(on.ops->stats(&on, phi, &rows, s[t], &logz[t], doubles(on.scratch), NULL));
            assert_memory_equal(s[t], s[0], sizeof s[0]);
            assert_memory_equal(&logz[t], &logz[0], sizeof logz[0]);
        }
        mb_pool_close(pool);
    }
}

TEST(a_row_of_gaps_only_says_nothing)
{
    double       phi[MAX], s[MAX] = {0}, logz = 0, zero[MAX] = {0};
    const double none[] = {(double)NAN, (double)NAN, (double)NAN};

    for (int c = 0; c < MB_COVARIANCES; c++) {
        const mb_model m = fitted(c, D, phi);
        const mb_rows  rows = {.x = none, .n = 1, .d = D, .ld = D, .gaps = 1};

        must(m.ops->stats(&m, phi, &rows, s, &logz, doubles(m.scratch), NULL));
        assert_memory_equal(s, zero, sizeof s);
        assert_true(logz == 0);
        assert_near(log_density(&m, phi, none, D, doubles(m.scratch)), 0, 1e-12);
    }
}

TEST(only_a_gap_is_forgiven)
{
    const double  bad[2][3] = {{1, (double)INFINITY, (double)NAN}, {1, (double)NAN, 2}};
    const mb_rows one[] = {{.x = bad[0], .n = 1, .d = D, .ld = D, .gaps = 1},
                           {.x = bad[1], .n = 1, .d = D, .ld = D}};
    double        phi[MAX], s[MAX] = {0}, logz = 0;

    for (int c = 0; c < MB_COVARIANCES; c++) {
        const mb_model m = fitted(c, D, phi);

        for (int k = 0; k < 2; k++) {
            assert_int_equal(m.ops->stats(&m, phi, &one[k], s, &logz, doubles(m.scratch), NULL),
                             MB_E_NUMERIC);
            assert_int_equal(m.ops->seed_stats(&m, &one[k], resp, s, doubles(m.scratch), NULL),
                             MB_E_NUMERIC);
        }
    }
}

/* Means 4 and 3 of the values there; rows 0, 2 and 3 have both: (-3)(-2) + (-1)(0) + (4)(2) = 14. */
TEST(moments_are_of_the_available_values)
{
    const double   gap = (double)NAN, rows_x[] = {1, 1, 4, gap, 3, 3, 8, 5, gap, 3, gap, gap};
    const mb_rows  rows = {.x = rows_x, .n = 6, .d = 2, .ld = 2, .gaps = 1};
    mb_row_moments m;

    must(mb_moments_of_(arena, arena, &rows, 1, &m, NULL));
    assert_near(m.mean[0], 4, 1e-15);
    assert_near(m.mean[1], 3, 1e-15);
    assert_near(m.filled[0], 4, 0);
    assert_near(m.filled[1], 4, 0);
    assert_near(m.cov[0], 26.0 / 3, 1e-14);
    assert_near(m.cov[3], 8.0 / 3, 1e-14);
    assert_near(m.cov[1], 14.0 / 2, 1e-14);
    assert_near(m.sd[1], sqrt(8.0 / 3), 1e-15);
}

static mb_status case_of(const mb_kind *kind, const double *data, int n, int32_t d, mb_case *c,
                         mb_err *err)
{
    const mb_table table = {.rows = {.x = data, .n = n, .d = d, .ld = (size_t)d, .gaps = 1}};
    mb_place      *place = mb_alloc(arena, 1, sizeof *place);

    must(mb_place_one(arena, place, err));
    return mb_case_make(arena, place, &table, kind, NULL, NULL, c, err);
}

TEST(a_case_counts_gaps_and_refuses_what_it_must)
{
    const double gap = (double)NAN, data[] = {1, 1, 4, gap, 3, 3, 8, 5, gap, 3, gap, gap},
                 half[] = {1, gap, 2, gap, 4, gap};
    mb_case c;
    mb_err  err;

    must(case_of(&mb_kind_gmm, data, 6, 2, &c, &err));
    assert_int_equal(c.gaps.cells, 4);
    assert_int_equal(c.gaps.rows, 3);
    assert_int_equal(c.gaps.empty, 1);
    assert_near(c.weight_total, 5, 0);
    assert_near(c.gaps.jacobian, log(c.run.scale[0]) + log(c.run.scale[1]), 1e-15);
    assert_int_equal(case_of(&mb_kind_gmm, half, 3, 2, &c, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "column \"x2\": no row has a value"));
    assert_int_equal(case_of(&mb_kind_linreg, data, 6, 2, &c, &err), MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "model linreg needs all of them"));
}

/* Columns 1 and 2, and 1 and 3, are equal where both are there, 2 and 3 opposite: correlations that no
 * matrix has. Each has the variance 4/3. */
TEST(where_pairs_disagree_the_prior_has_the_variances)
{
    const double gap = (double)NAN,
                 data[] = {1, 1, gap, -1, -1, gap, 1, gap, 1, -1, gap, -1, gap, 1, -1, gap, -1, 1};
    mb_case c;
    mb_err  err;

    must(case_of(&mb_kind_gmm, data, 6, 3, &c, &err));
    assert_non_null(strstr(c.warning, "the variances of the columns alone"));
    const double *w0inv = c.prior_par + c.model.layout.block[1].off + 2 + 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            assert_near(w0inv[i * (i + 1) / 2 + j], i == j ? 4.0 / 3 : 0, 1e-14);
}

/* k-means of rows with gaps: the centre of {0, -}, {1, 2}, {-, 4} is where the values that are there
 * have their mean, {0.5, 3}. */
TEST(centres_are_means_of_the_values_that_are_there)
{
    const double  gap = (double)NAN, data[] = {0, gap, 1, 2, gap, 4, 100, 100, gap, 101, 102, gap};
    const double  zero[] = {0, 0}, one[] = {1, 1};
    const mb_rows rows = {.x = data, .n = 6, .d = 2, .ld = 2, .gaps = 1};
    double        centres[] = {1, 2, 100, 100}, side[12];
    mb_place     *place = mb_alloc(arena, 1, sizeof *place);
    mb_tree       tree;
    mb_traffic    sent = {0, 0};
    int32_t       steps;

    must(mb_place_one(arena, place, NULL));
    must(mb_agree_tree(arena, arena, &place->tp, &tree, &sent, NULL));
    for (int k = 0; k < 60; k++) /* each call moves what is missing once or more */
        must(mb_lloyd(arena, &place->tp, &tree, &rows, zero, one, 2, 2, NULL, centres, &steps,
                      &sent, NULL));
    assert_all_near(centres, ((const double[]){0.5, 3, 101, 100.5}), 4, 1e-12);
    mb_nearest_resp(&rows, zero, one, 2, centres, side);
    for (int j = 0; j < 6; j++)
        assert_near(side[2 * j], j < 3, 0);
}

RUN_TESTS(arena_up, arena_down)
