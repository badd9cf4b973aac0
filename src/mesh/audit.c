/* audit.c - audits at rest: when they begin, what a node states and signs, and how statements spread
 * (docs/protocol.md, section 5a). judge.c reads them. */
#include "mesh/audit.h"
#include "base/bytes.h"

#include <math.h>
#include <string.h>

enum { MAGIC = 0x3141424d /* "MBA1" */ };
enum { PART = 20 /* head of the part: leader, beat, digest */, PART_MOST = 16384 };
enum { RESTS = 3 /* until the first audit of a rest; twice as long until the next */, BEGIN = 2 };

static const mb_declared *list_of(const mb_peer *p)
{
    return p->opt.declared;
}

static int64_t degree(const mb_declared *d, int32_t k)
{
    return d->links.ptr[k + 1] - d->links.ptr[k];
}

/* Bytes of the statement of member k. */
static size_t statement_bytes(const mb_declared *d, int32_t k, size_t entries)
{
    return MB_AUDIT_HEAD_ + (size_t)degree(d, k) * mb_audit_link_bytes_(entries) + MB_SIGNATURE;
}

static mb_audit_state state_of(const mb_peer *p)
{
    const mb_declared *d = list_of(p);
    const int32_t      me = mb_declared_find(d, p->opt.id);

    if (!d || !d->members)
        return MB_AUDIT_NO_MEMBERS;
    if (me < 0)
        return MB_AUDIT_NOT_LISTED;
    if (!p->opt.signer || !d->member[me].signing_key)
        return MB_AUDIT_NO_SIGNER;
    return p->algo->mesh->flows && !MB_EPOCHS_(p->sum_len > 0) && p->audited > 1 &&
                   !p->model.ops->prior_at
               ? MB_AUDIT_ON
               : MB_AUDIT_NOT_POSSIBLE;
}

const char *mb_audit_text(mb_audit_state is)
{
    static const char *const text[MB_AUDIT_STATES] = {
        "on", "no audit: the genesis lists no members",
        "no audit: this node is no member of the genesis's list",
        "no audit: this node has no signing key, is recorded, or its build cannot sign",
        "no audit: not with this algorithm or model"};

    return text[is];
}

/* ---- memory ---- */

static size_t carve(const mb_peer *p, mb_auditor_ *a, unsigned char *base)
{
    const mb_declared *d = list_of(p);
    const size_t       M = (size_t)p->opt.neighbours, n = p->audited;
    mb_carver_         c = {base, 0};
    size_t             store = 0;

    for (int32_t k = 0; k < d->members; k++)
        store += statement_bytes(d, k, n);
    (void)mb_carve_(&c, 1, sizeof *a);
    a->member = mb_carve_(&c, (size_t)d->members, sizeof *a->member);
    a->disputed = mb_carve_(&c, (size_t)d->links.ptr[d->members], 1);
    a->digest_of = mb_carve_(&c, M, sizeof *a->digest_of);
    a->turn = mb_carve_(&c, M, sizeof *a->turn);
    a->x = mb_carve_(&c, n, sizeof *a->x);
    a->size = mb_carve_(&c, n, sizeof *a->size);
    a->other = mb_carve_(&c, n, sizeof *a->other);
    a->entry = mb_carve_(&c, p->L + 1, sizeof *a->entry);
    a->is = mb_carve_(&c, p->L + 1, sizeof *a->is);
    a->store = mb_carve_(&c, store, 1);
    return c.used;
}

size_t mb_audit_bytes_(const mb_peer *p)
{
    mb_auditor_ a;

    return state_of(p) == MB_AUDIT_ON ? carve(p, &a, NULL) : 0;
}

void mb_audit_make_(mb_peer *p, void *at)
{
    const mb_declared *d = list_of(p);
    mb_auditor_       *a = at;
    size_t             next = 0;

    *a = (mb_auditor_){.me = mb_declared_find(d, p->opt.id)};
    (void)carve(p, a, at);
    mb_model_entries(&p->model, a->is);
    a->entries = mb_audit_entries_(&p->model, a->is, a->entry, a->is);
    for (int32_t k = 0; k < d->members; k++) {
        a->member[k].at = next;
        a->member[k].size = statement_bytes(d, k, a->entries);
        next += a->member[k].size;
    }
    p->audit = a;
}

size_t mb_audit_room_(const mb_peer *p)
{
    size_t most = PART_MOST;

    if (!p->audit)
        return 0;
    for (int32_t k = 0; k < list_of(p)->members; k++)
        most = p->audit->member[k].size > most ? p->audit->member[k].size : most;
    return PART + 4 + most;
}

/* ---- own statement ---- */

static unsigned char *put_head(const mb_peer *p, int32_t k, uint32_t leader, uint64_t beat,
                               unsigned char *to)
{
    const mb_declared *d = list_of(p);

    to = mb_put_u32_(mb_put_u32_(to, MAGIC), (uint32_t)d->member[k].id);
    to = mb_put_u64_(mb_put_u64_(to, d->hash), p->life->run);
    to = mb_put_u32_(mb_put_u32_(to, leader), (uint32_t)degree(d, k));
    return mb_put_u64_(to, beat);
}

/* What this node received from neighbour `id` beyond what it gave: z - rho s. */
static unsigned char *put_flow(const mb_peer *p, int32_t id, unsigned char *to)
{
    const mb_auditor_ *a = p->audit;
    const int32_t      j = mb_peer_find_(p, id);
    const int          live = j >= 0 && p->link[j].live;
    const double      *z = p->z + (size_t)(live ? j : 0) * p->len;

    to = mb_put_u32_(mb_put_u32_(to, (uint32_t)id), (uint32_t)live);
    for (size_t e = 0; e < a->entries; e++, to += 8) {
        const size_t at = a->entry[e];
        const double flow = live ? z[at] - p->link[j].rho * p->s[at] : 0;

        mb_put_doubles_(to, &flow, 1);
    }
    return to;
}

/* Whose statements are here: the same number at all who have the same ones. */
static void add(mb_peer *p, int32_t k)
{
    mb_auditor_ *a = p->audit;
    uint64_t     mixed = (uint64_t)(k + 1) * UINT64_C(0x9e3779b97f4a7c15);

    mixed ^= mixed >> 29;
    a->digest += mixed * UINT64_C(0xbf58476d1ce4e5b9) | 1;
    a->member[k].here = 1;
    a->here++;
    a->since = (int64_t)p->life->tick;
}

static void state(mb_peer *p)
{
    mb_auditor_       *a = p->audit;
    const mb_declared *d = list_of(p);
    const mb_audited_ *own = &a->member[a->me];
    unsigned char   *from = a->store + own->at, *to = put_head(p, a->me, a->leader, a->beat, from);
    const mb_signer *s = p->opt.signer;

    for (int64_t e = d->links.ptr[a->me]; e < d->links.ptr[a->me + 1]; e++)
        to = put_flow(p, d->member[d->links.adj[e]].id, to);
    if (s->sign(s->self, from, (size_t)(to - from), to))
        add(p, a->me);
}

/* ---- when ---- */

/* The node has been still for longer than word of a movement needs to come here. */
static int is_still(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    return p->audit->still > 10 &&
           (mb_peer_done_(l) || (double)p->audit->still > 10 + 2 * l->H * l->mean_slow);
}

static void begin(mb_peer *p, int64_t now, uint32_t leader, uint64_t beat)
{
    mb_auditor_ *a = p->audit;

    a->leader = leader;
    a->beat = beat;
    a->here = a->judged = a->there = 0;
    a->digest = a->there_of = 0;
    memset(a->digest_of, 0, (size_t)p->opt.neighbours * sizeof *a->digest_of);
    a->joined_ms = now;
    a->moved = !is_still(p);
    for (int32_t k = 0; k < list_of(p)->members; k++)
        a->member[k].here = a->member[k].judged = 0;
    if (!a->moved)
        state(p);
}

/* The leader begins an audit when nothing has moved for some rests; if it does not, others do. */
static int is_due(const mb_peer *p, int64_t now)
{
    const mb_auditor_ *a = p->audit;
    const int64_t wait = p->life->leader == (uint32_t)p->opt.id ? a->wait_ms : BEGIN * a->wait_ms;
    const int64_t from = a->joined_ms > a->still_ms ? a->joined_ms : a->still_ms;

    return now - from >= wait && is_still(p) &&
           (p->life->beat > a->beat || p->life->leader != a->leader);
}

/* Another rest begins. */
static void forget(mb_peer *p)
{
    const mb_declared *d = list_of(p);

    for (int32_t k = 0; k < d->members; k++)
        p->audit->member[k].next_ms = p->audit->member[k].pause_ms = 0;
    memset(p->audit->disputed, 0, (size_t)d->links.ptr[d->members]);
}

void mb_audit_tick_(mb_peer *p, int64_t now, int moved)
{
    mb_auditor_ *a = p->audit;

    if (p->life->phase != MB_RUNNING_)
        moved = 1;
    if (moved || now < a->still_ms) {
        if (a->still)
            forget(p);
        a->still = 0;
        a->still_ms = now;
        a->joined_ms = now < a->joined_ms ? now : a->joined_ms; /* a clock that went back */
        a->wait_ms = RESTS * p->opt.rest_ms;
        a->moved = 1;
        return;
    }
    a->still++;
    if (is_due(p, now)) {
        begin(p, now, p->life->leader, p->life->beat);
        a->wait_ms *= 2;
    }
    if (a->moved)
        return;
    mb_audit_judge_(p);
    for (int32_t j = 0; j < p->life->links; j++)
        if (p->link[j].live && mb_audit_drops_(p, p->link[j].id))
            mb_peer_drop_(p, j);
}

/* Own ticks, times the mean slowness: as long do statements make a node hurry, and are they sent. */
enum { HURRY = 40, SEND = 2 * HURRY };

/* 1: neighbour j may lack statements that are here, the newest of which came in as many ticks. */
static int lacks(const mb_peer *p, int32_t j, int32_t ticks)
{
    const mb_auditor_ *a = p->audit;

    return p->link[j].live && a->here > 0 && a->digest_of[j] != a->digest &&
           (double)((int64_t)p->life->tick - a->since) <= ticks * p->life->mean_slow;
}

int mb_audit_hurries_(const mb_peer *p)
{
    for (int32_t j = 0; j < p->life->links && !p->audit->moved; j++)
        if (lacks(p, j, HURRY))
            return 1;
    return 0;
}

int mb_audit_drops_(const mb_peer *p, int32_t id)
{
    const int32_t k = p->opt.drop_broken ? mb_declared_find(list_of(p), id) : -1;

    return k >= 0 && k != p->audit->me && p->audit->member[k].failed > 1;
}

/* ---- spreading ---- */

size_t mb_audit_put_(mb_peer *p, int32_t j, unsigned char *out)
{
    mb_auditor_   *a = p->audit;
    const int32_t  n = list_of(p)->members;
    const size_t   room = mb_audit_room_(p);
    const int32_t  who = mb_declared_find(list_of(p), p->link[j].id);
    unsigned char *to = out;

    if (!a->beat || a->moved || who < 0)
        return 0;
    to = mb_put_u64_(mb_put_u64_(mb_put_u32_(to, a->leader), a->beat), a->digest);
    for (int32_t left = a->member[who].speaks && lacks(p, j, SEND) ? n : 0; left > 0; left--) {
        const mb_audited_ *m = &a->member[a->turn[j] % n];

        if (m->here) {
            if ((size_t)(to - out) + 4 + m->size > room)
                break;
            to = mb_put_u32_(to, (uint32_t)m->size);
            memcpy(to, a->store + m->at, m->size);
            to += m->size;
        }
        a->turn[j] = (a->turn[j] + 1) % n;
    }
    return (size_t)(to - out);
}

/* 1: the links that it names are those of the list, and its numbers are such. */
static int fits(const mb_peer *p, int32_t k, const unsigned char *at)
{
    const mb_auditor_ *a = p->audit;
    const mb_declared *d = list_of(p);

    for (int64_t e = d->links.ptr[k]; e < d->links.ptr[k + 1]; e++, at += 8 * a->entries) {
        uint32_t id, live;
        double   x;

        at = mb_get_u32_(mb_get_u32_(at, &id), &live);
        if (id != (uint32_t)d->member[d->links.adj[e]].id || live > 1)
            return 0;
        for (size_t i = 0; i < a->entries; i++)
            if (!mb_get_doubles_(at + 8 * i, &x, 1) || !(fabs(x) < 1e150))
                return 0;
    }
    return 1;
}

/* Whose statement these n bytes are to be; -1: they are none. */
static int32_t author(const mb_peer *p, const unsigned char *in, size_t n)
{
    uint32_t id;
    int32_t  k;

    if (n < MB_AUDIT_HEAD_)
        return -1;
    (void)mb_get_u32_(in + 4, &id);
    k = mb_declared_find(list_of(p), id);
    return k >= 0 && n == p->audit->member[k].size && list_of(p)->member[k].signing_key ? k : -1;
}

/* 1: member k has signed it, in the audit of this number. */
static int is_signed(const mb_peer *p, int32_t k, uint32_t leader, uint64_t beat,
                     const unsigned char *in)
{
    const mb_signer *s = p->opt.signer;
    const size_t     n = p->audit->member[k].size - MB_SIGNATURE;
    unsigned char    head[MB_AUDIT_HEAD_];

    (void)put_head(p, k, leader, beat, head);
    return memcmp(head, in, MB_AUDIT_HEAD_) == 0 && fits(p, k, in + MB_AUDIT_HEAD_) &&
           s->verify(s->self, list_of(p)->member[k].signing_key, in, n, in + n);
}

/* One that is here already changes nothing; one of another audit, or that is wrong, is counted. */
static int take(mb_peer *p, const unsigned char *in, size_t n)
{
    mb_auditor_  *a = p->audit;
    const int32_t k = author(p, in, n);

    if (k < 0)
        return 0;
    if (a->member[k].here)
        return 1;
    if (!is_signed(p, k, a->leader, a->beat, in))
        return 0;
    memcpy(a->store + a->member[k].at, in, n);
    add(p, k);
    return 1;
}

/* 1: one of these statements in another audit is of a member that may lead this node into it: again
 * only after a time that doubles. So one that announces other audits to each of its neighbours does
 * not keep them from the one that they pass on. */
static int leads(mb_peer *p, int64_t now, uint32_t leader, uint64_t beat, const unsigned char *in,
                 const unsigned char *end)
{
    uint32_t size;

    for (; end - in > 4; in += size) {
        mb_audited_ *m;
        int32_t      k;

        in = mb_get_u32_(in, &size);
        if (size > (size_t)(end - in))
            break;
        k = author(p, in, size);
        if (k < 0 || now < p->audit->member[k].next_ms || !is_signed(p, k, leader, beat, in))
            continue;
        m = &p->audit->member[k];
        m->pause_ms = m->pause_ms ? 2 * m->pause_ms : p->opt.rest_ms;
        m->next_ms = now + m->pause_ms;
        return 1;
    }
    return 0;
}

/* A newer audit of the leader that this node has, from a beat that it may know; not while statements of the
 * one before are on their way, or who begins audits again and again would end them all. */
static int is_newer(const mb_peer *p, int64_t now, uint32_t leader, uint64_t beat)
{
    const mb_auditor_ *a = p->audit;

    return leader == p->life->leader && beat <= p->life->beat &&
           (leader != a->leader || beat > a->beat) &&
           (!a->beat || (now - a->joined_ms >= p->opt.rest_ms / 2 && !mb_audit_hurries_(p)));
}

void mb_audit_take_(mb_peer *p, int64_t now, int32_t j, const unsigned char *in, size_t n)
{
    mb_auditor_         *a = p->audit;
    const unsigned char *end = in + n;
    const int32_t        who = mb_declared_find(list_of(p), p->link[j].id);
    uint32_t             leader, size;
    uint64_t             beat, digest;

    if (n < PART || who < 0)
        return;
    a->member[who].speaks = 1;
    in = mb_get_u64_(mb_get_u64_(mb_get_u32_(in, &leader), &beat), &digest);
    if (is_newer(p, now, leader, beat) &&
        (!a->beat || a->moved || leads(p, now, leader, beat, in, end)))
        begin(p, now, leader, beat);
    if (leader != a->leader || beat != a->beat || a->moved)
        return;
    a->digest_of[j] = digest;
    while (end - in > 4) {
        in = mb_get_u32_(in, &size);
        if (size > (size_t)(end - in))
            break;
        a->refused += !take(p, in, size);
        in += size;
    }
    if (mb_audit_hurries_(p) && p->life->due_ms > now + p->opt.tick_ms)
        p->life->due_ms = now + p->opt.tick_ms;
}

void mb_peer_audit(const mb_peer *p, mb_audit *out)
{
    const mb_auditor_ *a = MB_AUDIT_(p->audit != NULL) ? p->audit : NULL;

    *out = (mb_audit){.state = MB_AUDIT_(1) ? state_of(p) : MB_AUDIT_NO_SIGNER,
                      .members = list_of(p) ? list_of(p)->members : 0};
    if (!a)
        return;
    out->rounds = a->rounds;
    out->judged = a->judged;
    out->refused = a->refused;
    for (int32_t k = 0; k < out->members; k++)
        out->broken += a->member[k].failed > 1;
}

const char *mb_peer_audit_of(const mb_peer *p, int32_t k, int32_t *broken)
{
    const mb_auditor_ *a = MB_AUDIT_(p->audit != NULL) ? p->audit : NULL;

    *broken = a && a->member[k].failed > 1;
    return a ? a->member[k].why : "";
}
