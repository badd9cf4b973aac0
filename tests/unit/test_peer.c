/* A mesh node: genesis from a sample, nodes that come and go, checkpoints, rest, frames that must
 * change nothing. */
#include "sums_world.h"
#include "test.h"

TEST(a_network_draws_its_genesis_from_a_sample)
{
    world w;

    up(&w, "grid:rows=3,cols=3", MB_GENESIS_SAMPLE);
    w.m.loss = 0.3;
    assert_in_range(mesh_settle(&w.m, mesh_tick_in_turn, 5000), 20, 5000);
    for (int32_t i = 0; i < w.net.n; i++)
        assert_int_equal(mesh_look(&w.m, i).run, mesh_look(&w.m, 0).run);
    assert_at_rest(&w, NULL, w.net.n);
}

/* From a sample the nodes know that the link is gone, from sums its frames are lost. */
static void two_parts_meet(mb_genesis_from from)
{
    static const uint8_t low[6] = {1, 1, 1, 0, 0, 0}, high[6] = {0, 0, 0, 1, 1, 1};
    const int            sampled = from == MB_GENESIS_SAMPLE;
    world                w;
    uint64_t             first;

    up(&w, "path:n=6", from);
    for (int32_t i = 2; sampled && i < 4; i++)
        OK(mb_peer_unlink(w.m.peer[i], 5 - i, &err));
    w.m.cut = 1;
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    if (sampled) {
        assert_at_rest(&w, low, 3);
        assert_at_rest(&w, high, 3);
    } else {
        assert_block(&w, 0, low);
        assert_block(&w, 5, high);
    }
    first = mesh_look(&w.m, 0).run;
    assert_true(mesh_look(&w.m, 5).run != first);
    for (int32_t i = 2; sampled && i < 4; i++)
        OK(mb_peer_link(w.m.peer[i], 5 - i, &err));
    w.m.cut = 0;
    mesh_ticks(&w.m, 60);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_int_equal(mesh_look(&w.m, 5).run, first);
    assert_at_rest(&w, NULL, 6);
}

TEST(two_parts_that_drew_a_genesis_each_take_the_lower_one)
{
    two_parts_meet(MB_GENESIS_SAMPLE);
    two_parts_meet(MB_GENESIS_SUMS);
}

TEST(a_node_leaves_and_comes_back_blank)
{
    static const uint8_t five[6] = {1, 1, 1, 1, 0, 1};
    world                w;

    up(&w, "complete:n=6", MB_GENESIS_GIVEN);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    w.m.down = 1 + 4;
    mesh_ticks(&w.m, 60);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_at_rest(&w, five, 5);
    w.m.peer[4] = another(&w, 4, 2);
    for (int32_t j = 0; j < 6; j++)
        if (j != 4)
            OK(mb_peer_link(w.m.peer[4], j, &err));
    OK(mb_peer_append(w.m.peer[4], w.m.now, &w.c.data[4], NULL, &err));
    OK(mb_peer_genesis(w.m.peer[4], &w.g, &err));
    w.m.down = 0;
    mesh_ticks(&w.m, 20);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_at_rest(&w, NULL, 6);
}

TEST(an_old_checkpoint_is_only_another_starting_point)
{
    world          w;
    unsigned char *bytes;
    size_t         n;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    mesh_ticks(&w.m, 30);
    bytes = mesh_saved(w.m.peer[1], &n);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    w.m.peer[1] = another(&w, 1, 2);
    bytes[n / 2] ^= 4;
    assert_int_equal(mb_peer_load(w.m.peer[1], bytes, n, &err), MB_E_FORMAT);
    bytes[n / 2] ^= 4;
    assert_int_equal(mb_peer_load(w.m.peer[1], bytes, n - 1, &err), MB_E_FORMAT);
    OK(mb_peer_load(w.m.peer[1], bytes, n, &err));
    mesh_ticks(&w.m, 5);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_at_rest(&w, NULL, 6);
}

TEST(rows_that_change_are_all_that_counts)
{
    world   w;
    double  x[2] = {130, 90};
    double *own;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    for (int64_t r = 0; r < 4; r++)
        OK(mb_peer_replace(w.m.peer[2], w.m.now, r, x, 1, &err));
    own = doubles(20);
    memcpy(own, w.c.data[2].x, 20 * sizeof *own);
    for (int64_t r = 0; r < 4; r++)
        memcpy(own + r * 2, x, sizeof x);
    w.c.data[2].x = own;
    OK(mb_peer_remove(w.m.peer[3], 9, &err));
    w.c.data[3].n--;
    assert_int_equal(mb_peer_remove(w.m.peer[3], 9, &err), MB_E_ARG);
    mesh_tick(&w.m);
    assert_int_equal(mesh_look(&w.m, 2).verdict, MB_PEER_MOVING);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_at_rest(&w, NULL, 6);
}

TEST(a_settled_node_rests_and_wakes)
{
    world  w;
    double x[2] = {130, 90};

    up(&w, "star:n=5", MB_GENESIS_GIVEN);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 20, 5000);
    for (int32_t i = 0; i < 5; i++)
        assert_int_equal(mb_peer_due(w.m.peer[i]), w.m.now + 1000);
    OK(mb_peer_replace(w.m.peer[1], w.m.now, 0, x, 1, &err));
    assert_true(mb_peer_due(w.m.peer[1]) <= w.m.now);
    OK(mb_peer_tick(w.m.peer[1], w.m.now, &err));
    mesh_write(&w.m, 1);
    mesh_deliver(&w.m, 1);
    assert_true(mb_peer_due(w.m.peer[0]) <= w.m.now);
}

/* At rest both tick once a second; the clock of node 1 jumps, and a frame comes before its tick. */
TEST(a_clock_that_jumps_before_a_frame_makes_no_neighbour_silent)
{
    const int64_t     year = INT64_C(31536000000), jump[] = {-year, -5000, year};
    world             w;
    mb_peer_neighbour is;

    for (size_t k = 0; k < sizeof jump / sizeof *jump; k++) {
        up(&w, "path:n=2", MB_GENESIS_GIVEN);
        assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 5, 5000);
        w.m.now += 1000;
        OK(mb_peer_tick(w.m.peer[0], w.m.now, &err));
        mesh_write(&w.m, 0);
        w.m.now += jump[k];
        mesh_deliver(&w.m, 0);
        w.m.now += 10;
        OK(mb_peer_tick(w.m.peer[1], w.m.now, &err));
        assert_int_equal(mb_peer_due(w.m.peer[1]), w.m.now + 1000);
        mb_peer_look_at(w.m.peer[1], w.m.now, 0, &is);
        assert_int_equal(is.age_ms, 10);
    }
}

TEST(flipped_frames_change_nothing_but_a_counter)
{
    world          w;
    mb_peer_status was, is;
    const double  *phi;
    double        *before;
    size_t         n, L;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    mesh_ticks(&w.m, 50);
    OK(mb_peer_tick(w.m.peer[0], w.m.now, &err));
    OK(mb_peer_frame(w.m.peer[0], 1, w.m.frame, w.m.room, &n, &err));
    L = mb_peer_block(w.m.peer[1])->len;
    before = mb_alloc(arena, L, 8);
    phi = mb_peer_phi(w.m.peer[1]);
    memcpy(before, phi, L * 8);
    was = mesh_look(&w.m, 1);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        w.m.frame[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(mb_peer_hear(w.m.peer[1], w.m.now, 0, w.m.frame, n, &err), 0);
        w.m.frame[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t k = 0; k < n; k++)
        assert_int_not_equal(mb_peer_hear(w.m.peer[1], w.m.now, 0, w.m.frame, k, &err), 0);
    is = mesh_look(&w.m, 1);
    assert_memory_equal(before, phi, L * 8);
    assert_int_equal(is.frames_received, was.frames_received);
    assert_int_equal(is.refused[MB_REFUSED_DAMAGED] + is.refused[MB_REFUSED_SHORT], 9 * n);
    assert_int_equal(mb_peer_hear(w.m.peer[1], w.m.now, 2, w.m.frame, n, &err),
                     MB_REFUSED_STRANGER);
    assert_int_equal(mb_peer_hear(w.m.peer[3], w.m.now, -1, w.m.frame, n, &err),
                     MB_REFUSED_STRANGER);
    assert_int_equal(mb_peer_hear(w.m.peer[0], w.m.now, -1, w.m.frame, n, &err), MB_REFUSED_OWN_ID);
    assert_int_equal(mb_peer_hear(w.m.peer[1], w.m.now, 0, w.m.frame, n, &err), MB_REFUSED_NONE);
    assert_int_equal(mb_peer_hear(w.m.peer[1], w.m.now, 0, w.m.frame, n, &err), MB_REFUSED_OLD);
}

TEST(a_refused_frame_leaves_the_saved_state_but_its_counters)
{
    world          w;
    unsigned char *was, *is;
    size_t         n, size;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    mesh_ticks(&w.m, 50);
    OK(mb_peer_frame(w.m.peer[0], 1, w.m.frame, w.m.room, &n,
                     &err)); /* of the tick that it heard */
    was = mesh_saved(w.m.peer[1], &size);
    assert_int_equal(mb_peer_hear(w.m.peer[1], w.m.now, 0, w.m.frame, n, &err), MB_REFUSED_OLD);
    is = mesh_saved(w.m.peer[1], &size);
    assert_int_equal(differing(was, is, size), 2); /* of the node and of the neighbour */
}

/* The twin of node 1 greets node `by`, which says so to node 1. */
static void meet_twin(world *w, mb_peer *twin, int32_t by)
{
    size_t n;

    OK(mb_peer_frame(twin, by, w->m.frame, w->m.room, &n, &err));
    assert_int_equal(mb_peer_hear(w->m.peer[by], w->m.now, 1, w->m.frame, n, &err),
                     MB_REFUSED_NONE);
    OK(mb_peer_tick(w->m.peer[by], w->m.now, &err));
    OK(mb_peer_frame(w->m.peer[by], 1, w->m.frame, w->m.room, &n, &err));
    (void)mb_peer_hear(w->m.peer[1], w->m.now, by, w->m.frame, n, &err);
}

TEST(the_older_of_two_nodes_with_one_id_fails_when_two_neighbours_say_so)
{
    world    w;
    mb_peer *twin;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    mesh_ticks(&w.m, 50);
    twin = another(&w, 1, 7);
    OK(mb_peer_link(twin, 0, &err));
    OK(mb_peer_link(twin, 2, &err));
    OK(mb_peer_genesis(twin, &w.g, &err));
    OK(mb_peer_tick(twin, w.m.now, &err));
    assert_int_equal(mesh_look(&w.m, 1).live, 2);
    meet_twin(&w, twin, 0);
    assert_int_equal(mesh_look(&w.m, 1).verdict, MB_PEER_MOVING);
    OK(mb_peer_tick(w.m.peer[1], w.m.now, &err));
    assert_int_equal(mesh_look(&w.m, 1).live, 1);
    meet_twin(&w, twin, 2);
    assert_int_equal(mesh_look(&w.m, 1).verdict, MB_PEER_FAILED);
    assert_non_null(strstr(mesh_look(&w.m, 1).message, "another node has this node's id, 1,"));
}

TEST(a_neighbour_is_linked_until_it_is_dropped)
{
    mb_peer *p, *later;
    world    w;
    void    *bytes;
    size_t   n;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    p = w.m.peer[1];
    for (int32_t id = -1; id < 7; id++)
        assert_int_equal(mb_peer_linked(p, id), id == 0 || id == 2);
    OK(mb_peer_unlink(p, 0, &err));
    assert_int_equal(mb_peer_linked(p, 0), 0);
    OK(mb_peer_link(p, 5, &err));
    bytes = mesh_saved(p, &n);
    later = another(&w, 1, 2);
    assert_int_equal(mb_peer_linked(later, 2), 0);
    OK(mb_peer_load(later, bytes, n, &err));
    for (int32_t id = -1; id < 7; id++)
        assert_int_equal(mb_peer_linked(later, id), id == 2 || id == 5);
}

RUN_TESTS(arena_up, arena_down)
