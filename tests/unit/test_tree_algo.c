/* TREE: its settings, its first rounds by hand, exact sums under faults, and what it refuses. */
#include "arena.h"
#include "counts_world.h"
#include "test.h"

static const double TOL = 1e-12; /* rounding of a few sums of numbers up to 1000 */

TEST(the_lead_follows_the_mean_distance)
{
    static const double row[][2] = {{0, 0}, {1, 0.4}, {3, 1.2}, {3.75, 1.5}, {20, 1.5}};
    mb_err              err;

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const mb_net_facts facts = {.n = 50, .tree_mean = row[k][0], .tree_diameter = 7};
        mb_tree_opt        o;

        must(mb_opt_defaults(mb_algo_tree.opts, &o, &err));
        must(mb_algo_tree.tune(&o, &facts, &err));
        assert_true(fabs(o.lead - row[k][1]) < TOL && fabs(o.eta - 0.4) < TOL);
        assert_true(fabs(o.momentum - 0.5) < TOL && o.n == 50 && o.first == 7 && o.adapt);
    }
}

/* Path 0-1-2, whose longest path has 2 hops and whose mean distance is 8/9. Round 1 is silent; in round
 * 2 nodes hear their neighbours, node 1 all; in round 3 the ends hear of each other. With x fixed
 * the mean m of all is reached by abar += .4 (s + l (s - s before) - abar) + .5 (last movement). */
TEST(the_first_rounds_are_those_by_hand)
{
    const double l = 0.4 * 8 / 9;
    const world *w = counts_world(arena, "path:n=3", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_tree, "", NULL);

    must(world_go(r, 4, 1, NULL, 0));
    for (int k = 0; k < COUNTS_K; k++) {
        double x[3], m, end, moved, abar;

        for (int i = 0; i < 3; i++)
            x[i] = w->star[i * COUNTS_K + k] / 3; /* the prior is 0 */
        m = (x[0] + x[1] + x[2]) / 3;
        end = (x[0] + x[1]) / 2; /* round 2, node 0; abar was x_0 */
        moved = 0.4 * (m + l * (m - end) - end) + 0.5 * (end - x[0]); /* round 3 */
        abar = end + moved;
        abar += 0.4 * (m - abar) + 0.5 * moved; /* round 4: s no longer changes */
        assert_true(fabs(phi_of(r, 0)[k] - 3 * abar) < TOL);
        abar = m + 0.5 * (m - x[1]); /* node 1: round 3 */
        abar += 0.4 * (m - abar) + 0.25 * (m - x[1]);
        assert_true(fabs(phi_of(r, 1)[k] - 3 * abar) < TOL);
    }
}

/* Bytes: round 1 is silent; then a vector of K numbers and a count each way over n - 1 links. */
TEST(only_links_of_the_tree_carry_messages)
{
    const world *w = counts_world(arena, "complete:n=10", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_tree, "", NULL);

    must(world_go(r, 1, 1, NULL, 0));
    assert_int_equal(r->state.sent.frames, 0);
    must(world_go(r, 4, 1, NULL, 0));
    assert_int_equal(r->state.sent.frames, 3 * 2 * 9);
    assert_int_equal(r->state.sent.bytes, 3 * 2 * 9 * (48 + 8 * (COUNTS_K + 1)));
    for (int64_t e = 0; e < r->problem.part->g.ptr[10]; e++)
        assert_int_equal(r->state.mail.from[e] != NULL, r->problem.part->tree[e] != 0);
}

/* Once every node has been heard of, abar is led to the exact mean, whatever is lost or late. */
TEST(nodes_meet_at_the_mean_under_every_fault)
{
    expect_mean_under_faults(arena, &mb_algo_tree, "geometric:n=20,side=2,radius=0.8", 400, TOL);
    expect_mean_under_faults(arena, &mb_algo_tree, "star:n=20", 400, TOL);
    expect_mean_under_faults(arena, &mb_algo_tree, "ring:n=12", 400, TOL);
    expect_mean_under_faults(arena, &mb_algo_tree, "path:n=1", 400, TOL);
}

/* The parts of node 2 never reach node 0: it waits, and takes no mean of a part for that of all. */
TEST(a_node_that_has_not_received_all_keeps_its_estimate)
{
    static const uint8_t linked[1] = {1}, fresh[1] = {1};
    static const int32_t age[1] = {0}, nbr_deg[1] = {2};
    const double         star[COUNTS_K + 1] = {3, 6, 9, 1}, w[1] = {0.5}, half[] = {1, 1, 1, 1},
                                 all[] = {5, 1, 0, 2}, *msg[1] = {half};
    const mb_model    m = counts_model();
    const mb_tree_opt o = {.eta = 1, .momentum = 0.5, .n = 3, .first = 2};
    const mb_inbox    in = {1, msg, age, fresh, w, 0.5};
    double  phi[COUNTS_K + 1] = {0}, aux[3 * (COUNTS_K + 1)] = {0}, edge[COUNTS_K + 1] = {0}, s[8];
    double  before[COUNTS_K], memo[8] = {0};
    mb_node nd = {.layout = &m.layout,
                  .len = COUNTS_K + 1,
                  .opt = &o,
                  .deg = 1,
                  .nbr_deg = nbr_deg,
                  .tree = linked,
                  .scale = 3,
                  .prior = m.prior,
                  .phi = phi,
                  .aux = aux,
                  .edge = edge,
                  .memo = memo,
                  .scratch = s};
    mb_err  err;

    must(mb_algo_tree.init(&nd, star, &err));
    for (nd.t = 2; nd.t < 6; nd.t++) {
        memcpy(before, phi, sizeof before);
        must(mb_algo_tree.absorb(&nd, star, NULL, COUNTS_K + 1, &in, &err));
        if (nd.t > 2)
            assert_memory_equal(before, phi, sizeof before);
    }
    msg[0] = all;
    must(mb_algo_tree.absorb(&nd, star, NULL, COUNTS_K + 1, &in, &err));
    for (int k = 0; k < COUNTS_K; k++)
        assert_true(fabs(phi[k] - 3 * (star[k] / 3 + all[k]) / 3) < TOL);
}

TEST(a_part_without_a_tree_is_refused)
{
    const world *w = counts_world(arena, "ring:n=5", MB_METROPOLIS);
    run         *r = world_run(w, &mb_algo_tree, "", NULL);
    mb_part      bare = *r->problem.part;

    bare.tree = NULL;
    r->problem.part = &bare;
    assert_int_equal(world_go(r, 5, 1, NULL, 0), MB_E_NOSUP);
    assert_non_null(strstr(r->err.msg, "spanning tree"));
}

RUN_TESTS(arena_up, arena_down)
