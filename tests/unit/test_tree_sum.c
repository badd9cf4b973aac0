/* An algorithm of tests whose nodes wait for messages, of two vectors of integers: central VB by exact
 * sums over a tree. Its passes against sums in one place, on networks, with faults, and under the
 * stopping rule. */
#include "arena.h"
#include "core/observe.h"
#include "core/run.h"
#include "gmm_world.h"
#include "test.h"
#include "tree_sum.h"

enum { NODES = 12, ROWS = 40, PASSES = 8 };

static const double UNIT = 0x1p-40;

/* phi after each pass, PASSES x L: integers added up in one place. */
static double *passes_in_one_place(const world *w)
{
    const size_t L = w->model.layout.len;
    double      *phi = mb_alloc(arena, PASSES * L, sizeof *phi), *star = doubles(NODES * L);
    double      *scratch = doubles(mb_local_scratch(&w->model));
    mb_err       err;

    memcpy(star, w->star, NODES * L * sizeof *star);
    for (size_t p = 0; p < PASSES; p++) {
        for (size_t l = 0; l < L; l++) {
            int64_t total = 0;

            for (size_t i = 0; i < NODES; i++)
                total += llrint((star[i * L + l] - w->model.prior[l]) / NODES / UNIT);
            phi[p * L + l] = w->model.prior[l] + UNIT * (double)total;
        }
        for (size_t i = 0; i < NODES; i++)
            must(mb_local_step(&w->model, &w->rows[i], NODES, phi + p * L, star + i * L, NULL, NULL,
                               scratch, &err));
    }
    return phi;
}

static int64_t passes_of(const run *r, int32_t i)
{
    return (int64_t)r->state.memo[i * r->state.nmemo + TREE_SUM_PASS] - 1;
}

/* The fewest passes of a node. */
static int64_t passes_done(const run *r)
{
    int64_t least = INT64_MAX;

    for (int32_t i = 0; i < NODES; i++)
        least = passes_of(r, i) < least ? passes_of(r, i) : least;
    return least;
}

/* Compares each node with what it must be after as many passes as it has made. */
typedef struct eye {
    const run    *r;
    const double *want;
} eye;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const eye   *e = self;
    const size_t L = p->model->layout.len;

    (void)err;
    for (int32_t i = 0; i < NODES; i++) {
        const int64_t done = passes_of(e->r, i);

        if (done > 0 && done <= PASSES)
            assert_memory_equal(s->phi + (size_t)i * s->ld, e->want + (size_t)(done - 1) * L,
                                L * sizeof(double));
    }
    return MB_OK;
}

/* Rounds until all nodes have made PASSES passes, each of them checked. */
static int64_t rounds_of(const world *w, const double *want, const mb_faults *f, int32_t threads)
{
    run              *r = world_run(w, &tree_sum, "", f);
    eye               e = {r, want};
    const mb_observer obs = {.self = &e, .every = 1, .see = see};

    while (passes_done(r) < PASSES) {
        assert_true(r->state.t < 5000);
        must(world_go(r, r->state.t + 1, threads, &obs, 1));
    }
    return r->state.t;
}

static const char *const networks[] = {"path:n=12", "star:n=12", "complete:n=12",
                                       "geometric:n=12,side=2,radius=0.8"};
enum { NETWORKS = sizeof networks / sizeof *networks };

static world *world_on(const char *network, int32_t root)
{
    world *w = gmm_world(arena, network, MB_METROPOLIS, 3, ROWS);

    w->net->part.tree = tree_links(arena, &w->net->topology.g, root);
    return w;
}

/* Any tree of any network: bit-identical to sums in one place, in as many rounds as the longest path
 * has hops. */
TEST(each_pass_is_the_sum_in_one_place_whatever_the_tree)
{
    const double *want = passes_in_one_place(world_on(networks[0], 0));

    for (int k = 0; k < NETWORKS; k++)
        for (int32_t root = 0; root < NODES; root += 5) {
            const world *w = world_on(networks[k], root);
            double       mean;
            int32_t      hops;

            tree_facts(arena, &w->net->topology.g, w->net->part.tree, &mean, &hops);
            assert_int_equal(rounds_of(w, want, NULL, 1), PASSES * hops);
        }
}

TEST(late_and_lost_messages_cost_rounds_and_change_no_bit)
{
    static const mb_faults f[] = {{.loss = 0.3, .seed = 1},
                                  {.loss_directed = 0.5, .seed = 2},
                                  {.silent = 0.3, .seed = 3},
                                  {.delay = 4, .seed = 4},
                                  {.loss = 0.2, .silent = 0.1, .delay = 3, .seed = 5}};
    const world           *w = world_on("geometric:n=12,side=2,radius=0.8", 0);
    const double          *want = passes_in_one_place(w);
    const int64_t          clean = rounds_of(w, want, NULL, 1);

    for (size_t k = 0; k < sizeof f / sizeof *f; k++) {
        const int64_t rounds = rounds_of(w, want, &f[k], 1);

        assert_true(rounds > clean);
        assert_int_equal(rounds_of(w, want, &f[k], 3), rounds);
    }
}

/* Each node rounds each number by at most half a unit. */
TEST(the_first_pass_is_the_mean_of_the_initialisation)
{
    const world  *w = world_on("star:n=12", 0);
    const size_t  L = w->model.layout.len;
    const double *phi = passes_in_one_place(w);

    for (size_t l = 0; l < L; l++) {
        double mean = 0;

        for (size_t i = 0; i < NODES; i++)
            mean += w->star[i * L + l] / NODES;
        assert_true(fabs(phi[l] - mean) <= NODES * UNIT / 2 + 1e-13 * fabs(mean));
    }
}

/* A frame has a head and two vectors of L + 1 numbers; it leaves each node over each of its links. */
TEST(a_message_of_two_vectors_is_one_frame_of_their_length)
{
    const world *w = world_on("path:n=12", 0);
    run         *r = world_run(w, &tree_sum, "", NULL);
    int64_t      bytes = 0;

    must(world_go(r, 10, 1, NULL, 0));
    assert_int_equal(r->state.sent.frames, 10 * 2 * (NODES - 1));
    assert_int_equal(r->state.sent.bytes,
                     r->state.sent.frames *
                         (MB_FRAME_HEADER + 2 * 8 * ((int64_t)w->model.layout.len + 1)));
    for (int32_t i = 0; i < NODES; i++)
        bytes += r->state.by[i].bytes;
    assert_int_equal(bytes, r->state.sent.bytes);
    assert_int_equal(r->state.len, w->model.layout.len + 1);
    assert_int_equal(r->state.mail.len, 2 * r->state.len);
}

/* phi and phi* of all nodes in the round before. */
typedef struct before {
    const run *r;
    double    *phi, *star;
    int64_t    waited, stepped;
} before;

static mb_status compare(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    before      *b = self;
    const size_t L = p->model->layout.len, row = L * sizeof(double);

    (void)err;
    for (size_t i = 0; i < NODES; i++) {
        const double *phi = s->phi + i * s->ld, *star = s->phi_star + i * s->ld;
        const int     ready = s->memo[i * (size_t)s->nmemo + TREE_SUM_DONE] > 0;

        if (passes_of(b->r, (int32_t)i) > 0 && !ready) {
            assert_memory_equal(b->phi + i * L, phi, row);
            assert_memory_equal(b->star + i * L, star, row);
            b->waited++;
        } else if (ready) {
            assert_true(memcmp(b->phi + i * L, phi, row) != 0);
            assert_true(memcmp(b->star + i * L, star, row) != 0);
            b->stepped++;
        }
        memcpy(b->phi + i * L, phi, row);
        memcpy(b->star + i * L, star, row);
    }
    return MB_OK;
}

/* Also where the bound of every round is asked for, which changes nothing. */
TEST(nodes_that_wait_hold_phi_and_phi_star)
{
    const world *w = world_on("path:n=12", 0);
    run         *r = world_run(w, &tree_sum, "", NULL), *q = world_run(w, &tree_sum, "", NULL);
    before       b = {.r = r};
    mb_observer  obs = {.self = &b, .every = 1, .wants_bound = 1, .see = compare};
    const size_t L = w->model.layout.len;

    b.phi = doubles(NODES * L);
    b.star = doubles(NODES * L);
    must(world_go(r, 5 * 11, 1, &obs, 1));
    assert_int_equal(b.stepped, 5 * NODES);
    assert_true(b.waited > 40 * NODES - 1);
    must(world_go(q, 5 * 11, 1, NULL, 0));
    assert_memory_equal(q->state.phi, r->state.phi, NODES * r->state.ld * sizeof(double));
    for (size_t i = 0; i < NODES; i++)
        assert_true(isfinite(r->state.bound[i]));
}

static mb_model_ops counted;
static mb_status (*real)(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                         double *logz, double *scratch, mb_err *err);
static int64_t local_steps;

static mb_status count(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    local_steps++;
    return real(m, phi, rows, s, logz, scratch, err);
}

/* On the path 5 passes have 55 rounds, of which each node computes in 5. */
TEST(nodes_that_wait_pass_over_no_rows)
{
    world *w = world_on("path:n=12", 0);
    run   *r;

    counted = *w->model.ops;
    real = counted.stats;
    counted.stats = count;
    w->model.ops = &counted;
    r = world_run(w, &tree_sum, "", NULL);
    local_steps = 0;
    must(world_go(r, 5 * 11, 1, NULL, 0));
    assert_int_equal(local_steps, 5 * NODES);
}

/* On the path a node waits 10 of 11 rounds, with loss longer: the run ends at central VB all the same,
 * and no two rounds without a movement are taken for rest. */
TEST(a_run_that_waits_settles_at_central_vb)
{
    static const mb_faults f[] = {{.seed = 1}, {.loss = 0.3, .seed = 1}};
    world                 *w = world_on("path:n=12", 0);

    world_solve(w);
    for (size_t k = 0; k < 2; k++) {
        run                *r = world_run(w, &tree_sum, "", &f[k]);
        const mb_stop_state stand = world_stop(arena, r, 1e-7, 20000);

        assert_true(stand.settled && stand.still && !stand.rounding);
        assert_int_equal(stand.checks, 1);
        assert_true(farthest(r, w->cvb) < 1e-7);
        assert_true(r->state.t < 20000 && passes_done(r) > PASSES);
    }
}

/* The last link of the path brings nothing: all nodes wait for good. */
TEST(a_run_whose_nodes_wait_for_good_is_not_at_rest)
{
    const world *w = world_on("path:n=12", 0);
    double      *up = doubles(2 * (NODES - 1));
    mb_faults    f = {.delivery = up, .graph = &w->net->topology.g, .seed = 1};
    run         *r;

    for (int e = 0; e < 2 * (NODES - 1); e++)
        up[e] = e < 2 * (NODES - 1) - 2;
    r = world_run(w, &tree_sum, "", &f);
    assert_false(world_stop(arena, r, 1e-3, 500).still);
    assert_int_equal(passes_of(r, 0), 0);
    assert_int_equal(r->state.t, 500);
}

static int64_t cycle(const void *opt)
{
    (void)opt;
    return 5;
}

static int32_t none(const void *opt)
{
    (void)opt;
    return 0;
}

TEST(an_algorithm_that_contradicts_itself_is_refused)
{
    const world *w = world_on("path:n=12", 0);
    run         *r = world_run(w, &tree_sum, "", NULL);
    mb_algo      a = tree_sum;
    mb_state     s;

    r->problem.algo = &a;
    a.cycle = cycle;
    assert_int_equal(world_go(r, 5, 1, NULL, 0), MB_E_ARG);
    assert_non_null(strstr(r->err.msg, "tree_sum: its local steps wait for messages"));
    a.cycle = NULL;
    a.needs |= MB_NEEDS_NO_MSG;
    assert_int_equal(world_go(r, 5, 1, NULL, 0), MB_E_ARG);
    a.needs = tree_sum.needs;
    a.vectors = none;
    assert_int_equal(mb_state_new(arena, &r->problem, &s, &r->err), MB_E_ARG);
    assert_string_equal(r->err.msg, "tree_sum: got messages of 0 vectors; expected 1 or more");
    assert_int_equal(r->state.t, 0);
}

RUN_TESTS(arena_up, arena_down)
