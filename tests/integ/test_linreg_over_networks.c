/* Linear regression over a network is the regression on all rows: EDGE, FLOW and ADMM end at the
 * closed form at every node, which the tests' own normal equations give. */
#include "core/observe.h"
#include "linreg_world.h"
#include "test.h"

/* Relative to the parameter or 1. */
static const double NEAR = 1e-9;

enum { LEN = 32, SCRATCH = 128, ROWS = 20 };

static const char *const NETWORK[] = {"geometric:n=50,side=3.5,radius=0.8", "star:n=20",
                                      "ring:n=16", "grid:rows=5,cols=6"};
enum { NETWORKS = sizeof NETWORK / sizeof *NETWORK };

static mb_status drop_line(void *to, const char *line, size_t len, mb_err *err)
{
    (void)to, (void)line, (void)len, (void)err;
    return MB_OK;
}

/* The node farthest from the closed form, in a, b, m and Lambda. */
static double far_from_closed_form(const run *r, const mb_linreg_opt *o)
{
    const mb_layout *l = &r->w->model.layout;
    const int32_t    n = r->w->net->part.n_local;
    double           want[LEN], par[LEN], scratch[SCRATCH], far = 0;
    mb_err           err;

    assert_true(l->len <= LEN && l->scratch <= SCRATCH);
    lr_posterior(o, r->w->rows, n, want);
    for (int32_t i = 0; i < n; i++) {
        must(mb_to_par(l, phi_of(r, i), par, scratch, &err));
        far = fmax(far, apart(par, want, l->len));
    }
    return far;
}

static void expect_closed_form(const char *network, int32_t intercept, const mb_algo *algo,
                               const mb_faults *f, int64_t rounds)
{
    mb_arena           *a = mb_arena_new(1 << 20);
    const mb_linreg_opt o = mb_linreg_defaults(LR_D, intercept);
    const world        *w = linreg_world_of(a, network, MB_METROPOLIS, 1, ROWS, &o);
    run                *r = world_run(w, algo, "", f);
    double              far;

    must(world_go(r, rounds, 1, NULL, 0));
    far = far_from_closed_form(r, &o);
    if (!(far < NEAR))
        fail_msg("%s on %s, intercept %d, %d rounds: %g from the closed form", algo->name, network,
                 (int)intercept, (int)rounds, far);
    mb_arena_free(a);
}

TEST(edge_flow_and_admm_end_at_the_closed_form)
{
    const mb_algo *const algos[] = {&mb_algo_edge, &mb_algo_flow, &mb_algo_admm};

    for (int n = 0; n < NETWORKS; n++)
        for (int k = 0; k < 3; k++)
            for (int32_t intercept = 0; intercept < 2; intercept++)
                expect_closed_form(NETWORK[n], intercept, algos[k], NULL, 1500);
}

TEST(edge_does_so_with_a_third_of_the_messages_lost)
{
    const mb_faults f = {.loss_directed = 0.3, .seed = 7};

    for (int n = 0; n < NETWORKS; n++)
        expect_closed_form(NETWORK[n], 1, &mb_algo_edge, &f, 2500);
}

/* The claims above could fail: a node's own posterior is another one. */
TEST(a_node_alone_is_far_from_it)
{
    mb_arena           *a = mb_arena_new(1 << 20);
    const mb_linreg_opt o = mb_linreg_defaults(LR_D, 1);
    const world        *w = linreg_world_of(a, NETWORK[0], MB_METROPOLIS, 1, ROWS, &o);
    run                *r = world_run(w, &mb_algo_noncoop, "", NULL);

    must(world_go(r, 1, 1, NULL, 0));
    assert_true(far_from_closed_form(r, &o) > 0.1);
    mb_arena_free(a);
}

/* Observers do without components: labels are dropped, the divergence needs no alignment, and the
 * nodes' bounds average to the log marginal likelihood. */
TEST(metrics_know_no_components)
{
    mb_arena           *a = mb_arena_new(1 << 20);
    const mb_linreg_opt o = mb_linreg_defaults(LR_D, 1);
    world              *w = linreg_world_of(a, NETWORK[0], MB_METROPOLIS, 1, ROWS, &o);
    run                *r = world_run(w, &mb_algo_edge, "", NULL);
    const int32_t      *label = mb_alloc(a, 50 * ROWS, sizeof *label);
    mb_metrics          m = {.on = (1u << MB_M_COUNT) - 1, .label = label, .nclass = 2};
    mb_observer         trace;
    double              par[LEN], moved, bound, evidence = lr_posterior(&o, w->rows, 50, par);

    world_solve(w);
    m.cvb = w->cvb;
    must(mb_metrics_new(a, &r->problem, &m, &r->err));
    assert_int_equal(m.on & (1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_ARI), 0);
    must(mb_trace_new(a, &m, NULL, drop_line, NULL, &trace, &r->err));
    must(world_go(r, 1500, 1, &trace, 1));
    assert_near(m.value[MB_M_KL_CVB].max, 0, NEAR);
    assert_near(m.value[MB_M_BOUND].mean, evidence, NEAR);
    assert_true(m.value[MB_M_BOUND_SKLEARN].mean > evidence); /* of each node's own rows, N times */
    must(mb_central_check(a, &r->problem, w->cvb, &moved, &bound, &r->err));
    assert_near(moved, 0, NEAR);
    assert_near(bound, evidence, NEAR);
    mb_arena_free(a);
}

RUN_TESTS(NULL, NULL)
