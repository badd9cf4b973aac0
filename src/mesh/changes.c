/* changes.c - with MB_WIRE_CHANGES a neighbour is sent no vector that it has already
 * (docs/protocol.md, section 4a). */
#include "mesh/state.h"

#include <math.h>

/* Row of the ring with the vector of a tick on link j; NULL: it is not there. */
static const double *ring_row(const mb_peer *p, const double *row, const uint64_t *ticks, int32_t j,
                              uint64_t tick)
{
    const size_t at = (size_t)j * MB_RING_ + tick % MB_RING_;

    return tick && ticks[at] == tick ? row + at * mb_peer_len_(p, 1) : NULL;
}

/* 1: what is to be said to neighbour j is what it was sent in a tick, as far as rounding tells. */
static int is_same(const mb_peer *p, int32_t j, uint64_t tick)
{
    static const double NONE = 1e-13; /* of a block */
    const double       *had = ring_row(p, p->sent, p->sent_tick, j, tick);

    return had &&
           mb_vector_change_(&p->model.layout, p->len, p->out + (size_t)j * p->len, had) <= NONE;
}

/* While the newest one is not acknowledged the neighbour may have only the one before. */
int mb_peer_has_already_(const mb_peer *p, int32_t j)
{
    const mb_link_  *l = &p->link[j];
    const mb_known_ *k = &p->known[j];

    return p->life->phase == MB_RUNNING_ && l->live && !(l->flags & MB_FRAME_BLANK_) &&
           is_same(p, j, k->echo) && (k->sent == k->echo || is_same(p, j, k->sent));
}

void mb_peer_hear_again_(mb_peer *p, int32_t j)
{
    mb_known_    *k = &p->known[j];
    const double *m = ring_row(p, p->got, p->got_tick, j, k->received);

    if (m)
        p->algo->mesh->hear(p->life->how, m, p->len, p->z + (size_t)j * p->len);
    else
        k->received = 0;
}

uint64_t mb_peer_echo_(const mb_peer *p, int32_t j)
{
    const mb_link_ *l = &p->link[j];

    if (p->life->phase != MB_RUNNING_)
        return l->tick;
    return l->live ? p->known[j].received : 0;
}
