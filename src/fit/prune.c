/* prune.c - a run of central VB that merges components which its rows do not need (docs/math.md,
 * section 15). */
#include "expfam/expfam.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum {
    LOOK = 10,    /* rounds from one search for a pair to the next                     */
    AT_ONCE = 3,  /* rounds in which a merge must pay while the run is on the way      */
    PATIENT = 100 /* rounds once it has settled                                        */
};
static const double few_rows = 1; /* a component with fewer is merged                           */
static const double near = 8;     /* nats a row: the largest divergence of components to merge  */
static const double slow = 1;     /* nats in LOOK rounds: a bound that rises faster is not judged */
static const double rounding =
    1e-11; /* of a bound: components without rows may leave it as it is */

/* Two components and what merging them costs their rows at most, nats. */
typedef struct pair {
    int32_t keep, gone; /* keep < 0: there is none */
    double  cost;
} pair;

/* The search for a pair in one session. */
typedef struct search {
    const mb_case *c;
    const double  *phi;   /* of the session, which changes                     */
    mb_parts_      parts; /* its components at the last look                   */
    double        *after; /* K x K: the round after which a pair may be tried  */
    double         bound; /* at the last look, nats; -infinity: there was none */
    int32_t        over;  /* 1: `watch` has ended a try                        */
    pair           found;
    int32_t       *halt; /* mb_session.finished_early                                    */
    mb_pruned     *out;  /* of the caller                                      */
} search;

static mb_status search_new(mb_session *s, mb_pruned *counts, search *out, mb_err *err)
{
    const mb_model *m = &s->c->model;
    const size_t    K = (size_t)m->K;

    *out = (search){.c = s->c,
                    .phi = s->state.phi_star,
                    .bound = -(double)INFINITY,
                    .found = {.keep = -1},
                    .halt = &s->finished_early,
                    .out = counts};
    MB_NEW(out->after, s->own, K * K, err);
    return mb_parts_new_(s->own, m, &out->parts, err);
}

/* The round after which components k and l may be merged. */
static double *turn_of(const search *w, int32_t k, int32_t l)
{
    return &w->after[(size_t)(k < l ? k : l) * (size_t)w->c->model.K + (size_t)(k < l ? l : k)];
}

/* A component with less than one row goes to the one with the most. */
static void find_empty(search *w, double t)
{
    const double *rows = w->parts.rows;
    int32_t       least = 0, most = 0;

    for (int32_t k = 1; k < w->c->model.K; k++) {
        least = rows[k] < rows[least] ? k : least;
        most = rows[k] > rows[most] ? k : most;
    }
    if (rows[least] < few_rows && least != most && *turn_of(w, most, least) <= t)
        w->found = (pair){most, least, 0};
}

/* The pair that is near and whose rows lose least. */
static void find_near(search *w, double t)
{
    w->found.cost = (double)INFINITY;
    for (int32_t k = 0; k < w->c->model.K; k++)
        for (int32_t l = 0; l < k; l++) {
            const double J = mb_parts_divergence_(&w->parts, k, l);
            const double cost = mb_parts_merging_(&w->parts, k, l, J);

            if (J <= near && cost < w->found.cost && *turn_of(w, k, l) <= t)
                w->found = (pair){l, k, cost};
        }
}

/* In round t; found.keep < 0: there is no pair. */
static mb_status find(search *w, double t, mb_err *err)
{
    const mb_status st = mb_parts_see_(&w->parts, w->phi, err);

    w->found.keep = -1;
    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    find_empty(w, t);
    if (w->found.keep < 0)
        find_near(w, t);
    return MB_OK;
}

/* Ends a try whose bound has reached that of the session. */
typedef struct goal {
    double  bound;
    int32_t reached;
} goal;

static mb_status see_goal(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    goal *g = self;

    (void)p, (void)err;
    g->reached = st->bound[0] >= g->bound - rounding * fabs(g->bound);
    return g->reached ? MB_STOP : MB_OK;
}

static mb_status see_pair(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    search      *w = self;
    const double rise = st->bound[0] - w->bound;

    (void)p;
    w->bound = st->bound[0];
    w->found.keep = -1;
    if (rise < slow)
        MB_TRY(find(w, (double)st->t, err));
    *w->halt |= w->found.keep >= 0;
    return w->found.keep < 0 ? MB_OK : MB_STOP;
}

static int32_t keep_search(void *self, mb_checkpoint_item *out)
{
    search      *w = self;
    const size_t K = (size_t)w->c->model.K;

    out[0] = (mb_checkpoint_item){
        .name = "prune.after", .at = w->after, .bytes = 8 * K * K, .pieces = 1};
    out[1] = (mb_checkpoint_item){.name = "prune.bound", .at = &w->bound, .bytes = 8, .pieces = 1};
    out[2] = (mb_checkpoint_item){
        .name = "prune.counts", .at = w->out, .bytes = sizeof *w->out, .pieces = 1};
    return 3;
}

/* L at the phi that the next round has, nats; -infinity outside the domain. */
static mb_status bound_of(const mb_session *s, search *w, double *bound, mb_err *err)
{
    const mb_problem *p = &s->problem;
    const mb_status   st = mb_local_step(p->model, p->rows, p->scale, w->phi, w->parts.mu, bound,
                                         NULL, w->parts.scratch, err);

    if (st == MB_E_DOMAIN)
        *bound = -(double)INFINITY;
    return st == MB_E_DOMAIN ? MB_OK : st;
}

static mb_status open_in(mb_arena *a, const mb_session *s, mb_session *out, mb_err *err)
{
    mb_case *c;

    MB_NEW(c, a, 1, err);
    MB_TRY(mb_case_fewer(a, s->c, s->how.pool, s->how.threads, c, err));
    return mb_session_open(c, &s->how, out, err);
}

/* A session on the case of one component less, which it owns. */
static mb_status open_fewer(const mb_session *s, mb_session *out, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_status st;

    *out = (mb_session){0};
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to merge components");
    st = open_in(a, s, out, err);
    out->parent_arena = a;
    if (st < 0)
        mb_session_close(out);
    return st;
}

/* What the caller of mb_session_prune said. */
typedef struct request {
    double   tol;
    mb_watch watch;
    void    *self;
    int32_t  name;
} request;

/* Runs the merged pair in t. MB_STOP: `watch` ended it. */
static mb_status try_pair(const search *w, const request *o, goal *g, mb_session *t, mb_err *err)
{
    const mb_model   *m = &w->c->model;
    const mb_observer obs = {.self = g, .every = 1, .wants_bound = 1, .see = see_goal};
    mb_status         st;

    mb_merge_components(&m->layout, m->K, w->found.keep, w->found.gone, m->prior, w->phi,
                        t->state.phi_star);
    MB_TRY(mb_session_watch(t, &obs, err));
    MB_TRY(mb_session_stop(t, o->tol, 0, err));
    st = o->watch ? o->watch(o->self, t, INT32_MAX, err) : MB_OK;
    return st == MB_OK ? mb_session_run(t, err) : st;
}

/* Opens s, which is closed, on the merged case c, with phi and the rounds so far. */
static mb_status resume(mb_session *s, const mb_case *c, const mb_method *how, int64_t rounds,
                        const double *phi, const request *o, mb_err *err)
{
    MB_TRY(mb_session_open(c, how, s, err));
    memcpy(s->state.phi_star, phi, c->model.layout.len * sizeof *phi);
    s->state.t = rounds;
    return mb_session_stop(s, o->tol, 0, err);
}

/* The merged session in place of s: observers point into a session, so it cannot move. */
static mb_status adopt(mb_session *s, mb_session *t, const request *o, mb_err *err)
{
    mb_arena       *parent = t->parent_arena;
    const mb_case  *c = t->c;
    const mb_method how = s->how;
    const int64_t   rounds = s->state.t + t->state.t;
    double         *phi;
    mb_status       st;

    MB_NEW(phi, parent, c->model.layout.len, err);
    memcpy(phi, t->state.phi_star, c->model.layout.len * sizeof *phi);
    t->parent_arena = NULL;
    mb_session_close(s);
    st = resume(s, c, &how, rounds, phi, o, err);
    s->parent_arena = parent;
    return st;
}

/* Tries the pair that was found. MB_QUIET: it is adopted, and s is another session. A try that `watch`
 * or the caller ends is the last. */
static mb_status merge(mb_session *s, search *w, const request *o, mb_pruned *out, mb_err *err)
{
    const int64_t most = s->stopped ? PATIENT : AT_ONCE, left = s->how.rounds - s->state.t;
    mb_session    t;
    goal          g = {0};
    mb_status     st;

    MB_TRY(bound_of(s, w, &g.bound, err));
    MB_TRY(open_fewer(s, &t, err));
    t.how.rounds = most < left ? most : left;
    st = try_pair(w, o, &g, &t, err);
    w->over = st == MB_STOP || st == MB_E_STOPPED;
    st = w->over ? MB_OK : st;
    out->tried++;
    if (st == MB_OK && g.reached) {
        st = adopt(s, &t, o, err);
        out->merged++;
        out->left--;
        st = st == MB_OK ? MB_QUIET : st;
    } else {
        *turn_of(w, w->found.keep, w->found.gone) =
            s->stopped ? (double)INFINITY : 2 * (double)s->state.t;
        out->rounds += t.state.t;
    }
    mb_session_close(&t);
    return st;
}

/* Runs s until it ends (MB_OK, MB_STOP) or a merge has been adopted (MB_QUIET). */
static mb_status run(mb_session *s, search *w, const request *o, mb_pruned *out, mb_err *err)
{
    int32_t   tries = w->c->model.K; /* once it has settled */
    mb_status st = MB_OK;

    while (st == MB_OK && tries && !w->over) {
        const int32_t before = s->stopped;

        w->found.keep = -1;
        MB_TRY(mb_session_run(s, err));
        if (s->stopped && !before) /* each pair once more */
            memset(w->after, 0, (size_t)w->c->model.K * (size_t)w->c->model.K * sizeof *w->after);
        if (s->stopped)
            MB_TRY(find(w, (double)s->state.t, err));
        if (w->found.keep < 0 || s->state.t >= s->how.rounds)
            break;
        tries -= s->stopped;
        st = merge(s, w, o, out, err);
    }
    return st;
}

/* The session of the merge with number out->merged in place of s. */
static mb_status take_merge(mb_session *s, const mb_case *c, const double *x, mb_arena *parent,
                            const request *o, mb_pruned *out, mb_err *err)
{
    const mb_method how = s->how;
    mb_status       st;

    out->left = c->model.K;
    out->merged = out->first - out->left;
    out->tried = (int32_t)x[MB_MERGE_TRIED_];
    out->rounds = (int64_t)x[MB_MERGE_LOST_];
    mb_session_close(s);
    st = resume(s, c, &how, (int64_t)x[MB_MERGE_ROUNDS_], x + MB_MERGE_PHI_, o, err);
    s->parent_arena = parent;
    return st;
}

/* After an interruption: from the last merge on. */
static mb_status take_up(mb_session *s, const request *o, mb_pruned *out, mb_err *err)
{
    const mb_case *c = s->c;
    double        *x = NULL;
    mb_arena      *a;
    mb_status      st;

    if (!s->how.store || !mb_parts_weights_(&c->model) || !mb_parts_alike_(&c->model))
        return MB_OK;
    a = mb_arena_new(1 << 16);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to merge components");
    st = mb_merge_find_(s, a, o->name, &c, &x, err);
    if (st >= 0 && x)
        return take_merge(s, c, x, a, o, out, err);
    mb_arena_free(a);
    return st;
}

/* The watch sees a session that is as it began; then a merge is stored. */
static mb_status begin(mb_session *s, const request *o, const mb_pruned *out, mb_err *err)
{
    double   *x;
    mb_status st = MB_OK;

    MB_TRY(mb_merge_new_(s, out, &x, err));
    if (o->watch)
        st = o->watch(o->self, s, o->name, err);
    if (st != MB_OK || !out->merged)
        return st;
    return mb_merge_put_(s, o->name, out->merged, x, err);
}

static mb_status run_as_it_is(mb_session *s, const request *o, const mb_pruned *out, mb_err *err)
{
    const mb_status st = begin(s, o, out, err);

    return st == MB_OK ? mb_session_run(s, err) : st;
}

/* A session until it ends or another merge is adopted. */
static mb_status run_next(mb_session *s, const request *o, mb_pruned *out, mb_err *err)
{
    mb_observer obs = {.every = LOOK, .wants_bound = 1, .see = see_pair, .keep = keep_search};
    search     *w;
    mb_status   st;

    if (!mb_parts_weights_(&s->c->model))
        return run_as_it_is(s, o, out, err);
    if (!mb_parts_alike_(&s->c->model))
        MB_FAIL(err, MB_E_ARG,
                "components with priors of their own (an earlier posterior as prior) cannot be "
                "merged; expected one prior for all, or prune = 0");
    MB_NEW(w, s->own, 1, err);
    MB_TRY(search_new(s, out, w, err));
    obs.self = w;
    MB_TRY(mb_session_watch(s, &obs, err));
    st = begin(s, o, out, err);
    return st == MB_OK ? run(s, w, o, out, err) : st;
}

mb_status mb_session_prune(mb_session *s, double tol, mb_watch watch, void *self, int32_t name,
                           mb_pruned *out, mb_err *err)
{
    const request o = {tol, watch, self, name};
    mb_status     st = MB_QUIET;

    *out = (mb_pruned){.first = s->c->model.K, .left = s->c->model.K};
    if (!s->c->nodes || !(s->c->kind->model || s->c->kind->emissions))
        return run_as_it_is(s, &o, out, err);
    MB_TRY(take_up(s, &o, out, err));
    while (st == MB_QUIET)
        st = run_next(s, &o, out, err);
    return st;
}
