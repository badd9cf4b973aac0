/* say.c - the frame for a neighbour. */
#include "base/bytes.h"
#include "base/far.h"
#include "mesh/audit.h"
#include "mesh/state.h"

#include <math.h>
#include <string.h>

size_t mb_peer_frame_max(const mb_peer *p)
{
    return MB_FRAME_HEAD_ + MB_FRAME_TAIL_ + 16 * p->most + 4 + p->room + mb_peer_ends_bytes_(p) +
           p->keys * (16 + 8 * (size_t)p->plan.columns) + 4 + MB_PEER_WORDS_ +
           (MB_AUDIT_(p->audit != NULL) ? 4 + mb_audit_room_(p) : 0) +
           (MB_EPOCHS_(p->epoch != NULL) ? 4 + mb_epoch_room_(p) : 0);
}

/* Words of units, to a neighbour that may have refused this block. */
static int says_units(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    return l->run && MB_DIFFERENCES_(l->refused[MB_REFUSED_RUN] &&
                                     (!l->refused[MB_REFUSED_PLAN] || l->tick % 2));
}

static int has_words(const mb_peer *p)
{
    return p->life->refused[MB_REFUSED_PLAN] || says_units(p);
}

static size_t put_words(const mb_peer *p, char *words, size_t room)
{
    return says_units(p) ? mb_units_words_(&p->g, words, room)
                         : mb_plan_words_(&p->plan, words, room);
}

static uint8_t flags_of(const mb_peer *p, int32_t j)
{
    const mb_life_ *l = p->life;
    const mb_link_ *k = &p->link[j];
    const int       received = mb_peer_hears_(k) && !p->leaving && !p->link_guard[j].twin &&
                         !p->link_guard[j].paused &&
                         !(MB_AUDIT_(p->audit != NULL) && mb_audit_drops_(p, k->id));
    const int runs = l->phase == MB_RUNNING_, waits = l->phase == MB_WAITING_;
    const int epochs = MB_EPOCHS_(p->epoch != NULL), averages = runs && !epochs;
    const int changes = MB_CHANGES_(p->known != NULL);
    unsigned  out = 0;

    out |= received ? MB_FRAME_HEARS_ : 0u;
    out |= runs ? 0u : MB_FRAME_BLANK_;
    if (k->sends && (waits || (averages && !(changes && mb_peer_has_already_(p, j)))))
        out |= MB_FRAME_VECTOR_;
    out |= averages && received && k->flags & MB_FRAME_BLANK_ ? MB_FRAME_OWN_ : 0u;
    if (p->plan.from != MB_GENESIS_GIVEN)
        out |= l->run && k->life && k->run != l->run ? MB_FRAME_BLOCK_ : 0u;
    out |= waits && (p->sums ? p->ends[0] > -HUGE_VAL : l->samples > 0) ? MB_FRAME_SAMPLE_ : 0u;
    out |= has_words(p) && !mb_peer_hears_(k) ? MB_FRAME_WORDS_ : 0u;
    out |= runs && mb_peer_asks_(p, k) ? MB_FRAME_ASKS_ : 0u;
    return (uint8_t)out;
}

/* The tick of an own vector that the neighbour has and that is still in the ring; 0: none. */
static uint64_t base_of(const mb_peer *p, int32_t j)
{
    const int      changes = MB_CHANGES_(p->known != NULL);
    const uint64_t acked = changes ? p->known[j].echo : p->link[j].acked;

    if (!p->sent_room || !p->life->run || !acked || (!changes && p->life->tick - acked >= MB_RING_))
        return 0;
    return p->sent_tick[(size_t)j * MB_RING_ + acked % MB_RING_] == acked ? acked : 0;
}

/* Without a base float32 does for the first frames of a life. Where answers come later than the ring
 * remembers there is never a base, and float32 would leave its rounding in the answer for ever. */
static uint16_t coding(const mb_peer *p, int32_t j, uint64_t base)
{
    if (!p->sent_room || !p->life->run)
        return MB_CODE_FLOAT64_;
    if (base)
        return MB_CODE_FLOAT16_;
    return p->link[j].acked ? MB_CODE_FLOAT64_ : MB_CODE_FLOAT32_;
}

static size_t put_vector(mb_peer *p, int32_t j, mb_frame_ *f, unsigned char *out)
{
    const size_t  at = (size_t)j * MB_RING_;
    const double *base = NULL;
    double       *sent = p->vector;

    f->base = base_of(p, j);
    f->code = coding(p, j, f->base);
    if (f->base)
        base = p->sent + (at + f->base % MB_RING_) * p->len;
    mb_vector_code_(&p->model.layout, p->len, p->out + (size_t)j * p->len, base, f->code, out,
                    sent);
    if (p->sent_room && p->life->run) {
        p->sent_tick[at + f->tick % MB_RING_] = f->tick;
        memcpy(p->sent + (at + f->tick % MB_RING_) * p->len, sent, p->len * sizeof *sent);
        if (MB_CHANGES_(p->known != NULL))
            p->known[j].sent = f->tick;
    }
    return mb_vector_size_(&p->model.layout, p->len, f->code);
}

static size_t put_sample(const mb_peer *p, unsigned char *out)
{
    const size_t   D = (size_t)p->plan.columns;
    unsigned char *at = out;

    if (p->sums) {
        mb_put_doubles_(at, p->ends, 2 * D);
        if (MB_FAR_(p->trims))
            mb_put_doubles_(at + 16 * D, p->search, mb_search_len_(p));
        at += mb_peer_ends_bytes_(p);
    }
    for (uint32_t k = 0; k < p->life->samples; k++, at += 16 + 8 * D) {
        mb_put_doubles_(at, &p->key[k].key, 1);
        (void)mb_put_u32_(mb_put_u32_(at + 8, p->key[k].node), p->key[k].row);
        mb_put_doubles_(at + 16, p->key_x + k * D, D);
    }
    return (size_t)(at - out);
}

static size_t put_counted(const void *bytes, size_t n, unsigned char *out)
{
    (void)mb_put_u32_(out, (uint32_t)n);
    memcpy(out + 4, bytes, n);
    return 4 + n;
}

/* Nodes that are no members would refuse it. */
static size_t put_audit(mb_peer *p, int32_t j, mb_frame_ *f, unsigned char *out)
{
    const size_t n = mb_audit_put_(p, j, out + 4);

    f->parts = n ? MB_FRAME_AUDIT_ : 0;
    (void)mb_put_u32_(out, (uint32_t)n);
    return n ? 4 + n : 0;
}

static size_t put_epoch(mb_peer *p, int32_t j, mb_frame_ *f, unsigned char *out)
{
    const size_t n = mb_epoch_put_(p, j, out + 4);

    f->parts |= MB_FRAME_EPOCH_;
    (void)mb_put_u32_(out, (uint32_t)n);
    return 4 + n;
}

static size_t put_payload(mb_peer *p, int32_t j, mb_frame_ *f, unsigned char *out)
{
    unsigned char *at = out;
    char           words[MB_PEER_WORDS_];

    if (f->flags & MB_FRAME_VECTOR_)
        at += put_vector(p, j, f, at);
    if (f->flags & MB_FRAME_OWN_) {
        mb_put_doubles_(at, p->s, p->len);
        at += 8 * p->len;
    }
    if (f->flags & MB_FRAME_BLOCK_)
        at += put_counted(p->encoded, p->life->block, at);
    if (f->flags & MB_FRAME_SAMPLE_) {
        f->samples = p->life->samples;
        at += put_sample(p, at);
    }
    if (f->flags & MB_FRAME_WORDS_)
        at += put_counted(words, put_words(p, words, sizeof words), at);
    if (MB_AUDIT_(p->audit != NULL))
        at += put_audit(p, j, f, at);
    if (MB_EPOCHS_(p->epoch && p->epoch->stage != MB_STAGE_NONE_))
        at += put_epoch(p, j, f, at);
    return (size_t)(at - out);
}

/* Neighbours in use; before there are edges, those that would be. */
static uint32_t degree(const mb_peer *p)
{
    uint32_t n = 0;

    if (p->life->phase == MB_RUNNING_ || (p->sums && p->life->phase == MB_WAITING_))
        return (uint32_t)p->life->live;
    for (int32_t j = 0; j < p->life->links; j++)
        n += (uint32_t)mb_peer_hears_(&p->link[j]);
    return n;
}

static mb_frame_ head_of(const mb_peer *p, int32_t j)
{
    const mb_life_ *l = p->life;
    const mb_link_ *k = &p->link[j];
    const int       waits = MB_COUNTS_(l->phase == MB_WAITING_);
    const int64_t   rounds = !waits ? l->rounds : j == p->guard->parent ? p->guard->below : 0;

    return (mb_frame_){.magic = MB_FRAME_MAGIC_,
                       .version = MB_FRAME_VERSION_,
                       .flags = flags_of(p, j),
                       .plan = p->plan_hash,
                       .run = l->run,
                       .from = (uint32_t)p->opt.id,
                       .to = (uint32_t)k->id,
                       .incarnation = l->incarnation,
                       .echo_life = k->life,
                       .tick = l->tick,
                       .echo = MB_CHANGES_(p->known != NULL) ? mb_peer_echo_(p, j) : k->tick,
                       .beat = l->beat,
                       .leader = l->leader,
                       .hop = l->hop,
                       .hops = l->H,
                       .ttl = l->ttl > 0 ? (uint32_t)l->ttl : 0,
                       .quiet = l->quiet,
                       .rounds = rounds < UINT32_MAX ? (uint32_t)rounds : UINT32_MAX,
                       .degree = degree(p),
                       .kappa = mb_peer_kappa_(p, l),
                       .n_nodes = waits ? p->guard->nodes : l->N};
}

void mb_peer_leave(mb_peer *p)
{
    p->leaving = 1;
}

mb_status mb_peer_frame(mb_peer *p, int32_t id, void *out, size_t room, size_t *n, mb_err *err)
{
    const int32_t j = mb_peer_find_(p, id);
    mb_frame_     f;

    *n = 0;
    if (j < 0)
        MB_FAIL(err, MB_E_ARG, "neighbour %ld: node %ld has none of this id", (long)id,
                (long)p->opt.id);
    if (room < mb_peer_frame_max(p))
        MB_FAIL(err, MB_E_ARG, "frame: got room for %zu bytes; expected %zu", room,
                mb_peer_frame_max(p));
    if (p->life->failed || !p->life->tick)
        return MB_OK;
    f = head_of(p, j);
    p->link[j].sent = (p->link[j].sent + 1) % (MB_FRAME_COUNT_ + 1);
    f.count = (uint8_t)p->link[j].sent;
    f.bytes = (uint32_t)put_payload(p, j, &f, (unsigned char *)out + MB_FRAME_HEAD_);
    *n = mb_frame_seal_(&f, out);
    p->link[j].bytes += (int64_t)*n;
    p->life->bytes_sent += (int64_t)*n;
    p->life->frames_sent++;
    return MB_OK;
}
