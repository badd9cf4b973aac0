/* test_gmm.c - the mixture of Gaussians against textbook arithmetic. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { MAX_LEN = 256, MAX_D = GEN_MAX_D };

static const double LN_2PI = 1.83787706640934548356, LN_PI = 1.14472988584940017414;

/* A mixture and a random posterior of it: natural and textbook parameters. */
typedef struct mixture {
    mb_model m;
    int32_t  K, D;
    double   phi[MAX_LEN], par[MAX_LEN], *scratch;
} mixture;

static void random_mixture(mixture *x, int32_t K, int32_t D, uint64_t seed)
{
    mb_gmm_opt o = mb_gmm_defaults(K, D);
    mb_rng     r = gen_rng(seed);

    x->K = K;
    x->D = D;
    must(mb_gmm_new(arena, &o, &x->m, NULL));
    assert_true(x->m.layout.len <= MAX_LEN);
    gen_par(&r, &x->m.layout, x->par);
    must(mb_from_par(&x->m.layout, x->par, x->phi, NULL));
    x->scratch = doubles(mb_local_scratch(&x->m));
}

static const double *normal(const mixture *x, const double *v, int32_t k)
{
    return v + x->m.layout.block[1].off + x->m.layout.block[1].len * (size_t)k;
}

/* (x-m)' W (x-m) and ln |W^-1| by elimination on the bordered matrix, nothing shared. */
static double square(int32_t D, const double *par, const double *row, double *ln_det)
{
    double        A[MAX_D][MAX_D + 1], q = 0;
    const double *v = par + 2 + D;

    for (int32_t i = 0; i < D; i++) {
        for (int32_t j = 0; j <= i; j++)
            A[i][j] = A[j][i] = *v++;
        A[i][D] = row[i] - par[2 + i];
    }
    *ln_det = 0;
    for (int32_t c = 0; c < D; c++) {
        *ln_det += log(A[c][c]);
        q += A[c][D] * A[c][D] / A[c][c];
        for (int32_t i = c + 1; i < D; i++)
            for (int32_t j = D; j >= c; j--)
                A[i][j] -= A[i][c] / A[c][c] * A[c][j];
    }
    return q;
}

/* psi by the five-point rule on lgamma: 1e-10. */
static double psi(double a)
{
    const double h = 1e-3 * fmin(a, 1);

    return (8 * (lgamma(a + h) - lgamma(a - h)) - (lgamma(a + 2 * h) - lgamma(a - 2 * h))) /
           (12 * h);
}

/* Appendix A: ln rho_k of a row, term by term. */
static void textbook_log_rho(const mixture *x, const double *row, double *rho)
{
    double total = 0;

    for (int32_t k = 0; k < x->K; k++)
        total += x->par[k];
    for (int32_t k = 0; k < x->K; k++) {
        const double *p = normal(x, x->par, k);
        double        ln_det, q = square(x->D, p, row, &ln_det), e_ln = -ln_det;

        for (int32_t d = 1; d <= x->D; d++)
            e_ln += psi((p[0] + 1 - d) / 2) + log(2);
        rho[k] = psi(x->par[k]) - psi(total) + 0.5 * e_ln - 0.5 * x->D * LN_2PI -
                 0.5 * (x->D / p[1] + p[0] * q);
    }
}

/* Adds r [1/2, svec(-z z'/2)] and the count, entry by entry. */
static void add_row(const mixture *x, const double *row, const double *r, double *s)
{
    for (int32_t k = 0; k < x->K; k++) {
        double *v = s + (normal(x, s, k) - s);

        s[k] += r[k];
        *v++ += 0.5 * r[k];
        *v++ -= 0.5 * r[k];
        for (int32_t i = 0; i < x->D; i++) {
            *v++ -= r[k] * row[i] / sqrt(2);
            for (int32_t j = 0; j < i; j++)
                *v++ -= r[k] * row[i] * row[j] / sqrt(2);
            *v++ -= 0.5 * r[k] * row[i] * row[i];
        }
    }
}

/* Sizes around the kernel's blocks (64 rows), tiles (32) and unrolling (4 columns). */
TEST(estep_equals_appendix_a)
{
    static const struct {
        int32_t K, D, n;
    } size[] = {{1, 1, 1}, {3, 2, 100}, {2, 4, 64}, {3, 5, 65}, {4, 8, 31}, {2, 7, 200}};

    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const int32_t K = size[i].K, D = size[i].D, n = size[i].n;
        mixture       x;
        mb_rng        r = gen_rng(50 + i);
        double       *rows = doubles((size_t)(n * D)), *s, *want, logz = 0, lnz = 0;
        mb_rows       view = {.x = rows, .n = n, .d = D, .ld = (size_t)D};

        random_mixture(&x, K, D, 60 + i);
        s = doubles(x.m.layout.len);
        want = doubles(x.m.layout.len);
        gen_rows(&r, n, D, K, rows);
        for (int32_t j = 0; j < n; j++) {
            double rho[8], sum = 0, top = -INFINITY;

            textbook_log_rho(&x, rows + j * D, rho);
            for (int32_t k = 0; k < K; k++)
                top = fmax(top, rho[k]);
            for (int32_t k = 0; k < K; k++)
                sum += rho[k] = exp(rho[k] - top);
            for (int32_t k = 0; k < K; k++)
                rho[k] /= sum;
            lnz += top + log(sum);
            add_row(&x, rows + j * D, rho, want);
        }
        must(x.m.ops->stats(&x.m, x.phi, &view, s, &logz, x.scratch, NULL));
        assert_near(logz, lnz, 1e-8); /* psi by differences */
        assert_all_near(s, want, x.m.layout.len, 1e-8);
    }
}

/* ln sum_k alpha_k/alpha exp(A(phi_k + u(x)) - A(phi_k)) (2 pi)^(-D/2): conjugacy itself. */
TEST(density_is_the_ratio_of_partitions)
{
    for (int32_t D = 1; D <= 6; D++) {
        mixture x;
        mb_rng  r = gen_rng(70 + (uint64_t)D);
        double  row[MAX_D], got, total = 0, want = 0;
        mb_rows view = {.x = row, .n = 1, .d = D, .ld = (size_t)D};

        random_mixture(&x, 3, D, 80 + (uint64_t)D);
        gen_rows(&r, 1, D, 1, row);
        for (int k = 0; k < 3; k++)
            total += x.par[k];
        for (int32_t k = 0; k < 3; k++) {
            double next[MAX_LEN], one[3] = {0}, A, B;

            memcpy(next, x.phi, sizeof next);
            one[k] = 1;
            add_row(&x, row, one, next);
            must(mb_normal_wishart.moments(D, normal(&x, x.phi, k), NULL, &A, x.scratch));
            must(mb_normal_wishart.moments(D, normal(&x, next, k), NULL, &B, x.scratch));
            want += x.par[k] / total * exp(B - A - 0.5 * D * LN_2PI);
        }
        must(x.m.ops->predict(&x.m, x.phi, &view, MB_WANT_LOGPDF, &got, x.scratch, NULL));
        assert_near(got, log(want), 1e-11);
    }
}

/* x = m + sinh(u): heavy tails become exponential ones and the trapezoid rule converges fast. */
TEST(density_integrates_to_one_on_the_line)
{
    enum { STEPS = 1201 };
    const double h = 0.05;
    double       x[STEPS], out[STEPS], sum = 0;
    mb_rows      view = {.x = x, .n = STEPS, .d = 1, .ld = 1};
    mixture      mix;

    random_mixture(&mix, 3, 1, 5);
    for (int i = 0; i < STEPS; i++)
        x[i] = sinh(h * (i - STEPS / 2));
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_LOGPDF, out, mix.scratch, NULL));
    for (int i = 0; i < STEPS; i++)
        sum += exp(out[i]) * h * cosh(h * (i - STEPS / 2));
    assert_near(sum, 1, 1e-9);
}

TEST(density_integrates_to_one_in_the_plane)
{
    enum { SIDE = 535 };
    const double h = 0.03;
    double      *x = doubles(2 * SIDE * SIDE), *out = doubles(SIDE * SIDE), sum = 0;
    mb_rows      view = {.x = x, .n = SIDE * SIDE, .d = 2, .ld = 2};
    mixture      mix;

    random_mixture(&mix, 2, 2, 6);
    for (int32_t k = 0; k < 2; k++) /* enough degrees of freedom for tails within the square */
        mix.phi[mix.m.layout.block[1].off + mix.m.layout.block[1].len * (size_t)k] = 4;
    for (int i = 0; i < SIDE * SIDE; i++) {
        x[2 * i] = sinh(h * (i / SIDE - SIDE / 2));
        x[2 * i + 1] = sinh(h * (i % SIDE - SIDE / 2));
    }
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_LOGPDF, out, mix.scratch, NULL));
    for (int i = 0; i < SIDE * SIDE; i++)
        sum +=
            exp(out[i]) * h * cosh(h * (i / SIDE - SIDE / 2)) * h * cosh(h * (i % SIDE - SIDE / 2));
    assert_near(sum, 1, 1e-8);
}

/* nu + 1 - D = 1, D = 1: a Cauchy with the scale of the formula. */
TEST(density_of_few_rows_is_a_cauchy)
{
    const double alpha = 1, nu = 1, beta = 0.5, winv = 2, m = 1, x = 4;
    const double par[5] = {alpha, nu, beta, m, winv}, s2 = winv * (1 + beta) / beta;
    mb_rows      view = {.x = &x, .n = 1, .d = 1, .ld = 1};
    mixture      mix;
    double       got;

    random_mixture(&mix, 1, 1, 7);
    must(mb_from_par(&mix.m.layout, par, mix.phi, NULL));
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_LOGPDF, &got, mix.scratch, NULL));
    assert_near(got, -LN_PI - 0.5 * log(s2) - log1p((x - m) * (x - m) / s2), 1e-14);
}

TEST(a_tie_goes_to_the_lowest_label)
{
    const double x[2] = {0.3, 1e3};
    mb_rows      view = {.x = x, .n = 2, .d = 1, .ld = 1};
    mixture      mix;
    double       label[2];

    random_mixture(&mix, 3, 1, 8);
    must(mix.m.ops->predict(&mix.m, mix.m.prior, &view, MB_WANT_LABEL, label, mix.scratch, NULL));
    assert_near(label[0], 0, 0);
    assert_near(label[1], 0, 0);
}

/* A row's weight says how much it teaches, not what is predicted for it. */
TEST(predictions_ignore_weights)
{
    const double x[2] = {0.3, 1}, w[2] = {0, 5};
    mb_rows      view = {.x = x, .w = w, .n = 2, .d = 1, .ld = 1};
    mixture      mix;
    double       resp[4] = {-1, -1, -1, -1};

    random_mixture(&mix, 2, 1, 9);
    must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_RESP, resp, mix.scratch, NULL));
    assert_near(resp[0] + resp[1], 1, 1e-15);
    assert_near(resp[2] + resp[3], 1, 1e-15);
}

/* Far rows: ln rho = -1e8 apart must neither underflow to 0/0 nor lose ln Z. */
TEST(far_rows_keep_a_finite_density)
{
    const double x = 1e6;
    mb_rows      view = {.x = &x, .n = 1, .d = 1, .ld = 1};
    mixture      mix;
    double       s[MAX_LEN] = {0}, logz = 0;

    random_mixture(&mix, 2, 1, 10);
    must(mix.m.ops->stats(&mix.m, mix.phi, &view, s, &logz, mix.scratch, NULL));
    assert_true(isfinite(logz) && logz < -1e8);
    assert_near(s[0] + s[1], 1, 1e-15);
}

/* Responsibilities keep their relative precision down to e^-600. */
TEST(a_small_responsibility_is_not_zero)
{
    const double par[10] = {2, 3, 9, 4, 0, 1, 9, 4, 10, 1};
    int          seen = 0;

    for (int i = 0; i < 32; i++) {
        const double x = 5 - 0.25 * i;
        mb_rows      view = {.x = &x, .n = 1, .d = 1, .ld = 1};
        mixture      mix;
        double       rho[2], resp[2];

        random_mixture(&mix, 2, 1, 11);
        memcpy(mix.par, par, sizeof par);
        must(mb_from_par(&mix.m.layout, par, mix.phi, NULL));
        textbook_log_rho(&mix, &x, rho);
        if (rho[1] - rho[0] < -600)
            continue;
        must(mix.m.ops->predict(&mix.m, mix.phi, &view, MB_WANT_RESP, resp, mix.scratch, NULL));
        assert_near(log(resp[1] / resp[0]), rho[1] - rho[0], 1e-9);
        seen++;
    }
    assert_in_range(seen, 20, 31);
}

RUN_TESTS(arena_up, arena_down)
