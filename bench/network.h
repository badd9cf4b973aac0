/* network.h - a network with rows at every node, and what its rounds cost. The rows are the paper's
 * synthetic problem when D = 2, else three clusters on a line through the columns. */
#ifndef MB_BENCH_NETWORK_H
#define MB_BENCH_NETWORK_H

#include "../tests/lib/synthetic.h"
#include "clock.h"
#include "core/run.h"
#include "meshbayes/extend.h"
#include "model/model.h"
#include "network/graph.h"
#include "start/start.h"

#include <string.h>

/* Above this many nodes hops and eigenvalues are not computed: they set options of the algorithms,
 * and the cost of a round does not depend on those. */
enum { NETWORK_DESCRIBE = 10000, NETWORK_SEED = 1 };

typedef struct network {
    mb_arena    *a;
    mb_topology  topology;
    mb_weights   weights;
    mb_part      part;
    mb_tree      tree;
    mb_transport tp;
    mb_model     model;
    mb_rows     *rows;           /* of each node */
    int32_t      n, total, K, D; /* nodes here, and of the network */
    int64_t      per_node;
    mb_net_facts facts;
    mb_state     st;
    double       first_wall, first_cpu; /* at the end of round 1, which is not like the others */
} network;

static inline mb_status network_links(network *w, const char *topology, mb_err *err)
{
    mb_graph_stats stats = {.diameter = 1000, .lambda2 = 0.999};
    mb_traffic     sent = {0};

    MB_TRY(mb_topology_make(w->a, topology, NETWORK_SEED, &w->topology, err));
    MB_TRY(mb_weights_make(w->a, &w->topology.g, MB_METROPOLIS, &w->weights, err));
    MB_TRY(mb_part_whole(w->a, &w->topology.g, &w->weights, &w->part, err));
    MB_TRY(mb_transport_none(w->a, &w->part, &w->tp, err));
    MB_TRY(mb_agree_tree(w->a, w->a, &w->tp, &w->tree, &sent, err));
    w->part.tree = w->tree.link;
    w->n = w->total = w->part.n_local;
    if (w->n <= NETWORK_DESCRIBE)
        MB_TRY(mb_graph_describe(w->a, &w->topology.g, &w->weights, &stats, err));
    w->facts = (mb_net_facts){.n = w->n,
                              .hops = stats.diameter,
                              .lambda2 = stats.lambda2,
                              .tree_mean = w->tree.mean,
                              .tree_diameter = w->tree.diameter};
    return MB_OK;
}

/* Rows of one node. Those of SYN_D columns have the paper's shares of the components. */
static inline void network_draw(const network *w, int32_t i, double *x)
{
    mb_rng r = mb_rng_at(NETWORK_SEED, MB_STREAM_DATA, (uint32_t)i, 0);

    if (w->D == SYN_D) {
        syn_rows(NETWORK_SEED, w->part.gid[i], w->total, (int32_t)w->per_node, x);
        return;
    }
    for (int64_t j = 0; j < w->per_node; j++)
        for (int32_t d = 0; d < w->D; d++)
            x[j * w->D + d] = 4.0 * (double)(j % w->K) / sqrt(w->D) + mb_rng_normal(&r);
}

static inline mb_status network_rows(network *w, int64_t per_node, int32_t D, int32_t K,
                                     mb_err *err)
{
    const mb_gmm_opt opt = mb_gmm_defaults(K, D);
    double          *x;

    w->per_node = per_node;
    w->D = D;
    w->K = K;
    MB_TRY(mb_gmm_new(w->a, &opt, &w->model, err));
    MB_NEW(w->rows, w->a, w->n, err);
    MB_NEW(x, w->a, (size_t)w->n * (size_t)(per_node * D), err);
    for (int32_t i = 0; i < w->n; i++) {
        w->rows[i] = (mb_rows){.x = x, .n = per_node, .d = D, .ld = (size_t)D};
        network_draw(w, i, x);
        x += per_node * D;
    }
    return MB_OK;
}

/* The first phi* of every node: component k where row j of the node has j mod K = k, or for the
 * synthetic problem the nearest of the true means. */
static inline mb_status network_seed(network *w, mb_err *err)
{
    static const double origin[SYN_D] = {0, 0}, scale[SYN_D] = {1, 1};
    double             *resp, *scratch;

    MB_NEW(resp, w->a, w->per_node * w->K, err);
    MB_NEW(scratch, w->a, mb_local_scratch(&w->model), err);
    for (int32_t i = 0; i < w->n; i++) {
        if (w->D == SYN_D && w->K == SYN_K)
            mb_nearest_resp(&w->rows[i], origin, scale, w->K, syn_mean[0], resp);
        else
            for (int64_t j = 0; j < w->per_node; j++)
                for (int32_t k = 0; k < w->K; k++)
                    resp[j * w->K + k] = k == j % w->K;
        MB_TRY(mb_seed_step(&w->model, &w->rows[i], w->total, resp,
                            w->st.phi_star + (size_t)i * w->st.ld, scratch, err));
    }
    return MB_OK;
}

static inline mb_status network_look(void *self, const mb_problem *p, const mb_state *s,
                                     mb_err *err)
{
    network *w = self;

    (void)p, (void)err;
    if (s->t == 1) {
        w->first_wall = bench_wall();
        w->first_cpu = bench_now();
    }
    return MB_OK;
}

/* Seconds of rounds 2 to `rounds` (at least 2), by the wall and of the processors. */
static inline mb_status network_run(network *w, const mb_algo *algo, int64_t rounds,
                                    int32_t threads, double *wall, double *cpu, mb_err *err)
{
    const mb_run_opt  how = {.rounds = rounds, .timeout_ms = -1, .threads = threads};
    const mb_observer look = {.self = w, .every = 1, .see = network_look};
    mb_problem        p = {.model = &w->model,
                           .algo = algo,
                           .part = &w->part,
                           .rows = w->rows,
                           .scale = w->total,
                           .tp = &w->tp};
    void             *opt = mb_alloc(w->a, 1, algo->opt_size);

    if (!opt)
        MB_FAIL(err, MB_E_NOMEM, "out of memory");
    MB_TRY(mb_opt_defaults(algo->opts, opt, err));
    if (algo->tune)
        MB_TRY(algo->tune(opt, &w->facts, err));
    p.opt = opt;
    MB_TRY(mb_state_new(w->a, &p, &w->st, err));
    MB_TRY(network_seed(w, err));
    MB_TRY(mb_run(&p, &w->st, &look, 1, &how, err));
    *cpu = bench_now() - w->first_cpu;
    *wall = bench_wall() - w->first_wall;
    return MB_OK;
}

#endif
