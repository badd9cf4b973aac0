/* SUM: its passes against central VB with extrapolated steps on all rows in one place, on networks,
 * with faults, and under the stopping rule; numbers as integers; and masks of them. */
#include "arena.h"
#include "base/fixed.h"
#include "core/observe.h"
#include "core/run.h"
#include "expfam/expfam.h"
#include "fit/case.h"
#include "test.h"
#include "worlds.h"

/* clang-format off */
#define MODEL_SHAPES {3, 3, 1}
/* clang-format on */
#define MODEL_COLUMNS 3
#include "models.h"

enum { NODES = 12, NODE_ROWS = 40, PASSES = 24, PAIR = 2 /* rows of a group */, FEW = 4 };

static world *world_on(const char *network)
{
    return gmm_world(arena, network, MB_METROPOLIS, 3, NODE_ROWS);
}

/* Appends rows with their weights and groups. */
static void append(const mb_rows *rows, double *x, double *weight, int64_t *first, mb_rows *all)
{
    for (int64_t j = 0; j < rows->n; j++) {
        for (int32_t d = 0; d < rows->d; d++)
            x[(all->n + j) * rows->d + d] = mb_rows_at(rows, j, d);
        weight[all->n + j] = rows->w ? rows->w[j] : 1;
    }
    for (int32_t g = 0; g < rows->ngroup; g++)
        first[++all->ngroup] = all->n + rows->first[g + 1];
    all->n += rows->n;
}

/* All rows of w at one node, from the same initialisation; backwards: those of the last node
 * first. */
static world *in_one_place(const world *w, int backwards)
{
    world        *one = mb_alloc(arena, 1, sizeof *one);
    const size_t  L = w->model.layout.len;
    const int32_t D = w->rows[0].d;
    int64_t       n = 0, *first;
    double       *x, *weight;

    for (int i = 0; i < NODES; i++)
        n += w->rows[i].n;
    x = doubles((size_t)(n * D));
    weight = doubles((size_t)n);
    first = mb_alloc(arena, (size_t)n + 1, sizeof *first);
    *one = *w;
    one->net = world_net(arena, "path:n=1", 1, MB_METROPOLIS);
    one->rows = mb_alloc(arena, 1, sizeof *one->rows);
    one->star = doubles(L);
    one->rows[0] = (mb_rows){.x = x,
                             .w = weight,
                             .d = D,
                             .ld = (size_t)D,
                             .gaps = w->rows[0].gaps,
                             .first = w->rows[0].first ? first : NULL};
    for (size_t i = 0; i < NODES; i++) {
        append(&w->rows[backwards ? NODES - 1 - i : i], x, weight, first, &one->rows[0]);
        for (size_t l = 0; l < L; l++)
            one->star[l] += w->star[i * L + l] / NODES;
    }
    return one;
}

/* As mb_central_algo chooses. */
static run *central(const world *w, int backwards)
{
    return world_run(in_one_place(w, backwards),
                     w->model.ops->overshoots ? &mb_algo_noncoop : &mb_algo_squarem, "", NULL);
}

/* The part of the way of its last step; below 1: the phi before it was refused. */
static double part_of_step(const run *r)
{
    const mb_node seen = {.memo = r->state.memo};

    return r->problem.algo->step ? r->problem.algo->step(&seen) : 1;
}

static void expect_equal_nodes(const run *r)
{
    for (int32_t i = 1; i < NODES; i++)
        assert_memory_equal(phi_of(r, i), phi_of(r, 0), r->w->model.layout.len * sizeof(double));
}

static const char *const networks[] = {"path:n=12", "star:n=12", "complete:n=12", "ring:n=12",
                                       "geometric:n=12,side=2,radius=0.8"};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* From the root of its tree to the farthest node. */
static int32_t hops_of_tree(const world *w)
{
    const mb_graph *g = &w->net->part.g;
    int32_t        *hop = mb_alloc(arena, NODES, sizeof *hop), far = 0, root = 0;

    for (int32_t i = 0, up = 0; i < NODES; i++, up = 0) {
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            up |= w->net->part.tree[e] == MB_TO_ROOT;
        root = up ? root : i;
    }
    tree_hops(g, NULL, root, hop);
    for (int32_t i = 0; i < NODES; i++)
        far = hop[i] > far ? hop[i] : far;
    return far;
}

/* Each pass has two rounds for each hop, one message up and one down each link. A pass judges the phi
 * of the one before: one that is accepted is that of the next round of fit, which makes the steps that
 * it refuses within a round, but for a trial of squarem. Sums are rounded to 2^-76, so only the order
 * of sums of doubles is another: 1e-10 is far above both, but where long steps in a flat direction
 * carry that far; there what it does to fit itself, with rows in another order, says how far. A
 * model that turns to eigenvectors, of rows that have none here, turns them by such differences. */
static int expect_passes_of_fit(const world *w)
{
    const size_t  L = w->model.layout.len;
    const int32_t hops = hops_of_tree(w);
    run          *r = world_run(w, &mb_algo_sum, "", NULL), *c = central(w, 0), *b = central(w, 1);
    const double  near = w->model.ops->straighten ? 1e-5 : 1e-10;
    double       *before = doubles(L);
    int64_t       sent = 0, round = 0;
    int           refused = 0;

    for (int64_t p = 1; p <= PASSES; p++) {
        memcpy(before, phi_of(r, 0), L * sizeof *before);
        must(world_go(r, p * 2 * hops, 1, NULL, 0));
        expect_equal_nodes(r);
        if (p > 1)
            assert_int_equal(r->state.sent.frames - sent, 2 * (NODES - 1));
        sent = r->state.sent.frames;
        refused += part_of_step(r) < 1;
        if (p == 1 || (w->model.ops->overshoots && part_of_step(r) < 1))
            continue;
        must(world_go(c, ++round, 1, NULL, 0));
        must(world_go(b, round, 1, NULL, 0));
        assert_int_equal(isnan(part_of_step(c)), part_of_step(r) < 1);
        assert_true(isnan(part_of_step(c)) ||
                    apart(before, phi_of(c, 0), L) <
                        fmax(near, 100 * apart(phi_of(b, 0), phi_of(c, 0), L)));
    }
    assert_true(refused < PASSES / 2);
    return refused;
}

/* Whatever the root of the tree. */
TEST(each_pass_is_a_round_of_fit_on_any_network)
{
    for (int k = 0; k < NETWORKS; k++)
        for (int32_t root = 0; root < NODES; root += 7) {
            const world *w = world_on(networks[k]);

            w->net->part.tree = tree_links(arena, &w->net->topology.g, root);
            expect_passes_of_fit(w);
        }
}

/* Its rows over the nodes, by pairs of a group, or with gaps. Of few rows with targets
 * that follow from inputs steps go too far. */
static world *model_world(size_t i, int gaps)
{
    bench   *b = mb_alloc(arena, 1, sizeof *b);
    world   *w = mb_alloc(arena, 1, sizeof *w);
    int64_t *first = mb_alloc(arena, NODE_ROWS / PAIR + 1, sizeof *first);
    int      grouped;
    size_t   L;

    set_up(b, i);
    grouped = mb_kind_grouped(b->kind, &b->size) &&
              mb_layout_find(&b->m.layout, &mb_tied_wishart) == NULL;
    for (int j = 0; b->m.ops->overshoots && j < ROWS; j++)
        b->x[(j + 1) * b->rows.d - 1] = b->x[j * b->rows.d] > 0.3 * (j % 3);
    for (int j = 0; grouped && j < ROWS; j++) /* one weight in each group */
        b->w[j] = 0.25 * (1 + j / PAIR % 7);
    for (int64_t j = 0; gaps && j < ROWS; j += 3)
        b->x[j * b->rows.d + j % b->rows.d] = NAN;
    for (int g = 0; g <= NODE_ROWS / PAIR; g++)
        first[g] = PAIR * g;
    L = b->m.layout.len;
    *w = (world){.a = arena,
                 .net = world_net(arena, "star:n=12", 1, MB_METROPOLIS),
                 .model = b->m,
                 .rows = mb_alloc(arena, NODES, sizeof *w->rows),
                 .star = doubles(NODES * L)};
    for (size_t k = 0; k < NODES; k++) {
        const int64_t n = b->m.ops->overshoots ? FEW : ROWS / NODES / PAIR * PAIR;

        w->rows[k] = part(b, (int64_t)k * n, n);
        w->rows[k].gaps = gaps;
        w->rows[k].first = grouped ? first : NULL;
        w->rows[k].ngroup = grouped ? (int32_t)n / PAIR : 0;
        must(
            mb_seed_step(&b->m, &w->rows[k], NODES, b->resp, w->star + k * L, b->scratch, &b->err));
    }
    return w;
}

TEST(each_pass_is_a_round_of_fit_for_every_model)
{
    int refused = 0;

    for (size_t i = 0; i < MODELS; i += (size_t)sized(1, 2)) {
        mb_model       m;
        const mb_kind *kind = NULL;
        mb_sizes       size = {0};
        int32_t        d = 0;

        assert_true(make_model(i, &m, &kind, &size, &d));
        refused += expect_passes_of_fit(model_world(i, 0)) * m.ops->overshoots;
        if (kind->gaps && !mb_kind_grouped(kind, &size))
            (void)expect_passes_of_fit(model_world(i, 1));
    }
    assert_true(refused > 0 || sized(0, 1));
}

TEST(one_node_alone_is_fit)
{
    const world *one = in_one_place(world_on("path:n=12"), 0);
    run         *r = world_run(one, &mb_algo_sum, "", NULL),
        *c = world_run(one, &mb_algo_squarem, "", NULL);

    must(world_go(r, PASSES, 1, NULL, 0));
    must(world_go(c, PASSES, 1, NULL, 0));
    assert_true(isnan(part_of_step(c)) ||
                apart(phi_of(r, 0), phi_of(c, 0), one->model.layout.len) < 1e-10);
    assert_int_equal(r->state.sent.bytes, 0);
}

/* The phi of each pass without faults, and the pass of each node so far. */
typedef struct sequence {
    double *phi; /* PASSES + 1 rows */
    int64_t at[NODES];
} sequence;

static sequence *passes_of(const world *w)
{
    const size_t  L = w->model.layout.len;
    const int32_t hops = world_hops(arena, w->net);
    sequence     *s = mb_alloc(arena, 1, sizeof *s);
    run          *r = world_run(w, &mb_algo_sum, "", NULL);

    s->phi = doubles((PASSES + 1) * L);
    for (size_t p = 0; p <= PASSES; p++) {
        must(world_go(r, (int64_t)p * 2 * hops, 1, NULL, 0));
        memcpy(s->phi + p * L, phi_of(r, 0), L * sizeof *s->phi);
    }
    return s;
}

static mb_status follow(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    sequence    *q = self;
    const size_t L = p->model->layout.len, row = L * sizeof(double);

    (void)err;
    for (size_t i = 0; i < NODES; i++) {
        if (q->at[i] < PASSES &&
            memcmp(s->phi + i * s->ld, q->phi + (size_t)q->at[i] * L, row) != 0)
            q->at[i]++;
        if (q->at[i] < PASSES)
            assert_memory_equal(s->phi + i * s->ld, q->phi + (size_t)q->at[i] * L, row);
    }
    return MB_OK;
}

/* Rounds until each node has made all passes but one, each of which was checked. */
static int64_t rounds_with(const world *w, const mb_faults *f, int32_t threads)
{
    sequence         *q = passes_of(w);
    const mb_observer obs = {.self = q, .every = 1, .see = follow};
    run              *r = world_run(w, &mb_algo_sum, "", f);
    int64_t           least = 0;

    while (least < PASSES - 1) {
        assert_true(r->state.t < 5000);
        must(world_go(r, r->state.t + 1, threads, &obs, 1));
        least = PASSES;
        for (int i = 0; i < NODES; i++)
            least = q->at[i] < least ? q->at[i] : least;
    }
    return r->state.t;
}

TEST(late_and_lost_messages_cost_rounds_and_change_no_bit_of_any_pass)
{
    static const mb_faults f[] = {{.loss = 0.3, .seed = 1},
                                  {.loss_directed = 0.5, .seed = 2},
                                  {.silent = 0.3, .seed = 3},
                                  {.delay = 4, .seed = 4},
                                  {.loss = 0.2, .silent = 0.1, .delay = 3, .seed = 5}};
    const world           *w = world_on("geometric:n=12,side=2,radius=0.8");
    const int64_t          clean = rounds_with(w, NULL, 1);

    for (size_t k = 0; k < sizeof f / sizeof *f; k++) {
        const int64_t rounds = rounds_with(w, &f[k], 1);

        assert_true(rounds > clean);
        assert_int_equal(rounds_with(w, &f[k], 3), rounds);
    }
}

/* A copy leaves in the round in which the acknowledgement of the first is on its way, which itself
 * has no vector. */
TEST(what_is_acknowledged_is_not_sent_again)
{
    const mb_faults f = {.loss = 1e-12, .seed = 1};
    const world    *w = world_on("path:n=12");
    run *r = world_run(w, &mb_algo_sum, "", NULL), *q = world_run(w, &mb_algo_sum, "", &f);

    must(world_go(r, PASSES * 22, 1, NULL, 0));
    must(world_go(q, PASSES * 22, 1, NULL, 0));
    assert_memory_equal(phi_of(q, 0), phi_of(r, 0), w->model.layout.len * sizeof(double));
    assert_true((double)q->state.sent.bytes < 2.6 * (double)r->state.sent.bytes);
}

/* The rule looks every tenth round, and at fit's every second: up to three passes more or fewer. */
TEST(it_settles_at_central_vb_in_the_passes_of_fit)
{
    world  *w = world_on("path:n=12");
    run    *r = world_run(w, &mb_algo_sum, "", NULL), *c = central(w, 0);
    int64_t passes;

    world_solve(w);
    assert_true(world_stop(arena, c, 1e-7, 20000).settled);
    assert_true(world_stop(arena, r, 1e-7, 20000).settled);
    assert_true(farthest(r, w->cvb) < 1e-7);
    passes = r->state.t / (2 * world_hops(arena, w->net));
    assert_true(passes >= c->state.t - 3 && passes <= c->state.t + 3);
}

/* The last link of the path brings nothing: no decision of the root ever comes. */
TEST(without_the_decision_of_the_root_nothing_is_settled)
{
    const world *w = world_on("path:n=12");
    double      *up = doubles(2 * (NODES - 1));
    mb_faults    f = {.delivery = up, .graph = &w->net->topology.g, .seed = 1};
    run         *r;

    for (int e = 0; e < 2 * (NODES - 1); e++)
        up[e] = e < 2 * (NODES - 1) - 2;
    r = world_run(w, &mb_algo_sum, "", &f);
    assert_false(world_stop(arena, r, 1e-3, 500).still);
    assert_memory_equal(phi_of(r, 0), w->model.prior, w->model.layout.len * sizeof(double));
}

/* phi and phi* of all nodes in the round before. */
typedef struct watched {
    double *phi, *star;
    int64_t waited, stepped;
} watched;

static mb_status compare(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    watched     *b = self;
    const size_t L = p->model->layout.len, row = L * sizeof(double);

    (void)err;
    for (size_t i = 0; i < NODES; i++) {
        const double *phi = s->phi + i * s->ld, *star = s->phi_star + i * s->ld;
        const mb_node seen = {.memo = s->memo + i * (size_t)s->nmemo};
        const int     ready = mb_algo_sum.ready(&seen);

        if (!ready && memcmp(b->phi + i * L, p->model->prior, row) != 0) {
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
    const world *w = world_on("path:n=12");
    run        *r = world_run(w, &mb_algo_sum, "", NULL), *q = world_run(w, &mb_algo_sum, "", NULL);
    watched     b = {.phi = doubles(NODES * w->model.layout.len)};
    mb_observer obs = {.self = &b, .every = 1, .wants_bound = 1, .see = compare};
    const size_t L = w->model.layout.len;

    for (size_t k = 0; k < NODES; k++)
        memcpy(b.phi + k * L, w->model.prior, L * sizeof *b.phi);
    b.star = doubles(NODES * L);
    must(world_go(r, 5 * 22, 1, &obs, 1));
    assert_int_equal(b.stepped, 5 * NODES);
    assert_true(b.waited > 40 * NODES - 1);
    must(world_go(q, 5 * 22, 1, NULL, 0));
    assert_memory_equal(q->state.phi, r->state.phi, NODES * r->state.ld * sizeof(double));
    for (size_t i = 0; i < NODES; i++)
        assert_true(isfinite(r->state.bound[i]));
}

static mb_model_ops counted;
static mb_status (*real)(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                         double *logz, double *scratch, mb_err *err);
static const double *failing; /* rows of the node whose local step fails */
static int           fails_in, in_numbers, steps;

static mb_status fail_once(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                           double *logz, double *scratch, mb_err *err)
{
    if (rows->x == failing && ++steps == fails_in)
        return in_numbers ? MB_E_NUMERIC : MB_E_DOMAIN;
    return real(m, phi, rows, s, logz, scratch, err);
}

/* From now on the local step number `in` of node 5 of each run fails. */
static void fail_at(world *w, int in)
{
    if (w->model.ops != &counted) {
        counted = *w->model.ops;
        real = counted.stats;
        counted.stats = fail_once;
        w->model.ops = &counted;
    }
    failing = w->rows[5].x;
    fails_in = in;
    in_numbers = in % 2; /* not finite, else outside Omega */
    steps = 0;
}

/* On the path 5 passes have 110 rounds, of which a node computes in 5. */
TEST(nodes_that_wait_pass_over_no_rows)
{
    world *w = world_on("path:n=12");

    fail_at(w, -1);
    must(world_go(world_run(w, &mb_algo_sum, "", NULL), 5 * 22, 1, NULL, 0));
    assert_int_equal(steps, 5);
}

/* The step of pass 2, after which all stay where they are: pass 3 is the second. */
TEST(a_node_without_a_local_step_voids_the_pass)
{
    world          *w = world_on("star:n=12");
    const size_t    L = w->model.layout.len;
    const sequence *q = passes_of(w);
    run            *r;

    fail_at(w, 1);
    r = world_run(w, &mb_algo_sum, "", NULL);
    must(world_go(r, 4, 1, NULL, 0));
    expect_equal_nodes(r);
    assert_memory_equal(phi_of(r, 0), q->phi + L, L * sizeof(double));
    must(world_go(r, 6, 1, NULL, 0));
    assert_memory_equal(phi_of(r, 0), q->phi + 2 * L, L * sizeof(double));
}

static void count_totals(void *self, const double *total, double *phi)
{
    ++*(int *)self;
    phi[0] += fabs(total[0]);
}

/* As in a start, where the root makes its next state of the total: a void pass has none. */
TEST(no_state_is_made_of_a_void_pass)
{
    static const mb_sum_root counts = {.next = count_totals};
    world                   *w = world_on("star:n=12");
    run                     *r;
    int                      made = 0;
    mb_sum_opt               opt;

    fail_at(w, 1);
    r = world_run(w, &mb_algo_sum, "", NULL);
    opt = *(const mb_sum_opt *)r->problem.opt;
    opt.root = &counts;
    opt.self = &made;
    r->problem.opt = &opt;
    must(world_go(r, 4, 1, NULL, 0));
    assert_int_equal(made, 1);
    must(world_go(r, 6, 1, NULL, 0));
    assert_int_equal(made, 2);
    expect_equal_nodes(r);
}

/* Whether it was at a trial, which the root then takes back, or at a step of VB, made again. */
TEST(after_a_void_pass_it_settles_at_central_vb)
{
    world *w = world_on("star:n=12");

    world_solve(w);
    for (int in = 2; in < PASSES; in += 3) {
        run *r;

        fail_at(w, in);
        r = world_run(w, &mb_algo_sum, "", NULL);
        assert_true(world_stop(arena, r, 1e-7, 20000).settled);
        assert_true(farthest(r, w->cvb) < 1e-7);
        assert_int_equal(r->state.frozen[5], 1);
    }
}

/* Node 5 has a row that no component explains. */
static mb_status far_beyond(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    const mb_status st = real(m, phi, rows, s, logz, scratch, err);

    if (rows->x == failing && logz)
        *logz -= 1e18;
    return st;
}

TEST(a_bound_beyond_its_size_stops_no_pass)
{
    world *w = world_on("star:n=12");

    fail_at(w, -1);
    counted.stats = far_beyond;
    world_solve(w);
    assert_true(world_stop(arena, world_run(w, &mb_algo_sum, "", NULL), 1e-7, 20000).settled);
}

/* A node with one neighbour, of which it is the parent or the child, hears any tag: 1024 times the
 * pass, 1: up, 2: down, 4: void, 8: too large. */
static void expect_only(const world *w, uint8_t tree, mb_status emits, uint64_t taken)
{
    const size_t  len = w->model.layout.len + (size_t)mb_algo_sum.extra;
    run          *r = world_run(w, &mb_algo_sum, "", NULL);
    double       *msg = doubles(2 * len), *out = doubles(2 * len);
    const double *from[] = {msg};
    const int32_t age = 0;
    const uint8_t fresh = 1;
    const double  weight = 0.5;
    mb_inbox      in = {1, from, &age, &fresh, &weight, 0.5};
    mb_node       nd = {.layout = &w->model.layout,
                        .len = len,
                        .opt = r->problem.opt,
                        .deg = 1,
                        .tree = &tree,
                        .scale = NODES,
                        .prior = w->model.prior,
                        .phi = doubles(len),
                        .aux = doubles((size_t)mb_algo_sum.naux(r->problem.opt) * len),
                        .scratch = doubles(len + w->model.layout.scratch)};

    for (uint64_t k = 0; k < 48; k++) { /* not void and too large at once */
        const uint64_t tag = k / 12 * 1024 + k % 12;

        mb_set_word(msg, w->model.layout.len, tag);
        nd.memo = doubles((size_t)mb_algo_sum.memo);
        nd.edge = doubles(len);
        must(mb_algo_sum.init(&nd, w->star, &r->err));
        assert_int_equal(mb_algo_sum.emit(&nd, w->star, out, 2 * len, &r->err), emits);
        must(mb_algo_sum.absorb(&nd, w->star, msg, 2 * len, &in, &r->err));
        if ((tag & ~UINT64_C(12)) == taken) {
            assert_int_equal(mb_algo_sum.ready(&nd), !(tag & 8));
            continue;
        }
        assert_int_equal(mb_algo_sum.ready(&nd), 0);
        mb_set_word(msg, w->model.layout.len, taken);
        must(mb_algo_sum.absorb(&nd, w->star, msg, 2 * len, &in, &r->err));
        assert_int_equal(mb_algo_sum.ready(&nd), 1); /* nothing of the other has stayed */
    }
}

TEST(messages_of_other_passes_and_kinds_are_dropped)
{
    const world *w = world_on("path:n=12");

    expect_only(w, 1, MB_QUIET, 1024 + 1);
    expect_only(w, MB_TO_ROOT, MB_OK, 1024 + 2);
}

/* Of statistics whose size is known one word suffices: a message up is then as long as one down but
 * for the bound. */
TEST(one_word_suffices_where_the_size_is_known)
{
    const world *w = world_on("path:n=12");
    const size_t L = w->model.layout.len;
    double      *most = doubles(L);
    run *r = world_run(w, &mb_algo_sum, "", NULL), *q = world_run(w, &mb_algo_sum, "", NULL);

    for (size_t l = 0; l < L; l++)
        most[l] = 0x1p15;
    q->problem.most = most;
    must(world_go(r, PASSES * 22, 1, NULL, 0));
    must(world_go(q, PASSES * 22, 1, NULL, 0));
    assert_int_equal(q->state.sent.frames, r->state.sent.frames);
    assert_true(apart(phi_of(r, 0), phi_of(q, 0), L) < 1e-10);
    assert_int_equal((r->state.sent.bytes - q->state.sent.bytes) % (8 * (int64_t)L), 0);
    assert_true(r->state.sent.bytes > q->state.sent.bytes);
}

/* The first size is far too small for every second statistic: the passes that find that bring no sum,
 * and phi stays; the others are those of a size that was right. */
TEST(a_statistic_beyond_its_size_costs_passes_and_lowers_its_exponent_by_8)
{
    const world    *w = world_on("star:n=12");
    const size_t    L = w->model.layout.len;
    double         *most = doubles(L), *before = doubles(L);
    const sequence *q = passes_of(w);
    run            *r = world_run(w, &mb_algo_sum, "", NULL);
    const double   *lowered = r->state.aux + (size_t)(r->state.naux - 1) * r->state.ld;
    int64_t         late = 0;

    for (size_t l = 0; l < L; l++)
        most[l] = l % 2 ? 0x1p20 : 0x1p-45;
    r->problem.most = most;
    for (int64_t p = 1; p <= PASSES + late; p++) {
        memcpy(before, phi_of(r, 0), L * sizeof *before);
        must(world_go(r, 2 * p, 1, NULL, 0));
        expect_equal_nodes(r);
        late += memcmp(phi_of(r, 0), before, L * sizeof *before) == 0;
        assert_true(late > p || apart(phi_of(r, 0), q->phi + (p - late) * (int64_t)L, L) < 1e-10);
    }
    assert_true(late > 4 && late < 12);
    for (size_t l = 0; l < L; l++)
        assert_true(l % 2 ? lowered[l] <= 0 : lowered[l] <= 8 * (double)late);
}

/* Of sizes that leave fewer than 36 bits in two words: 2^(26 - bits) of fit. */
TEST(the_fewest_fraction_bits_say_how_exact_a_run_is)
{
    const world    *w = world_on("star:n=12");
    const size_t    L = w->model.layout.len;
    const sequence *q = passes_of(w);

    for (int bits = 26; bits < 42; bits += 5) {
        run         *r = world_run(w, &mb_algo_sum, "", NULL);
        double      *most = doubles(L);
        const double least = bits < 36 ? ldexp(1, 26 - bits) : 1e-10;

        for (size_t l = 0; l < L; l++)
            most[l] = ldexp(1, 62 - 4 + 62 - 4 - bits - 1);
        r->problem.most = most;
        must(world_go(r, 2 * 3, 1, NULL, 0));
        assert_int_equal(r->state.memo[mb_algo_sum.counts[0].at], bits);
        assert_true(apart(phi_of(r, 0), q->phi + 3 * L, L) < least);
    }
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
    const world *w = world_on("path:n=12");
    run         *r = world_run(w, &mb_algo_sum, "", NULL);
    mb_algo      a = mb_algo_sum;
    mb_state     s;

    r->problem.algo = &a;
    a.cycle = cycle;
    assert_int_equal(world_go(r, 5, 1, NULL, 0), MB_E_ARG);
    assert_non_null(strstr(r->err.msg, "sum: its local steps wait for messages"));
    a.cycle = NULL;
    a.needs |= MB_NEEDS_NO_MSG;
    assert_int_equal(world_go(r, 5, 1, NULL, 0), MB_E_ARG);
    a.needs = mb_algo_sum.needs;
    a.vectors = none;
    assert_int_equal(mb_state_new(arena, &r->problem, &s, &r->err), MB_E_ARG);
    assert_string_equal(r->err.msg, "sum: got messages of 0 vectors; expected 1 or more");
    assert_int_equal(r->state.t, 0);
}

/* Numbers of any size below the largest: the sum of the words is that of the numbers to half a unit
 * of the last word each, in any order. */
TEST(sums_of_words_are_exact)
{
    static const double most[] = {0, 1e-3, 1, 1e3, 1e9, INFINITY};
    mb_rng              rng = mb_rng_at(7, MB_STREAM_START, 0, 0);

    for (size_t k = 0; k < sizeof most / sizeof *most; k++)
        for (int32_t n = 1; n < 300; n += 60) {
            const mb_fixed_ f = mb_fixed_of_(most[k], n, 0);
            const int32_t   last = mb_fixed_last_(f);
            uint64_t        first = 0, second = 0, a = 0, b = 0;
            double          sum = 0;

            assert_true(last >= MB_FIXED_ENOUGH_);
            for (int32_t i = 0; i < n; i++) {
                const double size = isinf(most[k]) ? 1e6 : most[k];
                const double x = size * (2 * mb_rng_uniform(&rng) - 1);

                assert_int_equal(mb_fixed_make_(f, n, x, &a, &b), 1);
                first += a;
                second += f.more ? b : 0;
                sum += x;
            }
            assert_true(fabs(mb_fixed_read_(f, first, second) - sum) <=
                        n * (ldexp(0.5, -last) + 1e-13 * fabs(sum)));
            assert_int_equal(mb_fixed_make_(f, n, (double)NAN, &a, &b), 0);
            assert_int_equal(mb_fixed_make_(f, n, ldexp(1, 62 - f.bits) / n, &a, &b), 0);
        }
}

static mb_masks *masks_among(const mb_part *part, uint64_t seed, int32_t few)
{
    mb_masks *m;
    mb_err    err;

    must(mb_masks_simulated_(arena, part, seed, few, &m, &err));
    return m;
}

static mb_masks *masks_of(const mb_part *part, uint64_t seed)
{
    return masks_among(part, seed, MB_MASKS_FEW_);
}

static run *masked(const world *w, const mb_faults *f, uint64_t seed)
{
    run *r = world_run(w, &mb_algo_sum, "sum.mask=simulated", f);

    r->problem.masks = masks_of(r->problem.part, seed);
    return r;
}

/* The same phi at every node, though not the same messages. */
static void expect_bits_of_unmasked(const world *w, const mb_faults *f, int64_t rounds)
{
    run *r = world_run(w, &mb_algo_sum, "", f), *q = masked(w, f, 3);

    must(world_go(r, rounds, 1, NULL, 0));
    must(world_go(q, rounds, 3, NULL, 0));
    for (int32_t i = 0; i < NODES; i++)
        assert_memory_equal(phi_of(q, i), phi_of(r, i), w->model.layout.len * sizeof(double));
    assert_true(r->state.sent.bytes == q->state.sent.bytes);
    assert_true(memcmp(r->state.mail.plane, q->state.mail.plane,
                       (size_t)(2 * (NODES - 1)) * r->state.mail.ld * sizeof(double)) != 0);
}

TEST(masks_change_no_bit_of_the_answer)
{
    static const mb_faults f = {.loss = 0.3, .delay = 2, .seed = 1};

    for (int k = 0; k < NETWORKS; k++) {
        const world *w = world_on(networks[k]);

        expect_bits_of_unmasked(w, NULL, 2 * PASSES);
        expect_bits_of_unmasked(w, &f, 2 * PASSES);
    }
    for (int k = 0; k < WORLDS; k++)
        expect_bits_of_unmasked(worlds[k].make(arena, "star:n=12", MB_METROPOLIS, 3, ROWS), NULL,
                                2 * PASSES);
}

/* Chi-square of the bytes of what the leaves of a star send up, over all passes. */
static double unevenness(run *r)
{
    const size_t L = r->w->model.layout.len, n = 2 * r->state.len - 4; /* without gaps: two words */
    const int64_t *ptr = r->problem.part->g.ptr;
    double         count[256] = {0}, all = 0, chi2 = 0;

    for (int64_t p = 0; p < PASSES; p++) {
        must(world_go(r, 2 * p + 1, 1, NULL, 0));
        for (int32_t i = 1; i < NODES; i++)
            for (size_t l = 0; l < n; l++) {
                const double  *msg = r->state.mail.plane + (size_t)ptr[i] * r->state.mail.ld;
                const uint64_t word = mb_word(msg, l);

                for (int b = 0; b < 64 && l != L && l != L + 1; b += 8, all++)
                    count[word >> b & 255]++;
            }
    }
    for (int b = 0; b < 256; b++)
        chi2 += (count[b] - all / 256) * (count[b] - all / 256) / (all / 256);
    return chi2;
}

/* 255 degrees of freedom: above 380 in fewer than one of a million of random bytes. */
TEST(a_neighbour_cannot_tell_masked_sums_from_random_bytes)
{
    const world *w = world_on("star:n=12");

    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_true(unevenness(masked(w, NULL, seed)) < 380);
    assert_true(unevenness(world_run(w, &mb_algo_sum, "", NULL)) > 1e4);
}

enum { WIDE = 4 };

/* The sum of the masks of nodes first .. last is 0. */
static int cancels(const mb_masks *m, int32_t first, int32_t last, uint64_t pass)
{
    double w[WIDE] = {0};
    int    zeros = 0;

    for (int32_t i = first; i <= last; i++) {
        double own[WIDE] = {0};

        m->add(m->self, i, 0, pass, WIDE, own);
        for (size_t l = 0; l < WIDE; l++)
            mb_set_word(w, l, mb_word(w, l) + mb_word(own, l));
    }
    for (size_t l = 0; l < WIDE; l++)
        zeros += mb_word(w, l) == 0;
    assert_true(zeros == 0 || zeros == WIDE);
    return zeros != 0;
}

TEST(masks_cancel_over_all_nodes_and_in_no_part_of_a_path)
{
    static const int32_t sizes[] = {3, 4, 16, 17, 40};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int32_t   n = sizes[k];
        char            text[32];
        const mb_masks *m;

        snprintf(text, sizeof text, "path:n=%d", n);
        m = masks_of(&world_net(arena, text, 1, MB_METROPOLIS)->part, 1);
        for (int32_t first = 0; first < n; first++)
            for (int32_t last = first; last < n; last++)
                assert_int_equal(cancels(m, first, last, 1), first == 0 && last == n - 1);
    }
}

/* One node more adds to the mask of every other what it alone knows of both, and nothing where they
 * are no partners. */
TEST(where_colluders_may_be_many_all_nodes_are_partners)
{
    enum { LAST = 19 };
    const mb_part  *fewer = &world_net(arena, "path:n=19", 1, MB_METROPOLIS)->part;
    const mb_part  *all = &world_net(arena, "path:n=20", 1, MB_METROPOLIS)->part;
    const mb_masks *m = masks_among(fewer, 1, LAST + 1), *more = masks_among(all, 1, LAST + 1);
    double          last[1] = {0};
    uint64_t        left;

    more->add(more->self, LAST, 0, 1, 1, last);
    left = mb_word(last, 0);
    for (int32_t i = 0; i < LAST; i++) {
        double before[1] = {0}, after[1] = {0};

        m->add(m->self, i, 0, 1, 1, before);
        more->add(more->self, i, 0, 1, 1, after);
        assert_true(mb_word(after, 0) != mb_word(before, 0));
        left += mb_word(after, 0) - mb_word(before, 0);
    }
    assert_true(left == 0);
}

TEST(each_contribution_has_a_mask_of_its_own)
{
    const mb_part  *part = &world_net(arena, "path:n=5", 1, MB_METROPOLIS)->part;
    const mb_masks *m = masks_of(part, 1), *other = masks_of(part, 2);
    double          w[5][WIDE] = {{0}};

    m->add(m->self, 2, 0, 1, WIDE, w[0]);
    m->add(m->self, 2, 0, 2, WIDE, w[1]);
    m->add(m->self, 2, 1, 1, WIDE, w[2]);
    m->add(m->self, 3, 0, 1, WIDE, w[3]);
    other->add(other->self, 2, 0, 1, WIDE, w[4]);
    for (int j = 0; j < 5; j++)
        for (int k = 0; k < j; k++)
            for (size_t l = 0; l < WIDE; l++)
                assert_true(mb_word(w[j], l) != mb_word(w[k], l));
}

TEST(two_nodes_and_a_run_without_masks_are_refused)
{
    const world *w = world_on("path:n=12");
    run         *r = world_run(w, &mb_algo_sum, "sum.mask=simulated", NULL);
    mb_sum_opt   o = {.mask = 1};

    assert_int_equal(world_go(r, 2, 1, NULL, 0), MB_E_NOSUP);
    assert_non_null(strstr(r->err.msg, "there are no masks here"));
    assert_int_equal(mb_algo_sum.tune(&o, &(mb_net_facts){.n = 2}, &r->err), MB_E_ARG);
    assert_non_null(strstr(r->err.msg, "a network of 2 nodes; expected 3 or more"));
    must(mb_algo_sum.tune(&o, &(mb_net_facts){.n = 3}, &r->err));
}

RUN_TESTS(arena_up, arena_down)
