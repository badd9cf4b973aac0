/* test_local.c - the local step against the data walk, exact evidence and closed forms. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { MAX_LEN = 128, MAX_SCRATCH = 4096 };

static const double LN_2PI = 1.83787706640934548356;

static mb_model model(int32_t K, int32_t D)
{
    mb_gmm_opt o = mb_gmm_defaults(K, D);
    mb_model   m;

    must(mb_gmm_new(arena, &o, &m, NULL));
    assert_true(m.layout.len <= MAX_LEN && mb_local_scratch(&m) <= MAX_SCRATCH);
    return m;
}

static mb_rows rows_of(const double *x, int64_t n, int32_t d)
{
    return (mb_rows){.x = x, .n = n, .d = d, .ld = (size_t)d};
}

/* Node 0 of the data walk: rows 1, 1.2, 4, responsibilities hard, N = 3. */
TEST(data_walk_gives_its_first_phi_star)
{
    const double  x[3] = {1, 1.2, 4}, resp[6] = {1, 0, 1, 0, 0, 1}, w0inv = 0.1;
    const double  want[10] = {6,     3,   3.5,   -3.05,         -4.4 * 1.5 / sqrt(2),
                              -3.71, 2.0, -1.55, -12 / sqrt(2), -24.05};
    const double  printed[10] = {6, 3, 3.5, -3.05, -4.6669, -3.71, 2, -1.55, -8.4853, -24.05};
    const mb_rows rows = rows_of(x, 3, 1);
    mb_gmm_opt    o = {.K = 2, .D = 1, .alpha0 = 1, .beta0 = 0.1, .nu0 = 2, .w0inv = &w0inv};
    mb_model      m;
    double        star[MAX_LEN], scratch[MAX_SCRATCH];
    mb_err        err;

    must(mb_gmm_new(arena, &o, &m, &err));
    assert_int_equal(m.layout.len, 10);
    must(mb_seed_step(&m, &rows, 3, resp, star, scratch, &err));
    assert_all_near(star, want, 10, 1e-14);
    assert_all_near(star, printed, 10, 1e-5); /* printed with four decimals */
}

/* ln p(x) of a mixture, summed over all K^n assignments; each term is conjugate. */
static double exact_evidence(const mb_model *m, const mb_rows *rows)
{
    const int32_t K = m->K;
    double        terms[256], scratch[MAX_SCRATCH], A, top = -INFINITY, sum = 0;
    int           count = 1;

    for (int64_t j = 0; j < rows->n; j++)
        count *= K;
    assert_true(count <= 256);
    for (int code = 0; code < count; code++) {
        double resp[64] = {0}, post[MAX_LEN];
        int    rest = code;

        for (int64_t j = 0; j < rows->n; j++, rest /= K)
            resp[j * K + rest % K] = 1;
        must(mb_seed_step(m, rows, 1, resp, post, scratch, NULL));
        must(mb_moments(&m->layout, post, NULL, &A, scratch, NULL));
        terms[code] = A - m->A_prior - 0.5 * LN_2PI * (double)rows->n * rows->d;
        top = fmax(top, terms[code]);
    }
    for (int code = 0; code < count; code++)
        sum += exp(terms[code] - top);
    return top + log(sum);
}

TEST(the_bound_is_below_the_exact_evidence)
{
    const double   x[8] = {-1.5, -1, -1.2, 0.8, 1.1, 1.3, 0.9, 3};
    const mb_model m = model(2, 1);
    const mb_rows  rows = rows_of(x, 8, 1);
    double         phi[MAX_LEN], star[MAX_LEN], scratch[MAX_SCRATCH], bound, evidence;
    double         resp[16];

    for (int j = 0; j < 8; j++) {
        resp[2 * j] = x[j] < 0 ? 0.9 : 0.2;
        resp[2 * j + 1] = 1 - resp[2 * j];
    }
    evidence = exact_evidence(&m, &rows);
    must(mb_seed_step(&m, &rows, 1, resp, phi, scratch, NULL));
    for (int t = 0; t < 100; t++) {
        must(mb_local_step(&m, &rows, 1, phi, star, &bound, NULL, scratch, NULL));
        assert_true(bound < evidence);
        memcpy(phi, star, sizeof phi);
    }
    assert_true(bound > evidence - 3); /* and it is a bound worth the name: measured gap 1.4 */
}

/* One row and one component: the bound at the exact posterior is the evidence, which is the
 * Student-t density of the prior, here by quadrature over the mean and the precision. */
TEST(the_bound_is_the_evidence_of_one_row)
{
    const double   x = 0.7, h = 0.05;
    const mb_model m = model(1, 1); /* nu 3, beta 1, m 0, W^-1 1 */
    const mb_rows  rows = rows_of(&x, 1, 1);
    double         star[MAX_LEN], next[MAX_LEN], scratch[MAX_SCRATCH], bound, sum = 0;

    must(mb_local_step(&m, &rows, 1, m.prior, star, NULL, NULL, scratch, NULL));
    must(mb_local_step(&m, &rows, 1, star, next, &bound, NULL, scratch, NULL));
    for (int i = -500; i <= 120; i++)
        for (int j = -300; j <= 300; j++) {
            const double lam = exp(h * i), mu = h * j / sqrt(lam);
            /* Gamma(lam | 3/2, 1/2) N(mu | 0, 1/lam) N(x | mu, 1/lam), steps in ln lam and mu */
            const double lp = 1.5 * log(0.5) - lgamma(1.5) + 0.5 * log(lam) - 0.5 * lam - LN_2PI +
                              log(lam) - 0.5 * lam * (mu * mu + (x - mu) * (x - mu));

            sum += exp(lp) * h * lam * h / sqrt(lam);
        }
    assert_near(bound, log(sum), 1e-10);
}

/* K = 1: one step lands on the closed-form posterior, and its bound is the exact evidence. */
TEST(one_component_is_the_closed_form)
{
    enum { N = 90, D = 3 };
    const mb_model m = model(1, D);
    mb_rng         r = gen_rng(3);
    double  x[N * D], star[MAX_LEN], next[MAX_LEN], par[MAX_LEN], scratch[MAX_SCRATCH], bound;
    double  mean[D] = {0}, A, want[MAX_LEN], *v = want;
    mb_rows rows = rows_of(x, N, D);

    gen_rows(&r, N, D, 2, x);
    for (int e = 0; e < N * D; e++)
        mean[e % D] += x[e] / N;
    must(mb_local_step(&m, &rows, 1, m.prior, star, NULL, NULL, scratch, NULL));
    must(mb_to_par(&m.layout, star, par, scratch, NULL));
    *v++ = 1 + N;     /* alpha0 = 1/K = 1 */
    *v++ = D + 2 + N; /* nu */
    *v++ = 1 + N;     /* beta */
    for (int d = 0; d < D; d++)
        *v++ = N * mean[d] / (1 + N);
    for (int i = 0; i < D; i++)
        for (int j = 0; j <= i; j++, v++) { /* W0^-1 + S + beta0 N/(beta0 + N) mean mean' */
            *v = (i == j) + (double)N / (1 + N) * mean[i] * mean[j];
            for (int n = 0; n < N; n++)
                *v += (x[n * D + i] - mean[i]) * (x[n * D + j] - mean[j]);
        }
    assert_all_near(par, want, m.layout.len, 1e-12);
    must(mb_local_step(&m, &rows, 1, star, next, &bound, NULL, scratch, NULL));
    assert_all_near(next, star, m.layout.len, 1e-13);
    must(mb_moments(&m.layout, star, NULL, &A, scratch, NULL));
    assert_near(bound, A - m.A_prior - 0.5 * N * D * LN_2PI, 1e-12);
}

TEST(statistics_too_large_are_an_error)
{
    const double   x[2] = {1e200, 1}, resp[4] = {1, 0, 0, 1};
    const mb_model m = model(2, 1);
    const mb_rows  rows = rows_of(x, 2, 1);
    double         star[MAX_LEN], scratch[MAX_SCRATCH];
    mb_err         err;

    assert_int_equal(mb_seed_step(&m, &rows, 1, resp, star, scratch, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "statistic 5"));
}

RUN_TESTS(arena_up, arena_down)
