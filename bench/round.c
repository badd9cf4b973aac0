/* round.c - time of one round at one node, for each algorithm: the paper's synthetic problem on 50
 * nodes x 100 rows (D = 2, K = 3), 1000 rounds, one thread. Prints one JSON object. */
#include "../tests/lib/synthetic.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 50, ROWS = 100, ROUNDS = 1000, SEED = 1, REPEATS = 5 };

typedef struct setting {
    mb_arena    *a;
    mb_topology  topology;
    mb_weights   weights;
    mb_part      part;
    mb_transport tp;
    mb_model     model;
    mb_rows      rows[NODES];
    mb_net_facts facts;
} setting;

static mb_status set_network(setting *s, mb_err *err)
{
    mb_graph_stats stats;

    MB_TRY(mb_topology_make(s->a, "geometric:n=50,side=3.5,radius=0.8", SEED, &s->topology, err));
    MB_TRY(mb_weights_make(s->a, &s->topology.g, MB_METROPOLIS, &s->weights, err));
    MB_TRY(mb_part_whole(s->a, &s->topology.g, &s->weights, &s->part, err));
    MB_TRY(mb_transport_none(s->a, &s->part, &s->tp, err));
    MB_TRY(mb_graph_describe(s->a, &s->topology.g, &s->weights, &stats, err));
    s->facts = (mb_net_facts){.n = NODES, .hops = stats.diameter, .lambda2 = stats.lambda2};
    return MB_OK;
}

static mb_status set_data(setting *s, mb_err *err)
{
    const mb_gmm_opt opt = mb_gmm_defaults(SYN_K, SYN_D);

    MB_TRY(mb_gmm_new(s->a, &opt, &s->model, err));
    for (int32_t i = 0; i < NODES; i++) {
        double *x;

        MB_NEW(x, s->a, ROWS * SYN_D, err);
        syn_rows(SEED, i, NODES, ROWS, x);
        s->rows[i] = (mb_rows){.x = x, .n = ROWS, .d = SYN_D, .ld = SYN_D};
    }
    return MB_OK;
}

static mb_status seed(setting *s, mb_state *st, mb_err *err)
{
    static const double origin[SYN_D] = {0, 0}, scale[SYN_D] = {1, 1};
    double              resp[ROWS * SYN_K], *scratch;

    MB_NEW(scratch, s->a, mb_local_scratch(&s->model), err);
    for (size_t i = 0; i < NODES; i++) {
        mb_nearest_resp(&s->rows[i], origin, scale, SYN_K, syn_mean[0], resp);
        MB_TRY(mb_seed_step(&s->model, &s->rows[i], NODES, resp, st->phi_star + i * st->ld, scratch,
                            err));
    }
    return MB_OK;
}

/* Microseconds a node and round: the best of some runs, because others use the machine. */
static mb_status measure(setting *s, const mb_algo *algo, double *us, mb_err *err)
{
    const mb_run_opt how = {.rounds = ROUNDS, .timeout_ms = -1, .threads = 1};
    mb_problem       p = {
              .model = &s->model, .algo = algo, .part = &s->part, .rows = s->rows, .scale = NODES};
    void *opt = mb_alloc(s->a, 1, algo->opt_size);

    *us = HUGE_VAL;
    if (!opt)
        MB_FAIL(err, MB_E_NOMEM, "out of memory");
    MB_TRY(mb_opt_defaults(algo->opts, opt, err));
    if (algo->tune)
        MB_TRY(algo->tune(opt, &s->facts, err));
    p.opt = opt;
    for (int k = 0; k < REPEATS; k++) {
        mb_state st;
        double   began;

        MB_TRY(mb_state_new(s->a, &p, &st, err));
        MB_TRY(seed(s, &st, err));
        began = bench_now();
        MB_TRY(mb_run(&p, &st, &s->tp, NULL, 0, &how, err));
        *us = fmin(*us, (bench_now() - began) * 1e6 / (ROUNDS * NODES));
    }
    return MB_OK;
}

static mb_status all(setting *s, mb_err *err)
{
    MB_TRY(set_network(s, err));
    MB_TRY(set_data(s, err));
    printf(
        "{\"bench\": \"round\", \"nodes\": %d, \"rows\": %d, \"rounds\": %d, \"D\": %d, \"K\": %d, "
        "\"threads\": 1, \"unit\": \"microseconds per node and round\",\n \"time\": {",
        NODES, ROWS, ROUNDS, SYN_D, SYN_K);
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        double us;

        if ((*a)->needs & MB_NEEDS_RING)
            continue;
        MB_TRY(measure(s, *a, &us, err));
        printf("%s\"%s\": %.2f", a == mb_algo_list() ? "" : ", ", (*a)->name, us);
    }
    printf("}}\n");
    return MB_OK;
}

int main(void)
{
    static setting s;
    mb_err         err = {MB_OK, 0, "", ""};
    mb_status      st = MB_E_NOMEM;

    s.a = mb_arena_new(1 << 20);
    if (s.a)
        st = all(&s, &err);
    if (st < 0)
        fprintf(stderr, "bench_round: %s\n", s.a ? err.msg : "out of memory");
    mb_arena_free(s.a);
    return st < 0;
}
