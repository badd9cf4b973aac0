/* mask.c - masks of the sums of virtual nodes: simulated, by the seed. Over all lives it remembers what
 * was masked, so that a mask that serves two contributions is found, whatever dies and returns with
 * an old checkpoint. */
#include "base/mask.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "mesh/fnv.h"
#include "virtual/inside.h"

#include <string.h>

/* One contribution. */
struct mb_masked_ {
    struct mb_masked_ *before;
    uint64_t           epoch, pass;
    uint32_t           words;
};

static mb_status draw(void *self, void *to, size_t n, mb_err *err)
{
    const mb_vmask_ *m = self;
    mb_virtual      *v = m->net;
    mb_rng           rng = mb_rng_at(m->seed, MB_STREAM_MASK, 2, v->drawn++);
    unsigned char   *out = to;

    for (size_t k = 0; k < n; k++)
        out[k] = (unsigned char)mb_rng_u32(&rng);
    return mb_tell_call_(v, m->node,
                         (mb_called){.call = MB_CALL_RANDOM, .id = -1, .bytes = to, .n = n}, err);
}

static mb_status begin(void *self, int32_t id, const void *record, size_t n, const int32_t *partner,
                       int32_t partners, mb_err *err)
{
    mb_vmask_ *m = self;

    (void)id, (void)err;
    m->epoch = mb_fnv_bytes_(MB_FNV_BEGIN_, record, n);
    m->partners = partners;
    memcpy(m->partner, partner, (size_t)partners * sizeof *partner);
    return MB_OK;
}

/* What was masked, of all lives of the node. */
static void note(mb_vmask_ *m, uint64_t pass, size_t n, const double *w)
{
    const uint32_t           words = mb_crc32c_(w, n * sizeof *w);
    const struct mb_masked_ *is = m->newest;
    struct mb_masked_       *one;

    while (is && (is->epoch != m->epoch || is->pass != pass))
        is = is->before;
    m->net->twice |= is && is->words != words;
    one = is ? NULL : mb_alloc(m->net->own, 1, sizeof *one);
    if (!one)
        return;
    *one = (struct mb_masked_){m->newest, m->epoch, pass, words};
    m->newest = one;
}

static int32_t add(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    mb_vmask_ *m = self;

    (void)epoch;
    if (m->net)
        note(m, pass, n, w);
    mb_mask_simulated_(m->seed, id, m->partner, m->partners, m->epoch, pass, n, w);
    return 1;
}

static mb_status make(mb_arena *a, uint64_t seed, int32_t members, mb_vmask_ *out, mb_err *err)
{
    *out = (mb_vmask_){.seed = seed};
    MB_NEW(out->partner, a, members, err);
    out->by = (mb_masks){.self = out, .add = add, .random = draw, .begin = begin};
    return MB_OK;
}

mb_status mb_mask_of_seed_(mb_arena *a, uint64_t seed, int32_t members, const mb_masks **out,
                           mb_err *err)
{
    mb_vmask_ *m;

    MB_NEW(m, a, 1, err);
    *out = &m->by;
    return make(a, seed, members, m, err);
}

mb_status mb_masks_make_(mb_virtual *v, mb_err *err)
{
    if (!v->opt.peer.plan || !v->opt.peer.plan->mask)
        return MB_OK;
    MB_NEW(v->mask, v->own, v->n, err);
    for (int32_t i = 0; i < v->n; i++) {
        MB_TRY(make(v->own, v->opt.seed, v->n, &v->mask[i], err));
        v->mask[i].net = v;
        v->mask[i].node = i;
    }
    return MB_OK;
}
