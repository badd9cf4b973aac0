/* Nodes run any algorithm that bears what happens to them, and refuse the others in words. */
#include "algo/nodes.h"
#include "blend.h"
#include "mesh/frame.h"
#include "mesh_world.h"
#include "test.h"
#include "tree_sum.h"

static const struct {
    unsigned    flag;
    const char *word;
} borne[] = {{MB_BEARS_LOSS, " loss,"},
             {MB_BEARS_SPEEDS, " nodes of their own speeds,"},
             {MB_BEARS_CHURN, " nodes that come and go,"}};

enum { BORNE = sizeof borne / sizeof *borne, SECOND = 1000000 };

/* A node of this algorithm is refused, and the message names what it does not bear. */
static void check_refused(const mb_algo *a, unsigned bears)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_peer_opt o = {.plan = &w->plan, .incarnation = 1};
    char        begins[64];
    mb_peer    *p;

    w->plan.algo = a;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_NOSUP);
    assert_int_equal(mb_peer_bytes(&o), 0);
    snprintf(begins, sizeof begins, "algorithm: %s does not bear ", a->name);
    assert_ptr_equal(strstr(err.msg, begins), err.msg);
    assert_string_equal(strstr(err.msg, "; use "), "; use edge");
    assert_null(strchr(err.msg, '\n'));
    for (int k = 0; k < BORNE; k++)
        assert_true((strstr(err.msg, borne[k].word) == NULL) == ((bears & borne[k].flag) != 0));
}

TEST(every_listed_algorithm_without_a_flag_is_refused)
{
    int refused = 0;

    for (const mb_algo *const *a = mb_algo_list(); *a; a++)
        if (*a != &mb_algo_edge && *a != &mb_algo_sum) {
            check_refused(*a, (*a)->bears);
            refused++;
        }
    assert_int_equal(refused, 8);
    check_refused(&mb_algo_squarem, 0);
    check_refused(&tree_sum, MB_BEARS_LOSS);
}

/* Also one that says that it bears all, but has no functions for it. */
TEST(one_that_lacks_one_flag_or_the_functions_is_refused)
{
    mb_algo a = blend;

    for (int k = 0; k < BORNE; k++) {
        a.bears = blend.bears & ~borne[k].flag;
        check_refused(&a, a.bears);
    }
    a.bears = blend.bears;
    a.mesh = NULL;
    check_refused(&a, a.bears & ~(unsigned)MB_BEARS_CHURN);
}

TEST(options_that_the_state_has_no_room_for_are_refused)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_peer_opt o = {.plan = &w->plan, .incarnation = 1};
    mb_algo     a = blend;
    mb_peer    *p;

    w->plan.algo = &a;
    a.opt_size = MB_MESH_OPT + 1;
    assert_int_equal(mb_peer_new(arena, &o, &p, &err), MB_E_ARG);
    assert_string_equal(err.msg,
                        "algorithm: got options of 41 bytes of blend; expected at most 40");
    a.opt_size = MB_MESH_OPT;
    OK(mb_peer_new(arena, &o, &p, &err));
}

TEST(a_name_is_found_or_refused_with_those_that_can)
{
    const mb_algo *a = NULL;

    OK(mb_node_algo_find_("edge", &a, &err));
    assert_ptr_equal(a, &mb_algo_edge);
    assert_int_equal(mb_node_algo_find_("flow", &a, &err), MB_E_NOSUP);
    assert_string_equal(err.msg, "algorithm: flow does not bear nodes of their own speeds, nodes "
                                 "that come and go, and cannot run on the nodes of a mesh; use "
                                 "edge");
    assert_int_equal(mb_node_algo_find_("fusion", &a, &err), MB_E_ARG);
    assert_string_equal(err.msg, "algorithm: got fusion; expected edge, sum");
}

/* Frames of nodes that run another algorithm are refused by the plan, with a reason; EDGE, which is
 * the default, has the hash and the words of a plan that names none. */
TEST(another_algorithm_is_another_plan)
{
    mesh_world *w = mesh_make("path:n=2", 5);
    mb_plan     edge = w->plan, other = w->plan;
    char        words[401];
    size_t      n;

    edge.algo = &mb_algo_edge;
    other.algo = &blend;
    assert_true(mb_plan_hash_(&edge) == mb_plan_hash_(&w->plan));
    assert_true(mb_plan_hash_(&other) != mb_plan_hash_(&w->plan));
    words[mb_plan_words_(&edge, words, 400)] = 0;
    assert_null(strstr(words, "algorithm"));
    n = mb_plan_words_(&other, words, 400);
    words[n] = 0;
    assert_non_null(strstr(words, ", algorithm blend"));
    assert_int_equal(mb_words_compare_(&edge, words, n, &err), MB_E_PEER);
    assert_non_null(strstr(err.msg, "algorithm is not given here and blend there"));
}

/* phi of all nodes where the simulator ends; ld doubles each. */
static const double *rest_of_simulator(const mesh_world *w, size_t *ld)
{
    const mb_method how = {.algo = &blend, .rounds = 1500};
    const mb_start  start = {.how = MB_INIT_CENTRES, .centres = syn_mean[0]};
    mb_session      s;
    double         *phi;
    size_t          n;

    OK(mb_session_open(&w->c, &how, &s, &err));
    OK(mb_session_seed(&s, &start, 0, &err));
    OK(mb_session_run(&s, &err));
    *ld = s.state.ld;
    n = (size_t)w->net.n * *ld;
    phi = mb_alloc(arena, n, sizeof *phi);
    memcpy(phi, s.state.phi, n * sizeof *phi);
    mb_session_close(&s);
    return phi;
}

static double largest(const double *x, const double *y, size_t n)
{
    double far = 0;

    for (size_t l = 0; l < n; l++)
        far = fmax(far, fabs(x[l] - (y ? y[l] : 0)));
    return far;
}

/* Loss, delay, own speeds, a node that dies and returns blank, one that leaves a while by a cut. */
TEST(diffusion_on_nodes_rests_where_the_simulator_does)
{
    mb_event      event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_KILL, .a = 1},
                             {.at_us = 3 * SECOND, .kind = MB_EVENT_CUT, .a = 3, .b = 4},
                             {.at_us = 6 * SECOND, .kind = MB_EVENT_HEAL, .a = 3, .b = 4},
                             {.at_us = 8 * SECOND, .kind = MB_EVENT_START, .a = 1}};
    mesh_world   *w = mesh_make("ring:n=6", 30);
    size_t        ld;
    const double *at = rest_of_simulator(w, &ld);
    mb_virtual   *v;

    w->plan.algo = &blend;
    w->opt.peer.n_nodes = 6; /* 1/s of the leader's share is not N here */
    w->opt.loss = 0.3;
    w->opt.speed[0] = 1;
    w->opt.speed[1] = 3;
    w->opt.delay_us[0] = 1000;
    w->opt.delay_us[1] = 50000;
    w->opt.schedule = (mb_schedule){.n = 4, .event = event};
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, (int64_t)600 * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
    for (int32_t i = 0; i < w->net.n; i++) {
        const double *is = mb_peer_phi(mb_virtual_peer(v, i)), *was = at + (size_t)i * ld;
        const size_t  L = w->genesis.len;

        if (!(largest(is, was, L) <= 1e-6 * largest(was, NULL, L)))
            fail_msg("node %d: %g of %g away", i, largest(is, was, L), largest(was, NULL, L));
    }
    assert_true(largest(at, at + ld, w->genesis.len) > 1); /* an answer of its own at each node */
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)
