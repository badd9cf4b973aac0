/* run.c - the one loop: emit, exchange, absorb, local step (meshbayes/algo.h). */
#include "core/turn.h"
#include "core/workers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct loop {
    const mb_problem *p;
    mb_state         *s;
    mb_transport     *tp;
    const mb_run_opt *opt;
    mb_crew_          crew;
    const int32_t    *nbr_deg; /* per directed edge       */
    int64_t           t;       /* the current round       */
    int32_t           bound;   /* 1: this round's bounds are wanted */
} loop;

static double *row(double *plane, const mb_state *s, int64_t i)
{
    return plane ? plane + (size_t)i * s->ld : NULL;
}

static mb_node node_of(const loop *r, mb_worker_ *w, int32_t i)
{
    const mb_part  *part = r->p->part;
    const mb_model *m = r->p->model;
    mb_state       *s = r->s;
    const int64_t   first = part->g.ptr[i];

    return (mb_node){.layout = &m->layout,
                     .len = s->mail.len,
                     .opt = r->p->opt,
                     .t = r->t,
                     .id = part->gid[i],
                     .deg = (int32_t)(part->g.ptr[i + 1] - first),
                     .nbr_deg = r->nbr_deg + first,
                     .tree = part->tree ? part->tree + first : NULL,
                     .scale = r->p->scale,
                     .prior = m->prior,
                     .phi = row(s->phi, s, i),
                     .extra = row(s->phi_star, s, i) + m->layout.len,
                     .mu = row(s->mu, s, i),
                     .aux = row(s->aux, s, (int64_t)i * s->naux),
                     .edge = row(s->edge, s, first * s->nedge),
                     .memo = s->memo ? s->memo + (size_t)i * (size_t)s->nmemo : NULL,
                     .scratch = w->scratch,
                     .turn = mb_turn_(r->p, i),
                     .outside = s->outside[i],
                     .on_domain = r->opt->on_domain,
                     .eps = m->eps,
                     .projected = &s->projected[i]};
}

static mb_inbox inbox_of(const loop *r, int32_t i)
{
    const mb_part *part = r->p->part;
    const mb_mail *mail = &r->s->mail;
    const int64_t  first = part->g.ptr[i];

    return (mb_inbox){.deg = (int32_t)(part->g.ptr[i + 1] - first),
                      .msg = mail->from + first,
                      .age = mail->age + first,
                      .fresh = mail->fresh + first,
                      .w = part->w.edge + first,
                      .w_self = part->w.self[i]};
}

/* The first message of node i. */
static double *message_of(const loop *r, int32_t i)
{
    const mb_mail *mail = &r->s->mail;

    return mail->plane +
           (size_t)(mail->fanout == MB_BROADCAST ? i : r->p->part->g.ptr[i]) * mail->ld;
}

static int all_finite(const double *v, size_t len)
{
    for (size_t l = 0; l < len; l++)
        if (!isfinite(v[l]))
            return 0;
    return 1;
}

/* The local step does not read the numbers after those of the layout. */
static mb_status check_extra(const loop *r, mb_worker_ *w, int32_t i)
{
    const size_t L = r->p->model->layout.len;

    if (!all_finite(row(r->s->phi, r->s, i) + L, r->s->mail.len - L))
        MB_FAIL(&w->err, MB_E_NUMERIC, "an extra number of phi is not finite: %s has diverged",
                r->p->algo->name);
    return MB_OK;
}

/* 1: a step that lowers the bound is shortened. */
static int goes_back(const mb_problem *p)
{
    return p->model->ops->overshoots && p->algo->needs & MB_NEEDS_NO_MSG;
}

static mb_status try_step(const loop *r, mb_worker_ *w, int32_t i)
{
    const mb_problem *p = r->p;
    mb_state         *s = r->s;

    return mb_local_step(p->model, &p->rows[i], p->scale, row(s->phi, s, i), row(s->phi_star, s, i),
                         r->bound || goes_back(p) || p->algo->judge ? &s->bound[i] : NULL,
                         row(s->mu, s, i), w->local, &w->err);
}

/* phi* at the new phi; outside Omega the policy decides. If rounding leaves a projection outside, the
 * node freezes. */
static mb_status step_by_policy(const loop *r, mb_worker_ *w, int32_t i)
{
    mb_state *s = r->s;
    mb_status st;

    MB_TRY(check_extra(r, w, i));
    st = try_step(r, w, i);
    if (st == MB_E_DOMAIN && r->opt->on_domain == MB_PROJECT) {
        mb_node nd = node_of(r, w, i);

        MB_TRY(mb_node_project(&nd, &w->err));
        st = try_step(r, w, i);
    }
    s->outside[i] = st == MB_E_DOMAIN;
    if (st != MB_E_DOMAIN || r->opt->on_domain == MB_HALT)
        return st;
    s->bound[i] = (double)NAN;
    if (!all_finite(row(s->phi, s, i), s->mail.len))
        MB_FAIL(&w->err, MB_E_NUMERIC, "phi is not finite: %s has diverged", r->p->algo->name);
    s->frozen[i]++;
    return MB_OK;
}

static mb_status init(void *arg, mb_worker_ *w, int32_t i)
{
    const loop *r = arg;
    mb_node     nd = node_of(r, w, i);

    return r->p->algo->init(&nd, row(r->s->phi_star, r->s, i), &w->err);
}

/* The opening exchange carries phi. */
static mb_status offer_phi(void *arg, mb_worker_ *w, int32_t i)
{
    const loop   *r = arg;
    const int64_t rows = r->s->mail.fanout == MB_BROADCAST ? 1 : r->p->part->deg[i];

    (void)w;
    for (int64_t j = 0; j < rows; j++)
        memcpy(message_of(r, i) + (size_t)j * r->s->mail.ld, row(r->s->phi, r->s, i),
               r->s->mail.len * sizeof(double));
    r->s->mail.sent[i] = 1;
    return MB_OK;
}

static mb_status open(void *arg, mb_worker_ *w, int32_t i)
{
    const loop    *r = arg;
    mb_node        nd = node_of(r, w, i);
    const mb_inbox in = inbox_of(r, i);

    return r->p->algo->open(&nd, &in, &w->err);
}

static mb_status emit(void *arg, mb_worker_ *w, int32_t i)
{
    const loop *r = arg;
    mb_node     nd = node_of(r, w, i);
    mb_status   st = r->p->algo->emit(&nd, row(r->s->phi_star, r->s, i), message_of(r, i),
                                      r->s->mail.ld, &w->err);

    r->s->mail.sent[i] = st == MB_OK;
    return st;
}

/* Repeats a step that was made or held without a bound; phi* stays bit-identical. */
static mb_status late_bound(void *arg, mb_worker_ *w, int32_t i)
{
    const loop *r = arg;

    return r->s->outside[i] ? MB_OK : try_step(r, w, i);
}

/* Between two steps of a cycle phi* is held, and only the bound may be wanted. */
static mb_status local_step(loop *r, mb_worker_ *w, int32_t i)
{
    r->s->bound[i] = (double)NAN;
    if (!mb_is_held_(r->p, r->t, i))
        return step_by_policy(r, w, i);
    return r->bound ? late_bound(r, w, i) : MB_OK;
}

/* Halves the way from `from` until the bound is neither below the last one nor about to fall. */
static mb_status shorten(loop *r, mb_worker_ *w, int32_t i, const double *from)
{
    const double least = 1e-12, before = r->s->bound[i] - least * fabs(r->s->bound[i]);
    mb_state    *s = r->s;
    double      *phi = row(s->phi, s, i), part = 1;
    mb_status    st = step_by_policy(r, w, i);

    while (part > least &&
           (st == MB_E_NUMERIC || s->outside[i] || s->bound[i] < before ||
            mb_overshot_(r->p->model, from, phi, row(s->phi_star, s, i), part, w->local))) {
        part *= 0.5;
        for (size_t l = 0; l < s->mail.len; l++)
            phi[l] = 0.5 * (phi[l] + from[l]);
        st = step_by_policy(r, w, i);
    }
    return st;
}

/* The algorithm sees the bound, and may take its phi back. */
static mb_status judged_step(loop *r, mb_worker_ *w, int32_t i)
{
    mb_state *s = r->s;
    mb_node   nd = node_of(r, w, i);
    mb_status st;

    MB_TRY(check_extra(r, w, i));
    st = try_step(r, w, i);
    if (st == MB_E_DOMAIN || st == MB_E_NUMERIC)
        s->bound[i] = -(double)INFINITY;
    else
        MB_TRY(st);
    if (r->p->algo->judge(&nd, row(s->phi_star, s, i), &s->bound[i]) || st >= 0) {
        s->outside[i] = 0;
        return MB_OK;
    }
    return step_by_policy(r, w, i);
}

static mb_status absorb(void *arg, mb_worker_ *w, int32_t i)
{
    loop          *r = arg;
    mb_node        nd = node_of(r, w, i);
    const mb_inbox in = inbox_of(r, i);
    const int      back = goes_back(r->p) && r->t > 1;

    if (back && isnan(r->s->bound[i]) && !r->s->outside[i]) /* after a checkpoint */
        MB_TRY(try_step(r, w, i));
    if (back)
        memcpy(w->scratch, nd.phi, nd.len * sizeof *nd.phi);
    MB_TRY(r->p->algo->absorb(&nd, row(r->s->phi_star, r->s, i), message_of(r, i), r->s->mail.ld,
                              &in, &w->err));
    if (back)
        return shorten(r, w, i, w->scratch);
    return r->p->algo->judge ? judged_step(r, w, i) : local_step(r, w, i);
}

/* Exchanges messages; nodes without neighbours in other processes handle theirs while the messages of
 * those processes are in transit, the others afterwards. A process that failed before (sent) only
 * completes the exchange. The error is that of all processes and names the node that a single process
 * would have named. */
static mb_status exchange(loop *r, mb_status sent, mb_do_node_ handle, mb_err *err)
{
    /* A method that needs every message waits for them, whatever the time limit. */
    const int timeout = r->p->algo->needs & MB_NEEDS_EVERY_MSG ? -1 : r->opt->timeout_ms;
    mb_status st = sent;

    MB_TRY(r->tp->ops->begin(r->tp, r->t, &r->s->mail, err));
    mb_count_traffic_(r->p->part, r->s); /* after begin: the transport may have silenced a node */
    if (sent >= 0)
        st = mb_crew_run_(&r->crew, MB_INSIDE_, handle, r, r->t, err);
    MB_TRY(r->tp->ops->end(r->tp, r->t, timeout, &r->s->mail, err));
    if (sent >= 0)
        st = mb_crew_run_(&r->crew, MB_BORDER_, handle, r, r->t, err);
    return mb_crew_agree_(&r->crew, r->tp, sent < 0 ? MB_WHEN_SENDING_ : MB_WHEN_HEARING_, st, err);
}

static mb_status start(loop *r, mb_err *err)
{
    mb_status st = MB_OK;

    r->t = 0;
    if (r->p->algo->init)
        st = mb_crew_run_(&r->crew, MB_ALL_, init, r, r->t, err);
    if (!r->p->algo->open)
        return mb_crew_agree_(&r->crew, r->tp, MB_WHEN_SENDING_, st, err);
    if (st >= 0)
        st = mb_crew_run_(&r->crew, MB_ALL_, offer_phi, r, r->t, err);
    return exchange(r, st, open, err);
}

static int is_due(const loop *r, const mb_observer *o)
{
    return r->t % o->every == 0 || r->t == r->opt->rounds;
}

static int bound_is_due(const loop *r, const mb_observer *obs, int32_t nobs)
{
    for (int32_t k = 0; k < nobs; k++)
        if (obs[k].wants_bound && is_due(r, &obs[k]))
            return 1;
    return 0;
}

/* An observer ended the run: the others see the last round even if they were not due. */
static mb_status show_last(loop *r, const mb_observer *obs, int32_t nobs, mb_err *err)
{
    for (int32_t k = 0; k < nobs && !r->bound; k++)
        r->bound = obs[k].wants_bound;
    if (r->bound)
        MB_TRY(mb_crew_run_(&r->crew, MB_ALL_, late_bound, r, r->t, err));
    for (int32_t k = 0; k < nobs; k++)
        if (!is_due(r, &obs[k]))
            MB_TRY(obs[k].see(obs[k].self, r->p, r->s, err));
    return MB_STOP;
}

static mb_status show(loop *r, const mb_observer *obs, int32_t nobs, mb_err *err)
{
    int stop = 0;

    for (int32_t k = 0; k < nobs; k++) {
        mb_status st = MB_OK;

        if (is_due(r, &obs[k]))
            st = obs[k].see(obs[k].self, r->p, r->s, err);
        MB_TRY(st);
        stop |= st == MB_STOP;
    }
    return stop ? show_last(r, obs, nobs, err) : MB_OK;
}

static mb_status prepare(mb_arena *a, loop *r, mb_err *err)
{
    const mb_part *part = r->p->part;
    int32_t       *nbr_deg;

    MB_TRY(mb_crew_open_(a, r->p, r->opt, &r->crew, err));
    MB_NEW(nbr_deg, a, part->g.ptr[part->n_local], err);
    for (int64_t e = 0; e < part->g.ptr[part->n_local]; e++)
        nbr_deg[e] = part->deg[part->g.adj[e]];
    r->nbr_deg = nbr_deg;
    return MB_OK;
}

static mb_status rounds(loop *r, const mb_observer *obs, int32_t nobs, mb_err *err)
{
    if (!r->s->t)
        MB_TRY(start(r, err));
    while (r->s->t < r->opt->rounds) {
        mb_status st;

        r->t = r->s->t + 1;
        r->bound = bound_is_due(r, obs, nobs);
        st = mb_crew_run_(&r->crew, MB_ALL_, emit, r, r->t, err);
        MB_TRY(exchange(r, st, absorb, err));
        r->s->t = r->t;
        st = show(r, obs, nobs, err);
        if (st != MB_OK)
            return st == MB_STOP ? MB_OK : st;
    }
    return MB_OK;
}

mb_status mb_run(const mb_problem *p, mb_state *s, const mb_observer *obs, int32_t nobs,
                 const mb_run_opt *opt, mb_err *err)
{
    mb_transport none;
    loop         r = {.p = p, .s = s, .tp = p->tp ? p->tp : &none, .opt = opt};
    mb_arena    *a = opt->work;
    mb_status    st;

    if (!p->tp)
        MB_TRY(mb_transport_none(NULL, p->part, &none, err));
    assert(s->mail.len == p->model->layout.len + (size_t)p->algo->extra);
    assert(r.tp->part->n_local == p->part->n_local);
    MB_TRY(mb_run_check_(p, r.tp, obs, nobs, opt, err));
    if (!a)
        a = mb_arena_new(1 << 16);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the workspace of a run");
    st = prepare(a, &r, err);
    if (st >= 0)
        st = rounds(&r, obs, nobs, err);
    mb_crew_close_(&r.crew);
    if (!opt->work)
        mb_arena_free(a);
    return st;
}
