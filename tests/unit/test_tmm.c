/* test_tmm.c - degrees of freedom on a grid, and the robust mixture beside the mixture of
 * Gaussians, with gaps and without. */
#include "arena.h"
#include "base/rows.h"
#include "expfam/expfam.h"
#include "gen.h"
#include "model/model.h"
#include "model/tmm_tail.h"
#include "test.h"

enum { G = MB_TMM_GRID, K = 3, D = 3, ROWS = 300, MAX = 256 };

static const double EULER = 0.57721566490153286061;

TEST(all_points_of_the_grid_are_alike_before)
{
    const double phi[2] = {0, 0};
    double       mu[2], A, scratch[2 * G], sum = 0;

    for (int g = 0; g < G; g++)
        sum += pow(2, g / 4.0);
    must(mb_dof.moments(G, phi, mu, &A, scratch));
    assert_near(A, log(G), 1e-14);
    assert_near(2 * mu[1], sum / G, 1e-12);
    assert_near(mb_dof_at(0), 1, 0);
    assert_near(mb_dof_at(G - 1), 256, 1e-12);
}

/* u ~ Gamma(2, rate 2), 4 degrees of freedom: E[u] = 1, E[ln u] = psi(2) - ln 2 = 1 - Euler - ln 2. */
TEST(many_rows_of_four_degrees_of_freedom_say_four)
{
    const double rows = 1e5, phi[2] = {rows, rows * (1 - EULER - log(2) - 1)};
    double       mu[2], scratch[2 * G];

    must(mb_dof.moments(G, phi, mu, NULL, scratch));
    assert_near(2 * mu[1], 4, 1e-6);
}

TEST(draws_are_as_frequent_as_they_are_probable)
{
    enum { DRAWS = 20000 };
    const double par[2] = {6, -8};
    double       scratch[2 * G], v, mean = 0, mu[2], up[2], down[2], near[2] = {6, -8}, var;
    const double h = 1e-4;
    mb_rng       r = gen_rng(3);

    must(mb_dof.moments(G, par, mu, NULL, scratch));
    near[1] += h;
    must(mb_dof.moments(G, near, up, NULL, scratch));
    near[1] -= 2 * h;
    must(mb_dof.moments(G, near, down, NULL, scratch));
    var = 4 * (up[1] - down[1]) / (2 * h); /* of v: A'' is the variance of v/2 */
    for (int i = 0; i < DRAWS; i++) {
        must(mb_dof.draw(G, par, &r, &v, scratch));
        mean += v / DRAWS;
    }
    assert_near(mean, 2 * mu[1], 5 * sqrt(var / DRAWS));
}

typedef struct world {
    mb_model m, gauss;
    double   x[ROWS * D], resp[ROWS * K], phi[MAX], *scratch;
    mb_rows  rows;
} world;

/* gaps 1: about 30 % of the values are missing, and all of row 5. */
static world *set_up(double dof, int32_t gaps)
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
    gen_rows(&r, ROWS, D, K, w.x);
    for (int e = 0; e < ROWS * D && gaps; e++)
        if (mb_rng_uniform(&r) < 0.3 || e / D == 5)
            w.x[e] = (double)NAN;
    for (int e = 0; e < ROWS * K; e++)
        w.resp[e] = e % K == e / K % K ? 0.5 : 0.25;
    w.rows = (mb_rows){.x = w.x, .n = ROWS, .d = D, .ld = D, .gaps = gaps};
    w.scratch = doubles(mb_local_scratch(&w.m) + mb_local_scratch(&w.gauss));
    return &w;
}

TEST(with_many_degrees_of_freedom_it_is_the_mixture_of_gaussians)
{
    const double dof = 1e7, tol = 1e-4; /* terms of order Delta^2 / dof */

    for (int32_t gaps = 0; gaps < 2; gaps++) {
        const world    *w = set_up(dof, gaps);
        const mb_model *m[2] = {&w->m, &w->gauss};
        double          star[2][MAX], bound[2], density[2][ROWS];

        for (int i = 0; i < 2; i++) {
            must(mb_local_step(m[i], &w->rows, 1, w->phi, star[i], &bound[i], NULL, w->scratch,
                               NULL));
            must(m[i]->ops->predict(m[i], w->phi, &w->rows, MB_WANT_LOGPDF, density[i], w->scratch,
                                    NULL));
        }
        assert_near(bound[0], bound[1], tol * fabs(bound[1]));
        assert_all_near(star[0], star[1], w->m.layout.len, tol);
        assert_all_near(density[0], density[1], ROWS, tol);
    }
}

/* The first step from responsibilities knows no precision of a row: it is that of Gaussians. */
TEST(a_start_from_responsibilities_is_that_of_gaussians)
{
    const world *w = set_up(0, 1);
    double       mine[MAX], its[MAX];

    must(mb_seed_step(&w->m, &w->rows, 1, w->resp, mine, w->scratch, NULL));
    must(mb_seed_step(&w->gauss, &w->rows, 1, w->resp, its, w->scratch, NULL));
    assert_all_near(mine, its, w->gauss.layout.len, 1e-12);
}

/* Of 2 degrees of freedom, over the second column; x = sinh t as in contract/gaps.c, where they are
 * unknown. */
TEST(with_known_degrees_of_freedom_a_gap_is_integrated_out_too)
{
    enum { HALF = 500, POINTS = 2 * HALF + 1 };
    static double x[POINTS * D], ln[POINTS];
    const double  h = 40.0 / HALF;
    const world  *w = set_up(2, 1);
    mb_rows       rows = {.x = x, .n = POINTS, .d = D, .ld = D, .gaps = 1};

    for (int rest = 0; rest < 2; rest++) { /* 1: the third column is missing too */
        double sum = 0;

        for (int s = 0; s < POINTS; s++) {
            x[D * s] = 0.4;
            x[D * s + 1] = sinh(h * (s - HALF));
            x[D * s + 2] = rest ? (double)NAN : -1;
        }
        must(w->m.ops->predict(&w->m, w->phi, &rows, MB_WANT_LOGPDF, ln, w->scratch, NULL));
        for (int s = 0; s < POINTS; s++)
            sum += h * cosh(h * (s - HALF)) * exp(ln[s]);
        x[1] = (double)NAN;
        rows.n = 1;
        must(w->m.ops->predict(&w->m, w->phi, &rows, MB_WANT_LOGPDF, ln, w->scratch, NULL));
        assert_near(ln[0], log(sum), 1e-9);
        rows.n = POINTS;
    }
}

/* The mean of a component with one row a million standard deviations away hardly knows of it. */
TEST(a_row_far_out_has_little_weight)
{
    world  *w = set_up(3, 0);
    double  with[MAX], without[MAX];
    mb_rows rest = mb_rows_part(&w->rows, 1, ROWS - 1);

    w->x[0] = 1e6;
    w->rows.x = w->x;
    rest.x = w->x + D;
    must(mb_local_step(&w->m, &w->rows, 1, w->phi, with, NULL, NULL, w->scratch, NULL));
    must(mb_local_step(&w->m, &rest, 1, w->phi, without, NULL, NULL, w->scratch, NULL));
    for (int k = 0; k < K; k++) {
        const size_t at = w->m.layout.block[1].off + w->m.layout.block[1].len * (size_t)k;

        /* -beta/2 and -beta m/sqrt 2: E[u] x is at most 5e6/(1e12 E[Lambda]) */
        assert_near(with[at + 1], without[at + 1], 1e-6);
        assert_near(with[at + 2], without[at + 2], 1e-3);
    }
}

/* The sum over a table and the one without it take other steps, to other ends. */
TEST(the_table_does_not_change_the_tail)
{
    static const double dofs[] = {0, 1, 3, 100};
    const mb_kernel_   *kernel[MB_KERNELS_MAX];
    double              logs[G], *room;

    mb_kernel_list_(kernel);
    for (int g = 0; g < G; g++)
        logs[g] = -log(G);
    for (int32_t dim = 1; dim <= 30; dim += dim)
        for (size_t i = 0; i < sizeof dofs / sizeof *dofs; i++) {
            const int32_t nodes = mb_tail_nodes_(dim, dofs[i]);
            mb_tail_      t = {.D = dim, .beta = 3, .half = 20 + dim, .n = G, .dof = dofs[i]};

            t.logs = dofs[i] > 0 ? NULL : logs;
            room = doubles(4 * (size_t)nodes);
            assert_non_null(room);
            mb_tail_table_(&t, nodes, room);
            for (double distance = 1e-3; distance < 1e9; distance *= 7) {
                const double far = mb_tail_far_(&t, distance);

                assert_near(mb_tail_ln_(&t, kernel[0], distance), far, 1e-11 * (1 + fabs(far)));
            }
        }
}

TEST(wrong_options_are_refused)
{
    const double bad[] = {-1, NAN, INFINITY};
    mb_tmm_opt   o = mb_tmm_defaults(K, D);
    mb_model     m;
    mb_err       err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.dof = bad[i];
        assert_int_equal(mb_tmm_new(arena, &o, &m, &err), MB_E_ARG);
        assert_non_null(strstr(err.msg, "dof"));
    }
    o.dof = 0;
    o.gmm.covariance = MB_COVARIANCE_DIAG;
    assert_int_equal(mb_tmm_new(arena, &o, &m, &err), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)
