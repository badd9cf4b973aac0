/* place.c - a process's share of a network, and the transport that links it to the others. */
#include "network/place.h"
#include "network/graph.h"
#include "network/network.h"
#include "transport/transport.h"

mb_status mb_place_check_(const mb_network *net, const mb_comm *comm, mb_err *err)
{
    if (net->n < comm->size)
        MB_FAIL(err, MB_E_ARG, "%d processes for a network of %d nodes; expected 1 to %d",
                comm->size, net->n, net->n);
    return MB_OK;
}

mb_status mb_place_owners_(mb_arena *a, const mb_network *net, int32_t processes, int32_t **owner,
                           mb_err *err)
{
    mb_status st;

    MB_NEW(*owner, a, net->n, err);
    st = mb_split_metis(a, &net->g, processes, *owner, err);
    if (st != MB_E_NOSUP)
        return st;
    mb_split_blocks(net->n, processes, *owner);
    return MB_OK;
}

static mb_status split(mb_arena *scratch_arena, mb_arena *a, const mb_network *net,
                       const mb_comm *comm, mb_part *out, mb_err *err)
{
    int32_t *owner;

    MB_TRY(mb_place_owners_(scratch_arena, net, comm->size, &owner, err));
    return mb_part_share(a, &net->g, &net->w, owner, comm->rank, out, err);
}

static mb_status share(mb_arena *a, const mb_network *net, const mb_comm *comm, mb_part *out,
                       mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    if (!comm || comm->size == 1)
        return mb_part_whole(a, &net->g, &net->w, out, err);
    MB_TRY(mb_place_check_(net, comm, err));
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    st = split(scratch_arena, a, net, comm, out, err);
    mb_arena_free(scratch_arena);
    return st;
}

mb_status mb_place_make(mb_arena *a, const mb_network *net, const mb_comm *comm, mb_local_part *out,
                        mb_err *err)
{
    *out = (mb_local_part){.net = net, .comm = comm};
    MB_TRY(share(a, net, comm, &out->part, err));
    return mb_comm_link(a, comm, &out->part, &out->tp, err);
}

mb_status mb_place_one(mb_arena *a, mb_local_part *out, mb_err *err)
{
    mb_network *net;

    MB_NEW(net, a, 1, err);
    MB_TRY(mb_network_from(a, 1, NULL, 0, NULL, NULL, net, err));
    return mb_place_make(a, net, NULL, out, err);
}

void mb_place_close(mb_local_part *place)
{
    if (place->tp.ops)
        place->tp.ops->close(&place->tp);
    place->tp = (mb_transport){0};
}
