/* A genesis from sums of a robust mixture: the limits are those of a network that counts rows over a
 * tree, units are those of the rows within them; under loss, when the leader dies, from a checkpoint. */
#include "mesh/genesis.h"
#include "sums_world.h"
#include "test.h"

/* Not a multiple of 4: a quartile is a row. */
enum { COUNT = ROWS - 1, FAR = 5 };

static mb_tmm_kind tmm;

/* The rows of fits.h on a network, five of which are far out, at five nodes of six. */
static void far_up(world *w, const char *topology)
{
    mb_table table = some_rows();
    double  *x = doubles(ROWS * COLS);

    memcpy(x, table.rows.x, sizeof(double) * ROWS * COLS);
    for (int j = 0; j < FAR; j++)
        for (int d = 0; d < COLS; d++)
            x[12 * j * COLS + d] = (j % 2 ? -3e4 : 2e4) * (1 + j + d);
    table.rows.x = x;
    table.rows.n = COUNT;
    *w = (world){0};
    OK(mb_opt_defaults(mb_kind_tmm.opts, &tmm, &err));
    tmm.gmm.n_components = K;
    case_of(w, topology, &table, &mb_kind_tmm, &tmm);
    assert_int_equal(w->c.limits.d, COLS);
    nodes_up(w, &tmm, MB_GENESIS_SUMS);
}

/* Rows that are far out count no more. */
static void forget_far(world *w)
{
    for (int32_t i = 0; i < w->net.n; i++) {
        double *weight = doubles((size_t)w->c.data[i].n + 1);

        for (int64_t j = 0; j < w->c.data[i].n; j++)
            weight[j] = fabs(mb_rows_at(&w->c.data[i], j, 0)) < 1e4;
        w->c.data[i].w = weight;
    }
}

/* Units are of the rows that are near, and centres lie among them. */
static const mb_genesis *assert_of_near(world *w, int32_t node, const uint8_t *use)
{
    const mb_genesis *g = mb_peer_block(w->m.peer[node]);
    moments           all;

    assert_non_null(g);
    forget_far(w);
    all = of_all(w, use);
    assert_units(g, &all);
    for (int32_t e = 0; e < K * COLS; e++)
        assert_true(fabsl((long double)g->start[e] - all.mean[e % COLS]) <
                    4 * sqrtl(all.cov[e % COLS][e % COLS]));
    return g;
}

TEST(limits_are_those_of_a_network_that_counts)
{
    static const char *const nets[] = {"path:n=1", "path:n=2", "ring:n=6", "star:n=6"};

    for (int k = 0; k < 4; k++) {
        world     w;
        mb_limits l;

        far_up(&w, nets[k]);
        w.m.loss = k % 2 ? 0.3 : 0;
        assert_in_range(drawn(&w, mesh_tick_in_turn, 5000), 1, 5000);
        mb_genesis_limits_(assert_of_near(&w, 0, NULL), &l);
        assert_memory_equal(l.middle, w.c.limits.middle, COLS * sizeof(double));
        assert_memory_equal(l.reach, w.c.limits.reach, COLS * sizeof(double));
        if (k < 2)
            continue;
        assert_in_range(mesh_settle(&w.m, mesh_tick_in_turn, 5000), 1, 5000);
    }
}

TEST(when_the_leader_dies_the_next_one_goes_on)
{
    static const uint8_t left[6] = {0, 1, 1, 1, 1, 1};

    for (int ticks = 40; ticks <= 160; ticks += 60) {
        world w;

        far_up(&w, "ring:n=6");
        mesh_ticks(&w.m, ticks);
        assert_int_equal(mesh_look(&w.m, 3).run, 0);
        w.m.down = 1 + 0;
        assert_in_range(drawn(&w, mesh_tick, 5000), 20, 5000);
        assert_int_equal(assert_of_near(&w, 3, left)->maker, 2);
    }
}

TEST(a_checkpoint_amid_the_steps_is_gone_on_with)
{
    world          w;
    unsigned char *bytes;
    size_t         n;

    far_up(&w, "ring:n=6");
    mesh_ticks(&w.m, 90);
    assert_int_equal(mesh_look(&w.m, 1).run, 0);
    bytes = mesh_saved(w.m.peer[1], &n);
    mesh_ticks(&w.m, 6);
    w.m.peer[1] = another(&w, 1, 2);
    OK(mb_peer_load(w.m.peer[1], bytes, n, &err));
    assert_in_range(drawn(&w, mesh_tick, 5000), 1, 5000);
    (void)assert_of_near(&w, 1, NULL);
}

/* A quarter of the rows and more are a cluster. */
TEST(where_too_many_rows_are_far_all_count)
{
    enum { MANY = 20 };
    mb_table  table = some_rows();
    double   *x = doubles(ROWS * COLS);
    world     w = {0};
    moments   all;
    mb_limits l;

    memcpy(x, table.rows.x, sizeof(double) * ROWS * COLS);
    for (int e = 0; e < MANY * COLS; e++)
        x[e] += e / COLS % 2 ? -3e3 : 3e3;
    table.rows.x = x;
    OK(mb_opt_defaults(mb_kind_tmm.opts, &tmm, &err));
    tmm.gmm.n_components = K;
    case_of(&w, "ring:n=5", &table, &mb_kind_tmm, &tmm);
    assert_int_equal(w.c.limits.d, 0);
    nodes_up(&w, &tmm, MB_GENESIS_SUMS);
    assert_in_range(drawn(&w, mesh_tick, 5000), 1, 5000);
    all = of_all(&w, NULL);
    assert_units(mb_peer_block(w.m.peer[2]), &all);
    mb_genesis_limits_(mb_peer_block(w.m.peer[2]), &l);
    for (int32_t d = 0; d < COLS; d++)
        assert_true(!(l.reach[d] > 0));
}

/* The steps take longer than these rows may stay. */
TEST(rows_do_not_age_before_there_is_a_genesis)
{
    world          w;
    mb_peer_opt    o = {.incarnation = 1, .window_ms = 100};
    mb_peer_status is;
    mb_peer       *p;
    int64_t        now = 0;

    far_up(&w, "path:n=1");
    o.plan = &w.m.plan;
    o.rows = COUNT;
    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_peer_append(p, now, &w.c.data[0], NULL, &err));
    do {
        OK(mb_peer_tick(p, now += 20, &err));
        mb_peer_look(p, now, &is);
        assert_int_equal(is.rows, COUNT);
    } while (!is.run && now < 100000);
    assert_true(is.run && now > 10 * o.window_ms);
    OK(mb_peer_tick(p, now += 20, &err));
    mb_peer_look(p, now, &is);
    assert_int_equal(is.rows, 0);
}

RUN_TESTS(arena_up, arena_down)
