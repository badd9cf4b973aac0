/* state.c - small questions to the state of a node. */
#include "mesh/state.h"

#include <string.h>

int32_t mb_peer_find_(const mb_peer *p, int64_t id)
{
    for (int32_t j = 0; j < p->life->links; j++)
        if (p->link[j].id == id)
            return j;
    return -1;
}

void mb_peer_note_(mb_peer *p, const mb_err *err)
{
    size_t n = 0;

    while (n + 1 < MB_PEER_MESSAGE_ && err->msg[n])
        n++;
    memcpy(p->life->message, err->msg, n);
    p->life->message[n] = '\0';
}

void mb_peer_fail_(mb_peer *p, const mb_err *err)
{
    p->life->failed = 1;
    mb_peer_note_(p, err);
}

void mb_peer_units_(mb_peer *p, int64_t i)
{
    const size_t    D = (size_t)p->plan.columns;
    const mb_units *u = &p->g.run;

    if (!p->life->block)
        return;
    for (size_t d = 0; d < D; d++)
        p->run_x[(size_t)i * D + d] = (p->x[(size_t)i * D + d] - u->origin[d]) / u->scale[d];
}

uint32_t mb_peer_enough_(const mb_life_ *l)
{
    return 2 * l->H + 2;
}

int mb_peer_done_(const mb_life_ *l)
{
    return l->phase == MB_RUNNING_ && l->quiet > mb_peer_enough_(l);
}
