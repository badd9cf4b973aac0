/* Claims about a regression whose inputs have precisions of their own: its bound and its step. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { N = 40, MAX_LEN = 32, P = 2 };

static const double LN_2PI = 1.83787706640934548356;

/* By the recurrence up to 20 and the asymptotic series there: error below 1e-16. */
static double digamma(double x)
{
    double sum = 0;

    for (; x < 20; x++)
        sum -= 1 / x;
    x = 1 / x;
    return sum - log(x) - x / 2 - x * x / 12 + pow(x, 4) / 120 - pow(x, 6) / 252 + pow(x, 8) / 240;
}

static double gamma_entropy(double a, double b)
{
    return a - log(b) + lgamma(a) + (1 - a) * digamma(a);
}

/* E[ln Gamma(x | a0, b0)] under Gamma(a, b). */
static double gamma_cross(double a0, double b0, double a, double b)
{
    return a0 * log(b0) - lgamma(a0) + (a0 - 1) * (digamma(a) - log(b)) - b0 * a / b;
}

/* Two coefficients: one input and the intercept, or two inputs. */
typedef struct bench {
    mb_linreg_opt o;
    mb_model      m;
    double        x[N * 3];
    mb_rows       rows;
    double        phi[MAX_LEN], star[MAX_LEN], scratch[4096];
} bench;

static bench *set_up(int32_t intercept)
{
    bench *b = mb_alloc(arena, 1, sizeof *b);
    mb_rng r = gen_rng(8);
    mb_err err;

    assert_non_null(b);
    b->o = mb_linreg_defaults(P - intercept, intercept);
    b->o.relevance = 1;
    must(mb_linreg_new(arena, &b->o, &b->m, &err));
    assert_true(mb_local_scratch(&b->m) <= 4096 && b->m.layout.len <= MAX_LEN);
    gen_rows(&r, N, P - intercept + 1, 2, b->x);
    b->rows =
        (mb_rows){.x = b->x, .n = N, .d = P - intercept + 1, .ld = (size_t)(P - intercept + 1)};
    must(mb_seed_step(&b->m, &b->rows, 1, NULL, b->phi, b->scratch, &err));
    return b;
}

static double step(bench *b)
{
    double bound;

    must(mb_local_step(&b->m, &b->rows, 1, b->phi, b->star, &bound, NULL, b->scratch, NULL));
    return bound;
}

/* The first input is the constant 1 when there is an intercept. */
static double input(const bench *b, int j, int i)
{
    const int32_t first = b->o.intercept;

    return i < first ? 1 : b->x[(size_t)j * b->rows.ld + (size_t)(i - first)];
}

/* E[ln p(y, w, tau, alpha)] + entropy of q, term by term. */
static double by_terms(const bench *b, const double *par)
{
    const double a = par[0], rate = par[1], *m = par + 2, *L = par + 4, *g = par + 7;
    const double det = L[0] * L[2] - L[1] * L[1], ln_tau = digamma(a) - log(rate);
    const double V[P][P] = {{L[2] / det, -L[1] / det}, {-L[1] / det, L[0] / det}};
    double       sum = gamma_cross(b->o.a0, b->o.b0, a, rate) + gamma_entropy(a, rate);

    for (int j = 0; j < N; j++) {
        double r = b->x[(size_t)j * b->rows.ld + b->rows.ld - 1], spread = 0;

        for (int i = 0; i < P; i++) {
            r -= m[i] * input(b, j, i);
            for (int k = 0; k < P; k++)
                spread += input(b, j, i) * V[i][k] * input(b, j, k);
        }
        sum += 0.5 * (ln_tau - LN_2PI - a / rate * r * r - spread);
    }
    for (int i = 0; i < P; i++) {
        const double square = V[i][i] + a / rate * m[i] * m[i];

        if (i < b->o.intercept) {
            sum += 0.5 * (ln_tau + log(b->o.lambda0) - LN_2PI - b->o.lambda0 * square);
            continue;
        }
        sum += 0.5 * (ln_tau + digamma(g[0]) - log(g[1]) - LN_2PI - g[0] / g[1] * square);
        sum += gamma_cross(1e-6, 1e-6, g[0], g[1]) + gamma_entropy(g[0], g[1]);
        g += 2;
    }
    return sum + 0.5 * (P * (1 + LN_2PI - ln_tau) - log(det));
}

/* Anywhere, not only after a step. */
TEST(the_bound_is_that_of_its_terms)
{
    for (int32_t intercept = 0; intercept < 2; intercept++) {
        bench *b = set_up(intercept);

        for (int t = 0; t < 6; t++) {
            double par[MAX_LEN];

            must(mb_to_par(&b->m.layout, b->phi, par, b->scratch, NULL));
            for (int32_t j = 0; j < 2 * b->o.D; j++)
                par[7 + j] *= 1.5 + 0.1 * j; /* a gamma that is optimal for nothing */
            must(mb_from_par(&b->m.layout, par, b->phi, NULL));
            assert_near(step(b), by_terms(b, par), 1e-10);
            memcpy(b->phi, b->star, sizeof b->phi);
        }
    }
}

/* Each gamma is the best for the q(w, tau) before the step, and q(w, tau) for the gammas after it. */
TEST(a_step_is_coordinate_ascent)
{
    bench *b = set_up(1);
    double par[2][MAX_LEN], best;

    must(mb_to_par(&b->m.layout, b->phi, par[0], b->scratch, NULL));
    step(b);
    must(mb_to_par(&b->m.layout, b->star, par[1], b->scratch, NULL));
    memcpy(par[0] + 7, par[1] + 7, 2 * sizeof(double));
    best = by_terms(b, par[0]);
    for (int e = 7; e < 9; e++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[MAX_LEN];

            memcpy(moved, par[0], sizeof moved);
            moved[e] *= 1 + 0.01 * sign;
            assert_true(by_terms(b, moved) < best);
        }
    best = by_terms(b, par[1]);
    for (int e = 0; e < 7; e++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[MAX_LEN];

            memcpy(moved, par[1], sizeof moved);
            moved[e] += 1e-3 * sign * (fabs(moved[e]) + 0.01);
            assert_true(by_terms(b, moved) < best);
        }
}

/* An input that the target does not depend on fades; the other keeps its least-squares slope. */
TEST(an_input_that_explains_nothing_fades)
{
    bench *b = set_up(0);
    mb_rng r = gen_rng(4);
    double par[MAX_LEN];

    for (int j = 0; j < N; j++) {
        b->x[3 * j] = mb_rng_normal(&r);
        b->x[3 * j + 1] = mb_rng_normal(&r);
        b->x[3 * j + 2] = 2 * b->x[3 * j] + 0.1 * mb_rng_normal(&r);
    }
    for (int t = 0; t < 3000; t++) {
        step(b);
        memcpy(b->phi, b->star, sizeof b->phi);
    }
    must(mb_to_par(&b->m.layout, b->phi, par, b->scratch, NULL));
    assert_near(par[2], 2, 0.05);
    assert_true(fabs(par[3]) < 0.002);
    assert_true(par[9] / par[10] > 1000 * par[7] / par[8]);
}

RUN_TESTS(arena_up, arena_down)
