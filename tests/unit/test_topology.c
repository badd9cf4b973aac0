/* Networks described in a line: shapes, random ones against their definition, refusals. */
#include "arena.h"
#include "network/graph.h"
#include "test.h"

static mb_topology make(const char *text, uint64_t seed)
{
    mb_topology t;
    mb_err      err = {0};
    if (mb_topology_make(arena, text, seed, &t, &err) < 0)
        fail_msg("%s", err.msg);
    return t;
}

static int linked(const mb_graph *g, int32_t i, int32_t j)
{
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        if (g->adj[e] == j)
            return 1;
    return 0;
}

static int64_t edges(const mb_topology *t)
{
    return t->g.ptr[t->g.n] / 2;
}

TEST(regular_shapes_have_the_links_of_their_definition)
{
    mb_graph ring = make("ring:n=6", 1).g, path = make("path:n=6", 1).g,
             star = make("star:n=6", 1).g;
    mb_graph complete = make("complete:n=6", 1).g, grid = make("grid:rows=2,cols=3", 1).g;
    for (int32_t i = 0; i < 6; i++)
        for (int32_t j = 0; j < 6; j++) {
            int near = i - j == 1 || j - i == 1, below = i - j == 3 || j - i == 3;
            assert_int_equal(linked(&path, i, j), near);
            assert_int_equal(linked(&ring, i, j), near || i - j == 5 || j - i == 5);
            assert_int_equal(linked(&star, i, j), i != j && (!i || !j));
            assert_int_equal(linked(&complete, i, j), i != j);
            assert_int_equal(linked(&grid, i, j), (near && i / 3 == j / 3) || below);
        }
}

TEST(a_tree_links_each_node_to_its_children)
{
    const mb_topology two = make("tree:n=6,arity=2", 1), one = make("tree:n=4,arity=1", 1);

    for (int32_t i = 0; i < 6; i++)
        for (int32_t j = 0; j < 6; j++)
            assert_int_equal(linked(&two.g, i, j),
                             j == 2 * i + 1 || j == 2 * i + 2 || i == 2 * j + 1 || i == 2 * j + 2);
    assert_int_equal(edges(&two), 5);
    for (int32_t i = 0; i < 3; i++)
        assert_true(linked(&one.g, i, i + 1) && one.xy[2 * i + 1] > one.xy[2 * i + 3]);
    assert_int_equal(edges(&one), 3);
    assert_true(two.xy[2] < two.xy[4] && two.xy[3] == two.xy[5]);
}

/* Two complete networks of three, nodes 0..2 and 5..7; 2, 3, 4, 5 are a path. */
TEST(a_barbell_is_two_complete_networks_and_a_path)
{
    const mb_graph g = make("barbell:clique=3,path=2", 1).g;

    assert_int_equal(g.n, 8);
    for (int32_t i = 0; i < 8; i++)
        for (int32_t j = 0; j < 8; j++) {
            const int ends = (i < 3 && j < 3) || (i > 4 && j > 4);
            const int path = (i - j == 1 || j - i == 1) && i > 1 && j > 1 && i < 6 && j < 6;

            assert_int_equal(linked(&g, i, j), i != j && (ends || path));
        }
}

TEST(tiny_networks_are_allowed)
{
    static const struct {
        const char *text;
        int32_t     n;
        int64_t     edges;
    } tiny[] = {{"ring:n=1", 1, 0},
                {"ring:n=2", 2, 1},
                {"ring:n=3", 3, 3},
                {"star:n=1", 1, 0},
                {"path:n=1", 1, 0},
                {"complete:n=1", 1, 0},
                {"grid:rows=1,cols=1", 1, 0},
                {"tree:n=1,arity=3", 1, 0},
                {"barbell:clique=1,path=0", 2, 1},
                {"er:n=1,p=0.5", 1, 0},
                {"geometric:n=1,side=2,radius=1", 1, 0}};
    for (size_t k = 0; k < sizeof tiny / sizeof tiny[0]; k++) {
        mb_topology t = make(tiny[k].text, 1);
        int32_t     n = 0;
        mb_err      err;
        assert_int_equal(t.g.n, tiny[k].n);
        assert_int_equal(edges(&t), tiny[k].edges);
        assert_non_null(t.xy);
        must(mb_topology_size(tiny[k].text, &n, &err));
        assert_int_equal(n, tiny[k].n);
    }
}

TEST(geometric_links_are_exactly_the_pairs_within_the_radius)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        mb_topology t = make("geometric:n=50,side=3.5,radius=0.8", seed);
        for (int32_t i = 0; i < t.g.n; i++) {
            assert_true(t.xy[2 * i] > 0 && t.xy[2 * i] < 3.5);
            assert_true(t.xy[2 * i + 1] > 0 && t.xy[2 * i + 1] < 3.5);
            for (int32_t j = 0; j < i; j++) {
                double dx = t.xy[2 * i] - t.xy[2 * j], dy = t.xy[2 * i + 1] - t.xy[2 * j + 1];
                assert_int_equal(linked(&t.g, i, j), dx * dx + dy * dy <= 0.8 * 0.8);
            }
        }
    }
}

TEST(a_radius_beyond_the_square_links_all)
{
    mb_topology near = make("geometric:n=30,side=1,radius=5", 3), sure = make("er:n=30,p=1", 3);
    assert_int_equal(edges(&near), 30 * 29 / 2);
    assert_int_equal(edges(&sure), 30 * 29 / 2);
}

TEST(random_networks_are_connected_whatever_the_seed)
{
    int redrawn = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        mb_topology t = make("geometric:n=50,side=3.5,radius=0.7", seed),
                    u = make("er:n=30,p=0.12", seed);
        mb_err err;
        must(mb_graph_check_connected(arena, &t.g, NULL, &err));
        must(mb_graph_check_connected(arena, &u.g, NULL, &err));
        redrawn += t.drawn > 1 && u.drawn > 1;
    }
    assert_true(redrawn > 0); /* else the test shows nothing */
}

TEST(the_seed_decides_the_network)
{
    static const char *const text[] = {"geometric:n=50,side=3.5,radius=0.8", "er:n=50,p=0.1"};
    for (int k = 0; k < 2; k++) {
        mb_graph a = make(text[k], 1).g, b = make(text[k], 1).g, c = make(text[k], 2).g;
        size_t   bytes = (size_t)a.ptr[a.n] * sizeof *a.adj;
        assert_int_equal(a.ptr[a.n], b.ptr[b.n]);
        assert_memory_equal(a.adj, b.adj, bytes);
        assert_true(a.ptr[a.n] != c.ptr[c.n] || memcmp(a.adj, c.adj, bytes));
    }
}

/* 200 networks of 30 nodes and p = .5 (hardly one is redrawn): 87000 pairs, standard deviation of
 * the share .0017. Six of them: false alarm below 1e-8. */
TEST(erdos_renyi_links_with_its_probability)
{
    int64_t count = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        mb_topology t = make("er:n=30,p=0.5", seed);
        count += edges(&t);
    }
    assert_true(fabs((double)count / (200 * 435) - 0.5) < 6 * 0.0017);
}

/* From 100000 nodes on, nodes are numbered by cells: links and distances must still agree. */
TEST(a_large_geometric_network_is_exact_where_looked_at)
{
    const double reach = 2.9 * 2.9;
    mb_topology  t = make("geometric:n=100000,side=316,radius=2.9", 1);
    assert_true(t.g.n == 100000);
    for (int32_t i = 0; i < t.g.n; i += 9973) {
        int64_t within = 0;
        for (int32_t j = 0; j < t.g.n; j++) {
            double dx = t.xy[2 * i] - t.xy[2 * j], dy = t.xy[2 * i + 1] - t.xy[2 * j + 1];
            within += j != i && dx * dx + dy * dy <= reach;
        }
        assert_int_equal(within, t.g.ptr[i + 1] - t.g.ptr[i]);
    }
}

TEST(what_never_connects_is_refused_with_advice)
{
    static const char *const text[] = {"geometric:n=20,side=100,radius=1", "er:n=50,p=0.001"};
    mb_topology              t;
    mb_err                   err;
    assert_int_equal(mb_topology_make(arena, text[0], 1, &t, &err), MB_E_ARG);
    assert_string_equal(err.msg, "no connected network of 20 nodes in 10000 draws: give a larger "
                                 "radius, a smaller side or more nodes");
    assert_int_equal(mb_topology_make(arena, text[1], 1, &t, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "give a larger p"));
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "\"\" is not known; expected geometric:"},
    {"torus:n=3", "\"torus\" is not known; expected geometric:"},
    {"rin:n=3", "\"rin\" is not known"},
    {"ring", "n (nodes) is missing; expected ring:n="},
    {"ring:", "n (nodes) is missing"},
    {"ring:n", "\"n\" is not known"},
    {"ring:n=", "n=\"\""},
    {"ring:n=x", "n=\"x\" (nodes); expected whole numbers 1 to"},
    {"ring:n=0", "n=\"0\""},
    {"ring:n=-3", "n=\"-3\""},
    {"ring:n=2.5", "n=\"2.5\""},
    {"ring:n=3 ", "n=\"3 \""},
    {"ring:n=3,", "\"\" is not known"},
    {"ring:n=3,,n=3", "\"\" is not known"},
    {"ring:n=3,n=3", "n is given twice"},
    {"ring:n=3,m=3", "\"m=3\" is not known; expected ring:n="},
    {"ring:n=99999999999", "n=\"99999999999\""},
    {"complete:n=1000000", "n=\"1000000\""},
    {"grid:rows=3", "cols (columns) is missing"},
    {"grid:rows=100000,cols=100000", "10000000000 nodes"},
    {"tree:n=5", "arity (children of a node) is missing"},
    {"tree:n=5,arity=0", "arity=\"0\""},
    {"barbell:clique=3",
     "path (nodes between the ends) is missing; expected barbell:clique=,path="},
    {"barbell:clique=3,path=-1", "path=\"-1\""},
    {"barbell:clique=20000,path=0", "clique=\"20000\""},
    {"er:n=5,p=1.5", "p=\"1.5\" (probability of a link)"},
    {"er:n=5,p=0", "p=\"0\""},
    {"er:n=5,p=nan", "p=\"nan\""},
    {"geometric:n=5,side=3", "radius (longest link) is missing"},
    {"geometric:n=5,side=-1,radius=1", "side=\"-1\""},
};

TEST(bad_descriptions_are_refused_by_name)
{
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        mb_topology t;
        int32_t     n;
        mb_err      err = {0};
        assert_int_equal(mb_topology_make(arena, bad[k].text, 1, &t, &err), MB_E_ARG);
        if (!strstr(err.msg, bad[k].says) || !strstr(err.msg, bad[k].text))
            fail_msg("%s: %s", bad[k].text, err.msg);
        assert_int_equal(mb_topology_size(bad[k].text, &n, &err), MB_E_ARG);
    }
}

TEST(every_topology_has_its_line_of_help)
{
    static const char *const name[] = {
        "geometric:", "ring:", "grid:", "star:", "complete:", "path:", "tree:", "barbell:", "er:"};
    const char *const *help = mb_topology_help();
    for (int k = 0; k < 9; k++)
        assert_true(help[k] && !strncmp(help[k], name[k], strlen(name[k])));
    assert_null(help[9]);
}

RUN_TESTS(arena_up, arena_down)
