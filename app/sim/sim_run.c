/* sim_run.c - runs one algorithm: its attempts, the best of them, and what is watched. */
#include "sim/sim_checkpoint.h"
#include "sim/sim_model.h"
#include "sim/sim_signal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { REFERENCE_ROUNDS = 20000 };
static const double REFERENCE_TOL = 1e-11; /* posterior standard deviations */

/* Responsibilities of one row of the problem: of a node, or of all nodes for centralised VB. */
static void start_of(const sim *s, const sim_result *r, int32_t attempt, int32_t i, double *resp)
{
    const int64_t *first = s->data.first, K = s->opt.n_components;

    if (!r->choice->cvb)
        sim_start_node(s, attempt, r->problem.part->gid[i], resp);
    for (int32_t j = 0; r->choice->cvb && j < s->data.N; j++)
        sim_start_node(s, attempt, j, resp + first[j] * K);
}

/* Rows of a mapped file that are looked at before their memory is given back. */
enum { REST_EVERY = 1 << 22 };

/* The first phi* of every node of the run. */
static mb_status seed_all(sim *s, sim_result *r, int32_t attempt, mb_arena *draft, mb_err *err)
{
    const mb_problem *p = &r->problem;
    int64_t           most = 1, seen = 0;
    double           *scratch, *resp = NULL;

    for (int32_t i = 0; i < p->part->n_local; i++)
        most = p->rows[i].n > most ? p->rows[i].n : most;
    MB_NEW(scratch, draft, mb_local_scratch(p->model), err);
    if (sim_model_of(s)->latent)
        MB_NEW(resp, draft, (size_t)(most * s->opt.n_components), err);
    for (int32_t i = 0; i < p->part->n_local; i++) {
        if (resp)
            start_of(s, r, attempt, i, resp);
        MB_TRY(mb_seed_step(p->model, &p->rows[i], p->scale, resp,
                            r->state.phi_star + (size_t)i * r->state.ld, scratch, err));
        seen += p->rows[i].n;
        if (seen < REST_EVERY)
            continue;
        mb_npy_rest(&s->mapped);
        seen = 0;
    }
    mb_npy_rest(&s->mapped); /* from here on run units are enough */
    return MB_OK;
}

static mb_status seed(sim *s, sim_result *r, int32_t attempt, mb_err *err)
{
    mb_arena *draft;
    mb_status st;

    if (sim_model_of(s)->latent)
        MB_TRY(sim_start(s, attempt, err));
    MB_TRY(mb_state_new(r->memory, &r->problem, &r->state, err));
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the start of %s", r->choice->name);
    st = seed_all(s, r, attempt, draft, err);
    mb_arena_free(draft);
    return r->choice->cvb ? st : ranks_agree(&s->ranks, st, err);
}

/* A fresh state in fresh memory, run with the given observers. */
static mb_status run_attempt(sim *s, sim_result *r, int32_t attempt, const mb_observer *obs,
                             int32_t nobs, const mb_run_opt *opt, mb_err *err)
{
    mb_transport *faults;

    if (r->keep && r->keep->resumed) {
        mb_npy_rest(&s->mapped);
        MB_TRY(mb_state_new(r->memory, &r->problem, &r->state, err));
    } else
        MB_TRY(seed(s, r, attempt, err));
    if (!r->choice->cvb && mb_faults_any(&s->faults)) {
        MB_NEW(faults, r->memory, 1, err);
        MB_TRY(
            mb_transport_faults(r->memory, &r->net->tp, &s->faults, &r->state.mail, faults, err));
        r->problem.tp = faults;
    }
    if (r->keep)
        MB_TRY(sim_keep_load(r->keep, err));
    if (r->ended)
        return MB_OK;
    return mb_run(&r->problem, &r->state, obs, nobs, opt, err);
}

static mb_run_opt run_options(const sim *s, int64_t rounds)
{
    return (mb_run_opt){.rounds = rounds,
                        .timeout_ms = -1,
                        .threads = (int32_t)s->opt.threads,
                        .on_domain = (mb_on_domain)s->opt.on_domain,
                        .pool = s->pool};
}

/* The local bounds at the end of a run, eq. (15): once, not in every round. */
static mb_status end_bounds(sim_result *r, mb_err *err)
{
    const mb_problem *p = &r->problem;
    double           *spare, *scratch;

    MB_NEW(spare, r->memory, p->model->layout.len, err);
    MB_NEW(scratch, r->memory, mb_local_scratch(p->model), err);
    for (int32_t i = 0; i < p->part->n_local; i++) {
        mb_status st =
            mb_local_step(p->model, &p->rows[i], p->scale, r->state.phi + (size_t)i * r->state.ld,
                          spare, &r->state.bound[i], scratch, err);

        if (st == MB_E_DOMAIN)
            r->state.bound[i] = NAN;
        else
            MB_TRY(st);
    }
    return MB_OK;
}

/* Sum over the network of the local bounds; -inf when a node is outside Omega. */
static mb_status network_bound(const sim_result *r, double *bound, mb_err *err)
{
    const double none = -INFINITY;

    MB_TRY(sim_sum(r, r->state.bound, bound, err));
    *bound = isnan(*bound) ? none : *bound;
    return MB_OK;
}

static mb_status fresh_memory(sim_result *r, mb_err *err)
{
    mb_arena_free(r->memory);
    r->problem.tp = &r->net->tp; /* its faults were in that memory */
    r->memory = mb_arena_new(1 << 20);
    if (!r->memory)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the state of %s", r->choice->name);
    return MB_OK;
}

/* --n-init: the attempt whose last bound, summed over the network, is the highest. */
static mb_status best_attempt(sim *s, const sim_keep *keep, sim_result *r, mb_err *err)
{
    mb_run_opt opt = run_options(s, s->opt.rounds);
    double     best = -INFINITY;
    /* A run that goes on from a checkpoint was the best of its starts. */
    const int64_t starts = s->opt.n_init > 1 && !(keep && keep->resumed) ? s->opt.n_init : 0;

    for (int32_t k = 0; k < starts; k++) {
        mb_observer obs[2];
        double      bound;

        MB_TRY(fresh_memory(r, err));
        MB_TRY(sim_signal_watch(s, r, &obs[0], err));
        if (s->opt.tol > 0)
            MB_TRY(mb_stop_new(r->memory, &r->problem, s->opt.tol, NULL, &obs[1], err));
        MB_TRY(run_attempt(s, r, k, obs, 1 + (s->opt.tol > 0), &opt, err));
        if (r->signal)
            return MB_OK;
        MB_TRY(end_bounds(r, err));
        MB_TRY(network_bound(r, &bound, err));
        if (bound > best) {
            best = bound;
            r->attempt = k;
        }
    }
    return fresh_memory(r, err);
}

static mb_status put_line(void *to, const char *line, size_t len, mb_err *err)
{
    return to ? mb_file_write(to, line, len, err) : MB_OK; /* process 0 alone writes */
}

static void metric_inputs(const sim *s, const sim_result *r, mb_metrics *m, uint32_t on)
{
    memset(m, 0, sizeof *m);
    m->on = on;
    m->truth = s->truth;
    m->cvb = s->cvb;
    m->label = r->choice->cvb ? s->data.label : s->label;
    m->nclass = s->data.nlabel;
    m->log_jacobian = s->log_jacobian;
}

/* The observers of the run that counts: stop rule, trace, dumps, progress. */
static mb_status watch_run(sim *s, sim_result *r, const sim_watch *watch, sim_dump **dump,
                           sim_progress *pg, mb_observer *obs, int32_t *nobs, mb_err *err)
{
    int32_t n = 0;

    if (watch->traced) {
        mb_metrics *m;

        MB_NEW(m, r->memory, 1, err);
        metric_inputs(s, r, m, s->metrics);
        MB_TRY(mb_metrics_new(r->memory, &r->problem, m, err));
        MB_TRY(mb_trace_new(r->memory, m, watch->with_name ? r->choice->name : NULL,
                            r->keep ? sim_keep_line : put_line,
                            r->keep ? (void *)r->keep : watch->trace, &obs[n++], err));
    }
    if (s->opt.dump_phi)
        MB_TRY(sim_dump_new(s, r->net, dump, &obs[n], err));
    n += obs[n].see != NULL;
    if (s->tty && !s->ranks.rank)
        MB_TRY(mb_progress_new(r->memory, s->opt.rounds, 1, sim_progress_show, pg, &obs[n++], err));
    if (s->opt.tol > 0)
        MB_TRY(sim_stop_rule(s, r, &obs[n++], err));
    *nobs = n;
    if (r->keep)
        MB_TRY(sim_keep_watch(r->keep, r, *dump, obs, nobs, err));
    return sim_signal_watch(s, r, &obs[(*nobs)++], err);
}

/* What the table and the summary say of the end of a run. */
static mb_status finish(sim *s, sim_result *r, mb_err *err)
{
    const mb_problem *p = &r->problem;
    const uint32_t    ends = 1u << MB_M_BOUND | 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES |
                          1u << MB_M_FRAMES | 1u << MB_M_FROZEN | 1u << MB_M_PROJECTED;
    const uint32_t judged = 1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_ARI;
    mb_status      st;

    MB_NEW(r->mean, r->memory, p->model->layout.len, err);
    MB_NEW(r->apart, r->memory, p->part->n_local, err);
    MB_TRY(end_bounds(r, err));
    MB_TRY(mb_mean_phi(p, &r->state, r->mean, err));
    MB_TRY(mb_disagreement(p, &r->state, r->mean, r->apart, &r->disagreement, err));
    st = mb_central_check(r->memory, p, r->mean, &r->moved, &r->bound, err);
    if (st == MB_E_DOMAIN)
        r->moved = r->bound = NAN;
    else
        MB_TRY(st);
    r->bound -= s->weight_total * s->log_jacobian;
    metric_inputs(s, r, &r->final, ends | s->metrics | (s->data.label ? judged : 0));
    MB_TRY(mb_metrics_new(r->memory, p, &r->final, err));
    MB_TRY(mb_metrics_see(&r->final, p, &r->state, err));
    MB_TRY(sim_order(s, r, err));
    sim_verdict_warn(s, r);
    return sim_collect(s, r, err);
}

static mb_status tune(sim *s, sim_result *r, mb_err *err)
{
    const mb_algo *algo = r->choice->algo;
    mb_net_facts   net = {.n = r->net->part.n_global,
                          .hops = r->choice->cvb ? 0 : s->hops,
                          .lambda2 = r->choice->cvb ? 0 : s->net.facts.lambda2,
                          .delay = r->choice->cvb ? 0 : s->faults.delay,
                          .lossy = !r->choice->cvb && mb_faults_any(&s->faults)};

    MB_TRY(sim_options_new(s->a, algo, &r->opt, err));
    if (r->choice->opt)
        memcpy(r->opt, r->choice->opt, algo->opt_size);
    return algo->tune ? algo->tune(r->opt, &net, err) : MB_OK;
}

/* keep: NULL for a run without checkpoints. */
static mb_status prepare(sim *s, const sim_choice *c, sim_keep *keep, sim_result *r, mb_err *err)
{
    memset(r, 0, sizeof *r);
    r->choice = c;
    r->net = c->cvb ? &s->one : &s->mesh;
    if (c->cvb)
        MB_TRY(sim_whole(s, err));
    MB_TRY(tune(s, r, err));
    r->problem = (mb_problem){.model = c->cvb ? &s->whole : &s->model,
                              .algo = c->algo,
                              .opt = r->opt,
                              .part = &r->net->part,
                              .rows = r->net->rows,
                              .scale = r->net->part.n_global,
                              .tp = &r->net->tp};
    MB_TRY(best_attempt(s, keep, r, err));
    r->keep = keep;
    return MB_OK;
}

/* The run that counts, from its best start or its checkpoint to what is said of its end. */
static mb_status run_watched(sim *s, const sim_choice *c, const sim_watch *watch, sim_keep *keep,
                             sim_result *r, mb_err *err)
{
    mb_run_opt   opt = run_options(s, s->opt.rounds);
    mb_observer  obs[6] = {{0}};
    sim_dump    *dump = NULL;
    sim_progress pg = {.name = c->name};
    int32_t      nobs = 0;

    clock_gettime(CLOCK_MONOTONIC, &pg.began);
    MB_TRY(prepare(s, c, keep, r, err));
    if (r->signal) /* before the run that counts */
        return MB_OK;
    MB_TRY(watch_run(s, r, watch, &dump, &pg, obs, &nobs, err));
    mb_status st = run_attempt(s, r, r->attempt, obs, nobs, &opt, err);

    sim_progress_end(&pg);
    MB_TRY(st);
    r->rounds = r->state.t;
    if (r->rounds == s->opt.rounds)
        r->signal = 0; /* it was over anyway */
    r->seconds = sim_seconds_since(&pg.began) + (keep ? keep->earlier : 0);
    if (keep && !r->signal)
        MB_TRY(sim_keep_end(keep, err));
    if (dump)
        MB_TRY(sim_dump_write(s, dump, r, err));
    return finish(s, r, err);
}

mb_status sim_algorithm(sim *s, const sim_choice *c, const sim_watch *watch, sim_result *r,
                        mb_err *err)
{
    sim_keep *keep = NULL;
    mb_status st = ranks_agree(&s->ranks, sim_keep_new(s, c, watch, &keep, err), err);

    if (st >= 0)
        st = run_watched(s, c, watch, keep, r, err);
    sim_keep_close(keep);
    r->keep = NULL;
    return st;
}

mb_status sim_rehearse(sim *s, const sim_choice *c, const mb_observer *obs, sim_result *r,
                       mb_err *err)
{
    const mb_run_opt opt = run_options(s, INT64_MAX);

    MB_TRY(prepare(s, c, NULL, r, err));
    return run_attempt(s, r, 0, obs, 1, &opt, err);
}

/* Centralised VB run until it settles from the same start, for the metrics that ask. */
static mb_status reference_cvb(sim *s, mb_err *err)
{
    const sim_choice cvb = {"cvb", &mb_algo_noncoop, NULL, 1};
    mb_run_opt       opt = run_options(s, REFERENCE_ROUNDS);
    mb_observer      obs[2];
    sim_result       r;

    MB_TRY(prepare(s, &cvb, NULL, &r, err));
    MB_TRY(sim_signal_watch(s, &r, &obs[0], err));
    MB_TRY(mb_stop_new(r.memory, &r.problem, REFERENCE_TOL, NULL, &obs[1], err));
    mb_status st = r.signal ? MB_OK : run_attempt(s, &r, r.attempt, obs, 2, &opt, err);

    if (st >= 0 && !r.signal) {
        s->cvb = mb_alloc(s->a, s->model.layout.len, sizeof(double));
        if (s->cvb)
            memcpy(s->cvb, r.state.phi, s->model.layout.len * sizeof(double));
    }
    mb_arena_free(r.memory);
    MB_TRY(st);
    if (!s->cvb && !r.signal)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the reference of kl_cvb");
    return MB_OK;
}

/* The posterior given the true classes: closed form, eq. (46)'s reference. */
static mb_status reference_truth(sim *s, mb_err *err)
{
    const int64_t K = s->opt.n_components;
    double       *resp, *scratch;

    if (s->data.nlabel > K) {
        sim_warn(s, "kl_truth is left out: %d classes for %lld components", s->data.nlabel,
                 (long long)K);
        return MB_OK;
    }
    MB_NEW(resp, s->a, (size_t)(s->data.n * K), err);
    MB_NEW(scratch, s->a, mb_local_scratch(&s->model), err);
    MB_NEW(s->truth, s->a, s->model.layout.len, err);
    MB_TRY(sim_whole(s, err));
    for (int64_t r = 0; r < s->data.n; r++)
        resp[r * K + s->data.label[r]] = 1;
    return mb_seed_step(&s->model, &s->all, 1, resp, s->truth, scratch, err);
}

mb_status sim_references(sim *s, mb_err *err)
{
    const uint32_t judged = 1u << MB_M_ACCURACY | 1u << MB_M_NMI | 1u << MB_M_ARI;

    if (s->metrics & 1u << MB_M_KL_TRUTH && s->data.label && sim_model_of(s)->latent)
        MB_TRY(reference_truth(s, err));
    if (s->metrics & 1u << MB_M_KL_CVB)
        MB_TRY(reference_cvb(s, err));
    if (!s->truth)
        s->metrics &= ~(1u << MB_M_KL_TRUTH);
    if (!s->data.label)
        s->metrics &= ~judged;
    return MB_OK;
}
