/* Nodes that mask their sums: the same bits as without, nothing in the open, nothing without a member. */
#include "mesh/frame.h"
#include "mesh/guarded.h"
#include "mesh/state.h"
#include "mesh_world.h"
#include "test.h"
#include "virtual/inside.h"

#include <math.h>

enum { SECOND = 1000000, NODES = 5 };

/* The genesis lists all nodes with their rows and links. */
static void declare(mesh_world *w)
{
    mb_declared *d = mb_alloc(arena, 1, sizeof *d);
    mb_member   *member = mb_alloc(arena, (size_t)w->net.n, sizeof *member);

    for (int32_t i = 0; i < w->net.n; i++)
        member[i] = (mb_member){.id = i, .rows = (double)w->opt.rows[i].n};
    *d = (mb_declared){.rows = (double)w->net.n * w->per_node,
                       .columns = 2,
                       .members = w->net.n,
                       .member = member,
                       .links = w->net.g,
                       .mask = 1};
    d->hash = mb_declared_hash_(d);
    w->genesis.declared = d;
}

static mesh_world *world(const char *topology, int masked)
{
    mesh_world *w = mesh_make(topology, 20);

    declare(w);
    w->plan.algo = &mb_algo_sum;
    w->plan.mask = masked ? w->genesis.declared->hash : 0;
    w->opt.peer.n_nodes = w->net.n;
    return w;
}

static mb_virtual *network(mesh_world *w, mb_event *event, int64_t n)
{
    mb_virtual *v;

    w->opt.schedule = (mb_schedule){.n = n, .event = event};
    OK(mb_virtual_new(&w->opt, &v, &err));
    return v;
}

static void run_to_rest(mb_virtual *v, int64_t seconds)
{
    OK(mb_virtual_run(v, mb_virtual_now(v) + seconds * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
}

static mb_peer *peer(const mb_virtual *v, int32_t i)
{
    return (mb_peer *)(uintptr_t)mb_virtual_peer(v, i);
}

static const char *message_of(const mb_virtual *v, int32_t i)
{
    static mb_peer_status is;

    mb_peer_look(mb_virtual_peer(v, i), 0, &is);
    return is.message;
}

static void check_equal_bits(const mb_virtual *v, const double *first, size_t L, int32_t but)
{
    for (int32_t i = 0; i < mb_virtual_options(v)->graph->n; i++)
        if (i != but)
            assert_memory_equal(mb_peer_phi(mb_virtual_peer(v, i)), first, L * sizeof *first);
}

/* No frame has a vector, or the numbers of its own. */
static mb_status nothing_open(void *self, const mb_virtual *v, const mb_called *c, mb_err *why)
{
    int64_t  *frames = self;
    mb_frame_ f;

    (void)v, (void)why;
    if (c->call != MB_CALL_FRAME || !c->n)
        return MB_OK;
    assert_int_equal(mb_frame_open_(c->bytes, c->n, &f, NULL), 0);
    assert_false(f.flags & (MB_FRAME_VECTOR_ | MB_FRAME_OWN_ | MB_FRAME_SAMPLE_));
    ++*frames;
    return MB_OK;
}

/* Words of the node's sum that two networks have in common, but for the tag and what was heard. */
static int common(const mb_peer *a, const mb_peer *b)
{
    const size_t n = 2 * a->sum_len, words = 3 * a->sum_len;
    int          same = 0;

    for (size_t l = 0; l < n; l++)
        same += mb_word(a->sum_aux + words, l) &&
                mb_word(a->sum_aux + words, l) == mb_word(b->sum_aux + words, l);
    return same;
}

TEST(masked_sums_have_the_bits_of_open_ones_and_no_word_of_them)
{
    int64_t                  frames = 0;
    const mb_virtual_watcher watch = {.self = &frames, .every_us = SECOND, .call = nothing_open};
    mesh_world              *w = world("path:n=5", 1);
    mb_virtual *open = network(world("path:n=5", 0), NULL, 0), *v = network(w, NULL, 0);

    OK(mb_virtual_watch(v, &watch, &err));
    run_to_rest(open, 60);
    run_to_rest(v, 60);
    assert_true(frames > 100);
    assert_int_equal(mesh_check(w, v, 1, 1e-6), 1);
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(open, 0)), w->genesis.len, -1);
    assert_true(peer(v, 0)->epoch->pass == peer(open, 0)->epoch->pass);
    assert_true(common(peer(open, 0), peer(open, 0)) > 10);
    for (int32_t i = 0; i < NODES; i++)
        if (peer(v, i)->epoch->parent >= 0)
            assert_int_equal(common(peer(v, i), peer(open, i)), 0);
    mb_virtual_free(open);
    mb_virtual_free(v);
}

/* Frames lost, nodes that die and return with old checkpoints and without, a link cut, clocks that jump:
 * the network itself would end where one mask served two contributions. */
TEST(no_mask_serves_twice_whatever_dies_and_returns)
{
    mb_event    event[] = {{.at_us = SECOND, .kind = MB_EVENT_KILL, .a = 2},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_START, .a = 2},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_CUT, .a = 0, .b = 1},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_WIPE, .a = 1},
                           {.at_us = 4 * SECOND, .kind = MB_EVENT_START, .a = 1},
                           {.at_us = 5 * SECOND, .kind = MB_EVENT_CLOCK, .a = 3, .x = 7200},
                           {.at_us = 6 * SECOND, .kind = MB_EVENT_HEAL, .a = 0, .b = 1},
                           {.at_us = 7 * SECOND, .kind = MB_EVENT_PAUSE, .a = 4, .x = 3},
                           {.at_us = 30 * SECOND, .kind = MB_EVENT_KILL, .a = 0},
                           {.at_us = 31 * SECOND, .kind = MB_EVENT_START, .a = 0}};
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v;

    w->opt.loss = 0.3;
    w->opt.reorder = 0.1;
    w->opt.duplicate = 0.1;
    w->opt.speed[0] = 1;
    w->opt.speed[1] = 3;
    w->opt.delay_us[1] = 50000;
    w->opt.checkpoint_ticks = 20;
    v = network(w, event, sizeof event / sizeof *event);
    run_to_rest(v, 600);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(v, 0)), w->genesis.len, -1);
    mb_virtual_free(v);
}

/* What masks leave to be checked: a total that rows within the declared range cannot have. */
TEST(a_total_that_rows_cannot_have_is_reported)
{
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v = network(w, NULL, 0);

    run_to_rest(v, 60);
    assert_string_equal(message_of(v, 0), "");
    for (size_t l = 0; l < w->genesis.len; l++)
        peer(v, 0)->bound[l] *= 1e-12;
    OK(mb_virtual_run(v, mb_virtual_now(v) + 5 * SECOND, 0, &err));
    assert_string_equal(message_of(v, 0),
                        "finds totals that no rows within what is declared can have");
    assert_false(mb_virtual_settled(v));
    mb_virtual_free(v);
}

static const double    low[] = {-30, -30}, high[] = {30, 30};
static const mb_bounds wide = {2, low, high};

/* Without a block: what is declared says who takes part, and nodes make a start within bounds. */
static mesh_world *start_world(const char *topology, int masked, double loss)
{
    mesh_world *w = world(topology, masked);

    w->opt.peer.declared = w->genesis.declared;
    w->opt.genesis = NULL;
    w->opt.loss = loss;
    w->plan.from = MB_GENESIS_RANGES;
    w->plan.bounds = &wide;
    return w;
}

static mb_virtual *start_network(int masked, mb_event *event, int64_t n, double loss)
{
    return network(start_world("ring:n=5", masked, loss), event, n);
}

/* The start has some 40 passes before there is a block; none is open, and each has a mask of its own,
 * or the network itself would end. */
TEST(nodes_make_a_start_of_masked_sums_with_the_bits_of_open_ones)
{
    int64_t                  frames = 0;
    const mb_virtual_watcher watch = {.self = &frames, .every_us = SECOND, .call = nothing_open};
    mb_virtual              *open = start_network(0, NULL, 0, 0), *v = start_network(1, NULL, 0, 0);
    size_t                   len;

    OK(mb_virtual_watch(v, &watch, &err));
    run_to_rest(open, 60);
    run_to_rest(v, 60);
    assert_true(frames > 100);
    len = mb_peer_block(mb_virtual_peer(v, 0))->len;
    for (int32_t i = 0; i < NODES; i++)
        assert_memory_equal(mb_peer_block(mb_virtual_peer(v, i))->start,
                            mb_peer_block(mb_virtual_peer(open, i))->start,
                            mb_peer_block(mb_virtual_peer(v, i))->start_len * sizeof(double));
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(open, 0)), len, -1);
    mb_virtual_free(open);
    mb_virtual_free(v);
}

/* It waits for who dies, too, and no mask serves two contributions. */
TEST(a_masked_start_survives_deaths_and_loss)
{
    mb_event    event[] = {{.at_us = SECOND / 2, .kind = MB_EVENT_KILL, .a = 0},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_START, .a = 0},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_WIPE, .a = 4},
                           {.at_us = 4 * SECOND, .kind = MB_EVENT_START, .a = 4}};
    mb_virtual *v = start_network(1, event, 4, .3);

    run_to_rest(v, 600);
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(v, 0)),
                     mb_peer_block(mb_virtual_peer(v, 0))->len, -1);
    mb_virtual_free(v);
}

/* The host refuses the masks of node 2 for a time: no node has a total, node 2 says why, and what
 * follows continues. */
static int32_t (*add_of_network)(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n,
                                 double *w);
static int32_t refusing, refusals;

static int32_t add_or_refuse(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n,
                             double *w)
{
    if (id != 2 || !refusing)
        return add_of_network(self, id, epoch, pass, n, w);
    refusals++;
    return 0;
}

TEST(a_contribution_whose_mask_is_refused_does_not_leave)
{
    mesh_world *w = world("path:n=5", 1);
    mb_virtual *v = network(w, NULL, 0);
    uint64_t    pass;

    add_of_network = v->mask[0].by.add;
    for (int32_t i = 0; i < NODES; i++)
        v->mask[i].by.add = add_or_refuse;
    refusing = refusals = 0;
    do
        OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 50, 0, &err));
    while (mb_virtual_now(v) < 60 * SECOND && peer(v, 0)->epoch->pass < 5);
    refusing = 1;
    OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 2, 0, &err));
    pass = peer(v, 2)->epoch->pass;
    OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND, 0, &err));
    assert_true(refusals > 0);
    assert_true(peer(v, 2)->epoch->pass == pass);
    for (size_t l = 0; l < 2 * peer(v, 2)->sum_len; l++)
        assert_true(!mb_word(peer(v, 2)->sum_aux + 3 * peer(v, 2)->sum_len, l));
    assert_string_equal(message_of(v, 2), "would use a mask twice, with other numbers: it sends "
                                          "nothing until the next record");
    refusing = 0;
    run_to_rest(v, 60);
    assert_int_equal(mesh_check(w, v, 1, 1e-6), 1);
    assert_string_equal(message_of(v, 2), "");
    mb_virtual_free(v);
}

/* Node 2 adds this number of times what its rows make, before it is masked, after this pass: of all words,
 * or of these. */
static int32_t        lying;
static uint64_t       lied_from;
static const uint8_t *lied_of;

static int32_t add_or_lie(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n,
                          double *w)
{
    for (size_t l = 0; lying && id == 2 && pass > lied_from && l < n; l++)
        if (!lied_of || lied_of[l])
            mb_set_word(w, l, (uint64_t)lying * mb_word(w, l));
    return add_of_network(self, id, epoch, pass, n, w);
}

static int32_t root_of(const mb_virtual *v);

/* While node 2 lies, from pass `from` on, no total makes a phi, and all nodes say why; then all settle. */
static void expect_no_phi_of_a_lie(mb_virtual *v, uint64_t from, int32_t times, const char *text)
{
    uint64_t pass;

    add_of_network = v->mask[0].by.add;
    for (int32_t i = 0; i < NODES; i++)
        v->mask[i].by.add = add_or_lie;
    lying = times;
    lied_from = from;
    OK(mb_virtual_run(v, mb_virtual_now(v) + 2 * SECOND, 0, &err));
    pass = peer(v, root_of(v))->epoch->pass;
    for (int t = 0; t < 40; t++) {
        OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 2, 0, &err));
        assert_false(mb_virtual_settled(v));
        assert_true(peer(v, root_of(v))->epoch->pass == pass);
    }
    for (int32_t i = 0; i < NODES; i++)
        if (i == root_of(v))
            assert_ptr_equal(strstr(message_of(v, i), text), message_of(v, i));
        else
            assert_string_equal(message_of(v, i), "waits: the root of the sums has a total that no "
                                                  "rows as declared have");
    lying = 0;
    run_to_rest(v, 60);
    for (int32_t i = 0; i < NODES; i++)
        assert_string_equal(message_of(v, i), "");
}

static const char twice[] = "waits: the sums of this pass say 120 rows, the members declared 100";

TEST(a_masked_total_of_other_rows_than_declared_makes_no_phi)
{
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v = network(w, NULL, 0);

    lied_of = NULL;
    expect_no_phi_of_a_lie(v, 4, 2, twice);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

/* A lie may leave nothing of the rows of all. */
TEST(a_masked_total_of_no_rows_is_none_either)
{
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v = network(w, NULL, 0);
    double     *nothing = mb_alloc(arena, w->genesis.len, sizeof *nothing);

    run_to_rest(v, 60);
    assert_int_equal(mb_audit_sum_fits_(peer(v, 0), -1, peer(v, 0)->sum_own_most, &err), 0);
    assert_int_equal(mb_audit_sum_fits_(peer(v, 0), -1, nothing, &err), 0);
    assert_non_null(strstr(err.msg, "say 0 rows, the members declared 100"));
    mb_virtual_free(v);
}

/* Sums of a column, of which each alone could be of some rows of the range, but not of those that count in
 * it; with bounds that are stated the range is known. */
TEST(a_masked_total_whose_means_are_out_of_the_range_makes_no_phi)
{
    mesh_world *w = start_world("ring:n=5", 1, 0);
    mb_virtual *v = network(w, NULL, 0);
    uint8_t    *of;

    do
        OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 100, 0, &err));
    while (mb_virtual_now(v) < 60 * SECOND && !mb_peer_block(peer(v, 2)));
    of = mb_alloc(arena, 4 * peer(v, 2)->L, 1);
    for (size_t l = 0; l < peer(v, 2)->L; l++)
        of[l] = peer(v, 2)->entry[l].kind == MB_ENTRY_FIRST;
    lied_of = of;
    expect_no_phi_of_a_lie(v, 0, 60, "waits: sums of this pass: sum of ");
    lied_of = NULL;
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

/* A start from pass `from` on with a lie about these numbers; then it ends as if there had been none. */
static void expect_an_honest_start(uint64_t from, const uint8_t *of, int32_t times,
                                   const char *text)
{
    mb_virtual *honest = start_network(1, NULL, 0, 0), *v = start_network(1, NULL, 0, 0);
    size_t      len;

    run_to_rest(honest, 60);
    lied_of = of;
    expect_no_phi_of_a_lie(v, from, times, text);
    lied_of = NULL;
    len = mb_peer_block(mb_virtual_peer(v, 0))->len;
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(honest, 0)), len, -1);
    mb_virtual_free(v);
    mb_virtual_free(honest);
}

/* Its first sums, and those of its clusters, count rows; sums and squares have bounds. */
TEST(a_masked_start_makes_nothing_of_a_total_that_no_rows_have)
{
    static const uint8_t values[200] = {0, 1, 1}, squares[200] = {1};

    expect_an_honest_start(0, NULL, 2, twice);
    expect_an_honest_start(7, NULL, 2, twice);
    expect_an_honest_start(0, values, 100000, "waits: sums of this pass: number ");
    expect_an_honest_start(1, squares, 100000, "waits: sums of this pass: number 1: got ");
}

static mb_taking taking(const mb_virtual *v, int32_t i, int32_t k)
{
    int64_t since;

    return mb_peer_taking(mb_virtual_peer(v, i), k, &since);
}

static int32_t root_of(const mb_virtual *v)
{
    mb_peer_masking is;

    for (int32_t i = 0; i < NODES; i++)
        if (mb_virtual_peer(v, i)) {
            mb_peer_masking_of(mb_virtual_peer(v, i), &is);
            if (is.root)
                return i;
        }
    return -1;
}

/* All others wait for who is gone, and make no pass, until the operator at the root says to continue. */
TEST(a_missing_member_is_waited_for_until_it_is_left_out)
{
    mb_event    event[] = {{.at_us = 60 * SECOND, .kind = MB_EVENT_KILL, .a = 3},
                           {.at_us = 200 * SECOND, .kind = MB_EVENT_START, .a = 3}};
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v;
    uint64_t    pass;
    int32_t     root, other;

    w->opt.checkpoint_ticks = 20;
    v = network(w, event, 2);
    OK(mb_virtual_run(v, 59 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    pass = peer(v, 0)->epoch->pass;
    OK(mb_virtual_run(v, 100 * SECOND, 0, &err));
    root = root_of(v);
    other = root ? 0 : 1;
    for (int32_t i = 0; i < NODES; i++)
        if (i != 3)
            assert_true(peer(v, i)->epoch->pass == pass && mb_peer_waits_(peer(v, i)));
    assert_ptr_equal(strstr(message_of(v, root), "waits for member 3, missing since "),
                     message_of(v, root));
    assert_non_null(strstr(message_of(v, other), "the root of the sums, knows of every member"));
    assert_int_equal(taking(v, root, 3), MB_MISSING);
    assert_int_equal(mb_peer_without(peer(v, other), 3, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "is the root of the sums"));
    assert_int_equal(mb_peer_without(peer(v, root), other, &err), MB_E_ARG);
    OK(mb_peer_without(peer(v, root), 3, &err));
    OK(mb_virtual_run(v, 150 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(v, 0)), w->genesis.len, 3);
    for (int32_t i = 0; i < NODES; i++)
        if (i != 3)
            assert_int_equal(taking(v, i, 3), MB_LEFT_OUT);
    assert_true(peer(v, 0)->epoch->pass > pass && !mb_peer_waits_(peer(v, 0)));
    run_to_rest(v, 200);
    for (int32_t i = 0; i < NODES; i++)
        assert_int_equal(taking(v, i, 3), MB_TAKES_PART);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

/* Of a start that was made without node 4: of how many nodes the states are that node 4 has had since it
 * is back; places as in start.c. */
static int32_t had[NODES + 1], had_as_root;

static mb_status look_at_state(void *self, const mb_virtual *v, const mb_called *c, mb_err *why)
{
    enum { OF = 2 };
    const mb_peer *p = c->peer;

    (void)self, (void)v, (void)why;
    if (c->call != MB_CALL_TICK || !p || p->opt.id != 4 || p->life->run)
        return MB_OK;
    had[(int)p->phi[OF]]++;
    had[p->epoch->best > p->epoch->pass ? (int)p->sum_best[OF] : 0]++;
    had_as_root += p->epoch->parent < 0 && p->epoch->stage == MB_STAGE_RUNS_;
    return MB_OK;
}

static void run_until_pass(mb_virtual *v, uint64_t pass)
{
    while (mb_virtual_now(v) < 60 * SECOND && peer(v, root_of(v))->epoch->pass < pass)
        OK(mb_virtual_run(v, mb_virtual_now(v) + SECOND / 200, 0, &err));
}

/* Node 4 comes to a start that was made without it up to a pass. */
static void expect_nothing_old(const char *topology, uint64_t pass)
{
    static const mb_virtual_watcher look = {.every_us = SECOND, .call = look_at_state};
    mb_event                        gone[] = {{.kind = MB_EVENT_WIPE, .a = 4}};
    const mb_event                  back = {.kind = MB_EVENT_START, .a = 4};
    mesh_world                     *w = start_world(topology, 1, 0);
    mb_virtual                     *honest = start_network(1, NULL, 0, 0), *v;

    run_to_rest(honest, 60);
    w->opt.peer.n_nodes = 0;
    v = network(w, gone, 1);
    OK(mb_virtual_watch(v, &look, &err));
    OK(mb_virtual_run(v, 3 * SECOND, 0, &err));
    OK(mb_peer_without(peer(v, root_of(v)), 4, &err));
    run_until_pass(v, pass);
    assert_null(mb_peer_block(peer(v, root_of(v))));
    OK(mb_virtual_happen(v, &back, &err));
    run_to_rest(v, 60);
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(honest, 0)),
                     mb_peer_block(mb_virtual_peer(v, 0))->len, -1);
    mb_virtual_free(v);
    mb_virtual_free(honest);
}

/* Moments of the others less those of all but itself would be a member that came with it. */
TEST(who_comes_to_a_masked_start_is_told_no_sums_of_before)
{
    for (int leaf = 0; leaf < 2; leaf++) {
        memset(had, 0, sizeof had);
        had_as_root = 0;
        for (uint64_t pass = 1; pass <= 31; pass += 6)
            expect_nothing_old(leaf ? "path:n=5" : "ring:n=5", pass);
        for (int32_t n = 1; n < NODES; n++)
            assert_int_equal(had[n], 0);
        assert_true(had[NODES] > 0);
        assert_true(leaf ? !had_as_root : had_as_root > 0);
    }
}

/* Two of five are fewer than the rest: neither part makes a pass. */
TEST(parts_of_a_network_send_nothing)
{
    static const int32_t two[] = {0, 1};
    mb_event             event[] = {
                    {.at_us = 2 * SECOND / 10, .kind = MB_EVENT_PARTITION, .nset = 2, .set = two},
                    {.at_us = 100 * SECOND, .kind = MB_EVENT_REJOIN}};
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v = network(w, event, 2);
    uint64_t    pass[NODES];
    int32_t     root;

    OK(mb_virtual_run(v, 50 * SECOND, 0, &err));
    for (int32_t i = 0; i < NODES; i++) {
        pass[i] = peer(v, i)->epoch->pass;
        assert_int_not_equal(peer(v, i)->epoch->stage, MB_STAGE_RUNS_);
    }
    OK(mb_virtual_run(v, 90 * SECOND, 0, &err));
    for (int32_t i = 0; i < NODES; i++)
        assert_true(peer(v, i)->epoch->pass == pass[i]);
    root = root_of(v);
    OK(mb_peer_without(peer(v, root), 4, &err));
    assert_int_equal(mb_peer_without(peer(v, root), 4, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "left out already"));
    assert_int_equal(mb_peer_without(peer(v, root), 3, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "fewer than two thirds"));
    run_to_rest(v, 100);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

/* Of eight members six may be left, and with five a record does not begin, whoever the root leaves out. */
TEST(fewer_than_two_thirds_of_the_members_send_nothing)
{
    static const int32_t half[] = {0, 1, 2, 3};
    mb_event event[] = {{.at_us = SECOND / 5, .kind = MB_EVENT_PARTITION, .nset = 4, .set = half}};
    mesh_world   *w = world("ring:n=8", 1);
    mb_virtual   *v = network(w, event, 1);
    unsigned char list[8 * MB_PARTICIPANT_];
    mb_peer      *root;

    OK(mb_virtual_run(v, 20 * SECOND, 0, &err));
    root = peer(v, root_of(v));
    assert_int_equal(mb_peer_without(root, 17, &err), MB_E_ARG);
    OK(mb_peer_without(root, 7, &err));
    OK(mb_peer_without(root, 6, &err));
    assert_int_equal(mb_peer_without(root, 5, &err), MB_E_ARG);
    assert_non_null(
        strstr(err.msg, "5 of 8 members would be left, which is fewer than two thirds"));
    assert_int_equal((mb_participants_put_(root, list) - list) / MB_PARTICIPANT_, 4);
    assert_int_equal(mb_participants_begin_(root, list, 4), 0);
    assert_non_null(strstr(root->mask_text, "fewer than two thirds of the members"));
    mb_virtual_free(v);
}

static mb_status no_bytes(void *self, void *to, size_t n, mb_err *why)
{
    (void)self, (void)to, (void)n;
    MB_FAIL(why, MB_E_IO, "none");
}

static mb_status no_record(void *self, int32_t id, const void *record, size_t n,
                           const int32_t *partner, int32_t partners, mb_err *why)
{
    (void)self, (void)id, (void)record, (void)n, (void)partner, (void)partners;
    MB_FAIL(why, MB_E_IO, "none");
}

static int32_t add_nothing(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n,
                           double *w)
{
    (void)self, (void)id, (void)epoch, (void)pass, (void)n, (void)w;
    return 1;
}

static const mb_masks none = {.add = add_nothing, .random = no_bytes, .begin = no_record};

static void check_refused(mesh_world *w, const mb_peer_opt *o, mb_status st, const char *text)
{
    mb_peer *p;

    (void)w;
    assert_int_equal(mb_peer_new(arena, o, &p, &err), st);
    if (!strstr(err.msg, text))
        fail_msg("%s: %s", text, err.msg);
}

TEST(masks_are_refused_where_they_hide_nothing)
{
    mesh_world *w = world("ring:n=5", 1);
    mb_declared two = *w->genesis.declared;
    mb_peer_opt good = {.plan = &w->plan,
                        .incarnation = 1,
                        .rows = 20,
                        .declared = w->genesis.declared,
                        .masks = &none},
                o = good;
    mb_peer *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    two.members = 2;
    o.declared = &two;
    check_refused(w, &o, MB_E_ARG, "lists 2 members; expected 3 or more");
    o.declared = NULL;
    check_refused(w, &o, MB_E_ARG, "lists 0 members");
    o = good;
    o.id = 9;
    check_refused(w, &o, MB_E_ARG, "node 9 is no member");
    o = good;
    o.masks = NULL;
    check_refused(w, &o, MB_E_ARG, "no masks from the host");
    o = good;
    o.window_rows = 5;
    check_refused(w, &o, MB_E_NOSUP, "no window");
    w->plan.algo = &mb_algo_edge;
    check_refused(w, &good, MB_E_NOSUP, "edge sends what cannot be masked; use sum");
    w->plan.algo = &mb_algo_sum;
    for (int from = MB_GENESIS_SAMPLE; from <= MB_GENESIS_SUMS; from++) {
        w->plan.from = (mb_genesis_from)from;
        check_refused(w, &good, MB_E_NOSUP, "expected a genesis file");
    }
}

/* Rows that come, change or leave would be shown by the totals. */
TEST(rows_of_a_node_with_masks_are_fixed)
{
    mesh_world   *w = world("ring:n=5", 1);
    mb_virtual   *v = network(w, NULL, 0);
    const mb_rows more = {.x = w->x, .n = 1, .d = 2, .ld = 2}, less = {.d = 2, .ld = 2};

    OK(mb_virtual_run(v, SECOND, 0, &err));
    OK(mb_peer_append(peer(v, 0), 0, &less, NULL, &err));
    assert_int_equal(mb_peer_append(peer(v, 0), 0, &more, NULL, &err), MB_E_NOSUP);
    assert_int_equal(mb_peer_replace(peer(v, 0), 0, 0, w->x, 1, &err), MB_E_NOSUP);
    assert_int_equal(mb_peer_remove(peer(v, 0), 0, &err), MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "with masks those of a node are fixed"));
    mb_virtual_free(v);
}

/* A node with other rows than the list has takes no part, and says why; so does one without chance. */
TEST(a_node_that_cannot_mask_sends_nothing_and_says_why)
{
    mesh_world *w = world("ring:n=5", 1);
    mb_virtual *v;

    ((mb_rows *)(uintptr_t)w->opt.rows)[2].n--;
    v = network(w, NULL, 0);
    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    assert_string_equal(message_of(v, 2),
                        "has other rows than the genesis declares of it, and sends nothing");
    for (int32_t i = 0; i < NODES; i++)
        assert_int_not_equal(peer(v, i)->epoch->stage, MB_STAGE_RUNS_);
    mb_virtual_free(v);
    v = network(world("ring:n=5", 1), NULL, 0);
    for (int32_t i = 0; i < NODES; i++)
        v->mask[i].by.random = no_bytes;
    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    assert_string_equal(message_of(v, 1), "has no random bytes, and sends nothing");
    mb_virtual_free(v);
    v = network(world("ring:n=5", 1), NULL, 0);
    for (int32_t i = 0; i < NODES; i++)
        v->mask[i].by.begin = no_record;
    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    assert_string_equal(message_of(v, root_of(v)), "cannot make masks, and sends nothing");
    for (int32_t i = 0; i < NODES; i++)
        assert_int_not_equal(peer(v, i)->epoch->stage, MB_STAGE_RUNS_);
    mb_virtual_free(v);
}

/* A life that has ended, a checkpoint and a root that repeats an old list have other bytes. */
TEST(a_record_begins_only_with_what_the_node_drew_for_it)
{
    mb_virtual   *v = network(world("ring:n=5", 1), NULL, 0);
    unsigned char list[NODES * MB_PARTICIPANT_];
    mb_peer      *p;

    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    p = peer(v, 1);
    assert_true(mb_participants_put_(p, list) == list + sizeof list);
    assert_int_equal(mb_participants_sound_(p, list, NODES, &p->epoch->record), 1);
    assert_int_equal(mb_participants_begin_(p, list, NODES), 1);
    list[MB_PARTICIPANT_ + 8] ^= 1; /* a byte that it drew */
    assert_int_equal(mb_participants_begin_(p, list, NODES), 0);
    list[MB_PARTICIPANT_ + 8] ^= 1;
    list[MB_PARTICIPANT_ + 4] ^= 2; /* its life */
    assert_int_equal(mb_participants_begin_(p, list, NODES), 0);
    list[MB_PARTICIPANT_ + 4] ^= 2;
    assert_int_equal(mb_participants_begin_(p, list, 1), 0); /* without it */
    assert_int_equal(mb_participants_begin_(p, list, NODES), 1);
    list[0] = 17; /* no member */
    assert_int_equal(mb_participants_sound_(p, list, NODES, &p->epoch->record), 0);
    mb_virtual_free(v);
}

/* A root that leaves a member out would see what it added, with the noise of one node alone. */
TEST(with_privacy_no_record_begins_without_a_member)
{
    static const mb_promise promise = {.epsilon = 1, .delta = 1e-5, .nodes = NODES, .colluders = 2};
    mb_virtual             *v = network(world("ring:n=5", 1), NULL, 0);
    unsigned char           list[NODES * MB_PARTICIPANT_];
    mb_peer                *p;

    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    p = peer(v, 1);
    assert_true(mb_participants_put_(p, list) == list + sizeof list);
    assert_int_equal(mb_participants_begin_(p, list, NODES - 1), 1);
    p->plan.privacy = &promise;
    assert_int_equal(mb_participants_begin_(p, list, NODES - 1), 0);
    assert_non_null(strstr(p->mask_text, "a record without all members"));
    assert_int_equal(mb_participants_begin_(p, list, NODES), 1);
    mb_virtual_free(v);
}

/* Of a release the number of rows has no noise, and no noise is a hundred times as large as it is drawn. */
TEST(a_release_of_other_rows_or_beyond_its_noise_is_no_total)
{
    static const mb_promise promise = {.epsilon = 1, .delta = 1e-5, .nodes = NODES, .colluders = 2};
    static const mb_declared declared = {.rows = 100, .members = NODES};
    enum { NUMBERS = 6 /* of (1, x, y) */, AT = 3 };
    int64_t    mine[NUMBERS] = {0};
    double     opt[64] = {0}, sums[2 * NUMBERS];
    mb_peer   *p = mb_alloc(arena, 1, sizeof *p);
    mb_privacy made;

    OK(mb_opt_defaults(mb_kind_linreg.opts, opt, &err));
    *p = (mb_peer){
        .plan = {.kind = &mb_kind_linreg, .kind_opt = opt, .columns = 2, .privacy = &promise},
        .opt = {.declared = &declared, .release = mine}};
    OK(mb_plan_privacy_(&p->plan, &made, &err));
    assert_int_equal(mb_release_numbers_(&p->plan), NUMBERS);
    mine[0] = 123 * llrint(1 / made.unit);
    mine[AT] = -llrint((200 + 90 * made.sd) / made.unit);
    mb_release_sums_(p, sums);
    assert_near(mb_release_rows_(p, sums), 123, 0);
    assert_int_equal(mb_release_far_(p, sums), -1);
    mine[AT] *= 10;
    mb_release_sums_(p, sums);
    assert_int_equal(mb_release_far_(p, sums), 2 * AT);
}

/* What a child says of the node itself, or of who came over another link, counts for nothing. */
TEST(nobody_is_in_two_lists)
{
    mb_virtual   *v = network(world("ring:n=5", 1), NULL, 0);
    unsigned char list[NODES * MB_PARTICIPANT_];
    mb_peer      *p;

    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    p = peer(v, 1);
    (void)mb_participants_put_(p, list);
    mb_participants_enter_(p);
    mb_participants_hear_(p, 0, list, 2); /* of nodes 0 and 1 */
    assert_int_equal(p->taking[0].life, 0);
    mb_participants_hear_(p, 0, list, 1);
    assert_int_equal(p->taking[0].life, 1);
    mb_participants_hear_(p, 1, list, 1);
    assert_int_equal(p->taking[0].via, p->link[0].id);
    mb_participants_drop_(p, 0);
    assert_int_equal(p->taking[0].life, 0);
    mb_virtual_free(v);
}

/* Masks, no masks and masks of other members are other plans, whose frames are refused with a message. */
TEST(masks_are_a_part_of_the_plan)
{
    mesh_world *w = world("ring:n=5", 1);
    mb_plan     open = w->plan, other = w->plan;
    char        words[401];
    size_t      n;

    open.mask = 0;
    other.mask++;
    assert_true(mb_plan_hash_(&open) != mb_plan_hash_(&w->plan));
    assert_true(mb_plan_hash_(&other) != mb_plan_hash_(&w->plan));
    n = mb_plan_words_(&w->plan, words, 400);
    assert_int_equal(mb_words_compare_(&open, words, n, &err), MB_E_PEER);
    assert_non_null(strstr(err.msg, "mask is not given here and of members "));
}

/* Of many nodes partners are those of the genesis's links and two each way: both ends say the same. */
TEST(partners_of_many_are_those_that_both_ends_know)
{
    mesh_world *w = world("star:n=20", 1);
    mb_virtual *v = network(w, NULL, 0);

    run_to_rest(v, 60);
    assert_int_equal(peer(v, 0)->partners, 19);
    for (int32_t i = 0; i < 20; i++)
        for (int32_t k = 0; k < peer(v, i)->partners; k++) {
            const mb_peer *to = peer(v, peer(v, i)->partner[k]);
            int            back = 0;

            for (int32_t l = 0; l < to->partners; l++)
                back += to->partner[l] == i;
            assert_int_equal(back, 1);
        }
    assert_in_range(peer(v, 10)->partners, 4, 5);
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(v, 0)), w->genesis.len, -1);
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)
