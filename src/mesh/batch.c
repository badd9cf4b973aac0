/* batch.c - with masks and rows_batch, which rows of each member are in the sums: the first ones of each,
 * as many as a vector says that all agree on. It grows in the list of a record, where at least three
 * members have at least rows_batch new rows each, and each vector has all rows of the one before, so
 * that no two totals differ by the rows of fewer nodes (docs/protocol.md, section 4c). */
#include "base/bytes.h"
#include "base/format.h"
#include "base/rows.h"
#include "mesh/state.h"

#include <math.h>
#include <string.h>

enum { HEAD = 16 /* bytes of a record */ };
static const double ROWS_MOST = 4503599627370496.0; /* 2^52 */

static const mb_declared *list_of(const mb_peer *p)
{
    return p->opt.declared;
}

size_t mb_batch_bytes_(const mb_declared *d)
{
    return d->rows_batch ? HEAD + 8 * (size_t)d->members : 0;
}

unsigned char *mb_batch_put_(const mb_peer *p, unsigned char *at)
{
    const mb_record_ *r = p->taken_at;

    at = mb_put_u64_(at, r->counter);
    at = mb_put_u32_(mb_put_u32_(at, r->proposer), r->life);
    for (int32_t k = 0; k < list_of(p)->members; k++)
        at = mb_put_u64_(at, (uint64_t)p->taken[k]);
    return at;
}

static const unsigned char *get_record(const unsigned char *at, mb_record_ *out)
{
    at = mb_get_u64_(at, &out->counter);
    return mb_get_u32_(mb_get_u32_(at, &out->proposer), &out->life);
}

/* 1: a vector of this record is a later one than that of the node. */
static int is_later(const mb_peer *p, const mb_record_ *r)
{
    return mb_record_is_higher_(r, p->taken_at);
}

int mb_batch_sound_(const mb_peer *p, const unsigned char *at, const mb_record_ *record)
{
    mb_record_ r;
    int32_t    grown = 0, later;

    at = get_record(at, &r);
    if (mb_record_is_higher_(&r, record))
        return 0;
    later = is_later(p, &r);
    for (int32_t k = 0; k < list_of(p)->members; k++) {
        const int64_t was = p->taken[k];
        uint64_t      n;

        at = mb_get_u64_(at, &n);
        if ((double)n > ROWS_MOST || (double)n < list_of(p)->member[k].rows)
            return 0;
        if (later && (int64_t)n != was && (int64_t)n < was + list_of(p)->rows_batch)
            return 0;
        grown += (int64_t)n != was;
    }
    return !later || grown >= MB_BATCHES_;
}

int mb_batch_take_(mb_peer *p, int32_t by, const unsigned char *at)
{
    mb_record_ r;

    at = get_record(at, &r);
    if (!is_later(p, &r))
        return mb_record_is_(&r, p->taken_at);
    *p->taken_at = r;
    p->taken_by = by;
    for (int32_t k = 0; k < list_of(p)->members; k++) {
        uint64_t n;

        at = mb_get_u64_(at, &n);
        p->taken[k] = (int64_t)n;
    }
    p->life->event |= 1;
    return 1;
}

/* 1: n rows of member k are a batch more than those in the sums. */
static int is_batch(const mb_peer *p, int32_t k, int64_t n)
{
    return n - p->taken[k] >= list_of(p)->rows_batch;
}

int mb_batch_weighs_(const mb_peer *p)
{
    return MB_BATCH_(p) && list_of(p)->weight_max > 0;
}

/* The new rows of the node weigh as much as a batch of rows that count once: with light ones it
 * would hide nothing of the other two. */
static int has_weight(const mb_peer *p)
{
    double weight = 0;

    for (int64_t i = p->taken[p->member]; i < p->life->n; i++)
        weight += p->w[i];
    return weight >= (double)list_of(p)->rows_batch * (1 - 1e-9);
}

/* 1: the node has a batch. */
static int has_batch(const mb_peer *p)
{
    return is_batch(p, p->member, p->life->n) && (!p->life->weighted || has_weight(p));
}

int64_t mb_batch_offer_(const mb_peer *p)
{
    return has_batch(p) ? p->life->n : p->taken[p->member];
}

void mb_batch_decide_(mb_peer *p)
{
    int32_t have = 0;

    for (int32_t k = 0; k < list_of(p)->members; k++)
        have += p->taking[k].life && is_batch(p, k, p->taking[k].offer);
    if (have < MB_BATCHES_ || !p->life->run)
        return;
    for (int32_t k = 0; k < list_of(p)->members; k++)
        if (p->taking[k].life && is_batch(p, k, p->taking[k].offer))
            p->taken[k] = p->taking[k].offer;
    *p->taken_at = p->epoch->record;
    p->life->event |= 1;
}

/* 1: the first rows that are in the sums end within a group, so they are others than they were. */
static int cuts_group(const mb_peer *p, int64_t n)
{
    return MB_GROUPS_(p->grouped) && n > 0 && n < p->life->n && p->group[n] == p->group[n - 1];
}

int mb_batch_has_rows_(const mb_peer *p)
{
    const int64_t n = p->taken[p->member];

    return p->life->n >= n && !cuts_group(p, n);
}

void mb_batch_return_(mb_peer *p)
{
    const int waits = p->epoch->stage != MB_STAGE_RUNS_ && !p->taking[p->member].life;

    if (waits && mb_batch_has_rows_(p))
        p->epoch->stage = MB_STAGE_NONE_;
}

int32_t mb_batch_ready_(const mb_peer *p)
{
    const mb_epoch_ *e = p->epoch;
    int32_t          n = p->life->run && has_batch(p);

    if (e->stage != MB_STAGE_RUNS_)
        return 0;
    for (int32_t j = 0; j < p->life->links; j++) {
        const mb_stated_ *s = &p->branch[j].stated;

        if (p->branch[j].child && s->stage == MB_STAGE_RUNS_ &&
            mb_record_is_(&s->record, &e->record))
            n += s->flags / MB_SAYS_READY_ % (MB_BATCHES_ + 1);
    }
    return n < MB_BATCHES_ ? n : MB_BATCHES_;
}

double mb_batch_all_rows_(const mb_peer *p)
{
    double rows = 0;

    for (int32_t k = 0; k < list_of(p)->members; k++)
        rows += p->left_out[k] ? 0 : (double)p->taken[k];
    return rows * (mb_batch_weighs_(p) ? list_of(p)->weight_max : 1);
}

void mb_batch_say_(mb_peer *p)
{
    const int64_t waiting = p->life->n - p->taken[p->member];
    char          have[40] = "";

    *p->batch_text = '\0';
    if (waiting <= 0)
        return;
    if (p->epoch->parent < 0 && p->epoch->stage == MB_STAGE_RUNS_)
        mb_format_(have, sizeof have, " (now %d)", (int)mb_batch_ready_(p));
    mb_format_(p->batch_text, MB_PEER_MESSAGE_,
               "has %ld new rows, which wait until %d nodes have at least %ld each%s%s",
               (long)waiting, MB_BATCHES_, (long)list_of(p)->rows_batch,
               p->life->weighted ? ", by number and by weight" : "", have);
}
