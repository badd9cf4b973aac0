/* Linear regression with several targets: against the normal equations of each alone, and against
 * models of one target. */
#include "arena.h"
#include "model/model.h"
#include "test.h"

enum { N = 90, D = 3, T = 3, COLS = D + T, LEN = 80, SCRATCH = 40000 };
static const double TOL = 1e-12;

typedef struct world {
    mb_linreg_opt o;
    mb_model      m, one; /* all targets; a single one */
    double        x[N * COLS], each[T][N * (D + 1)], w[N];
    double        phi[LEN], par[LEN], phi1[T][LEN], par1[T][LEN], scratch[SCRATCH];
    double        bound, bound1[T];
    mb_rows       rows, rows1[T];
    mb_err        err;
} world;

static void draw_rows(world *b)
{
    mb_rng r = mb_rng_at(7, MB_STREAM_DATA, 0, 0);

    for (int j = 0; j < N; j++) {
        double *x = b->x + j * COLS;

        for (int d = 0; d < D; d++)
            x[d] = (d + 1) * mb_rng_normal(&r) + 0.5;
        for (int t = 0; t < T; t++)
            x[D + t] = t + x[0] - t * x[1] + 0.3 * x[2] + (1 + t) * mb_rng_normal(&r);
        for (int t = 0; t < T; t++) {
            memcpy(b->each[t] + j * (D + 1), x, D * sizeof *x);
            b->each[t][j * (D + 1) + D] = x[D + t];
        }
        b->w[j] = 0.5 * (j % 5);
    }
}

static double step(const mb_model *m, const mb_rows *rows, double *phi, double *par,
                   double *scratch)
{
    double again[LEN], bound;

    assert_true(m->layout.len <= LEN && mb_local_scratch(m) <= SCRATCH);
    must(mb_local_step(m, rows, 1, m->prior, phi, NULL, NULL, scratch, NULL));
    must(mb_local_step(m, rows, 1, phi, again, &bound, NULL, scratch, NULL));
    assert_memory_equal(again, phi, m->layout.len * sizeof *phi);
    must(mb_to_par(&m->layout, phi, par, scratch, NULL));
    return bound;
}

static world *make(int32_t intercept, int weighted)
{
    world *b = mb_alloc(arena, 1, sizeof *b);

    assert_non_null(b);
    b->o = mb_linreg_defaults(D, intercept);
    b->o.b0 = 0.6;
    b->o.lambda0 = 0.3;
    must(mb_linreg_new(arena, &b->o, &b->one, &b->err));
    b->o.targets = T;
    must(mb_linreg_new(arena, &b->o, &b->m, &b->err));
    draw_rows(b);
    b->rows = (mb_rows){.x = b->x, .w = weighted ? b->w : NULL, .n = N, .d = COLS, .ld = COLS};
    b->bound = step(&b->m, &b->rows, b->phi, b->par, b->scratch);
    for (int t = 0; t < T; t++) {
        b->rows1[t] = b->rows;
        b->rows1[t].x = b->each[t];
        b->rows1[t].d = D + 1;
        b->rows1[t].ld = D + 1;
        b->bound1[t] = step(&b->one, &b->rows1[t], b->phi1[t], b->par1[t], b->scratch);
    }
    return b;
}

TEST(lambda_is_there_once)
{
    const world *b = make(1, 0);
    const size_t p = D + 1, lambda = p * (p + 1) / 2;

    assert_int_equal(b->m.layout.len, 1 + lambda + T * (p + 1));
    assert_int_equal(b->one.layout.len, 1 + lambda + p + 1);
}

TEST(each_target_has_the_posterior_of_its_own_regression)
{
    for (int form = 0; form < 4; form++) {
        const world  *b = make(form % 2, form / 2);
        const int32_t p = D + form % 2;
        double        bounds = 0;

        for (int t = 0; t < T; t++) {
            assert_near(b->par[0], b->par1[t][0], 0);
            assert_near(b->par[1 + t], b->par1[t][1], TOL * b->par1[t][1]);
            assert_all_near(b->par + 1 + T + t * p, b->par1[t] + 2, (size_t)p, TOL);
            bounds += b->bound1[t];
        }
        assert_all_near(b->par + 1 + T + T * p, b->par1[0] + 2 + p, (size_t)p * ((size_t)p + 1) / 2,
                        TOL);
        assert_near(b->bound, bounds, TOL * fabs(bounds));
    }
}

/* Residuals are orthogonal to the inputs up to the prior: sum x (y - m'x) = Lambda0 m. */
TEST(means_solve_the_normal_equations)
{
    const world *b = make(1, 1);

    for (int t = 0; t < T; t++) {
        const double *m = b->par + 1 + T + t * (D + 1);

        for (int i = 0; i <= D; i++) {
            double sum = 0;

            for (int j = 0; j < N; j++) {
                const double *x = b->x + j * COLS;
                double        r = x[D + t] - m[0];

                for (int d = 0; d < D; d++)
                    r -= m[1 + d] * x[d];
                sum += b->w[j] * (i ? x[i - 1] : 1) * r;
            }
            assert_near(sum, b->o.lambda0 * m[i], 1e-10);
        }
    }
}

TEST(predictions_are_those_of_each_alone)
{
    static const mb_want wants[] = {MB_WANT_MEAN_VAR, MB_WANT_INTERVAL};
    double               all[N * T * 3], one[N * 3], sum[N] = {0};

    for (int form = 0; form < 2; form++) {
        world *b = make(form, 0);

        memset(sum, 0, sizeof sum);
        for (int k = 0; k < 2; k++)
            for (int t = 0; t < T; t++) {
                const int width = 2 + k;

                must(
                    b->m.ops->predict(&b->m, b->phi, &b->rows, wants[k], all, b->scratch, &b->err));
                must(b->one.ops->predict(&b->one, b->phi1[t], &b->rows1[t], wants[k], one,
                                         b->scratch, &b->err));
                for (int j = 0; j < N; j++)
                    assert_all_near(all + (j * T + t) * width, one + j * width, (size_t)width, TOL);
            }
        for (int t = 0; t < T; t++) {
            must(b->one.ops->predict(&b->one, b->phi1[t], &b->rows1[t], MB_WANT_LOGPDF, one,
                                     b->scratch, &b->err));
            for (int j = 0; j < N; j++)
                sum[j] += one[j];
        }
        must(b->m.ops->predict(&b->m, b->phi, &b->rows, MB_WANT_LOGPDF, all, b->scratch, &b->err));
        assert_all_near(all, sum, N, 1e-11);
    }
}

/* Two equal targets with relevance: the fixed point of the update with both, alpha's shape c0 + 1. */
TEST(relevances_are_shared)
{
    world   *b = make(1, 0);
    mb_model m;
    double   phi[LEN], next[LEN], par[LEN], mu[LEN], A;
    size_t   at;

    b->o.relevance = 1;
    must(mb_linreg_new(arena, &b->o, &m, &b->err));
    assert_true(m.layout.len <= LEN && mb_local_scratch(&m) <= SCRATCH);
    memcpy(phi, m.prior, m.layout.len * sizeof *phi);
    for (int k = 0; k < 3000; k++) {
        must(mb_local_step(&m, &b->rows, 1, phi, next, NULL, NULL, b->scratch, NULL));
        memcpy(phi, next, m.layout.len * sizeof *phi);
    }
    must(mb_moments(&m.layout, phi, mu, &A, b->scratch, NULL));
    must(mb_to_par(&m.layout, phi, par, b->scratch, NULL));
    for (int d = 0; d < D; d++) {
        const double *gamma = par + m.layout.block[1].off + 2 * d;
        double        square = 0; /* E[tau w^2] of all targets */

        at = 1 + (size_t)(d + 1) * (size_t)(d + 2) / 2 + (size_t)d + 1;
        square = mu[at];
        assert_near(gamma[0], 1e-6 + T / 2.0, 1e-12);
        assert_near(gamma[1], 1e-6 + square / 2, 1e-9 * gamma[1]);
    }
}

TEST(wrong_sizes_are_named)
{
    world   *b = make(1, 0);
    mb_model m;
    mb_rows  rows = b->rows;
    double   out[N];

    b->o.targets = -1;
    assert_int_equal(mb_linreg_new(arena, &b->o, &m, &b->err), MB_E_ARG);
    assert_non_null(strstr(b->err.msg, "targets = -1; expected 1 to 10000"));
    rows.d--;
    assert_int_equal(
        b->m.ops->predict(&b->m, b->phi, &rows, MB_WANT_LOGPDF, out, b->scratch, &b->err),
        MB_E_SHAPE);
    assert_non_null(strstr(b->err.msg, "3 inputs and 3 targets"));
}

RUN_TESTS(arena_up, arena_down)
