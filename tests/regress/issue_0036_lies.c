/* One authenticated neighbour sends false frames from its tick 60 to 65, is honest afterwards, and
 * leaves: on a ring of six the five others, which run as shipped, come to the answer of their own
 * rows, also after they all restarted with their state. */
#include "lies.h"
#include "mesh/guarded.h"
#include "mesh_fit.h"
#include "test.h"

enum {
    LIAR = 3,
    FIRST = 160, /* after a hundred rounds */
    LASTS = 5,
    LEAVES = 220,
    SECONDS_60 = 3000 /* ticks of 20 ms */
};

static char refused[sizeof err.msg]; /* why the newest number that cannot be was refused */

static int64_t went_back; /* times that nodes did, until all had settled */

/* The frames that node LIAR has written say something else. */
static void tell(mesh *m, lie change)
{
    for (int64_t e = m->net.g.ptr[LIAR]; e < m->net.g.ptr[LIAR + 1]; e++) {
        if (!m->bytes[e])
            continue;
        m->bytes[e] =
            lie_in(change, m->peer[LIAR], m->frame + (size_t)e * m->room, m->bytes[e], m->room);
        assert_int_not_equal(m->bytes[e], 0);
    }
}

/* As mesh_tick; what is refused is refused. */
static void tick(mesh *m, lie change)
{
    int failed = 0; /* settles() sees it */

    m->now += 20;
    for (int32_t i = 0; i < m->net.n; i++)
        if (m->down != 1 + i)
            failed += mb_peer_tick(m->peer[i], m->now, &err) < 0;
    (void)failed;
    for (int32_t i = 0; i < m->net.n; i++)
        mesh_write(m, i);
    if (change)
        tell(m, change);
    for (int32_t i = 0; i < m->net.n; i++)
        for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++)
            if (m->bytes[e] && mb_peer_linked(m->peer[m->net.g.adj[e]], i) &&
                mb_peer_hear(m->peer[m->net.g.adj[e]], m->now, i, m->frame + (size_t)e * m->room,
                             m->bytes[e], &err) == MB_REFUSED_VALUE)
                memcpy(refused, err.msg, sizeof refused);
}

static int all_settled(const mesh *m)
{
    for (int32_t i = 0; i < m->net.n; i++)
        if (m->down != 1 + i && mesh_look(m, i).verdict != MB_PEER_SETTLED)
            return 0;
    return 1;
}

/* Ticks until the others have the right answer and say that they have settled; none may settle with
 * another number of nodes at any time after the liar has left and its edges have timed out. */
static void settles(world *w, const char *what)
{
    uint8_t use[6] = {1, 1, 1, 1, 1, 1};
    int     t = 0;

    use[LIAR] = 0;
    while (!all_settled(&w->m) && t++ < SECONDS_60)
        tick(&w->m, NULL);
    for (int32_t i = 0; i < w->net.n; i++) {
        const mb_peer_status is = mesh_look(&w->m, i);

        if (use[i] && (is.verdict != MB_PEER_SETTLED || !(fabs(is.n_nodes - 5) < 1e-6) ||
                       !(mesh_step_changes(&w->m, w->c.data, i, use) < 1e-5)))
            fail_msg("%s: node %d is %s with N = %g, a step changes %g (%s)", what, i,
                     mb_peer_verdict_text(is.verdict), is.n_nodes,
                     mesh_step_changes(&w->m, w->c.data, i, use), is.message);
    }
}

/* All others begin again with their state. */
static void restart(world *w)
{
    for (int32_t i = 0; i < w->net.n; i++) {
        size_t               n;
        const unsigned char *was;

        if (i == LIAR)
            continue;
        was = mesh_saved(w->m.peer[i], &n);
        w->m.peer[i] = another(w, i, 2);
        OK(mb_peer_load(w->m.peer[i], was, n, &err));
    }
}

/* The lie begins at tick `first`. */
static void others_recover_on(const char *net, lie change, mb_genesis_from from, int first)
{
    world    w;
    uint64_t run = 0;

    up(&w, net, from);
    for (int t = 1; t < LEAVES; t++) {
        if (t == first)
            run = mesh_look(&w.m, 0).run;
        tick(&w.m, t >= first && t <= first + LASTS ? change : NULL);
    }
    w.m.down = 1 + LIAR;
    for (int t = 0; t < 200; t++) /* until its edges have timed out */
        tick(&w.m, NULL);
    settles(&w, "after the lie");
    for (int32_t i = 0; i < w.net.n; i++) {
        assert_true(mesh_look(&w.m, i).run == run);
        went_back += mb_peer_guarded_(w.m.peer[i]).returned;
    }
    restart(&w);
    settles(&w, "after a restart");
}

static void others_recover(lie change)
{
    others_recover_on("ring:n=6", change, MB_GENESIS_GIVEN, FIRST);
}

TEST(an_honest_node_may_leave)
{
    refused[0] = 0;
    went_back = 0;
    others_recover(lie_honest);
    assert_string_equal(refused, "");
    assert_int_equal(went_back, 0);
}

TEST(a_beat_of_the_far_future_buries_no_leader)
{
    others_recover(lie_far_beat);
}

TEST(hops_that_cannot_be_keep_nobody_awake)
{
    others_recover(lie_long_way);
}

TEST(a_vector_of_huge_numbers_spoils_no_answer)
{
    refused[0] = 0;
    others_recover(lie_huge);
    assert_non_null(strstr(refused, "neighbour 3: block dirichlet"));
    assert_non_null(strstr(refused, "number 1: got 1e+119; expected at most "));
}

/* No number is beyond its bound. */
static void large(lie_frame *at)
{
    for (size_t k = 0; k + 2 < lie_numbers(at); k++)
        lie_number(at, k, 0, 1e17);
}

TEST(a_vector_of_large_numbers_is_recovered_from)
{
    refused[0] = 0;
    others_recover(large);
    assert_string_equal(refused, "");
}

/* A million times the rows, shared alike by all components: what all of them come to is a fixed point. */
static void alike(lie_frame *at)
{
    const size_t len = lie_numbers(at) ? lie_numbers(at) - 2 : 0, each = len / K;

    for (size_t c = 0; c < each; c++) {
        const size_t first = c ? K + c - 1 : 0, step = c ? each - 1 : 1;
        double       x, sum = 0;

        for (size_t k = 0; k < K; k++) {
            (void)mb_get_doubles_(at->payload + 8 * (first + k * step), &x, 1);
            sum += 1e6 / K * x;
        }
        for (size_t k = 0; k < K; k++)
            lie_number(at, first + k * step, 0, sum);
    }
}

TEST(components_that_were_led_together_part_again)
{
    went_back = 0;
    others_recover(alike);
    assert_true(went_back > 0);
}

TEST(one_neighbour_that_says_so_makes_no_twin)
{
    others_recover(lie_other_life);
}

TEST(a_share_of_b_that_is_no_share_is_forgotten)
{
    others_recover(lie_more_leaders);
    others_recover(lie_fewer_leaders);
}

TEST(a_degree_that_cannot_be_is_forgotten)
{
    others_recover(lie_many_neighbours);
}

static void endless(lie_frame *at)
{
    at->f.ttl = 1 << 21;
}

TEST(a_time_to_live_that_cannot_be_is_clipped_and_counted)
{
    world w;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    for (int t = 0; t < 50; t++)
        tick(&w.m, endless);
    for (int32_t i = 0; i < 6; i++)
        assert_int_equal(mb_peer_guarded_(w.m.peer[i]).clipped > 0, abs(i - LIAR) == 1);
}

TEST(a_stiffness_that_cannot_be_is_forgotten)
{
    others_recover(lie_stiff);
}

TEST(a_genesis_of_one_liar_is_not_taken)
{
    others_recover_on("ring:n=6", lie_other_genesis, MB_GENESIS_SAMPLE, FIRST);
}

/* Nodes that have just begun take any block that can be, and this one cannot. */
TEST(a_genesis_that_no_rows_outweigh_is_never_taken)
{
    others_recover_on("ring:n=6", lie_other_genesis, MB_GENESIS_SAMPLE, 60);
}

/* What goes round a cycle of edges is never averaged away, and digits of the rows are lost beside it. */
TEST(a_flow_that_goes_round_for_ever_is_ended)
{
    others_recover_on("complete:n=6", lie_heavy_rows, MB_GENESIS_GIVEN, FIRST);
    others_recover_on("grid:rows=2,cols=3", lie_heavy_rows, MB_GENESIS_GIVEN, FIRST);
}

/* A lie without end: nobody says that it has settled with another number of nodes than there are. When its
 * neighbours have dropped the link the others come to their answer. */
static void nobody_settles(lie change)
{
    world w;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    for (int t = 1; t < SECONDS_60; t++) {
        tick(&w.m, t >= FIRST ? change : NULL);
        for (int32_t i = 0; i < 6; i++)
            if (i != LIAR && mesh_look(&w.m, i).verdict == MB_PEER_SETTLED &&
                !(fabs(mesh_look(&w.m, i).n_nodes - 6) < 1e-6))
                fail_msg("tick %d: node %d settled with N = %.9g", t, i,
                         mesh_look(&w.m, i).n_nodes);
    }
    OK(mb_peer_unlink(w.m.peer[LIAR - 1], LIAR, &err));
    OK(mb_peer_unlink(w.m.peer[LIAR + 1], LIAR, &err));
    w.m.down = 1 + LIAR;
    settles(&w, "after the links were dropped");
}

TEST(a_lasting_lie_about_b_settles_nobody)
{
    nobody_settles(lie_more_leaders);
    nobody_settles(lie_fewer_leaders);
}

TEST(a_lasting_lie_about_the_leader_settles_nobody)
{
    nobody_settles(lie_far_beat);
}

TEST(a_neighbour_that_counts_otherwise_is_named)
{
    world w;

    up(&w, "ring:n=6", MB_GENESIS_GIVEN);
    for (int t = 0; t < 1500; t++)
        tick(&w.m, lie_miscount);
    for (int32_t i = LIAR - 1; i <= LIAR + 1; i += 2) {
        const mb_peer_status is = mesh_look(&w.m, i);

        assert_int_equal(is.verdict, MB_PEER_MOVING);
        assert_int_equal(is.still, 0);
        for (int32_t j = 0; j < is.neighbours; j++) {
            mb_peer_neighbour one;

            mb_peer_look_at(w.m.peer[i], w.m.now, j, &one);
            assert_int_equal(one.live, 1);
            assert_int_equal(one.leader, is.leader);
            assert_int_equal(one.agrees, one.id != LIAR);
            assert_true(fabs(one.n_nodes - (one.id == LIAR ? 2 : is.n_nodes)) < 1e-5);
        }
    }
}

RUN_TESTS(arena_up, arena_down)
