/* test_gmm_tied.c - the mixture whose components share a matrix, against the one of full covariances
 * where both are the same, and against sums. */
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
    double bound, density[ROWS], resp[ROWS], par[MAX];
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

/* The M-step of given responsibilities: m_k = sum r x/(1 + N_k), nu = nu0 + sum N_k, W^-1 = W0^-1 +
 * sum w x x' - sum_k (1 + N_k) m_k m_k'. Scale 2. */
TEST(the_matrix_is_that_of_the_sums)
{
    for (int32_t d = 1; d <= MOST; d += 3) {
        const mb_model m = model_of(MB_COVARIANCE_TIED, d, K);
        const mb_rows  rows = rows_of(d);
        double        *scratch = doubles(mb_local_scratch(&m)), phi[MAX], par[MAX], total = 0;
        double         mean[K][MOST] = {{0}}, N[K] = {0}, W[MOST * MOST] = {0};
        const double  *part = par + K;

        draw_rows(d, K);
        must(mb_seed_step(&m, &rows, 2, resp, phi, scratch, NULL));
        must(mb_to_par(&m.layout, phi, par, scratch, NULL));
        for (int j = 0; j < ROWS; j++)
            for (int k = 0; k < K; k++) {
                const double r = 2 * w[j] * resp[j * K + k];

                total += r;
                N[k] += r;
                for (int i = 0; i < d; i++) {
                    mean[k][i] += r * x[j * d + i];
                    for (int l = 0; l <= i; l++)
                        W[i * d + l] += r * x[j * d + i] * x[j * d + l];
                }
            }
        for (int k = 0; k < K; k++, part += 1 + d) {
            assert_near(par[k], 1.0 / K + N[k], 1e-12);
            assert_near(part[0], 1 + N[k], 1e-12);
            for (int i = 0; i < d; i++) {
                mean[k][i] /= 1 + N[k];
                assert_near(part[1 + i], mean[k][i], 1e-12);
                for (int l = 0; l <= i; l++)
                    W[i * d + l] -= (1 + N[k]) * mean[k][i] * mean[k][l];
            }
        }
        assert_near(*part++, 1.5 + d + total, 1e-12);
        for (int i = 0; i < d; i++)
            for (int l = 0; l <= i; l++)
                assert_near(*part++, (i == l) + W[i * d + l], 1e-11);
    }
}

/* ln Z of one row by E[ln pi_k] + (E[ln Lambda] - ln 2 pi - 1/beta_k - nu/W^-1 (x - m_k)^2)/2, and the
 * density of the row by Student's t with nu degrees of freedom. */
TEST(one_row_in_one_column)
{
    const double alpha[] = {2, 3}, beta[] = {4, 0.5}, mean[] = {-1, 2}, nu = 4, winv = 3;
    const double par[] = {2, 3, 4, -1, 0.5, 2, 4, 3}, at = 0.7, PI = 3.14159265358979323846;
    /* psi(2) - psi(5) and psi(3) - psi(5); psi(2) = 1 - gamma */
    const double   ln_pi[] = {-1 / 2.0 - 1 / 3.0 - 1 / 4.0, -1 / 3.0 - 1 / 4.0};
    const double   e_log = 1 - 0.57721566490153286061 + log(2 / winv);
    const mb_model m = model_of(MB_COVARIANCE_TIED, 1, 2);
    const mb_rows  rows = {.x = &at, .n = 1, .d = 1, .ld = 1};
    double         phi[MAX], s[MAX] = {0}, logz = 0, density, z = 0, t = 0;

    for (int k = 0; k < 2; k++) {
        const double far = (at - mean[k]) * (at - mean[k]) / winv;
        const double wide = winv * (1 + 1 / beta[k]); /* df times the squared scale */

        z += exp(ln_pi[k] + 0.5 * (e_log - log(2 * PI) - 1 / beta[k] - nu * far));
        t += alpha[k] / 5 * exp(lgamma(2.5) - lgamma(2)) / sqrt(PI * wide) *
             pow(1 + far * winv / wide, -2.5);
    }
    must(mb_from_par(&m.layout, par, phi, NULL));
    must(m.ops->stats(&m, phi, &rows, s, &logz, doubles(m.scratch), NULL));
    assert_near(logz, log(z), 1e-13);
    must(m.ops->predict(&m, phi, &rows, MB_WANT_LOGPDF, &density, doubles(m.scratch), NULL));
    assert_near(density, log(t), 1e-13);
    assert_near(s[0] + s[1], 1, 1e-15);
    assert_near(s[2], -s[0] / 2, 1e-15);
    assert_near(s[5], -s[1] / sqrt(2) * at, 1e-15);
    assert_near(s[6], 0.5, 1e-15);
    assert_near(s[7], -at * at / 2, 1e-15);
}

/* Means and variances of drawn rows are those of the mixture of Student's t: m_k, and (1 + 1/beta_k)
 * W^-1/(nu - D - 1) about it. */
TEST(drawn_rows_have_the_moments_of_the_predictive)
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
