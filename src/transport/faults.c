/* transport/faults.c - simulated loss, silence and delay over another transport.
 *
 * A message of round t is lost, or arrives `d` rounds late; both are sampled when it is sent. The
 * last delay + 1 planes are stored, and for each directed edge and each of these rounds when its
 * message is due. The newest message heard on an edge is copied, because planes are overwritten. */
#include "transport/mail.h"
#include "transport/transport.h"

#include <string.h>

typedef struct faults {
    mb_transport *inner;
    mb_faults     f;
    size_t        plane_len; /* doubles of a plane                                     */
    int64_t       slots;     /* delay + 1                                              */
    double       *ring;      /* slots x plane_len; row t % slots: the plane of round t */
    int64_t      *due;       /* slots x edges: round of arrival; -1: nothing to come   */
    int64_t      *newest;    /* edges: round the newest message heard was sent in; -1  */
    double       *copy;      /* edges x ld: that message                               */
    double       *loss;      /* edges: P(the link is down in a round)                  */
} faults;

/* 1 when a link has a loss of its own. */
static int any_own(const mb_faults *f)
{
    for (int64_t e = 0; f->delivery && e < f->graph->ptr[f->graph->n]; e++)
        if (f->delivery[e] < 1)
            return 1;
    return 0;
}

int mb_faults_any(const mb_faults *f)
{
    return any_own(f) || f->loss > 0 || f->loss_directed > 0 || f->silent > 0 || f->delay > 0;
}

/* A draw for an ordered pair of nodes: `from` is the node of the generator's place, `to`, the
 * round and the kind make up its round number, so no two draws share a place. */
enum { EITHER_WAY, ONE_WAY, KINDS };
static mb_rng pair_rng(const faults *s, mb_stream stream, int32_t from, int32_t to, int64_t t,
                       int kind)
{
    const uint64_t n = (uint64_t)s->inner->part->n_global;
    const uint64_t round = ((uint64_t)t * KINDS + (uint64_t)kind) * n + (uint64_t)to;

    return mb_rng_at(s->f.seed, stream, (uint32_t)from, round);
}

static int happens(mb_rng rng, double probability)
{
    return probability > 0 && mb_rng_uniform(&rng) < probability;
}

/* Is the message from gid j to gid i on edge e lost in round t? */
static int lost(const faults *s, int64_t e, int32_t j, int32_t i, int64_t t)
{
    const int32_t low = j < i ? j : i, high = j < i ? i : j;

    return happens(pair_rng(s, MB_STREAM_LOSS, low, high, t, EITHER_WAY), s->loss[e]) ||
           happens(pair_rng(s, MB_STREAM_LOSS, j, i, t, ONE_WAY), s->f.loss_directed);
}

/* Notes when the message of this round on edge e, to row i, is due; fresh: the inner transport has
 * brought it. */
static void post(faults *s, const mb_part *part, int64_t e, int32_t i, int64_t t, int fresh)
{
    const int32_t from = part->gid[part->g.adj[e]], to = part->gid[i];
    int64_t      *due = &s->due[t % s->slots * part->g.ptr[part->n_local] + e];
    mb_rng        rng = pair_rng(s, MB_STREAM_DELAY, from, to, t, ONE_WAY);

    *due = -1;
    if (fresh && !lost(s, e, from, to, t))
        *due = t + (s->f.delay ? (int64_t)mb_rng_below(&rng, (uint64_t)s->slots) : 0);
}

/* The newest message due on edge e, unless a newer one was heard before. Every message of a
 * sender has the same row in every plane. */
static void deliver(faults *s, const mb_part *part, int64_t e, int64_t t, mb_mail *mail)
{
    const int64_t edges = part->g.ptr[part->n_local];
    double       *copy = s->copy + (size_t)e * mail->ld;

    mail->fresh[e] = 0;
    for (int64_t sent = t; sent > t - s->slots && sent > s->newest[e]; sent--) {
        const int64_t slot = sent % s->slots;

        if (s->due[slot * edges + e] == t) {
            const double *plane = s->ring + (size_t)slot * s->plane_len;
            const size_t  row = mb_mail_row_(part, mail->fanout, e);

            memcpy(copy, plane + row * mail->ld, mail->len * sizeof *copy);
            s->newest[e] = sent;
            mail->fresh[e] = 1;
            break;
        }
    }
    mail->from[e] = s->newest[e] < 0 ? NULL : copy;
    mail->age[e] = s->newest[e] < 0 ? 0 : (int32_t)(t - s->newest[e]);
}

/* The rows of this round's plane that are filled now. */
static void keep(faults *s, int64_t t, const mb_mail *mail, size_t first, size_t rows)
{
    memcpy(s->ring + (size_t)(t % s->slots) * s->plane_len + first * mail->ld,
           mail->plane + first * mail->ld, rows * mail->ld * sizeof *s->ring);
}

static void deliver_all(faults *s, const mb_part *part, int64_t t, mb_mail *mail, int border)
{
    const mb_graph *g = &part->g;

    for (int32_t i = 0; i < part->n_local; i++)
        for (int64_t e = g->ptr[i];
             (part->border && part->border[i]) == border && e < g->ptr[i + 1]; e++) {
            post(s, part, e, i, t, mail->fresh[e]);
            deliver(s, part, e, t, mail);
        }
}

/* A silent node sends nothing in this round; it still hears. */
static mb_status begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    faults        *s = tp->self;
    const mb_part *part = tp->part;

    for (int32_t i = 0; i < part->n_local; i++)
        if (happens(mb_rng_at(s->f.seed, MB_STREAM_SILENT, (uint32_t)part->gid[i], (uint64_t)t),
                    s->f.silent))
            mail->sent[i] = 0;
    MB_TRY(s->inner->ops->begin(s->inner, t, mail, err));
    keep(s, t, mail, 0, mb_mail_rows(part, mail->fanout));
    deliver_all(s, part, t, mail, 0);
    return MB_OK;
}

static mb_status end(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err)
{
    faults      *s = tp->self;
    const size_t rows = mb_mail_rows(tp->part, mail->fanout);

    MB_TRY(s->inner->ops->end(s->inner, t, timeout_ms, mail, err));
    keep(s, t, mail, rows, mb_mail_ghosts_(tp->part, mail->fanout));
    deliver_all(s, tp->part, t, mail, 1);
    return MB_OK;
}

static mb_status reduce(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    mb_transport *inner = ((const faults *)tp->self)->inner;

    return inner->ops->reduce(inner, op, v, n, err);
}

static mb_status walk(mb_transport *tp, const double *v, size_t ld, size_t len, mb_visit see,
                      void *self, mb_err *err)
{
    mb_transport *inner = ((const faults *)tp->self)->inner;

    return inner->ops->walk(inner, v, ld, len, see, self, err);
}

/* A message sent before one that was heard is never delivered, so it is not listed. */
static int32_t held(const mb_transport *tp, int64_t t, const mb_mail *mail, int64_t e,
                    int64_t after, mb_letter *out)
{
    const faults *s = tp->self;
    const int64_t edges = tp->part->g.ptr[tp->part->n_local];
    int64_t       sent = t - s->slots + 1;

    if (s->newest[e] > after) {
        *out = (mb_letter){s->newest[e], s->newest[e], s->copy + (size_t)e * mail->ld};
        return 1;
    }
    sent = sent > after ? sent : after + 1;
    for (sent = sent > s->newest[e] ? sent : s->newest[e] + 1; sent <= t; sent++) {
        const int64_t slot = sent % s->slots, due = s->due[slot * edges + e];

        if (due <= t)
            continue;
        *out = (mb_letter){sent, due,
                           s->ring + (size_t)slot * s->plane_len +
                               mb_mail_row_(tp->part, mail->fanout, e) * mail->ld};
        return 1;
    }
    return 0;
}

static mb_status put(mb_transport *tp, int64_t t, mb_mail *mail, int64_t e, const mb_letter *letter,
                     mb_err *err)
{
    faults       *s = tp->self;
    const int64_t edges = tp->part->g.ptr[tp->part->n_local];
    const size_t  row = mb_mail_row_(tp->part, mail->fanout, e) * mail->ld;
    double       *copy = s->copy + (size_t)e * mail->ld;

    if (!letter) {
        for (int64_t slot = 0; slot < s->slots; slot++)
            s->due[slot * edges + e] = -1;
        s->newest[e] = -1;
        return mb_mail_put_(tp, t, mail, e, NULL, err);
    }
    MB_TRY(mb_letter_check_(letter, t, s->f.delay, err));
    if (letter->due > t) {
        const int64_t slot = letter->sent % s->slots;

        copy = s->ring + (size_t)slot * s->plane_len + row;
        s->due[slot * edges + e] = letter->due;
    } else {
        s->newest[e] = letter->sent;
        mail->from[e] = copy;
        mail->age[e] = (int32_t)(t - letter->sent);
    }
    memcpy(copy, letter->row, mail->len * sizeof *copy);
    return MB_OK;
}

static void close(mb_transport *tp)
{
    mb_transport *inner = ((const faults *)tp->self)->inner;

    inner->ops->close(inner);
}

static const mb_transport_ops ops = {
    .scheme = "faults",
    .begin = begin,
    .end = end,
    .reduce = reduce,
    .walk = walk,
    .held = held,
    .put = put,
    .close = close,
};

enum { LONGEST_DELAY = 10000 };

static mb_status check(const mb_faults *f, mb_err *err)
{
    const struct {
        const char *name;
        double      p;
    } list[] = {{"loss", f->loss}, {"loss-directed", f->loss_directed}, {"silent", f->silent}};

    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (!(list[k].p >= 0 && list[k].p <= 1))
            MB_FAIL(err, MB_E_ARG, "%s = %g is not a probability: it must be within 0 to 1",
                    list[k].name, list[k].p);
    if (f->delay < 0 || f->delay > LONGEST_DELAY)
        MB_FAIL(err, MB_E_ARG, "delay = %lld rounds: it must be within 0 to %d",
                (long long)f->delay, LONGEST_DELAY);
    return MB_OK;
}

/* The loss of each local edge: its own, looked up in the whole network, or that of all. */
static mb_status fill_loss(faults *s, const mb_part *part, mb_err *err)
{
    const mb_faults *f = &s->f;

    for (int32_t i = 0; i < part->n_local; i++)
        for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
            /* Neighbours are in the order of their ids here and there. */
            const int64_t at = !f->delivery ? 0 : f->graph->ptr[part->gid[i]] + e - part->g.ptr[i];
            const double  up = f->delivery ? f->delivery[at] : 1 - f->loss;

            if (!(up >= 0 && up <= 1))
                MB_FAIL(err, MB_E_ARG, "delivery of link %lld: got %g; expected 0 to 1",
                        (long long)at, up);
            s->loss[e] = f->delivery ? 1 - up : f->loss;
        }
    return MB_OK;
}

mb_status mb_transport_faults(mb_arena *a, mb_transport *inner, const mb_faults *f,
                              const mb_mail *mail, mb_transport *out, mb_err *err)
{
    const mb_part *part = inner->part;
    const size_t   edges = (size_t)part->g.ptr[part->n_local];
    faults        *s;

    MB_TRY(check(f, err));
    MB_NEW(s, a, 1, err);
    *s = (faults){.inner = inner, .f = *f, .slots = f->delay + 1};
    s->plane_len =
        (mb_mail_rows(part, mail->fanout) + mb_mail_ghosts_(part, mail->fanout)) * mail->ld;
    MB_NEW(s->ring, a, (size_t)s->slots * s->plane_len, err);
    MB_NEW(s->due, a, (size_t)s->slots * edges, err);
    MB_NEW(s->newest, a, edges, err);
    MB_NEW(s->copy, a, edges * mail->ld, err);
    MB_NEW(s->loss, a, edges, err);
    MB_TRY(fill_loss(s, part, err));
    memset(s->due, -1, (size_t)s->slots * edges * sizeof *s->due);
    memset(s->newest, -1, edges * sizeof *s->newest);
    *out = (mb_transport){.ops = &ops,
                          .part = part,
                          .self = s,
                          .lossy = inner->lossy || mb_faults_any(f),
                          .cancel = inner->cancel};
    return MB_OK;
}
