/* dSVB and the combination it shares with nsg-dVB, against arithmetic by hand. */
#include "arena.h"
#include "counts_world.h"
#include "test.h"

/* Two rounding errors of numbers up to 100. */
static const double TOL = 1e-13;

TEST(the_step_shrinks_as_eq_29_says)
{
    const mb_dsvb_opt opt = {.tau = 0.2, .d0 = 1.5};
    const mb_model    m = counts_model();
    double            phi[COUNTS_K] = {1, 2, 3}, star[COUNTS_K] = {5, 2, -1}, msg[COUNTS_K];
    mb_node           nd = {.layout = &m.layout, .len = m.layout.len, .opt = &opt, .phi = phi};
    mb_err            err;

    for (nd.t = 1; nd.t <= 50; nd.t++) {
        const double eta = 1 / (1.5 + 0.2 * (double)nd.t);

        must(mb_algo_dsvb.emit(&nd, star, msg, COUNTS_K, &err));
        for (int l = 0; l < COUNTS_K; l++)
            assert_true(fabs(msg[l] - (phi[l] + eta * (star[l] - phi[l]))) < TOL);
    }
}

/* Node 1 hears neighbour 0 and not neighbour 1. */
TEST(a_neighbour_never_received_gives_its_weight_to_us)
{
    const mb_algo *const algo[] = {&mb_algo_dsvb, &mb_algo_nsg};
    const mb_model       m = counts_model();
    const double         received[COUNTS_K] = {10, 20, 30}, own[COUNTS_K] = {1, 2, 3};
    const double        *msg[2] = {received, NULL}, w[2] = {0.25, 0.35};
    const int32_t        age[2] = {0, 0};
    const uint8_t        fresh[2] = {1, 0};
    const mb_inbox       in = {2, msg, age, fresh, w, 0.4};
    double               phi[COUNTS_K];
    mb_node nd = {.layout = &m.layout, .len = m.layout.len, .deg = 2, .phi = phi, .t = 1};
    mb_err  err;

    for (int k = 0; k < 2; k++) {
        must(algo[k]->absorb(&nd, own, own, COUNTS_K, &in, &err));
        for (int l = 0; l < COUNTS_K; l++)
            assert_true(fabs(phi[l] - (0.75 * own[l] + 0.25 * received[l])) < TOL);
    }
}

/* An old message is still the neighbour's newest: it counts. */
TEST(a_late_neighbour_counts_with_its_last_message)
{
    const mb_model m = counts_model();
    const double   received[COUNTS_K] = {10, 20, 30}, own[COUNTS_K] = {1, 2, 3}, w[1] = {0.5};
    const double  *msg[1] = {received};
    const int32_t  age[1] = {4};
    const uint8_t  fresh[1] = {0};
    const mb_inbox in = {1, msg, age, fresh, w, 0.5};
    double         phi[COUNTS_K];
    mb_node        nd = {.layout = &m.layout, .len = m.layout.len, .deg = 1, .phi = phi, .t = 9};
    mb_err         err;

    must(mb_algo_dsvb.absorb(&nd, own, own, COUNTS_K, &in, &err));
    for (int l = 0; l < COUNTS_K; l++)
        assert_true(fabs(phi[l] - (own[l] + received[l]) / 2) < TOL);
}

/* With doubly stochastic weights the nodes meet at the mean of phi*; what is left in round t is
 * eta_t |phi* - mean| / (1 - lambda2), here lambda2 = 6/7 and |phi* - mean| at most twice the mean.
 * With the rule (47) they meet elsewhere. */
TEST(nodes_meet_at_the_mean_only_with_doubly_stochastic_weights)
{
    const mb_rule rule[] = {MB_METROPOLIS, MB_NEAREST};
    double        far[2];

    for (int k = 0; k < 2; k++) {
        const world *w = counts_world(arena, "star:n=7", rule[k]);
        run         *r = world_run(w, &mb_algo_dsvb, "", NULL);

        must(world_go(r, 4000, 1, NULL, 0));
        far[k] = farthest(r, w->cvb);
    }
    assert_true(far[0] < 2 * 7 / (1 + 0.2 * 4000));
    assert_true(far[1] > 0.05);
}

RUN_TESTS(arena_up, arena_down)
