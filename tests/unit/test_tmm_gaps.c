/* test_tmm_gaps.c - rows with gaps in a robust mixture: densities against integrals, and the mixture
 * of Gaussians in the limit of many degrees of freedom. */
#include "arena.h"
#include "gen.h"
#include "model/model.h"
#include "test.h"

enum { K = 3, D = 3, ROWS = 300, MAX = 256 };

typedef struct world {
    mb_model m, gauss;
    double   x[ROWS * D], resp[ROWS * K], phi[MAX], *scratch;
    mb_rows  rows;
} world;

/* About 30 % of the values are missing, and all of row 5. */
static void draw_rows(world *w, mb_rng *r)
{
    gen_rows(r, ROWS, D, K, w->x);
    for (int e = 0; e < ROWS * D; e++)
        if (mb_rng_uniform(r) < 0.3 || e / D == 5)
            w->x[e] = (double)NAN;
    for (int e = 0; e < ROWS * K; e++)
        w->resp[e] = e % K == e / K % K ? 0.5 : 0.25;
    w->rows = (mb_rows){.x = w->x, .n = ROWS, .d = D, .ld = D, .gaps = 1};
}

static world *set_up(double dof)
{
    static world w;
    mb_tmm_opt   o = mb_tmm_defaults(K, D);
    double       par[MAX];
    mb_rng       r = gen_rng(9);
    mb_err       err;

    o.dof = dof;
    must(mb_tmm_new(arena, &o, &w.m, &err));
    must(mb_gmm_new(arena, &o.gmm, &w.gauss, &err));
    assert_true(w.m.layout.len <= MAX);
    gen_par(&r, &w.m.layout, par);
    must(mb_from_par(&w.m.layout, par, w.phi, &err));
    draw_rows(&w, &r);
    w.scratch =
        mb_alloc(arena, sizeof(double), mb_local_scratch(&w.m) + mb_local_scratch(&w.gauss));
    assert_non_null(w.scratch);
    return &w;
}

static void log_densities(const world *w, const double *x, int64_t n, double *out)
{
    const mb_rows rows = {.x = x, .n = n, .d = D, .ld = D, .gaps = 1};

    must(w->m.ops->predict(&w->m, w->phi, &rows, MB_WANT_LOGPDF, out, w->scratch, NULL));
}

static double log_density(const world *w, const double *row)
{
    double out;

    log_densities(w, row, 1, &out);
    return out;
}

/* Over column i, x = sinh t: sums at equal steps converge exponentially, and what is beyond t = 40 is
 * below e^-40 of a density with one degree of freedom. */
static double integral(const world *w, const double *row, int32_t i)
{
    enum { HALF = 500, POINTS = 2 * HALF + 1 };
    static double x[POINTS * D], ln[POINTS];
    const double  h = 40.0 / HALF;
    double        sum = 0;

    for (int e = 0; e < POINTS * D; e++)
        x[e] = e % D == i ? sinh(h * (e / D - HALF)) : row[e % D];
    log_densities(w, x, POINTS, ln);
    for (int s = 0; s < POINTS; s++)
        sum += h * cosh(h * (s - HALF)) * exp(ln[s]);
    return sum;
}

/* Of several gaps one is summed over: what is left has one less. */
TEST(the_density_of_a_row_with_gaps_is_the_integral_over_them)
{
    static const double dofs[] = {0, 2};
    static const double row[][D] = {{NAN, -0.3, -1}, {0.4, NAN, NAN}, {NAN, NAN, NAN}};

    for (size_t k = 0; k < sizeof dofs / sizeof *dofs; k++) {
        const world *w = set_up(dofs[k]);

        for (size_t j = 0; j < sizeof row / sizeof *row; j++)
            assert_near(log_density(w, row[j]), log(integral(w, row[j], j == 1)), 1e-9);
    }
}

TEST(a_row_without_any_value_has_the_density_1)
{
    const double none[D] = {NAN, NAN, NAN};

    assert_near(log_density(set_up(0), none), 0, 1e-12);
    assert_near(log_density(set_up(4), none), 0, 1e-12);
}

TEST(with_many_degrees_of_freedom_it_is_the_mixture_of_gaussians)
{
    const double tol = 1e-4; /* terms of order Delta^2 / dof */
    const world *w = set_up(1e7);
    double       mine[MAX], its[MAX], bound[2], density[2][ROWS];

    must(mb_local_step(&w->m, &w->rows, 1, w->phi, mine, &bound[0], NULL, w->scratch, NULL));
    must(mb_local_step(&w->gauss, &w->rows, 1, w->phi, its, &bound[1], NULL, w->scratch, NULL));
    assert_near(bound[0], bound[1], tol * fabs(bound[1]));
    assert_all_near(mine, its, w->m.layout.len, tol);
    must(w->m.ops->predict(&w->m, w->phi, &w->rows, MB_WANT_LOGPDF, density[0], w->scratch, NULL));
    must(w->gauss.ops->predict(&w->gauss, w->phi, &w->rows, MB_WANT_LOGPDF, density[1], w->scratch,
                               NULL));
    assert_all_near(density[0], density[1], ROWS, tol);
}

/* The first step from responsibilities knows no precision of a row: it is that of Gaussians. */
TEST(a_start_from_responsibilities_is_that_of_gaussians)
{
    const world *w = set_up(0);
    double       mine[MAX], its[MAX];

    must(mb_seed_step(&w->m, &w->rows, 1, w->resp, mine, w->scratch, NULL));
    must(mb_seed_step(&w->gauss, &w->rows, 1, w->resp, its, w->scratch, NULL));
    assert_all_near(mine, its, w->gauss.layout.len, 1e-12);
}

RUN_TESTS(arena_up, arena_down)
