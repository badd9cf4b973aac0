/* A genesis from sums: units and prior are those of all rows to 1e-9, the centres are rows; under loss,
 * for rows with weights and far from zero, without components. */
#include "sums_world.h"
#include "test.h"

TEST(two_nodes_draw_the_prior_of_all_rows)
{
    world w;

    up(&w, "path:n=2", MB_GENESIS_SUMS);
    assert_in_range(drawn(&w, mesh_tick, 500), 5, 200);
    assert_block(&w, 0, NULL);
    assert_int_equal(mb_peer_block(w.m.peer[1])->maker, 1);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 5, 5000);
    assert_at_rest(&w, NULL, 2);
}

TEST(a_node_without_neighbours_draws_its_own)
{
    world w;

    up(&w, "path:n=1", MB_GENESIS_SUMS);
    assert_in_range(drawn(&w, mesh_tick, 500), 1, 200);
    assert_block(&w, 0, NULL);
}

TEST(loss_and_order_do_no_harm)
{
    static const char *const nets[] = {"path:n=6", "ring:n=6", "star:n=6", "grid:rows=3,cols=2"};

    for (int k = 0; k < 4; k++) {
        world w;

        up(&w, nets[k], MB_GENESIS_SUMS);
        w.m.loss = 0.3;
        assert_in_range(drawn(&w, mesh_tick_in_turn, 2000), 5, 2000);
        assert_block(&w, 3, NULL);
        assert_in_range(mesh_settle(&w.m, mesh_tick_in_turn, 5000), 5, 5000);
        assert_at_rest(&w, NULL, 6);
    }
}

TEST(rows_far_from_zero_lose_no_digits)
{
    mb_table table = some_rows();
    double  *x = doubles(ROWS * COLS);
    world    w;

    for (int e = 0; e < ROWS * COLS; e++)
        x[e] = 1e8 + table.rows.x[e];
    table.rows.x = x;
    up_table(&w, "ring:n=5", &table);
    assert_in_range(drawn(&w, mesh_tick, 1000), 5, 1000);
    assert_block(&w, 2, NULL);
}

TEST(weights_of_rows_count)
{
    mb_table table = some_rows();
    double  *weight = doubles(ROWS);
    world    w;

    for (int i = 0; i < ROWS; i++)
        weight[i] = i % 7 ? 0.25 * (1 + i % 5) : 0;
    table.rows.w = weight;
    up_table(&w, "star:n=5", &table);
    assert_in_range(drawn(&w, mesh_tick, 1000), 5, 1000);
    assert_block(&w, 4, NULL);
}

TEST(rows_that_come_before_the_block_count)
{
    const double  x[4] = {130, 90, 131, 91};
    const mb_rows more = {.x = x, .n = 2, .d = 2, .ld = 2};
    world         w;
    double       *own;
    mb_rows       all;

    up(&w, "ring:n=6", MB_GENESIS_SUMS);
    for (int64_t r = 0; r < 2; r++)
        OK(mb_peer_remove(w.m.peer[2], r, &err));
    mesh_ticks(&w.m, 12);
    OK(mb_peer_append(w.m.peer[2], w.m.now, &more, NULL, &err));
    all = w.c.data[2];
    own = doubles((size_t)all.n * 2);
    for (int64_t j = 0; j < all.n; j++)
        for (int32_t d = 0; d < 2; d++)
            own[2 * j + d] = mb_rows_at(&all, j, d);
    memcpy(own, x, sizeof x);
    w.c.data[2] = (mb_rows){.x = own, .n = all.n, .d = 2, .ld = 2};
    assert_in_range(drawn(&w, mesh_tick, 2000), 1, 2000);
    assert_block(&w, 5, NULL);
}

/* The default prior of the regression is isotropic, 1e-12, in columns at mean and sd of all rows; in
 * data units the slope's precision is then 1e-12 times the mean square of its column. */
TEST(a_regression_shows_no_row)
{
    const mb_table table = some_rows();
    mb_linreg_kind linreg = {0};
    world          w = {0};
    moments        all;
    long double    slope;
    size_t         n;

    OK(mb_opt_defaults(mb_kind_linreg.opts, &linreg, &err));
    case_of(&w, "ring:n=5", &table, &mb_kind_linreg, &linreg);
    nodes_up(&w, &linreg, MB_GENESIS_SUMS);
    w.m.loss = 0.2;
    assert_in_range(drawn(&w, mesh_tick_in_turn, 2000), 5, 2000);
    all = of_all(&w, NULL);
    assert_units(mb_peer_block(w.m.peer[3]), &all);
    assert_int_equal(mb_peer_block(w.m.peer[3])->start_len, 0);
    slope = 1e-12L * (all.cov[0][0] + all.mean[0] * all.mean[0]);
    assert_within(array(mb_peer_block(w.m.peer[3]), "precision", &n)[3], slope, slope);
    assert_in_range(mesh_settle(&w.m, mesh_tick_in_turn, 5000), 1, 5000);
    assert_at_rest(&w, NULL, 5);
}

/* More centres than a sample has rows: frames and the room to make the block in grow with K. */
TEST(eighty_components_are_eighty_rows)
{
    enum { MANY = 80, N = 120 };
    mb_rng         r = gen_rng(3);
    double        *x = doubles((size_t)2 * N);
    const mb_table table = {.rows = {.x = x, .n = N, .d = 2, .ld = 2}};
    world          w = {0};

    for (int e = 0; e < 2 * N; e++)
        x[e] = mb_rng_normal(&r);
    (void)mixture(&w.gmm);
    w.gmm.n_components = MANY;
    case_of(&w, "path:n=3", &table, &mb_kind_gmm, &w.gmm);
    nodes_up(&w, &w.gmm, MB_GENESIS_SUMS);
    assert_in_range(drawn(&w, mesh_tick, 2000), 5, 2000);
    assert_int_equal(mb_peer_block(w.m.peer[2])->start_len, 2 * MANY);
}

/* Two parts with a genesis each, then a link that carries what the first says, who would win: the second
 * cannot be a part of it, and stays together. */
TEST(a_link_that_works_one_way_takes_no_node_out_of_its_part)
{
    world    w;
    uint64_t run;

    up(&w, "path:n=4", MB_GENESIS_SUMS);
    w.m.cut = 1;
    mesh_ticks(&w.m, 400);
    run = mesh_look(&w.m, 2).run;
    assert_true(run && run != mesh_look(&w.m, 1).run);
    w.m.cut = 0;
    mesh_ticks(&w.m, 20);
    for (w.m.cut = 2; w.m.cut; w.m.cut--)
        for (int t = 0; t < 500; t++) {
            mesh_tick(&w.m);
            for (int32_t i = 2; i < 4; i++)
                assert_true(mesh_look(&w.m, i).run == run);
        }
    mesh_ticks(&w.m, 500);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 1, 5000);
    assert_at_rest(&w, NULL, 4);
}

/* The third node, which has the others, comes later. */
TEST(fewer_rows_than_components_are_waited_for_and_the_status_says_why)
{
    mb_table table = some_rows();
    world    w = {0};

    table.rows.n = 6;
    (void)mixture(&w.gmm);
    case_of(&w, "path:n=3", &table, &mb_kind_gmm, &w.gmm);
    w.gmm.n_components = 5;
    nodes_up(&w, &w.gmm, MB_GENESIS_SUMS);
    w.m.down = 3;
    assert_int_equal(drawn(&w, mesh_tick, 500), 501);
    assert_int_equal(mesh_look(&w.m, 0).verdict, MB_PEER_MOVING);
    assert_non_null(strstr(mesh_look(&w.m, 0).message, "5 components from 4 rows"));
    w.m.down = 0;
    assert_in_range(drawn(&w, mesh_tick, 500), 1, 500);
    assert_in_range(mesh_settle(&w.m, mesh_tick, 5000), 5, 5000);
}

RUN_TESTS(arena_up, arena_down)
