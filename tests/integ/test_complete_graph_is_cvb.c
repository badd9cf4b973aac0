/* On a complete graph one average a round is exact: nsg-dVB is central VB, and so is dSVB
 * with the step eta = 1. */
#include "arena.h"
#include "gmm_world.h"
#include "test.h"

enum { ROUNDS = 40 };

/* Rounding of sums of ten numbers, contracted by every round. */
static const double TOL = 1e-12;

/* phi of central VB after ROUNDS: mean of the local steps, eq. (20). */
static double *central(const world *w)
{
    const size_t len = w->model.layout.len, n = (size_t)w->net->part.n_local;
    double      *phi = doubles(len), *next = mb_alloc(arena, len, sizeof *phi);
    double      *star = doubles(n * len);
    double      *scratch = doubles(mb_local_scratch(&w->model));
    mb_err       err;

    memcpy(star, w->star, n * len * sizeof *star);
    for (int t = 1; t <= ROUNDS; t++) {
        memset(next, 0, len * sizeof *next);
        for (size_t i = 0; i < n; i++) {
            if (t > 1)
                must(mb_local_step(&w->model, &w->rows[i], (double)n, phi, star + i * len, NULL,
                                   NULL, scratch, &err));
            for (size_t l = 0; l < len; l++)
                next[l] += star[i * len + l] / (double)n;
        }
        memcpy(phi, next, len * sizeof *phi);
    }
    return phi;
}

static void each_rule(const mb_algo *algo, const char *set)
{
    const mb_rule rule[] = {MB_NEAREST, MB_METROPOLIS, MB_LAPLACIAN};

    for (int k = 0; k < 3; k++) {
        const world  *w = gmm_world(arena, "complete:n=10", rule[k], 2, 100);
        run          *r = world_run(w, algo, set, NULL);
        const double *cvb = central(w);

        must(world_go(r, ROUNDS, 1, NULL, 0));
        assert_true(farthest(r, cvb) < TOL);
    }
}

TEST(nsg_is_cvb)
{
    each_rule(&mb_algo_nsg, "");
}

TEST(dsvb_with_step_one_is_cvb)
{
    each_rule(&mb_algo_dsvb, "dsvb.tau=0 dsvb.d0=1");
}

RUN_TESTS(arena_up, arena_down)
