/* Bounds on what neighbours say, by what the genesis declares: honest networks of all shapes meet
 * them, although the flow over a bridge is the sum of a whole side, and rows beyond them are refused. */
#include "base/bytes.h"
#include "mesh/guarded.h"
#include "mesh/state.h"
#include "mesh_fit.h"
#include "test.h"

#include <stdlib.h>

static int by_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Four rows a node in three groups; sorted: neighbours have alike rows; heavy: the first row counts as
 * a million. The genesis declares rows (factor times as many) and range, to the last digit. */
static void declared_up(world *w, mb_declared *d, const char *topology, int sorted, int heavy,
                        double factor)
{
    const mb_network net = network(topology);
    const int64_t    n = 4 * (int64_t)net.n;
    mb_rng           r = gen_rng(7);
    double          *x = doubles((size_t)n * COLS), *weight = doubles((size_t)n);
    double          *range = doubles(2 * COLS), rows = 0;

    *w = (world){0};
    gen_rows(&r, (int32_t)n, COLS, K, x);
    for (int64_t e = 0; e < n * COLS; e++)
        x[e] = 100 + 3 * x[e] + 12 * (e / COLS % K == e % COLS);
    if (sorted)
        qsort(x, (size_t)n, COLS * sizeof *x, by_first);
    for (int32_t c = 0; c < COLS; c++) {
        range[2 * c] = range[2 * c + 1] = x[c];
        for (int64_t j = 0; j < n; j++) {
            range[2 * c] = fmin(range[2 * c], x[j * COLS + c]);
            range[2 * c + 1] = fmax(range[2 * c + 1], x[j * COLS + c]);
        }
    }
    for (int64_t j = 0; j < n; j++)
        rows += weight[j] = heavy && !j ? 1e6 : 1;
    (void)mixture(&w->gmm);
    case_of(w, topology, &(mb_table){.rows = {.x = x, .w = weight, .n = n, .d = COLS, .ld = COLS}},
            &mb_kind_gmm, &w->gmm);
    OK(mb_genesis_of_case(arena, &w->c, centres, &w->g, &err));
    *d = (mb_declared){.rows = factor * rows,
                       .columns = COLS,
                       .range = range,
                       .nodes_max = net.n,
                       .weight_max = heavy ? 1e6 : 1};
    w->g.declared = d;
    nodes_up(w, &w->gmm, MB_GENESIS_GIVEN);
}

/* Frames with numbers that cannot be, and numbers that were clipped, in some ticks. */
static int64_t refused_in(world *w, int ticks)
{
    int64_t count = 0;

    for (int t = 0; t < ticks; t++) {
        w->m.now += 20;
        for (int32_t i = 0; i < w->net.n; i++)
            OK(mb_peer_tick(w->m.peer[i], w->m.now, &err));
        for (int32_t i = 0; i < w->net.n; i++)
            mesh_write(&w->m, i);
        for (int32_t i = 0; i < w->net.n; i++)
            for (int64_t e = w->net.g.ptr[i]; e < w->net.g.ptr[i + 1]; e++)
                (void)mb_peer_hear(w->m.peer[w->net.g.adj[e]], w->m.now, i,
                                   w->m.frame + (size_t)e * w->m.room, w->m.bytes[e], &err);
    }
    for (int32_t i = 0; i < w->net.n; i++)
        count += mesh_look(&w->m, i).refused[MB_REFUSED_VALUE] +
                 mb_peer_guarded_(w->m.peer[i]).clipped + mb_peer_guarded_(w->m.peer[i]).returned;
    return count;
}

static const char *const shapes[] = {"path:n=100", "barbell:clique=10,path=2", "ring:n=24",
                                     "star:n=30"};

TEST(honest_networks_meet_the_bounds_of_their_own_rows)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int how = 0; how < 4; how += sized(1, 3)) {
            world       w;
            mb_declared d;
            int64_t     count;

            declared_up(&w, &d, shapes[k], how & 1, how & 2, 1);
            count = refused_in(&w, 250);
            if (count)
                fail_msg("%s, case %d: %lld refused, newest: %s", shapes[k], how, (long long)count,
                         err.msg);
        }
}

TEST(what_many_times_the_declared_rows_make_is_refused)
{
    world       w;
    mb_declared d;

    declared_up(&w, &d, shapes[1], 0, 0, 1e-3);
    assert_true(refused_in(&w, 100) > 0);
}

TEST(own_rows_beyond_range_or_weight_are_refused_by_name)
{
    world         w;
    mb_declared   d;
    double        x[COLS], weight = 1.5;
    const mb_rows row = {.x = x, .n = 1, .d = COLS, .ld = COLS};
    mb_rows       heavy = row;

    declared_up(&w, &d, "path:n=3", 0, 0, 1);
    OK(mb_peer_remove(w.m.peer[0], 0, &err));
    x[0] = d.range[0];
    x[1] = d.range[3] + 1;
    assert_int_equal(mb_peer_append(w.m.peer[0], 0, &row, NULL, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "the range that the genesis declares"));
    x[1] = d.range[3];
    heavy.w = &weight;
    assert_int_equal(mb_peer_append(w.m.peer[0], 0, &heavy, NULL, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "got weight 1.5; expected 0 to 1"));
}

/* Neighbour `from` of node `to` says H and the leader as given, once. */
static void say_once(world *w, int32_t from, int32_t to, uint32_t hops, uint32_t leader)
{
    mb_frame_ f;
    size_t    n;

    OK(mb_peer_frame(w->m.peer[from], to, w->m.frame, w->m.room, &n, &err));
    assert_int_equal(mb_frame_open_(w->m.frame, n, &f, NULL), MB_REFUSED_NONE);
    f.tick++;
    f.hops = hops;
    f.ttl = 1000;
    f.leader = leader;
    f.beat += UINT64_C(1) << 32;
    n = mb_frame_seal_(&f, w->m.frame);
    assert_int_equal(mb_peer_hear(w->m.peer[to], w->m.now, from, w->m.frame, n, &err),
                     MB_REFUSED_NONE);
}

TEST(hops_above_nodes_max_are_not_taken)
{
    world       w;
    mb_declared d;

    declared_up(&w, &d, "ring:n=6", 0, 0, 1);
    assert_int_equal(refused_in(&w, 5), 0);
    say_once(&w, 3, 2, 7, (uint32_t)mesh_look(&w.m, 2).leader);
    assert_true(mesh_look(&w.m, 2).hops < 7);
    say_once(&w, 1, 2, 6, (uint32_t)mesh_look(&w.m, 2).leader);
    assert_int_equal(mesh_look(&w.m, 2).hops, 6);
}

static mb_peer_status after_restart(world *w, int32_t i)
{
    size_t               n;
    const unsigned char *was = mesh_saved(w->m.peer[i], &n);
    mb_peer             *p = another(w, i, 2);
    mb_peer_status       s;

    OK(mb_peer_load(p, was, n, &err));
    mb_peer_look(p, w->m.now, &s);
    return s;
}

TEST(what_one_neighbour_says_alone_ends_with_a_restart)
{
    world       w;
    mb_declared d;

    declared_up(&w, &d, "ring:n=6", 0, 0, 1);
    assert_int_equal(refused_in(&w, 60), 0);
    for (int32_t i = 0; i < w.net.n; i++) {
        const mb_peer_status is = mesh_look(&w.m, i), then = after_restart(&w, i);

        assert_true(then.leader == is.leader && then.hops == is.hops);
    }
    w.m.down = 1; /* node 0, whom the others forget */
    for (int t = 0; t < 400; t++) {
        w.m.now += 20;
        for (int32_t i = 1; i < w.net.n; i++)
            OK(mb_peer_tick(w.m.peer[i], w.m.now, &err));
        for (int32_t i = 0; i < w.net.n; i++) {
            mesh_write(&w.m, i);
            mesh_deliver(&w.m, i);
        }
    }
    assert_int_equal(mesh_look(&w.m, 4).leader, 1);
    say_once(&w, 3, 4, 6, 0);
    assert_int_equal(mesh_look(&w.m, 4).leader, 0);
    assert_int_equal(mesh_look(&w.m, 4).hops, 6);
    assert_int_equal(after_restart(&w, 4).leader, 4);
    assert_true(after_restart(&w, 4).hops < 6);
}

/* As long as all are there. */
static int64_t returned_after(world *w, int ticks)
{
    int64_t count = 0;

    for (int t = 0; t < ticks; t++)
        mesh_tick(&w->m);
    for (int32_t i = 0; i < w->net.n; i++)
        count += mb_peer_guarded_(w->m.peer[i]).returned;
    return count;
}

/* The components of all nodes are alike, to the bit, so they stay so. */
static void make_alike(world *w)
{
    for (int32_t i = 0; i < w->net.n; i++) {
        mb_peer     *p = w->m.peer[i];
        const size_t each = p->L / K - 1;
        double      *phi = doubles(p->len);

        memcpy(phi, p->phi, p->len * sizeof *phi);
        for (size_t k = 1; k < K; k++) {
            phi[k] = phi[0];
            memcpy(phi + K + k * each, phi + K, each * sizeof *phi);
        }
        OK(mb_peer_again_(p, phi, &err));
    }
}

static int is_settled(const world *w)
{
    for (int32_t i = 0; i < w->net.n; i++)
        if (mesh_look(&w->m, i).verdict != MB_PEER_SETTLED)
            return 0;
    return 1;
}

TEST(a_node_goes_back_once_an_hour_and_says_when_it_stays)
{
    world w;

    up(&w, "path:n=3", MB_GENESIS_GIVEN);
    assert_int_equal(returned_after(&w, 300), 0);
    assert_true(is_settled(&w) && w.m.peer[1]->guard->stored);
    make_alike(&w);
    assert_int_equal(returned_after(&w, 99), 0);
    assert_int_equal(returned_after(&w, 300), 3);
    assert_true(is_settled(&w));
    assert_at_rest(&w, NULL, 3);
    make_alike(&w);
    assert_int_equal(returned_after(&w, 300), 3);
    assert_int_equal(mb_peer_guarded_(w.m.peer[1]).stuck, 1);
    assert_non_null(strstr(mesh_look(&w.m, 1).message, "less than an hour ago"));
    w.m.now += 3600000;
    for (int32_t i = 0; i < 3; i++)
        w.m.peer[i]->guard->stored = 0;
    assert_int_equal(returned_after(&w, 400), 6);
    assert_int_equal(mb_peer_guarded_(w.m.peer[1]).stuck, 0);
    assert_at_rest(&w, NULL, 3);
}

TEST(a_reset_begins_again_from_the_start_block)
{
    world w;

    up(&w, "path:n=3", MB_GENESIS_GIVEN);
    (void)returned_after(&w, 300);
    make_alike(&w);
    for (int32_t i = 0; i < 3; i++)
        mb_peer_reset_(w.m.peer[i]);
    assert_int_equal(returned_after(&w, 1), 0);
    assert_int_equal(w.m.peer[1]->guard->stored, 0);
    assert_int_equal(returned_after(&w, 300), 0);
    assert_at_rest(&w, NULL, 3);
}

TEST(a_node_that_stays_frozen_goes_back)
{
    world w;

    up(&w, "path:n=3", MB_GENESIS_GIVEN);
    assert_int_equal(returned_after(&w, 300), 0);
    for (int t = 1; t <= 1000; t++) {
        w.m.peer[1]->phi[0] = -1e9;
        assert_int_equal(returned_after(&w, 1), t == 1000);
    }
    assert_int_equal(returned_after(&w, 300), 1);
    assert_at_rest(&w, NULL, 3);
}

RUN_TESTS(arena_up, arena_down)
