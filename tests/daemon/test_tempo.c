/* How soon a node ticks again: without sockets, by a clock of whole milliseconds. */
#include "mesh/guarded.h"
#include "mesh_fit.h"
#include "tempo.h"
#include "test.h"

enum { TICK = 20 };

/* A node that is ready at once ticks for so long and sends `bytes` in every tick; its ticks. One
 * that says why waits. */
static int64_t ticks_of(tempo *t, int64_t *now, int64_t ms, const mb_peer_status *is, int64_t bytes)
{
    const int64_t end = *now + ms;
    int64_t       n = 0;

    for (; *now < end; ++*now)
        while (n < 1000000 && tempo_earliest(t, 0) <= *now && (t->ticked_ms < *now || !n)) {
            tempo_ticked(t, *now, is, is->message != NULL, bytes);
            n++;
        }
    return n;
}

TEST(ticks_are_at_least_tick_least_ms_from_each_other)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK, .tick_least_ms = 20}};
    int64_t              now = 1000;

    assert_int_equal(ticks_of(&t, &now, 2000, &is, 1000), 100);
    assert_int_equal(tempo_earliest(&t, 1), t.ticked_ms + 20);
}

/* What a second has, once, and then as much as the rate. */
TEST(no_more_than_bytes_per_second_are_sent)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK, .bytes_per_second = 10000}};
    int64_t              now = 1000;

    assert_in_range(ticks_of(&t, &now, 10000, &is, 500), 195, 222);
    assert_in_range(ticks_of(&t, &now, 10000, &is, 500), 195, 202);
    now += 60000; /* a minute of rest fills the bucket with no more than a second */
    assert_in_range(ticks_of(&t, &now, 1000, &is, 500), 35, 45);
}

TEST(a_limit_that_comes_later_owes_nothing)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    (void)ticks_of(&t, &now, 1000, &is, 100000);
    t.opt.bytes_per_second = 1000;
    assert_int_equal(tempo_earliest(&t, 0), t.ticked_ms);
}

/* Bytes of one tick above those of a second are owed. */
TEST(a_large_frame_waits_for_its_time)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK, .bytes_per_second = 1000}};

    tempo_ticked(&t, 1000, &is, 0, 5000);
    assert_int_equal(tempo_earliest(&t, 1), 6000);
}

/* 1 ms between ticks; after 30 s the pause doubles to a second. */
TEST(who_is_kept_awake_for_nothing_slows_down)
{
    const mb_peer_status disturbed = {.moves = 0}, still = {.still = 1}, moved = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    assert_in_range(ticks_of(&t, &now, TEMPO_AWAKE_MS, &disturbed, 0), 29000, 30001);
    assert_in_range(ticks_of(&t, &now, 10000, &disturbed, 0), 10, 20);
    assert_int_equal(t.pause_ms, TEMPO_PAUSE_MOST);
    assert_int_equal(tempo_earliest(&t, 1), t.ticked_ms); /* rows arrive: at once */
    tempo_ticked(&t, ++now, &still, 0, 0);
    assert_int_equal(t.pause_ms, 0);
    assert_true(t.disturbed); /* woken once more for nothing it slows down again */
    assert_in_range(ticks_of(&t, &now, 10000, &disturbed, 0), 10, 1020);
    tempo_ticked(&t, ++now, &moved, 0, 0);
    assert_int_equal(t.pause_ms + t.disturbed, 0);
}

/* A missing member may be away for hours: 4 ticks a second, not as many as neighbours can answer. */
TEST(who_waits_for_a_node_slows_down_until_it_is_there)
{
    const mb_peer_status waits = {.moves = 1, .message = "waits"}, moved = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    assert_in_range(ticks_of(&t, &now, TEMPO_WAITS_MS, &waits, 0), 4900, 5001);
    assert_in_range(ticks_of(&t, &now, 10000, &waits, 0), 40, 46);
    assert_int_equal(t.pause_ms, TEMPO_WAITS_MOST);
    assert_int_equal(tempo_earliest(&t, 1), t.ticked_ms);
    (void)ticks_of(&t, &now, 300, &moved, 0);
    assert_int_equal(t.pause_ms + t.waited_ms, 0);
    assert_in_range(ticks_of(&t, &now, TEMPO_WAITS_MS, &waits, 0), 4900, 5001);
}

/* Nodes that move, or rest more than they are awake, are none of these. */
TEST(others_do_not)
{
    const mb_peer_status disturbed = {.moves = 0}, still = {.still = 1}, moved = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    (void)ticks_of(&t, &now, 600000, &moved, 0);
    assert_int_equal(t.pause_ms, 0);
    for (int k = 0; k < 100; k++) {
        (void)ticks_of(&t, &now, 1000, &disturbed, 0);
        (void)ticks_of(&t, &now, 1100, &still, 0);
    }
    assert_int_equal(t.pause_ms, 0);
    for (int k = 0; k < 100; k++) {
        (void)ticks_of(&t, &now, 2000, &disturbed, 0);
        (void)ticks_of(&t, &now, 1000, &still, 0);
    }
    assert_true(t.disturbed);
}

/* ---- a ring on a virtual network: frames take a millisecond ---- */

enum { RING = 6, AWAKE = 3, FAR = 0, SECOND = 1000 };

/* Each node with its links, by place in the list of links. */
typedef struct paced {
    world      w;
    tempo      tempo[RING];
    tempo_hold hold[2 * RING]; /* of the neighbour at the head of a link, at its tail    */
    int32_t    restless;       /* 1: AWAKE is never at rest */
    int64_t    between, taken; /* frames: of the others to each other; of AWAKE          */
    int64_t    held, named;    /* link held back in a tick; of them to AWAKE             */
} paced;

/* What moves at AWAKE alone is above its own tolerance, and below that of the others. */
static void paced_up(paced *q, int32_t restless)
{
    mb_peer_opt like[RING] = {[AWAKE] = {.tol = 1e-10}};

    *q = (paced){.restless = restless};
    fit_case(&q->w, "ring:n=6");
    mesh_up_with(&q->w.m, &q->w.net, &q->w.c, &q->w.plan, &q->w.g, like);
    for (int32_t i = 0; i < RING; i++)
        q->tempo[i].opt = (tempo_opt){.tick_ms = TICK, .tick_least_ms = TICK};
}

/* A row of AWAKE weighs a little more in every other tick. */
static void disturb(const paced *q)
{
    static const double MORE = 1e-7;
    const mesh         *m = &q->w.m;

    if (q->restless)
        OK(mb_peer_replace(m->peer[AWAKE], m->now, 0, q->w.c.data[AWAKE].x,
                           1 + MORE * (double)(mesh_look(m, AWAKE).tick % 2), &err));
}

static void paced_hear(paced *q, int32_t i, int64_t e)
{
    mesh         *m = &q->w.m;
    const int32_t j = m->net.g.adj[e];
    const int64_t back = m->net.g.rev[e];
    const size_t  n = m->bytes[back];

    m->bytes[back] = 0;
    if (!n || !tempo_takes(&q->hold[e], m->now))
        return;
    assert_int_equal(
        mb_peer_hear(m->peer[i], m->now, j, m->frame + (size_t)back * m->room, n, &err),
        MB_REFUSED_NONE);
    q->taken += j == AWAKE;
    tempo_wake(&q->tempo[i], &q->hold[e], m->now, m->peer[i], j);
}

/* As the daemon: the links of a node that runs stay in use. */
static void paced_tick(paced *q, int32_t i)
{
    mesh          *m = &q->w.m;
    mb_peer_status is;

    if (i == AWAKE)
        disturb(q);
    tempo_begin(&q->tempo[i], m->peer[i]);
    OK(mb_peer_tick(m->peer[i], m->now, &err));
    is = mesh_look(m, i);
    assert_true(is.rounds < 5 || is.live == 2);
    for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++) {
        mb_peer_neighbour one;

        mb_peer_look_at(m->peer[i], m->now, (int32_t)(e - m->net.g.ptr[i]), &one);
        tempo_see(&q->tempo[i], &q->hold[e], m->now, &one);
        q->held += q->hold[e].held;
        q->named += q->hold[e].held && one.id == AWAKE;
        q->between += i != AWAKE && one.id != AWAKE;
    }
    mesh_write(m, i);
    tempo_ticked(&q->tempo[i], m->now, &is, mb_peer_waits_(m->peer[i]), 0);
}

static int are_right(const paced *q)
{
    for (int32_t i = 0; i < RING; i++)
        if (!(mesh_step_changes(&q->w.m, q->w.c.data, i, NULL) < 1e-6))
            return 0;
    return 1;
}

/* This number of milliseconds; or until all have the right answer, if `right`. How many. */
static int64_t paced_run(paced *q, int64_t ms, int right)
{
    mesh         *m = &q->w.m;
    const int64_t from = m->now;

    while (m->now - from < ms) {
        m->now++;
        for (int32_t i = 0; i < RING; i++)
            for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++)
                paced_hear(q, i, e);
        for (int32_t i = 0; i < RING; i++)
            if (tempo_next(&q->tempo[i], m->peer[i]) <= m->now)
                paced_tick(q, i);
        if (right && m->now % 50 == 0 && are_right(q))
            break;
    }
    return m->now - from;
}

/* Rows of a node that is not its neighbour change; ms until all have the right answer. */
static int64_t change_rows(paced *q)
{
    mb_rows *own = &q->w.c.data[FAR];
    double  *x = doubles((size_t)(own->n * own->d));

    for (int64_t r = 0; r < own->n; r++) {
        for (int32_t d = 0; d < own->d; d++)
            x[r * own->d + d] = mb_rows_at(own, (r + 1) % own->n, d) + (r % 2 ? .1 : 0);
        OK(mb_peer_replace(q->w.m.peer[FAR], q->w.m.now, r, x + r * own->d, 1, &err));
    }
    *own = (mb_rows){.x = x, .n = own->n, .d = own->d, .ld = (size_t)own->d};
    return paced_run(q, 60 * SECOND, 1);
}

/* The next twenty seconds, in which nothing moves. */
static void count(paced *q)
{
    q->between = q->taken = q->held = q->named = 0;
    (void)paced_run(q, 20 * SECOND, 0);
}

static int all_are(const paced *q, mb_peer_verdict verdict)
{
    int32_t are = 0;

    for (int32_t i = 0; i < RING; i++)
        are += mesh_look(&q->w.m, i).verdict == verdict;
    return are == RING;
}

TEST(an_honest_ring_is_never_held_back)
{
    paced q;

    paced_up(&q, 0);
    (void)paced_run(&q, 60 * SECOND, 0);
    assert_in_range(change_rows(&q), 1, 20 * SECOND);
    (void)paced_run(&q, 60 * SECOND, 0);
    assert_int_equal(q.held, 0);
    assert_true(all_are(&q, MB_PEER_SETTLED));
}

/* The others rest, wake at once where something moves, and settle when it ends. */
TEST(one_that_is_never_at_rest_slows_its_own_links_alone)
{
    paced   calm, q;
    int64_t quick, ms;

    paced_up(&calm, 0);
    (void)paced_run(&calm, 50 * SECOND, 0);
    count(&calm);
    paced_up(&q, 1);
    (void)paced_run(&q, 20 * SECOND, 0);
    quick = change_rows(&q); /* before it is held back */
    (void)paced_run(&q, 50 * SECOND, 0);
    count(&q);
    print_message("in 20 s %d frames between the others, with it %d; taken of it %d\n",
                  (int)calm.between, (int)q.between, (int)q.taken);
    assert_true(q.named > 0 && q.held == q.named);
    assert_in_range(q.between, 1, calm.between * 11 / 10);
    assert_in_range(q.taken, 1, 2 * 22);
    assert_true(all_are(&q, MB_PEER_MOVING));
    ms = change_rows(&q);
    print_message("right after %d ms, held back after %d ms\n", (int)quick, (int)ms);
    assert_in_range(ms, 1, quick + 3 * SECOND / 10);
    (void)paced_run(&q, 50 * SECOND, 0);
    q.restless = 0;
    (void)paced_run(&q, 20 * SECOND, 0);
    count(&q);
    assert_int_equal(q.held, 0);
    assert_true(all_are(&q, MB_PEER_SETTLED));
    assert_at_rest(&q.w, NULL, RING);
}

RUN_TESTS(arena_up, arena_down)
