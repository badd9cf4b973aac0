/* Checkpoints of a mesh node: the same life resumed, and checkpoints whose checksum is right but whose
 * numbers cannot be. */
#include "mesh/state.h"
#include "mesh_fit.h"
#include "test.h"

enum { HEAD = 72 /* bytes before the state */ };

typedef struct ring {
    world          at;
    unsigned char *saved; /* of node 1 */
    size_t         n;
} ring;

/* A ring of six nodes after 40 ticks, and a checkpoint of node 1. */
static void ring_up(ring *w, mb_genesis_from from)
{
    up(&w->at, "ring:n=6", from);
    for (int t = 0; t < 40; t++)
        mesh_tick(&w->at.m);
    w->saved = mesh_saved(w->at.m.peer[1], &w->n);
}

/* The ring again, but for what was saved. */
static void up_again(ring *w, mb_genesis_from from)
{
    unsigned char *saved = w->saved;

    ring_up(w, from);
    w->saved = saved;
}

/* Node 1 made again. */
static mb_peer *made(ring *w, mb_arena *a, uint32_t incarnation)
{
    const mb_peer_opt o = {
        .id = 1, .incarnation = incarnation, .plan = &w->at.plan, .neighbours = 2, .rows = 10};
    mb_peer *p;

    OK(mb_peer_new(a, &o, &p, &err));
    return p;
}

static void assert_state(const ring *w, const mb_peer *p)
{
    size_t n;

    assert_memory_equal(mesh_saved(p, &n), w->saved, w->n);
}

TEST(a_resumed_life_goes_on_to_the_bit)
{
    static const mb_genesis_from from[] = {MB_GENESIS_GIVEN, MB_GENESIS_SAMPLE};
    ring                         w;
    mb_peer                     *twin;

    for (size_t k = 0; k < 2; k++) {
        ring_up(&w, from[k]);
        twin = made(&w, arena, 1);
        OK(mb_peer_resume(twin, w.saved, w.n, &err));
        assert_state(&w, twin);
        for (int t = 0; t < 30; t++)
            mesh_tick(&w.at.m);
        OK(mb_peer_save(w.at.m.peer[1], w.saved, w.n, &err));
        up_again(&w, from[k]); /* the same, and from here on the twin in place of node 1 */
        w.at.m.peer[1] = twin;
        for (int t = 0; t < 30; t++)
            mesh_tick(&w.at.m);
        assert_state(&w, twin);
    }
}

TEST(a_life_is_resumed_under_its_own_incarnation_only)
{
    ring     w;
    mb_peer *p;

    ring_up(&w, MB_GENESIS_GIVEN);
    assert_int_equal(mb_peer_resume(made(&w, arena, 2), w.saved, w.n, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "of incarnation 1; expected that of this life, 2"));
    assert_int_equal(mb_peer_load(made(&w, arena, 1), w.saved, w.n, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "of incarnation 1; expected one before 1"));
    p = made(&w, arena, 1);
    OK(mb_peer_resume(p, w.saved, w.n, &err));
    assert_int_equal(mb_peer_resume(p, w.saved, w.n, &err), MB_E_ARG);
}

static void repair(unsigned char *saved, size_t n)
{
    const uint32_t crc = mb_crc32c_(saved, n - sizeof crc);

    memcpy(saved + n - sizeof crc, &crc, sizeof crc);
}

TEST(what_is_refused_changes_nothing)
{
    ring           w;
    mb_peer       *p;
    unsigned char *bad;
    mb_life_       l;

    ring_up(&w, MB_GENESIS_GIVEN);
    bad = mb_alloc(arena, w.n, 1);
    memcpy(bad, w.saved, w.n);
    memcpy(&l, bad + HEAD, sizeof l);
    p = made(&w, arena, 2);
    OK(mb_peer_genesis(p, &w.at.g, &err));
    memset(bad + HEAD + (p->encoded - p->block) + l.block - 8, 0xff, 8); /* its last number */
    repair(bad, w.n);
    OK(mb_peer_save(p, w.saved, w.n, &err));
    assert_int_equal(mb_peer_load(p, bad, w.n, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "it is damaged"));
    assert_state(&w, p);
    assert_int_equal(mb_peer_block(p)->hash, w.at.g.hash);
    OK(mb_peer_tick(p, 20, &err));
}

/* A life that checkpoints allow. */
static void live_on(mb_peer *p)
{
    unsigned char *out = mb_alloc(arena, mb_peer_frame_max(p), 1);
    mb_peer_status is;
    size_t         n;

    for (int64_t t = 1; t < 4; t++) {
        if (mb_peer_tick(p, 20 * t, &err) < 0)
            break;
        for (int32_t j = 0; j < p->life->links; j++)
            OK(mb_peer_frame(p, p->link[j].id, out, mb_peer_frame_max(p), &n, &err));
    }
    mb_peer_look(p, 100, &is);
    assert_in_range(is.neighbours, 0, 2);
    assert_in_range(is.rows, 0, 10);
}

TEST(a_right_checksum_does_not_make_wrong_numbers_good)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7ff80000};
    ring                  w;
    int                   refused = 0, taken = 0;
    size_t                most;

    ring_up(&w, MB_GENESIS_SAMPLE);
    most = HEAD + sizeof(mb_life_) + 2 * sizeof(mb_link_);
    for (size_t at = HEAD; at < most; at += 4)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            mb_arena *a = mb_arena_new(1 << 16);
            mb_peer  *p = made(&w, a, 2);
            uint32_t  was;

            memcpy(&was, w.saved + at, sizeof was);
            memcpy(w.saved + at, &values[k], sizeof was);
            repair(w.saved, w.n);
            if (mb_peer_load(p, w.saved, w.n, &err) < 0) {
                refused++;
            } else {
                taken++;
                live_on(p);
            }
            memcpy(w.saved + at, &was, sizeof was);
            mb_arena_free(a);
        }
    assert_in_range(refused, 100, 5000);
    assert_in_range(taken, 100, 5000);
}

/* Node 1 takes no checkpoint in which the number at `flag` is this. */
static void is_refused(ring *w, const void *flag, int32_t value)
{
    unsigned char *at = w->saved + HEAD + ((const unsigned char *)flag - w->at.m.peer[1]->block);
    int32_t        was;

    memcpy(&was, at, sizeof was);
    memcpy(at, &value, sizeof value);
    repair(w->saved, w->n);
    if (mb_peer_load(made(w, arena, 2), w->saved, w->n, &err) != MB_E_FORMAT)
        fail_msg("taken with %ld for %ld", (long)value, (long)was);
    assert_string_equal(err.msg, "checkpoint: its counts cannot be; it is damaged");
    memcpy(at, &was, sizeof was);
    repair(w->saved, w->n);
}

TEST(a_flag_in_a_checkpoint_is_0_or_1)
{
    static const int32_t values[] = {2, -1, INT32_MIN, 256};
    ring                 w;

    ring_up(&w, MB_GENESIS_SAMPLE);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const mb_peer        *p = w.at.m.peer[1];
        const mb_guard_      *g = p->guard;
        const mb_link_guard_ *l = &p->link_guard[1];
        const void           *flag[] = {&g->firm, &g->apart, &g->stored,       &g->reset,
                                        &l->twin, &l->ours,  &p->life->failed, &p->link[1].live};

        for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
            is_refused(&w, flag[i], values[k]);
    }
    OK(mb_peer_load(made(&w, arena, 2), w.saved, w.n, &err));
}

/* Such as seconds since 1970, which the beat of a leader has in its upper half. */
TEST(any_incarnation_is_accepted)
{
    static const uint32_t lives[] = {1, 1u << 30, 1800000000u, UINT32_MAX};

    for (size_t k = 0; k < sizeof lives / sizeof *lives; k++) {
        world         w;
        mb_peer_opt   o = {.id = 0, .incarnation = lives[k], .neighbours = 1, .rows = 1};
        mb_peer      *p[2];
        unsigned char frame[4096];
        size_t        n;

        up(&w, "ring:n=6", MB_GENESIS_SAMPLE);
        o.plan = &w.plan;
        OK(mb_peer_new(arena, &o, &p[0], &err));
        o.id = 1;
        OK(mb_peer_new(arena, &o, &p[1], &err));
        OK(mb_peer_link(p[0], 1, &err));
        OK(mb_peer_link(p[1], 0, &err));
        OK(mb_peer_tick(p[0], 20, &err));
        assert_true(mb_peer_frame_max(p[0]) <= sizeof frame);
        OK(mb_peer_frame(p[0], 1, frame, sizeof frame, &n, &err));
        assert_int_equal(mb_peer_hear(p[1], 20, 0, frame, n, &err), MB_REFUSED_NONE);
    }
}

/* The sanitizer of undefined behaviour watches the sums of times. */
TEST(any_clock_is_read)
{
    static const int64_t clocks[] = {0, INT64_MIN, INT64_MAX, -5, INT64_MIN + 1, 1000};
    const double         x[2] = {1, 2};
    world                w;
    mb_peer_opt       o = {.id = 0, .incarnation = 1, .neighbours = 1, .rows = 9, .window_ms = 50};
    mb_peer_neighbour k;
    mb_peer          *p;

    fit_case(&w, "ring:n=6");
    o.plan = &w.plan;
    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_peer_link(p, 1, &err));
    OK(mb_peer_genesis(p, &w.g, &err));
    for (size_t t = 0; t < sizeof clocks / sizeof *clocks; t++) {
        const mb_rows row = {.x = x, .n = 1, .d = 2, .ld = 2};

        OK(mb_peer_append(p, clocks[t], &row, NULL, &err));
        OK(mb_peer_tick(p, clocks[t], &err));
        mb_peer_look_at(p, clocks[t], 0, &k);
    }
    assert_int_equal(k.age_ms, -1);
}

RUN_TESTS(arena_up, arena_down)
