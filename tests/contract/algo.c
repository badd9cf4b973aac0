/* What every algorithm must do, for each in the list. */
#include "arena.h"
#include "counting_malloc.h"
#include "guarded.h"
#include "test.h"
#include "worlds.h"

/* A claim about algorithms is put to every model, on a network the algorithms can run on. */
#define FOR_EVERY_WORLD(claim)                                                                     \
    TEST(claim)                                                                                    \
    {                                                                                              \
        for (int k = 0; k < WORLDS; k++) {                                                         \
            check_##claim(&worlds[k], NETWORK);                                                    \
            check_##claim(&worlds[k], RING);                                                       \
        }                                                                                          \
    }

static const char *const NETWORK = "geometric:n=12,side=2,radius=0.8", *const RING = "ring:n=12";

/* All that need no ring, on the ring those that do; NULL-terminated. */
static const mb_algo *const *algos_on(const char *network)
{
    const mb_algo **list = mb_alloc(arena, 64, sizeof *list), **next = list;

    for (const mb_algo *const *a = mb_algo_list(); *a; a++)
        if (((*a)->needs & MB_NEEDS_RING) == (network == RING ? MB_NEEDS_RING : 0))
            *next++ = *a;
    assert_true(next > list && next - list < 64);
    return list;
}

TEST(every_entry_is_complete_and_found_by_name)
{
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        assert_ptr_equal(mb_algo_find((*a)->name), *a);
        assert_true((*a)->title && (*a)->opts && (*a)->emit && (*a)->absorb);
    }
    assert_null(mb_algo_find("fusion"));
    assert_null(mb_algo_find(""));
}

/* Names are "ALGORITHM.option", defaults are accepted, every option says what it is. */
TEST(options_are_its_own_and_have_good_defaults)
{
    mb_err err;

    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        void *opt = mb_alloc(arena, 1, (*a)->opt_size + 1);

        must(mb_opt_defaults((*a)->opts, opt, &err));
        for (const mb_opt *o = (*a)->opts; o->name; o++) {
            const size_t n = strlen((*a)->name);

            assert_int_equal(strncmp(o->name, (*a)->name, n), 0);
            assert_int_equal(o->name[n], '.');
            assert_true(o->at + sizeof(int32_t) <= (*a)->opt_size);
            assert_true(o->def && o->unit && o->eq && o->sklearn && strlen(o->help) > 10);
        }
    }
}

/* Messages are single vectors of the layout, one for each neighbour, on all links. */
static int bears_changes(const mb_algo *a)
{
    return a->fanout == MB_PER_NEIGHBOUR && a->coding == MB_CODED_DOUBLES && !a->extra &&
           !a->vectors && !(a->needs & (MB_NEEDS_EVERY_MSG | MB_NEEDS_TREE | MB_NEEDS_NO_MSG));
}

/* What it bears agrees with what it needs, and functions for nodes are there when it bears all; one
 * that needs a tree runs there in epochs, each with a tree of its own. */
TEST(what_it_bears_agrees_with_what_it_needs)
{
    const unsigned all = MB_BEARS_LOSS | MB_BEARS_SPEEDS | MB_BEARS_CHURN;

    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        assert_true(((*a)->bears & ~(all | MB_BEARS_CHANGES)) == 0);
        assert_false((*a)->bears & MB_BEARS_CHANGES && !bears_changes(*a));
        assert_false((*a)->ready && ((*a)->cycle || (*a)->needs & MB_NEEDS_NO_MSG));
        assert_false((*a)->bears & MB_BEARS_LOSS && (*a)->needs & MB_NEEDS_EVERY_MSG);
        assert_false((*a)->bears & MB_BEARS_CHURN && (*a)->needs & MB_NEEDS_RING);
        assert_true(((*a)->bears & all) == all || !(*a)->mesh);
        assert_true(((*a)->bears & all) != all || (*a)->mesh || (*a)->needs & MB_NEEDS_TREE);
    }
    assert_true(mb_algo_edge.bears == (all | MB_BEARS_CHANGES));
}

static void check_mesh_ops(const mb_algo *a)
{
    const mb_mesh_ops *m = a->mesh;

    assert_true(m->settle && m->stiffness && m->hear && m->restiffen && m->rescale && m->event);
    assert_true(a->init && a->step && !a->open && !a->cycle && !a->judge && !a->extra);
    assert_true(!a->ready && !a->vectors && a->coding == MB_CODED_DOUBLES);
    assert_true(a->fanout == MB_PER_NEIGHBOUR);
    assert_true(a->opt_size <= MB_MESH_OPT && m->kappa + sizeof(double) <= a->opt_size);
}

static double kappa_of(const mb_algo *a, const char *opt)
{
    double kappa;

    memcpy(&kappa, opt + a->mesh->kappa, sizeof kappa);
    return kappa;
}

/* Automatic options of nodes that begin together are those of the simulator. */
static void check_settle(const mb_algo *a, int32_t hops)
{
    const mb_mesh_ops  *m = a->mesh;
    const mb_mesh_facts facts = {.hops = hops, .together = 1};
    const mb_net_facts  known = {.hops = hops};
    char  *opt = mb_alloc(arena, 1, MB_MESH_OPT), *node = mb_alloc(arena, 1, MB_MESH_OPT);
    mb_err err;

    assert_int_equal(mb_opt_defaults(a->opts, opt, &err), MB_OK);
    assert_int_equal(a->tune(opt, &known, &err), MB_OK);
    m->settle(node, &facts);
    assert_memory_equal(node, opt, a->opt_size);
    assert_int_equal(a->nedge(node), 1);
    assert_true(!a->naux || a->naux(node) <= m->naux);
}

/* kappa that is given is taken, and both ends of an edge compute the same stiffness. */
static void check_stiffness(const mb_algo *a, int32_t hops)
{
    char  *one = mb_alloc(arena, 1, MB_MESH_OPT), *other = mb_alloc(arena, 1, MB_MESH_OPT);
    double here, there;

    a->mesh->settle(one, &(mb_mesh_facts){.hops = hops});
    a->mesh->settle(other, &(mb_mesh_facts){.hops = hops, .kappa = 3, .eta = 0.125});
    assert_true(fabs(kappa_of(a, other) - 3) <= 0 && kappa_of(a, one) > 0);
    here = a->mesh->stiffness(one, kappa_of(a, other), 2, 5);
    there = a->mesh->stiffness(other, kappa_of(a, one), 5, 2);
    assert_true(here > 0 && fabs(here - there) <= 0);
}

TEST(nodes_settle_the_options_of_the_simulator)
{
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        if (!(*a)->mesh)
            continue;
        check_mesh_ops(*a);
        for (int32_t hops = 1; hops < 60; hops++) {
            check_settle(*a, hops);
            check_stiffness(*a, hops);
        }
    }
}

/* Every node holds the same rows, so cVB's fixed point is each node's own: a rest point of every
 * method. 40 rounds of rounding errors, each contracted: far below 1e-10. */
static void check_cvb_point_of_equal_nodes_is_a_rest_point(const world_kind *kind,
                                                           const char       *network)
{
    world *w = kind->make(arena, network, MB_METROPOLIS, 1, 100);

    for (int32_t i = 1; i < 12; i++)
        w->rows[i] = w->rows[0];
    kind->start(w);
    world_solve(w);
    for (const mb_algo *const *a = algos_on(network); *a; a++) {
        run *r = world_run(w, *a, "", NULL);

        for (size_t i = 0; i < 12; i++) {
            memcpy(r->state.phi + i * r->state.ld, w->cvb, w->model.layout.len * sizeof *w->cvb);
            memcpy(r->state.phi_star + i * r->state.ld, w->cvb,
                   w->model.layout.len * sizeof *w->cvb);
        }
        must(world_go(r, 40, 1, NULL, 0));
        assert_true(farthest(r, w->cvb) < 1e-10);
    }
}

FOR_EVERY_WORLD(cvb_point_of_equal_nodes_is_a_rest_point)

/* Node i of w is node to[i] of the new world. */
static world *renamed(const world *w, const int32_t *to)
{
    const mb_graph *g = &w->net->topology.g;
    const size_t    len = w->model.layout.len, n = (size_t)g->n;
    int32_t        *edges = mb_alloc(arena, (size_t)g->ptr[g->n], sizeof *edges);
    world          *v = mb_alloc(arena, 1, sizeof *v);
    int64_t         m = 0;
    int32_t        *turn;

    *v = *w;
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            if (i < g->adj[e]) {
                edges[2 * m] = to[i];
                edges[2 * m++ + 1] = to[g->adj[e]];
            }
    v->net = net_from_edges(arena, g->n, m, edges);
    v->rows = mb_alloc(arena, n, sizeof *v->rows);
    v->star = mb_alloc(arena, n * len, sizeof *v->star);
    turn = w->net->part.turn ? mb_alloc(arena, n, sizeof *turn) : NULL;
    v->net->part.turn = turn; /* where a ring begins depends on names, by definition */
    v->net->part.tree = tree_renamed(arena, g, w->net->part.tree, &v->net->topology.g, to);
    for (size_t i = 0; i < n; i++) {
        v->rows[to[i]] = w->rows[i];
        if (turn)
            turn[to[i]] = w->net->part.turn[i];
        memcpy(v->star + (size_t)to[i] * len, w->star + i * len, len * sizeof *v->star);
    }
    return v;
}

/* Sums over neighbours change their order: rounding, amplified over 20 rounds by less than 1e4. */
static void check_renaming_nodes_renames_results(const world_kind *kind, const char *network)
{
    static const int32_t to[] = {5, 0, 11, 7, 2, 9, 4, 1, 10, 3, 8, 6};
    const world         *w = kind->make(arena, network, MB_METROPOLIS, 1, 60);
    const world         *v = renamed(w, to);

    for (const mb_algo *const *a = algos_on(network); *a; a++) {
        run *r = world_run(w, *a, "", NULL), *q = world_run(v, *a, "", NULL);

        q->problem.opt = r->problem.opt; /* the hops depend on names, by definition */
        must(world_go(r, 20, 1, NULL, 0));
        must(world_go(q, 20, 1, NULL, 0));
        for (int32_t i = 0; i < 12; i++)
            assert_true(apart(phi_of(r, i), phi_of(q, to[i]), w->model.layout.len) < 1e-11);
    }
}

FOR_EVERY_WORLD(renaming_nodes_renames_results)

static void expect_same_bits(const run *r, const run *q)
{
    const size_t n = (size_t)r->problem.part->n_local, row = r->state.ld * sizeof(double);

    assert_memory_equal(r->state.phi, q->state.phi, n * row);
    assert_memory_equal(r->state.phi_star, q->state.phi_star, n * row);
    assert_memory_equal(r->state.frozen, q->state.frozen, n * sizeof *r->state.frozen);
    assert_memory_equal(r->state.aux, q->state.aux, n * (size_t)r->state.naux * row);
}

static void check_one_and_several_threads_give_the_same_bits(const world_kind *kind,
                                                             const char       *network)
{
    const mb_faults f = {.loss_directed = 0.3, .silent = 0.1, .delay = 2, .seed = 5};
    const world    *w = kind->make(arena, network, MB_METROPOLIS, 1, 60);

    for (const mb_algo *const *a = algos_on(network); *a; a++)
        for (int faulty = 0; faulty < 2; faulty++) {
            const mb_faults *g = faulty && !((*a)->needs & MB_NEEDS_EVERY_MSG) ? &f : NULL;
            run             *one = world_run(w, *a, "", g);

            must(world_go(one, 20, 1, NULL, 0));
            for (int32_t threads = 2; threads < 4; threads++) {
                run *many = world_run(w, *a, "", g);

                must(world_go(many, 20, threads, NULL, 0));
                expect_same_bits(one, many);
            }
        }
}

FOR_EVERY_WORLD(one_and_several_threads_give_the_same_bits)

/* As many allocations for 50 rounds as for 5, and none in the state's arena. */
static void check_rounds_allocate_nothing(const world_kind *kind, const char *network)
{
    const mb_faults f = {.loss_directed = 0.3, .delay = 2, .seed = 5};
    const world    *w = kind->make(arena, network, MB_METROPOLIS, 1, 60);

    for (const mb_algo *const *a = algos_on(network); *a; a++) {
        const mb_faults *g = (*a)->needs & MB_NEEDS_EVERY_MSG ? NULL : &f;
        run             *few = world_run(w, *a, "", g), *many = world_run(w, *a, "", g);
        const size_t     used = mb_arena_used(arena);
        long             before = allocations(), for_few;

        must(world_go(few, 5, 1, NULL, 0));
        for_few = allocations() - before;
        before = allocations();
        must(world_go(many, 50, 1, NULL, 0));
        assert_int_equal(allocations() - before, for_few);
        assert_int_equal(mb_arena_used(arena), used);
    }
}

FOR_EVERY_WORLD(rounds_allocate_nothing)

/* A node with three neighbours by hand: every array it may touch lies between canaries, and what
 * it may only read is compared afterwards. */
enum { DEG = 3 };

typedef struct lone {
    size_t  len, ld, mlen; /* of a vector, between messages, of a message */
    double *phi, *aux, *edge, *memo, *scratch, *msg; /* behind PAD canaries, PAD more after */
    size_t  naux, nedge, nmemo, nscratch, nmsg;
    double *star, *received[DEG];
    mb_node nd;
    int64_t projected;
} lone;

static lone lone_node(const world *w, const mb_algo *a, const void *opt, const int32_t *nbr_deg)
{
    static const uint8_t all[DEG] = {1, 1, 1};
    const mb_layout     *layout = &w->model.layout;
    const size_t         len = layout->len + (size_t)a->extra;
    lone s = {.len = len, .nmemo = (size_t)a->memo, .nscratch = len + layout->scratch};

    s.mlen = len * (size_t)(a->vectors ? a->vectors(opt) : 1);
    s.ld = s.mlen + PAD;
    s.naux = (a->naux ? (size_t)a->naux(opt) : 0) * s.len;
    s.nedge = (a->nedge ? (size_t)a->nedge(opt) : 0) * DEG * s.len;
    s.nmsg = a->fanout == MB_BROADCAST ? s.mlen : (DEG - 1) * s.ld + s.mlen;
    s.phi = guarded(s.len);
    s.aux = guarded(s.naux);
    s.edge = guarded(s.nedge);
    s.memo = guarded(s.nmemo);
    s.scratch = guarded(s.nscratch);
    s.msg = guarded(s.nmsg);
    for (int j = 0; j < DEG && a->fanout == MB_PER_NEIGHBOUR; j++)
        for (size_t l = s.mlen; l < s.ld && (size_t)j * s.ld + l < s.nmsg; l++)
            s.msg[(size_t)j * s.ld + l] = CANARY; /* between the rows */
    s.star = w->star;
    for (size_t j = 0; j < DEG; j++)
        s.received[j] = a_message(arena, a, w->star + (j + 1) * layout->len, layout->len, s.mlen);
    memcpy(s.phi, w->model.prior, layout->len * sizeof *s.phi);
    s.nd = (mb_node){.layout = layout,
                     .len = s.len,
                     .opt = opt,
                     .deg = DEG,
                     .nbr_deg = nbr_deg,
                     .tree = all,
                     .scale = 12,
                     .prior = w->model.prior,
                     .phi = s.phi,
                     .aux = s.aux,
                     .edge = s.edge,
                     .memo = s.memo,
                     .scratch = s.scratch,
                     .eps = w->model.eps};
    return s;
}

static void expect_all_guards(const lone *s)
{
    expect_guards(s->phi, s->len);
    expect_guards(s->aux, s->naux);
    expect_guards(s->edge, s->nedge);
    expect_guards(s->memo, s->nmemo);
    expect_guards(s->scratch, s->nscratch);
    expect_guards(s->msg, s->nmsg);
    for (size_t at = s->mlen; at < s->nmsg; at++)
        if (at % s->ld >= s->mlen)
            assert_true(s->msg[at] == CANARY);
}

static mb_status lone_rounds(lone *s, const mb_algo *a, const mb_inbox *in, int64_t rounds)
{
    double *mu = doubles(s->len);
    double *work = doubles(s->nd.layout->scratch + 1), A;
    mb_err  err;

    s->nd.projected = &s->projected;
    s->nd.mu = mu;
    if (a->init)
        MB_TRY(a->init(&s->nd, s->star, &err));
    if (a->open)
        MB_TRY(a->open(&s->nd, in, &err));
    for (s->nd.t = 1; s->nd.t <= rounds; s->nd.t++) {
        s->nd.outside = mb_moments(s->nd.layout, s->phi, mu, &A, work, &err) == MB_E_DOMAIN;
        MB_TRY(a->emit(&s->nd, s->star, s->msg, s->ld, &err));
        MB_TRY(a->absorb(&s->nd, s->star, s->msg, s->ld, in, &err));
    }
    return MB_OK;
}

/* All that the stopping rule reads of a node. */
static void expect_a_step(const mb_algo *a, const mb_node *nd)
{
    const mb_node seen = {.opt = nd->opt, .t = nd->t - 1, .deg = nd->deg, .memo = nd->memo};

    if (a->step)
        assert_true(a->step(&seen) > 0 && a->step(&seen) <= 1);
}

static void check_writes_only_its_own_arrays(const world_kind *kind, const char *network)
{
    static const int32_t nbr_deg[DEG] = {1, 4, 2}, age[DEG] = {0, 0, 0};
    static const uint8_t fresh[DEG] = {1, 1, 1};
    static const double  weight[DEG] = {0.2, 0.3, 0.1};
    const world         *w = kind->make(arena, network, MB_METROPOLIS, 1, 60);
    const mb_faults      f = {.loss = 0.1};
    const size_t         bytes = 12 * w->model.layout.len * sizeof(double);
    double              *before = mb_alloc(arena, bytes, 1);

    memcpy(before, w->star, bytes);
    for (const mb_algo *const *a = algos_on(network); *a; a++)
        for (int lossy = 0; lossy < 2; lossy++) {
            void          *opt = world_options(w, *a, "", lossy ? &f : NULL);
            lone           s = lone_node(w, *a, opt, nbr_deg);
            const double  *msg[DEG] = {s.received[0], s.received[1], s.received[2]};
            const mb_inbox in = {DEG, msg, age, fresh, weight, 0.4};

            must(lone_rounds(&s, *a, &in, 5));
            expect_all_guards(&s);
            expect_a_step(*a, &s.nd);
            assert_memory_equal(before, w->star, bytes);
        }
}

FOR_EVERY_WORLD(writes_only_its_own_arrays)

/* Neighbour 0 was never heard, 1 is late, 2 is here: a method that can do without gives a phi
 * inside Omega, the others say so. */
static void check_missing_messages_are_honoured(const world_kind *kind, const char *network)
{
    static const int32_t nbr_deg[DEG] = {1, 4, 2}, age[DEG] = {0, 1, 0};
    static const uint8_t fresh[DEG] = {0, 0, 1}, none[DEG] = {0, 0, 0};
    static const double  weight[DEG] = {0.2, 0.3, 0.1};
    const world         *w = kind->make(arena, network, MB_METROPOLIS, 1, 60);
    const mb_faults      f = {.loss = 0.1, .delay = 2};
    double              *scratch = doubles(w->model.layout.scratch + 1), A;
    mb_err               err;

    for (const mb_algo *const *a = algos_on(network); *a; a++) {
        void          *opt = world_options(w, *a, "", &f);
        lone           s = lone_node(w, *a, opt, nbr_deg);
        const double  *msg[DEG] = {NULL, s.received[1], s.received[2]};
        const mb_inbox in = {DEG,    msg, age, (*a)->needs & MB_NEEDS_RING ? none : fresh,
                             weight, 0.4};
        mb_status      st;

        s.nd.turn = (*a)->needs & MB_NEEDS_RING ? 1 : 0; /* its one message is due in this round */
        st = lone_rounds(&s, *a, &in, 1);

        if ((*a)->needs & MB_NEEDS_EVERY_MSG) {
            assert_int_equal(st, MB_E_PEER);
            continue;
        }
        assert_int_equal(st, MB_OK);
        must(mb_moments(&w->model.layout, s.phi, NULL, &A, scratch, &err));
    }
}

FOR_EVERY_WORLD(missing_messages_are_honoured)

/* The stopping rule waits for messages from all other nodes. */
static void check_who_needs_no_message_sends_none(const world_kind *kind, const char *network)
{
    const world *w = kind->make(arena, network, MB_METROPOLIS, 1, 60);

    for (const mb_algo *const *a = algos_on(network); *a; a++) {
        run *r = world_run(w, *a, "", NULL);

        must(world_go(r, 13, 1, NULL, 0));
        assert_int_equal(r->state.sent.frames == 0, ((*a)->needs & MB_NEEDS_NO_MSG) != 0);
    }
}

FOR_EVERY_WORLD(who_needs_no_message_sends_none)

RUN_TESTS(arena_up, arena_down)
