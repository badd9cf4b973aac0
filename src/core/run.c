/* run.c - the one loop: emit, exchange, absorb, local step (mb_algo). */
#include "core/loop.h"
#include "core/turn.h"
#include "transport/transport.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static mb_inbox inbox_of(const mb_loop_ *r, int32_t i)
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
static double *message_of(const mb_loop_ *r, int32_t i)
{
    const mb_mail *mail = &r->s->mail;

    return mail->plane +
           (size_t)(mail->fanout == MB_BROADCAST ? i : r->p->part->g.ptr[i]) * mail->ld;
}

static mb_status init(void *arg, mb_worker_ *w, int32_t i)
{
    const mb_loop_ *r = arg;
    mb_node         nd = mb_node_of_(r, w, i);

    return r->p->algo->init(&nd, mb_row_(r->s->phi_star, r->s, i), &w->err);
}

/* The opening exchange carries phi. */
static mb_status offer_phi(void *arg, mb_worker_ *w, int32_t i)
{
    const mb_loop_ *r = arg;
    const int64_t   rows = r->s->mail.fanout == MB_BROADCAST ? 1 : r->p->part->deg[i];

    (void)w;
    for (int64_t j = 0; j < rows; j++)
        memcpy(message_of(r, i) + (size_t)j * r->s->mail.ld, mb_row_(r->s->phi, r->s, i),
               r->s->len * sizeof(double));
    r->s->mail.sent[i] = 1;
    return MB_OK;
}

static mb_status open(void *arg, mb_worker_ *w, int32_t i)
{
    const mb_loop_ *r = arg;
    mb_node         nd = mb_node_of_(r, w, i);
    const mb_inbox  in = inbox_of(r, i);

    return r->p->algo->open(&nd, &in, &w->err);
}

/* What leaves node i, by the words of its messages. */
static void note_words(const mb_loop_ *r, int32_t i)
{
    const int64_t *ptr = r->p->part->g.ptr;
    mb_mail       *mail = &r->s->mail;
    mb_traffic     left = {0, 0};

    for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) {
        mail->leaves[e] = mail->words[e] > 0;
        left.frames += mail->leaves[e];
        left.bytes +=
            mail->leaves[e] * (MB_FRAME_HEADER + mail->words[e] * (int64_t)sizeof *mail->plane);
    }
    mail->left[i] = left;
}

static mb_status emit(void *arg, mb_worker_ *w, int32_t i)
{
    const mb_loop_ *r = arg;
    mb_node         nd = mb_node_of_(r, w, i);
    mb_status       st;

    if (r->s->mail.words)
        nd.words = r->s->mail.words + r->p->part->g.ptr[i];
    st = r->p->algo->emit(&nd, mb_row_(r->s->phi_star, r->s, i), message_of(r, i), r->s->mail.ld,
                          &w->err);
    if (nd.words)
        note_words(r, i);
    r->s->mail.sent[i] = st == MB_OK;
    return st;
}

static mb_status late_bound(void *arg, mb_worker_ *w, int32_t i)
{
    return mb_late_bound_(arg, w, i);
}

static mb_status absorb(void *arg, mb_worker_ *w, int32_t i)
{
    const mb_loop_ *r = arg;
    mb_node         nd = mb_node_of_(r, w, i);
    const mb_inbox  in = inbox_of(r, i);
    const int       alone = r->p->algo->needs & MB_NEEDS_NO_MSG && r->t > 1;

    if (alone && mb_backtracks_(r->p) && isnan(r->s->bound[i]))
        MB_TRY(mb_late_bound_(r, w, i)); /* after a checkpoint */
    if (alone)
        memcpy(w->from, nd.phi, nd.len * sizeof *nd.phi);
    MB_TRY(r->p->algo->absorb(&nd, mb_row_(r->s->phi_star, r->s, i), message_of(r, i),
                              r->s->mail.ld, &in, &w->err));
    return mb_step_(r, w, i, alone ? w->from : NULL);
}

/* Exchanges messages; nodes without neighbours in other processes handle theirs while the messages of
 * those processes are in transit, the others afterwards. A process that failed before (sent) only
 * completes the exchange. The error is that of all processes and names the node that a single process
 * would have named. */
static mb_status exchange(mb_loop_ *r, mb_status sent, mb_do_node_ handle, mb_err *err)
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

static mb_status start(mb_loop_ *r, mb_err *err)
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

static int is_due(const mb_loop_ *r, const mb_observer *o)
{
    return r->t % o->every == 0 || r->t == r->opt->rounds;
}

static int bound_is_due(const mb_loop_ *r, const mb_observer *obs, int32_t nobs)
{
    for (int32_t k = 0; k < nobs; k++)
        if (obs[k].wants_bound && is_due(r, &obs[k]))
            return 1;
    return 0;
}

/* An observer ended the run: the others see the last round even if they were not due. */
static mb_status show_last(mb_loop_ *r, const mb_observer *obs, int32_t nobs, mb_err *err)
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

static mb_status show(mb_loop_ *r, const mb_observer *obs, int32_t nobs, mb_err *err)
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

static mb_status prepare(mb_arena *a, mb_loop_ *r, mb_err *err)
{
    const mb_part *part = r->p->part;
    int32_t       *nbr_deg;

    MB_TRY(mb_crew_open_(a, r->p, r->opt, &r->crew, err));
    MB_NEW(nbr_deg, a, part->g.ptr[part->n_local], err);
    for (int64_t e = 0; e < part->g.ptr[part->n_local]; e++)
        nbr_deg[e] = part->deg[part->g.adj[e]];
    r->nbr_deg = nbr_deg;
    r->fixed = r->p->fixed;
    return r->fixed ? MB_OK : mb_fixed_new_(a, r->p->model, part->n_local, &r->fixed, err);
}

static mb_status rounds(mb_loop_ *r, const mb_observer *obs, int32_t nobs, mb_err *err)
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
    mb_loop_     r = {.p = p, .s = s, .tp = p->tp ? p->tp : &none, .opt = opt};
    mb_arena    *a = opt->work;
    mb_status    st;

    if (!p->tp)
        MB_TRY(mb_transport_none(NULL, p->part, &none, err));
    assert(s->len == p->model->layout.len + (size_t)p->algo->extra);
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
