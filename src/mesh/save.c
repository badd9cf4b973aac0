/* save.c - a checkpoint: a head, the state as it is, a checksum. */
#include "mesh/guarded.h"
#include "mesh/state.h"

#include <string.h>

enum { CHECK_MAGIC = 0x3143424d /* "MBC1" */, CHECK_VERSION = 3, CHECK_OLD = 1 };

/* Every number is 8 bytes, so there is no padding. */
typedef struct head {
    uint64_t magic, version, bytes, id, plan, len, neighbours, rows, rings;
} head;

static head head_of(const mb_peer *p)
{
    return (head){.magic = CHECK_MAGIC,
                  .version = CHECK_VERSION,
                  .bytes = p->bytes,
                  .id = (uint64_t)p->opt.id,
                  .plan = p->plan_hash,
                  .len = p->L + MB_EXTRA_,
                  .neighbours = (uint64_t)p->opt.neighbours,
                  .rows = (uint64_t)p->opt.rows,
                  .rings = (uint64_t)p->sent_room + MB_CHANGES_(p->known != NULL)};
}

/* Bytes of a state of this version; one of version 1 ends before the guard. */
static size_t state_bytes(const mb_peer *p, uint64_t version)
{
    return version == CHECK_OLD ? (size_t)((unsigned char *)p->guard - p->block) : p->bytes;
}

size_t mb_peer_saved(const mb_peer *p)
{
    return sizeof(head) + p->bytes + sizeof(uint32_t);
}

mb_status mb_peer_save(const mb_peer *p, void *out, size_t room, mb_err *err)
{
    const head     h = head_of(p);
    unsigned char *at = out;
    uint32_t       crc;

    if (room < mb_peer_saved(p))
        MB_FAIL(err, MB_E_ARG, "checkpoint: got room for %zu bytes; expected %zu", room,
                mb_peer_saved(p));
    memcpy(at, &h, sizeof h);
    memcpy(at + sizeof h, p->block, p->bytes);
    crc = mb_crc32c_(out, sizeof h + p->bytes);
    memcpy(at + sizeof h + p->bytes, &crc, sizeof crc);
    return MB_OK;
}

static mb_status check_head(const mb_peer *p, const head *h, mb_err *err)
{
    const head mine = head_of(p);

    if (h->magic != mine.magic || (h->version != CHECK_OLD && h->version != CHECK_VERSION))
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: this is not one of version %d or %d", CHECK_OLD,
                CHECK_VERSION);
    if (h->id != mine.id)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of node %llu; expected node %ld",
                (unsigned long long)h->id, (long)p->opt.id);
    if (h->plan != mine.plan || h->len != mine.len)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of another model, K, columns or genesis");
    if (h->bytes != state_bytes(p, h->version) || h->neighbours != mine.neighbours ||
        h->rows != mine.rows || h->rings != mine.rings)
        MB_FAIL(err, MB_E_ARG,
                "checkpoint: it is of a node made for %llu neighbours and %llu rows; expected %ld "
                "and %lld",
                (unsigned long long)h->neighbours, (unsigned long long)h->rows,
                (long)p->opt.neighbours, (long long)p->opt.rows);
    return MB_OK;
}

/* The checkpoint as a whole, and the numbers of its state. */
static mb_status check_state(const mb_peer *p, const unsigned char *at, size_t n, mb_err *err)
{
    uint32_t crc;
    head     h;

    if (n < sizeof h + sizeof crc)
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: got %zu bytes; expected %zu", n, mb_peer_saved(p));
    memcpy(&h, at, sizeof h);
    memcpy(&crc, at + n - sizeof crc, sizeof crc);
    if (crc != mb_crc32c_(at, n - sizeof crc))
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: its checksum is wrong; it is damaged");
    MB_TRY(check_head(p, &h, err));
    if (n != sizeof h + h.bytes + sizeof crc)
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: got %zu bytes; expected %zu", n,
                sizeof h + (size_t)h.bytes + sizeof crc);
    if (!mb_peer_fits_(p, at + sizeof h, (size_t)h.bytes))
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: its counts cannot be; it is damaged");
    return MB_OK;
}

/* The run that it is of, and that its block can be used. */
static mb_status check_run(mb_peer *p, const mb_life_ *l, const unsigned char *state, mb_err *err)
{
    mb_err why;

    if (p->life->run && l->run != p->life->run)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of run %016llx; expected %016llx",
                (unsigned long long)l->run, (unsigned long long)p->life->run);
    if (l->block &&
        mb_peer_try_block_(p, state + (p->encoded - p->block), l->block, l->run, &why) < 0)
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: %s; it is damaged", why.msg);
    return MB_OK;
}

/* Checks a checkpoint and makes it the state. least, most: what its incarnation may be. */
static mb_status restore(mb_peer *p, const void *bytes, size_t n, uint32_t least, uint32_t most,
                         mb_err *err)
{
    const unsigned char *state = (const unsigned char *)bytes + sizeof(head);
    mb_life_             l;

    if (p->life->tick)
        MB_FAIL(err, MB_E_ARG, "checkpoint: got one after the first tick; expected it before");
    MB_TRY(check_state(p, bytes, n, err));
    memcpy(&l, state, sizeof l);
    if (l.incarnation < least || l.incarnation > most)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of incarnation %lu; expected %s %lu",
                (unsigned long)l.incarnation, least > 1 ? "that of this life," : "one before",
                (unsigned long)p->opt.incarnation);
    MB_TRY(check_run(p, &l, state, err));
    n -= sizeof(head) + sizeof(uint32_t);
    memset(p->block, 0, p->bytes);
    memcpy(p->block, state, n);
    if (MB_EPOCHS_(p->epoch != NULL)) /* messages are read by it before the first tick */
        p->sum_opt.n = (int32_t)p->epoch->nodes;
    return l.block ? mb_peer_remake_(p, err) : MB_OK;
}

mb_status mb_peer_load(mb_peer *p, const void *bytes, size_t n, mb_err *err)
{
    mb_life_ *l = p->life;
    head      h;

    MB_TRY(restore(p, bytes, n, 1, p->opt.incarnation - 1, err));
    l->incarnation = p->opt.incarnation;
    l->event |= 2;
    l->quiet = 0;
    l->failed = 0;
    l->due_ms = INT64_MIN;
    if (MB_EPOCHS_(p->epoch != NULL))
        mb_epoch_leave_(p, p->epoch->pass);
    memcpy(&h, bytes, sizeof h);
    if (MB_BOUNDS_(h.version != CHECK_OLD)) /* which does not say what each neighbour said */
        mb_peer_confirm_(p);
    for (int32_t j = 0; j < l->links; j++) {
        p->link[j].acked = 0; /* what the neighbour has of this life is not known yet */
        if (MB_CHANGES_(p->known != NULL))
            p->known[j].echo = 0;
    }
    return MB_OK;
}

mb_status mb_peer_resume(mb_peer *p, const void *bytes, size_t n, mb_err *err)
{
    MB_TRY(restore(p, bytes, n, p->opt.incarnation, UINT32_MAX, err));
    if (MB_MASKS_(p)) /* what it drew for its record is gone */
        mb_epoch_leave_(p, p->epoch->pass);
    return MB_OK;
}

/* ---- for a recorder ---- */

size_t mb_peer_whole_(const mb_peer *p)
{
    return mb_peer_saved(p) + (MB_MASKS_(p) ? mb_taking_bytes_(p) : 0);
}

mb_status mb_peer_save_whole_(const mb_peer *p, void *out, size_t room, mb_err *err)
{
    if (room < mb_peer_whole_(p))
        MB_FAIL(err, MB_E_ARG, "node: got room for %zu bytes; expected %zu", room,
                mb_peer_whole_(p));
    if (MB_MASKS_(p))
        mb_taking_write_(p, (unsigned char *)out + mb_peer_saved(p));
    return mb_peer_save(p, out, room, err);
}

mb_status mb_peer_resume_whole_(mb_peer *p, const void *bytes, size_t n, mb_err *err)
{
    if (!MB_MASKS_(p))
        return mb_peer_resume(p, bytes, n, err);
    if (n != mb_peer_whole_(p))
        MB_FAIL(err, MB_E_FORMAT, "node: got %zu bytes; expected %zu", n, mb_peer_whole_(p));
    n = mb_peer_saved(p);
    MB_TRY(restore(p, bytes, n, p->opt.incarnation, UINT32_MAX, err));
    return mb_taking_read_(p, (const unsigned char *)bytes + n, err);
}
