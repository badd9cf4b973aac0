/* fit.c - fits and updates of a handle: what is watched on the way, and what is left at the end. */
#include "fit/fit.h"
#include "base/text.h"
#include "bind/handle.h"
#include "core/observe.h"
#include "fit/case.h"

#include <math.h>
#include <string.h>

/* What a fit shows and keeps on its way. */
typedef struct watcher {
    mb_bind       *b;
    mb_bind_tick   tick; /* NULL: none */
    void          *self;
    mb_fit        *fit;
    mb_arena      *a;       /* of best and trace                                        */
    int32_t        traced;  /* 1: the bounds of the last run are stored                  */
    int32_t        stopped; /* 1: by the tick                                           */
    int32_t        failed;  /* 1: the caller's error                                    */
    const mb_case *seen;    /* of best                                                  */
    double        *best;    /* phi of the best bound of the attempts so far; NULL: none */
    double         bound;   /* there, data units                                        */
    int64_t        t;       /* rounds of it                                             */
    double        *trace;   /* room x 2                                                 */
    int64_t        ntrace, room;
} watcher;
/* One run that is watched. */
typedef struct run {
    watcher          *w;
    const mb_session *s;
    int32_t           attempt;
} run;

static mb_status add_to_trace(watcher *w, int64_t t, double bound, mb_err *err)
{
    double *more;

    if (w->ntrace == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        MB_NEW(more, w->a, 2 * w->room, err);
        if (w->ntrace)
            memcpy(more, w->trace, 2 * (size_t)w->ntrace * sizeof *more);
        w->trace = more;
    }
    w->trace[2 * w->ntrace] = (double)t;
    w->trace[2 * w->ntrace++ + 1] = bound;
    return MB_OK;
}

/* What a fit that is stopped in its search is left with: of attempts on all rows. */
static mb_status remember(watcher *w, const mb_session *s, double bound, mb_err *err)
{
    const size_t L = s->c->model.layout.len;

    if ((s->c != &w->fit->stages->central && s->c != &w->fit->stages->nodes) ||
        s->problem.part->n_local != 1 || s->state.outside[0] || !(bound > w->bound || !w->best))
        return MB_OK;
    if (!w->best)
        MB_NEW(w->best, w->a, L, err);
    memcpy(w->best, s->state.phi, L * sizeof *w->best);
    w->seen = s->c;
    w->bound = bound;
    w->t = s->state.t;
    return MB_OK;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *state, mb_err *err)
{
    const run   *r = self;
    watcher     *w = r->w;
    const double bound = mb_session_bound_now(r->s);
    int          answer;

    (void)p;
    if (r->attempt < 0 && w->traced)
        MB_TRY(add_to_trace(w, state->t, bound, err));
    if (r->attempt >= 0)
        MB_TRY(remember(w, r->s, bound, err));
    answer = w->tick ? w->tick(w->self, r->attempt, state->t, bound) : 0;
    w->stopped |= answer == 1;
    w->failed |= answer != 0 && answer != 1;
    if (w->failed)
        MB_FAIL(err, MB_E_STOPPED, "the tick ended the fit with an error");
    if (w->stopped && r->attempt >= 0)
        mb_bind_stop(w->b);
    return w->stopped ? MB_STOP : MB_OK;
}

static mb_status watch(void *self, mb_session *s, int32_t attempt, mb_err *err)
{
    watcher *w = self;
    run     *r;

    MB_NEW(r, s->own, 1, err);
    *r = (run){w, s, attempt};
    return mb_session_watch(s,
                            &(mb_observer){.self = r,
                                           .every = 1,
                                           .wants_bound = w->tick || (w->traced && attempt < 0),
                                           .see = see},
                            err);
}

static int wanted(void *self)
{
    return atomic_load_explicit((atomic_int *)self, memory_order_relaxed);
}

/* The options that were set, as texts of its own. */
static mb_status options(const mb_bind *b, mb_bind_result_ *r, mb_err *err)
{
    const char *(*list)[2];

    MB_NEW(list, r->a, b->nsetting + 1, err);
    for (int32_t k = 0; k < b->nsetting; k++) {
        list[k][0] = b->setting[k].row->name;
        list[k][1] = mb_text(r->a, err, "%s", b->setting[k].text);
        if (!list[k][1])
            return MB_E_NOMEM;
    }
    r->from.noptions = b->nsetting;
    r->from.option = (const char *const(*)[2])list;
    return MB_OK;
}

/* What is known of every result on the case c. */
static mb_status begin(const mb_bind *b, const mb_bind_plan_ *p, const watcher *w, const mb_case *c,
                       mb_bind_result_ *r, mb_err *err)
{
    const mb_algo *algo = p->o.how.algo;

    r->from = (mb_provenance){.algorithm = mb_text(r->a, err, "%s", algo ? algo->name : "cvb"),
                              .of = "network mean",
                              .seed = p->run.seed,
                              .data_rows = c->table.rows.n,
                              .weight_total = c->weight_total,
                              .verdict = mb_verdict_text(MB_ENDED_INTERRUPTED),
                              .rounds = w->t,
                              .bound = w->bound};
    r->learnt = (mb_update_totals){c->table.rows.n, c->weight_total, w->bound};
    r->trace = w->trace;
    r->ntrace = w->ntrace;
    if (!r->from.algorithm)
        return MB_E_NOMEM;
    MB_TRY(options(b, r, err));
    if (p->net)
        MB_TRY(mb_bind_warn_(r, p->net->warning, err));
    return mb_bind_warn_(r, c->warning, err);
}

/* Each link of the network once. */
static mb_status links(const mb_graph *g, mb_bind_result_ *r)
{
    double *end = mb_alloc(r->a, (size_t)g->ptr[g->n] + 1, sizeof *end);

    r->link = end;
    r->nlink = g->ptr[g->n] / 2;
    if (!end)
        return MB_E_NOMEM;
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            if (i < g->adj[e]) {
                *end++ = i;
                *end++ = g->adj[e];
            }
    return MB_OK;
}

/* Posteriors of the nodes, whose components keep the order of the mean. */
static mb_status nodes(const mb_fit *fit, const mb_network *net, mb_bind_result_ *r, mb_arena *a,
                       mb_err *err)
{
    const mb_session *s = &fit->stages->session;
    const int32_t     n = s->problem.part->n_local;
    double           *par;
    mb_posterior      p;

    MB_NEW(r->id, r->a, n, err);
    MB_NEW(r->par, r->a, n, err);
    MB_NEW(r->distance, r->a, n, err);
    memcpy(r->distance, fit->out.apart, (size_t)n * sizeof *r->distance);
    r->nodes = n;
    for (int32_t i = 0; i < n; i++) {
        const double   *phi = s->state.phi + (size_t)i * s->state.ld;
        const mb_status st = mb_case_posterior(a, s->c, phi, fit->out.order, &p, err);

        r->id[i] = mb_text(r->a, err, "%s", net->id[i]);
        if (!r->id[i])
            return MB_E_NOMEM;
        if (st == MB_E_DOMAIN)
            continue;
        MB_TRY(st);
        MB_NEW(par, r->a, p.len, err);
        memcpy(par, p.par, p.len * sizeof *par);
        r->par[i] = par;
    }
    return links(&net->g, r);
}

/* What the user should read of it. */
static mb_status warn(const mb_bind_plan_ *p, const mb_fit *fit, mb_bind_result_ *r, mb_arena *a,
                      mb_err *err)
{
    mb_summary         summary;
    mb_classification *levels;
    mb_doubts_         doubts = {.n = 0};
    const char        *separated = NULL, *capped;

    MB_TRY(mb_posterior_summary(a, &fit->posterior, &summary, err));
    MB_TRY(mb_bind_warn_(r, summary.warning, err));
    MB_TRY(mb_fit_levels_(a, fit->stages->session.c, fit->out.mean, &levels, err));
    if (levels)
        MB_TRY(mb_fit_separated_(a, &fit->posterior, levels, &separated, err));
    MB_TRY(mb_bind_warn_(r, separated, err));
    MB_TRY(mb_fit_capped_at_(a, fit->stages->session.c, fit->out.mean, &capped, err));
    MB_TRY(mb_bind_warn_(r, capped, err));
    if (!p->o.how.algo)
        MB_TRY(mb_fit_doubts_(a, fit, &doubts, err));
    for (int32_t k = 0; k < doubts.n; k++)
        MB_TRY(mb_bind_warn_(r, doubts.line[k], err));
    return MB_OK;
}

/* A fit that has ended, of which everything is copied. */
static mb_status keep(const mb_bind *b, const mb_bind_plan_ *p, const watcher *w, mb_arena *a,
                      mb_bind_result_ *r, mb_err *err)
{
    const mb_fit     *fit = w->fit;
    const mb_session *s = &fit->stages->session;
    const int         stopped = w->stopped || fit->out.verdict == MB_ENDED_INTERRUPTED;

    if (!fit->posterior.kind)
        MB_FAIL(err, MB_E_DOMAIN, "the posterior is outside the domain: there is no result");
    MB_TRY(begin(b, p, w, &fit->stages->nodes, r, err));
    MB_TRY(mb_bind_copy_(r->a, &fit->posterior, &r->p, err));
    MB_TRY(warn(p, fit, r, a, err));
    if (p->o.how.algo)
        MB_TRY(nodes(fit, p->net, r, a, err));
    r->from.verdict = mb_verdict_text(stopped ? MB_ENDED_INTERRUPTED : fit->out.verdict);
    r->from.rounds = fit->out.rounds;
    r->from.bound = r->learnt.bound = fit->out.bound;
    r->from.accelerated = s->how.algo == &mb_algo_squarem;
    r->moved = fit->out.moved;
    r->disagreement = fit->out.disagreement;
    r->outside = fit->out.outside;
    r->frames = fit->out.sent.frames;
    r->bytes = fit->out.sent.bytes;
    r->n_init = fit->found.n_init;
    r->at_best = fit->found.at_best;
    return MB_OK;
}

/* A fit that was stopped in its search: the best posterior so far. */
static mb_status keep_best(const mb_bind *b, const mb_bind_plan_ *p, const watcher *w, mb_arena *a,
                           mb_bind_result_ *r, mb_err *err)
{
    const mb_case *c = w->seen;
    mb_posterior   best;

    if (!w->best)
        MB_FAIL(err, MB_E_STOPPED, "stopped before the first round: there is no result");
    MB_TRY(mb_case_posterior(a, c, w->best, NULL, &best, err));
    MB_TRY(begin(b, p, w, c, r, err));
    return mb_bind_copy_(r->a, &best, &r->p, err);
}

/* forget 0: a fit, else an update. */
static mb_status work(mb_bind *b, double forget, watcher *w, mb_arena *a, mb_bind_result_ *r)
{
    mb_err          *err = &b->fault;
    mb_update_totals learnt = {0};
    const mb_cancel  cancel = {wanted, &b->stop};
    mb_bind_plan_    p;
    mb_status        st;

    MB_TRY(mb_bind_plan_of_(b, a, forget > 0, &p, err));
    p.o.watch = watch;
    p.o.self = w;
    p.o.cancel = &cancel;
    w->traced = p.run.trace;
    if (forget > 0) {
        learnt = b->now->learnt;
        st = mb_fit_partial(a, &b->now->p, forget, &p.table, &p.o, &learnt, w->fit, err);
    } else
        st = mb_fit_run(a, p.net, &p.table, &p.o, w->fit, err);
    if (st >= 0 && w->failed)
        MB_FAIL(err, MB_E_STOPPED, "the tick ended the fit with an error");
    if (st == MB_STOP && forget > 0)
        MB_FAIL(err, MB_E_STOPPED, "stopped before the first round: there is no result");
    if (st == MB_STOP)
        return keep_best(b, &p, w, a, r, err);
    MB_TRY(st);
    MB_TRY(keep(b, &p, w, a, r, err));
    if (forget > 0) {
        r->learnt = learnt;
        r->from.data_rows = learnt.rows;
        r->from.weight_total = learnt.weight;
        r->from.bound = learnt.bound;
    }
    return MB_OK;
}

static mb_status fit(mb_bind *b, double forget, mb_bind_tick tick, void *self)
{
    mb_arena        *a = mb_arena_new(1 << 20);
    mb_fit           done = {0};
    mb_bind_result_ *r = NULL;
    mb_status        st = a ? mb_bind_result_new_(&r) : MB_E_NOMEM;
    watcher w = {.b = b, .tick = tick, .self = self, .fit = &done, .bound = -(double)INFINITY};

    atomic_store(&b->stop, 0);
    if (st >= 0) {
        w.a = r->a;
        b->busy = 1;
        st = work(b, forget, &w, a, r);
        b->busy = 0;
    }
    mb_fit_close(&done);
    mb_arena_free(a);
    mb_bind_result_take_(b, r, st);
    return st;
}

int mb_bind_fit(mb_bind *b, mb_bind_tick tick, void *self)
{
    const int st = mb_bind_begin_(b);

    return st ? st : mb_bind_end_forget_(b, fit(b, 0, tick, self));
}

int mb_bind_update(mb_bind *b, double forget, mb_bind_tick tick, void *self)
{
    mb_status st = (mb_status)mb_bind_begin_(b);

    if (st)
        return st;
    st = mb_bind_needs_result_(b, &b->fault);
    if (!st && !(forget > 0 && forget <= 1))
        st = mb_fail_(&b->fault, MB_E_ARG, __FILE__, __LINE__,
                      "forget: got %g; expected a number above 0, at most 1", forget);
    return mb_bind_end_forget_(b, st ? st : fit(b, forget, tick, self));
}
