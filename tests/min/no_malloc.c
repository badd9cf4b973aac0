/* A network of 8 nodes runs EDGE in a buffer of our own: every call of malloc and its kin ends the
 * program. Linked with -Wl,--wrap=malloc and so on to the library alone. */
#include "core/observe.h"
#include "core/run.h"
#include "model/model.h"
#include "network/graph.h"
#include "start/start.h"

#include "forbidden.h"

enum { NODES = 8, ROWS = 20, D = 2, K = 2, BYTES = 1 << 20 };

static double buffer[BYTES / sizeof(double)];

typedef struct net {
    mb_arena    *a;
    mb_topology  top;
    mb_weights   w;
    mb_part      part;
    mb_transport tp;
    mb_model     model;
    mb_rows      rows[NODES];
    mb_edge_opt  opt;
    mb_net_facts facts;
    double       origin[D], scale[D];
} net;

static mb_status build(net *n, mb_err *err)
{
    mb_gmm_opt o = mb_gmm_defaults(K, D);

    MB_TRY(mb_topology_make(n->a, "ring:n=8", 1, &n->top, err));
    MB_TRY(mb_weights_make(n->a, &n->top.g, MB_METROPOLIS, &n->w, err));
    MB_TRY(mb_part_whole(n->a, &n->top.g, &n->w, &n->part, err));
    MB_TRY(mb_transport_none(n->a, &n->part, &n->tp, err));
    for (int i = 0; i < NODES; i++) {
        mb_rng  rng = mb_rng_at(1, MB_STREAM_DATA, (uint32_t)i, 0);
        double *x;

        MB_NEW(x, n->a, ROWS * D, err);
        for (int j = 0; j < ROWS; j++) {
            x[j * D] = mb_rng_normal(&rng) + 6 * ((i + j) % 2);
            x[j * D + 1] = mb_rng_normal(&rng);
        }
        n->rows[i] = (mb_rows){.x = x, .n = ROWS, .d = D, .ld = D};
    }
    return mb_gmm_new(n->a, &o, &n->model, err);
}

/* Common units and the options of the algorithm. */
static mb_status agree(net *n, mb_err *err)
{
    mb_row_moments seen;
    mb_tree        tree;
    mb_traffic     sent = {0};

    MB_TRY(mb_agree_tree(n->a, n->a, &n->tp, &tree, &sent, err));
    n->facts.hops = tree.hops;
    MB_TRY(mb_agree_moments(n->a, n->a, &n->tp, &tree, n->rows, D, 0, 0, NULL, &seen, &sent, err));
    mb_common_units(&seen, n->origin, n->scale);
    n->facts.n = NODES;
    MB_TRY(mb_opt_defaults(mb_algo_edge.opts, &n->opt, err));
    return mb_algo_edge.tune(&n->opt, &n->facts, err);
}

static mb_status start(net *n, mb_state *s, mb_err *err)
{
    double     centres[K * D], *resp, *scratch;
    int32_t    repeated;
    mb_traffic sent = {0};

    MB_TRY(mb_draw_centres(n->a, &n->tp, NULL, n->rows, n->origin, n->scale, MB_KMEANS, 1, K, 1, 0,
                           centres, &repeated, &sent, err));
    MB_NEW(resp, n->a, ROWS * K, err);
    MB_NEW(scratch, n->a, mb_local_scratch(&n->model), err);
    for (int i = 0; i < NODES; i++) {
        mb_nearest_resp(&n->rows[i], n->origin, n->scale, K, centres, resp);
        MB_TRY(mb_seed_step(&n->model, &n->rows[i], NODES, resp, s->phi_star + (size_t)i * s->ld,
                            scratch, err));
    }
    return MB_OK;
}

static mb_status run(net *n, mb_err *err)
{
    mb_problem       p = {.model = &n->model,
                          .algo = &mb_algo_edge,
                          .opt = &n->opt,
                          .part = &n->part,
                          .rows = n->rows,
                          .scale = NODES,
                          .tp = &n->tp};
    const mb_run_opt how = {.rounds = 300, .timeout_ms = -1, .threads = 1, .work = n->a};
    mb_state         s;
    double          *mean, worst;

    MB_TRY(build(n, err));
    MB_TRY(agree(n, err));
    MB_TRY(mb_state_new(n->a, &p, &s, err)); /* its size depends on the options */
    MB_TRY(start(n, &s, err));
    MB_TRY(mb_run(&p, &s, NULL, 0, &how, err));
    MB_NEW(mean, n->a, n->model.layout.len, err);
    MB_TRY(mb_mean_phi(&p, &s, mean, err));
    MB_TRY(mb_disagreement(&p, &s, mean, NULL, &worst, err));
    if (!(worst < 1e-8))
        MB_FAIL(err, MB_E_NUMERIC, "the nodes are %g apart", worst);
    return MB_OK;
}

int main(void)
{
    net    n = {.a = mb_arena_fixed(buffer, sizeof buffer)};
    mb_err err = {0};

    if (!n.a || run(&n, &err) < 0)
        leave(1, err.msg);
    leave(0, "the nodes agree; nothing was allocated\n");
}
