/* False sums that no mask hides: a parent names the child whose sum cannot be, nothing settles
 * wrongly, and when they end all settle as if there had been none. */
#include "lies.h"
#include "listed.h"
#include "mesh/state.h"
#include "mesh_fit.h"
#include "test.h"

/* A path, whose root is node 2. */
enum { LIAR = 1, PARENT = 2, TICKS = 400 };

typedef struct lied {
    world       w;
    mb_declared d;
} lied;

static void up_lied(lied *a)
{
    mb_peer_opt like[NODES];
    mb_signer  *unused;

    fit_case(&a->w, "path:n=5");
    a->w.plan.algo = &mb_algo_sum;
    a->d = listed(&a->w.net, a->w.c.data, &unused);
    for (int32_t i = 0; i < NODES; i++)
        like[i] = (mb_peer_opt){.declared = &a->d, .tick_ms = 20, .min_nodes = NODES};
    mesh_up_with(&a->w.m, &a->w.net, &a->w.c, &a->w.plan, &a->w.g, like);
}

/* All nodes tick and are heard, the liar with false frames, which may be refused. */
static void tick_with(mesh *m, lie tell)
{
    mesh_speak(m);
    for (int32_t i = 0; i < NODES; i++)
        for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++) {
            unsigned char *frame = m->frame + (size_t)e * m->room;
            size_t         n = m->bytes[e];

            if (i == LIAR && n)
                n = lie_in(tell, m->peer[i], frame, n, m->room);
            if (n)
                (void)mb_peer_hear(m->peer[m->net.g.adj[e]], m->now, i, frame, n, NULL);
        }
}

static int32_t count_settled(const mesh *m)
{
    int32_t n = 0;

    for (int32_t i = 0; i < NODES; i++)
        n += mesh_look(m, i).verdict == MB_PEER_SETTLED;
    return n;
}

static void expect_answer(const mesh *m, const double *phi, size_t L)
{
    for (int32_t i = 0; i < NODES; i++) {
        assert_memory_equal(mb_peer_phi(m->peer[i]), mb_peer_phi(m->peer[0]), L * sizeof *phi);
        for (size_t l = 0; l < L; l++)
            assert_near(mb_peer_phi(m->peer[i])[l], phi[l], 1e-5 * fmax(1, fabs(phi[l])));
    }
}

/* begins: the text that names the liar; NULL: frames are refused. */
static void expect_no_harm(const char *name, const char *begins)
{
    lied   honest, a;
    double phi[64];
    int    named = 0;

    up_lied(&honest);
    assert_in_range(mesh_settle(&honest.w.m, mesh_tick, TICKS), 1, TICKS);
    assert_true(honest.w.g.len <= sizeof phi / sizeof *phi);
    memcpy(phi, mb_peer_phi(honest.w.m.peer[0]), honest.w.g.len * sizeof *phi);
    up_lied(&a);
    for (int t = 0; t < TICKS; t++) {
        tick_with(&a.w.m, lie_named(name));
        if (begins)
            named += strstr(mesh_look(&a.w.m, PARENT).message, begins) != NULL;
        assert_int_equal(count_settled(&a.w.m), 0);
    }
    assert_true(!begins || named > TICKS / 2);
    assert_in_range(mesh_settle(&a.w.m, mesh_tick, 4 * TICKS), 1, 4 * TICKS);
    expect_answer(&a.w.m, phi, a.w.g.len);
}

TEST(rows_beyond_those_declared_are_named_and_settle_nothing)
{
    expect_no_harm("twice_the_sum", "child 1: rows of it and the nodes below it: got ");
}

/* What it says of those below it is beyond the list, so the total is. */
TEST(rows_that_the_parent_cannot_know_of_are_in_no_total)
{
    expect_no_harm("padded_sum", "waits: the sums of this pass say ");
}

TEST(numbers_beyond_what_all_rows_make_are_named)
{
    expect_no_harm("far_sum", "child 1: ");
}

TEST(no_record_is_the_last_one)
{
    expect_no_harm("last_record", NULL);
}

RUN_TESTS(arena_up, arena_down)
