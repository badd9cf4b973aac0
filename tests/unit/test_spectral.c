/* Statistics of networks against closed forms, and the spectrum against dense eigenvalues. */
#include "arena.h"
#include "network/graph.h"
#include "num/num.h"
#include "test.h"

static const double pi = 3.141592653589793;
/* The header's promise: an error of a few 1e-14 of the largest eigenvalue. */
static const double tol_end = 1e-13;
/* Power iteration: agreement of two looks to 1e-9; the error left is of that order. */
static const double tol_power = 1e-8;

static mb_graph graph_of(const char *text)
{
    mb_topology t;
    mb_err      err;
    must(mb_topology_make(arena, text, 1, &t, &err));
    return t.g;
}

static mb_graph_stats stats_of(const mb_graph *g, const mb_weights *w)
{
    mb_graph_stats s;
    mb_err         err = {0};
    if (mb_graph_describe(arena, g, w, &s, &err) < 0)
        fail_msg("%s", err.msg);
    return s;
}

static mb_graph_stats stats_by_rule(const mb_graph *g, mb_rule rule)
{
    mb_weights w;
    mb_err     err;
    must(mb_weights_make(arena, g, rule, &w, &err));
    return stats_of(g, &w);
}

TEST(algebraic_connectivity_is_the_closed_form)
{
    const struct {
        const char *text;
        double      expected, largest; /* largest eigenvalue: the scale of rounding */
    } known[] = {
        {"ring:n=5", 2 * (1 - cos(2 * pi / 5)), 4},
        {"ring:n=1000", 2 * (1 - cos(2 * pi / 1000)), 4},
        {"path:n=2", 2, 2},
        {"path:n=3", 1, 3},
        {"path:n=30", 2 * (1 - cos(pi / 30)), 4},
        {"path:n=1000", 2 * (1 - cos(pi / 1000)), 4},
        {"complete:n=2", 2, 2},
        {"complete:n=40", 40, 40},
        {"star:n=3", 1, 3},
        {"star:n=50", 1, 50},
        {"star:n=1000", 1, 1000},
        {"grid:rows=7,cols=7", 2 * (1 - cos(pi / 7)), 8},
        {"grid:rows=4,cols=9", 2 * (1 - cos(pi / 9)), 8},
        {"grid:rows=25,cols=40", 2 * (1 - cos(pi / 40)), 8},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        mb_graph       g = graph_of(known[k].text);
        mb_graph_stats s = stats_of(&g, NULL);
        assert_near(s.algebraic_connectivity / known[k].largest,
                    known[k].expected / known[k].largest, tol_end);
        assert_int_equal(s.spectrum_exact, 1);
        assert_true(isnan(s.lambda2));
    }
}

TEST(second_modulus_is_the_closed_form)
{
    const struct {
        const char *text;
        mb_rule     rule;
        double      expected;
    } known[] = {
        /* ring: (1 + 2 cos) / 3 for all rules */
        {"ring:n=12", MB_NEAREST, (1 + 2 * cos(2 * pi / 12)) / 3},
        {"ring:n=1000", MB_METROPOLIS, (1 + 2 * cos(2 * pi / 1000)) / 3},
        /* laplacian: 1 - (second eigenvalue) / (1 + max degree) */
        {"path:n=50", MB_LAPLACIAN, 1 - 2 * (1 - cos(pi / 50)) / 3},
        {"grid:rows=7,cols=7", MB_LAPLACIAN, 1 - 2 * (1 - cos(pi / 7)) / 5},
        {"star:n=9", MB_METROPOLIS, 1 - 1.0 / 9},
        /* star, nearest: leaves against each other 1/2; hub against leaves 1/2 + 1/n - 1 */
        {"star:n=9", MB_NEAREST, 0.5},
        {"complete:n=10", MB_NEAREST, 0},
        {"complete:n=10", MB_METROPOLIS, 0},
        {"path:n=2", MB_METROPOLIS, 0},
        {"path:n=3", MB_NEAREST, 0.5},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        mb_graph g = graph_of(known[k].text);
        assert_near(stats_by_rule(&g, known[k].rule).lambda2, known[k].expected, tol_end);
    }
}

/* Entry (i, j) of the weights, or of the symmetric matrix similar to nearest weights. */
static void dense(const mb_graph *g, const mb_weights *w, int nearest, double *out)
{
    memset(out, 0, (size_t)g->n * (size_t)g->n * sizeof *out);
    for (int32_t i = 0; i < g->n; i++) {
        out[i * g->n + i] = w->self[i];
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            out[i * g->n + g->adj[e]] =
                nearest ? sqrt(w->edge[e] * w->edge[g->rev[e]]) : w->edge[e];
    }
}

TEST(second_modulus_is_that_of_dense_eigenvalues)
{
    static const char *const text[] = {"geometric:n=50,side=3.5,radius=0.8", "er:n=40,p=0.15",
                                       "path:n=17", "grid:rows=3,cols=5", "star:n=20"};
    static double            matrix[50 * 50], value[50];
    for (int k = 0; k < 5; k++) {
        mb_graph g = graph_of(text[k]);
        for (int rule = MB_NEAREST; rule <= MB_LAPLACIAN; rule++) {
            mb_weights w;
            mb_err     err;
            must(mb_weights_make(arena, &g, (mb_rule)rule, &w, &err));
            dense(&g, &w, rule == MB_NEAREST, matrix);
            must(mb_eig_sym_(matrix, g.n, value, NULL));
            assert_near(value[g.n - 1], 1, tol_end);
            assert_near(stats_of(&g, &w).lambda2, fmax(fabs(value[0]), fabs(value[g.n - 2])),
                        tol_end);
        }
    }
}

TEST(a_large_negative_eigenvalue_counts_by_its_modulus)
{
    /* two nodes that swap nearly all: eigenvalues 1 and -0.8 */
    static const int32_t ij[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const double  value[] = {0.1, 0.9, 0.9, 0.1};
    mb_weights           w;
    mb_err               err;
    mb_graph             g = graph_of("path:n=2");
    must(mb_weights_from(arena, &g, NULL, 4, ij, value, &w, &err));
    assert_near(stats_of(&g, &w).lambda2, 0.8, tol_end);
}

/* On a ring, weight a for the next node, b for the one before and c = 1 - a - b for oneself:
 * eigenvalues c + a e^{is} + b e^{-is}, s = 2 pi k / n; with a != b there is no detailed balance. */
TEST(weights_without_detailed_balance_take_power_iteration)
{
    enum { N = 9 };
    const double a = 0.5, b = 0.2, c = 0.3;
    int32_t      ij[6 * N];
    double       value[3 * N], expected = 0;
    mb_weights   w;
    mb_err       err;
    for (int i = 0; i < N; i++) {
        const int32_t to[3] = {(i + 1) % N, (i + N - 1) % N, i};
        const double  by[3] = {a, b, c};
        for (int k = 0; k < 3; k++) {
            ij[6 * i + 2 * k] = i;
            ij[6 * i + 2 * k + 1] = to[k];
            value[3 * i + k] = by[k];
        }
        if (i) {
            double s = 2 * pi * i / N;
            expected = fmax(expected, hypot(c + (a + b) * cos(s), (a - b) * sin(s)));
        }
    }
    mb_graph g = graph_of("ring:n=9");
    must(mb_weights_from(arena, &g, NULL, 3 * N, ij, value, &w, &err));
    mb_graph_stats s = stats_of(&g, &w);
    assert_near(s.lambda2, expected, tol_power);
    assert_int_equal(s.spectrum_exact, 1);
}

/* Everybody copies node 0: one round and all agree, every eigenvalue but the leading is 0. */
TEST(copying_one_node_leaves_nothing)
{
    static const int32_t ij[] = {0, 0, 1, 0, 2, 0, 3, 0};
    static const double  value[] = {1, 1, 1, 1};
    mb_weights           w;
    mb_err               err;
    mb_graph             g = graph_of("star:n=4");
    must(mb_weights_from(arena, &g, NULL, 4, ij, value, &w, &err));
    assert_near(stats_of(&g, &w).lambda2, 0, tol_end);
}

TEST(degrees_and_diameters_are_those_of_the_shapes)
{
    static const struct {
        const char *text;
        int64_t     edges;
        int32_t     deg_min, deg_max, diameter;
    } known[] = {{"ring:n=10", 10, 2, 2, 5},     {"ring:n=11", 11, 2, 2, 5},
                 {"path:n=10", 9, 1, 2, 9},      {"star:n=10", 9, 1, 9, 2},
                 {"complete:n=10", 45, 9, 9, 1}, {"grid:rows=3,cols=5", 22, 2, 4, 6},
                 {"complete:n=1", 0, 0, 0, 0},   {"path:n=300", 299, 1, 2, 299}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        mb_graph       g = graph_of(known[k].text);
        mb_graph_stats s = stats_of(&g, NULL);
        assert_int_equal(s.edges, known[k].edges);
        assert_int_equal(s.deg_min, known[k].deg_min);
        assert_int_equal(s.deg_max, known[k].deg_max);
        assert_int_equal(s.diameter, known[k].diameter);
        assert_int_equal(s.diameter_exact, 1);
        assert_near(s.deg_mean, 2.0 * (double)s.edges / g.n, 1e-15 * g.n);
    }
}

TEST(a_node_alone_has_zero_spectrum)
{
    mb_graph       g = graph_of("complete:n=1");
    mb_graph_stats s = stats_by_rule(&g, MB_METROPOLIS);
    assert_true(s.algebraic_connectivity == 0 && s.lambda2 == 0 && s.spectrum_exact);
}

/* Too large for every search: the sweep still finds a path's ends, the spectrum is a bound. */
TEST(beyond_the_work_limit_bounds_are_marked)
{
    mb_graph       g = graph_of("path:n=14000");
    mb_graph_stats s = stats_of(&g, NULL);
    assert_int_equal(s.diameter_exact, 0);
    assert_int_equal(s.diameter, 13999);
    assert_int_equal(s.spectrum_exact, 0);
    assert_true(s.algebraic_connectivity >= 2 * (1 - cos(pi / 14000)) - tol_end * 4);
    assert_true(s.algebraic_connectivity < 1e-3);
}

TEST(a_disconnected_network_is_refused)
{
    static const int32_t edges[] = {0, 1};
    mb_graph             g;
    mb_graph_stats       s;
    mb_err               err;
    must(mb_graph_from_edges(arena, 3, 1, edges, &g, &err));
    assert_int_equal(mb_graph_describe(arena, &g, NULL, &s, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "not connected: 2 components: {1, 2}, {3}"));
}

RUN_TESTS(arena_up, arena_down)
