/* H of the automatic options: hops from the lowest node id to the farthest node. */
#include "meshbayes/start.h"
#include "start/flood.h"

/* (lowest id, hops to it): a neighbour's offer is one hop longer. */
static int merge_hops(double *mine, const double *theirs, size_t len)
{
    const double hops = theirs[1] + 1;
    (void)len;
    if (theirs[0] > mine[0] || (theirs[0] >= mine[0] && hops >= mine[1]))
        return 0;
    mine[0] = theirs[0];
    mine[1] = hops;
    return 1;
}

mb_status mb_agree_hops(mb_arena *a, mb_transport *tp, int32_t *hops, mb_traffic *sent, mb_err *err)
{
    const mb_part *part = tp->part;
    mb_flood       nearest, farthest;
    MB_TRY(mb_flood_new_(a, tp, 2, &nearest, err));
    MB_TRY(mb_flood_new_(a, tp, 1, &farthest, err));
    for (int32_t i = 0; i < part->n_local; i++)
        nearest.own[2 * i] = part->gid[i];                     /* and 0 hops to itself */
    MB_TRY(mb_flood_run_(&nearest, merge_hops, 1, sent, err)); /* hops differ by node */
    for (int32_t i = 0; i < part->n_local; i++)
        farthest.own[i] = nearest.own[2 * i + 1];
    MB_TRY(mb_flood_run_(&farthest, mb_merge_max_, 1, sent, err));
    *hops = part->n_local > 0 ? (int32_t)farthest.own[0] : (int32_t)farthest.ends[0];
    return MB_OK;
}
