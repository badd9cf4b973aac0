/* Under mpirun: a network shared over the ranks runs bit for bit as in one process - every
 * algorithm, with and without faults, its start and its metrics. */
#include "arena.h"
#include "category_world.h"
#include "core/observe.h"
#include "fit/case.h"
#include "gmm_world.h"
#include "network/network.h"
#include "start/tree.h"
#include "test.h"
#include "transport/mpi.h"

static const char *const NET = "geometric:n=30,side=2.6,radius=0.8";

typedef enum split { BLOCKS, TURNS } split;

/* The same world seen by this rank alone: its part, its rows, its transport. */
typedef struct shared {
    const world *w;
    net         *net;
    mb_rows     *rows;
    int32_t      rank, size;
} shared;

static shared share(const world *w, split how)
{
    const int32_t n = w->net->part.n_local;
    int32_t      *owner = mb_alloc(arena, (size_t)n, sizeof *owner);
    shared        s = {.w = w, .net = mb_alloc(arena, 1, sizeof *s.net)};
    mb_err        err;

    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    mb_split_blocks(n, s.size, owner);
    for (int32_t i = 0; how == TURNS && i < n; i++)
        owner[i] = i % s.size;
    *s.net = *w->net;
    must(mb_part_share(arena, &w->net->topology.g, &w->net->weights, owner, s.rank, &s.net->part,
                       &err));
    s.net->part.tree = tree_of_share(arena, &w->net->topology.g, w->net->part.tree, &s.net->part);
    must(mb_transport_mpi(arena, &s.net->part, MPI_COMM_WORLD, &s.net->tp, &err));
    s.rows = mb_alloc(arena, (size_t)s.net->part.n_local, sizeof *s.rows);
    for (int32_t r = 0; r < s.net->part.n_local; r++)
        s.rows[r] = w->rows[s.net->part.gid[r]];
    return s;
}

static run *shared_run(const shared *s, const mb_algo *algo, const mb_faults *f, mb_send send)
{
    const size_t len = s->w->model.layout.len;
    run         *r = mb_alloc(arena, 1, sizeof *r);

    r->w = s->w;
    r->problem = (mb_problem){.model = &s->w->model,
                              .algo = algo,
                              .opt = world_options(s->w, algo, "", f),
                              .part = &s->net->part,
                              .rows = s->rows,
                              .scale = s->net->part.n_global};
    must(mb_state_new(arena, &r->problem, &r->state, &r->err));
    for (int32_t i = 0; i < s->net->part.n_local; i++)
        memcpy(r->state.phi_star + (size_t)i * r->state.ld,
               s->w->star + (size_t)s->net->part.gid[i] * len, len * sizeof(double));
    run_carry(r, &s->net->tp, f, send);
    return r;
}

static void expect_same_metrics(run *here, run *whole)
{
    mb_metrics a = {.on = 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES | 1u << MB_M_KL_CVB,
                    .cvb = here->w->cvb},
               b = a;

    must(mb_metrics_new(arena, &here->problem, &a, &here->err));
    must(mb_metrics_new(arena, &whole->problem, &b, &whole->err));
    must(mb_metrics_see(&a, &here->problem, &here->state, &here->err));
    must(mb_metrics_see(&b, &whole->problem, &whole->state, &whole->err));
    for (int m = 0; m < MB_M_COUNT; m++)
        if (a.on & 1u << m)
            assert_memory_equal(&a.value[m], &b.value[m], 4 * sizeof(double));
}

static int can_run(const mb_algo *algo, const world *w, const mb_faults *f, mb_send send)
{
    return !(f && algo->needs & MB_NEEDS_EVERY_MSG) &&
           !(algo->needs & MB_NEEDS_RING && !w->net->part.turn) &&
           (send == MB_SEND_ALL || algo->bears & MB_BEARS_CHANGES);
}

static void expect_same_run(const shared *s, const mb_algo *algo, const mb_faults *f, mb_send send)
{
    run *whole = world_run_sending(s->w, algo, "", f, send), *here = shared_run(s, algo, f, send);

    must(world_go(whole, 60, 1, NULL, 0));
    must(world_go(here, 60, 1, NULL, 0));
    for (int32_t i = 0; i < s->net->part.n_local; i++)
        assert_memory_equal(phi_of(here, i), phi_of(whole, s->net->part.gid[i]),
                            s->w->model.layout.len * sizeof(double));
    expect_same_metrics(here, whole);
}

static void compare_on(const char *network, split how, const mb_faults *f, mb_send send)
{
    world       *w = gmm_world(arena, network, MB_METROPOLIS, 5, 40);
    const shared s = share(w, how);

    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++)
        if (can_run(*algo, w, f, send))
            expect_same_run(&s, *algo, f, send);
    s.net->tp.ops->close(&s.net->tp);
}

static void compare(split how, const mb_faults *f)
{
    compare_on(NET, how, f, MB_SEND_ALL);
    compare_on("ring:n=9", how, f, MB_SEND_ALL);
    compare_on(NET, how, f, MB_SEND_CHANGES);
}

TEST(every_algorithm_has_the_bits_of_one_process)
{
    compare(BLOCKS, NULL);
    compare(TURNS, NULL);
}

/* A root whose steps may go too far, and one whose sizes are not known. */
TEST(exact_sums_of_regressions_have_the_bits_of_one_process)
{
    mb_linreg_opt fading = mb_linreg_defaults(LR_D, 1);

    fading.relevance = 1;
    for (int how = BLOCKS; how <= TURNS; how++) {
        const world *w[] = {category_world(arena, NET, MB_METROPOLIS, 5, 4),
                            linreg_world_of(arena, NET, MB_METROPOLIS, 5, 4, &fading)};

        for (size_t k = 0; k < sizeof w / sizeof *w; k++) {
            const shared s = share(w[k], how);

            expect_same_run(&s, &mb_algo_sum, NULL, MB_SEND_ALL);
            s.net->tp.ops->close(&s.net->tp);
        }
    }
}

TEST(faults_are_the_same_however_the_nodes_are_shared)
{
    const mb_faults f = {.loss = 0.1, .loss_directed = 0.2, .silent = 0.1, .delay = 2, .seed = 11};

    compare(BLOCKS, &f);
    compare(TURNS, &f);
}

/* `here`, of this process, has the links of `whole`. */
static void expect_same_tree(const shared *s, const world *w, const mb_tree *here,
                             const mb_tree *whole)
{
    const mb_graph *g = &w->net->part.g, *own = &s->net->part.g;

    for (int32_t r = 0; r < s->net->part.n_local; r++) {
        const int32_t i = s->net->part.gid[r];

        for (int64_t p = 0; p < g->ptr[i + 1] - g->ptr[i]; p++)
            assert_int_equal(here->link[own->ptr[r] + p], whole->link[g->ptr[i] + p]);
        assert_int_equal(here->depth[r], whole->depth[i]);
    }
}

/* Sums up the tree are bit-identical to those of one process however the nodes are shared. */
TEST(sums_over_the_tree_are_the_same)
{
    world *w = gmm_world(arena, NET, MB_METROPOLIS, 5, 40);

    for (int how = BLOCKS; how <= TURNS; how++) {
        const shared s = share(w, (split)how);
        double       sum[2][3];
        mb_err       err;

        for (int k = 0; k < 2; k++) {
            mb_transport *tp = k ? &s.net->tp : &w->net->tp;
            mb_traffic    sent = {0};
            mb_tree       tree;
            mb_wave       wave;

            must(mb_agree_tree(arena, arena, tp, &tree, &sent, &err));
            must(mb_wave_new_(arena, tp, &tree, 3, &wave, &err));
            for (int32_t i = 0; i < tp->part->n_local; i++)
                for (int l = 0; l < 3; l++)
                    mb_wave_at_(&wave, i)[l] = exp(l * sin(tp->part->gid[i]));
            must(mb_wave_run_(&wave, mb_join_sum_, &sent, &err));
            memcpy(sum[k], mb_wave_at_(&wave, 0), sizeof sum[k]);
            for (int32_t i = 0; i < tp->part->n_local; i++)
                assert_memory_equal(mb_wave_at_(&wave, i), sum[k], sizeof sum[k]);
        }
        assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
        s.net->tp.ops->close(&s.net->tp);
    }
}

/* In one process without masks, here with them: a start of sums alone is bit-identical. */
TEST(masked_sums_of_the_start_are_the_same)
{
    static const double ends[] = {60, 60, 60, 60};
    world              *w = gmm_world(arena, NET, MB_METROPOLIS, 5, 40);

    for (int how = BLOCKS; how <= TURNS; how++) {
        const shared   s = share(w, (split)how);
        double         centres[2][SYN_K * SYN_D], between[2];
        mb_row_moments seen[2];
        mb_err         err;

        for (int k = 0; k < 2; k++) {
            mb_transport  *tp = k ? &s.net->tp : &w->net->tp;
            const mb_rows *rows = k ? s.rows : w->rows;
            mb_exact_      exact = {NULL, 0};
            mb_masks      *masks;
            mb_traffic     sent = {0};
            mb_tree        tree;

            must(mb_agree_tree(arena, arena, tp, &tree, &sent, &err));
            must(mb_masks_simulated_(arena, tp->part, 3, MB_MASKS_FEW_, &masks, &err));
            exact.masks = k ? masks : NULL;
            tree.exact = &exact;
            must(mb_agree_moments(arena, arena, tp, &tree, rows, SYN_D, 1, 0, ends, &seen[k], &sent,
                                  &err));
            for (int32_t e = 0; e < SYN_K * SYN_D; e++)
                centres[k][e] = 3 * sin(e);
            must(mb_lloyd_sums(arena, tp, &tree, rows, seen[k].mean, seen[k].spread, SYN_K, SYN_D,
                               NULL, 5, centres[k], &between[k], &sent, &err));
            assert_int_equal(exact.sums, 7);
        }
        assert_memory_equal(seen[0].mean, seen[1].mean, SYN_D * sizeof(double));
        assert_memory_equal(seen[0].cov, seen[1].cov, SYN_D * SYN_D * sizeof(double));
        assert_memory_equal(centres[0], centres[1], sizeof centres[0]);
        assert_memory_equal(&between[0], &between[1], sizeof between[0]);
        s.net->tp.ops->close(&s.net->tp);
    }
}

TEST(the_start_is_the_same)
{
    world         *w = gmm_world(arena, NET, MB_METROPOLIS, 5, 40);
    const shared   s = share(w, TURNS);
    double         origin[2][SYN_D], scale[2][SYN_D], centres[2][SYN_K * SYN_D];
    mb_row_moments seen[2];
    mb_tree        tree[2];
    int32_t        repeated, steps[2];
    mb_err         err;

    for (int k = 0; k < 2; k++) {
        mb_transport  *tp = k ? &s.net->tp : &w->net->tp;
        const mb_rows *rows = k ? s.rows : w->rows;
        mb_traffic     sent = {0};

        must(mb_agree_tree(arena, arena, tp, &tree[k], &sent, &err));
        must(mb_agree_moments(arena, arena, tp, &tree[k], rows, SYN_D, 1, 0, NULL, &seen[k], &sent,
                              &err));
        mb_common_units(&seen[k], origin[k], scale[k]);
        must(mb_draw_centres(arena, tp, &tree[k], rows, origin[k], scale[k], MB_KMEANS, 3, SYN_K, 3,
                             0, centres[k], &repeated, &sent, &err));
        must(mb_lloyd(arena, tp, &tree[k], rows, origin[k], scale[k], SYN_K, SYN_D, NULL,
                      centres[k], &steps[k], &sent, &err));
    }
    assert_true(steps[0] > 1 && steps[0] == steps[1]);
    assert_int_equal(tree[0].hops, tree[1].hops);
    assert_int_equal(tree[0].diameter, tree[1].diameter);
    assert_memory_equal(&tree[0].mean, &tree[1].mean, sizeof tree[0].mean);
    expect_same_tree(&s, w, &tree[1], &tree[0]);
    assert_memory_equal(seen[0].mean, seen[1].mean, SYN_D * sizeof(double));
    assert_memory_equal(seen[0].sd, seen[1].sd, SYN_D * sizeof(double));
    assert_memory_equal(seen[0].cov, seen[1].cov, SYN_D * SYN_D * sizeof(double));
    assert_memory_equal(origin[0], origin[1], sizeof origin[0]);
    assert_memory_equal(scale[0], scale[1], sizeof scale[0]);
    assert_memory_equal(centres[0], centres[1], sizeof centres[0]);
    s.net->tp.ops->close(&s.net->tp);
}

TEST(a_central_step_is_the_same)
{
    world           *w = gmm_world(arena, NET, MB_METROPOLIS, 5, 40);
    const shared     s = share(w, TURNS);
    const mb_problem whole = {.model = &w->model,
                              .part = &w->net->part,
                              .rows = w->rows,
                              .scale = w->net->part.n_global},
                     here = {.model = &w->model,
                             .part = &s.net->part,
                             .rows = s.rows,
                             .scale = w->net->part.n_global,
                             .tp = &s.net->tp};
    double moved[2], bound[2];
    mb_err err;

    must(mb_central_check(arena, &whole, w->star, &moved[0], &bound[0], &err));
    must(mb_central_check(arena, &here, w->star, &moved[1], &bound[1], &err));
    assert_true(moved[0] == moved[1] && bound[0] == bound[1]);
    s.net->tp.ops->close(&s.net->tp);
}

TEST(the_first_failure_is_that_of_all)
{
    const mb_comm *c;
    mb_err         err = {0};
    int64_t        word;

    must(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err));
    assert_int_equal(mb_comm_agree(c, MB_QUIET, &err), MB_QUIET);
    snprintf(err.msg, sizeof err.msg, "rank %d", c->rank);
    err.code = c->rank ? MB_E_IO : MB_E_NOMEM;
    assert_int_equal(mb_comm_agree(c, c->rank == c->size - 1 ? err.code : MB_OK, &err),
                     c->size > 1 ? MB_E_IO : MB_E_NOMEM);
    snprintf(err.msg, sizeof err.msg, "rank %d", c->rank);
    err.code = c->rank ? MB_E_IO : MB_E_NOMEM;
    assert_int_equal(mb_comm_agree(c, err.code, &err), MB_E_NOMEM);
    assert_string_equal(err.msg, "rank 0");
    word = c->rank + 5;
    must(mb_comm_share(c, 0, &word, sizeof word, &err));
    assert_int_equal(word, 5);
    word = c->rank + 5;
    must(mb_comm_share(c, c->size - 1, &word, sizeof word, &err));
    assert_int_equal(word, c->size + 4);
}

TEST(places_share_the_nodes_and_agree_on_hops)
{
    const mb_comm *c;
    mb_network     path;
    mb_local_part  place, one;
    mb_traffic     sent = {0};
    mb_tree        tree;
    mb_err         err = {0};
    double         nodes;

    must(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err));
    must(mb_network_draw(arena, "path:n=9", 1, NULL, &path, &err));
    must(mb_place_make(arena, &path, c, &place, &err));
    must(mb_place_one(arena, &one, &err));
    assert_int_equal(one.part.n_local, 1);
    nodes = place.part.n_local;
    must(place.tp.ops->reduce(&place.tp, MB_SUM, &nodes, 1, &err));
    assert_int_equal((int)nodes, 9);
    must(mb_agree_tree(arena, arena, &place.tp, &tree, &sent, &err));
    assert_int_equal(tree.hops, 8);
    mb_place_close(&one);
    mb_place_close(&place);
}

static void same_numbers(const void *x, const void *y, size_t bytes)
{
    assert_true(!x == !y);
    assert_true(!x || !memcmp(x, y, bytes));
}

static void same_halo(const mb_halo *x, const mb_halo *y)
{
    const size_t peers = (size_t)x->npeer;

    assert_true(x->npeer == y->npeer && x->ncross == y->ncross);
    if (!peers)
        return;
    same_numbers(x->peer, y->peer, peers * sizeof *x->peer);
    same_numbers(x->ghost_ptr, y->ghost_ptr, (peers + 1) * sizeof *x->ghost_ptr);
    same_numbers(x->read_ptr, y->read_ptr, (peers + 1) * sizeof *x->read_ptr);
    same_numbers(x->read, y->read, (size_t)x->read_ptr[peers] * sizeof *x->read);
    same_numbers(x->cross_ptr, y->cross_ptr, (peers + 1) * sizeof *x->cross_ptr);
    same_numbers(x->leave, y->leave, (size_t)x->ncross * sizeof *x->leave);
}

static void same_part(const mb_part *x, const mb_part *y)
{
    const size_t n = (size_t)x->n_local, rows = n + (size_t)x->n_ghost;
    const size_t links = (size_t)x->g.ptr[n];

    assert_true(x->n_local == y->n_local && x->n_ghost == y->n_ghost);
    assert_true(x->n_global == y->n_global && x->g.n == y->g.n);
    same_numbers(x->gid, y->gid, rows * sizeof *x->gid);
    same_numbers(x->deg, y->deg, rows * sizeof *x->deg);
    same_numbers(x->g.ptr, y->g.ptr, (n + 1) * sizeof *x->g.ptr);
    same_numbers(x->g.adj, y->g.adj, links * sizeof *x->g.adj);
    same_numbers(x->g.rev, y->g.rev, links * sizeof *x->g.rev);
    same_numbers(x->w.self, y->w.self, n * sizeof *x->w.self);
    same_numbers(x->w.edge, y->w.edge, links * sizeof *x->w.edge);
    same_numbers(x->turn, y->turn, n * sizeof *x->turn);
    if (x->n_ghost) {
        same_numbers(x->owner, y->owner, (size_t)x->n_ghost * sizeof *x->owner);
        same_numbers(x->border, y->border, n * sizeof *x->border);
    }
    same_halo(&x->halo, &y->halo);
}

TEST(process_0_hands_out_the_shares_that_all_would_make)
{
    static const char *const text[] = {"grid:rows=9,cols=7", "ring:n=11", "star:n=9",
                                       "geometric:n=40,side=3,radius=0.9", "complete:n=6"};
    const mb_comm           *c;
    mb_err                   err = {0};

    must(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err));
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        mb_network    whole, known;
        mb_local_part made, given;

        must(mb_network_draw(arena, text[k], 1, NULL, &whole, &err));
        known = c->rank ? (mb_network){.n = whole.n, .facts = whole.facts} : whole;
        must(mb_place_make(arena, &whole, c, &made, &err));
        must(mb_place_share(arena, &known, c, &given, &err));
        same_part(&made.part, &given.part);
        mb_place_close(&made);
        mb_place_close(&given);
    }
}

TEST(a_network_of_fewer_nodes_than_processes_is_refused)
{
    const mb_comm *c;
    mb_network     one;
    mb_local_part  place;
    mb_err         err = {0};

    must(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err));
    must(mb_network_draw(arena, "path:n=1", 1, NULL, &one, &err));
    assert_int_equal(mb_place_share(arena, &one, c, &place, &err), c->size > 1 ? MB_E_ARG : MB_OK);
    if (c->size == 1)
        mb_place_close(&place);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int failed = run_all_tests(arena_up, arena_down);

    MPI_Finalize();
    return failed;
}
