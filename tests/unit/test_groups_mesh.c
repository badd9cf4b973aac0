/* test_groups_mesh.c - rows in groups in a case, and at the nodes of a mesh: nobody cuts a group, and
 * all find what a fit of all rows finds. */
#include "fit/case.h"
#include "mesh_fit.h"
#include "test.h"

enum { GROUPS = 24 };

/* Groups of 1, 2, 3 and 4 rows, and so on; the centres of fits.h are 3 rows apart. */
static mb_table grouped(int64_t *first)
{
    mb_table t = some_rows();
    double  *x = doubles(ROWS * COLS);
    int32_t  at = 0;

    for (int32_t k = 0; k < K; k++) /* rows of one centre follow each other */
        for (int32_t j = k; j < ROWS; j += K, at++)
            memcpy(x + at * COLS, t.rows.x + j * COLS, COLS * sizeof *x);
    for (int32_t g = 0; g < GROUPS; g++)
        first[g + 1] = first[g] + 1 + g % 4;
    assert_int_equal(first[GROUPS], ROWS);
    t.rows.x = x;
    t.rows.first = first;
    t.rows.ngroup = GROUPS;
    return t;
}

static void world_of_groups(world *w, int64_t *first, const char *topology)
{
    const mb_table t = grouped(first);

    *w = (world){0};
    (void)mixture(&w->gmm);
    w->gmm.unit = 1;
    case_of(w, topology, &t, &mb_kind_gmm, &w->gmm);
    OK(mb_genesis_of_case(arena, &w->c, centres, &w->g, &err));
}

TEST(a_case_leaves_each_group_at_one_node)
{
    int64_t first[GROUPS + 1] = {0};
    world   w;
    int32_t g = 0;

    world_of_groups(&w, first, "ring:n=5");
    for (int32_t i = 0; i < 5; i++) {
        const mb_rows *has[] = {&w.c.data[i], &w.c.rows[i]};

        for (int32_t e = 0; e < has[0]->ngroup; e++)
            for (int k = 0; k < 2; k++)
                assert_int_equal(has[k]->first[e + 1] - has[k]->first[e],
                                 first[g + e + 1] - first[g + e]);
        assert_true(has[0]->ngroup == GROUPS / 5 || has[0]->ngroup == GROUPS / 5 + 1);
        assert_int_equal(has[0]->first[has[0]->ngroup], has[0]->n);
        g += has[0]->ngroup;
    }
    assert_int_equal(g, GROUPS);
}

/* Rows are moved to their nodes with their groups. */
TEST(groups_move_with_their_rows)
{
    int64_t    first[GROUPS + 1] = {0};
    int32_t    node[ROWS];
    mb_table   t = grouped(first), out;
    mb_network net = network("ring:n=5");

    for (int32_t g = 0; g < GROUPS; g++)
        for (int64_t j = first[g]; j < first[g + 1]; j++)
            node[j] = 4 - g % 5;
    t.node = node;
    OK(mb_table_arrange(arena, &t, &net, &mb_kind_gmm, NULL, &out, &err));
    assert_int_equal(out.rows.ngroup, GROUPS);
    for (int32_t g = 0; g < GROUPS; g++) {
        const int64_t at = out.row[out.rows.first[g]];
        int32_t       was = 0;

        while (first[was] < at)
            was++;
        assert_int_equal(first[was], at);
        assert_int_equal(out.rows.first[g + 1] - out.rows.first[g], first[was + 1] - first[was]);
        for (int64_t j = out.rows.first[g]; j < out.rows.first[g + 1]; j++)
            assert_int_equal(out.row[j], at + j - out.rows.first[g]);
    }
    node[first[2]] = node[first[2]] ? 0 : 1; /* of three rows */
    assert_int_equal(mb_table_arrange(arena, &t, &net, &mb_kind_gmm, NULL, &out, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "its group begins at another node"));
}

TEST(nodes_find_the_fit_of_all_rows)
{
    int64_t      first[GROUPS + 1] = {0};
    world        w;
    mb_gmm_kind  gmm;
    mb_fit_opt   opt = mixture(&gmm);
    mb_fit       fit;
    mb_posterior is;
    mb_table     t;

    world_of_groups(&w, first, "ring:n=5");
    nodes_up(&w, &w.gmm, MB_GENESIS_GIVEN);
    for (int tick = 0; tick < 1500; tick++)
        mesh_tick(&w.m);
    gmm.unit = 1;
    opt.tol = 1e-12;
    memset(first, 0, sizeof first);
    t = grouped(first);
    OK(mb_fit_run(arena, NULL, &t, &opt, &fit, &err));
    for (int32_t i = 0; i < 5; i++) {
        OK(mb_peer_posterior(arena, w.m.peer[i], &is, &err));
        assert_all_near(is.par, fit.posterior.par, is.model->layout.len, 1e-5);
    }
    assert_near(fit.posterior.par[0] + fit.posterior.par[1] + fit.posterior.par[2], 1 + GROUPS,
                1e-9); /* the weights count groups */
    mb_fit_close(&fit);
}

/* A resumed node says what the first one says. */
TEST(a_checkpoint_has_the_groups)
{
    int64_t        first[GROUPS + 1] = {0};
    world          w;
    mb_peer_opt    o = {.id = 0, .incarnation = 1, .neighbours = 2};
    mb_peer       *again;
    unsigned char *saved;
    size_t         n;

    world_of_groups(&w, first, "ring:n=5");
    nodes_up(&w, &w.gmm, MB_GENESIS_GIVEN);
    for (int tick = 0; tick < 40; tick++)
        mesh_tick(&w.m);
    n = mb_peer_saved(w.m.peer[0]);
    saved = mb_alloc(arena, n, 1);
    OK(mb_peer_save(w.m.peer[0], saved, n, &err));
    o.plan = &w.plan;
    o.rows = w.c.data[0].n;
    OK(mb_peer_new(arena, &o, &again, &err));
    OK(mb_peer_resume(again, saved, n, &err));
    OK(mb_peer_tick(again, w.m.now + 20, &err));
    OK(mb_peer_tick(w.m.peer[0], w.m.now + 20, &err));
    assert_memory_equal(mb_peer_phi(again), mb_peer_phi(w.m.peer[0]),
                        w.c.model.layout.len * sizeof(double));
}

TEST(what_would_cut_a_group_is_refused)
{
    const double  x[6] = {100, 100, 101, 101, 99, 99}, differ[3] = {1, 2, 2};
    const int64_t begins[] = {0, 2, 3};
    int64_t       first[GROUPS + 1] = {0};
    mb_rows       rows = {.x = x, .n = 3, .d = 2, .ld = 2, .first = begins, .ngroup = 2};
    world         w;
    mb_peer_opt   o = {.id = 0, .incarnation = 1, .neighbours = 1, .rows = 9, .window_rows = 9};
    mb_peer      *p;

    world_of_groups(&w, first, "ring:n=5");
    w.plan = mesh_plan(&w.c, &w.gmm, MB_GENESIS_GIVEN);
    o.plan = &w.plan;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "window"));
    o.window_rows = 0;
    OK(mb_peer_new(arena, &o, &p, &err));
    rows.w = differ;
    assert_int_equal(mb_peer_append(p, 0, &rows, NULL, &err), MB_E_NUMERIC);
    assert_non_null(strstr(err.msg, "row 1: got weight 2; expected 1"));
    rows.w = NULL;
    OK(mb_peer_append(p, 0, &rows, NULL, &err));
    assert_int_equal(mb_peer_remove(p, 1, &err), MB_E_NOSUP);
    assert_int_equal(mb_peer_replace(p, 0, 1, x, 3, &err), MB_E_ARG);
    OK(mb_peer_replace(p, 0, 1, x, 1, &err));
    w.gmm.unit = 0;
    OK(mb_peer_new(arena, &o, &p, &err));
    assert_int_equal(mb_peer_append(p, 0, &rows, NULL, &err), MB_E_SHAPE);
    assert_non_null(strstr(err.msg, "2 columns and groups"));
}

RUN_TESTS(arena_up, arena_down)
