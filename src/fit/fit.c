/* fit.c - from rows to a posterior, through all stages. */
#include "fit/fit.h"
#include "base/accelerate.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/ranges.h"
#include "fit/case.h"

#include <math.h>
#include <string.h>

mb_fit_opt mb_fit_defaults(void)
{
    return (mb_fit_opt){.kind = &mb_kind_gmm, .how = {.rounds = 5000}, .tol = 3e-7};
}

const mb_algo *mb_central_algo(const mb_case *c, mb_accelerate accelerate, double tol)
{
    return !MB_ACCELERATE_(1) || accelerate == MB_ACCELERATE_OFF || !(tol > 0) ||
                   c->model.ops->overshoots
               ? &mb_algo_noncoop
               : &mb_algo_squarem;
}

/* The run whose result is taken, from its initialisation to its last round. MB_STOP if the watch ends
 * it. */
static mb_status run_last(mb_session *s, const mb_fit_opt *o, mb_fit *fit, mb_err *err)
{
    mb_status st = MB_OK;

    MB_TRY(mb_session_begin(s, &o->start, &fit->found, err));
    MB_TRY(mb_session_stop(s, o->tol, 0, err));
    if (s->how.prune)
        return mb_session_prune(s, o->tol, o->watch, o->self, -1, &fit->pruned, err);
    if (o->watch)
        st = o->watch(o->self, s, -1, err);
    return st == MB_OK ? mb_session_run(s, err) : st;
}

/* What masks the sums of the algorithm masks those of its start. */
static mb_case_opt units_of(const mb_fit_opt *o)
{
    const mb_method *how = &o->how;
    mb_case_opt      out = o->units;

    if (how->algo && how->algo->masked && how->opt && how->algo->masked(how->opt)) {
        out.masked = 1;
        out.mask_seed = how->faults.seed;
    }
    return out;
}

/* Threads, the case of the nodes and, for central VB, that of all rows. said: of the rows, NULL:
 * nothing. *c: the one that runs. */
static mb_status cases(mb_arena *a, const mb_network *net, const mb_table *table,
                       const char *warning, const mb_fit_opt *o, mb_fit *fit, const mb_case **c,
                       mb_err *err)
{
    const mb_case_opt units = units_of(o);

    MB_TRY(mb_pool_open(a, o->how.threads, &fit->stages->pool, err));
    MB_TRY(mb_place_make(a, net, o->comm, &fit->stages->place, err));
    fit->stages->place.tp.cancel = o->cancel;
    MB_TRY(mb_case_make(a, &fit->stages->place, table, o->kind, o->kind_opt, &units,
                        &fit->stages->nodes, err));
    MB_TRY(mb_case_warn_(a, &fit->stages->nodes, warning, err));
    *c = &fit->stages->nodes;
    if (o->how.algo)
        return MB_OK;
    MB_TRY(mb_case_central(a, &fit->stages->nodes, fit->stages->pool, o->how.threads,
                           &fit->stages->central, err));
    *c = &fit->stages->central;
    return MB_OK;
}

/* The bound of a former attempt at its rest, if no component is weak there. */
static mb_status rest(const mb_case *c, const mb_method *how, double tol, const double *phi,
                      double *bound, mb_err *err)
{
    mb_session s;
    mb_outcome out;
    mb_weak    weak = {0};
    mb_status  st;

    MB_TRY(mb_session_open(c, how, &s, err));
    memcpy(s.state.phi_star, phi, c->model.layout.len * sizeof *phi);
    st = mb_session_stop(&s, tol, 0, err);
    if (st >= 0)
        st = mb_session_run(&s, err);
    if (st >= 0)
        st = mb_session_end(&s, &out, err);
    if (st >= 0)
        st = mb_case_weak(c, out.mean, 0, &weak, err);
    *bound = st == MB_OK && !weak.count ? out.bound : (double)NAN;
    mb_session_close(&s);
    return st == MB_E_DOMAIN ? MB_OK : st;
}

/* Where component k of the answer is listed. */
static int32_t place_of(const mb_fit *fit, int32_t k)
{
    int32_t at = 0;

    while (at < fit->stages->session.c->model.K - 1 && fit->out.order[at] != k)
        at++;
    return at;
}

/* What else is said of the answer of central VB: components that few rows describe, the best answer
 * without them, and one component. */
static mb_status beside(const mb_case *c, const mb_method *how, const mb_fit_opt *o, mb_fit *fit,
                        mb_err *err)
{
    mb_method               plain = *how;
    const mb_search_result *found = &fit->found;
    mb_status               st;

    plain.store = NULL;
    fit->sound = fit->one = (double)NAN;
    st = mb_case_weak(fit->stages->session.c, fit->out.mean, 1, &fit->weak, err);
    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    MB_TRY(mb_case_wide(fit->stages->session.c, fit->out.mean, &fit->wide, err));
    if (fit->weak.count)
        fit->weak.component = place_of(fit, fit->weak.component);
    if (fit->wide.times > 0)
        fit->wide.component = place_of(fit, fit->wide.component);
    st = MB_OK;
    if (fit->weak.count && found->sound)
        st = rest(c, &plain, o->tol, found->sound, &fit->sound, err);
    if (st == MB_OK && !o->units.prior)
        st = mb_case_one(c, &plain, &fit->one, err);
    return st == MB_E_STOPPED ? MB_OK : st; /* the answer is there, and these are not known */
}

/* The best initialisation, and the run whose result is taken. */
static mb_status run(mb_arena *a, const mb_case *c, const mb_method *how, const mb_fit_opt *o,
                     mb_fit *fit, mb_err *err)
{
    mb_session *s = &fit->stages->session;
    int         stopped;
    mb_status   st;

    st = mb_case_best(a, c, how, &o->start, o->tol, o->n_init, o->watch, o->self, &fit->found, err);
    if (st != MB_OK)
        return st;
    MB_TRY(mb_session_open(c, how, s, err));
    st = run_last(s, o, fit, err);
    stopped = st == MB_E_STOPPED && s->state.t;
    if (st == MB_OK || stopped)
        st = mb_session_end(s, &fit->out, err);
    if (st == MB_OK && c->nodes)
        st = beside(c, how, o, fit, err);
    if (st >= 0 && stopped)
        fit->out.verdict = MB_ENDED_INTERRUPTED;
    return st;
}

static mb_status fit_on(mb_arena *a, const mb_network *net, const mb_table *table,
                        const mb_fit_opt *o, mb_fit *fit, mb_err *err)
{
    const mb_case *c;
    mb_method      how = o->how;
    mb_table       rows = *table;
    mb_network    *alone;
    const char    *warning = NULL;
    mb_status      st;

    if (!net) {
        MB_TRY(mb_table_sequences_(a, o->kind, rows.N, &rows, &warning, err));
        MB_NEW(alone, a, 1, err);
        MB_TRY(mb_network_from(a, 1, NULL, 0, NULL, NULL, alone, err));
        net = alone;
        rows.N = 0;
        rows.id = NULL;
        rows.node = NULL;
        rows.first = NULL;
    }
    MB_TRY(cases(a, net, &rows, warning, o, fit, &c, err));
    how.algo =
        how.algo
            ? how.algo
            : mb_central_algo(c, how.stop == MB_STOP_RULE_BOUND ? MB_ACCELERATE_OFF : o->accelerate,
                              o->tol);
    how.pool = fit->stages->pool;
    st = run(a, c, &how, o, fit, err);
    if (st != MB_OK)
        return st;
    st = mb_case_posterior(a, fit->stages->session.c, fit->out.mean, fit->out.order,
                           &fit->posterior, err);
    if (st >= 0)
        st = mb_posterior_ready(a, &fit->posterior, err);
    fit->posterior.kind = st == MB_E_DOMAIN ? NULL : fit->posterior.kind;
    return st == MB_E_DOMAIN ? MB_OK : st;
}

/* What the program's options refuse. */
static mb_status check(const mb_fit_opt *o, mb_err *err)
{
    const struct {
        const char *name;
        double      given, least, most;
    } all[] = {{"tol", o->tol, MB_RANGE_TOL_},
               {"n-init", o->n_init ? o->n_init : 1, MB_RANGE_N_INIT_},
               {"rounds", (double)o->how.rounds, MB_RANGE_ROUNDS_},
               {"threads", o->how.threads, MB_RANGE_THREADS_}};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(all[k].given >= all[k].least && all[k].given <= all[k].most))
            MB_FAIL_OPTION(err, all[k].name, MB_E_ARG, "%s: got %g; expected %g to %g%s",
                           all[k].name, all[k].given, all[k].least, all[k].most,
                           k == 1 ? ", or 0 (automatic)" : "");
    return MB_OK;
}

mb_status mb_fit_run(mb_arena *a, const mb_network *net, const mb_table *table,
                     const mb_fit_opt *opt, mb_fit *out, mb_err *err)
{
    const mb_fit_opt o = opt ? *opt : mb_fit_defaults();
    mb_status        st;

    *out = (mb_fit){0};
    MB_TRY(check(&o, err));
    MB_NEW(out->stages, a, 1, err);
    st = fit_on(a, net, table, &o, out, err);
    if (st < 0)
        mb_fit_close(out);
    return st == MB_E_STOPPED ? MB_STOP : st;
}

mb_status mb_fit_node(mb_arena *a, const mb_fit *fit, int32_t node, mb_posterior *out, mb_err *err)
{
    const mb_session *s = &fit->stages->session;
    const int32_t     n = s->c->place->part.n_local;

    if (node < 0 || node >= n)
        MB_FAIL(err, MB_E_ARG, "node: got %d; expected 0 to %d", (int)node, (int)n - 1);
    MB_TRY(mb_case_posterior(a, s->c, s->state.phi + (size_t)node * s->state.ld, NULL, out, err));
    return mb_posterior_ready(a, out, err);
}

void mb_fit_close(mb_fit *fit)
{
    if (fit->stages) {
        mb_session_close(&fit->stages->session);
        mb_place_close(&fit->stages->place);
        mb_pool_close(fit->stages->pool);
    }
    *fit = (mb_fit){0};
}
