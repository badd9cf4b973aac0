/* mesh_world.h - the paper's synthetic problem on a virtual network, and the central answer to
 * compare with. */
#ifndef MB_TEST_MESH_WORLD_H
#define MB_TEST_MESH_WORLD_H

#include "arena.h"
#include "mesh/genesis.h"
#include "meshbayes/extend.h"
#include "synthetic.h"
#include "test.h"
#include "virtual/virtual.h"

static mb_err err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        mb_status st_ = (call);                                                                    \
        if (st_ != MB_OK)                                                                          \
            fail_msg("%s", err.msg);                                                               \
    } while (0)

typedef struct mesh_world {
    mb_network     net;
    mb_local_part  place;
    int32_t        per_node;
    double        *x; /* n x per_node x 2 */
    mb_gmm_kind    gmm;
    mb_plan        plan;
    mb_case        c;
    mb_genesis     genesis;
    mb_virtual_opt opt;
} mesh_world;

static const char *const mesh_column[2] = {"x1", "x2"};

/* The author's prior, which does not depend on rows: every part of the network has the same. */
static inline mb_gmm_kind mesh_gmm(void)
{
    mb_gmm_kind gmm = {0};

    OK(mb_opt_defaults(mb_kind_gmm.opts, &gmm, &err));
    gmm.n_components = SYN_K;
    gmm.prior = "paper";
    return gmm;
}

/* Nodes of a description with rows each, which are given a genesis from the true means. Ticks of 20
 * ms, no faults. */
static inline mesh_world *mesh_make(const char *topology, int32_t rows)
{
    mesh_world *w = mb_alloc(arena, 1, sizeof *w);
    mb_table    table;
    mb_rows    *at;

    OK(mb_network_draw(arena, topology, 1, NULL, &w->net, &err));
    w->gmm = mesh_gmm();
    w->per_node = rows;
    w->x = mb_alloc(arena, (size_t)w->net.n * (size_t)rows * 2, sizeof *w->x);
    at = mb_alloc(arena, (size_t)w->net.n, sizeof *at);
    assert_true(w->x && at);
    for (int32_t i = 0; i < w->net.n; i++) {
        at[i] = (mb_rows){.x = w->x + 2 * i * rows, .n = rows, .d = 2, .ld = 2};
        syn_rows(5, i, w->net.n, rows, w->x + 2 * i * rows);
    }
    table = (mb_table){.rows = {.x = w->x, .n = (int64_t)w->net.n * rows, .d = 2, .ld = 2}};
    OK(mb_place_make(arena, &w->net, NULL, &w->place, &err));
    OK(mb_case_make(arena, &w->place, &table, &mb_kind_gmm, &w->gmm, NULL, &w->c, &err));
    OK(mb_genesis_of_case(arena, &w->c, syn_mean[0], &w->genesis, &err));
    w->plan = (mb_plan){.kind = &mb_kind_gmm,
                        .kind_opt = &w->gmm,
                        .columns = 2,
                        .column = mesh_column,
                        .seed = 1,
                        .from = MB_GENESIS_GIVEN};
    w->opt = (mb_virtual_opt){.graph = &w->net.g,
                              .rows = at,
                              .genesis = &w->genesis,
                              .peer = {.plan = &w->plan, .tick_ms = 20},
                              .seed = 1};
    return w;
}

/* Central VB of all rows of the nodes of one part of the network: from the true means, or from
 * a node's posterior, which it leaves as it is when that is a fixed point. */
static inline void mesh_central(mesh_world *w, const mb_virtual *v, const int32_t *part,
                                int32_t which, const mb_posterior *from, mb_fit *fit)
{
    mb_fit_opt o = mb_fit_defaults();
    mb_table   table = {.rows = {.d = 2, .ld = 2}, .column = mesh_column};
    double    *x;
    int64_t    n = 0;
    mb_rows    rows;

    for (int32_t i = 0; i < w->net.n; i++) {
        OK(mb_virtual_rows(arena, v, i, &rows, &err));
        n += rows.n;
    }
    x = mb_alloc(arena, (size_t)(2 * n + 1), sizeof *x);
    assert_non_null(x);
    for (int32_t i = 0; i < w->net.n; i++) {
        if (part[i] != which)
            continue;
        OK(mb_virtual_rows(arena, v, i, &rows, &err));
        memcpy(x + 2 * table.rows.n, rows.x, (size_t)rows.n * 2 * sizeof *x);
        table.rows.n += rows.n;
    }
    table.rows.x = x;
    o.kind_opt = &w->gmm;
    o.start = (mb_start){.how = from ? MB_INIT_POSTERIOR : MB_INIT_CENTRES,
                         .centres = syn_mean[0],
                         .posterior = from};
    o.tol = 1e-9;
    OK(mb_fit_run(arena, NULL, &table, &o, fit, &err));
}

/* Largest relative difference of a node's posterior from the fit's, textbook parameters; numbers
 * below 1 count as 1. */
static inline double mesh_far(const mb_peer *peer, const mb_fit *fit)
{
    mb_posterior p;
    double       far = 0;

    OK(mb_peer_posterior(arena, peer, &p, &err));
    for (size_t l = 0; l < p.model->layout.len; l++)
        far = fmax(far,
                   fabs(p.par[l] - fit->posterior.par[l]) / fmax(1, fabs(fit->posterior.par[l])));
    return far;
}

/* A node has the answer and the size of its part. */
static inline void mesh_check_node(const mb_virtual *v, int32_t i, int32_t n, const mb_fit *fit,
                                   double tolerance)
{
    const double   far = mesh_far(mb_virtual_peer(v, i), fit);
    mb_peer_status is;

    mb_peer_look(mb_virtual_peer(v, i), mb_virtual_clock(v, i), &is);
    if (!(fabs(is.n_nodes - n) <= 1e-6 * n) || !(far <= tolerance))
        fail_msg("node %d: N %.12g for %d, distance %g", i, is.n_nodes, n, far);
}

/* Every live node is at a fixed point of central VB of the rows of its part, and knows how many
 * nodes that has. from_means 1: at the one that is reached from the true means. Returns the number
 * of parts. */
static inline int32_t mesh_check(mesh_world *w, const mb_virtual *v, int32_t from_means,
                                 double tolerance)
{
    int32_t *part = mb_alloc(arena, (size_t)w->net.n, sizeof *part), parts;

    mb_virtual_parts(v, part, &parts);
    for (int32_t k = 0; k < parts; k++) {
        mb_posterior p;
        mb_fit       fit;
        int32_t      n = 0, first = -1;

        for (int32_t i = w->net.n - 1; i >= 0; i--)
            if (part[i] == k) {
                first = i;
                n++;
            }
        OK(mb_peer_posterior(arena, mb_virtual_peer(v, first), &p, &err));
        mesh_central(w, v, part, k, from_means ? NULL : &p, &fit);
        for (int32_t i = first; i < w->net.n; i++)
            if (part[i] == k)
                mesh_check_node(v, i, n, &fit, tolerance);
        mb_fit_close(&fit);
    }
    return parts;
}

#endif
