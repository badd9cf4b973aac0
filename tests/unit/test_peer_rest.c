/* What a node at rest says of itself, and when it moves again. */
#include "mesh_fit.h"
#include "test.h"

/* Node i has an edge to its neighbour at place k. */
static int has_edge(const world *w, int32_t i, int32_t k)
{
    mb_peer_neighbour is;

    mb_peer_look_at(w->m.peer[i], w->m.now, k, &is);
    return is.live;
}

/* Both parts count two nodes, so what they say is of no use from the first frame of the other on. */
TEST(a_node_at_rest_is_not_settled_from_a_new_edge_on)
{
    world w;
    int   seen = 0; /* of the ends of the new edge: nodes 1 and 2 */

    up(&w, "path:n=4", MB_GENESIS_GIVEN);
    w.m.cut = 1;
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    w.m.cut = 0;
    for (int t = 0; t < 10 && seen < 2; t++) {
        mesh_tick(&w.m);
        for (int32_t i = 1; i < 3; i++)
            if (has_edge(&w, i, 2 - i)) {
                assert_int_equal(mesh_look(&w.m, i).verdict, MB_PEER_MOVING);
                assert_true(mb_peer_due(w.m.peer[i]) <= w.m.now);
                seen++;
            }
    }
    assert_int_equal(seen, 2);
    mesh_ticks(&w.m, 60);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    for (int32_t i = 0; i < 4; i++) {
        assert_true(fabs(mesh_look(&w.m, i).n_nodes - 4) < 1e-6);
        assert_true(mesh_step_changes(&w.m, w.c.data, i, NULL) < 1e-6);
    }
}

/* Node 1 no longer reaches node 2. */
static void tick_one_way(mesh *m)
{
    m->now += 20;
    for (int32_t i = 0; i < m->net.n; i++)
        OK(mb_peer_tick(m->peer[i], m->now, &err));
    for (int32_t i = 0; i < m->net.n; i++) {
        mesh_write(m, i);
        if (i == 1)
            m->bytes[m->net.g.ptr[i] + 1] = 0;
        mesh_deliver(m, i);
    }
}

/* Node 2 hears one frame of node 1, in which that does not hear it as yet, and no more: it has no
 * edge, but would say for ever that it hears node 1, which has one. */
TEST(a_node_at_rest_misses_a_neighbour_without_an_edge)
{
    world w;

    up(&w, "path:n=4", MB_GENESIS_GIVEN);
    w.m.cut = 1;
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    w.m.cut = 0;
    mesh_tick(&w.m);
    tick_one_way(&w.m);
    assert_true(has_edge(&w, 1, 1));
    assert_false(has_edge(&w, 2, 0));
    for (int t = 0; t < 60; t++)
        tick_one_way(&w.m);
    assert_in_range(mesh_settle(&w.m, tick_one_way, 5000), 1, 5000);
    assert_false(has_edge(&w, 1, 1));
    for (int32_t i = 0; i < 4; i++)
        assert_true(fabs(mesh_look(&w.m, i).n_nodes - 2) < 1e-6);
}

RUN_TESTS(arena_up, arena_down)
