/* test_kl.c - generic KL against quadrature and the textbook formula. */
#include "gen.h"
#include "test.h"

enum { MAX_LEN = 64, MAX_SCRATCH = 512, PAIRS = 50 };

static mb_layout one(const mb_family *f, int32_t dim)
{
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add(&l, f, dim, 1, &err));
    assert_true(l.len <= MAX_LEN && l.len + l.scratch <= MAX_SCRATCH);
    return l;
}

static double kl_of(const mb_layout *l, const double *p_par, const double *q_par)
{
    double p[MAX_LEN], q[MAX_LEN], scratch[MAX_SCRATCH], kl;
    mb_err err;

    must(mb_from_par(l, p_par, p, &err));
    must(mb_from_par(l, q_par, q, &err));
    must(mb_kl(l, p, q, &kl, scratch, &err));
    return kl;
}

TEST(kl_is_zero_on_itself)
{
    mb_rng r = gen_rng(1);

    for (int32_t D = 1; D <= 5; D++) {
        const mb_layout l = one(&mb_normal_wishart, D), d = one(&mb_dirichlet, D);
        double          par[MAX_LEN];

        gen_normal_wishart(&r, D, par);
        assert_true(fabs(kl_of(&l, par, par)) < 1e-12);
        gen_dirichlet(&r, D, par);
        assert_true(fabs(kl_of(&d, par, par)) < 1e-12);
    }
}

TEST(kl_is_positive_on_others)
{
    mb_rng r = gen_rng(2);

    for (int i = 0; i < PAIRS; i++) {
        const int32_t   D = 1 + i % 5;
        const mb_layout l = one(&mb_normal_wishart, D), d = one(&mb_dirichlet, D + 1);
        double          p[MAX_LEN], q[MAX_LEN];

        gen_normal_wishart(&r, D, p);
        gen_normal_wishart(&r, D, q);
        assert_true(kl_of(&l, p, q) > 0);
        gen_dirichlet(&r, D + 1, p);
        gen_dirichlet(&r, D + 1, q);
        assert_true(kl_of(&d, p, q) > 0);
    }
}

/* ln density of Beta(a, b) at logit^-1(u), with the Jacobian of u. */
static double log_beta(const double *par, double u)
{
    const double a = par[0], b = par[1], ln_x = -log1p(exp(-u)), ln_y = -log1p(exp(u));

    return lgamma(a + b) - lgamma(a) - lgamma(b) + a * ln_x + b * ln_y;
}

/* The trapezoid rule on the logit scale converges geometrically. */
TEST(kl_of_betas_equals_quadrature)
{
    static const double p[2] = {2.5, 0.7}, q[2] = {1.2, 3.1};
    const mb_layout     l = one(&mb_dirichlet, 2);
    const double        h = 0.05;
    double              kl = 0, mass = 0;

    for (int i = -1600; i <= 1600; i++) {
        const double u = h * i, lp = log_beta(p, u);

        mass += h * exp(lp);
        kl += h * exp(lp) * (lp - log_beta(q, u));
    }
    assert_near(mass, 1, 1e-12);
    assert_near(kl_of(&l, p, q), kl, 1e-11);
}

/* D = 1: ln N(mu | m, 1/(beta lam)) Gamma(lam | nu/2, W^-1/2), par = [nu, beta, m, W^-1]. */
static double log_normal_gamma(const double *par, double mu, double lam)
{
    const double a = par[0] / 2, b = par[3] / 2, d = mu - par[2], pi = 3.14159265358979323846;

    return 0.5 * log(par[1] * lam / (2 * pi)) - 0.5 * par[1] * lam * d * d + a * log(b) -
           lgamma(a) + (a - 1) * log(lam) - b * lam;
}

/* Trapezoid rule in ln lam and in the standardised mean, both analytic with fast tails. */
TEST(kl_of_normal_gammas_equals_quadrature)
{
    static const double p[4] = {5.5, 1.7, 0.4, 2.2}, q[4] = {3.1, 0.6, -0.8, 0.9};
    const mb_layout     l = one(&mb_normal_wishart, 1);
    const double        h = 0.05;
    double              kl = 0, mass = 0;

    for (int i = -400; i <= 100; i++)
        for (int j = -200; j <= 200; j++) {
            const double lam = exp(h * i), sd = 1 / sqrt(p[1] * lam), mu = p[2] + sd * h * j;
            const double lp = log_normal_gamma(p, mu, lam), dp = exp(lp) * h * lam * h * sd;

            mass += dp;
            kl += dp * (lp - log_normal_gamma(q, mu, lam));
        }
    assert_near(mass, 1, 1e-11);
    assert_near(kl_of(&l, p, q), kl, 1e-10);
}

/* Full symmetric matrix from the lower triangle at the end of par. */
static void unpack(int32_t D, const double *par, double *A)
{
    const double *v = par + 2 + D;

    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            A[i * D + j] = A[j * D + i] = *v++;
}

/* Gauss-Jordan without pivoting, enough for positive definite; returns ln det. */
static double invert(int32_t D, double *A, double *inv)
{
    double ln_det = 0;

    for (int32_t e = 0; e < D * D; e++)
        inv[e] = e / D == e % D;
    for (int32_t c = 0; c < D; c++) {
        const double pivot = A[c * D + c];

        ln_det += log(pivot);
        for (int32_t j = 0; j < D; j++) {
            A[c * D + j] /= pivot;
            inv[c * D + j] /= pivot;
        }
        for (int32_t i = 0; i < D; i++) {
            const double f = i == c ? 0 : A[i * D + c];

            for (int32_t j = 0; j < D; j++) {
                A[i * D + j] -= f * A[c * D + j];
                inv[i * D + j] -= f * inv[c * D + j];
            }
        }
    }
    return ln_det;
}

static double ln_gamma_D(int32_t D, double a)
{
    double sum = 0;

    for (int32_t d = 1; d <= D; d++)
        sum += lgamma(a + 0.5 * (1 - d));
    return sum;
}

/* The textbook's sum: KL of the Wisharts plus the mean KL of the normals. */
static double textbook_kl(int32_t D, const double *p, const double *q)
{
    const double h = 1e-4, nup = p[0], nuq = q[0], ratio = q[1] / p[1];
    double       P[25], Q[25], Wp[25], Wq[25], ln_p, ln_q, trace = 0, square = 0, psi;

    unpack(D, p, P);
    unpack(D, q, Q);
    ln_p = -invert(D, P, Wp); /* ln |W_p| */
    ln_q = -invert(D, Q, Wq);
    unpack(D, q, Q);
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j < D; j++) {
            trace += Q[i * D + j] * Wp[j * D + i];
            square += (p[2 + i] - q[2 + i]) * Wp[i * D + j] * (p[2 + j] - q[2 + j]);
        }
    /* five-point derivative: error h^4 */
    psi = (8 * (ln_gamma_D(D, nup / 2 + h) - ln_gamma_D(D, nup / 2 - h)) -
           (ln_gamma_D(D, nup / 2 + 2 * h) - ln_gamma_D(D, nup / 2 - 2 * h))) /
          (12 * h);
    return 0.5 * nuq * (ln_q - ln_p) + 0.5 * nup * (trace - D) + ln_gamma_D(D, nuq / 2) -
           ln_gamma_D(D, nup / 2) + 0.5 * (nup - nuq) * psi + 0.5 * D * (ratio - log(ratio) - 1) +
           0.5 * q[1] * nup * square;
}

TEST(kl_of_normal_wisharts_equals_the_textbook)
{
    mb_rng r = gen_rng(3);

    for (int i = 0; i < PAIRS; i++) {
        const int32_t   D = 1 + i % 5;
        const mb_layout l = one(&mb_normal_wishart, D);
        double          p[MAX_LEN], q[MAX_LEN];

        gen_normal_wishart(&r, D, p);
        gen_normal_wishart(&r, D, q);
        assert_near(kl_of(&l, p, q), textbook_kl(D, p, q), 1e-9);
    }
}

TEST(kl_adds_over_blocks)
{
    mb_layout l = {0};
    mb_rng    r = gen_rng(4);
    mb_err    err;
    double    p[MAX_LEN], q[MAX_LEN], parts;

    must(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err));
    must(mb_layout_add(&l, &mb_normal_wishart, 2, 2, &err));
    gen_par(&r, &l, p);
    gen_par(&r, &l, q);
    {
        const mb_layout w = one(&mb_dirichlet, 2), n = one(&mb_normal_wishart, 2);

        parts = kl_of(&w, p, q) + kl_of(&n, p + 2, q + 2) + kl_of(&n, p + 9, q + 9);
    }
    assert_near(kl_of(&l, p, q), parts, 1e-12);
}

TEST(kl_outside_the_domain_names_the_slice)
{
    mb_layout l = {0};
    mb_rng    r = gen_rng(5);
    double    par[MAX_LEN], p[MAX_LEN], q[MAX_LEN], scratch[MAX_SCRATCH], kl;
    mb_err    err;

    must(mb_layout_add(&l, &mb_dirichlet, 2, 1, &err));
    must(mb_layout_add(&l, &mb_normal_wishart, 1, 2, &err));
    gen_par(&r, &l, par);
    must(mb_from_par(&l, par, p, &err));
    memcpy(q, p, sizeof q);
    q[l.block[1].off + l.block[1].len + 1] = 1; /* beta of the second component = -2 */
    assert_int_equal(mb_kl(&l, p, q, &kl, scratch, &err), MB_E_DOMAIN);
    assert_string_equal(
        err.msg, "block 1 (normal-wishart.1), slice 1: natural parameter outside its domain");
    assert_int_equal(mb_kl(&l, q, p, &kl, scratch, &err), MB_E_DOMAIN);
}

RUN_TESTS(NULL, NULL)
