/* participants.c - with masks, who takes part in a record: members of the genesis with their lives and
 * 32 bytes that each drew for this record alone, gathered up the tree and sent down whole, so that
 * all nodes make the same masks of it (docs/protocol.md, section 4c). */
#include "base/bytes.h"
#include "base/format.h"
#include "base/rows.h"
#include "mesh/state.h"

#include <math.h>
#include <string.h>

enum { ALL = 16 /* nodes among which all are partners */, REACH = 2 /* else by place, each way */ };
enum { FEWEST = 3 /* partners; of three nodes one less */ };

static const mb_declared *list_of(const mb_peer *p)
{
    return p->opt.declared;
}

static void say(mb_peer *p, const char *text)
{
    mb_format_(p->mask_text, MB_PEER_MESSAGE_, "%s", text);
}

/* Rows of the node are in the sums that it has not: it has lost them, or somebody lies, to whom those lead
 * from whom nodes have it. */
static void say_fewer(mb_peer *p)
{
    char who[MB_WHO_], by[MB_WHO_ + 16] = "";

    if (p->taken_by >= 0)
        mb_format_(by, sizeof by, ", as %s says",
                   mb_declared_who_(list_of(p), p->taken_by, "neighbour", who));
    mb_format_(p->mask_text, MB_PEER_MESSAGE_,
               "has fewer rows than are in the sums of it%s: %ld of %ld, and sends nothing", by,
               (long)p->life->n, (long)p->taken[p->member]);
}

static size_t bytes_of(const mb_declared *d, size_t n)
{
    return n * (MB_PARTICIPANT_ + (d->rows_batch ? sizeof(uint64_t) : 0)) + mb_batch_bytes_(d);
}

size_t mb_participants_most_(const mb_declared *d)
{
    return bytes_of(d, (size_t)d->members);
}

size_t mb_participants_bytes_(const mb_peer *p, uint32_t n)
{
    return MB_MASKS_(p) ? bytes_of(list_of(p), n) : 0;
}

size_t mb_participants_room_(const mb_peer *p)
{
    return p->taking ? mb_participants_most_(list_of(p)) : 0;
}

static int32_t count_there(const mb_peer *p)
{
    int32_t n = 0;

    for (int32_t k = 0; k < list_of(p)->members; k++)
        n += p->taking[k].life != 0;
    return n;
}

int32_t mb_participants_out_(const mb_peer *p)
{
    int32_t n = 0;

    for (int32_t k = 0; k < list_of(p)->members; k++)
        n += p->left_out[k];
    return n;
}

/* 1: n nodes are fewer than two thirds of the members. */
static int are_few(const mb_peer *p, int32_t n)
{
    return 3 * (int64_t)n < 2 * (int64_t)list_of(p)->members;
}

/* Partners that a node needs. */
static int32_t fewest_of(const mb_peer *p)
{
    return list_of(p)->members == FEWEST ? FEWEST - 1 : FEWEST;
}

/* 1: the rows are those that the genesis declares of this node. */
static int has_its_rows(const mb_peer *p)
{
    const mb_member *me = &list_of(p)->member[p->member];
    double           rows = 0;

    if (MB_BATCH_(p))
        return mb_batch_has_rows_(p);
    for (int64_t i = 0; i < p->life->n; i++)
        rows += p->w[i];
    return fabs(rows - me->rows) <= 1e-9 * me->rows;
}

/* Who was there until now was seen now. */
static void forget(mb_peer *p)
{
    const int64_t now = p->life->ticked_ms;

    for (int32_t k = 0; k < list_of(p)->members; k++) {
        mb_participant_ *m = &p->taking[k];

        if (m->life || !m->last_ms)
            m->last_ms = now;
        m->life = 0;
        m->via = -1;
    }
}

void mb_participants_enter_(mb_peer *p)
{
    mb_participant_ *me = &p->taking[p->member];
    const mb_masks  *by = p->opt.masks;
    mb_err           why = {.msg = ""};

    forget(p);
    *p->mask_text = '\0';
    if (!has_its_rows(p) && MB_BATCH_(p))
        say_fewer(p);
    else if (!has_its_rows(p))
        say(p, "has other rows than the genesis declares of it, and sends nothing");
    else if (by->random(by->self, me->fresh, MB_FRESH_, &why) < 0)
        say(p, "has no random bytes, and sends nothing");
    else
        me->life = p->life->incarnation;
    me->via = p->opt.id;
    if (MB_BATCH_(p))
        me->offer = mb_batch_offer_(p);
}

int mb_participants_has_(const mb_peer *p, int32_t j)
{
    uint32_t n = 0;

    for (int32_t k = 0; k < list_of(p)->members; k++)
        n += p->taking[k].life && p->taking[k].via == p->link[j].id;
    return n && n == p->branch[j].stated.nodes;
}

unsigned char *mb_participants_put_(const mb_peer *p, unsigned char *at)
{
    for (int32_t k = 0; k < list_of(p)->members; k++) {
        const mb_participant_ *m = &p->taking[k];

        if (!m->life)
            continue;
        at = mb_put_u32_(mb_put_u32_(at, (uint32_t)list_of(p)->member[k].id), m->life);
        memcpy(at, m->fresh, MB_FRESH_);
        at += MB_FRESH_;
        if (MB_BATCH_(p))
            at = mb_put_u64_(at, (uint64_t)m->offer);
    }
    return MB_BATCH_(p) ? mb_batch_put_(p, at) : at;
}

/* The next entry of a list: the place of its member, -1: there is none. */
static int32_t get(const mb_peer *p, const unsigned char **at, mb_participant_ *out)
{
    uint32_t id;
    uint64_t offer = 0;

    *at = mb_get_u32_(mb_get_u32_(*at, &id), &out->life);
    memcpy(out->fresh, *at, MB_FRESH_);
    *at += MB_FRESH_;
    if (MB_BATCH_(p))
        *at = mb_get_u64_(*at, &offer);
    out->offer = offer <= INT64_MAX / 2 ? (int64_t)offer : 0;
    return mb_declared_find(list_of(p), id);
}

int mb_participants_sound_(const mb_peer *p, const unsigned char *at, uint32_t n,
                           const mb_record_ *record)
{
    int32_t before = -1;

    for (uint32_t k = 0; k < n; k++) {
        mb_participant_ m;
        const int32_t   is = get(p, &at, &m);

        if (is <= before || !m.life)
            return 0;
        before = is;
    }
    return !MB_BATCH_(p) || mb_batch_sound_(p, at, record);
}

/* 1: none of them is known over another link. */
static int are_new(const mb_peer *p, int32_t j, const unsigned char *at, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        mb_participant_ m;
        const int32_t   is = get(p, &at, &m);

        if (is == p->member || (p->taking[is].life && p->taking[is].via != p->link[j].id))
            return 0;
    }
    return 1;
}

/* 0: it is of fewer rows than the node knows to be in the sums. */
static int take(mb_peer *p, int32_t via, const unsigned char *at, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        mb_participant_ m;
        const int32_t   is = get(p, &at, &m);

        m.via = via;
        m.last_ms = p->taking[is].last_ms;
        p->taking[is] = m;
    }
    return !MB_BATCH_(p) || mb_batch_take_(p, via == p->opt.id ? p->epoch->parent : via, at);
}

void mb_participants_drop_(mb_peer *p, int32_t j)
{
    for (int32_t k = 0; k < list_of(p)->members; k++)
        if (p->taking[k].via == p->link[j].id)
            p->taking[k].life = 0;
}

void mb_participants_hear_(mb_peer *p, int32_t j, const unsigned char *at, uint32_t n)
{
    if (!are_new(p, j, at, n))
        return;
    mb_participants_drop_(p, j); /* it may have fewer below it than before */
    (void)take(p, p->link[j].id, at, n);
}

/* ---- a record begins ---- */

/* 1: the list has this node as it is in this record. */
static int has_this_node(const mb_peer *p, const unsigned char *at, uint32_t n)
{
    const mb_participant_ *me = &p->taking[p->member];

    for (uint32_t k = 0; k < n; k++) {
        mb_participant_ m;

        if (get(p, &at, &m) == p->member)
            return me->life && m.life == me->life && !memcmp(m.fresh, me->fresh, MB_FRESH_);
    }
    return 0;
}

static int are_linked(const mb_declared *d, int32_t a, int32_t b)
{
    for (int64_t e = d->links.ptr[a]; e < d->links.ptr[a + 1]; e++)
        if (d->links.adj[e] == b)
            return 1;
    return 0;
}

/* With whom the node shares masks, both ends alike: all of a few, and of those that draw noise, where
 * colluders might be all partners of a node and see its part of the noise alone; else those that the genesis links
 * to it and the two before and after it in the list of the record, which goes round. */
static int32_t partners_of(mb_peer *p, int32_t there)
{
    const mb_declared *d = list_of(p);
    const int          all = there <= ALL || p->plan.privacy;
    int32_t            me = 0, place = 0, n = 0;

    for (int32_t k = 0; k < p->member; k++)
        me += p->taking[k].life != 0;
    for (int32_t k = 0; k < d->members; k++) {
        int32_t away;

        if (!p->taking[k].life)
            continue;
        away = place > me ? place - me : me - place;
        away = away < there - away ? away : there - away;
        place++;
        if (k != p->member && (all || away <= REACH || are_linked(d, p->member, k)))
            p->partner[n++] = d->member[k].id;
    }
    return n;
}

static size_t put_record(const mb_peer *p, unsigned char *out)
{
    const mb_record_ *r = &p->epoch->record;
    unsigned char    *at = mb_put_u64_(out, r->counter);

    at = mb_put_u32_(mb_put_u32_(at, r->proposer), r->life);
    return (size_t)(mb_participants_put_(p, at) - out);
}

/* 1: the node's masks are those of the record. */
static int make_masks(mb_peer *p)
{
    const mb_masks *by = p->opt.masks;
    const int32_t   there = count_there(p);
    mb_err          why = {.msg = ""};

    p->partners = partners_of(p, there);
    if (p->plan.privacy && there < list_of(p)->members)
        say(p, "knows of a record without all members, whose total would show what one added");
    else if (are_few(p, there))
        say(p, "knows of fewer than two thirds of the members, and sends nothing");
    else if (p->partners < fewest_of(p))
        say(p, "has fewer than three partners to mask with, and sends nothing");
    else if (by->begin(by->self, p->opt.id, p->record, put_record(p, p->record), p->partner,
                       p->partners, &why) < 0)
        say(p, "cannot make masks, and sends nothing");
    else
        return 1;
    p->partners = 0;
    return 0;
}

int mb_participants_begin_(mb_peer *p, const unsigned char *at, uint32_t n)
{
    if (at && !has_this_node(p, at, n))
        return 0;
    if (at) {
        forget(p);
        if (!take(p, p->opt.id, at, n))
            return 0;
    } else if (MB_BATCH_(p)) {
        mb_batch_decide_(p);
    }
    if (MB_BATCH_(p) && !mb_batch_has_rows_(p)) {
        say_fewer(p);
        return 0;
    }
    if (!make_masks(p))
        return 0;
    for (int32_t k = 0; k < list_of(p)->members; k++)
        p->left_out[k] = !p->taking[k].life;
    *p->mask_text = '\0';
    return 1;
}

/* ---- members that are missing ---- */

static int is_missing(const mb_peer *p, int32_t k)
{
    return !p->taking[k].life && !p->left_out[k];
}

int mb_participants_missing_(const mb_peer *p)
{
    for (int32_t k = 0; k < list_of(p)->members; k++)
        if (is_missing(p, k))
            return 1;
    return 0;
}

int mb_participants_return_(const mb_peer *p)
{
    for (int32_t k = 0; k < list_of(p)->members; k++)
        if (p->taking[k].life && p->left_out[k])
            return 1;
    return 0;
}

int mb_participants_was_out_(const mb_peer *p, int32_t id)
{
    const int32_t k = mb_declared_find(list_of(p), id);

    return k >= 0 && p->left_out[k];
}

void mb_participants_say_(mb_peer *p)
{
    const int32_t n = list_of(p)->members;
    int32_t       first = n, more = 0;
    char          rest[32] = "", who[MB_WHO_];
    int64_t       minutes;

    if (!p->taking[p->member].life)
        return;
    *p->mask_text = '\0';
    if (p->epoch->parent >= 0) {
        mb_format_(p->mask_text, MB_PEER_MESSAGE_,
                   "waits until %s, the root of the sums, knows of every member",
                   mb_declared_who_(list_of(p), p->epoch->record.proposer, "node", who));
        return;
    }
    for (int32_t k = n - 1; k >= 0; k--)
        if (is_missing(p, k)) {
            more++;
            first = k;
        }
    if (!more)
        return;
    minutes = p->taking[first].last_ms / 60000 % 1440;
    if (more > 1)
        mb_format_(rest, sizeof rest, ", and %d more", more - 1);
    mb_format_(p->mask_text, MB_PEER_MESSAGE_, "waits for %s, missing since %02d:%02d UTC%s",
               mb_declared_who_(list_of(p), list_of(p)->member[first].id, "member", who),
               (int)(minutes / 60), (int)(minutes % 60), rest);
}

void mb_participants_refused_(mb_peer *p)
{
    say(p, "would use a mask twice, with other numbers: it sends nothing until the next record");
}

double mb_participants_rows_out_(const mb_peer *p)
{
    double rows = 0;

    for (int32_t k = 0; k < list_of(p)->members; k++)
        rows += p->left_out[k] ? list_of(p)->member[k].rows : 0;
    return rows;
}

void mb_peer_masking_of(const mb_peer *p, mb_peer_masking *out)
{
    *out = (mb_peer_masking){.members = 0};
    if (!MB_MASKS_(p))
        return;
    *out = (mb_peer_masking){.members = list_of(p)->members,
                             .there = count_there(p),
                             .partners = p->epoch->stage == MB_STAGE_RUNS_ ? p->partners : 0,
                             .left_out = mb_participants_out_(p),
                             .root = p->epoch->parent < 0};
    if (!MB_BATCH_(p))
        return;
    out->ready = mb_batch_ready_(p);
    out->waiting = p->life->n - mb_peer_rows_(p);
    out->taken = p->taken_at->counter;
}

mb_taking mb_peer_taking(const mb_peer *p, int32_t k, int64_t *since_ms)
{
    *since_ms = MB_MASKS_(p) ? p->taking[k].last_ms : 0;
    if (!MB_MASKS_(p) || p->taking[k].life)
        return MB_TAKES_PART;
    return p->left_out[k] ? MB_LEFT_OUT : MB_MISSING;
}

mb_status mb_peer_without(mb_peer *p, int32_t id, mb_err *err)
{
    const mb_declared *d = list_of(p);
    const int32_t      k = d ? mb_declared_find(d, id) : -1;
    int32_t            rest;
    char               who[MB_WHO_];

    if (!MB_MASKS_(p))
        MB_FAIL(
            err, MB_E_NOSUP,
            "without: this node masks nothing, so its sums continue by themselves without a node "
            "that is gone");
    if (p->plan.privacy)
        MB_FAIL(err, MB_E_NOSUP,
                "without: sums with noise are made once, of all members; without one they would "
                "show what it added");
    if (k < 0)
        MB_FAIL(err, MB_E_ARG, "without: got %ld; expected a member that the genesis lists",
                (long)id);
    if (p->epoch->parent >= 0 || !p->epoch->record.counter)
        MB_FAIL(err, MB_E_ARG, "without: %s is the root of the sums; expected the command there",
                mb_declared_who_(d, p->epoch->record.proposer, "node", who));
    (void)mb_declared_who_(d, id, "member", who);
    if (p->left_out[k])
        MB_FAIL(err, MB_E_ARG, "without: %s is left out already", who);
    if (p->taking[k].life)
        MB_FAIL(err, MB_E_ARG, "without: %s takes part; expected one that is missing", who);
    rest = d->members - mb_participants_out_(p) - 1;
    if (are_few(p, rest) || rest - 1 < fewest_of(p))
        MB_FAIL(err, MB_E_ARG,
                "without: %ld of %ld members would be left, which is fewer than two thirds, or too "
                "few to mask with: they would send nothing",
                (long)rest, (long)d->members);
    p->left_out[k] = 1;
    p->life->due_ms = INT64_MIN;
    return MB_OK;
}

/* ---- for a recorder ---- */

size_t mb_taking_bytes_(const mb_peer *p)
{
    return 4 + (size_t)list_of(p)->members * MB_TAKING_;
}

void mb_taking_write_(const mb_peer *p, unsigned char *at)
{
    at = mb_put_u32_(at, (uint32_t)p->partners);
    for (int32_t k = 0; k < list_of(p)->members; k++) {
        const mb_participant_ *m = &p->taking[k];

        at = mb_put_u32_(mb_put_u32_(at, m->life), (uint32_t)m->via);
        at = mb_put_u64_(mb_put_u64_(at, (uint64_t)m->last_ms), (uint64_t)m->offer);
        at = mb_put_u32_(at, k < p->partners ? (uint32_t)p->partner[k] : 0);
        memcpy(at, m->fresh, MB_FRESH_);
        at += MB_FRESH_;
    }
}

mb_status mb_taking_read_(mb_peer *p, const unsigned char *at, mb_err *err)
{
    const mb_masks *by = p->opt.masks;
    uint32_t        partners, via, partner;
    uint64_t        last, offer;

    at = mb_get_u32_(at, &partners);
    if (partners >= (uint32_t)list_of(p)->members)
        MB_FAIL(err, MB_E_FORMAT, "node: got %lu partners of %ld members", (unsigned long)partners,
                (long)list_of(p)->members);
    for (int32_t k = 0; k < list_of(p)->members; k++) {
        mb_participant_ *m = &p->taking[k];

        at = mb_get_u32_(mb_get_u32_(at, &m->life), &via);
        at = mb_get_u32_(mb_get_u64_(mb_get_u64_(at, &last), &offer), &partner);
        m->via = (int32_t)via;
        m->last_ms = (int64_t)last;
        m->offer = offer <= INT64_MAX / 2 ? (int64_t)offer : 0;
        p->partner[k] = (int32_t)partner;
        memcpy(m->fresh, at, MB_FRESH_);
        at += MB_FRESH_;
        if ((uint32_t)k < partners && mb_declared_find(list_of(p), p->partner[k]) < 0)
            MB_FAIL(err, MB_E_FORMAT, "node: got partner %ld; expected a member",
                    (long)p->partner[k]);
    }
    p->partners = (int32_t)partners;
    return !partners ? MB_OK
                     : by->begin(by->self, p->opt.id, p->record, put_record(p, p->record),
                                 p->partner, p->partners, err);
}
