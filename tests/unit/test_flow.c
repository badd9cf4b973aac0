/* FLOW: its automatic settings, its iterates, its averaging under faults, and its damping. */
#include "arena.h"
#include "counts_world.h"
#include "test.h"

static const double TOL = 1e-12; /* rounding of a few sums of numbers up to 1000 */

static mb_flow_opt tuned(const mb_net_facts *facts)
{
    mb_flow_opt o = {0};
    mb_err      err;

    must(mb_opt_defaults(mb_algo_flow.opts, &o, &err));
    must(mb_algo_flow.tune(&o, facts, &err));
    return o;
}

TEST(automatic_settings_follow_the_weights_and_the_faults)
{
    const mb_flow_opt clean = tuned(&(mb_net_facts){.n = 50, .lambda2 = 0.6});
    const mb_flow_opt lossy = tuned(&(mb_net_facts){.n = 50, .lambda2 = 0.6, .lossy = 1});
    const mb_flow_opt late =
        tuned(&(mb_net_facts){.n = 50, .lambda2 = 0.6, .lossy = 1, .delay = 4});
    const mb_flow_opt alone = tuned(&(mb_net_facts){.n = 1});

    assert_true(fabs(clean.eta - 0.3) < TOL && clean.adapt == 1 && clean.part == 1);
    assert_true(fabs(clean.gamma - 0.7 * (1 - 0.8) / (1 + 0.8)) < TOL); /* q = sqrt(1 - .36) */
    assert_int_equal(mb_algo_flow.nedge(&clean), 0);
    assert_int_equal(mb_algo_flow.naux(&clean), 3 + 5); /* Q of 2 rounds, the flow; the damping */
    assert_true(fabs(lossy.eta - 0.3) < TOL && lossy.gamma == 0 && lossy.part == 1);
    assert_int_equal(mb_algo_flow.nedge(&lossy), 1);
    assert_true(fabs(late.eta - 0.3) < TOL && late.gamma == 0 && late.part == 0.5);
    assert_int_equal(mb_algo_flow.naux(&late), 6 + 5); /* Q of 5 rounds, the flow; the damping */
    assert_true(fabs(tuned(&(mb_net_facts){.n = 50, .delay = 49}).part - 3. / 50) < TOL);
    assert_true(alone.gamma == 0);
}

TEST(a_number_that_is_given_stays)
{
    const mb_net_facts facts = {.n = 50, .lambda2 = 0.9, .delay = 3, .lossy = 1};
    mb_flow_opt        o = {.eta = 0.7, .gamma = 0.2};
    mb_err             err;

    must(mb_algo_flow.tune(&o, &facts, &err));
    assert_true(o.eta == 0.7 && o.gamma == 0.2 && !o.adapt);
}

/* Path 0-1-2, five rounds, the scheme written out. Metropolis weights: 1/3 on both edges. */
TEST(iterates_are_those_of_the_scheme)
{
    enum { N = 3, T = 5 };
    static const double W[N][N] = {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}; /* thirds */
    const double        eta = 0.3, gamma = 0.25;
    const world        *w = counts_world(arena, "path:n=3", MB_METROPOLIS);
    run                *r = world_run(w, &mb_algo_flow, "flow.gamma=0.25", NULL);

    must(world_go(r, T, 1, NULL, 0));
    for (int l = 0; l < COUNTS_K; l++) {
        double Q[N] = {0}, before[N] = {0}, F[N] = {0}, phi[N] = {0};

        for (int t = 1; t <= T; t++) {
            const double g = t == 1 ? 0 : gamma;

            for (int i = 0; i < N; i++) {
                const double y = w->star[i * COUNTS_K + l] - F[i], old = Q[i];

                Q[i] += (1 + g) * y + g * (old - before[i]);
                before[i] = old;
            }
            for (int i = 0; i < N; i++) {
                F[i] = 0;
                for (int j = 0; j < N; j++)
                    F[i] += W[i][j] / 3 * (Q[i] - Q[j]);
                phi[i] += (t == 1 ? 1 : eta) * (w->star[i * COUNTS_K + l] - F[i] - phi[i]);
            }
        }
        for (int i = 0; i < N; i++)
            assert_true(fabs(phi_of(r, i)[l] - phi[i]) < TOL);
    }
}

TEST(nodes_meet_at_the_mean_under_loss_and_delay)
{
    const mb_faults fault[] = {
        {.loss = 0.5, .seed = 2},
        {.loss_directed = 0.3, .seed = 3},
        {.silent = 0.2, .seed = 4},
        {.delay = 2, .seed = 5},
    };
    const world *w = counts_world(arena, "geometric:n=20,side=2,radius=0.8", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_flow, "", NULL);

    must(world_go(r, 1000, 1, NULL, 0));
    assert_true(farthest(r, w->cvb) < 1e-10);
    for (size_t k = 0; k < sizeof fault / sizeof *fault; k++) {
        r = world_run(w, &mb_algo_flow, "", &fault[k]);
        must(world_go(r, 5000, 1, NULL, 0));
        assert_true(farthest(r, w->cvb) < 1e-9);
    }
}

TEST(clean_networks_keep_no_state_per_edge)
{
    const world *w = counts_world(arena, "ring:n=12", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_flow, "", NULL);

    assert_null(r->state.edge);
    r = world_run(w, &mb_algo_flow, "", &(mb_faults){.loss = 0.1, .seed = 1});
    assert_non_null(r->state.edge);
}

/* The eta of round `last` at a lone node whose phi* is gain times its phi, plus 1: mu = phi here. */
static double eta_of_round(const mb_flow_opt *o, double gain, int last)
{
    const mb_model m = counts_model();
    const mb_inbox in = {0};
    double         phi[COUNTS_K] = {1, 2, 3}, mu[COUNTS_K], aux[8 * COUNTS_K] = {0}, memo[12] = {0};
    double         msg[COUNTS_K], before = 0, star[COUNTS_K];
    mb_node        nd = {.layout = &m.layout,
                         .len = m.layout.len,
                         .opt = o,
                         .phi = phi,
                         .mu = mu,
                         .aux = aux,
                         .memo = memo};
    mb_err         err;

    for (nd.t = 1; nd.t <= last; nd.t++) {
        for (int k = 0; k < COUNTS_K; k++)
            star[k] = 1 + gain * phi[k];
        before = phi[0];
        memcpy(mu, phi, sizeof mu);
        must(mb_algo_flow.emit(&nd, star, msg, COUNTS_K, &err));
        must(mb_algo_flow.absorb(&nd, star, msg, COUNTS_K, &in, &err));
    }
    return (phi[0] - before) / (star[0] - before);
}

/* A node whose local map has gain g goes .5/|g| of the way, at most .3. */
TEST(an_automatic_eta_follows_the_gain_of_the_node)
{
    const mb_flow_opt automatic = tuned(&(mb_net_facts){.n = 50, .lambda2 = 0.6});
    mb_flow_opt       given = automatic;

    given.adapt = 0;
    assert_true(fabs(eta_of_round(&automatic, -1, 6) - 0.3) < 1e-9);
    assert_true(fabs(eta_of_round(&automatic, -4, 6) - 0.125) < 1e-9); /* it overshoots */
    assert_true(fabs(eta_of_round(&automatic, 5, 6) - 0.1) < 1e-9);
    assert_true(fabs(eta_of_round(&given, 5, 6) - 0.3) < 1e-9);
}

RUN_TESTS(arena_up, arena_down)
