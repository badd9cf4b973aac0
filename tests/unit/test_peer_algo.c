/* Nodes run any algorithm that bears what happens to them, and refuse the others in words. */
#include "algo/nodes.h"
#include "algo/sum.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "blend.h"
#include "data/json.h"
#include "fit/case.h"
#include "mesh/file_status.h"
#include "mesh/frame.h"
#include "mesh/guarded.h"
#include "mesh/state.h"
#include "mesh_world.h"
#include "network/graph.h"
#include "test.h"

static const struct {
    unsigned    flag;
    const char *word;
} borne[] = {{MB_BEARS_LOSS, " loss,"},
             {MB_BEARS_SPEEDS, " nodes of their own speeds,"},
             {MB_BEARS_CHURN, " nodes that come and go,"}};

enum { BORNE = sizeof borne / sizeof *borne, SECOND = 1000000 };

/* A node of this algorithm is refused, and the message names what it does not bear. */
static void check_refused(const mb_algo *a, unsigned bears)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_peer_opt o = {.plan = &w->plan, .incarnation = 1};
    char        begins[64];
    mb_peer    *p;

    w->plan.algo = a;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_NOSUP);
    assert_int_equal(mb_peer_bytes(&o), 0);
    snprintf(begins, sizeof begins, "algorithm: %s does not bear ", a->name);
    assert_ptr_equal(strstr(err.msg, begins), err.msg);
    assert_string_equal(strstr(err.msg, "; use "), "; use edge");
    assert_null(strchr(err.msg, '\n'));
    for (int k = 0; k < BORNE; k++)
        assert_true((strstr(err.msg, borne[k].word) == NULL) == ((bears & borne[k].flag) != 0));
}

TEST(every_listed_algorithm_without_a_flag_is_refused)
{
    int refused = 0;

    for (const mb_algo *const *a = mb_algo_list(); *a; a++)
        if (*a != &mb_algo_edge && *a != &mb_algo_sum) {
            check_refused(*a, (*a)->bears);
            refused++;
        }
    assert_int_equal(refused, 8);
    check_refused(&mb_algo_squarem, 0);
}

/* Also one that says that it bears all, but has no functions for it. */
TEST(one_that_lacks_one_flag_or_the_functions_is_refused)
{
    mb_algo a = blend;

    for (int k = 0; k < BORNE; k++) {
        a.bears = blend.bears & ~borne[k].flag;
        check_refused(&a, a.bears);
    }
    a.bears = blend.bears;
    a.mesh = NULL;
    check_refused(&a, a.bears & ~(unsigned)MB_BEARS_CHURN);
}

TEST(options_that_the_state_has_no_room_for_are_refused)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_peer_opt o = {.plan = &w->plan, .incarnation = 1};
    mb_algo     a = blend;
    mb_peer    *p;

    w->plan.algo = &a;
    a.opt_size = MB_MESH_OPT + 1;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    assert_string_equal(err.msg,
                        "algorithm: got options of 41 bytes of blend; expected at most 40");
    a.opt_size = MB_MESH_OPT;
    OK(mb_peer_new(arena, &o, &p, &err));
}

TEST(a_name_is_found_or_refused_with_those_that_can)
{
    const mb_algo *a = NULL;

    OK(mb_node_algo_find_("edge", &a, &err));
    assert_ptr_equal(a, &mb_algo_edge);
    assert_int_equal(mb_node_algo_find_("flow", &a, &err), MB_E_NOSUP);
    assert_string_equal(err.msg, "algorithm: flow does not bear nodes of their own speeds, nodes "
                                 "that come and go, and cannot run on the nodes of a mesh; use "
                                 "edge");
    assert_int_equal(mb_node_algo_find_("fusion", &a, &err), MB_E_ARG);
    assert_string_equal(err.msg, "algorithm: got fusion; expected edge, sum");
}

/* Frames of nodes that run another algorithm are refused by the plan, with a reason; EDGE, which is
 * the default, has the hash and the words of a plan that names none. */
TEST(another_algorithm_is_another_plan)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_plan     edge = w->plan, other = w->plan;
    char        words[401];
    size_t      n;

    edge.algo = &mb_algo_edge;
    other.algo = &blend;
    assert_true(mb_plan_hash_(&edge) == mb_plan_hash_(&w->plan));
    assert_true(mb_plan_hash_(&other) != mb_plan_hash_(&w->plan));
    words[mb_plan_words_(&edge, words, 400)] = 0;
    assert_null(strstr(words, "algorithm"));
    n = mb_plan_words_(&other, words, 400);
    words[n] = 0;
    assert_non_null(strstr(words, ", algorithm blend"));
    assert_int_equal(mb_words_compare_(&edge, words, n, &err), MB_E_PEER);
    assert_non_null(strstr(err.msg, "algorithm is not given here and blend there"));
}

/* phi of all nodes where the simulator ends; ld doubles each. */
static const double *rest_of_simulator(const mesh_world *w, size_t *ld)
{
    const mb_method how = {.algo = &blend, .rounds = 1500};
    const mb_start  start = {.how = MB_INIT_CENTRES, .centres = syn_mean[0]};
    mb_session      s;
    double         *phi;
    size_t          n;

    OK(mb_session_open(&w->c, &how, &s, &err));
    OK(mb_session_seed(&s, &start, 0, &err));
    OK(mb_session_run(&s, &err));
    *ld = s.state.ld;
    n = (size_t)w->net.n * *ld;
    phi = mb_alloc(arena, n, sizeof *phi);
    memcpy(phi, s.state.phi, n * sizeof *phi);
    mb_session_close(&s);
    return phi;
}

static double largest(const double *x, const double *y, size_t n)
{
    double far = 0;

    for (size_t l = 0; l < n; l++)
        far = fmax(far, fabs(x[l] - (y ? y[l] : 0)));
    return far;
}

/* Loss, delay, own speeds, a node that dies and returns blank, one that leaves a while by a cut. */
TEST(diffusion_on_nodes_rests_where_the_simulator_does)
{
    mb_event      event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_KILL, .a = 1},
                             {.at_us = 3 * SECOND, .kind = MB_EVENT_CUT, .a = 3, .b = 4},
                             {.at_us = 6 * SECOND, .kind = MB_EVENT_HEAL, .a = 3, .b = 4},
                             {.at_us = 8 * SECOND, .kind = MB_EVENT_START, .a = 1}};
    mesh_world   *w = mesh_make("ring:n=6", 30);
    size_t        ld;
    const double *at = rest_of_simulator(w, &ld);
    mb_virtual   *v;

    w->plan.algo = &blend;
    w->opt.peer.n_nodes = 6; /* 1/s of the leader's share is not N here */
    w->opt.loss = 0.3;
    w->opt.speed[0] = 1;
    w->opt.speed[1] = 3;
    w->opt.delay_us[0] = 1000;
    w->opt.delay_us[1] = 50000;
    w->opt.schedule = (mb_schedule){.n = 4, .event = event};
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, (int64_t)600 * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
    for (int32_t i = 0; i < w->net.n; i++) {
        const double *is = mb_peer_phi(mb_virtual_peer(v, i)), *was = at + (size_t)i * ld;
        const size_t  L = w->genesis.len;

        if (!(largest(is, was, L) <= 1e-6 * largest(was, NULL, L)))
            fail_msg("node %d: %g of %g away", i, largest(is, was, L), largest(was, NULL, L));
    }
    assert_true(largest(at, at + ld, w->genesis.len) > 1); /* an answer of its own at each node */
    mb_virtual_free(v);
}

/* ---- sum ---- */

static void check_equal_bits(const mb_virtual *v, const mesh_world *w)
{
    const double *first = NULL;

    for (int32_t i = 0; i < w->net.n; i++) {
        const mb_peer *p = mb_virtual_peer(v, i);

        if (!p)
            continue;
        if (first)
            assert_memory_equal(mb_peer_phi(p), first, w->genesis.len * sizeof *first);
        first = mb_peer_phi(p);
    }
}

/* What a network of sum never does. */
typedef struct sums_seen {
    uint32_t life[8];
    uint64_t pass[8];
    int64_t  old;     /* messages that were dropped */
    int32_t  settled; /* in all                     */
    int32_t  least;   /* nodes of an epoch          */
} sums_seen;

/* In a life no node goes back to an earlier pass, nor does who begins an epoch lead it there. */
static mb_status no_pass_again(void *self, const mb_virtual *v, const mb_called *c, mb_err *why)
{
    sums_seen *s = self;

    (void)why;
    for (int32_t i = 0; c->call == MB_CALL_TICK && i < mb_virtual_options(v)->graph->n; i++) {
        const mb_peer *p = mb_virtual_peer(v, i);

        if (!p)
            continue;
        if (s->life[i] == p->life->incarnation)
            assert_true(p->epoch->pass >= s->pass[i]);
        s->life[i] = p->life->incarnation;
        s->pass[i] = mb_sum_begun_(p->sum_memo) ? p->epoch->pass : 0;
        if (p->epoch->stage == MB_STAGE_RUNS_ && (int32_t)p->epoch->nodes < s->least)
            s->least = (int32_t)p->epoch->nodes;
    }
    return MB_OK;
}

static mb_status count_settled(void *self, const mb_virtual *v, const mb_event *e, const char *note,
                               mb_err *why)
{
    (void)v, (void)note, (void)why;
    ((sums_seen *)self)->settled += e->kind == MB_EVENT_SETTLED;
    return MB_OK;
}

static mb_virtual *sum_network(mesh_world *w, sums_seen *s, mb_event *event, int64_t n)
{
    const mb_virtual_watcher watch = {
        .self = s, .every_us = SECOND, .event = count_settled, .call = no_pass_again};
    mb_virtual *v;

    *s = (sums_seen){.least = INT32_MAX};
    w->plan.algo = &mb_algo_sum;
    w->opt.schedule = (mb_schedule){.n = n, .event = event};
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_watch(v, &watch, &err));
    return v;
}

/* All nodes are one part, at a fixed point of central VB, and equal to the bit. */
static void check_one_answer(const mb_virtual *v, mesh_world *w, int32_t same_start)
{
    assert_int_equal(mesh_check(w, v, same_start, 1e-6), 1);
    check_equal_bits(v, w);
}

static void run_to_rest(mb_virtual *v, int64_t seconds)
{
    OK(mb_virtual_run(v, mb_virtual_now(v) + seconds * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
}

/* From the same initialisation; where the number of nodes is known, no pass is made before the last one comes. */
TEST(sums_of_all_nodes_rest_where_fit_does_to_the_bit)
{
    mb_event       event[] = {{.at_us = 3 * SECOND, .kind = MB_EVENT_JOIN, .a = 3}};
    mesh_world    *w = mesh_make("ring:n=6", 30);
    int            waits = 0, trees = 0;
    mb_peer_status is;
    sums_seen      s;
    mb_virtual    *v;

    w->opt.peer.n_nodes = 6;
    v = sum_network(w, &s, event, 1);
    OK(mb_virtual_run(v, 2 * SECOND, 0, &err));
    for (int32_t i = 0; i < 6; i++) {
        if (i == 3)
            continue;
        mb_peer_look(mb_virtual_peer(v, i), 0, &is);
        assert_int_equal(is.verdict, MB_PEER_MOVING);
        waits += !strcmp(is.message, "waits for more nodes before the first sum");
        trees += !strcmp(is.message, "waits for a tree to sum over");
    }
    assert_int_equal(waits, 1);
    assert_int_equal(trees, 4);
    run_to_rest(v, 60);
    check_one_answer(v, w, 1);
    assert_int_equal(s.least, 6);
    mb_virtual_free(v);
}

/* Half of the frames are lost; nodes die, return, blank too, and a link is cut: in the end the ring is
 * two paths. */
TEST(sums_repair_their_tree)
{
    mb_event    event[] = {{.at_us = 1 * SECOND, .kind = MB_EVENT_KILL, .a = 5},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_CUT, .a = 3, .b = 4},
                           {.at_us = 5 * SECOND, .kind = MB_EVENT_WIPE, .a = 1},
                           {.at_us = 6 * SECOND, .kind = MB_EVENT_START, .a = 5},
                           {.at_us = 40 * SECOND, .kind = MB_EVENT_START, .a = 1},
                           {.at_us = 80 * SECOND, .kind = MB_EVENT_KILL, .a = 0}};
    mesh_world *w = mesh_make("ring:n=6", 30);
    int64_t     old = 0;
    sums_seen   s;
    mb_virtual *v;

    w->opt.loss = 0.5;
    w->opt.reorder = 0.1;
    w->opt.speed[0] = 1;
    w->opt.speed[1] = 3;
    w->opt.delay_us[0] = 1000;
    w->opt.delay_us[1] = 50000;
    w->opt.checkpoint_ticks = 20;
    v = sum_network(w, &s, event, sizeof event / sizeof *event);
    run_to_rest(v, 600);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 2);
    for (int32_t i = 0; i < w->net.n; i++)
        if (mb_virtual_peer(v, i))
            old += mb_virtual_peer(v, i)->epoch->old;
    assert_true(old > 0);
    mb_virtual_free(v);
}

TEST(parts_make_sums_of_their_own_and_heal)
{
    static const int32_t half[] = {0, 1, 2};
    mb_event event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_PARTITION, .nset = 3, .set = half},
                        {.at_us = 60 * SECOND, .kind = MB_EVENT_REJOIN}};
    mesh_world *w = mesh_make("ring:n=6", 30);
    sums_seen   s;
    mb_virtual *v = sum_network(w, &s, event, 2);

    OK(mb_virtual_run(v, 55 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 2);
    run_to_rest(v, 60);
    check_one_answer(v, w, 0);
    mb_virtual_free(v);
}

/* The root is in the middle of the path. At rest the pass stays; rows that come to one node, far from
 * the root, wake all in the same epoch. */
TEST(sums_rest_until_rows_change)
{
    mesh_world   *w = mesh_make("path:n=6", 30);
    const mb_rows more = {.x = w->x, .n = 10, .d = 2, .ld = 2};
    mb_event      event[] = {{.at_us = 100 * SECOND, .kind = MB_EVENT_ROWS, .a = 0, .rows = &more}};
    sums_seen     s;
    mb_virtual   *v;
    uint64_t      pass, frames, epoch;

    v = sum_network(w, &s, event, 1);
    OK(mb_virtual_run(v, 60 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    pass = mb_virtual_peer(v, 0)->epoch->pass;
    epoch = mb_virtual_peer(v, 0)->epoch->record.counter;
    assert_in_range(mb_virtual_peer(v, 0)->epoch->record.proposer, 2, 3);
    frames = (uint64_t)mb_virtual_tally(v, MB_TALLY_FRAMES);
    OK(mb_virtual_run(v, 90 * SECOND, 0, &err));
    assert_true(mb_virtual_peer(v, 0)->epoch->pass == pass);
    assert_true((uint64_t)mb_virtual_tally(v, MB_TALLY_FRAMES) - frames <= 31 * 10);
    run_to_rest(v, 60);
    assert_true(mb_virtual_peer(v, 0)->epoch->pass > pass);
    assert_true(mb_virtual_peer(v, 0)->epoch->record.counter == epoch);
    check_one_answer(v, w, 0);
    mb_virtual_free(v);
}

/* A path of seven nodes and a leaf at its middle, the highest id, whose record wins at first: it has
 * one branch, of which halfway down would be beyond the middle. */
TEST(the_root_is_in_the_middle_of_the_longest_path)
{
    static const int32_t edges[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 3, 7};
    mesh_world          *w = mesh_make("path:n=8", 30);
    sums_seen            s;
    mb_virtual          *v;

    OK(mb_graph_from_edges(arena, 8, 7, edges, &w->net.g, &err));
    v = sum_network(w, &s, NULL, 0);
    run_to_rest(v, 60);
    assert_int_equal(mb_virtual_peer(v, 0)->epoch->record.proposer, 3);
    check_one_answer(v, w, 1);
    mb_virtual_free(v);
}

/* Numbers of a message up after the first L, of a network that has come to rest at phi. */
static size_t numbers_up(const mb_declared *d, int32_t *bits, double *phi)
{
    mesh_world *w = mesh_make("path:n=6", 30);
    mb_virtual *v;
    mb_peer    *p;
    mb_node     nd;
    size_t      n;

    w->genesis.declared = d; /* what is recorded has none */
    w->plan.algo = &mb_algo_sum;
    OK(mb_virtual_new(&w->opt, &v, &err));
    run_to_rest(v, 60);
    check_one_answer(v, w, 1);
    p = (mb_peer *)(uintptr_t)mb_virtual_peer(v, 5);
    *bits = mb_epoch_bits_(p);
    nd = mb_epoch_node_(p);
    n = mb_sum_numbers_(&nd, 1) - p->L;
    memcpy(phi, p->phi, p->L * sizeof *phi);
    mb_virtual_free(v);
    return n;
}

/* 180 rows of at most 20 in size: 2^8 and, of units of 1 or more, 2^10 leave 62 - 3 - 18 bits. */
TEST(declared_rows_and_ranges_make_two_words_one)
{
    enum { EXTRA = 4, BITS = 62 - 3 - 18, NUMBERS = 3 * (1 + 1 + 2 + 3 + 1) };
    static const double range[] = {-20, 20, -20, 20};
    const mb_declared   rows = {.rows = 180, .columns = 2};
    mb_declared         both = {.rows = 180, .columns = 2, .range = range};
    double              phi[2][NUMBERS];
    int32_t             bits;

    assert_in_range(numbers_up(&rows, &bits, phi[0]), EXTRA + 1, EXTRA + NUMBERS - 1);
    assert_in_range(numbers_up(&both, &bits, phi[0]), EXTRA, EXTRA);
    assert_in_range(bits, BITS - 4, BITS + 4);
    both.rows = (double)NAN;
    assert_in_range(numbers_up(&both, &bits, phi[1]), EXTRA + NUMBERS, EXTRA + NUMBERS);
    assert_in_range(bits, 62 + 20 - 2 * 3, 62 + 20);
    for (int l = 0; l < NUMBERS; l++)
        assert_near(phi[0][l], phi[1][l], 1e-10 * fmax(1, fabs(phi[1][l])));
}

/* The sum of a node alone waits for no child. */
TEST(a_node_alone_rests_from_sums)
{
    mb_event    event = {.at_us = 20 * SECOND, .kind = MB_EVENT_KILL, .a = 1};
    mesh_world *w = mesh_make("path:n=2", 30);
    sums_seen   s;
    mb_virtual *v = sum_network(w, &s, &event, 1);
    uint64_t    pass;

    OK(mb_virtual_run(v, 80 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    pass = mb_virtual_peer(v, 0)->epoch->pass;
    OK(mb_virtual_run(v, 100 * SECOND, 0, &err));
    assert_true(mb_virtual_peer(v, 0)->epoch->pass == pass);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

/* Every 250 ms a node dies, for half of that time; the first before all have settled. */
TEST(sums_do_not_settle_while_nodes_are_killed)
{
    enum { KILLS = 60 };
    mb_event    event[2 * KILLS];
    mesh_world *w = mesh_make("ring:n=6", 30);
    sums_seen   s;
    mb_virtual *v;

    for (int k = 0; k < KILLS; k++) {
        const int64_t at = SECOND / 8 + k * (SECOND / 4);

        event[2 * k] = (mb_event){.at_us = at, .kind = MB_EVENT_KILL, .a = (5 * k) % 6};
        event[2 * k + 1] =
            (mb_event){.at_us = at + SECOND / 8, .kind = MB_EVENT_START, .a = (5 * k) % 6};
    }
    w->opt.checkpoint_ticks = 10;
    v = sum_network(w, &s, event, 2 * KILLS);
    OK(mb_virtual_run(v, KILLS * (SECOND / 4), 0, &err));
    assert_int_equal(s.settled, 0);
    run_to_rest(v, 30);
    check_one_answer(v, w, 0);
    mb_virtual_free(v);
}

/* Should a node ever be in another pass than the others, the root finds that its own does not end. */
TEST(nodes_out_of_step_get_another_epoch)
{
    mesh_world *w = mesh_make("path:n=6", 30);
    sums_seen   s;
    mb_virtual *v = sum_network(w, &s, NULL, 0);
    mb_peer    *p;
    mb_node     nd;

    OK(mb_virtual_run(v, 1 * SECOND, 0, &err));
    p = (mb_peer *)(uintptr_t)mb_virtual_peer(v, 2);
    assert_int_equal(p->epoch->stage, MB_STAGE_RUNS_);
    nd = mb_epoch_node_(p);
    mb_sum_begin_(&nd, p->epoch->pass + 7);
    run_to_rest(v, 60);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

/* From the middle of the path and back: three hops each, which took a tick of 20 ms each. In a pass a
 * node ticks at most thrice for it: for the sum, for phi, and where both come at once too early. */
TEST(sums_are_sent_on_when_they_are_complete)
{
    mesh_world *w = mesh_make("path:n=6", 30);
    sums_seen   s;
    mb_virtual *v;
    int64_t     passes, ticks;

    w->opt.delay_us[0] = w->opt.delay_us[1] = 2000;
    v = sum_network(w, &s, NULL, 0);
    run_to_rest(v, 60);
    passes = (int64_t)mb_virtual_peer(v, 0)->epoch->pass;
    ticks = mb_virtual_now(v) / (SECOND / 50);
    assert_true(passes > 10);
    assert_true(ticks < 3 * passes);
    assert_true(mb_virtual_tally(v, MB_TALLY_TICKS) < 6 * (3 * passes + ticks + 20));
    check_one_answer(v, w, 1);
    mb_virtual_free(v);
}

/* All propose another epoch. */
static void leave_epoch(const mb_virtual *v)
{
    for (int32_t i = 0; i < 6; i++)
        mb_virtual_peer(v, i)->epoch->stage = MB_STAGE_NONE_;
}

/* A reset of one node is one of all: from the start block passes are as many as at first. Also where
 * the epoch of the reset is replaced before its first pass ends. */
TEST(sums_begin_again_where_a_node_is_reset)
{
    mesh_world    *w = mesh_make("path:n=6", 30);
    sums_seen      s;
    mb_virtual    *v = sum_network(w, &s, NULL, 0);
    const mb_peer *p;
    uint64_t       pass;

    run_to_rest(v, 60);
    pass = mb_virtual_peer(v, 0)->epoch->pass;
    mb_peer_reset_((mb_peer *)(uintptr_t)mb_virtual_peer(v, 2));
    do {
        OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 50, 0, &err));
        p = mb_virtual_peer(v, 2);
    } while (p->epoch->stage != MB_STAGE_RUNS_ || !p->epoch->seeds);
    assert_int_equal(p->epoch->pass, pass);
    leave_epoch(v);
    OK(mb_virtual_run(v, mb_virtual_now(v) + 5 * SECOND, 0, &err));
    run_to_rest(v, 60);
    assert_true(mb_virtual_peer(v, 0)->epoch->pass >= 2 * pass - 2);
    check_one_answer(v, w, 1);
    mb_virtual_free(v);
}

/* Rows far beyond the units of the start block, whose first passes only lower exponents. */
static mb_virtual *network_of_large_rows(sums_seen *s)
{
    mesh_world *w = mesh_make("ring:n=6", 30);

    for (int32_t k = 0; k < 2 * 6 * 30; k++)
        w->x[k] *= 3e5;
    w->opt.peer.n_nodes = 6;
    return sum_network(w, s, NULL, 0);
}

TEST(passes_that_only_lower_exponents_are_none_to_continue_from)
{
    sums_seen      s, t;
    mb_virtual    *v = network_of_large_rows(&s), *calm = network_of_large_rows(&t);
    const mb_peer *p;

    run_to_rest(calm, 60);
    do {
        OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 1000, 0, &err));
        p = mb_virtual_peer(v, 2);
    } while (!p->epoch || !p->epoch->pass);
    for (int32_t i = 0; i < 6; i++)
        assert_int_equal(mb_sum_begun_(mb_virtual_peer(v, i)->sum_memo), 0);
    leave_epoch(v);
    run_to_rest(v, 60);
    assert_int_equal(p->epoch->pass, mb_virtual_peer(calm, 5)->epoch->pass); /* from 1 again */
    assert_memory_equal(mb_virtual_peer(v, 0)->phi, mb_virtual_peer(calm, 0)->phi,
                        p->L * sizeof(double));
    mb_virtual_free(calm);
    mb_virtual_free(v);
}

static mb_status no_number(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                           double *logz, double *scratch, mb_err *why)
{
    (void)m, (void)phi, (void)rows, (void)s, (void)logz, (void)scratch;
    MB_FAIL(why, MB_E_NUMERIC, "a number is not finite");
}

/* Until it has one again. */
TEST(a_node_says_why_it_has_no_step)
{
    mesh_world         *w = mesh_make("path:n=6", 30);
    sums_seen           s;
    mb_virtual         *v = sum_network(w, &s, NULL, 0);
    const mb_model_ops *real;
    mb_model_ops        bad;
    mb_peer_status      is;
    mb_peer            *p;

    run_to_rest(v, 60);
    p = (mb_peer *)(uintptr_t)mb_virtual_peer(v, 2);
    real = p->model.ops;
    bad = *real;
    bad.stats = no_number;
    p->model.ops = &bad;
    p->life->event = 1;
    OK(mb_virtual_run(v, mb_virtual_now(v) + 5 * SECOND, 0, &err));
    mb_peer_look(p, 0, &is);
    assert_int_equal(is.verdict, MB_PEER_MOVING);
    assert_string_equal(is.message, "a number is not finite");
    p->model.ops = real;
    run_to_rest(v, 60);
    mb_peer_look(p, 0, &is);
    assert_string_equal(is.message, "");
    check_equal_bits(v, w);
    mb_virtual_free(v);
}

/* As another instruction set may round: each number is the next larger one. */
static const mb_model_ops *exact_ops;

static mb_status round_up(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                          double *logz, double *scratch, mb_err *why)
{
    const mb_status st = exact_ops->stats(m, phi, rows, s, logz, scratch, why);

    for (size_t l = 0; l < m->layout.len; l++)
        s[l] = nextafter(s[l], HUGE_VAL);
    *logz = nextafter(*logz, HUGE_VAL);
    return st;
}

/* phi of a ring whose node `other` rounds so (-1: none), another of which dies and returns. */
static void phi_of_ring(int32_t other, double *phi)
{
    mb_event     event[] = {{.at_us = SECOND / 2, .kind = MB_EVENT_KILL, .a = (other + 3) % 6},
                            {.at_us = SECOND, .kind = MB_EVENT_START, .a = (other + 3) % 6}};
    mesh_world  *w = mesh_make("ring:n=6", 30);
    sums_seen    s;
    mb_virtual  *v = sum_network(w, &s, event, 2);
    mb_model_ops ops;
    mb_peer     *p;

    OK(mb_virtual_run(v, SECOND / 50, 0, &err));
    p = (mb_peer *)(uintptr_t)mb_virtual_peer(v, other < 0 ? 0 : other);
    assert_true(p->life->run != 0 && p->epoch->pass == 0);
    exact_ops = p->model.ops;
    ops = *exact_ops;
    ops.stats = round_up;
    if (other >= 0)
        p->model.ops = &ops;
    run_to_rest(v, 60);
    check_one_answer(v, w, 0);
    assert_true(other < 0 || p->model.ops == &ops);
    memcpy(phi, p->phi, p->L * sizeof *phi);
    mb_virtual_free(v);
}

/* Whether it is the root or not: nodes take phi from the root, and sums are of integers. */
TEST(a_ring_in_which_one_node_rounds_differently_is_equal_to_the_bit)
{
    enum { NUMBERS = 3 * (1 + 1 + 2 + 3 + 1) };
    double same[NUMBERS], phi[NUMBERS];
    int    others = 0;

    phi_of_ring(-1, same);
    for (int32_t i = 0; i < 6; i++) {
        phi_of_ring(i, phi);
        others += memcmp(phi, same, sizeof phi) != 0;
        for (int l = 0; l < NUMBERS; l++)
            assert_near(phi[l], same[l], 1e-6 * fmax(1, fabs(same[l])));
    }
    assert_true(others > 3);
}

/* The part of an epoch with a message of pass 1 of neighbour 1, whose numbers are x. */
static unsigned char *put_sum(const mb_peer *p, unsigned char *at, uint64_t kind, double x)
{
    unsigned char *count = at, *from = at + 4;

    at = mb_put_u64_(from, 1); /* record and stage, as epoch_part.c has them */
    at = mb_put_u32_(at, 1);
    at = mb_put_u32_(at, 1);
    at = mb_put_u32_(at, MB_STAGE_RUNS_);
    at = mb_put_u16_(at, 0);
    at = mb_put_u16_(at, MB_CONTENT_SUM_);
    at = mb_put_u32_(at, 0);
    at = mb_put_u32_(at, 1);
    at = mb_put_u64_(at, 0);
    at = mb_put_u64_(at, 0);
    at = mb_put_f64_(at, 0);
    for (size_t k = 0; k < (kind == 1 ? 2 * p->L + 4 : p->L + 2); k++)
        at = k == p->L ? mb_put_u64_(at, 1024 + kind) : mb_put_f64_(at, x);
    (void)mb_put_u32_(count, (uint32_t)(at - from));
    return at;
}

/* A node that waits for a genesis hears a frame with it, whose vector is of ones. */
static int32_t hear_sum(mesh_world *w, mb_peer **out, uint64_t kind, double x)
{
    mb_peer_opt    o = {.plan = &w->plan, .incarnation = 1, .neighbours = 1, .rows = 5};
    mb_frame_      f = {.flags = MB_FRAME_HEARS_ | MB_FRAME_VECTOR_ | MB_FRAME_BLANK_,
                        .from = 1,
                        .incarnation = 1,
                        .tick = 1,
                        .parts = MB_FRAME_EPOCH_,
                        .degree = 1,
                        .kappa = 4,
                        .n_nodes = 2};
    unsigned char *frame, *at;
    mb_peer       *p;

    w->plan.algo = &mb_algo_sum;
    w->plan.from = MB_GENESIS_SUMS;
    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_peer_link(p, 1, &err));
    OK(mb_peer_append(p, 0, w->opt.rows, NULL, &err));
    OK(mb_peer_tick(p, 20, &err));
    frame = mb_alloc(arena, mb_peer_frame_max(p), 1);
    at = frame + MB_FRAME_HEAD_;
    for (size_t k = 0; k < mb_peer_len_(p, 0); k++)
        at = mb_put_f64_(at, 1);
    at = put_sum(p, at, kind, x);
    f.plan = mb_plan_hash_(&w->plan);
    f.bytes = (uint32_t)(at - frame - MB_FRAME_HEAD_);
    *out = p;
    return mb_peer_hear(p, 30, -1, frame, mb_frame_seal_(&f, frame), &err);
}

/* Bits of a sum may be no number. */
TEST(words_of_a_sum_do_not_become_a_vector)
{
    mb_peer *p;

    assert_int_equal(hear_sum(mesh_make("path:n=2", 5), &p, 1, (double)NAN), 0);
    assert_true(p->z[0] >= 1 && p->z[0] <= 1);
}

/* 2: down, 8: exponents, by bits that are no more than any number needs. */
TEST(exponents_are_lowered_by_bits_that_can_be)
{
    mb_peer *p;

    assert_int_equal(hear_sum(mesh_make("path:n=2", 5), &p, 2 + 8, 16), 0);
    assert_int_equal(hear_sum(mesh_make("path:n=2", 5), &p, 2, 1e100), 0);
    assert_int_equal(hear_sum(mesh_make("path:n=2", 5), &p, 2 + 8, 1e100), MB_REFUSED_VALUE);
    assert_int_equal(hear_sum(mesh_make("path:n=2", 5), &p, 2 + 8, -8), MB_REFUSED_VALUE);
    p->sum_aux[6 * p->sum_len] = (double)NAN; /* as a checkpoint may have it */
    assert_true(mb_epoch_bits_(p) > 0);
}

static const char *no_name(const void *self, int32_t id)
{
    (void)self, (void)id;
    return NULL;
}

static const char *status_of(const mb_peer *p)
{
    mb_json_out j;
    char       *text;
    size_t      n;

    mb_json_begin(&j, arena, &err);
    mb_json_object(&j, NULL);
    mb_peer_status_json(p, 0, no_name, NULL, NULL, &j);
    OK(mb_json_end(&j, &text, &n));
    return text;
}

TEST(a_status_names_the_root_once_there_is_an_epoch)
{
    mb_peer    *p;
    sums_seen   s;
    mb_virtual *v = sum_network(mesh_make("path:n=2", 30), &s, NULL, 0);

    assert_int_equal(hear_sum(mesh_make("path:n=2", 5), &p, 1, 1), 0);
    assert_non_null(strstr(status_of(p), "\"epoch\": 0"));
    assert_null(strstr(status_of(p), "\"root\""));
    run_to_rest(v, 60);
    assert_non_null(strstr(status_of(mb_virtual_peer(v, 0)), "\"root\": \"1\""));
    mb_virtual_free(v);
}

/* A state of version 1 ends before the guard, behind which the epoch is: bytes that follow are others'. */
TEST(a_checkpoint_of_version_1_has_no_epoch)
{
    mesh_world    *w = mesh_make("path:n=2", 30);
    sums_seen      s;
    mb_virtual    *v = sum_network(w, &s, NULL, 0);
    const uint64_t head = 72, version = 1;
    const mb_peer *p;
    mb_peer_opt    o;
    mb_peer       *next;
    unsigned char *saved;
    uint64_t       bytes;
    uint32_t       crc;

    run_to_rest(v, 60);
    p = mb_virtual_peer(v, 0);
    o = p->opt;
    o.incarnation++;
    bytes = (uint64_t)((unsigned char *)p->guard - p->block);
    saved = mb_alloc(arena, mb_peer_saved(p), 1);
    OK(mb_peer_save(p, saved, mb_peer_saved(p), &err));
    memset(saved + head + bytes, 0xff, p->bytes - bytes);
    memcpy(saved + 8, &version, sizeof version);
    memcpy(saved + 16, &bytes, sizeof bytes);
    crc = mb_crc32c_(saved, head + bytes);
    memcpy(saved + head + bytes, &crc, sizeof crc);
    OK(mb_peer_new(arena, &o, &next, &err));
    OK(mb_peer_load(next, saved, head + bytes + sizeof crc, &err));
    OK(mb_peer_tick(next, 20, &err));
    mb_virtual_free(v);
}

TEST(sums_are_sent_as_they_are)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_peer_opt o = {.plan = &w->plan, .incarnation = 1, .wire = MB_WIRE_FLOAT16};
    mb_peer    *p;

    w->plan.algo = &mb_algo_sum;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_NOSUP);
    assert_string_equal(err.msg, "wire: sum sends integers, not differences; use float64");
    o.wire = MB_WIRE_CHANGES;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_NOSUP);
    o.wire = MB_WIRE_FLOAT64;
    OK(mb_peer_new(arena, &o, &p, &err));
}

/* ---- a start of sums ---- */

static const double    low[] = {-30, -30}, high[] = {30, 30};
static const mb_bounds wide = {2, low, high};

/* A node without a block sends no row and no sum but those of epochs. */
static mb_status no_row_leaves(void *self, const mb_virtual *v, const mb_called *c, mb_err *why)
{
    const unsigned shows = MB_FRAME_VECTOR_ | MB_FRAME_OWN_ | MB_FRAME_SAMPLE_;
    mb_frame_      f;

    (void)v;
    if (c->call != MB_CALL_FRAME || !c->n)
        return MB_OK;
    assert_int_equal(mb_frame_open_(c->bytes, c->n, &f, why), MB_REFUSED_NONE);
    *(int64_t *)self += !f.run;
    assert_int_equal(f.flags & shows, 0);
    return MB_OK;
}

static mb_virtual *start_network(mesh_world *w, int64_t *frames, mb_event *event, int64_t n)
{
    const mb_virtual_watcher watch = {.self = frames, .every_us = SECOND, .call = no_row_leaves};
    mb_virtual              *v;

    *frames = 0;
    w->plan.algo = &mb_algo_sum;
    w->plan.from = MB_GENESIS_RANGES;
    w->plan.bounds = &wide;
    w->opt.genesis = NULL;
    w->opt.schedule = (mb_schedule){.n = n, .event = event};
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_watch(v, &watch, &err));
    return v;
}

/* The centres of the simulator for the same rows, bounds and seed, inside of which it draws them. */
static double *centres_of_simulator(const mesh_world *w)
{
    const mb_case_opt how = {.bounds = &wide};
    const mb_start    start = {.how = MB_INIT_RANGES, .seed = w->plan.seed};
    mb_centres        to = {.centres = mb_alloc(arena, 2 * SYN_K, sizeof(double))};
    mb_traffic        sent = {0};
    mb_table          table = w->c.table;
    mb_local_part     place;
    mb_case           c;

    OK(mb_place_make(arena, &w->net, NULL, &place, &err));
    OK(mb_case_make(arena, &place, &table, &mb_kind_gmm, &w->gmm, &how, &c, &err));
    OK(mb_case_centres(&c, &start, 0, arena, &to, &sent, &err));
    return to.centres;
}

TEST(a_start_of_sums_on_nodes_is_that_of_the_simulator_and_shows_no_row)
{
    mesh_world *w = mesh_make("ring:n=6", 30);
    int64_t     frames;
    mb_virtual *v = start_network(w, &frames, NULL, 0);
    double     *centres = centres_of_simulator(w);

    run_to_rest(v, 60);
    assert_true(frames > 0);
    for (int32_t i = 0; i < 6; i++) {
        const mb_genesis *g = mb_peer_block(mb_virtual_peer(v, i));

        assert_true(largest(g->start, centres, 2 * SYN_K) < 1e-9);
        assert_true(g->hash == mb_peer_block(mb_virtual_peer(v, 0))->hash);
    }
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    check_equal_bits(v, w);
    mb_virtual_free(v);
}

/* Half of the frames are lost, and nodes die during the start: what the others know of it
 * stays. */
TEST(a_start_of_sums_survives_deaths_and_loss)
{
    mb_event    event[] = {{.at_us = SECOND / 2, .kind = MB_EVENT_KILL, .a = 0},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_START, .a = 0},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_KILL, .a = 5},
                           {.at_us = 4 * SECOND, .kind = MB_EVENT_START, .a = 5}};
    mesh_world *w = mesh_make("ring:n=6", 30);
    int64_t     frames;
    mb_virtual *v;

    w->opt.loss = 0.3;
    v = start_network(w, &frames, event, 4);
    run_to_rest(v, 600);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    check_equal_bits(v, w);
    mb_virtual_free(v);
}

TEST(a_start_of_sums_that_cannot_be_is_refused_in_words)
{
    static const double    none[] = {30, 30};
    static const mb_bounds one = {1, low, high}, empty = {2, high, none};
    const double           out[] = {0, 31};
    const mb_rows          row = {.x = out, .n = 1, .d = 2, .ld = 2};
    mesh_world            *w = mesh_make("path:n=2", 5);
    mb_peer_opt            o = {.plan = &w->plan, .incarnation = 1, .rows = 4};
    mb_peer               *p;

    w->plan.algo = &mb_algo_sum;
    w->plan.from = MB_GENESIS_RANGES;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    assert_string_equal(err.msg, "genesis: ranges: got bounds of 0 columns; expected 2");
    w->plan.bounds = &one;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    w->plan.bounds = &empty;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "got bounds from 30 to 30 of column \"x1\""));
    w->plan.bounds = &wide;
    OK(mb_peer_new(arena, &o, &p, &err));
    assert_int_equal(mb_peer_append(p, 0, &row, NULL, &err), MB_E_NUMERIC);
    assert_string_equal(err.msg,
                        "row 0, column \"x2\": got 31; expected -30 to 30, the stated bounds");
    w->plan.algo = &mb_algo_edge;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_NOSUP);
    assert_string_equal(err.msg, "genesis: ranges makes exact sums; expected algorithm sum");
}

/* In units of the bounds the rows have no digits: nodes say so, as the simulator does. */
TEST(bounds_that_are_far_too_wide_are_said_and_no_block_is_made_of_them)
{
    static const double    down[] = {-1e12, -30}, up[] = {1e12, 30};
    static const mb_bounds far = {2, down, up};
    mesh_world            *w = mesh_make("ring:n=6", 30);
    mb_peer_status         is;
    int32_t                said = 0;
    mb_virtual            *v;

    w->plan.algo = &mb_algo_sum;
    w->plan.from = MB_GENESIS_RANGES;
    w->plan.bounds = &far;
    w->opt.genesis = NULL;
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, 60 * SECOND, 0, &err));
    for (int32_t i = 0; i < 6; i++) {
        assert_null(mb_peer_block(mb_virtual_peer(v, i)));
        mb_peer_look(mb_virtual_peer(v, i), 0, &is);
        said += strstr(is.message, "column \"x1\": got bounds from -1e+12 to 1e+12") != NULL;
    }
    assert_true(said > 0);
    mb_virtual_free(v);
}

TEST(a_genesis_that_shows_rows_is_refused_with_masks)
{
    for (int from = MB_GENESIS_GIVEN; from <= MB_GENESIS_RANGES; from++) {
        const int shows = from == MB_GENESIS_SAMPLE || from == MB_GENESIS_SUMS;

        OK(mb_genesis_bears_masks_((mb_genesis_from)from, 0, &err));
        assert_int_equal(mb_genesis_bears_masks_((mb_genesis_from)from, 1, &err),
                         shows ? MB_E_NOSUP : MB_OK);
    }
    assert_int_equal(mb_genesis_bears_masks_(MB_GENESIS_SUMS, 1, &err), MB_E_NOSUP);
    assert_string_equal(err.msg,
                        "mask: a genesis from sums shows rows to all nodes, which masks do "
                        "not hide; expected a genesis file, with a block or with bounds");
}

TEST(other_bounds_are_another_plan)
{
    static const double    farther[] = {-30, -31};
    static const mb_bounds other = {2, farther, high};
    mb_plan                plan = mesh_make("path:n=2", 5)->plan;
    uint64_t               hash;

    plan.algo = &mb_algo_sum;
    plan.from = MB_GENESIS_RANGES;
    plan.bounds = &wide;
    hash = mb_plan_hash_(&plan);
    plan.bounds = &other;
    assert_true(mb_plan_hash_(&plan) != hash);
}

RUN_TESTS(arena_up, arena_down)
