/* A mesh node hears the input as a frame, unchanged and with the head of a neighbour's frame and its
 * checksum put right: what is refused changes no more than its two counters, whatever is taken
 * leaves a node that ticks and says frames that open. Then the input is a checkpoint, and changes in
 * one whose checksum is put right: what is taken leaves a node that ticks. Likewise a node that runs
 * SUM hears the input as the part of a frame that says its epoch, with masks and without. */
#include "fuzz.h"

#include "algo/sum.h"
#include "base/bytes.h"
#include "mesh.h"

#include <string.h>

enum { MOST = 1 << 14, SELF = 0, OTHER = 1, D = 2, HEAD = 72 /* of a checkpoint */ };

static const char *const names[D] = {"x1", "x2"};

static mb_status draw(void *self, void *to, size_t n, mb_err *err)
{
    (void)self, (void)err;
    memset(to, 1, n);
    return MB_OK;
}

static mb_status begin(void *self, int32_t id, const void *record, size_t n, const int32_t *partner,
                       int32_t partners, mb_err *err)
{
    (void)self, (void)id, (void)record, (void)n, (void)partner, (void)partners, (void)err;
    return MB_OK;
}

static int32_t add(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    (void)self, (void)id, (void)epoch, (void)pass;
    for (size_t l = 0; l < n; l++)
        mb_set_word(w, l, mb_word(w, l) + l);
    return 1;
}

static const mb_masks  masks = {.add = add, .random = draw, .begin = begin};
static const mb_member member[3] = {
    {.id = SELF, .rows = 8}, {.id = OTHER, .rows = 8}, {.id = 2, .rows = 8}};
static int64_t           no_links[4];
static const mb_declared list = {
    .rows = 24, .columns = D, .members = 3, .member = member, .links = {.n = 3, .ptr = no_links}};
static const mb_declared batches = {.rows = 24,
                                    .columns = D,
                                    .members = 3,
                                    .member = member,
                                    .links = {.n = 3, .ptr = no_links},
                                    .rows_batch = 2};

enum { MASKED = 1, BATCHES /* mb_plan::mask */ };

static mb_peer *node(mb_arena *a, const mb_plan *plan, uint32_t incarnation)
{
    const mb_peer_opt o = {.id = SELF,
                           .declared = plan->mask == BATCHES ? &batches
                                       : plan->mask          ? &list
                                                             : NULL,
                           .masks = plan->mask ? &masks : NULL,
                           .incarnation = incarnation,
                           .plan = plan,
                           .neighbours = 2,
                           .rows = 8,
                           .wire = plan->algo ? MB_WIRE_FLOAT64 : MB_WIRE_FLOAT16};
    const double      x[16] = {0, 1, 2, 1, 0, 2, 9, 9, 8, 9, 9, 7, 1, 1, 8, 8};
    const mb_rows     rows = {.x = x, .n = 8, .d = D, .ld = D};
    mb_err            err;
    mb_peer          *p;

    if (mb_peer_new(a, &o, &p, &err) < 0 || mb_peer_link(p, OTHER, &err) < 0 ||
        mb_peer_link(p, 2, &err) < 0 || mb_peer_append(p, 0, &rows, NULL, &err) < 0)
        abort();
    return p;
}

static void hear(mb_arena *a, mb_peer *p, const uint8_t *data, size_t size)
{
    const size_t   n = mb_peer_saved(p);
    unsigned char *was = mb_alloc(a, n, 1), *is = mb_alloc(a, n, 1);
    size_t         differ = 0;
    mb_err         err = {0};

    if (!was || !is || mb_peer_save(p, was, n, &err) < 0)
        return;
    if (!mb_peer_hear(p, 5, -1, data, size, &err))
        return;
    if (!*err.msg || mb_peer_save(p, is, n, &err) < 0)
        abort();
    for (size_t k = 0; k + 4 < n; k++) /* the checksum is last */
        differ += was[k] != is[k];
    if (differ > 2) /* counters: in all, and of the neighbour */
        abort();
}

/* The input as the payload and most of the head of a sound frame of neighbour 1. */
static void hear_repaired(mb_arena *a, mb_peer *p, const mb_plan *plan, const uint8_t *data,
                          size_t size)
{
    unsigned char *frame = mb_alloc(a, size, 1);
    mb_frame_      f;
    mb_err         err;

    if (!frame || size < MB_FRAME_HEAD_ + MB_FRAME_TAIL_)
        return;
    memcpy(frame, data, size);
    memset(&f, 0, sizeof f);
    f.flags = (uint8_t)(data[6] & MB_FRAME_FLAGS_);
    f.count = data[7];
    f.plan = mb_plan_hash_(plan);
    f.from = OTHER;
    f.to = SELF;
    f.incarnation = 1;
    f.tick = 1 + data[40];
    f.echo_life = data[36] & 1;
    f.code = data[100] % 3;
    f.base = f.code == MB_CODE_FLOAT16_ ? 1 + data[56] : 0;
    f.rounds = data[92];
    f.quiet = data[88];
    f.leader = data[72] & 3;
    f.hop = data[76] & 7;
    f.hops = data[80] & 7;
    f.ttl = data[84];
    f.degree = 1;
    f.kappa = 4;
    f.n_nodes = 1 + data[112];
    f.samples = f.flags & MB_FRAME_SAMPLE_ ? data[120] & 63 : 0;
    f.bytes = (uint32_t)(size - MB_FRAME_HEAD_ - MB_FRAME_TAIL_);
    (void)mb_frame_seal_(&f, frame);
    if (mb_frame_open_(frame, size, &f, &err) == MB_REFUSED_NONE)
        hear(a, p, frame, size);
}

/* A checkpoint of a node that runs alone after its neighbours stayed silent. */
static unsigned char *saved(mb_arena *a, const mb_plan *plan, size_t *n)
{
    mb_peer       *p = node(a, plan, 1);
    unsigned char *out;
    mb_err         err;

    for (int64_t t = 1; t < 80; t++)
        if (mb_peer_tick(p, 20 * t, &err) < 0)
            abort();
    *n = mb_peer_saved(p);
    out = mb_alloc(a, *n, 1);
    if (out && mb_peer_save(p, out, *n, &err) < 0)
        abort();
    return out;
}

/* Each 8 bytes of the input: where (3; from the single numbers and links on, or anywhere), how many
 * (1) and 4 bytes to put there. */
static void change(unsigned char *state, size_t n, size_t few, const uint8_t *data, size_t size)
{
    for (; size >= 8; data += 8, size -= 8) {
        const size_t where = data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
        const size_t at = data[3] & 8 ? where % n : where % few, count = data[3] & 7;

        for (size_t k = 0; k < count && at + k < n; k++)
            state[at + k] = data[4 + k % 4];
    }
}

static void load_repaired(mb_arena *a, const mb_plan *plan, const uint8_t *data, size_t size)
{
    size_t         n;
    unsigned char *check = saved(a, plan, &n);
    uint32_t       crc;
    mb_err         err = {0};
    mb_peer       *p = node(a, plan, 2);

    if (!check)
        return;
    change(check + HEAD, n - HEAD - sizeof crc, sizeof(mb_life_) + 2 * sizeof(mb_link_), data,
           size);
    crc = mb_crc32c_(check, n - sizeof crc);
    memcpy(check + n - sizeof crc, &crc, sizeof crc);
    fuzz_check(mb_peer_load(p, check, n, &err), &err);
    (void)fuzz_frames(a, p, 1); /* a tick may fail, and says so */
}

/* Ids that ascend, more or less, and this node's own entry or another. */
static unsigned char *put_list(const mb_peer *p, const uint8_t *data, uint32_t nodes,
                               unsigned char *at)
{
    for (uint32_t k = 0; k < nodes; k++) {
        const uint32_t id = (k + data[7] % 2) % 4;

        at = mb_put_u32_(mb_put_u32_(at, id), id ? data[8] % 3 : p->taking[SELF].life);
        memcpy(at, p->taking[SELF].fresh, MB_FRESH_);
        at[0] = (unsigned char)(at[0] ^ (data[9] % 8 == 7));
        at += MB_FRESH_;
        if (p->taken)
            at = mb_put_u64_(at, 8 + data[3] % 4);
    }
    if (!p->taken)
        return at;
    at = mb_put_u64_(at, p->taken_at->counter + data[2] % 3);
    at = mb_put_u32_(mb_put_u32_(at, OTHER), 1);
    for (int32_t k = 0; k < list.members; k++)
        at = mb_put_u64_(at, (uint64_t)p->taken[k] + data[1] % 4 + (data[4] % 8 == 7));
    return at;
}

/* Makes the input the part of an epoch: its head in range, of the node's epoch or another, with the
 * rest as numbers. */
static size_t make_part(const mb_peer *p, const uint8_t *data, size_t size, unsigned char *out)
{
    const mb_epoch_ *e = p->epoch;
    const size_t     L = mb_epoch_layout_(p)->len, counts[] = {0, L, L, 2 * L + 4, L + 2};
    const uint32_t   content = data[0] % 5;
    const size_t     n = counts[content];
    const uint32_t   nodes = 1 + data[6] % 4;
    unsigned char   *at = out, *numbers;

    at = mb_put_u64_(at, e->record.counter + data[1] % 3);
    at = mb_put_u32_(at, data[2] % 2 ? e->record.proposer : OTHER);
    at = mb_put_u32_(at, e->record.life);
    at = mb_put_u32_(at, MB_STAGE_GATHERS_ + data[3] % 3);
    at = mb_put_u16_(at, data[4] & MB_SAYS_FLAGS_);
    at = mb_put_u16_(at, (uint16_t)(content < 4 ? content : MB_CONTENT_SUM_));
    at = mb_put_u32_(at, data[5]);
    at = mb_put_u32_(at, nodes);
    at = mb_put_u64_(at, e->pass + data[7] % 3);
    at = mb_put_u64_(at, e->pass + data[8] % 3);
    at = mb_put_f64_(at, data[9]);
    if (p->taking && content < MB_CONTENT_SUM_ && data[5] % 4) /* a list of members, mostly */
        at = put_list(p, data, nodes, at);
    numbers = at;
    for (size_t k = 0; k < 8 * n; k++)
        *at++ = size > 10 ? data[10 + k % (size - 10)] : 0;
    if (content >= MB_CONTENT_SUM_) { /* what it is, and its pass */
        const int is = (content < 4 ? MB_SUM_UP_ : MB_SUM_DOWN_) | (data[4] >> 4 & MB_SUM_VOID_) |
                       (data[4] >> 4 & MB_SUM_LARGE_);

        for (size_t k = 0; k < L && is == (MB_SUM_DOWN_ | MB_SUM_LARGE_); k++)
            mb_put_f64_(numbers + 8 * k, 8 * (data[9] % 8)); /* bits */
        mb_put_u64_(numbers + 8 * L, mb_sum_tag_(is, data[8] / 4, e->pass + data[7] % 3));
        mb_put_u64_(numbers + 8 * L + 8, e->pass + data[8] % 3);
    }
    return (size_t)(at - out);
}

/* Neighbour 1 says it, raw: the input as it is. */
static void hear_part(mb_arena *a, mb_peer *p, const mb_plan *plan, const uint8_t *data,
                      size_t size, int raw, uint64_t tick)
{
    const size_t   room = mb_peer_frame_max(p);
    unsigned char *frame = mb_alloc(a, room, 1), *part = frame + MB_FRAME_HEAD_ + 4;
    mb_frame_      f = {.flags = MB_FRAME_HEARS_,
                        .plan = mb_plan_hash_(plan),
                        .run = p->life->run,
                        .from = OTHER,
                        .to = SELF,
                        .incarnation = 1,
                        .tick = tick,
                        .parts = MB_FRAME_EPOCH_,
                        .degree = 1,
                        .rounds = 3,
                        .kappa = 4,
                        .n_nodes = 2};
    size_t         n = size < mb_epoch_room_(p) ? size : mb_epoch_room_(p);

    if (!frame || size < 10)
        return;
    if (raw)
        memcpy(part, data, n);
    else
        n = make_part(p, data, size, part);
    (void)mb_put_u32_(part - 4, (uint32_t)n);
    f.bytes = (uint32_t)(4 + n);
    hear(a, p, frame, mb_frame_seal_(&f, frame));
}

/* Neighbour 1 says parts of epochs, and the node loads changed checkpoints. g: its block; NULL: it
 * draws one. */
static void hear_parts(mb_arena *a, const mb_plan *plan, const mb_genesis *g, const uint8_t *data,
                       size_t size, int64_t ticks)
{
    mb_peer *p = node(a, plan, 1);
    mb_err   err = {0};

    if (g && mb_peer_genesis(p, g, &err) < 0)
        abort();
    for (int64_t t = 1; t < ticks; t++)
        if (mb_peer_tick(p, 20 * t, &err) < 0)
            abort();
    for (uint64_t k = 0; 16 * k + 10 <= size && k < 16; k++) {
        hear_part(a, p, plan, data + 16 * k, size - 16 * k, k % 4 == 3, 1 + k);
        (void)fuzz_frames(a, p, ticks + FUZZ_TICKS * (int64_t)k); /* a tick may fail */
    }
}

/* After these ticks neighbours are no longer waited for, and a start from ranges is on its way. */
static void use_sum(const uint8_t *data, size_t size, mb_genesis_from from, int64_t ticks)
{
    static const double low[D], high[D] = {10, 10};
    const mb_bounds     bounds = {D, low, high};
    mb_arena           *a = mb_arena_new(1 << 16);
    mb_gmm_kind         gmm = {0};
    mb_plan             plan = {.kind = &mb_kind_gmm,
                                .kind_opt = &gmm,
                                .columns = D,
                                .column = names,
                                .from = from,
                                .algo = &mb_algo_sum,
                                .bounds = from == MB_GENESIS_RANGES ? &bounds : NULL},
            masked = plan;
    mb_err   err = {0};
    mb_peer *p;

    if (size <= MOST && mb_opt_defaults(mb_kind_gmm.opts, &gmm, &err) >= 0) {
        hear_parts(a, &plan, NULL, data, size, ticks);
        load_repaired(a, &plan, data, size);
        p = node(a, &plan, 1);
        for (int64_t t = 1; t < ticks; t++)
            if (mb_peer_tick(p, 20 * t, &err) < 0)
                abort();
        if (from != MB_GENESIS_RANGES)
            masked.from = MB_GENESIS_GIVEN;
        for (masked.mask = MASKED; masked.mask <= BATCHES; masked.mask++)
            hear_parts(a, &masked, from == MB_GENESIS_RANGES ? NULL : mb_peer_block(p), data, size,
                       ticks);
    }
    mb_arena_free(a);
}

static void use_plan(const uint8_t *data, size_t size, mb_genesis_from from)
{
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_gmm_kind gmm = {0};
    mb_plan     plan = {
            .kind = &mb_kind_gmm, .kind_opt = &gmm, .columns = D, .column = names, .from = from};
    mb_err   err = {0};
    mb_peer *p;

    if (size > MOST || mb_opt_defaults(mb_kind_gmm.opts, &gmm, &err) < 0) {
        mb_arena_free(a);
        return;
    }
    p = node(a, &plan, 1);
    hear(a, p, data, size);
    (void)fuzz_frames(a, p, 1); /* a tick may fail, and says so */
    hear_repaired(a, p, &plan, data, size);
    (void)fuzz_frames(a, p, 1); /* a tick may fail, and says so */
    p = node(a, &plan, 2);
    fuzz_check(mb_peer_load(p, data, size, &err), &err);
    (void)fuzz_frames(a, p, 1); /* a tick may fail, and says so */
    load_repaired(a, &plan, data, size);
    mb_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    use_plan(data, size, MB_GENESIS_SAMPLE);
    use_plan(data, size, MB_GENESIS_SUMS);
    use_sum(data, size, MB_GENESIS_SAMPLE, 80);
    use_sum(data, size, MB_GENESIS_RANGES, 50);
    return 0;
}
