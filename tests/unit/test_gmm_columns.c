/* test_gmm_columns.c - mixtures of independent columns: of a single column against the matrix form,
 * and rows that are drawn. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { ROWS = 300, K = 3, D = 2, MAX = 256 };

static double x[ROWS * D], w[ROWS], resp[ROWS * K];

static void draw_rows(int32_t d)
{
    mb_rng r = gen_rng(7);

    gen_rows(&r, ROWS, d, K, x);
    for (int j = 0; j < ROWS; j++) {
        w[j] = 0.5 + j % 3;
        for (int k = 0; k < K; k++)
            resp[j * K + k] = k == j % K ? 0.8 : 0.1;
    }
}

static mb_rows rows_of(int32_t d)
{
    return (mb_rows){.x = x, .w = w, .n = ROWS, .d = d, .ld = (size_t)d};
}

static mb_model model_of(mb_covariance covariance, int32_t d)
{
    mb_gmm_opt o = mb_gmm_defaults(K, d);
    mb_model   m;

    o.covariance = covariance;
    o.nu0 = 1.5 + d;
    must(mb_gmm_new(arena, &o, &m, NULL));
    assert_true(m.layout.len <= MAX);
    return m;
}

/* What a user sees after a step from the same responsibilities and one more. */
typedef struct seen {
    double bound, density[ROWS], resp[ROWS * K], alpha[K], mean[K * D], variance[K * D];
} seen;

static void look(const mb_model *m, int32_t d, seen *out)
{
    const mb_rows   rows = rows_of(d);
    const mb_block *b = &m->layout.block[1];
    double         *scratch = doubles(mb_local_scratch(m)), phi[2][MAX], par[MAX];

    must(mb_seed_step(m, &rows, 2, resp, phi[0], scratch, NULL));
    must(mb_local_step(m, &rows, 2, phi[0], phi[1], &out->bound, NULL, scratch, NULL));
    must(m->ops->predict(m, phi[1], &rows, MB_WANT_LOGPDF, out->density, scratch, NULL));
    must(m->ops->predict(m, phi[1], &rows, MB_WANT_RESP, out->resp, scratch, NULL));
    must(mb_to_par(&m->layout, phi[1], par, scratch, NULL));
    memcpy(out->alpha, par, sizeof out->alpha);
    for (int k = 0; k < K; k++)
        for (int i = 0; i < d; i++) {
            const double *c = par + b->off + b->len * (size_t)k;
            const int     full = b->family == &mb_normal_wishart, one = b->members == 1;
            const double *own = one ? c : c + 4 * i; /* [a, b, m, lambda] */

            out->mean[k * d + i] = one ? c[2 + i] : own[2];
            out->variance[k * d + i] =
                full ? c[2 + d + i * (i + 1) / 2 + i] / c[0] : own[1] / own[0];
        }
}

TEST(one_column_is_the_same_model_in_three_forms)
{
    static seen is[MB_COVARIANCE_SPHERICAL + 1];

    draw_rows(1);
    for (int c = 0; c <= MB_COVARIANCE_SPHERICAL; c++) {
        const mb_model m = model_of((mb_covariance)c, 1);

        look(&m, 1, &is[c]);
        assert_near(is[c].bound / is[0].bound, 1, 1e-12);
        assert_all_near(is[c].density, is[0].density, ROWS, 1e-11);
        assert_all_near(is[c].resp, is[0].resp, ROWS * K, 1e-11);
        assert_all_near(is[c].alpha, is[0].alpha, K, 1e-10);
        assert_all_near(is[c].mean, is[0].mean, K, 1e-11);
        assert_all_near(is[c].variance, is[0].variance, K, 1e-11);
    }
}

/* Means and variances of drawn rows are those of the mixture of Student's t. */
TEST(drawn_rows_have_the_moments_of_the_predictive)
{
    enum { N = 200000 };

    draw_rows(D);
    for (int c = MB_COVARIANCE_DIAG; c <= MB_COVARIANCE_SPHERICAL; c++) {
        const mb_model m = model_of((mb_covariance)c, D);
        const mb_rows  rows = rows_of(D);
        double *scratch = doubles(mb_local_scratch(&m)), *out = doubles(N * (1 + D)), phi[MAX];
        double  par[MAX], alpha = 0, mean = 0, square = 0, seen_mean = 0, seen_square = 0;

        must(mb_seed_step(&m, &rows, 1, resp, phi, scratch, NULL));
        must(mb_to_par(&m.layout, phi, par, scratch, NULL));
        for (int k = 0; k < K; k++)
            alpha += par[k];
        for (int k = 0; k < K; k++) {
            const double *at = par + m.layout.block[1].off + m.layout.block[1].len * (size_t)k;
            const int     one = c == MB_COVARIANCE_SPHERICAL;
            const double  a = at[0], b = at[1], mu = at[2], lambda = one ? at[2 + D] : at[3];

            mean += par[k] / alpha * mu;
            square += par[k] / alpha * (mu * mu + b / (a - 1) * (1 + 1 / lambda));
        }
        must(m.ops->sample(&m, par, 5, 0, N, out, scratch, NULL));
        for (int j = 0; j < N; j++) {
            seen_mean += out[j * (1 + D) + 1] / N;
            seen_square += out[j * (1 + D) + 1] * out[j * (1 + D) + 1] / N;
        }
        assert_near(seen_mean, mean, 5 * sqrt(square / N));
        assert_near(seen_square / square, 1, 0.02);
    }
}

RUN_TESTS(arena_up, arena_down)
