/* Differences in float16 refer to a frame by its tick. A node that returns with a checkpoint counts
 * the same ticks again: vectors of its former life are no base, whoever still has them. */
#include "mesh_fit.h"
#include "test.h"

typedef struct saved {
    unsigned char *bytes;
    size_t         n;
} saved;

static saved save(const world *w, int32_t i)
{
    saved s;

    s.bytes = mesh_saved(w->m.peer[i], &s.n);
    return s;
}

/* Node i, made again under the next incarnation; s NULL: without a checkpoint. */
static void again_with(world *w, int32_t i, uint32_t incarnation, const saved *s, mb_wire wire)
{
    const int64_t     deg = w->net.g.ptr[i + 1] - w->net.g.ptr[i];
    const mb_peer_opt o = {.id = i,
                           .incarnation = incarnation,
                           .plan = &w->plan,
                           .neighbours = (int32_t)deg,
                           .rows = w->c.data[i].n,
                           .wire = wire};
    mb_peer          *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    w->m.peer[i] = p;
    if (s) {
        OK(mb_peer_load(p, s->bytes, s->n, &err));
        return;
    }
    for (int64_t e = w->net.g.ptr[i]; e < w->net.g.ptr[i + 1]; e++)
        OK(mb_peer_link(p, w->net.g.adj[e], &err));
    OK(mb_peer_append(p, 0, &w->c.data[i], NULL, &err));
    OK(mb_peer_genesis(p, &w->g, &err));
}

static void again(world *w, int32_t i, uint32_t incarnation, const saved *s)
{
    again_with(w, i, incarnation, s, MB_WIRE_FLOAT16);
}

/* Both tick, and frames arrive unless they are lost; that some are refused after a restart is
 * right. */
static void tick(world *w, int times, double loss)
{
    for (int t = 0; t < times; t++) {
        w->m.now += 20;
        for (int32_t i = 0; i < 2; i++) {
            OK(mb_peer_tick(w->m.peer[i], w->m.now, &err));
            mesh_write(&w->m, i);
        }
        for (int32_t i = 0; i < 2; i++)
            if (w->m.bytes[i] && mb_rng_uniform(&w->m.rng) >= loss)
                (void)mb_peer_hear(w->m.peer[!i], w->m.now, i, w->m.frame + (size_t)i * w->m.room,
                                   w->m.bytes[i], &err);
    }
}

static void two_with(world *w, int ticks, mb_wire wire)
{
    up(w, "path:n=2", MB_GENESIS_GIVEN);
    again_with(w, 0, 1, NULL, wire);
    again_with(w, 1, 1, NULL, wire);
    tick(w, ticks, 0);
}

/* A path of two in float16, after some ticks. */
static void two(world *w, int ticks)
{
    two_with(w, ticks, MB_WIRE_FLOAT16);
}

/* Node 0 ticks, and what it then sends to node 1 is a difference that node 1 cannot take. */
static void assert_no_base(world *w)
{
    unsigned char frame[4096];
    size_t        n;

    assert_true(mb_peer_frame_max(w->m.peer[0]) <= sizeof frame);
    OK(mb_peer_tick(w->m.peer[0], w->m.now + 20, &err));
    OK(mb_peer_frame(w->m.peer[0], 1, frame, sizeof frame, &n, &err));
    assert_true(n > 0);
    assert_int_equal(mb_peer_hear(w->m.peer[1], w->m.now + 20, 0, frame, n, &err), MB_REFUSED_OLD);
}

/* Node 0 lives its ticks 51 to 90 twice. Node 1's checkpoint has some of both lives; when it returns
 * with it, node 0 sends a difference to a tick that node 1 has of the first life only. */
TEST(a_tick_of_a_former_life_is_no_base)
{
    world w;
    saved first, mixed;

    two(&w, 50);
    first = save(&w, 0);
    tick(&w, 40, 0);
    again(&w, 0, 2, &first);
    tick(&w, 10, 0);
    mixed = save(&w, 1);
    tick(&w, 15, 0);
    again(&w, 1, 2, &mixed);
    assert_no_base(&w);
}

/* The same when node 1 has not yet heard of the second life in the one that it remembers. */
TEST(a_tick_of_an_unknown_life_is_no_base)
{
    world w;
    saved first, before;

    two(&w, 50);
    first = save(&w, 0);
    tick(&w, 40, 0);
    before = save(&w, 1);
    again(&w, 0, 2, &first);
    tick(&w, 25, 0);
    again(&w, 1, 2, &before);
    assert_no_base(&w);
}

static void restart_at_random(mb_wire wire)
{
    for (uint64_t seed = 1; seed <= (uint64_t)sized(40, 10); seed++) {
        world    w;
        saved    old[2];
        uint32_t life[2] = {1, 1};

        two_with(&w, 4, wire); /* far from rest, so that a wrong base shows */
        w.m.rng = gen_rng(seed);
        for (int32_t i = 0; i < 2; i++)
            old[i] = save(&w, i);
        for (int k = 0; k < 12; k++) {
            const int32_t i = (int32_t)mb_rng_below(&w.m.rng, 2);

            tick(&w, (int)mb_rng_below(&w.m.rng, 30), .5);
            if (mb_rng_uniform(&w.m.rng) < .5)
                old[i] = save(&w, i);
            else
                again_with(&w, i, ++life[i], &old[i], wire);
        }
        tick(&w, 600, 0);
        for (int32_t i = 0; i < 2; i++) {
            const double far = mesh_step_changes(&w.m, w.c.data, i, NULL);

            if (!(far < 1e-9))
                fail_msg("seed %d: one step moves node %d by %g", (int)seed, (int)i, far);
        }
    }
}

/* Checkpoints and restarts of both at random times, half of the frames lost: afterwards the answer
 * is that of all rows. */
TEST(restarts_leave_no_error_behind)
{
    restart_at_random(MB_WIRE_FLOAT16);
    restart_at_random(MB_WIRE_CHANGES);
}

RUN_TESTS(arena_up, arena_down)
