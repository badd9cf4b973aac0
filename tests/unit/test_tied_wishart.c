/* test_tied_wishart.c - means that share a precision, against the normal-Wishart of one mean and
 * closed forms in one dimension. */
#include "expfam/expfam.h"
#include "gen.h"
#include "test.h"

enum { DRAWS = 100, MAX = 128, SCRATCH = 1024 };

static const mb_family *tied = &mb_tied_wishart, *full = &mb_normal_wishart;

/* [nu, beta, m, W^-1] as [beta, m, nu, W^-1]. */
static void reordered(int32_t D, const double *x, double *out)
{
    memcpy(out, x + 1, ((size_t)D + 1) * sizeof *out);
    out[D + 1] = x[0];
    memcpy(out + D + 2, x + D + 2, (size_t)(D * (D + 1) / 2) * sizeof *out);
}

/* The same of a natural vector, whose matrix has the mean in its first column. */
static void natural(int32_t D, const double *x, double *out)
{
    double *T = out + D + 2;

    out[0] = x[1];
    out[D + 1] = x[0];
    x += 2;
    for (int32_t i = 0; i < D; i++) {
        out[1 + i] = *x++;
        for (int32_t j = 0; j <= i; j++)
            *T++ = *x++;
    }
}

TEST(one_part_is_a_normal_wishart)
{
    mb_rng r = gen_rng(1);
    int    moved = 0;

    for (int i = 0; i < DRAWS; i++) {
        const int32_t D = 1 + i % 5, dim = mb_tied_dim(D, 1);
        const size_t  len = full->len(D);
        double        par[MAX], own[MAX], phi[MAX], as[MAX], other[MAX], mu[MAX], scratch[SCRATCH];
        double        A[2], eps[2], far[2];

        assert_int_equal(dim, D);
        assert_int_equal(tied->len(dim), len);
        gen_normal_wishart(&r, D, par);
        reordered(D, par, own);
        must(full->from_par(D, par, other));
        must(tied->from_par(dim, own, phi));
        natural(D, other, as);
        assert_all_near(phi, as, len, 1e-14);
        must(full->moments(D, other, mu, &A[0], scratch));
        natural(D, mu, as);
        must(tied->moments(dim, phi, mu, &A[1], scratch));
        assert_near(A[1], A[0], 1e-12);
        assert_all_near(mu, as, len, 1e-9);
        must(full->margin(D, other, &eps[0], scratch));
        must(tied->margin(dim, phi, &eps[1], scratch));
        assert_near(eps[1] * 1e6, eps[0] * 1e6, 1e-9);
        for (size_t e = 0; e < len; e++)
            other[e] += 2 * mb_rng_normal(&r);
        natural(D, other, phi);
        must(full->project(D, 1e-3, other, &far[0], scratch));
        must(tied->project(dim, 1e-3, phi, &far[1], scratch));
        natural(D, other, as);
        assert_all_near(phi, as, len, 1e-8);
        assert_near(far[1], far[0], 1e-9);
        moved += far[0] > 0;
    }
    assert_true(moved > DRAWS / 2);
}

/* The precision is Gamma(nu/2, rate W^-1/2): the divergence of gammas, and for each mean that of
 * Gaussians with this precision, whose mean is nu/W^-1. */
static double gamma_kl(double a, double b, double c, double d)
{
    const double h = 1e-5, psi = (lgamma(a + h) - lgamma(a - h)) / (2 * h);

    return (a - c) * psi - lgamma(a) + lgamma(c) + c * log(b / d) + a * (d - b) / b;
}

TEST(divergence_is_that_of_a_gamma_and_gaussians)
{
    enum { K = 4, LEN = 2 * K + 2 };
    const int32_t dim = mb_tied_dim(1, K);
    mb_layout     l = {0};
    mb_rng        r = gen_rng(2);

    must(mb_layout_add(&l, tied, dim, 1, NULL));
    assert_int_equal(l.len, LEN);
    for (int i = 0; i < DRAWS; i++) {
        double par[2][LEN], phi[2][LEN], kl, scratch[SCRATCH], want;

        for (int j = 0; j < 2; j++) {
            gen_tied_wishart(&r, dim, par[j]);
            must(mb_from_par(&l, par[j], phi[j], NULL));
        }
        must(mb_kl(&l, phi[0], phi[1], &kl, scratch, NULL));
        want = gamma_kl(par[0][2 * K] / 2, par[0][2 * K + 1] / 2, par[1][2 * K] / 2,
                        par[1][2 * K + 1] / 2);
        for (int k = 0; k < K; k++) {
            const double ratio = par[1][2 * k] / par[0][2 * k];
            const double gap = par[0][2 * k + 1] - par[1][2 * k + 1];

            want += 0.5 * (ratio - 1 - log(ratio) +
                           par[1][2 * k] * par[0][2 * K] / par[0][2 * K + 1] * gap * gap);
        }
        assert_near(kl, want, 1e-8);
    }
}

/* ln |Lambda| in one dimension: ln(2/W^-1) + psi(nu/2), and A by its formula. */
TEST(partition_in_one_dimension)
{
    const int32_t dim = mb_tied_dim(1, 2);
    const double  par[] = {0.5, -1, 3, 2, 7, 1.5}; /* beta, m twice; nu, W^-1 */
    double        phi[6], mu[6], A, scratch[SCRATCH];

    must(tied->from_par(dim, par, phi));
    assert_near(phi[4], (7 - 1 - 1 + 2) / 2.0, 1e-15);
    assert_near(phi[5], -(1.5 + 0.5 * 1 + 3 * 4) / 2, 1e-15);
    must(tied->moments(dim, phi, mu, &A, scratch));
    assert_near(A, -0.5 * log(0.5 * 3) + 3.5 * log(2 / 1.5) + lgamma(3.5), 1e-13);
    assert_near(mu[0], 1 / 0.5 + 7 / 1.5, 1e-13);
    assert_near(mu[1], sqrt(2) * 7 / 1.5, 1e-13);
    assert_near(mu[2], 1 / 3.0 + 7 / 1.5 * 4, 1e-13);
    assert_near(mu[3], -sqrt(2) * 7 / 1.5 * 2, 1e-13);
    /* psi(7/2) = 2/5 + 2/3 + 2 - gamma - 2 ln 2 */
    assert_near(mu[4], log(2 / 1.5) + 2 / 5.0 + 2 / 3.0 + 2 - 0.57721566490153286061 - 2 * log(2),
                1e-12);
    assert_near(mu[5], 7 / 1.5, 1e-13);
}

/* Means of many draws: m_k and W^-1/(nu - D - 1); two means are uncorrelated, because they are
 * independent given Lambda. Six standard errors: 2e-9 each. */
TEST(draws_have_the_moments)
{
    enum { D = 2, K = 2, N = 20000 };
    const int32_t dim = mb_tied_dim(D, K);
    const double  par[] = {4, 1, -1, 9, 0, 3, 12, 2, 0.5, 1};
    double        out[7], scratch[SCRATCH], sum[7] = {0}, cross = 0;
    mb_rng        r = gen_rng(3);

    assert_int_equal(tied->draw_len(dim), 7);
    for (int i = 0; i < N; i++) {
        must(tied->draw(dim, par, &r, out, scratch));
        for (int e = 0; e < 7; e++)
            sum[e] += out[e] / N;
        cross += (out[0] - 1) * out[2] / N;
    }
    /* variances: W^-1/(nu - 3)/beta of means; 2 S^2/(nu - 3 - 2) or so of covariances */
    assert_true(fabs(sum[0] - 1) < 6 * sqrt(2 / 9.0 / 4 / N));
    assert_true(fabs(sum[1] + 1) < 6 * sqrt(1 / 9.0 / 4 / N));
    assert_true(fabs(sum[2]) < 6 * sqrt(2 / 9.0 / 9 / N));
    assert_true(fabs(sum[3] - 3) < 6 * sqrt(1 / 9.0 / 9 / N));
    assert_true(fabs(sum[4] - 2 / 9.0) < 6 * (2 / 9.0) * sqrt(2 / 7.0 / N));
    assert_true(fabs(sum[5] - 0.5 / 9.0) < 6 * (2 / 9.0) * sqrt(2 / 7.0 / N));
    assert_true(fabs(sum[6] - 1 / 9.0) < 6 * (1 / 9.0) * sqrt(2 / 7.0 / N));
    assert_true(fabs(cross) < 6 * (2 / 9.0) / 6 * sqrt(1.5 / N));
}

TEST(sizes_that_are_too_large_have_no_dim)
{
    assert_int_equal(mb_tied_dim(0, 1), 0);
    assert_int_equal(mb_tied_dim(1, 0), 0);
    assert_int_equal(mb_tied_dim(16384, 1), 0);
    assert_int_equal(mb_tied_dim(1, MB_TIED_MOST + 1), 0);
    for (int32_t D = 1; D < 16384; D += 1637)
        for (int32_t K = 1; K <= MB_TIED_MOST; K += 9999) {
            const int32_t dim = mb_tied_dim(D, K);

            assert_true(dim > 0);
            assert_int_equal(tied->parts->size(dim), D);
            assert_int_equal(tied->parts->count(dim), K);
        }
    assert_int_equal(mb_tied_dim(16383, MB_TIED_MOST), INT32_MAX);
}

RUN_TESTS(NULL, NULL)
