/* New rows of nodes that mask their sums: they wait until three nodes have enough of them, and no two
 * totals differ by the rows of fewer nodes, whatever dies and returns. */
#include "mesh/genesis.h"
#include "mesh/state.h"
#include "mesh_world.h"
#include "model/kind.h"
#include "test.h"
#include "virtual/inside.h"

#include <math.h>

enum { SECOND = 1000000, NODES = 5, BATCH = 10, MOST = 60 };

/* The genesis lists all nodes with the rows that they begin with. */
static mesh_world *world(int32_t batch)
{
    mesh_world  *w = mesh_make("ring:n=5", 20);
    mb_declared *d = mb_alloc(arena, 1, sizeof *d);
    mb_member   *member = mb_alloc(arena, NODES, sizeof *member);

    for (int32_t i = 0; i < NODES; i++)
        member[i] = (mb_member){.id = i, .rows = 20};
    *d = (mb_declared){.rows = 100,
                       .columns = 2,
                       .members = NODES,
                       .member = member,
                       .links = w->net.g,
                       .mask = 1,
                       .rows_batch = batch};
    d->hash = mb_declared_hash_(d);
    w->genesis.declared = d;
    w->plan.algo = &mb_algo_sum;
    w->plan.mask = d->hash;
    w->opt.peer.n_nodes = NODES;
    return w;
}

/* n rows more at node i. */
static mb_event rows_at(int64_t second, int32_t i, int32_t n)
{
    double  *x = mb_alloc(arena, (size_t)n * 2, sizeof *x);
    mb_rows *rows = mb_alloc(arena, 1, sizeof *rows);

    syn_rows((uint64_t)(100 + second), i, NODES, n, x);
    *rows = (mb_rows){.x = x, .n = n, .d = 2, .ld = 2};
    return (mb_event){.at_us = second * SECOND, .kind = MB_EVENT_ROWS, .a = i, .rows = rows};
}

static mb_virtual *network(mesh_world *w, mb_event *event, int64_t n)
{
    mb_virtual *v;

    w->opt.schedule = (mb_schedule){.n = n, .event = event};
    OK(mb_virtual_new(&w->opt, &v, &err));
    return v;
}

static mb_peer *peer(const mb_virtual *v, int32_t i)
{
    return (mb_peer *)(uintptr_t)mb_virtual_peer(v, i);
}

static mb_peer_status status_of(const mb_virtual *v, int32_t i)
{
    mb_peer_status is;

    mb_peer_look(mb_virtual_peer(v, i), 0, &is);
    return is;
}

static void check_equal_bits(const mb_virtual *v, const double *first, size_t L)
{
    for (int32_t i = 0; i < NODES; i++)
        assert_memory_equal(mb_peer_phi(mb_virtual_peer(v, i)), first, L * sizeof *first);
}

TEST(new_rows_wait_until_three_nodes_have_a_batch_and_enter_together)
{
    mb_event event[] = {rows_at(20, 0, BATCH), rows_at(20, 1, BATCH + 3), rows_at(20, 2, BATCH - 1),
                        rows_at(80, 2, 1)};
    mesh_world    *w = world(BATCH);
    mb_virtual    *v = network(w, event, 4);
    const size_t   L = w->genesis.len;
    double        *before = mb_alloc(arena, L, sizeof *before);
    mb_peer_status is;

    OK(mb_virtual_run(v, 19 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    memcpy(before, mb_peer_phi(mb_virtual_peer(v, 0)), L * sizeof *before);
    OK(mb_virtual_run(v, 79 * SECOND, 0, &err));
    check_equal_bits(v, before, L);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    is = status_of(v, 1);
    assert_int_equal(is.rows, 20);
    assert_int_equal(is.verdict, MB_PEER_SETTLED);
    assert_non_null(
        strstr(is.message, "has 13 new rows, which wait until 3 nodes have at least 10"));
    OK(mb_virtual_run(v, 140 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(status_of(v, 0).rows, 30);
    assert_int_equal(status_of(v, 1).rows, 33);
    assert_int_equal(status_of(v, 2).rows, 30);
    assert_int_equal(status_of(v, 3).rows, 20);
    assert_string_equal(status_of(v, 1).message, "");
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    check_equal_bits(v, mb_peer_phi(mb_virtual_peer(v, 0)), L);
    mb_virtual_free(v);
}

/* Vectors of rows that nodes have said are in their sums, each once. */
typedef struct seen {
    int64_t rows[MOST][NODES];
    int32_t n;
} seen;

static mb_status note(void *self, const mb_virtual *v, const mb_called *c, mb_err *why)
{
    seen *s = self;

    (void)v, (void)why;
    for (int32_t k = 0; c->call == MB_CALL_TICK && c->peer && c->peer->taken && k <= s->n; k++) {
        if (k < s->n && !memcmp(s->rows[k], c->peer->taken, sizeof s->rows[k]))
            break;
        if (k < s->n)
            continue;
        assert_true(s->n < MOST);
        memcpy(s->rows[s->n++], c->peer->taken, sizeof s->rows[0]);
        break;
    }
    return MB_OK;
}

/* Any two differ by at least a batch of at least three nodes, and by none less. */
static void check_chain(const seen *s)
{
    for (int32_t a = 0; a < s->n; a++)
        for (int32_t b = 0; b < s->n; b++) {
            int32_t more = 0, less = 0;

            for (int32_t i = 0; a != b && i < NODES; i++) {
                more += s->rows[a][i] >= s->rows[b][i] + BATCH;
                less += s->rows[a][i] <= s->rows[b][i] - BATCH;
                assert_true(s->rows[a][i] == s->rows[b][i] ||
                            s->rows[a][i] >= s->rows[b][i] + BATCH ||
                            s->rows[a][i] <= s->rows[b][i] - BATCH);
            }
            assert_true(a == b || (more >= 3 && !less) || (less >= 3 && !more));
        }
}

/* Rows come while nodes die, come back blank or with old checkpoints, and frames are lost. */
TEST(no_two_totals_differ_by_fewer_nodes_whatever_dies_and_returns)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        mb_event    event[80];
        mb_rng      rng = mb_rng_at(seed, MB_STREAM_MOVE, 0, 0);
        mesh_world *w = world(BATCH);
        seen       *s = mb_alloc(arena, 1, sizeof *s);
        int64_t     n = 0;
        mb_virtual *v;

        for (int32_t t = 1; t < 40; t++) {
            const int32_t i = (int32_t)mb_rng_below(&rng, NODES);

            event[n++] = rows_at(t, (int32_t)mb_rng_below(&rng, NODES), 7);
            if (t % 3)
                continue;
            event[n++] = (mb_event){.at_us = t * SECOND + SECOND / 3,
                                    .kind = mb_rng_below(&rng, 2) ? MB_EVENT_KILL : MB_EVENT_WIPE,
                                    .a = i};
            event[n++] = (mb_event){.at_us = t * SECOND + SECOND, .kind = MB_EVENT_START, .a = i};
        }
        w->opt.seed = seed;
        w->opt.loss = seed % 2 ? 0 : .3;
        w->opt.checkpoint_ticks = 30;
        v = network(w, event, n);
        OK(mb_virtual_watch(v, &(mb_virtual_watcher){.self = s, .every_us = SECOND, .call = note},
                            &err));
        OK(mb_virtual_run(v, 600 * SECOND, 1, &err));
        assert_true(mb_virtual_settled(v));
        assert_true(s->n > 2);
        check_chain(s);
        check_equal_bits(v, mb_peer_phi(mb_virtual_peer(v, 0)), w->genesis.len);
        for (int32_t i = 0; i < NODES; i++)
            assert_memory_equal(peer(v, i)->taken, peer(v, 0)->taken, NODES * sizeof(int64_t));
        mb_virtual_free(v);
    }
}

/* A list whose vector takes the rows of two nodes, or fewer of one than a batch, is none, nor is one
 * of a record that is yet to come, after which there could be no other. */
TEST(a_vector_of_fewer_nodes_or_rows_or_of_no_record_yet_is_refused)
{
    mesh_world   *w = world(BATCH);
    mb_virtual   *v = network(w, NULL, 0);
    unsigned char at[16 + 8 * NODES];
    mb_record_    record;
    mb_peer      *p;

    OK(mb_virtual_run(v, 20 * SECOND, 1, &err));
    p = peer(v, 0);
    p->taken_at->counter += 5;
    for (int32_t k = 0; k < 3; k++)
        p->taken[k] += BATCH;
    mb_batch_put_(p, at);
    record = *p->taken_at;
    for (int32_t k = 0; k < 3; k++)
        p->taken[k] -= BATCH;
    p->taken_at->counter -= 5;
    assert_int_equal(mb_batch_sound_(p, at, &record), 1);
    record.counter--;
    assert_int_equal(mb_batch_sound_(p, at, &record), 0);
    record.counter++;
    at[16] = 20 + BATCH - 1;
    assert_int_equal(mb_batch_sound_(p, at, &record), 0);
    at[16] = 20;
    assert_int_equal(mb_batch_sound_(p, at, &record), 0);
    at[16] = 19;
    assert_int_equal(mb_batch_sound_(p, at, &record), 0);
    mb_virtual_free(v);
}

/* A lie that no node can tell from rows that were lost: the node sends nothing, and says from whom it has
 * it, so that operators find who said it first. */
TEST(rows_that_a_node_never_had_are_said_with_the_neighbour_that_has_them)
{
    mesh_world   *w = world(BATCH);
    mb_virtual   *v = network(w, NULL, 0);
    unsigned char at[16 + 8 * NODES];
    mb_peer      *p;

    OK(mb_virtual_run(v, 20 * SECOND, 1, &err));
    p = peer(v, 0);
    assert_int_equal(p->taken_by, -1);
    p->taken_at->counter += 5;
    p->taken[0] = p->taken[1] = p->taken[2] = INT64_C(1) << 52;
    mb_batch_put_(p, at);
    p->taken_at->counter -= 5;
    p->taken[0] = p->taken[1] = p->taken[2] = 20;
    assert_int_equal(mb_batch_take_(p, 4, at), 1);
    mb_participants_enter_(p);
    assert_string_equal(p->mask_text,
                        "has fewer rows than are in the sums of it, as neighbour 4 says: 20 of "
                        "4503599627370496, and sends nothing");
    assert_int_equal(p->taking[0].life, 0);
    mb_virtual_free(v);
}

/* All nodes know of rows of three of them that these have no more. Records wait for such a node, and none
 * would follow but by chance. */
TEST(a_node_that_has_its_rows_again_takes_part_again)
{
    mb_event    event[] = {rows_at(60, 0, BATCH), rows_at(61, 1, BATCH), rows_at(62, 2, BATCH)};
    mesh_world *w = world(BATCH);
    mb_virtual *v = network(w, event, 3);

    OK(mb_virtual_run(v, 20 * SECOND, 1, &err));
    for (int32_t i = 0; i < NODES; i++) {
        mb_peer *p = peer(v, i);

        *p->taken_at = p->epoch->record;
        for (int32_t k = 0; k < 3; k++)
            p->taken[k] += BATCH;
    }
    peer(v, 4)->epoch->stage = MB_STAGE_NONE_;
    OK(mb_virtual_run(v, 59 * SECOND, 0, &err));
    for (int32_t i = 0; i < 3; i++)
        assert_non_null(strstr(status_of(v, i).message, "has fewer rows than are in the sums"));
    OK(mb_virtual_run(v, 120 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    for (int32_t i = 0; i < NODES; i++) {
        assert_int_equal(status_of(v, i).rows, i < 3 ? 20 + BATCH : 20);
        assert_string_equal(status_of(v, i).message, "");
    }
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

TEST(batches_are_refused_where_rows_do_not_count_once_each)
{
    static const double x[] = {1, 2}, half = .5;
    mesh_world         *w = world(BATCH);
    mb_virtual         *v;
    const mb_rows       rows = {.x = x, .w = &half, .n = 1, .d = 2, .ld = 2};
    mb_member          *first;
    mb_virtual         *none;

    w->opt.peer.rows = 40;
    v = network(w, NULL, 0);
    OK(mb_virtual_run(v, 20 * SECOND, 1, &err));
    assert_int_equal(mb_peer_append(peer(v, 0), 0, &rows, NULL, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "expected 1, as the genesis has \"rows_batch\" and no"));
    assert_int_equal(mb_peer_remove(peer(v, 0), 0, &err), MB_E_NOSUP);
    assert_int_equal(mb_peer_replace(peer(v, 0), 0, 0, x, 1, &err), MB_E_NOSUP);
    mb_virtual_free(v);
    first = (mb_member *)(uintptr_t)w->genesis.declared->member;
    first->rows = 20.5;
    assert_int_equal(mb_virtual_new(&w->opt, &none, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "got 20.5 declared rows of member 0"));
}

/* The declared rows of the members are those that the nodes of w begin with. */
static void declare(mesh_world *w)
{
    mb_declared *d = (mb_declared *)(uintptr_t)w->genesis.declared;

    d->rows = 0;
    for (int32_t i = 0; i < NODES; i++)
        d->rows += ((mb_member *)(uintptr_t)d->member)[i].rows = (double)w->opt.rows[i].n;
    d->hash = mb_declared_hash_(d);
    w->plan.mask = d->hash;
}

/* The same network, which has the rows of the events from its beginning. */
static mb_virtual *from_its_beginning(mesh_world *w, const mb_event *event, int64_t n)
{
    mb_rows *at = mb_alloc(arena, NODES, sizeof *at);

    memcpy(at, w->opt.rows, NODES * sizeof *at);
    for (int64_t e = 0; e < n; e++) {
        const mb_rows *more = event[e].rows;
        mb_rows       *to = &at[event[e].a];
        const int64_t  rows = to->n + more->n;
        double        *x = mb_alloc(arena, 2 * (size_t)rows, sizeof *x);
        double        *w_of = mb_alloc(arena, (size_t)rows, sizeof *w_of);
        int64_t       *first = mb_alloc(arena, (size_t)rows + 1, sizeof *first);

        for (int64_t j = 0; j < rows; j++) {
            const mb_rows *from = j < to->n ? to : more;
            const int64_t  row = j < to->n ? j : j - to->n;

            memcpy(x + 2 * j, from->x + 2 * row, 2 * sizeof *x);
            w_of[j] = from->w ? from->w[row] : 1;
        }
        for (int32_t g = 0; g < to->ngroup + more->ngroup; g++)
            first[g] = g < to->ngroup ? to->first[g] : to->n + more->first[g - to->ngroup];
        first[to->ngroup + more->ngroup] = rows;
        *to = (mb_rows){.x = x,
                        .w = w_of,
                        .n = rows,
                        .d = 2,
                        .ld = 2,
                        .first = more->first ? first : NULL,
                        .ngroup = to->ngroup + more->ngroup};
    }
    w->opt.rows = at;
    declare(w);
    return network(w, NULL, 0);
}

/* Nodes that got rows of events end where they are that had them before. */
static void check_same(mesh_world *w, const mb_virtual *v, const mb_event *event, int64_t n)
{
    mb_virtual *all = from_its_beginning(w, event, n);

    OK(mb_virtual_run(all, 60 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(all));
    for (int32_t i = 0; i < NODES; i++)
        for (size_t l = 0; l < w->genesis.len; l++)
            assert_near(mb_peer_phi(mb_virtual_peer(v, i))[l],
                        mb_peer_phi(mb_virtual_peer(all, i))[l],
                        1e-6 * fmax(1, fabs(mb_peer_phi(mb_virtual_peer(all, i))[l])));
    mb_virtual_free(all);
}

static mb_event weighing(mb_event e, double weight)
{
    mb_rows *rows = (mb_rows *)(uintptr_t)e.rows;
    double  *w = mb_alloc(arena, (size_t)rows->n, sizeof *w);

    for (int64_t j = 0; j < rows->n; j++)
        w[j] = weight;
    rows->w = w;
    return e;
}

TEST(rows_with_weights_enter_where_three_nodes_have_a_batch_by_number_and_by_weight)
{
    mb_event event[] = {weighing(rows_at(20, 0, BATCH), 2), weighing(rows_at(21, 1, 2 * BATCH), .5),
                        weighing(rows_at(22, 2, BATCH), .5), weighing(rows_at(23, 3, BATCH - 1), 3),
                        weighing(rows_at(80, 2, BATCH), .5)};
    const double x[] = {1, 2}, none = 0, heavy = 4.5;
    mesh_world  *w = world(BATCH);
    mb_rows      row = {.x = x, .w = &none, .n = 1, .d = 2, .ld = 2};
    double      *before = mb_alloc(arena, w->genesis.len, sizeof *before);
    mb_virtual  *v;

    ((mb_declared *)(uintptr_t)w->genesis.declared)->weight_max = 4;
    declare(w);
    w->opt.peer.rows = 100;
    v = network(w, event, 5);
    OK(mb_virtual_run(v, 19 * SECOND, 0, &err));
    memcpy(before, mb_peer_phi(mb_virtual_peer(v, 0)), w->genesis.len * sizeof *before);
    OK(mb_virtual_run(v, 79 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    check_equal_bits(v, before, w->genesis.len);
    for (int32_t i = 0; i < NODES; i++)
        assert_int_equal(status_of(v, i).rows, 20);
    assert_non_null(strstr(status_of(v, 2).message, "at least 10 each, by number and by weight"));
    OK(mb_virtual_run(v, 140 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(status_of(v, 0).rows, 30);
    assert_int_equal(status_of(v, 1).rows, 40);
    assert_int_equal(status_of(v, 2).rows, 40);
    assert_int_equal(status_of(v, 3).rows, 20);
    assert_int_equal(mb_peer_append(peer(v, 0), 0, &row, NULL, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "got weight 0; expected more than 0"));
    row.w = &heavy;
    assert_int_equal(mb_peer_append(peer(v, 0), 0, &row, NULL, &err), MB_E_NUMERIC);
    event[3] = event[4];
    check_same(w, v, event, 4);
    mb_virtual_free(v);
}

/* Groups of `size` rows, the last one of those that are left. */
static void group(mb_rows *rows, int64_t size)
{
    int64_t *first = mb_alloc(arena, (size_t)rows->n + 2, sizeof *first);

    for (rows->ngroup = 0; rows->ngroup * size < rows->n; rows->ngroup++)
        first[rows->ngroup] = rows->ngroup * size;
    first[rows->ngroup] = rows->n;
    rows->first = first;
}

/* Of a mixture whose unit is the group, of four rows at first. */
static mesh_world *grouped_world(void)
{
    mesh_world *w = world(BATCH);

    w->gmm.unit = 1;
    mb_kind_sizes(&mb_kind_gmm, &w->gmm, 2, NULL, &w->genesis.size);
    w->genesis.hash = mb_genesis_hash_(&w->genesis);
    for (int32_t i = 0; i < NODES; i++)
        group((mb_rows *)(uintptr_t)&w->opt.rows[i], 4);
    return w;
}

TEST(rows_in_groups_enter_by_whole_groups)
{
    mb_event event[] = {rows_at(20, 0, BATCH + 1), rows_at(20, 1, BATCH - 1), rows_at(20, 2, BATCH),
                        rows_at(60, 1, 4)},
             all[6];
    mesh_world *w = grouped_world();
    double     *before = mb_alloc(arena, w->genesis.len, sizeof *before);
    mb_virtual *v;

    for (int32_t e = 0; e < 4; e++)
        group((mb_rows *)(uintptr_t)event[e].rows, 3 + e);
    memcpy(all, event, sizeof event);
    all[3] = (mb_event){.at_us = 30 * SECOND, .kind = MB_EVENT_KILL, .a = 4};
    all[4] = (mb_event){.at_us = 31 * SECOND, .kind = MB_EVENT_START, .a = 4};
    all[5] = event[3];
    v = network(w, all, 6);
    OK(mb_virtual_run(v, 19 * SECOND, 0, &err));
    memcpy(before, mb_peer_phi(mb_virtual_peer(v, 0)), w->genesis.len * sizeof *before);
    OK(mb_virtual_run(v, 59 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    for (size_t l = 0; l < w->genesis.len; l++) /* after sums of a new epoch */
        assert_near(mb_peer_phi(mb_virtual_peer(v, 0))[l], before[l],
                    1e-6 * fmax(1, fabs(before[l])));
    assert_int_equal(status_of(v, 0).rows, 20);
    OK(mb_virtual_run(v, 120 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(status_of(v, 0).rows, 31);
    assert_int_equal(status_of(v, 1).rows, 33);
    assert_int_equal(status_of(v, 2).rows, 30);
    check_same(w, v, event, 4);
    mb_virtual_free(v);
}

/* Rows of a component are more than its groups, which are what the weights of a mixture count. */
TEST(groups_within_a_tight_range_have_a_total_that_can_be)
{
    double      range[] = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    mesh_world *w = grouped_world();
    mb_declared d = *w->genesis.declared;
    mb_virtual *v;

    for (int32_t e = 0; e < 2 * 20 * NODES; e++) {
        double *of = range + 2 * (e % 2);

        of[0] = fmin(of[0], w->x[e]);
        of[1] = fmax(of[1], w->x[e]);
    }
    d.range = range;
    d.rows_batch = 0;
    d.hash = mb_declared_hash_(&d);
    w->genesis.declared = &d;
    w->plan.mask = d.hash;
    v = network(w, NULL, 0);
    OK(mb_virtual_run(v, 20 * SECOND, 1, &err));
    assert_string_equal(status_of(v, 0).message, "");
    assert_true(mb_virtual_settled(v));
    mb_virtual_free(v);
}

/* A file whose groups were cut by the rows that the others know of has other rows than it had. */
TEST(a_node_whose_rows_in_the_sums_end_within_a_group_sends_nothing)
{
    mesh_world *w = grouped_world();
    mb_virtual *v;
    mb_peer    *p;

    v = network(w, NULL, 0);
    OK(mb_virtual_run(v, 20 * SECOND, 1, &err));
    p = peer(v, 0);
    assert_int_equal(mb_batch_has_rows_(p), 1);
    p->taken[p->member] = 16;
    assert_int_equal(mb_batch_has_rows_(p), 1);
    p->taken[p->member] = 17;
    assert_int_equal(mb_batch_has_rows_(p), 0);
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)
