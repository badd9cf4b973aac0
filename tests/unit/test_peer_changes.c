/* Nodes that send the vectors that changed alone (MB_WIRE_CHANGES): their verdicts are as true, links
 * that part come back, and at rest there is nothing to send. */
#include "mesh/state.h"
#include "mesh_fit.h"
#include "test.h"

enum { BARE = MB_FRAME_HEAD_ + MB_FRAME_TAIL_ };

static void up_sending(world *w, const char *topology, mb_wire wire)
{
    mb_peer_opt *like;

    fit_case(w, topology);
    like = mb_alloc(arena, (size_t)w->net.n, sizeof *like);
    for (int32_t i = 0; i < w->net.n; i++)
        like[i].wire = wire;
    mesh_up_with(&w->m, &w->net, &w->c, &w->plan, &w->g, like);
}

static void settle(world *w, double N)
{
    const int ticks = mesh_settle(&w->m, mesh_tick, 6000);

    if (ticks > 6000)
        fail_msg("not settled after 6000 ticks");
    assert_at_rest(w, NULL, N);
}

static const char *const networks[] = {"ring:n=6", "star:n=6", "path:n=5", "complete:n=4"};

TEST(every_settled_verdict_is_true_whatever_is_lost)
{
    static const double lost[] = {0, .1, .3};

    for (size_t k = 0; k < sizeof networks / sizeof *networks; k++)
        for (int l = 0; l < 3; l++) {
            world w;

            up_sending(&w, networks[k], MB_WIRE_CHANGES);
            w.m.loss = lost[l];
            settle(&w, w.net.n);
        }
}

TEST(ticks_are_about_those_of_whole_messages)
{
    for (size_t k = 0; k < sizeof networks / sizeof *networks; k++) {
        world w;
        int   all;

        up_sending(&w, networks[k], MB_WIRE_FLOAT16);
        all = mesh_settle(&w.m, mesh_tick, 6000);
        up_sending(&w, networks[k], MB_WIRE_CHANGES);
        assert_in_range(mesh_settle(&w.m, mesh_tick, 6000), 1, all + all / 10);
    }
}

TEST(at_rest_frames_are_heads)
{
    world w;

    up_sending(&w, "star:n=5", MB_WIRE_CHANGES);
    settle(&w, 5);
    mesh_ticks(&w.m, 1500);
    for (int64_t e = 0; e < w.net.g.ptr[w.net.n]; e++)
        assert_int_equal(w.m.bytes[e], BARE);
    assert_at_rest(&w, NULL, 5);
}

/* What a node has to say is what its neighbour has, whatever was lost on the way. */
TEST(at_rest_both_ends_have_the_same_vector)
{
    world w;

    up_sending(&w, "ring:n=6", MB_WIRE_CHANGES);
    w.m.loss = .4;
    mesh_ticks(&w.m, 3000);
    for (int32_t i = 0; i < 6; i++)
        for (int64_t e = w.net.g.ptr[i]; e < w.net.g.ptr[i + 1]; e++) {
            const mb_peer *here = w.m.peer[i], *there = w.m.peer[w.net.g.adj[e]];
            const int32_t  at = mb_peer_find_(there, i);
            const uint64_t tick = there->known[at].received;
            const size_t   row = (size_t)at * MB_RING_ + tick % MB_RING_;
            const double  *m = here->out + (size_t)(e - w.net.g.ptr[i]) * here->len;

            assert_true(there->got_tick[row] == tick);
            assert_true(mb_vector_change_(&here->model.layout, here->len, m,
                                          there->got + row * here->len) < 1e-13);
        }
}

/* Node 1 gives up the edge, hears node 0 before it says so, and never says that it did not. */
TEST(an_edge_that_one_end_gave_up_unnoticed_is_used_again)
{
    world    w;
    mb_peer *deaf;

    up_sending(&w, "path:n=2", MB_WIRE_CHANGES);
    settle(&w, 2);
    mesh_ticks(&w.m, 1000);
    deaf = w.m.peer[1];
    for (int t = 0; t < 5000 && deaf->link[0].live; t++) {
        w.m.now += 20;
        for (int32_t i = 0; i < 2; i++)
            OK(mb_peer_tick(w.m.peer[i], w.m.now, &err));
        mesh_write(&w.m, 0);
        if (!deaf->link[0].live)
            mesh_deliver(&w.m, 0);
        mesh_write(&w.m, 1);
        mesh_deliver(&w.m, 1);
    }
    assert_true(!deaf->link[0].live && w.m.peer[0]->link[0].live);
    mesh_ticks(&w.m, 50);
    assert_true(deaf->link[0].live);
    settle(&w, 2);
}

/* Both halves forget the link between them, and have it again; with half of the frames lost links
 * part and return all the time. */
TEST(a_link_that_was_gone_is_used_again)
{
    world   w;
    uint8_t left[4] = {1, 1, 0, 0};

    up_sending(&w, "path:n=4", MB_WIRE_CHANGES);
    settle(&w, 4);
    w.m.cut = 1;
    mesh_ticks(&w.m, 3000);
    for (int32_t i = 0; i < 4; i++)
        assert_true(fabs(mesh_look(&w.m, i).n_nodes - 2) < 1e-6);
    assert_true(mesh_step_changes(&w.m, w.c.data, 0, left) < 1e-6);
    w.m.cut = 0;
    mesh_ticks(&w.m, 300); /* the halves still say settled, and then no more */
    settle(&w, 4);
    w.m.loss = .6;
    mesh_ticks(&w.m, 500);
    w.m.loss = 0;
    mesh_ticks(&w.m, 300);
    settle(&w, 4);
}

/* As mesh_tick, but a difference to what a former life had may be refused. */
static void tick_refusing(mesh *m)
{
    mesh_speak(m);
    for (int32_t i = 0; i < m->net.n; i++)
        for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++)
            if (m->bytes[e])
                (void)mb_peer_hear(m->peer[m->net.g.adj[e]], m->now, i,
                                   m->frame + (size_t)e * m->room, m->bytes[e], &err);
}

TEST(a_node_that_returns_receives_what_it_missed)
{
    world          w;
    unsigned char *was;
    size_t         n;

    up_sending(&w, "ring:n=5", MB_WIRE_CHANGES);
    mesh_ticks(&w.m, 60);
    was = mesh_saved(w.m.peer[2], &n);
    settle(&w, 5);
    w.m.down = 3;
    mesh_ticks(&w.m, 400);
    w.m.down = 0;
    const mb_peer_opt o = {.id = 2,
                           .incarnation = 2,
                           .plan = &w.m.plan,
                           .neighbours = 2,
                           .rows = w.c.data[2].n,
                           .wire = MB_WIRE_CHANGES};

    OK(mb_peer_new(arena, &o, &w.m.peer[2], &err));
    OK(mb_peer_load(w.m.peer[2], was, n, &err));
    for (int t = 0; t < 100; t++)
        tick_refusing(&w.m);
    settle(&w, 5);
}

RUN_TESTS(arena_up, arena_down)
