/* disk.c - checkpoints on virtual disks: two places, written in turn; writes fail, are torn or cut
 * short. */
#include "virtual/inside.h"

#include <string.h>

/* The fault of a write. */
typedef enum fault { SOUND, FAIL, TORN, SHORT } fault;

/* Draws it, and how many bytes reach the disk. */
static fault draw(const mb_virtual *v, int32_t i, size_t n, size_t *reach)
{
    mb_rng rng = mb_rng_at(v->opt.seed, MB_STREAM_DISK, (uint32_t)i, v->node[i].saves);
    double u = mb_rng_uniform(&rng);

    *reach = (size_t)mb_rng_below(&rng, n);
    if (u < v->opt.disk_fail)
        return FAIL;
    u -= v->opt.disk_fail;
    if (u < v->opt.disk_torn)
        return TORN;
    return u - v->opt.disk_torn < v->opt.disk_short ? SHORT : SOUND;
}

/* The checkpoint into v->scratch, of which `reach` bytes are put on the disk. */
static void put(mb_virtual *v, mb_slot_ *slot, fault what, size_t n, size_t reach)
{
    memcpy(slot->bytes, v->scratch, what == SOUND ? n : reach);
    slot->n = what == SHORT ? reach : n;
    v->tally[what == SOUND ? MB_TALLY_SAVED
                           : (what == TORN ? MB_TALLY_SAVE_TORN : MB_TALLY_SAVE_SHORT)]++;
}

mb_status mb_disk_save_(mb_virtual *v, int32_t i, mb_err *err)
{
    mb_vnode_   *node = &v->node[i];
    mb_slot_    *slot = &node->slot[node->slot[0].order > node->slot[1].order];
    const size_t n = mb_peer_saved(node->peer);
    size_t       reach;
    const fault  what = draw(v, i, n, &reach);

    node->saves++;
    if (v->now < node->full_us || what == FAIL) {
        v->tally[what == FAIL ? MB_TALLY_SAVE_FAILED : MB_TALLY_SAVE_FULL]++;
        return MB_OK;
    }
    if (!slot->bytes)
        MB_NEW(slot->bytes, v->own, n, err);
    MB_TRY(mb_peer_save(node->peer, v->scratch, n, err));
    put(v, slot, what, n, reach);
    slot->order = ++node->newest;
    slot->fed = node->fed;
    slot->read_ms = node->read_ms;
    for (int64_t k = 0; k < node->fed; k++)
        slot->came[k] = node->piece[k].now;
    slot->tick = node->ticks;
    return mb_tell_call_(
        v, i, (mb_called){.call = MB_CALL_SAVE, .id = -1, .bytes = v->scratch, .n = n}, err);
}

mb_status mb_disk_load_(mb_virtual *v, int32_t i, const mb_slot_ **slot, int32_t *refused,
                        mb_err *why, mb_err *err)
{
    mb_vnode_ *node = &v->node[i];
    const int  first = node->slot[1].order > node->slot[0].order;

    *slot = NULL;
    *refused = 0;
    for (int k = 0; k < 2 && !*slot; k++) {
        const mb_slot_ *from = &node->slot[k ? !first : first];
        mb_status       st;

        if (!from->order)
            continue;
        st = mb_peer_load(node->peer, from->bytes, from->n, why);
        if (st == MB_E_NOMEM)
            MB_FAIL(err, st, "%s", why->msg);
        MB_TRY(mb_tell_call_(
            v, i,
            (mb_called){
                .call = MB_CALL_LOAD, .id = -1, .bytes = from->bytes, .n = from->n, .answer = st},
            err));
        v->tally[st < 0 ? MB_TALLY_LOAD_REFUSED : MB_TALLY_LOADED]++;
        *refused += st < 0;
        *slot = st < 0 ? NULL : from;
    }
    return MB_OK;
}

void mb_disk_wipe_(mb_virtual *v, int32_t i)
{
    for (int k = 0; k < 2; k++)
        v->node[i].slot[k].order = 0;
}
