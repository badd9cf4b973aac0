/* hear.c - a frame arrives: checked whole before anything changes, then applied at once. */
#include "base/bytes.h"
#include "base/far.h"
#include "mesh/audit.h"
#include "mesh/state.h"

#include <math.h>
#include <string.h>

static const double ALPHA_RTT = 0.1, ALPHA_LOSS = 0.01;
/* What the options of a node can be. */
static const double KAPPA_MOST = 1e6;

/* The parts of a payload; NULL: not there. */
typedef struct parts {
    const unsigned char *vector, *own, *block, *sample, *words, *audit, *epoch;
    uint32_t             block_bytes, words_bytes, audit_bytes, epoch_bytes;
} parts;

/* A part of n bytes; NULL: it is not there, or the payload ends before it does. */
static const unsigned char *part(const unsigned char **at, size_t *left, int there, size_t n,
                                 int *bad)
{
    const unsigned char *here = *at;

    if (!there || *bad)
        return NULL;
    if (n > *left) {
        *bad = 1;
        return NULL;
    }
    *at += n;
    *left -= n;
    return here;
}

static const unsigned char *counted(const unsigned char **at, size_t *left, int there, size_t most,
                                    uint32_t *n, int *bad)
{
    const unsigned char *head = part(at, left, there, 4, bad);

    *n = 0;
    if (head)
        (void)mb_get_u32_(head, n);
    *bad |= *n > most;
    return part(at, left, there, *n, bad);
}

static int split(const mb_peer *p, const mb_frame_ *f, const unsigned char *at, parts *out)
{
    const size_t each = 16 + 8 * (size_t)p->plan.columns;
    size_t       left = f->bytes;
    const size_t len = mb_peer_len_(p, f->run), ends = p->sums ? mb_peer_ends_bytes_(p) : 0;
    int          bad = f->samples > p->keys || (p->sums && !f->run && f->code);

    out->vector = part(&at, &left, f->flags & MB_FRAME_VECTOR_,
                       mb_vector_size_(&p->model.layout, len, f->code), &bad);
    out->own = part(&at, &left, f->flags & MB_FRAME_OWN_, 8 * len, &bad);
    out->block = counted(&at, &left, f->flags & MB_FRAME_BLOCK_, p->room, &out->block_bytes, &bad);
    out->sample = part(&at, &left, f->flags & MB_FRAME_SAMPLE_, ends + f->samples * each, &bad);
    out->words =
        counted(&at, &left, f->flags & MB_FRAME_WORDS_, MB_PEER_WORDS_, &out->words_bytes, &bad);
    if (MB_AUDIT_(f->parts & MB_FRAME_AUDIT_))
        out->audit = counted(&at, &left, 1, f->bytes, &out->audit_bytes, &bad);
    if (MB_EPOCHS_(p->epoch && f->parts & MB_FRAME_EPOCH_))
        out->epoch = counted(&at, &left, 1, mb_epoch_room_(p), &out->epoch_bytes, &bad);
    return !bad && (!left || (!MB_AUDIT_(1) && f->parts));
}

static int in_range(const double *x, size_t n)
{
    for (size_t l = 0; l < n; l++)
        if (!(fabs(x[l]) <= MB_NUMBER_MOST_))
            return 0;
    return 1;
}

/* The decoded vector that a frame is a difference to; NULL: it is not in the ring. A neighbour that
 * returned with a checkpoint counts the same ticks again, so those of another life do not do. */
static const double *known(const mb_peer *p, int32_t j, const mb_frame_ *f)
{
    const size_t at = (size_t)j * MB_RING_ + f->base % MB_RING_;

    if (!p->sent_room || !f->base || f->incarnation != p->link[j].life)
        return NULL;
    return p->got_tick[at] == f->base ? p->got + at * mb_peer_len_(p, 1) : NULL;
}

/* m and s of the sender into p->vector. */
static int read_vectors(mb_peer *p, int32_t j, const mb_frame_ *f, const parts *in)
{
    const double *base = known(p, j, f);
    const size_t  len = mb_peer_len_(p, f->run);

    if (in->vector) {
        if ((f->code == MB_CODE_FLOAT16_) != (base != NULL))
            return 0;
        if (!mb_vector_decode_(&p->model.layout, len, in->vector, base, f->code, p->vector) ||
            !in_range(p->vector, len))
            return 0;
    }
    return !in->own ||
           (mb_get_doubles_(in->own, p->vector + len, len) && in_range(p->vector + len, len));
}

/* Reads n numbers, which may be gaps (NaN) if gaps is 1; 0 when they are none. */
static int get_row(const unsigned char *at, double *x, size_t n, int32_t gaps)
{
    (void)mb_get_doubles_(at, x, n);
    for (size_t d = 0; d < n; d++)
        if (!(fabs(x[d]) <= MB_VALUE_MAX) && !(gaps && isnan(x[d])))
            return 0;
    return 1;
}

/* (-min, max) of the columns into p->new_ends. */
static int read_ends(mb_peer *p, const unsigned char *at)
{
    const size_t D = (size_t)p->plan.columns;

    if (!get_row(at, p->new_ends, 2 * D, 0))
        return 0;
    for (size_t d = 0; d < D; d++)
        if (p->new_ends[d] + p->new_ends[D + d] < 0)
            return 0;
    return 1;
}

/* The bins of its search, for limits. */
static int read_search(mb_peer *p, const unsigned char *at, int *take)
{
    if (!mb_get_doubles_(at, p->searched, mb_search_len_(p)) || !mb_search_fits_(p, p->searched))
        return 0;
    *take = *take && mb_peer_search_with_(p, p->searched);
    return 1;
}

static int read_sample(mb_peer *p, const mb_frame_ *f, const parts *in, int take)
{
    const size_t         D = (size_t)p->plan.columns;
    const unsigned char *at = in->sample;

    if (at && p->sums) {
        if (!read_ends(p, at))
            return 0;
        take = take && mb_peer_widen_(p, p->new_ends);
        if (MB_FAR_(p->trims) && !read_search(p, at + 16 * D, &take))
            return 0;
        at += mb_peer_ends_bytes_(p);
    }
    for (uint32_t k = 0; in->sample && k < f->samples; k++, at += 16 + 8 * D) {
        mb_key_ key;

        (void)mb_get_u32_(mb_get_u32_(at + 8, &key.node), &key.row);
        if (!mb_get_doubles_(at, &key.key, 1) ||
            !(key.key > 0 && key.key < (p->sums ? MB_VALUE_MAX : 1)) ||
            !get_row(at + 16, p->vector_row, D, mb_peer_gaps_(p)))
            return 0;
        if (take && p->sums)
            take = mb_peer_follow_(p, k, &key, p->vector_row);
        else if (take)
            mb_peer_merge_(p, &key, p->vector_row);
    }
    return 1;
}

static void measure(mb_peer *p, mb_link_ *l, const mb_frame_ *f)
{
    const int    awake = !mb_peer_done_(p->life) && !mb_peer_rests_(p, l);
    const double age = l->age > 1 ? l->age : 1;

    if (awake) /* a rest says nothing about the link */
        l->gap += (age > l->gap ? 0.25 : 0.05) * (age - l->gap);
    if (f->incarnation == l->life && f->tick > l->tick) {
        const double  before = l->loss < 0 ? 0 : l->loss;
        const uint8_t lost = (uint8_t)(f->count - l->count - 1); /* between the two */

        l->loss = 1 - (1 - before) * pow(1 - ALPHA_LOSS, lost);
        l->loss *= 1 - ALPHA_LOSS;
    }
    if (f->echo_life != p->life->incarnation || f->echo <= l->acked) /* nothing new was echoed */
        return;
    l->acked = f->echo;
    if (!awake)
        return;
    if (l->rtt > 0)
        l->rtt += ALPHA_RTT * ((double)(p->life->tick - f->echo) - l->rtt);
    else
        l->rtt = (double)(p->life->tick - f->echo);
}

/* 1: two neighbours say that another node has this node's id, or all that are heard. */
static int is_twin(const mb_peer *p)
{
    int32_t twins = 0, others = 0;

    for (int32_t j = 0; j < p->life->links; j++) {
        twins += p->link_guard[j].twin;
        others += !p->link_guard[j].twin && mb_peer_hears_(&p->link[j]);
    }
    return twins > 1 || !others;
}

/* No neighbour has heard this life yet: an earlier one, whose state is gone, had a later clock. This one counts
 * on from its number; the beat does not. */
static int takes_number(mb_peer *p, uint32_t after)
{
    mb_life_ *l = p->life;

    if (after == UINT32_MAX)
        return 0;
    for (int32_t j = 0; j < l->links; j++)
        if (p->link[j].acked)
            return 0;
    p->guard->ahead -= (uint64_t)(after + 1 - l->incarnation) << 32;
    l->incarnation = after + 1;
    for (int32_t j = 0; j < l->links; j++)
        p->link_guard[j].twin = 0;
    return 1;
}

/* Another node has this node's id: it is the newer one, or has lived longer. Two neighbours have to say
 * so, or all that are heard; the edge to one that does is not used. */
static void check_twin(mb_peer *p, int32_t j, const mb_frame_ *f)
{
    mb_err err;

    p->link_guard[j].twin = f->echo_life > p->life->incarnation ||
                            (f->echo_life == p->life->incarnation && f->echo > p->life->tick);
    if (!p->link_guard[j].twin)
        return;
    if (p->link[j].live)
        mb_peer_drop_(p, j);
    if (!is_twin(p) || takes_number(p, f->echo_life))
        return;
    MB_SAY_(
        &err,
        "another node has this node's id, %ld, or an earlier life without its state had a later "
        "clock: neighbour %lu heard incarnation %lu, tick %llu",
        (long)p->opt.id, (unsigned long)f->from, (unsigned long)f->echo_life,
        (unsigned long long)f->echo);
    mb_peer_fail_(p, &err);
}

/* What it takes as the nearest that can be, and what others have to confirm. */
static void take_guarded(mb_peer *p, int32_t j, const mb_frame_ *f)
{
    mb_link_       *l = &p->link[j];
    mb_link_guard_ *g = &p->link_guard[j];
    const uint32_t  most = mb_peer_nodes_most_(p);

    l->degree = f->degree < most ? f->degree : most;
    l->kappa = fmin(KAPPA_MOST, fmax(1 / KAPPA_MOST, f->kappa));
    p->guard->clipped += f->degree > l->degree || f->kappa < l->kappa || f->kappa > l->kappa;
    g->leader = f->leader;
    g->hop = f->hop;
    g->hops = f->hops;
    if (f->run == p->life->run) {
        g->ours = 1;
        g->other = 0;
    }
}

static void take_head(mb_peer *p, int64_t now, int32_t j, const mb_frame_ *f)
{
    mb_life_     *life = p->life;
    mb_link_     *l = &p->link[j];
    const int64_t clipped = p->guard->clipped;

    check_twin(p, j, f);
    mb_peer_read_clock_(p, now);
    if (f->incarnation != l->life) { /* of what it was sent it may have lost all */
        mb_peer_new_life_(p, l);
    } else if (l->acked && !f->echo_life) { /* it has made the link again, and counts from 1 */
        l->acked = 0;
        l->count = (uint8_t)(f->count - 1);
    }
    measure(p, l, f);
    l->life = f->incarnation;
    l->tick = f->tick;
    l->age = l->missed = 0;
    l->received = 1;
    l->recv_ms = now;
    l->flags = f->flags;
    if (MB_CHANGES_(p->known != NULL))
        p->known[j].echo = f->echo_life == life->incarnation ? f->echo : 0;
    l->count = f->count;
    take_guarded(p, j, f);
    l->rounds = f->rounds;
    l->run = f->run;
    l->n_nodes = f->n_nodes;
    l->quiet = f->quiet;
    life->frames_received++;
    if (!life->first)
        life->first = (int64_t)life->tick + 1;
    /* What comes one way has no part in the averages, nor have nodes that run on another block: with their
     * leader this part would count no nodes. */
    if (f->flags & MB_FRAME_HEARS_ && !mb_peer_apart_(p, f->run))
        mb_peer_hear_leader_(p, f);
    if (MB_BOUNDS_(1))
        p->link_guard[j].clipped += p->guard->clipped - clipped;
}

/* A node at rest that is asked, hears of movement or has a new edge ticks at once. */
static void wake(mb_life_ *l, const mb_frame_ *f)
{
    if (mb_peer_done_(l) &&
        (f->flags & MB_FRAME_ASKS_ || f->quiet < mb_peer_enough_(l) || l->edges_changed))
        l->due_ms = INT64_MIN;
}

/* Remembers what was decoded, for differences to it. */
static void keep(mb_peer *p, int32_t j, uint64_t tick)
{
    const size_t at = (size_t)j * MB_RING_ + tick % MB_RING_, len = mb_peer_len_(p, 1);

    if (!p->sent_room)
        return;
    p->got_tick[at] = tick;
    memcpy(p->got + at * len, p->vector, len * sizeof *p->got);
}

/* While greeting phi sums what running neighbours say of s. */
static void greet(mb_peer *p, const mb_link_ *l)
{
    enum { OLD_ENOUGH = 10 /* rounds */ };

    if (p->life->phase != MB_GREETING_ || l->rounds < OLD_ENOUGH)
        return;
    for (size_t i = 0; i < p->len; i++)
        p->phi[i] += p->vector[p->len + i];
    p->life->joined++;
    p->life->joined_N = l->n_nodes;
}

static void take_vector(mb_peer *p, int32_t j, const mb_frame_ *f)
{
    mb_link_ *l = &p->link[j];
    double   *z = p->z + (size_t)j * p->len;

    if (!(f->flags & MB_FRAME_HEARS_) || p->link_guard[j].twin || p->link_guard[j].paused ||
        (MB_AUDIT_(p->audit != NULL) && mb_audit_drops_(p, l->id)))
        return;
    if (MB_CHANGES_(!(f->flags & MB_FRAME_VECTOR_))) {
        if (l->live && p->life->phase == MB_RUNNING_ && !(f->flags & MB_FRAME_BLANK_))
            mb_peer_hear_again_(p, j);
        return;
    }
    if (MB_CHANGES_(p->known != NULL))
        p->known[j].received = f->tick;
    if (l->live) {
        p->algo->mesh->hear(p->life->how, p->vector, p->len, z);
        return;
    }
    memcpy(z, p->vector, p->len * sizeof *z);
    l->vector = 1;
    if (p->life->phase == MB_GREETING_)
        return;
    l->rho = mb_peer_would_be_(p, j);
    l->live = 1;
    p->life->live++;
    p->life->edges_changed = 1;
}

/* 1: the node takes a neighbour's block for its own. Before it has run for a while the lower one wins;
 * afterwards, and with a block that it took in this way, that of the part that has counted more nodes,
 * and of two that are as large the lower one. It has to say so in many frames, more where it was part of
 * this one and left it for one that is no larger: one that lies for a moment is not heard. Of a link that
 * works one way a node that runs takes nothing: it would leave the part that it has for one that it
 * cannot be in. */
static int gives_way(mb_peer *p, mb_link_guard_ *k, const mb_frame_ *f, mb_block_ block)
{
    enum { FIRM = 100 /* rounds, and frames */, LEFT = 3 /* times as many */ };
    static const double ALIKE = 1e-6;
    const double        N = p->life->N, more = f->n_nodes - N;
    const int           larger = more > ALIKE * N && mb_peer_counted_(f->n_nodes);

    if (block == MB_BLOCK_BAD_ || (p->life->phase == MB_RUNNING_ && !(f->flags & MB_FRAME_HEARS_)))
        return 0;
    p->guard->firm |= p->life->phase == MB_RUNNING_ && p->life->rounds > FIRM;
    if (!p->guard->firm)
        return block == MB_BLOCK_WINS_;
    if (p->life->phase == MB_RUNNING_ &&
        (larger || (block == MB_BLOCK_WINS_ && more >= -ALIKE * N)))
        k->other++;
    else
        k->other = 0;
    return k->other > (larger || !k->ours ? FIRM : LEFT * FIRM);
}

/* Another block; one that was given is never changed. */
static mb_refusal take_block(mb_peer *p, int32_t j, const mb_frame_ *f, const parts *in)
{
    mb_err why = {.msg = ""};

    if (p->plan.from == MB_GENESIS_GIVEN)
        return MB_REFUSED_RUN;
    if (!gives_way(p, &p->link_guard[j], f, mb_peer_block_(p, in->block, in->block_bytes)))
        return MB_REFUSED_NONE;
    if (mb_peer_adopt_(p, in->block, in->block_bytes, &why) < 0)
        mb_peer_fail_(p, &why);
    return MB_REFUSED_NONE;
}

static mb_refusal take(mb_peer *p, int64_t now, int32_t j, const mb_frame_ *f, const parts *in)
{
    mb_link_ *l = &p->link[j];
    const int same = f->run == p->life->run;

    take_head(p, now, j, f);
    if (in->vector && f->run) /* of any run: the echo of this frame says that it is here */
        keep(p, j, f->tick);
    if (same && (p->life->run || p->sums) && (in->vector || MB_CHANGES_(p->known != NULL)))
        take_vector(p, j, f);
    wake(p->life, f);
    if (MB_AUDIT_(p->audit && in->audit) && same)
        mb_audit_take_(p, now, j, in->audit, in->audit_bytes);
    if (same && p->life->run && in->own)
        greet(p, l);
    if (in->block && !same)
        return take_block(p, j, f, in);
    if (MB_EPOCHS_(p->epoch && same && (p->life->run || p->start_len)))
        mb_epoch_hear_(p, j, f->flags & MB_FRAME_HEARS_, in->epoch, in->epoch_bytes);
    if (in->sample && p->life->phase == MB_WAITING_)
        (void)read_sample(p, f, in, 1);
    return MB_REFUSED_NONE;
}

static mb_refusal other_plan(const mb_peer *p, int32_t j, const parts *in, mb_err *err)
{
    if (MB_DIFFERENCES_(in->words &&
                        !mb_words_are_units_((const char *)in->words, in->words_bytes)))
        (void)mb_words_compare_(&p->plan, (const char *)in->words, in->words_bytes, err);
    else
        MB_SAY_(err, "neighbour %ld runs another model, K, columns or genesis",
                (long)p->link[j].id);
    return MB_REFUSED_PLAN;
}

static mb_refusal other_run(const mb_peer *p, const mb_frame_ *f, const parts *in, mb_err *err)
{
    if (in->words && MB_DIFFERENCES_(mb_words_are_units_((const char *)in->words, in->words_bytes)))
        (void)mb_units_compare_(&p->g, (const char *)in->words, in->words_bytes, err);
    else
        MB_SAY_(err, "neighbour %lu runs on another genesis: %016llx, here %016llx",
                (unsigned long)f->from, (unsigned long long)f->run,
                (unsigned long long)p->life->run);
    return MB_REFUSED_RUN;
}

static mb_refusal check_sender(const mb_peer *p, int32_t from, const mb_frame_ *f, int32_t *j,
                               mb_err *err)
{
    if (f->from == (uint32_t)p->opt.id) {
        MB_SAY_(err, "a frame says it is from this node, %ld", (long)p->opt.id);
        return MB_REFUSED_OWN_ID;
    }
    *j = mb_peer_find_(p, f->from);
    if (*j < 0 || f->to != (uint32_t)p->opt.id || (from >= 0 && f->from != (uint32_t)from)) {
        MB_SAY_(err, "a frame from %lu to %lu came over the link of %ld to node %ld",
                (unsigned long)f->from, (unsigned long)f->to, (long)from, (long)p->opt.id);
        return MB_REFUSED_STRANGER;
    }
    return MB_REFUSED_NONE;
}

static mb_refusal check_content(mb_peer *p, int32_t j, const mb_frame_ *f,
                                const unsigned char *payload, parts *in, mb_err *err)
{
    const mb_link_ *l = &p->link[j];
    const int       whole = split(p, f, payload, in);

    if (f->plan != p->plan_hash)
        return other_plan(p, j, whole ? in : &(parts){0}, err);
    if (f->incarnation < l->life || (f->incarnation == l->life && f->tick <= l->tick)) {
        MB_SAY_(err, "a frame of tick %llu came after that of tick %llu",
                (unsigned long long)f->tick, (unsigned long long)l->tick);
        return MB_REFUSED_OLD;
    }
    if (f->base && f->echo_life != p->life->incarnation && !known(p, j, f)) {
        MB_SAY_(err, "a difference to what incarnation %lu of this node had",
                (unsigned long)f->echo_life);
        return MB_REFUSED_OLD;
    }
    if (!whole ||
        (MB_EPOCHS_(in->epoch && f->run == p->life->run) &&
         !mb_epoch_sound_(p, in->epoch, in->epoch_bytes)) ||
        !read_vectors(p, j, f, in) || !read_sample(p, f, in, 0)) {
        MB_SAY_(err, "a payload of %lu bytes has parts or numbers that cannot be",
                (unsigned long)f->bytes);
        return MB_REFUSED_VALUE;
    }
    if (MB_BOUNDS_(1) && f->run && f->run == p->life->run &&
        !mb_peer_bounded_(p, j, in->vector != NULL, in->own != NULL, err))
        return MB_REFUSED_VALUE;
    if (f->run && p->life->run && f->run != p->life->run && p->plan.from == MB_GENESIS_GIVEN)
        return other_run(p, f, in, err);
    return MB_REFUSED_NONE;
}

static mb_refusal hear(mb_peer *p, int64_t now, int32_t from, const unsigned char *bytes, size_t n,
                       mb_err *err)
{
    mb_refusal why;
    mb_frame_  f;
    parts      in = {0};
    int32_t    j = -1;

    if (n > mb_peer_frame_max(p)) {
        MB_SAY_(err, "a frame of %zu bytes; expected at most %zu", n, mb_peer_frame_max(p));
        return MB_REFUSED_SHORT;
    }
    why = mb_frame_open_(bytes, n, &f, err);
    if (!why)
        why = check_sender(p, from, &f, &j, err);
    if (!why)
        why = check_content(p, j, &f, bytes + MB_FRAME_HEAD_, &in, err);
    if (MB_BOUNDS_(1) && why && j >= 0)
        p->link_guard[j].refused++;
    return why ? why : take(p, now, j, &f, &in);
}

mb_refusal mb_peer_hear(mb_peer *p, int64_t now, int32_t from, const void *bytes, size_t n,
                        mb_err *err)
{
    const mb_refusal why = hear(p, mb_peer_clock_(now), from, bytes, n, err);

    p->life->refused[why] += why != MB_REFUSED_NONE;
    return why;
}
