/* transport/changes.c - only changes leave: a message that differs by more than a share of itself
 * from what the neighbour is known to have (docs/math.md, section 4).
 *
 * What leaves is the difference as float16 to the message that the neighbour has acknowledged last, in
 * a frame that also says which message the sender has heard last. Both ends store the sum, so what
 * rounding left out is part of the next difference. The receiver hears what it has in every round.
 *
 * The two ends of a link send in turn, one in odd rounds, one in even ones, unless the difference is
 * large: what a node has to say is an answer to what it has heard, so half of the messages carry the
 * same information as all. A node with an odd number of hops from a certain one has its turn on its
 * links to nodes with an even number in the same round, so nothing waits there that has farther to go. */
#include "base/vector.h"
#include "transport/mail.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

/* The share at first, and at most; its factor where it falls, which is taken up to MOST_FALLS times, and
 * where it rises; the part of the links from which on enough is sent, and too much; the weight of the
 * newest turn in that part; the factor of the share for what does not wait for its turn; the largest
 * difference to a message that counts as delivered; and the least share, which is rounding. */
static const double FIRST = 0.3, FALL = 0.9, RISE = 1.05, ENOUGH = 0.7, TOO_MUCH = 0.9,
                    NEWEST = 0.3, AT_ONCE = 2, SLIGHT = 1e-9, NONE = 1e-13;

enum {
    MOST_FALLS = 5,
    SLOTS = 8 /* messages on a link that may be on their way at once */
};
/* Numbers of a frame after the vector: 1 when there is one; the round of the newest one heard. */
enum { VECTOR, ECHO, HEAD };
/* mb_mail::leaves of a row: something is held back, a frame leaves, the neighbour has this message. */
enum { HELD_BACK, LEAVES, SAME };

/* What becomes of a message. */
typedef struct due {
    uint8_t leaves; /* as in mb_mail::leaves                      */
    int     again;  /* 1: it leaves since one may have been lost */
} due;

/* What is known of the neighbour: rounds in which messages were sent, 0: none. */
typedef struct sender {
    int64_t known;       /* of the one acknowledged last */
    int64_t last;        /* of the newest                */
    int64_t slot[SLOTS]; /* of those in the ring         */
} sender;

/* What the neighbour has sent. */
typedef struct receiver {
    int64_t round; /* of the newest message; 0: none                        */
    int32_t late;  /* rounds after which it came                            */
    int32_t owes;  /* 1: no frame has acknowledged it                       */
} receiver;

/* When a difference is large. */
typedef struct threshold {
    double  share; /* of the largest number of a block                             */
    double  sent;  /* messages that left, of turns: a mean of late                  */
    int32_t falls; /* rounds on end in which that was little                        */
} threshold;

typedef struct changes {
    mb_transport    *inner;
    const mb_layout *layout;
    size_t           len;      /* of a vector                                      */
    size_t           cost;     /* bytes of its code                                */
    int64_t          patience; /* rounds in which an acknowledgement comes, or not */
    int32_t          late;     /* 1: frames may be late                            */
    mb_mail          mail;     /* of the inner transport                           */
    threshold       *of;       /* n_local                                          */
    uint8_t         *odd;      /* edges: 1: the node sends in odd rounds, 0: even  */
    sender          *out;      /* edges: to the neighbour                          */
    receiver        *in;       /* edges: from the neighbour                        */
    double          *known;    /* edges x ld: acknowledged                         */
    double          *ring;     /* edges x SLOTS x ld: sent                         */
    double          *got;      /* edges x ld: heard                                */
    unsigned char   *code;     /* cost                                             */
} changes;

static double *row_of(double *rows, const changes *s, int64_t e)
{
    return rows + (size_t)e * s->mail.ld;
}

static double *sent_in(const changes *s, int64_t e, int64_t round)
{
    return row_of(s->ring, s, e * SLOTS + round % SLOTS);
}

/* The neighbour has the message of this round. */
static void acknowledge(changes *s, int64_t e, int64_t round)
{
    sender *o = &s->out[e];

    if (round <= o->known || o->slot[round % SLOTS] != round)
        return;
    memcpy(row_of(s->known, s, e), sent_in(s, e, round), s->len * sizeof *s->known);
    o->known = round;
}

/* 1: the node sends on edge e in round t, its neighbour in the next one. Where messages may be late
 * neither waits for the other. */
static int has_turn(const changes *s, int64_t t, int64_t e)
{
    return s->late || t % 2 == s->odd[e];
}

/* Whether message m leaves on edge e. An earlier one whose acknowledgement has not come counts as lost;
 * the ring has room for a new one when the one in its place is known, or lost. Until one is known a
 * message leaves in every round: a node that has never heard a neighbour can do little. */
static due is_due(const changes *s, int64_t t, int64_t e, double share, const double *m)
{
    const sender *o = &s->out[e];
    const int64_t old = o->slot[t % SLOTS];
    const int     open = o->last > o->known, lost = open && t - o->last >= s->patience;
    const double *has = open && !lost ? sent_in(s, e, o->last) : row_of(s->known, s, e);
    const double  by = mb_vector_change_(s->layout, s->len, m, has);

    if (old > o->known && t - old < s->patience)
        return (due){HELD_BACK, 0};
    if (!o->known)
        return (due){LEAVES, o->last > 0};
    if (lost || by > (has_turn(s, t, e) ? share : AT_ONCE * share))
        return (due){LEAVES, lost};
    return (due){!open && by <= SLIGHT ? SAME : HELD_BACK, 0};
}

/* The frame on edge e. */
static due put(changes *s, int64_t t, int64_t e, double share, const double *m)
{
    receiver *r = &s->in[e];
    double   *row = row_of(s->mail.plane, s, e);
    const due d = is_due(s, t, e, share, m);

    row[s->len + VECTOR] = d.leaves == LEAVES;
    row[s->len + ECHO] = (double)r->round;
    s->mail.leaves[e] = r->owes ? LEAVES : d.leaves;
    r->owes = 0;
    if (d.leaves != LEAVES)
        return d;
    mb_vector_code_(s->layout, s->len, m, row_of(s->known, s, e), MB_CODE_FLOAT16_, s->code, row);
    memcpy(sent_in(s, e, t), row, s->len * sizeof *row);
    s->out[e].slot[t % SLOTS] = s->out[e].last = t;
    if (!s->inner->lossy)
        acknowledge(s, e, t);
    return d;
}

/* moved: messages that left in this round, which `turns` links had for theirs. Where that is little the
 * share falls, the more the longer it lasts. of: turns that a link needs, of those that it has. */
static void adjust(threshold *h, int64_t moved, int64_t turns, int64_t links, double of)
{
    h->sent += NEWEST * ((double)moved - h->sent * (double)turns) / (double)links;
    if (h->sent >= ENOUGH * of) {
        h->falls = 0;
        if (h->sent > TOO_MUCH * of)
            h->share = fmin(RISE * h->share, FIRST);
        return;
    }
    h->falls += h->falls < MOST_FALLS;
    for (int32_t k = 0; k < h->falls && h->share > NONE; k++)
        h->share *= FALL;
}

/* Messages that leave again say nothing of the share. */
static void send(changes *s, const mb_part *part, int64_t t, const mb_mail *mail, int32_t i)
{
    const int64_t first = part->g.ptr[i], links = part->g.ptr[i + 1] - first;
    int64_t       vectors = 0, frames = 0, moved = 0, turns = 0;

    s->mail.sent[i] = mail->sent[i];
    for (int64_t e = first; mail->sent[i] && e < first + links; e++) {
        const due d = put(s, t, e, s->of[i].share, mail->plane + (size_t)e * mail->ld);
        const int leaves = d.leaves == LEAVES;

        turns += !d.again && has_turn(s, t, e);
        moved += !d.again && leaves;
        vectors += leaves;
        frames += s->mail.leaves[e] == LEAVES;
    }
    mail->left[i] = (mb_traffic){frames, frames * MB_CHANGE_HEADER + vectors * (int64_t)s->cost};
    if (mail->sent[i] && links)
        adjust(&s->of[i], moved, turns, links, s->late ? .5 : 1);
}

static void take(changes *s, int64_t t, int64_t e)
{
    const double *frame = s->mail.from[e];

    if (s->inner->lossy)
        acknowledge(s, e, (int64_t)frame[s->len + ECHO]);
    if (!(frame[s->len + VECTOR] > 0))
        return;
    memcpy(row_of(s->got, s, e), frame, s->len * sizeof *frame);
    s->in[e] = (receiver){t - s->mail.age[e], s->mail.age[e], s->inner->lossy};
}

/* What the node hears on edge e: as if sent in this round, or as late as its newest message was. */
static void deliver(changes *s, const mb_part *part, int64_t t, int64_t e, mb_mail *mail)
{
    const receiver *r = &s->in[e];
    const int64_t   before = r->round;
    const uint8_t   leaves = s->mail.leaves[mb_mail_row_(part, mail->fanout, e)];

    if (s->mail.fresh[e])
        take(s, t, e);
    mail->from[e] = r->round ? row_of(s->got, s, e) : NULL;
    mail->age[e] = r->late;
    mail->fresh[e] = !r->round ? 0 : r->round > before || leaves == SAME ? 1 : MB_AGAIN;
}

static void deliver_all(changes *s, const mb_part *part, int64_t t, mb_mail *mail, int border)
{
    for (int32_t i = 0; i < part->n_local; i++)
        for (int64_t e = part->g.ptr[i];
             (part->border && part->border[i]) == border && e < part->g.ptr[i + 1]; e++)
            deliver(s, part, t, e, mail);
}

static mb_status begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    changes       *s = tp->self;
    const mb_part *part = tp->part;

    for (int32_t i = 0; i < part->n_local; i++)
        send(s, part, t, mail, i);
    MB_TRY(s->inner->ops->begin(s->inner, t, &s->mail, err));
    memcpy(mail->sent, s->mail.sent, (size_t)part->n_local); /* a node may have become silent */
    deliver_all(s, part, t, mail, 0);
    return MB_OK;
}

static mb_status end(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err)
{
    changes *s = tp->self;

    MB_TRY(s->inner->ops->end(s->inner, t, timeout_ms, &s->mail, err));
    deliver_all(s, tp->part, t, mail, 1);
    return MB_OK;
}

static mb_status reduce(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    mb_transport *inner = ((const changes *)tp->self)->inner;

    return inner->ops->reduce(inner, op, v, n, err);
}

static mb_status walk(mb_transport *tp, const double *v, size_t ld, size_t len, mb_visit see,
                      void *self, mb_err *err)
{
    mb_transport *inner = ((const changes *)tp->self)->inner;

    return inner->ops->walk(inner, v, ld, len, see, self, err);
}

/* Frames that are on their way, where any may be late; what was heard is stored beside. */
static int32_t held(const mb_transport *tp, int64_t t, const mb_mail *mail, int64_t e,
                    int64_t after, mb_letter *out)
{
    const changes *s = tp->self;

    (void)mail;
    return s->late && s->inner->ops->held(s->inner, t, &s->mail, e, after, out);
}

static mb_status put_back(mb_transport *tp, int64_t t, mb_mail *mail, int64_t e,
                          const mb_letter *letter, mb_err *err)
{
    changes *s = tp->self;

    (void)mail;
    return s->inner->ops->put(s->inner, t, &s->mail, e, letter, err);
}

int32_t mb_changes_keep_(void *self, mb_checkpoint_item *out)
{
    const changes           *s = ((const mb_transport *)self)->self;
    const size_t             row = s->mail.ld * sizeof *s->got;
    const mb_checkpoint_item all[] = {
        {.name = "changes.share", .at = s->of, .bytes = sizeof *s->of, .stride = sizeof *s->of},
        {.name = "changes.sent", .at = s->out, .bytes = sizeof *s->out, .of_links = 1},
        {.name = "changes.heard", .at = s->in, .bytes = sizeof *s->in, .of_links = 1},
        {.name = "changes.known", .at = s->known, .bytes = row, .of_links = 1},
        {.name = "changes.ring", .at = s->ring, .bytes = SLOTS * row, .of_links = 1},
        {.name = "changes.got", .at = s->got, .bytes = row, .of_links = 1}};
    const int32_t many = sizeof all / sizeof *all;

    for (int32_t k = 0; k < many; k++) {
        out[k] = all[k];
        out[k].pieces = 1;
        out[k].stride = out[k].bytes;
    }
    return many;
}

static void close(mb_transport *tp)
{
    mb_transport *inner = ((const changes *)tp->self)->inner;

    inner->ops->close(inner);
}

static const mb_transport_ops ops = {
    .scheme = "changes",
    .begin = begin,
    .end = end,
    .reduce = reduce,
    .walk = walk,
    .held = held,
    .put = put_back,
    .close = close,
};

mb_mail mb_changes_mail_(const mb_mail *mail)
{
    mb_mail out = *mail;

    out.len += HEAD;
    out.ld = mb_stride_(out.len);
    return out;
}

/* Who begins on each link: the end with fewer hops, of two with as many the lower id. */
static void take_turns(changes *s, const mb_part *part, const int32_t *hops)
{
    for (int32_t i = 0; i < part->n_local; i++)
        for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
            const int32_t j = part->g.adj[e];
            const int     second = hops[i] == hops[j] && part->gid[i] > part->gid[j];

            s->odd[e] = (uint8_t)((hops[i] + second) % 2);
        }
}

static mb_status make(mb_arena *a, changes *s, const mb_part *part, mb_mail *mail, mb_err *err)
{
    const size_t edges = (size_t)part->g.ptr[part->n_local];

    s->cost = mb_vector_size_(s->layout, s->len, MB_CODE_FLOAT16_);
    MB_TRY(mb_mail_new(a, part, mail->fanout, mb_changes_mail_(mail).len, &s->mail, err));
    MB_NEW(s->mail.leaves, a, edges + mb_mail_ghosts_(part, mail->fanout), err);
    MB_NEW(s->of, a, part->n_local, err);
    MB_NEW(s->odd, a, edges, err);
    MB_NEW(s->out, a, edges, err);
    MB_NEW(s->in, a, edges, err);
    MB_NEW(s->known, a, edges * s->mail.ld, err);
    MB_NEW(s->ring, a, edges * SLOTS * s->mail.ld, err);
    MB_NEW(s->got, a, edges * s->mail.ld, err);
    MB_NEW(s->code, a, s->cost, err);
    MB_NEW(mail->left, a, part->n_local, err);
    for (int32_t i = 0; i < part->n_local; i++)
        s->of[i] = (threshold){.share = FIRST, .sent = 1};
    return MB_OK;
}

mb_status mb_transport_changes(mb_arena *a, mb_transport *inner, const mb_algo *algo,
                               const mb_layout *layout, const int32_t *hops, int64_t delay,
                               mb_mail *mail, mb_transport *out, mb_err *err)
{
    changes *s;

    if (!(algo->bears & MB_BEARS_CHANGES) || mail->len != layout->len || mail->links)
        MB_FAIL(err, MB_E_NOSUP,
                "send changes: %s needs whole messages, in every round; use edge, or send all",
                algo->name);
    MB_NEW(s, a, 1, err);
    *s = (changes){.inner = inner,
                   .layout = layout,
                   .len = layout->len,
                   .patience = 2 + 2 * delay,
                   .late = delay > 0};
    MB_TRY(make(a, s, inner->part, mail, err));
    take_turns(s, inner->part, hops);
    *out = (mb_transport){.ops = &ops,
                          .part = inner->part,
                          .self = s,
                          .lossy = inner->lossy,
                          .cancel = inner->cancel,
                          .mail = &s->mail};
    return MB_OK;
}
