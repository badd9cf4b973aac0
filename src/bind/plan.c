/* plan.c - what a fit is asked for: options, rows, network, initialisation. */
#include "base/deal.h"
#include "base/err.h"
#include "bind/handle.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"

#include <math.h>

static mb_status network(const mb_bind *b, mb_arena *a, const mb_bind_run_ *run, mb_network **out,
                         mb_err *err)
{
    const mb_bind_network_ *w = &b->network;
    const mb_bind_texts_   *id = &b->texts[MB_BIND_NODES_];
    const mb_network_opt    how = {.weights = run->weights, .id = id->text, .nid = (int32_t)id->n};

    if (!w->a) {
        if (b->algo)
            MB_FAIL_OPTION(err, "algorithm", MB_E_ARG,
                           "algorithm: %s needs a network; expected one, or cvb", b->algo->name);
        if (run->send || run->delay || run->loss + run->loss_directed + run->silent > 0)
            MB_FAIL_OPTION(err, "network", MB_E_ARG,
                           "network: send, loss, silent and delay need one; got none");
        return MB_OK;
    }
    MB_NEW(*out, a, 1, err);
    if (w->spec)
        return mb_network_draw(a, w->spec, w->seed, &how, *out, err);
    if (id->n && id->n != w->n)
        MB_FAIL_OPTION(err, "nodes", MB_E_SHAPE, "nodes: got %lld names; expected %d",
                       (long long)id->n, (int)w->n);
    return mb_network_from(a, w->n, id->text, w->m, w->ends, &how, *out, err);
}

/* What the algorithm of nodes is, and what happens to its messages. */
static mb_status method(const mb_bind *b, mb_arena *a, const mb_bind_run_ *run, mb_method *how,
                        mb_err *err)
{
    void *opt = NULL;

    how->rounds = !isnan(run->rounds) ? (int64_t)run->rounds : b->algo ? 20000 : 5000;
    how->threads = b->half.emit ? 1 : (int32_t)run->threads;
    how->on_domain = (mb_on_domain)run->on_domain;
    how->prune = run->prune;
    how->stop = (mb_stop_rule)run->stop;
    if (!b->algo)
        return MB_OK;
    if (!b->half.emit) {
        MB_TRY(mb_options_new_(a, b->algo->name, b->algo->opts, b->algo->opt_size, &opt, err));
        MB_TRY(mb_bind_options_(b, b->algo->opts, opt, err));
    }
    how->algo = b->algo;
    how->send = (mb_send)run->send;
    how->opt = b->half.emit ? &b->half : opt;
    how->faults = (mb_faults){.loss = run->loss,
                              .loss_directed = run->loss_directed,
                              .silent = run->silent,
                              .delay = run->delay,
                              .seed = (uint64_t)run->seed};
    return MB_OK;
}

static mb_status check_shape(const char *name, const mb_bind_array_ *v, int64_t n, int64_t d,
                             mb_err *err)
{
    if (v->shape[0] == n && v->shape[1] == d)
        return MB_OK;
    MB_FAIL_OPTION(err, name, MB_E_SHAPE, "%s: got %lld x %lld; expected %lld x %lld", name,
                   (long long)v->shape[0], (long long)v->shape[1], (long long)n, (long long)d);
}

/* An array that is an initialisation. */
static mb_status given(const mb_bind *b, mb_arena *a, const mb_table *t, int32_t K, mb_start *start,
                       mb_err *err)
{
    const mb_bind_array_ *v = b->array;

    if (v[MB_BIND_CENTRES_].x) {
        MB_TRY(check_shape("centres", &v[MB_BIND_CENTRES_], K, t->rows.d, err));
        start->how = MB_INIT_CENTRES;
        return mb_bind_numbers_(a, &v[MB_BIND_CENTRES_], &start->centres, err);
    }
    if (v[MB_BIND_RESP_].x) {
        MB_TRY(check_shape("responsibilities", &v[MB_BIND_RESP_], t->rows.n, K, err));
        start->how = MB_INIT_RESPONSIBILITIES;
        MB_TRY(mb_bind_numbers_(a, &v[MB_BIND_RESP_], &start->resp, err));
        for (int64_t j = 0; j < t->rows.n * K; j++)
            if (!(start->resp[j] >= 0 && start->resp[j] <= 1))
                MB_FAIL_AT(err, "responsibilities", j / K, (int32_t)(j % K), MB_E_NUMERIC,
                           "responsibilities: got %g in row %lld; expected 0 to 1", start->resp[j],
                           (long long)(j / K));
        return MB_OK;
    }
    if (!v[MB_BIND_LABELS_].x)
        return MB_OK;
    start->how = MB_INIT_RESPONSIBILITIES;
    return mb_bind_integers_(a, "labels", &v[MB_BIND_LABELS_], &start->label, err);
}

static mb_status initialisation(const mb_bind *b, mb_arena *a, const mb_bind_plan_ *p,
                                const void *kind_opt, mb_start *start, mb_err *err)
{
    mb_sizes s;

    *start = (mb_start){.how = (mb_init)p->run.init,
                        .seed = (uint64_t)p->run.seed,
                        .prefer = (mb_prefer)p->run.prefer};
    mb_kind_sizes(b->kind, kind_opt, p->table.rows.d, p->table.kinds, &s);
    if (!mb_kind_has_components(b->kind)) {
        start->how = MB_INIT_KMEANS;
        return MB_OK;
    }
    if (s.K > p->table.rows.n)
        MB_FAIL_OPTION(err, "n-components", MB_E_ARG,
                       "n-components: got %d components for %lld rows; expected 1 to %lld",
                       (int)s.K, (long long)p->table.rows.n, (long long)p->table.rows.n);
    MB_TRY(given(b, a, &p->table, s.K, start, err));
    if (start->how == MB_INIT_POSTERIOR && !b->now)
        MB_FAIL_OPTION(err, "init", MB_E_ARG, "init: got posterior; expected a fit before");
    if (start->how == MB_INIT_POSTERIOR)
        start->posterior = &b->now->p;
    if ((start->how == MB_INIT_CENTRES && !start->centres) ||
        (start->how == MB_INIT_RESPONSIBILITIES && !start->resp && !start->label))
        MB_FAIL_OPTION(err, "init", MB_E_ARG,
                       "init: got %s; expected that array, given again for each call",
                       start->how == MB_INIT_CENTRES ? "centres" : "responsibilities");
    return MB_OK;
}

/* Rows that have no nodes are dealt; otherwise the fit cuts them into blocks. */
static mb_status deal(mb_arena *a, mb_bind_plan_ *p, mb_err *err)
{
    const mb_rows *rows = &p->table.rows;
    int32_t       *node;

    if (!p->net || p->table.node || !p->run.deal)
        return MB_OK;
    MB_TRY(mb_deal_(a, (uint64_t)p->run.seed, p->net->n, rows->n, rows->ngroup, rows->first, &node,
                    err));
    p->table.node = node;
    return MB_OK;
}

mb_status mb_bind_plan_of_(mb_bind *b, mb_arena *a, int update, mb_bind_plan_ *out, mb_err *err)
{
    mb_fit_opt  *o = &out->o;
    mb_bind_run_ run = {0};
    void        *kind_opt;

    *out = (mb_bind_plan_){.o = mb_fit_defaults()};
    MB_TRY(mb_bind_options_(b, mb_bind_run_options_, &run, err));
    out->run = run;
    MB_TRY(mb_options_new_(a, b->kind->name, b->kind->opts, b->kind->opt_size, &kind_opt, err));
    MB_TRY(mb_bind_options_(b, b->kind->opts, kind_opt, err));
    MB_TRY(mb_bind_table_(b, a, &run, update ? &b->now->p : NULL, kind_opt, &out->table, err));
    if (out->table.design)
        b->inputs = out->table.rows.d - (int32_t)b->array[MB_BIND_Y_].shape[1];
    if (!update)
        MB_TRY(network(b, a, &run, &out->net, err));
    MB_TRY(deal(a, out, err));
    MB_TRY(method(b, a, &run, &o->how, err));
    if (update)
        o->how.algo = NULL;
    else
        MB_TRY(initialisation(b, a, out, kind_opt, &o->start, err));
    if (!isnan(run.n_init) && floor(run.n_init) < run.n_init)
        MB_FAIL_OPTION(err, "n-init", MB_E_ARG, "n-init: got %g; expected auto or a whole number",
                       run.n_init);
    o->kind = b->kind;
    o->kind_opt = kind_opt;
    o->units = (mb_case_opt){.raw = !run.standardize, .precision = (mb_precision)run.precision};
    o->n_init = isnan(run.n_init) ? 0 : (int32_t)run.n_init;
    o->accelerate = (mb_accelerate)run.accelerate;
    o->tol = run.tol;
    return MB_OK;
}
