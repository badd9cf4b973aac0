/* dVB-ADMM against eq. (38a), (39), (40) by hand, and its guards. */
#include "arena.h"
#include "counts_world.h"
#include "test.h"

static const double TOL = 1e-12; /* rounding of a few sums of numbers up to 1000 */

static const double *lambda_of(const run *r, int32_t i)
{
    return r->state.aux + (size_t)i * 2 * r->state.ld + COUNTS_K;
}

/* Path 0-1-2, three rounds, every equation written out. */
TEST(iterates_are_those_of_the_equations)
{
    enum { N = 3, T = 3 };
    static const double A[N][N] = {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}};
    const double        rho = 0.5, xi = 0.05;
    const world        *w = counts_world(arena, "path:n=3", MB_METROPOLIS);
    run                *r = world_run(w, &mb_algo_admm, "", NULL);

    must(world_go(r, T, 1, NULL, 0));
    for (int l = 0; l < COUNTS_K; l++) {
        double phi[N], lam[N] = {0};

        for (int i = 0; i < N; i++)
            phi[i] = w->star[i * COUNTS_K + l];
        for (int t = 1; t <= T; t++) {
            const double kappa = 1 - pow(1 + xi * t, -2);
            double       next[N];

            for (int i = 0; i < N; i++) {
                double sum = 0, deg = 0;

                for (int j = 0; j < N; j++) {
                    sum += A[i][j] * (phi[i] + phi[j]);
                    deg += A[i][j];
                }
                next[i] =
                    (w->star[i * COUNTS_K + l] - 2 * lam[i] + rho * sum) / (1 + 2 * rho * deg);
            }
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++)
                    lam[i] += kappa * rho / 2 * A[i][j] * (next[i] - next[j]);
                phi[i] = next[i];
            }
        }
        for (int i = 0; i < N; i++) {
            assert_true(fabs(phi_of(r, i)[l] - phi[i]) < TOL);
            assert_true(fabs(lambda_of(r, i)[l] - lam[i]) < TOL);
        }
    }
}

TEST(starts_at_the_prior_when_set)
{
    const world *w = counts_world(arena, "complete:n=2", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_admm, "admm.start=prior", NULL);

    must(world_go(r, 1, 1, NULL, 0));
    for (int l = 0; l < COUNTS_K; l++) /* phi^0 = 0: (phi* + 0) / (1 + 2 rho) */
        assert_true(fabs(phi_of(r, 1)[l] - w->star[COUNTS_K + l] / 2) < TOL);
}

TEST(duals_sum_to_zero_and_nodes_meet_at_the_mean)
{
    const world *w = counts_world(arena, "grid:rows=3,cols=3", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_admm, "", NULL);

    must(world_go(r, 400, 1, NULL, 0));
    for (int l = 0; l < COUNTS_K; l++) {
        double sum = 0;

        for (int32_t i = 0; i < 9; i++)
            sum += lambda_of(r, i)[l];
        assert_true(fabs(sum) < 400 * TOL);
    }
    assert_true(farthest(r, w->cvb) < 1e-9);
}

/* What happens without the guard: the same equations with one stale message agree on a wrong
 * answer; so a message that is missing or old ends the run. */
TEST(a_missing_or_late_message_is_an_error)
{
    const mb_admm_opt opt = {.rho = 0.5, .xi = 0.05};
    const mb_model    m = counts_model();
    const double      received[COUNTS_K] = {10, 20, 30}, w[1] = {0.5}, *msg[1] = {received};
    int32_t           age[1] = {0};
    uint8_t           fresh[1] = {1};
    const mb_inbox    in = {1, msg, age, fresh, w, 0.5};
    double            phi[COUNTS_K] = {0}, aux[2 * COUNTS_K] = {0};
    mb_node           nd = {.layout = &m.layout,
                            .len = m.layout.len,
                            .opt = &opt,
                            .deg = 1,
                            .phi = phi,
                            .aux = aux,
                            .t = 1};
    mb_err            err;

    must(mb_algo_admm.absorb(&nd, phi, phi, COUNTS_K, &in, &err));
    fresh[0] = 0;
    assert_int_equal(mb_algo_admm.absorb(&nd, phi, phi, COUNTS_K, &in, &err), MB_E_PEER);
    fresh[0] = 1;
    age[0] = 1;
    assert_int_equal(mb_algo_admm.absorb(&nd, phi, phi, COUNTS_K, &in, &err), MB_E_PEER);
    age[0] = 0;
    msg[0] = NULL;
    assert_int_equal(mb_algo_admm.absorb(&nd, phi, phi, COUNTS_K, &in, &err), MB_E_PEER);
    assert_non_null(strstr(err.msg, "needs every message"));
}

RUN_TESTS(arena_up, arena_down)
