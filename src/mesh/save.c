/* save.c - a checkpoint: a head, the state as it is, a checksum. */
#include "mesh/state.h"

#include <string.h>

enum { CHECK_MAGIC = 0x3143424d /* "MBC1" */, CHECK_VERSION = 1 };

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
                  .rings = (uint64_t)p->sent_room};
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

    if (h->magic != mine.magic || h->version != mine.version)
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: this is not one of version %d", CHECK_VERSION);
    if (h->id != mine.id)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of node %llu; expected node %ld",
                (unsigned long long)h->id, (long)p->opt.id);
    if (h->plan != mine.plan || h->len != mine.len)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of another model, K, columns or genesis");
    if (h->bytes != mine.bytes || h->neighbours != mine.neighbours || h->rows != mine.rows ||
        h->rings != mine.rings)
        MB_FAIL(err, MB_E_ARG,
                "checkpoint: it is of a node made for %llu neighbours and %llu rows; expected %ld "
                "and %lld",
                (unsigned long long)h->neighbours, (unsigned long long)h->rows,
                (long)p->opt.neighbours, (long long)p->opt.rows);
    return MB_OK;
}

static mb_status check(const mb_peer *p, const unsigned char *at, size_t n, mb_err *err)
{
    uint32_t crc;
    head     h;
    mb_life_ l;

    if (n < sizeof h + sizeof crc)
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: got %zu bytes; expected %zu", n, mb_peer_saved(p));
    memcpy(&h, at, sizeof h);
    memcpy(&crc, at + n - sizeof crc, sizeof crc);
    if (crc != mb_crc32c_(at, n - sizeof crc))
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: its checksum is wrong; it is damaged");
    MB_TRY(check_head(p, &h, err));
    if (n != mb_peer_saved(p))
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: got %zu bytes; expected %zu", n, mb_peer_saved(p));
    memcpy(&l, at + sizeof h, sizeof l);
    if (l.links < 0 || l.links > p->opt.neighbours || l.n < 0 || l.n > p->opt.rows ||
        l.block > p->room || l.samples > p->keys || l.phase < MB_WAITING_ ||
        l.phase > MB_RUNNING_ || (!l.block && l.phase != MB_WAITING_))
        MB_FAIL(err, MB_E_FORMAT, "checkpoint: its counts cannot be; it is damaged");
    if (l.incarnation >= p->opt.incarnation)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of incarnation %lu; expected one before %lu",
                (unsigned long)l.incarnation, (unsigned long)p->opt.incarnation);
    if (p->life->run && l.run != p->life->run)
        MB_FAIL(err, MB_E_ARG, "checkpoint: it is of run %016llx; expected %016llx",
                (unsigned long long)l.run, (unsigned long long)p->life->run);
    return MB_OK;
}

mb_status mb_peer_load(mb_peer *p, const void *bytes, size_t n, mb_err *err)
{
    mb_life_ *l = p->life;

    if (l->tick)
        MB_FAIL(err, MB_E_ARG, "checkpoint: got one after the first tick; expected it before");
    MB_TRY(check(p, bytes, n, err));
    memcpy(p->block, (const unsigned char *)bytes + sizeof(head), p->bytes);
    l->incarnation = p->opt.incarnation;
    l->event |= 2;
    l->quiet = 0;
    l->failed = 0;
    l->due_ms = INT64_MIN;
    return l->run ? mb_peer_remake_(p, err) : MB_OK;
}
