/* Edge pairs to rows: sorted, without doubles, with opposite positions; components by name. */
#include "arena.h"
#include "network/graph.h"
#include "test.h"

static mb_graph graph_of(int32_t n, int64_t m, const int32_t *edges)
{
    mb_graph g;
    mb_err   err;
    must(mb_graph_from_edges(arena, n, m, edges, &g, &err));
    return g;
}

TEST(rows_are_ascending_and_doubles_are_merged)
{
    /* 0-3 three times in both directions, 2-0, 1-0 */
    static const int32_t edges[] = {3, 0, 0, 3, 2, 0, 1, 0, 3, 0};
    static const int64_t ptr[] = {0, 3, 4, 5, 6, 6};
    static const int32_t adj[] = {1, 2, 3, 0, 0, 0};
    mb_graph             g = graph_of(5, 5, edges);
    assert_int_equal(g.n, 5);
    assert_memory_equal(g.ptr, ptr, sizeof ptr);
    assert_memory_equal(g.adj, adj, sizeof adj);
}

TEST(rev_is_the_opposite_directed_edge)
{
    int32_t edges[400];
    mb_rng  r = mb_rng_at(7, MB_STREAM_SAMPLE, 0, 0);
    for (int k = 0; k < 200; k++) {
        edges[2 * k] = (int32_t)mb_rng_below(&r, 20);
        edges[2 * k + 1] = 20 + (int32_t)mb_rng_below(&r, 20);
    }
    mb_graph g = graph_of(40, 200, edges);
    assert_true(g.ptr[40] > 100);
    for (int32_t i = 0; i < g.n; i++)
        for (int64_t e = g.ptr[i]; e < g.ptr[i + 1]; e++) {
            assert_int_equal(g.adj[g.rev[e]], i);
            assert_int_equal(g.rev[g.rev[e]], e);
            assert_true(g.rev[e] >= g.ptr[g.adj[e]] && g.rev[e] < g.ptr[g.adj[e] + 1]);
            assert_true(e == g.ptr[i] || g.adj[e - 1] < g.adj[e]);
        }
}

TEST(a_node_alone_is_a_network)
{
    mb_err   err;
    mb_graph g = graph_of(1, 0, NULL);
    assert_int_equal(g.ptr[1], 0);
    must(mb_graph_check_connected(arena, &g, NULL, &err));
}

TEST(bad_edges_are_refused_by_number)
{
    static const int32_t loop[] = {0, 1, 2, 2}, high[] = {0, 3}, low[] = {-1, 0};
    mb_graph             g;
    mb_err               err;
    assert_int_equal(mb_graph_from_edges(arena, 3, 2, loop, &g, &err), MB_E_ARG);
    assert_string_equal(err.msg, "edge 1 joins node 2 to itself");
    assert_int_equal(mb_graph_from_edges(arena, 3, 1, high, &g, &err), MB_E_ARG);
    assert_string_equal(err.msg, "edge 0 joins 0 and 3; expected 0 to 2");
    assert_int_equal(mb_graph_from_edges(arena, 3, 1, low, &g, &err), MB_E_ARG);
    assert_int_equal(mb_graph_from_edges(arena, 0, 0, NULL, &g, &err), MB_E_ARG);
    assert_int_equal(mb_graph_from_edges(arena, 3, -1, low, &g, &err), MB_E_ARG);
}

TEST(components_are_numbered_by_their_lowest_node)
{
    static const int32_t edges[] = {5, 0, 4, 1, 5, 3}, expected[] = {0, 1, 2, 0, 1, 0};
    int32_t              part[6], count;
    mb_err               err;
    mb_graph             g = graph_of(6, 3, edges);
    must(mb_graph_components(arena, &g, part, &count, &err));
    assert_int_equal(count, 3);
    assert_memory_equal(part, expected, sizeof expected);
}

TEST(the_error_names_the_components)
{
    static const int32_t     edges[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7};
    static const char *const id[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    mb_err                   err;
    mb_graph                 g = graph_of(9, 6, edges);
    assert_int_equal(mb_graph_check_connected(arena, &g, NULL, &err), MB_E_ARG);
    assert_string_equal(err.msg, "the network is not connected: 3 components: "
                                 "{1, 2, 3, 4, ... 6 nodes}, {7, 8}, {9}");
    assert_int_equal(mb_graph_check_connected(arena, &g, id, &err), MB_E_ARG);
    assert_string_equal(err.msg, "the network is not connected: 3 components: "
                                 "{a, b, c, d, ... 6 nodes}, {g, h}, {i}");
}

TEST(the_error_stays_one_line_however_long_the_names)
{
    static char  name[300];
    const char  *id[40];
    mb_err       err;
    const size_t most = sizeof err.msg;
    memset(name, 'x', sizeof name - 1);
    for (int i = 0; i < 40; i++)
        id[i] = name;
    mb_graph g = graph_of(40, 0, NULL);
    assert_int_equal(mb_graph_check_connected(arena, &g, id, &err), MB_E_ARG);
    assert_non_null(memchr(err.msg, 0, most));
    assert_non_null(strstr(err.msg, "40 components"));
    assert_non_null(strstr(err.msg, ", ..."));
}

/* Components of g without node i (n: without none). */
static int32_t parts_without(const mb_graph *g, int32_t i, int32_t n)
{
    int32_t edges[2 * 64], m = 0, part[12], count;

    for (int32_t k = 0; k < n; k++)
        for (int64_t e = g->ptr[k]; e < g->ptr[k + 1]; e++)
            if (k < g->adj[e] && k != i && g->adj[e] != i) {
                edges[2 * m] = k;
                edges[2 * m++ + 1] = g->adj[e];
            }
    const mb_graph rest = graph_of(n, m, edges);
    must(mb_graph_components(arena, &rest, part, &count, NULL));
    return count - (i < n); /* the node itself is one of its own */
}

TEST(cut_nodes_are_those_whose_removal_leaves_more_components)
{
    enum { N = 12, RUNS = 300 };
    mb_rng rng = mb_rng_at(1, MB_STREAM_GRAPH, 0, 0);

    for (int run = 0; run < RUNS; run++) {
        int32_t       edges[2 * 24], count, expected = 0;
        const int32_t n = 1 + (int32_t)mb_rng_below(&rng, N), m = n > 1 ? run % 25 : 0;
        uint8_t       cut[N];

        for (int32_t e = 0; e < m; e++) {
            edges[2 * e] = (int32_t)mb_rng_below(&rng, (uint64_t)n);
            edges[2 * e + 1] =
                (edges[2 * e] + 1 + (int32_t)mb_rng_below(&rng, (uint64_t)n - 1)) % n;
        }
        const mb_graph g = graph_of(n, m, edges);
        must(mb_graph_cut_nodes(arena, &g, cut, &count, NULL));
        for (int32_t i = 0; i < n; i++) {
            const int is = parts_without(&g, i, n) > parts_without(&g, n, n);

            assert_int_equal(cut[i], is);
            expected += is;
        }
        assert_int_equal(count, expected);
    }
}

TEST(short_memory_is_reported)
{
    static char          buffer[2048];
    static const int32_t edges[] = {0, 1};
    mb_graph             g;
    mb_err               err;
    mb_arena            *small = mb_arena_fixed(buffer, sizeof buffer);
    assert_non_null(small);
    assert_int_equal(mb_graph_from_edges(small, 1000, 1, edges, &g, &err), MB_E_NOMEM);
}

RUN_TESTS(arena_up, arena_down)
