/* centre.c - a breadth-first tree from the centre of the network (docs/math.md, section 31). */
#include "start/start.h"
#include "transport/transport.h"

#include <string.h>

/* The largest of what each process says. */
static mb_status agree_most(mb_transport *tp, int32_t own, int32_t *out, mb_err *err)
{
    double most = own;

    MB_TRY(tp->ops->reduce(tp, MB_MAX, &most, 1, err));
    *out = (int32_t)most;
    return MB_OK;
}

/* The tree of a network in which node `root` has the lowest id; -1: as it is. */
static mb_status agree_from(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp, int32_t root,
                            mb_tree *out, mb_traffic *sent, mb_err *err)
{
    enum { BELOW_ALL = -2 };
    mb_part       part = *tp->part;
    mb_transport  renamed = *tp;
    const int32_t rows = part.n_local + part.n_ghost;
    int32_t      *gid;

    MB_NEW(gid, scratch_arena, rows, err);
    for (int32_t i = 0; i < rows; i++)
        gid[i] = part.gid[i] == root ? BELOW_ALL : part.gid[i];
    part.gid = gid;
    renamed.part = &part;
    return mb_agree_tree(a, scratch_arena, &renamed, out, sent, err);
}

/* least: a node cannot have its farthest one nearer. */
static void bound_hops(const mb_part *part, const mb_tree *from, int32_t *least)
{
    for (int32_t i = 0; i < part->n_local; i++) {
        const int32_t near = from->depth[i], rest = from->hops - near;
        const int32_t far = near > rest ? near : rest;

        least[i] = far > least[i] ? far : least[i];
    }
}

/* The lowest id of those that may have the fewest hops to the farthest node. */
static mb_status find_nearest(mb_transport *tp, const int32_t *least, int32_t *fewest, int32_t *id,
                              mb_err *err)
{
    const mb_part *part = tp->part;
    int32_t        nearest = INT32_MAX, lowest = INT32_MAX;

    for (int32_t i = 0; i < part->n_local; i++)
        nearest = least[i] < nearest ? least[i] : nearest;
    MB_TRY(agree_most(tp, -nearest, fewest, err));
    *fewest = -*fewest;
    for (int32_t i = 0; i < part->n_local; i++)
        if (least[i] == *fewest && part->gid[i] < lowest)
            lowest = part->gid[i];
    MB_TRY(agree_most(tp, -lowest, id, err));
    *id = -*id;
    return MB_OK;
}

mb_status mb_agree_centre(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp,
                          const mb_tree *tree, mb_tree *out, mb_traffic *sent, mb_err *err)
{
    enum { FLOODS = 16 };
    int32_t root = -1, hops = tree->hops, *least;

    MB_NEW(least, scratch_arena, tp->part->n_local + 1, err);
    bound_hops(tp->part, tree, least);
    for (int k = 0; k < FLOODS; k++) {
        int32_t fewest, id;
        mb_tree from;

        MB_TRY(find_nearest(tp, least, &fewest, &id, err));
        if (fewest >= hops)
            break;
        MB_TRY(agree_from(scratch_arena, scratch_arena, tp, id, &from, sent, err));
        bound_hops(tp->part, &from, least);
        root = from.hops < hops ? id : root;
        hops = from.hops < hops ? from.hops : hops;
    }
    return agree_from(a, scratch_arena, tp, root, out, sent, err);
}
