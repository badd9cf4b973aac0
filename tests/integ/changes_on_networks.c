/* Nodes that send only changes end where those that send everything end, for a fraction of the bytes. */
#include "arena.h"
#include "core/observe.h"
#include "gmm_world.h"
#include "test.h"

/* Central VB is reached when no entry of any node's phi is farther from it, relative to the entry or 1. */
static const double NEAR = 1e-6;

/* When a run has come that near, and what it had sent. */
typedef struct arrival {
    run    *r;
    int64_t round, bytes; /* round 0: it has not */
} arrival;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    arrival *a = self;

    (void)p, (void)err;
    if (s->t % 5 || !(farthest(a->r, a->r->w->cvb) < NEAR))
        return MB_OK;
    a->round = s->t;
    a->bytes = s->sent.bytes;
    return MB_STOP;
}

static arrival arrive(const world *w, const mb_faults *f, mb_send send, int64_t rounds)
{
    arrival     a = {.r = world_run_sending(w, &mb_algo_edge, "", f, send)};
    mb_observer o = {.self = &a, .every = 1, .see = see};

    must(world_go(a.r, rounds, 1, &o, 1));
    assert_true(a.round > 0);
    return a;
}

typedef struct row {
    const char *network;
    int64_t     rounds;
    double      slower, fewer; /* rounds at most, bytes at least, times */
} row;

static void expect(const row *all, size_t n, double lost)
{
    const mb_faults f = {.loss_directed = lost, .seed = 3}, *faults = lost > 0 ? &f : NULL;

    for (size_t k = 0; k < n; k++) {
        world *w = gmm_world(arena, all[k].network, MB_METROPOLIS, 1, 40);

        world_solve(w);
        const arrival every = arrive(w, faults, MB_SEND_ALL, all[k].rounds);
        const arrival some = arrive(w, faults, MB_SEND_CHANGES, all[k].rounds);

        assert_true((double)some.round <= all[k].slower * (double)every.round);
        assert_true((double)some.bytes * all[k].fewer <= (double)every.bytes);
    }
}

TEST(changes_lead_to_the_same_end_for_a_sixth_of_the_bytes)
{
    const row all[] = {{"geometric:n=50,side=3.5,radius=0.8", 1500, 1.6, 6},
                       {"star:n=50", 1000, 1.4, 7},
                       {"ring:n=20", 1000, 1.3, 7},
                       {"grid:rows=7,cols=7", 1000, 1.3, 7},
                       {"path:n=20", 1500, 1.3, 7}};

    expect(all, sizeof all / sizeof *all, 0);
}

TEST(changes_bear_the_loss_of_messages_and_acknowledgements)
{
    const row all[] = {{"star:n=50", 1500, 1.4, 6},
                       {"ring:n=20", 1500, 1.4, 6},
                       {"path:n=20", 2000, 1.4, 5},
                       {"grid:rows=7,cols=7", 1500, 1.4, 5},
                       {"geometric:n=50,side=3.5,radius=0.8", 2000, 1.65, 4}};

    expect(all, 2, .1);
    expect(all + 2, 3, .3);
}

/* When the stopping rule ends a run, and what it had sent. */
static arrival settle(const world *w, mb_send send)
{
    arrival a = {.r = world_run_sending(w, &mb_algo_edge, "", NULL, send)};

    assert_true(world_stop(arena, a.r, 3e-7, 2000).settled);
    a.round = a.r->state.t;
    a.bytes = a.r->state.sent.bytes;
    return a;
}

TEST(a_verdict_does_not_wait_for_what_is_held_back)
{
    const row all[] = {{"grid:rows=7,cols=7", 0, 1.3, 7},
                       {"geometric:n=50,side=3.5,radius=0.8", 0, 1.4, 6},
                       {"star:n=50", 0, 1.3, 7},
                       {"ring:n=20", 0, 1.3, 7},
                       {"complete:n=10", 0, 1.3, 7}};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const world  *w = gmm_world(arena, all[k].network, MB_METROPOLIS, 1, 40);
        const arrival every = settle(w, MB_SEND_ALL), some = settle(w, MB_SEND_CHANGES);

        assert_true((double)some.round <= all[k].slower * (double)every.round);
        assert_true((double)some.bytes * all[k].fewer <= (double)every.bytes);
    }
}

RUN_TESTS(arena_up, arena_down)
