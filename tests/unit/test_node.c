/* What an algorithm gets from its node besides phi and phi*, shown by an algorithm of this test: extra
 * numbers after every vector, and grad A; in the loop, with threads, faults and checkpoints. */
#include "gmm_world.h"
#include "keeping.h"
#include "scratch.h"
#include "test.h"

enum { EXTRA = 2, NODES = 8, HALF = 10 };
static const char NETWORK[] = "complete:n=8";

/* nsg with two numbers after the vector: one node has put a 1 into the first, the others a 0, and
 * averaging makes 1/N of it everywhere; the second counts the vectors heard. */
typedef struct share_opt {
    const double *lead;     /* phi of the node that has the 1 */
    int64_t       break_at; /* round in which the lead's number becomes NaN */
} share_opt;

static const mb_opt no_opts[] = {{.name = NULL}};

static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    const share_opt *o = nd->opt;
    const size_t     L = nd->layout->len;

    (void)err;
    assert_int_equal(nd->len, L + EXTRA);
    assert_ptr_equal(nd->extra, phi_star + L);
    assert_true(nd->extra[0] == 0 && nd->phi[L] == 0 && nd->phi[L + 1] == 0);
    nd->extra[0] = nd->phi == o->lead;
    nd->phi[L] = nd->extra[0];
    return MB_OK;
}

static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const size_t L = nd->layout->len;

    (void)ld, (void)err;
    memcpy(msg, phi_star, L * sizeof *msg);
    memcpy(msg + L, nd->phi + L, EXTRA * sizeof *msg);
    return MB_OK;
}

static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const share_opt *o = nd->opt;
    const size_t     L = nd->layout->len;
    const double     saved = nd->phi[L + 1];
    double           w = in->w_self;

    (void)phi_star, (void)ld, (void)err;
    for (int32_t j = 0; j < in->deg; j++)
        if (!in->msg[j])
            w += in->w[j];
    for (size_t l = 0; l < nd->len; l++)
        nd->phi[l] = w * msg[l];
    for (int32_t j = 0; j < in->deg; j++)
        for (size_t l = 0; in->msg[j] && l < nd->len; l++)
            nd->phi[l] += in->w[j] * in->msg[j][l];
    nd->phi[L + 1] = saved;
    for (int32_t j = 0; j < in->deg; j++)
        nd->phi[L + 1] += in->fresh[j];
    if (nd->t == o->break_at && nd->phi == o->lead)
        nd->phi[L] = NAN;
    return MB_OK;
}

static const mb_algo share = {.name = "share",
                              .title = "a test's",
                              .opts = no_opts,
                              .opt_size = sizeof(share_opt),
                              .consensus = 1,
                              .extra = EXTRA,
                              .init = init,
                              .emit = emit,
                              .absorb = absorb};

static run *share_run(const world *w, const mb_faults *f)
{
    run       *r = world_run(w, &share, "", f);
    share_opt *o = mb_alloc(w->a, 1, sizeof *o);

    assert_non_null(o);
    o->lead = phi_of(r, 3);
    r->problem.opt = o;
    return r;
}

static const double *behind(const run *r, int32_t i)
{
    return phi_of(r, i) + r->w->model.layout.len;
}

static const world *some_world(scratch *s)
{
    return gmm_world(s->a, NETWORK, MB_METROPOLIS, 5, 20);
}

TEST(numbers_behind_the_vector_are_averaged)
{
    const world *w = some_world(*state);
    run         *r = share_run(w, NULL), *nsg = world_run(w, &mb_algo_nsg, "", NULL);

    must(world_go(r, 1, 1, NULL, 0));
    for (int32_t i = 0; i < NODES; i++)
        assert_true(behind(r, i)[0] == 1.0 / NODES);
    must(world_go(r, 20, 1, NULL, 0));
    must(world_go(nsg, 20, 1, NULL, 0));
    for (int32_t i = 0; i < NODES; i++) {
        assert_true(behind(r, i)[0] == 1.0 / NODES); /* a power of 2: sums are exact */
        assert_true(behind(r, i)[1] == 20 * (NODES - 1));
        assert_memory_equal(phi_of(r, i), phi_of(nsg, i), w->model.layout.len * sizeof(double));
    }
}

TEST(they_count_as_traffic)
{
    const world *w = some_world(*state);
    run         *r = share_run(w, NULL);

    must(world_go(r, 3, 1, NULL, 0));
    assert_int_equal(r->state.sent.frames, 3 * NODES);
    assert_int_equal(r->state.sent.bytes,
                     3 * NODES * (NODES - 1) *
                         (MB_FRAME_HEADER + 8 * ((int64_t)w->model.layout.len + EXTRA)));
}

static void expect_same(const run *a, const run *b)
{
    for (int32_t i = 0; i < NODES; i++)
        assert_memory_equal(phi_of(a, i), phi_of(b, i), a->state.mail.len * sizeof(double));
}

static const mb_faults lossy = {.loss = 0.2, .delay = 2, .silent = 0.1, .seed = 3};

TEST(threads_and_faults_do_not_change_them)
{
    const world *w = some_world(*state);
    run         *one = share_run(w, &lossy), *four = share_run(w, &lossy);

    must(world_go(one, 2 * HALF, 1, NULL, 0));
    must(world_go(four, 2 * HALF, 4, NULL, 0));
    expect_same(one, four);
    for (int32_t i = 0; i < NODES; i++) {
        assert_true(behind(one, i)[0] > 0 && behind(one, i)[0] < 1);
        assert_true(behind(one, i)[1] > HALF && behind(one, i)[1] < 2 * HALF * (NODES - 1));
    }
}

TEST(a_checkpoint_keeps_them)
{
    scratch     *s = *state;
    const world *w = some_world(s);
    keeping     *whole = keeping_of(share_run(w, &lossy), scratch_path(s, "whole"));
    keeping     *first = keeping_of(share_run(w, &lossy), scratch_path(s, "kept"));
    keeping     *second = keeping_of(share_run(w, &lossy), scratch_path(s, "kept"));

    keeping_go(whole, 2 * HALF);
    keeping_go(first, HALF);
    keeping_save(first, 0);
    must(keeping_load(second));
    expect_same(first->r, second->r);
    for (int32_t i = 0; i < NODES; i++)
        assert_true(
            second->r->state.phi_star[(size_t)i * second->r->state.ld + w->model.layout.len] ==
            (i == 3));
    keeping_go(second, 2 * HALF);
    expect_same(whole->r, second->r);
    keeping_end(whole);
    keeping_end(first);
    keeping_end(second);
}

TEST(a_checkpoint_without_them_is_refused)
{
    scratch     *s = *state;
    const world *w = some_world(s);
    keeping     *with = keeping_of(share_run(w, NULL), scratch_path(s, "kept")), *without;
    mb_algo      plain = share;
    run         *r;

    keeping_save(with, 0);
    plain.extra = 0;
    r = world_run(w, &plain, "", NULL);
    without = keeping_of(r, scratch_path(s, "kept"));
    assert_int_equal(keeping_load(without), MB_E_ARG);
    assert_non_null(strstr(r->err.msg, "length of phi"));
    keeping_end(with);
    keeping_end(without);
}

TEST(one_that_is_not_finite_ends_the_run)
{
    const world *w = some_world(*state);
    run         *r = share_run(w, NULL);

    ((share_opt *)(uintptr_t)r->problem.opt)->break_at = 4;
    assert_int_equal(world_go(r, 10, 1, NULL, 0), MB_E_NUMERIC);
    assert_non_null(strstr(r->err.msg, "node 3, round 4"));
    assert_non_null(strstr(r->err.msg, "share has diverged"));
}

/* dSVB that looks at mu whenever it may, against mb_moments of the phi that it belongs to. */
typedef struct look_opt {
    mb_dsvb_opt     dsvb;
    const mb_model *model;
    const double *phi; /* of all nodes, stride ld; kept: phi of the last local step inside Omega */
    double       *inside;
    int64_t       outside; /* looks at a node outside Omega */
    size_t        ld;
} look_opt;

static void expect_mu(const mb_node *nd)
{
    const mb_layout *l = nd->layout;
    look_opt        *o = (look_opt *)(uintptr_t)nd->opt;
    double          *inside = o->inside + (nd->phi - o->phi), mu[64], spare[256];

    assert_true(l->len <= 64 && l->scratch <= 256);
    if (!nd->outside)
        memcpy(inside, nd->t > 1 ? nd->phi : o->model->prior, l->len * sizeof *inside);
    o->outside += nd->outside;
    must(mb_moments(l, inside, mu, NULL, spare, NULL));
    assert_memory_equal(mu, nd->mu, l->len * sizeof *mu);
}

static mb_status look_emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    expect_mu(nd);
    return mb_algo_dsvb.emit(nd, phi_star, msg, ld, err);
}

/* Sends node 2 out of Omega in round 5 and back by its neighbours. */
static mb_status look_absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                             const mb_inbox *in, mb_err *err)
{
    const look_opt *o = nd->opt;

    MB_TRY(mb_algo_dsvb.absorb(nd, phi_star, msg, ld, in, err));
    if (nd->t == 5 && nd->phi == o->phi + 2 * o->ld)
        nd->phi[0] = -100;
    return MB_OK;
}

static run *look_run(const world *w, const mb_algo *algo)
{
    run      *r = world_run(w, algo, "", NULL);
    look_opt *o = mb_alloc(w->a, 1, sizeof *o);

    assert_non_null(o);
    *o = (look_opt){.dsvb = {.tau = 0.2, .d0 = 1}, .model = &w->model, .phi = r->state.phi};
    o->ld = r->state.ld;
    o->inside = mb_alloc(w->a, NODES * o->ld, sizeof *o->inside);
    assert_non_null(o->inside);
    r->problem.opt = o;
    return r;
}

static mb_algo looks(void)
{
    mb_algo a = mb_algo_dsvb;

    a.name = "look";
    a.needs |= MB_WANTS_MU;
    a.emit = look_emit;
    a.absorb = look_absorb;
    return a;
}

static mb_status see_nothing(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    (void)self, (void)p, (void)s, (void)err;
    return MB_OK;
}

/* With and without bounds, whose moments it shares. */
TEST(mu_belongs_to_the_last_phi_inside)
{
    const world      *w = some_world(*state);
    const mb_algo     algo = looks();
    const mb_observer bounds = {.every = 3, .wants_bound = 1, .see = see_nothing};
    run              *plain = look_run(w, &algo), *bounded = look_run(w, &algo);

    assert_null(world_run(w, &mb_algo_dsvb, "", NULL)->state.mu);
    must(world_go(plain, 2 * HALF, 1, NULL, 0));
    must(world_go(bounded, 2 * HALF, 1, &bounds, 1));
    assert_true(((const look_opt *)plain->problem.opt)->outside > 0);
    expect_same(plain, bounded);
}

TEST(a_checkpoint_keeps_mu)
{
    scratch      *s = *state;
    const world  *w = some_world(s);
    const mb_algo algo = looks();
    keeping      *first = keeping_of(look_run(w, &algo), scratch_path(s, "kept"));
    keeping      *second = keeping_of(look_run(w, &algo), scratch_path(s, "kept"));
    const size_t  ld = first->r->state.ld;

    keeping_go(first, 5); /* one node is outside: its mu is of another phi */
    assert_int_equal(first->r->state.outside[2], 1);
    keeping_save(first, 0);
    must(keeping_load(second));
    for (size_t i = 0; i < NODES; i++)
        assert_memory_equal(first->r->state.mu + i * ld, second->r->state.mu + i * ld,
                            w->model.layout.len * sizeof(double));
    keeping_end(first);
    keeping_end(second);
}

RUN_EACH_TEST(scratch_begin, scratch_end)
