/* The one loop: what it calls and when, the three policies, observers, traffic, errors. */
#include "arena.h"
#include "core/workers.h"
#include "counts_world.h"
#include "test.h"

/* An algorithm for tests: in round `at` the phi of node `who` and every `step`-th after it is set
 * to `to`; else phi = phi*. */
typedef struct push_opt {
    int64_t at;
    int32_t who, step;
    double  to;
} push_opt;

static const mb_opt no_opts[] = {{.name = NULL}};

/* A node is known by its first phi*: phi*_0 and the world's table. */
static const double *push_star;
static int32_t       push_nodes;

static int32_t who_am_i(const double *phi_star)
{
    for (int32_t i = 0; i < push_nodes; i++)
        if (!memcmp(phi_star, push_star + i * COUNTS_K, COUNTS_K * sizeof *phi_star))
            return i;
    return -1;
}

static mb_status push_emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    (void)ld, (void)err;
    memcpy(msg, phi_star, nd->layout->len * sizeof *msg);
    return MB_OK;
}

static mb_status push_absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                             const mb_inbox *in, mb_err *err)
{
    const push_opt *o = nd->opt;
    const int32_t   i = who_am_i(phi_star);

    (void)msg, (void)ld, (void)in, (void)err;
    memcpy(nd->phi, phi_star, nd->layout->len * sizeof *phi_star);
    if (o->at == nd->t && i >= o->who && (i - o->who) % o->step == 0)
        nd->phi[1] = o->to;
    return MB_OK;
}

static const mb_algo push = {
    .name = "push", .title = "a test's", .opts = no_opts, .emit = push_emit, .absorb = push_absorb};

static run *push_run(const world *w, const push_opt *o)
{
    run *r = world_run(w, &push, "", NULL);

    push_star = w->star;
    push_nodes = w->net->part.n_local;
    r->problem.opt = o;
    return r;
}

static world *ring_world(int32_t n)
{
    char text[32];

    snprintf(text, sizeof text, "ring:n=%d", n);
    return counts_world(arena, text, MB_METROPOLIS);
}

static mb_status go(run *r, int64_t rounds, int32_t threads, mb_on_domain policy)
{
    const mb_run_opt opt = {
        .rounds = rounds, .timeout_ms = -1, .threads = threads, .on_domain = policy};

    return mb_run(&r->problem, &r->state, NULL, 0, &opt, &r->err);
}

TEST(a_freeze_keeps_phi_star_and_is_counted)
{
    const push_opt o = {.at = 2, .who = 3, .step = 100, .to = -7};
    const world   *w = ring_world(5);
    run           *r = push_run(w, &o);

    must(go(r, 2, 1, MB_FREEZE));
    assert_true(phi_of(r, 3)[1] == -7);
    assert_memory_equal(r->state.phi_star + 3 * r->state.ld, w->star + 3 * COUNTS_K,
                        COUNTS_K * sizeof *w->star);
    for (int32_t i = 0; i < 5; i++) {
        assert_int_equal(r->state.outside[i], i == 3);
        assert_int_equal(r->state.frozen[i], i == 3);
        assert_int_equal(r->state.projected[i], 0);
    }
    must(go(r, 3, 1, MB_FREEZE)); /* back inside */
    assert_int_equal(r->state.outside[3], 0);
    assert_int_equal(r->state.frozen[3], 1);
}

TEST(a_projection_moves_phi_inside_and_is_counted)
{
    const push_opt o = {.at = 2, .who = 3, .step = 100, .to = -7};
    run           *r = push_run(ring_world(5), &o);

    must(go(r, 2, 1, MB_PROJECT));
    assert_true(phi_of(r, 3)[1] > -1 && phi_of(r, 3)[1] < -0.99);
    assert_int_equal(r->state.outside[3], 0);
    assert_int_equal(r->state.frozen[3], 0);
    assert_int_equal(r->state.projected[3], 1);
}

TEST(halt_names_node_round_and_block)
{
    const push_opt o = {.at = 2, .who = 3, .step = 100, .to = -7};
    run           *r = push_run(ring_world(5), &o);

    assert_int_equal(go(r, 9, 1, MB_HALT), MB_E_DOMAIN);
    assert_non_null(strstr(r->err.msg, "node 3, round 2: "));
    assert_non_null(strstr(r->err.msg, "dirichlet"));
    assert_int_equal(r->state.t, 1);
}

/* Nodes 2, 5, 8, 11 fail in the same round, on different threads: the lowest is reported. */
TEST(of_several_failures_the_lowest_node_is_reported)
{
    const push_opt o = {.at = 4, .who = 2, .step = 3, .to = -7};

    for (int32_t threads = 1; threads <= 4; threads++) {
        run *r = push_run(ring_world(12), &o);

        assert_int_equal(go(r, 9, threads, MB_HALT), MB_E_DOMAIN);
        assert_non_null(strstr(r->err.msg, "node 2, round 4: "));
    }
}

TEST(a_phi_that_is_not_finite_ends_the_run)
{
    const push_opt     o = {.at = 2, .who = 3, .step = 100, .to = (double)NAN};
    const mb_on_domain policy[] = {MB_FREEZE, MB_PROJECT};

    for (int k = 0; k < 2; k++) {
        run *r = push_run(ring_world(5), &o);

        assert_int_equal(go(r, 9, 1, policy[k]), MB_E_NUMERIC);
        assert_non_null(strstr(r->err.msg, "node 3, round 2: "));
    }
}

typedef struct seen {
    int64_t t[32];
    double  bound[32]; /* of node 0 */
    int     n;
    int64_t stop_at;
} seen;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    seen *v = self;

    (void)p, (void)err;
    v->bound[v->n] = s->bound[0];
    v->t[v->n++] = s->t;
    return s->t == v->stop_at ? MB_STOP : MB_OK;
}

TEST(observers_see_their_rounds_and_the_last)
{
    run              *r = world_run(ring_world(5), &mb_algo_nsg, "", NULL);
    seen              a = {.n = 0}, b = {.n = 0};
    const mb_observer obs[] = {{&a, 4, 1, see, NULL}, {&b, 3, 0, see, NULL}};

    must(world_go(r, 10, 1, obs, 2));
    assert_int_equal(a.n, 3);
    assert_true(a.t[0] == 4 && a.t[1] == 8 && a.t[2] == 10);
    assert_int_equal(b.n, 4);
    assert_true(b.t[0] == 3 && b.t[3] == 10);
    for (int k = 0; k < 3; k++)
        assert_true(isfinite(a.bound[k]));
    assert_true(isnan(b.bound[0])); /* round 3: no observer asked for it */
}

/* Stopped in round 7 by one who wants no bound: the other, due every 4, sees it with its bound. */
TEST(a_stop_shows_the_last_round_with_its_bound)
{
    const world      *w = ring_world(5);
    run              *r = world_run(w, &mb_algo_nsg, "", NULL), *full;
    seen              a = {.n = 0}, b = {.n = 0, .stop_at = 7}, c = {.n = 0};
    const mb_observer obs[] = {{&a, 4, 1, see, NULL}, {&b, 1, 0, see, NULL}},
                      all = {&c, 1, 1, see, NULL};

    must(world_go(r, 100, 1, obs, 2));
    assert_int_equal(r->state.t, 7);
    assert_int_equal(a.n, 2);
    assert_int_equal(a.t[1], 7);
    assert_int_equal(b.n, 7);
    full = world_run(w, &mb_algo_nsg, "", NULL);
    must(world_go(full, 7, 1, &all, 1));
    assert_true(isfinite(a.bound[1]) && a.bound[1] == c.bound[6]);
    assert_true(a.bound[0] == c.bound[3]);
}

TEST(a_run_cut_in_two_is_the_same_run)
{
    const mb_faults      f = {.loss_directed = 0.3, .delay = 2, .seed = 4};
    const mb_algo *const algo[] = {&mb_algo_edge, &mb_algo_flow, &mb_algo_dsvb};

    for (int k = 0; k < 3; k++) {
        const world *w = ring_world(6);
        run         *one = world_run(w, algo[k], "", &f), *two = world_run(w, algo[k], "", &f);

        must(world_go(one, 30, 1, NULL, 0));
        must(world_go(two, 13, 1, NULL, 0));
        must(world_go(two, 30, 1, NULL, 0));
        assert_memory_equal(one->state.phi, two->state.phi, 6 * one->state.ld * sizeof(double));
        assert_int_equal(one->state.sent.bytes, two->state.sent.bytes);
    }
}

/* Ring of 6: 12 links a round; a frame is 48 bytes and 8 a double. */
TEST(traffic_counts_frames_links_and_the_opening_exchange)
{
    const struct {
        const mb_algo *algo;
        int64_t        frames, messages;
    } row[] = {
        {&mb_algo_noncoop, 0, 0},  {&mb_algo_nsg, 60, 120},
        {&mb_algo_dsvb, 60, 120},  {&mb_algo_admm, 66, 132}, /* phi is exchanged before round 1 */
        {&mb_algo_edge, 108, 108},                           /* quiet in round 1                */
        {&mb_algo_flow, 60, 120},
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        run *r = world_run(ring_world(6), row[k].algo, "", NULL);

        must(world_go(r, 10, 1, NULL, 0));
        assert_int_equal(r->state.sent.frames, row[k].frames);
        assert_int_equal(r->state.sent.bytes, row[k].messages * (48 + 8 * COUNTS_K));
    }
}

/* Star of 5: the centre has 4 links, each leaf 1. */
TEST(traffic_of_a_node_is_rounds_times_degree_times_the_size_of_a_frame)
{
    const struct {
        const mb_algo *algo;
        int64_t        rounds, each; /* frames a round for each link; 0: one broadcast */
    } row[] = {{&mb_algo_dsvb, 10, 0}, {&mb_algo_edge, 9 /* quiet in round 1 */, 1}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        run *r = world_run(counts_world(arena, "star:n=5", MB_METROPOLIS), row[k].algo, "", NULL);
        const int64_t rounds = row[k].rounds, frame = 48 + 8 * COUNTS_K;
        int64_t       bytes = 0;

        must(world_go(r, 10, 1, NULL, 0));
        for (int32_t i = 0; i < 5; i++) {
            const int64_t deg = r->problem.part->deg[i];

            assert_int_equal(r->state.by[i].bytes, rounds * deg * frame);
            assert_int_equal(r->state.by[i].frames, rounds * (row[k].each ? deg : 1));
            bytes += r->state.by[i].bytes;
        }
        assert_int_equal(bytes, r->state.sent.bytes);
        assert_int_equal(bytes, rounds * 8 * frame);
    }
}

TEST(silent_nodes_send_no_bytes_and_lost_messages_do)
{
    run *lost = world_run(ring_world(6), &mb_algo_nsg, "", &(mb_faults){.loss = 1});
    run *silent = world_run(ring_world(6), &mb_algo_nsg, "", &(mb_faults){.silent = 1});

    must(world_go(lost, 10, 1, NULL, 0));
    assert_int_equal(lost->state.sent.frames, 60);
    must(world_go(silent, 10, 1, NULL, 0));
    assert_int_equal(silent->state.sent.frames, 0);
    assert_int_equal(silent->state.sent.bytes, 0);
}

TEST(admm_is_refused_where_messages_may_be_lost_or_late)
{
    const mb_faults f[] = {
        {.loss = 0.1}, {.loss_directed = 0.1}, {.silent = 0.1}, {.delay = 1}, {.seed = 1}};

    for (int k = 0; k < 5; k++) {
        run *r = world_run(ring_world(5), &mb_algo_admm, "", &f[k]);

        if (k == 4) { /* a fault layer with nothing to do */
            must(world_go(r, 5, 1, NULL, 0));
            continue;
        }
        assert_int_equal(world_go(r, 5, 1, NULL, 0), MB_E_NOSUP);
        assert_non_null(strstr(r->err.msg, "admm needs every message"));
        assert_non_null(strstr(r->err.msg, "wrong answer"));
        assert_non_null(strstr(r->err.msg, "use edge"));
        assert_int_equal(r->state.t, 0);
    }
}

TEST(wrong_options_are_refused)
{
    run        *r = world_run(ring_world(5), &mb_algo_nsg, "", NULL);
    seen        a = {.n = 0};
    mb_observer never = {.self = &a, .see = see};

    assert_int_equal(go(r, -1, 1, MB_FREEZE), MB_E_ARG);
    assert_non_null(strstr(r->err.msg, "rounds: got -1"));
    assert_int_equal(go(r, 5, -2, MB_FREEZE), MB_E_ARG);
    assert_non_null(strstr(r->err.msg, "threads: got -2"));
    assert_int_equal(world_go(r, 5, 1, &never, 1), MB_E_ARG);
    must(go(r, 0, 1, MB_FREEZE));
    assert_int_equal(r->state.t, 0);
}

TEST(more_threads_than_nodes_is_no_harm)
{
    run *r = world_run(ring_world(3), &mb_algo_edge, "", NULL);

    must(world_go(r, 20, 16, NULL, 0));
    assert_int_equal(r->state.t, 20);
}

/* Two processes, of which the other one failed at node 0 with MB_E_NUMERIC and an empty text. */
static mb_status other_failed(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *e)
{
    (void)tp, (void)e;
    if (op == MB_MAX)
        v[0] = 4;
    else
        v[n - 2] = MB_E_NUMERIC;
    return MB_OK;
}

TEST(an_error_of_another_process_is_at_no_row_or_option)
{
    const mb_transport_ops ops = {.reduce = other_failed};
    const mb_part          part = {.n_local = 1, .n_global = 2};
    const mb_crew_         crew = {.nodes = 1};
    mb_transport           tp = {.ops = &ops, .part = &part};
    mb_err                 err = {.option = "of an earlier error"};

    assert_int_equal(mb_crew_agree_(&crew, &tp, MB_WHEN_SENDING_, MB_OK, &err), MB_E_NUMERIC);
    assert_null(err.option);
    assert_int_equal(err.row, -1);
    assert_int_equal(err.column, -1);
}

RUN_TESTS(arena_up, arena_down)
