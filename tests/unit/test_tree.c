/* The breadth-first tree, and sums over the network up and down it. */
#include "arena.h"
#include "fit/case.h"
#include "net.h"
#include "start/start.h"
#include "start/tree.h"
#include "test.h"

static mb_tree tree_of(net *n, mb_traffic *sent)
{
    mb_tree tree;
    mb_err  err;
    must(mb_agree_tree(arena, arena, &n->tp, &tree, sent, &err));
    return tree;
}

static mb_tree tree_on(const char *topology)
{
    mb_traffic sent = {0, 0};
    return tree_of(net_make(arena, topology), &sent);
}

TEST(hops_are_counted_from_the_lowest_id)
{
    net          *n = net_make(arena, "path:n=5");
    const int32_t ids[5] = {3, 4, 0, 1, 2};
    mb_traffic    sent = {0, 0};
    assert_int_equal(tree_of(n, &sent).hops, 4);
    n->part.gid = ids; /* the lowest id is now in the middle */
    assert_int_equal(tree_of(n, &sent).hops, 2);
    assert_int_equal(tree_on("star:n=9").hops, 1); /* id 0 is the centre */
    assert_int_equal(tree_on("grid:rows=3,cols=4").hops, 5);
    assert_int_equal(tree_on("ring:n=7").hops, 3);
    assert_int_equal(tree_on("complete:n=6").hops, 1);
    assert_int_equal(tree_on("complete:n=1").hops, 0);
}

TEST(a_parent_is_the_lowest_neighbour_one_hop_nearer)
{
    net *n = net_make(arena, "grid:rows=3,cols=4"); /* node 4 r + c, root in the corner */
    const mb_graph *g = &n->part.g;
    mb_traffic      sent = {0, 0};
    const mb_tree   tree = tree_of(n, &sent);
    for (int32_t i = 0; i < 12; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            const int32_t low = i < g->adj[e] ? i : g->adj[e], high = i < g->adj[e] ? g->adj[e] : i;
            /* Above is lower than left: 4 less, not 1; the first row has only left. */
            const int is_link = high < 4 || high - low == 4;

            assert_int_equal(tree.link[e], !is_link ? 0 : i == high ? MB_TO_ROOT : 1);
        }
    assert_int_equal(tree.links, 2 * 11);
}

/* The farthest node of each, by relaxation, and the nearest of these. */
static int32_t radius_of(const mb_graph *g)
{
    int32_t *hop = mb_alloc(arena, (size_t)g->n, sizeof *hop), least = g->n;

    for (int32_t i = 0; i < g->n; i++) {
        int32_t far = 0;

        tree_hops(g, NULL, i, hop);
        for (int32_t j = 0; j < g->n; j++)
            far = hop[j] > far ? hop[j] : far;
        least = far < least ? far : least;
    }
    return least;
}

TEST(the_centre_has_its_farthest_node_as_near_as_any)
{
    static const char *const some[] = {"geometric:n=50,side=3.5,radius=0.8",
                                       "er:n=40,p=0.1",
                                       "grid:rows=10,cols=10",
                                       "ring:n=50",
                                       "path:n=9",
                                       "star:n=6",
                                       "complete:n=1"};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        net          *n = net_make(arena, some[k]);
        mb_traffic    sent = {0, 0};
        const mb_tree tree = tree_of(n, &sent);
        mb_tree       centre;
        mb_err        err;
        int32_t       root = -1, up = 0;

        must(mb_agree_centre(arena, arena, &n->tp, &tree, &centre, &sent, &err));
        assert_int_equal(centre.hops, radius_of(&n->part.g));
        assert_int_equal(centre.links, 2 * (n->part.n_local - 1));
        for (int32_t i = 0; i < n->part.n_local; i++) {
            const int is_root = !centre.depth[i];

            root = is_root ? i : root;
            for (int64_t e = n->part.g.ptr[i]; e < n->part.g.ptr[i + 1]; e++)
                if (centre.link[e] == MB_TO_ROOT) {
                    assert_int_equal(centre.depth[n->part.g.adj[e]], centre.depth[i] - 1);
                    up++;
                }
        }
        assert_true(root >= 0);
        assert_int_equal(up, n->part.n_local - 1);
    }
}

TEST(mean_and_diameter_are_those_of_all_pairs)
{
    static const char *const some[] = {"geometric:n=50,side=3.5,radius=0.8",
                                       "er:n=40,p=0.1",
                                       "grid:rows=5,cols=7",
                                       "ring:n=9",
                                       "ring:n=10",
                                       "complete:n=8",
                                       "path:n=2"};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        net          *n = net_make(arena, some[k]);
        mb_traffic    sent = {0, 0};
        const mb_tree tree = tree_of(n, &sent);
        double        mean;
        int32_t       longest;
        assert_int_equal(tree.links, 2 * (n->part.n_local - 1));
        tree_facts(arena, &n->part.g, tree.link, &mean, &longest);
        assert_int_equal(tree.diameter, longest);
        assert_true(fabs(tree.mean - mean) <= 1e-13 * mean);
    }
}

TEST(mean_and_diameter_have_their_closed_forms)
{
    for (int32_t n = 1; n < 200; n += 33) {
        char         text[32];
        const double nodes = n;
        mb_tree      tree;
        snprintf(text, sizeof text, "path:n=%d", n < 2 ? 2 : n);
        if (n > 1) {
            tree = tree_on(text);
            assert_int_equal(tree.diameter, n - 1);
            assert_true(fabs(tree.mean - (nodes * nodes - 1) / (3 * nodes)) <= 1e-12 * nodes);
            snprintf(text, sizeof text, "star:n=%d", n);
            tree = tree_on(text);
            assert_int_equal(tree.diameter, 2);
            assert_true(fabs(tree.mean - 2 * (nodes - 1) * (nodes - 1) / (nodes * nodes)) <= 1e-12);
        }
    }
    assert_int_equal(tree_on("complete:n=1").diameter, 0);
    assert_true(tree_on("complete:n=1").mean == 0);
}

TEST(every_node_ends_with_the_sum_in_the_order_of_the_tree)
{
    net       *n = net_make(arena, "star:n=4");
    mb_traffic sent = {0, 0};
    mb_tree    tree = tree_of(n, &sent);
    mb_wave    w;
    mb_err     err;
    must(mb_wave_new_(arena, &n->tp, &tree, 2, &w, &err));
    for (int again = 0; again < 2; again++) { /* a wave may run more than once */
        static const double x[4] = {1e16, 1, -1e16, 1};
        sent = (mb_traffic){0, 0};
        for (int32_t i = 0; i < 4; i++) {
            mb_wave_at_(&w, i)[0] = x[i];
            mb_wave_at_(&w, i)[1] = i;
        }
        must(mb_wave_run_(&w, mb_join_sum_, &sent, &err));
        for (int32_t i = 0; i < 4; i++) {
            assert_true(mb_wave_at_(&w, i)[0] ==
                        1); /* ((1e16 + 1) - 1e16) + 1, where 1e16 + 1 = 1e16 */
            assert_true(mb_wave_at_(&w, i)[1] == 6);
        }
        assert_int_equal(sent.frames, 2 * 3); /* each link, up and down */
        assert_int_equal(sent.bytes, 2 * 3 * (48 + 2 * 8));
    }
}

enum { EXACT_N = 12, EXACT_LEN = 4 };

/* Numbers of all sizes, the last 0 everywhere. */
static double number_of(int32_t gid, int l)
{
    static const double unit[EXACT_LEN] = {1, 1e-120, 1e140, 0};

    return unit[l] * sin(1 + gid + 3 * l) * exp(gid);
}

/* What node 5 has sent up. */
static const mb_transport_ops *inner_ops;
static double                  seen_words[2 * EXACT_LEN];

static mb_status look_and_begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    enum { LEAF = 5 };

    if (t == 1 && mail->sent[LEAF] && mail->len == 2 * EXACT_LEN)
        memcpy(seen_words, mail->plane + LEAF * mail->ld, sizeof seen_words);
    return inner_ops->begin(tp, t, mail, err);
}

static void exact_sum(const char *topology, mb_exact_ *exact, double all[EXACT_LEN])
{
    net             *n = net_make(arena, topology);
    mb_traffic       sent = {0, 0};
    mb_tree          tree = tree_of(n, &sent);
    mb_transport_ops ops = *n->tp.ops;
    mb_wave          w;
    mb_err           err;

    inner_ops = n->tp.ops;
    ops.begin = look_and_begin;
    n->tp.ops = &ops;
    tree.exact = exact;
    must(mb_wave_new_(arena, &n->tp, &tree, EXACT_LEN, &w, &err));
    for (int32_t i = 0; i < EXACT_N; i++)
        for (int l = 0; l < EXACT_LEN; l++)
            mb_wave_at_(&w, i)[l] = number_of(i, l);
    must(mb_wave_sum_(&w, &sent, &err));
    memcpy(all, mb_wave_at_(&w, 0), EXACT_LEN * sizeof *all);
    for (int32_t i = 1; i < EXACT_N; i++)
        assert_memory_equal(mb_wave_at_(&w, i), all, EXACT_LEN * sizeof *all);
}

static mb_masks *start_masks(const char *topology)
{
    mb_masks *m;
    mb_err    err;

    must(mb_masks_simulated_(arena, &net_make(arena, topology)->part, 7, MB_MASKS_FEW_, &m, &err));
    return m;
}

TEST(an_exact_sum_has_the_same_bits_in_every_tree_masked_and_not)
{
    static const char *const some[] = {"star:n=12", "path:n=12", "ring:n=12", "grid:rows=3,cols=4"};
    double                   first[EXACT_LEN], all[EXACT_LEN];

    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        mb_exact_ open = {NULL, 0}, masked = {start_masks(some[k]), 0};

        exact_sum(some[k], &open, k ? all : first);
        if (k)
            assert_memory_equal(all, first, sizeof all);
        exact_sum(some[k], &masked, all);
        assert_memory_equal(all, first, sizeof all);
        assert_int_equal(masked.sums, 1);
    }
    for (int l = 0; l < EXACT_LEN; l++) {
        long double sum = 0, most = 0;

        for (int32_t i = 0; i < EXACT_N; i++) {
            sum += number_of(i, l);
            most = fmaxl(most, fabsl(number_of(i, l)));
        }
        assert_true(fabsl(first[l] - sum) <= EXACT_N * 0x1p-52L * most);
    }
}

/* Words of the same numbers: without masks, with those of one sum, and with those of the next. */
TEST(each_sum_of_the_start_has_a_mask_of_its_own)
{
    mb_exact_ open = {NULL, 0}, masked = {start_masks("star:n=12"), 0};
    double    all[EXACT_LEN], plain[2 * EXACT_LEN], before[2 * EXACT_LEN];

    exact_sum("star:n=12", &open, all);
    memcpy(plain, seen_words, sizeof plain);
    exact_sum("star:n=12", &masked, all);
    memcpy(before, seen_words, sizeof before);
    exact_sum("star:n=12", &masked, all);
    for (size_t l = 0; l < 2 * EXACT_LEN; l++) {
        assert_true(mb_word(before, l) != mb_word(plain, l));
        assert_true(mb_word(seen_words, l) != mb_word(plain, l));
        assert_true(mb_word(seen_words, l) - mb_word(before, l) != 0);
    }
}

TEST(a_sum_that_is_not_finite_is_refused)
{
    net       *n = net_make(arena, "path:n=3");
    mb_traffic sent = {0, 0};
    mb_tree    tree = tree_of(n, &sent);
    mb_exact_  exact = {NULL, 0};
    mb_wave    w;
    mb_err     err;

    tree.exact = &exact;
    must(mb_wave_new_(arena, &n->tp, &tree, 1, &w, &err));
    mb_wave_at_(&w, 1)[0] = (double)INFINITY;
    assert_int_equal(mb_wave_sum_(&w, &sent, &err), MB_E_NUMERIC);
}

TEST(the_tree_costs_its_flood_a_broadcast_and_five_numbers)
{
    mb_traffic sent = {0, 0};
    tree_of(net_make(arena, "path:n=3"), &sent);
    /* Flood of (id, hops): all (4 links); nodes 1 and 2 have heard better (3); node 2 (1). */
    assert_int_equal(sent.frames, (3 + 2 + 1) + 3 + 2 * 2);
    assert_int_equal(sent.bytes, 8 * (48 + 2 * 8) + 4 * (48 + 8) + 4 * (48 + 5 * 8));
}

TEST(a_network_in_two_pieces_has_no_tree)
{
    const int32_t edges[] = {0, 1, 2, 3};
    net          *n = net_from_edges(arena, 4, 2, edges);
    mb_tree       tree;
    mb_err        err;
    mb_traffic    sent = {0, 0};
    assert_int_equal(mb_agree_tree(arena, arena, &n->tp, &tree, &sent, &err), MB_E_PEER);
}

RUN_TESTS(arena_up, arena_down)
