/* test_gmm_forms.c - the forms of the covariances where they are the same, rows that are drawn, and the
 * kernels of shared matrices. What each computes is compared with textbooks in contract/textbook.c. */
#include "arena.h"
#include "gen.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "test.h"

enum { ROWS = 450, K = 3, MOST = 12, MAX = 512 };

static double x[ROWS * MOST], w[ROWS], resp[ROWS * K];

static mb_rows rows_of(int32_t d)
{
    return (mb_rows){.x = x, .w = w, .n = ROWS, .d = d, .ld = (size_t)d};
}

/* k components, given responsibilities that sum to 1. */
static void draw_rows(int32_t d, int k)
{
    mb_rng r = gen_rng(7);

    gen_rows(&r, ROWS, d, K, x);
    for (int j = 0; j < ROWS; j++) {
        w[j] = 0.5 + j % 3;
        for (int c = 0; c < k; c++)
            resp[j * k + c] = k == 1 ? 1 : c == j % k ? 0.8 : 0.2 / (k - 1);
    }
}

static mb_model model_of(mb_covariance covariance, int32_t d, int32_t k)
{
    mb_gmm_opt o = mb_gmm_defaults(k, d);
    mb_model   m;

    o.covariance = covariance;
    o.nu0 = 1.5 + d;
    must(mb_gmm_new(arena, &o, &m, NULL));
    assert_true(m.layout.len <= MAX);
    return m;
}

/* Two steps, and what the second answer says of the rows. */
typedef struct seen {
    double bound, density[ROWS], resp[ROWS * K], par[MAX];
} seen;

static void look(const mb_model *m, int32_t d, seen *out)
{
    const mb_rows rows = rows_of(d);
    double       *scratch = doubles(mb_local_scratch(m)), phi[2][MAX];

    must(mb_seed_step(m, &rows, 2, resp, phi[0], scratch, NULL));
    must(mb_local_step(m, &rows, 2, phi[0], phi[1], &out->bound, NULL, scratch, NULL));
    must(m->ops->predict(m, phi[1], &rows, MB_WANT_LOGPDF, out->density, scratch, NULL));
    must(m->ops->predict(m, phi[1], &rows, MB_WANT_RESP, out->resp, scratch, NULL));
    must(mb_to_par(&m->layout, phi[1], out->par, scratch, NULL));
}

/* Mean and variance of a component in one column, which differ where they are. */
static void column(const mb_model *m, const double *par, int32_t k, double *mean, double *variance)
{
    const mb_block *b = &m->layout.block[1];
    const double   *at = par + b->off + b->len * (size_t)k;
    const int       full = b->family == &mb_normal_wishart; /* [nu, beta, m, W^-1] */

    *mean = at[2];
    *variance = full ? at[3] / at[0] : at[1] / at[0]; /* [a, b, m, lambda] */
}

TEST(one_column_is_the_same_model_in_three_forms)
{
    static seen is[MB_COVARIANCE_SPHERICAL + 1];
    double      mean[2], variance[2];
    mb_model    m[MB_COVARIANCE_SPHERICAL + 1];

    draw_rows(1, K);
    for (int c = 0; c <= MB_COVARIANCE_SPHERICAL; c++) {
        m[c] = model_of((mb_covariance)c, 1, K);
        look(&m[c], 1, &is[c]);
        assert_near(is[c].bound / is[0].bound, 1, 1e-12);
        assert_all_near(is[c].density, is[0].density, ROWS, 1e-11);
        assert_all_near(is[c].resp, is[0].resp, ROWS * K, 1e-11);
        assert_all_near(is[c].par, is[0].par, K, 1e-10);
        for (int32_t k = 0; k < K; k++) {
            column(&m[0], is[0].par, k, &mean[0], &variance[0]);
            column(&m[c], is[c].par, k, &mean[1], &variance[1]);
            assert_near(mean[1], mean[0], 1e-11);
            assert_near(variance[1], variance[0], 1e-11);
        }
    }
}

/* All forms of the sums of second moments: registers up to 8 columns, and beyond. */
TEST(one_component_is_that_of_full_covariances)
{
    static seen is[2];

    for (int32_t d = 1; d <= MOST; d++) {
        const mb_model full = model_of(MB_COVARIANCE_FULL, d, 1);
        const mb_model tied = model_of(MB_COVARIANCE_TIED, d, 1);

        draw_rows(d, 1);
        look(&full, d, &is[0]);
        look(&tied, d, &is[1]);
        assert_near(is[1].bound / is[0].bound, 1, 1e-13);
        assert_all_near(is[1].density, is[0].density, ROWS, 1e-12);
        assert_all_near(is[1].resp, is[0].resp, ROWS, 0);
        /* alpha, then [nu, beta, m, W^-1] and [beta, m, nu, W^-1] */
        assert_near(is[1].par[1], is[0].par[2], 1e-13);
        assert_near(is[1].par[2 + d], is[0].par[1], 1e-13);
        assert_all_near(is[1].par + 2, is[0].par + 3, d, 1e-13);
        assert_all_near(is[1].par + 3 + d, is[0].par + 3 + d, d * (d + 1) / 2, 1e-11);
    }
}

/* Means and variances of drawn rows are those of the mixture of Student's t. */
TEST(drawn_rows_of_columns_have_the_moments_of_the_predictive)
{
    enum { N = 200000, D = 2 };

    draw_rows(D, K);
    for (int c = MB_COVARIANCE_DIAG; c <= MB_COVARIANCE_SPHERICAL; c++) {
        const mb_model m = model_of((mb_covariance)c, D, K);
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

/* Means and variances of drawn rows are those of the mixture of Student's t: m_k, and (1 + 1/beta_k)
 * W^-1/(nu - D - 1) about it. */
TEST(drawn_rows_of_a_shared_matrix_have_the_moments_of_the_predictive)
{
    enum { N = 200000, D = 2 };
    const mb_model m = model_of(MB_COVARIANCE_TIED, D, 2);
    const double   par[] = {1, 3, 2, -1, 0, 4, 3, 1, 9, 2, 0.5, 1};
    double        *out = doubles(N * (1 + D)), *scratch = doubles(mb_local_scratch(&m));
    double         first = 0, cross = 0, share = 0;

    assert_int_equal(m.layout.len, 12);
    must(m.ops->sample(&m, par, 5, 0, N, out, scratch, NULL));
    for (int j = 0; j < N; j++) {
        const double *row = out + j * (1 + D), *mean = row[0] > 0 ? par + 6 : par + 3;

        share += row[0] / N;
        first += (row[1] - mean[0]) * (row[1] - mean[0]) / N;
        cross += (row[1] - mean[0]) * (row[2] - mean[1]) / N;
    }
    /* weights 1/4 and 3/4; six standard errors, of squares 4 times those of a Gaussian's */
    assert_near(share, 0.75, 6 * sqrt(0.1875 / N));
    assert_near(first, (0.25 * 1.5 + 0.75 * 1.25) * 2 / 6, 6 * 2 * 0.5 * sqrt(2.0 / N));
    assert_near(cross, (0.25 * 1.5 + 0.75 * 1.25) * 0.5 / 6, 6 * 2 * 0.5 * sqrt(2.0 / N));
}

/* C y = x, on every instruction set, whatever the number of rows of the block. */
TEST(every_kernel_solves_for_the_rows)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    mb_rng            r = gen_rng(12);

    mb_kernel_list_(kernel);
    for (int32_t d = 1; d <= MOST; d++)
        for (int i = 0; kernel[i]; i++) {
            mb_estep_ g;
            double   *y, C[MOST * MOST];

            mb_rows_carve_(&g, kernel[i], 1, d, doubles(mb_rows_scratch_(1, d)));
            y = doubles((size_t)d * (size_t)g.block);
            for (int e = 0; e < d * d; e++)
                C[e] = e % (d + 1) ? mb_rng_normal(&r) / d : 0.5 + mb_rng_uniform(&r);
            for (int e = 0; e < d * g.block; e++)
                g.z[e] = mb_rng_normal(&r);
            g.rows = g.block - 13 * (d % 2) - 1;
            kernel[i]->whiten(&g, C, y);
            for (int32_t l = 0; l < g.rows; l++)
                for (int32_t a = 0; a < d; a++) {
                    double sum = 0;

                    for (int32_t b = 0; b <= a; b++)
                        sum += C[a * d + b] * y[b * g.block + l];
                    assert_near(sum, g.z[a * g.block + l], 1e-12);
                }
        }
}

RUN_TESTS(arena_up, arena_down)
