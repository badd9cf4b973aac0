/* world.h - a network with data, ready to run any algorithm from a common initialisation. */
#ifndef MB_TEST_WORLD_H
#define MB_TEST_WORLD_H

#include "core/observe.h"
#include "core/run.h"
#include "model/model.h"
#include "net.h"
#include "test.h"
#include "transport/transport.h"

typedef struct world {
    mb_arena *a;
    net      *net;
    mb_model  model;
    mb_rows  *rows;
    double   *star; /* n x len: the first phi* of every node */
    double   *cvb;  /* len: the fixed point of central VB from the same initialisation */
} world;

/* A run: the problem, its options and its state. */
typedef struct run {
    const world *w;
    mb_problem   problem;
    mb_state     state;
    mb_transport faults, changes;
    mb_err       err;
} run;

static inline net *world_net(mb_arena *a, const char *text, uint64_t seed, mb_rule rule)
{
    mb_err err;
    net   *n = mb_alloc(a, 1, sizeof *n);

    assert_non_null(n);
    must(mb_topology_make(a, text, seed, &n->topology, &err));
    must(mb_weights_make(a, &n->topology.g, rule, &n->weights, &err));
    must(mb_part_whole(a, &n->topology.g, &n->weights, &n->part, &err));
    n->part.tree = tree_links(a, &n->topology.g, 0);
    must(mb_transport_none(a, &n->part, &n->tp, &err));
    return n;
}

/* Hops from node 0 to the farthest, by repeated relaxation. */
static inline int32_t world_hops(mb_arena *a, const net *n)
{
    const mb_graph *g = &n->part.g;
    int32_t        *hop = mb_alloc(a, (size_t)g->n, sizeof *hop), far = 0;

    tree_hops(g, NULL, 0, hop);
    for (int32_t i = 0; i < g->n; i++)
        far = hop[i] > far ? hop[i] : far;
    return far;
}

/* Default options of an algorithm with `set` ("dsvb.tau=0 dsvb.d0=1") applied, tuned to the net. */
static inline void *world_options(const world *w, const mb_algo *algo, const char *set,
                                  const mb_faults *f)
{
    mb_err         err;
    mb_graph_stats stats;
    void          *opt = mb_alloc(w->a, 1, algo->opt_size ? algo->opt_size : 1);
    char           word[64], *value;
    mb_net_facts   facts = {.n = w->net->part.n_global,
                            .hops = world_hops(w->a, w->net),
                            .overshoots = w->model.ops->overshoots};

    tree_facts(w->a, &w->net->topology.g, w->net->part.tree, &facts.tree_mean,
               &facts.tree_diameter);
    must(mb_opt_defaults(algo->opts, opt, &err));
    while (set && sscanf(set, "%63s", word) == 1) {
        set = strstr(set, word) + strlen(word);
        value = strchr(word, '=');
        *value++ = 0;
        if (mb_opt_find(algo->opts, word))
            must(mb_opt_set(mb_opt_find(algo->opts, word), value, opt, &err));
    }
    if (f) {
        facts.delay = f->delay;
        facts.lossy = mb_faults_any(f);
    }
    must(mb_graph_describe(w->a, &w->net->topology.g, &w->net->weights, &stats, &err));
    facts.lambda2 = stats.lambda2;
    if (algo->tune)
        must(algo->tune(opt, &facts, &err));
    return opt;
}

/* What carries its messages over `tp`. f may be NULL: nothing is lost. */
static inline void run_carry(run *r, mb_transport *tp, const mb_faults *f, mb_send send)
{
    const mb_mail mail = send == MB_SEND_ALL ? r->state.mail : mb_changes_mail_(&r->state.mail);

    r->problem.tp = tp;
    if (f) {
        must(mb_transport_faults(r->w->a, tp, f, &mail, &r->faults, &r->err));
        r->problem.tp = &r->faults;
    }
    if (send == MB_SEND_ALL)
        return;
    must(mb_transport_changes(r->w->a, r->problem.tp, r->problem.algo, &r->w->model.layout,
                              tree_depths(r->w->a, &r->w->net->topology.g, r->problem.part),
                              f ? f->delay : 0, &r->state.mail, &r->changes, &r->err));
    r->problem.tp = &r->changes;
}

/* A fresh run from the world's start. */
static inline run *world_run_sending(const world *w, const mb_algo *algo, const char *set,
                                     const mb_faults *f, mb_send send)
{
    const size_t len = w->model.layout.len;
    run         *r = mb_alloc(w->a, 1, sizeof *r);

    assert_non_null(r);
    r->w = w;
    r->problem = (mb_problem){.model = &w->model,
                              .algo = algo,
                              .opt = world_options(w, algo, set, f),
                              .part = &w->net->part,
                              .rows = w->rows,
                              .scale = w->net->part.n_global};
    must(mb_state_new(w->a, &r->problem, &r->state, &r->err));
    for (size_t i = 0; i < (size_t)w->net->part.n_local; i++)
        memcpy(r->state.phi_star + i * r->state.ld, w->star + i * len, len * sizeof *w->star);
    run_carry(r, &w->net->tp, f, send);
    return r;
}

static inline run *world_run(const world *w, const mb_algo *algo, const char *set,
                             const mb_faults *f)
{
    return world_run_sending(w, algo, set, f, MB_SEND_ALL);
}

static inline mb_status world_go(run *r, int64_t rounds, int32_t threads, const mb_observer *obs,
                                 int32_t nobs)
{
    const mb_run_opt opt = {.rounds = rounds, .timeout_ms = -1, .threads = threads};

    return mb_run(&r->problem, &r->state, obs, nobs, &opt, &r->err);
}

/* Runs until the stopping rule ends it, at most this number of rounds. */
static inline mb_stop_state world_stop(mb_arena *a, run *r, double tol, int64_t rounds)
{
    mb_stop_state stand;
    mb_observer   stop;

    must(mb_stop_new(a, &r->problem, tol, &stand, &stop, &r->err));
    must(world_go(r, rounds, 1, &stop, 1));
    return stand;
}

static inline const double *phi_of(const run *r, int32_t i)
{
    return r->state.phi + (size_t)i * r->state.ld;
}

/* max over entries of |p - q| / max(1, |q|). */
static inline double apart(const double *p, const double *q, size_t len)
{
    double far = 0;

    for (size_t l = 0; l < len; l++) {
        const double d = fabs(p[l] - q[l]) / fmax(1, fabs(q[l]));
        far = d > far || isnan(d) ? d : far;
    }
    return far;
}

/* The node farthest from q. */
static inline double farthest(const run *r, const double *q)
{
    double far = 0;

    for (int32_t i = 0; i < r->problem.part->n_local; i++) {
        const double d = apart(phi_of(r, i), q, r->w->model.layout.len);
        far = d > far || isnan(d) ? d : far;
    }
    return far;
}

/* The network mean of the first phi* is the first phi* of central VB, eq. (20); from there
 * central VB to rest. */
static inline void world_solve(world *w)
{
    const size_t len = w->model.layout.len, n = (size_t)w->net->part.n_local;
    double      *scratch = mb_alloc(w->a, mb_local_scratch(&w->model), sizeof *scratch);
    double *mine = mb_alloc(w->a, len, sizeof *mine), *next = mb_alloc(w->a, len, sizeof *next);
    double  moved = 1;
    mb_err  err;

    w->cvb = mb_alloc(w->a, len, sizeof *w->cvb);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < len; l++)
            w->cvb[l] += w->star[i * len + l] / (double)n;
    for (int t = 0; t < 20000 && moved > 1e-14; t++) {
        memset(next, 0, len * sizeof *next);
        for (size_t i = 0; i < n; i++) {
            must(mb_local_step(&w->model, &w->rows[i], (double)n, w->cvb, mine, NULL, NULL, scratch,
                               &err));
            for (size_t l = 0; l < len; l++)
                next[l] += mine[l] / (double)n;
        }
        moved = apart(next, w->cvb, len);
        memcpy(w->cvb, next, len * sizeof *next);
    }
}

#endif
