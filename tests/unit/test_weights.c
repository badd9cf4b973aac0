/* Combination weights: the rules against their formulas, triples and their refusals. */
#include "arena.h"
#include "network/graph.h"
#include "test.h"

/* A sum of at most 50 rounded weights. */
static const double tol_sum = 1e-14;

static mb_graph graph_of(const char *text)
{
    mb_topology t;
    mb_err      err;
    must(mb_topology_make(arena, text, 1, &t, &err));
    return t.g;
}

static mb_weights weights_of(const mb_graph *g, mb_rule rule)
{
    mb_weights w;
    mb_err     err;
    must(mb_weights_make(arena, g, rule, &w, &err));
    return w;
}

static double row_sum(const mb_graph *g, const mb_weights *w, int32_t i)
{
    double sum = w->self[i];
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        sum += w->edge[e];
    return sum;
}

TEST(rules_on_a_star_are_their_formulas)
{
    mb_graph   g = graph_of("star:n=5"); /* node 0 has degree 4, leaves 1 */
    mb_weights nearest = weights_of(&g, MB_NEAREST), metropolis = weights_of(&g, MB_METROPOLIS);
    mb_weights laplacian = weights_of(&g, MB_LAPLACIAN);
    assert_true(fabs(nearest.self[0] - 0.2) <= tol_sum && fabs(nearest.edge[0] - 0.2) <= tol_sum);
    assert_true(fabs(nearest.self[1] - 0.5) <= tol_sum && fabs(nearest.edge[4] - 0.5) <= tol_sum);
    assert_true(fabs(metropolis.edge[0] - 0.2) <= tol_sum);
    assert_true(fabs(metropolis.edge[4] - 0.2) <= tol_sum);
    assert_true(fabs(metropolis.self[1] - 0.8) <= tol_sum);
    assert_true(fabs(laplacian.edge[4] - 0.2) <= tol_sum);
    assert_true(fabs(laplacian.self[0] - 0.2) <= tol_sum);
}

TEST(metropolis_and_laplacian_differ_where_degrees_do)
{
    mb_graph   g = graph_of("path:n=3");
    mb_graph   h = graph_of("grid:rows=3,cols=3");
    mb_weights m = weights_of(&h, MB_METROPOLIS), l = weights_of(&h, MB_LAPLACIAN);
    assert_true(fabs(weights_of(&g, MB_METROPOLIS).edge[0] - 1.0 / 3) <= tol_sum);
    assert_true(fabs(m.edge[0] - 0.25) <= tol_sum); /* corner to side: degrees 2 and 3 */
    assert_true(fabs(l.edge[0] - 0.2) <= tol_sum);  /* the centre has degree 4          */
}

TEST(rows_sum_to_one_and_columns_but_for_nearest)
{
    static const char *const text[] = {"geometric:n=50,side=3.5,radius=0.8", "star:n=50",
                                       "grid:rows=5,cols=7", "complete:n=1"};
    for (int k = 0; k < 4; k++) {
        mb_graph g = graph_of(text[k]);
        for (int rule = MB_NEAREST; rule <= MB_LAPLACIAN; rule++) {
            mb_weights w = weights_of(&g, (mb_rule)rule);
            for (int32_t i = 0; i < g.n; i++)
                assert_true(fabs(row_sum(&g, &w, i) - 1) <= tol_sum);
            if (rule == MB_NEAREST && g.n > 1)
                assert_true(mb_weights_column_error(&g, &w) > 0.01);
            else
                assert_true(mb_weights_column_error(&g, &w) <= tol_sum);
        }
    }
}

TEST(column_error_is_the_worst_column)
{
    mb_graph   g = graph_of("star:n=5");
    mb_weights w = weights_of(&g, MB_NEAREST);
    /* the hub's column: .2 + 4 * .5, a leaf's: .5 + .2 */
    assert_true(fabs(mb_weights_column_error(&g, &w) - 1.2) <= tol_sum);
}

TEST(triples_land_where_they_belong)
{
    static const int32_t ij[] = {2, 1, 0, 0, 0, 1, 1, 1, 1, 2};
    static const double  value[] = {1, 0.75, 0.25, 0.5, 0.5};
    mb_weights           w;
    mb_err               err;
    mb_graph             g = graph_of("path:n=3");
    must(mb_weights_from(arena, &g, NULL, 5, ij, value, &w, &err));
    assert_true(w.self[0] == 0.75 && w.self[1] == 0.5 && w.self[2] == 0);
    assert_true(w.edge[0] == 0.25); /* 0 -> 1                              */
    assert_true(w.edge[1] == 0);    /* 1 -> 0: not given                   */
    assert_true(w.edge[2] == 0.5);  /* 1 -> 2                              */
    assert_true(w.edge[3] == 1);    /* 2 -> 1                              */
    assert_true(fabs(mb_weights_column_error(&g, &w) - 0.75) <= tol_sum);
}

TEST(rules_written_out_come_back)
{
    int32_t    ij[2 * 400];
    double     value[400];
    int64_t    m = 0;
    mb_weights back;
    mb_err     err;
    mb_graph   g = graph_of("geometric:n=40,side=3,radius=0.8");
    mb_weights w = weights_of(&g, MB_METROPOLIS);
    assert_true(g.ptr[g.n] + g.n <= 400);
    for (int32_t i = 0; i < g.n; i++) {
        ij[2 * m] = ij[2 * m + 1] = i;
        value[m++] = w.self[i];
        for (int64_t e = g.ptr[i]; e < g.ptr[i + 1]; e++, m++) {
            ij[2 * m] = i;
            ij[2 * m + 1] = g.adj[e];
            value[m] = w.edge[e];
        }
    }
    must(mb_weights_from(arena, &g, NULL, m, ij, value, &back, &err));
    assert_memory_equal(back.self, w.self, (size_t)g.n * sizeof *w.self);
    assert_memory_equal(back.edge, w.edge, (size_t)g.ptr[g.n] * sizeof *w.edge);
}

TEST(bad_triples_are_refused_by_name)
{
    static const char *const id[] = {"north", "east", "south"};
    static const struct {
        int64_t     m;
        int32_t     ij[6];
        double      w[3];
        const char *says;
    } bad[] = {
        {1, {0, 0}, {0.9}, "the weights of node north (itself and its neighbours) sum to 0.9"},
        {2, {0, 0, 0, 1}, {0.5, 0.500000000002}, "sum to 1.00000000000"},
        {2, {0, 0, 0, 2}, {0.5, 0.5}, "of node north for south, which are not linked"},
        {2, {0, 1, 0, 1}, {0.5, 0.5}, "the weight of node north for east is given twice"},
        {2, {1, 1, 1, 1}, {0.5, 0.5}, "the weight of node east for east is given twice"},
        {1, {1, 1}, {(double)NAN}, "the weight of node east for east is nan"},
        {1, {3, 0}, {1}, "a weight for nodes 3 and 0; expected 0 to 2"},
        {1, {0, -1}, {1}, "a weight for nodes 0 and -1"},
        {0, {0}, {0}, "the weights of node north (itself and its neighbours) sum to 0;"},
    };
    mb_graph g = graph_of("path:n=3");
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        mb_weights w;
        mb_err     err = {0};
        assert_int_equal(mb_weights_from(arena, &g, id, bad[k].m, bad[k].ij, bad[k].w, &w, &err),
                         MB_E_ARG);
        if (!strstr(err.msg, bad[k].says))
            fail_msg("%s instead of %s", err.msg, bad[k].says);
    }
}

RUN_TESTS(arena_up, arena_down)
