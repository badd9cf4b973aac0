/* place_share.c - a network that process 0 alone has: the others receive their nodes of it. */
#include "network/graph.h"
#include "network/network.h"
#include "network/place.h"
#include "transport/transport.h"

#include <string.h>

/* Sizes of a share: status, nodes, ghosts, links that end here, peers, rows and edges that leave, and
 * whether the network is a ring. */
enum { STATUS, NODES, GHOSTS, LINKS, PEERS, READ, CROSS, RING, SIZES };
enum { ARRAYS = 16 };

/* An array of a share. */
typedef struct array {
    const void **at;
    size_t       bytes;
} array;

#define ARRAY(p, many) ((array){(const void **)(uintptr_t) & (p), (size_t)(many) * sizeof *(p)})

/* The arrays of a share of these sizes, in the order in which they are sent. */
static void list(mb_part *p, const int64_t *size, array *out)
{
    const int64_t n = size[NODES], rows = n + size[GHOSTS], links = size[LINKS];
    mb_halo      *h = &p->halo;

    *out++ = ARRAY(p->gid, rows);
    *out++ = ARRAY(p->deg, rows);
    *out++ = ARRAY(p->owner, size[GHOSTS]);
    *out++ = ARRAY(p->g.ptr, n + 1);
    *out++ = ARRAY(p->g.adj, links);
    *out++ = ARRAY(p->g.rev, links);
    *out++ = ARRAY(p->w.self, n);
    *out++ = ARRAY(p->w.edge, links);
    *out++ = ARRAY(p->border, size[GHOSTS] ? n : 0);
    *out++ = ARRAY(h->peer, size[PEERS]);
    *out++ = ARRAY(h->ghost_ptr, size[PEERS] + 1);
    *out++ = ARRAY(h->read_ptr, size[PEERS] + 1);
    *out++ = ARRAY(h->read, size[READ]);
    *out++ = ARRAY(h->cross_ptr, size[PEERS] + 1);
    *out++ = ARRAY(h->leave, size[CROSS]);
    *out = ARRAY(p->turn, size[RING] ? n : 0);
}

static void measure(const mb_part *p, int64_t *size)
{
    size[NODES] = p->n_local;
    size[GHOSTS] = p->n_ghost;
    size[LINKS] = p->g.ptr[p->n_local];
    size[PEERS] = p->halo.npeer;
    size[READ] = p->halo.read_ptr[p->halo.npeer];
    size[CROSS] = p->halo.ncross;
    size[RING] = p->turn != NULL;
}

/* Parcels between process 0 and another of the arrays of a share. */
static int32_t pack(const array *arrays, int32_t peer, mb_parcel *out)
{
    int32_t n = 0;

    for (int k = 0; k < ARRAYS; k++) {
        void *bytes;

        memcpy(&bytes, arrays[k].at, sizeof bytes);
        if (arrays[k].bytes)
            out[n++] = (mb_parcel){peer, bytes, arrays[k].bytes};
    }
    return n;
}

/* Sends the share of process q, or that there is none: st. */
static mb_status send(const mb_comm *c, int32_t q, mb_part *p, mb_status st, mb_err *err)
{
    int64_t   size[SIZES] = {st};
    mb_parcel out[ARRAYS], head = {q, size, sizeof size};
    array     arrays[ARRAYS];

    if (st >= 0)
        measure(p, size);
    MB_TRY(c->trade(c, &head, 1, NULL, 0, err));
    if (st < 0)
        return MB_OK;
    list(p, size, arrays);
    return c->trade(c, out, pack(arrays, q, out), NULL, 0, err);
}

/* MB_QUIET: process 0 has failed, and will say why. */
static mb_status receive(mb_arena *a, const mb_comm *c, mb_part *p, mb_err *err)
{
    int64_t   size[SIZES];
    mb_parcel in[ARRAYS], head = {0, size, sizeof size};
    array     arrays[ARRAYS];

    MB_TRY(c->trade(c, NULL, 0, &head, 1, err));
    if (size[STATUS] < 0)
        return MB_QUIET;
    list(p, size, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        char *bytes = NULL;

        if (arrays[k].bytes)
            MB_NEW(bytes, a, arrays[k].bytes, err);
        memcpy(arrays[k].at, &bytes, sizeof bytes);
    }
    p->n_local = p->g.n = (int32_t)size[NODES];
    p->n_ghost = (int32_t)size[GHOSTS];
    p->halo.npeer = (int32_t)size[PEERS];
    p->halo.ncross = size[CROSS];
    return c->trade(c, NULL, 0, in, pack(arrays, 0, in), err);
}

static mb_status new_scratch_arena(mb_arena **out, mb_err *err)
{
    *out = mb_arena_new(1 << 16);
    if (!*out)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    return MB_OK;
}

static mb_status send_one(const mb_network *net, const mb_comm *c, const int32_t *owner, int32_t q,
                          mb_status st, mb_err *err)
{
    mb_arena *scratch_arena = NULL;
    mb_part   part = {0};
    mb_status sent;

    if (st >= 0)
        st = new_scratch_arena(&scratch_arena, err);
    if (st >= 0)
        st = mb_part_share(scratch_arena, &net->g, &net->w, owner, q, &part, err);
    sent = send(c, q, &part, st, err);
    mb_arena_free(scratch_arena);
    return st < 0 ? st : sent;
}

/* In process 0: the shares of all others, one after the other, then its own. */
static mb_status hand_out(mb_arena *scratch_arena, mb_arena *a, const mb_network *net,
                          const mb_comm *c, mb_part *out, mb_err *err)
{
    int32_t  *owner = NULL;
    mb_status st = mb_place_owners_(scratch_arena, net, c->size, &owner, err);

    for (int32_t q = 1; q < c->size; q++)
        st = send_one(net, c, owner, q, st, err);
    MB_TRY(st);
    return mb_part_share(a, &net->g, &net->w, owner, 0, out, err);
}

static mb_status share(mb_arena *a, const mb_network *net, const mb_comm *c, mb_part *out,
                       mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    *out = (mb_part){.n_global = net->n};
    if (c->rank)
        return receive(a, c, out, err);
    MB_TRY(new_scratch_arena(&scratch_arena, err));
    st = hand_out(scratch_arena, a, net, c, out, err);
    mb_arena_free(scratch_arena);
    return st;
}

mb_status mb_place_share(mb_arena *a, const mb_network *net, const mb_comm *comm,
                         mb_local_part *out, mb_err *err)
{
    if (!comm || comm->size == 1)
        return mb_place_make(a, net, comm, out, err);
    *out = (mb_local_part){.net = net, .comm = comm};
    MB_TRY(mb_place_check_(net, comm, err));
    MB_TRY(mb_comm_agree(comm, share(a, net, comm, &out->part, err), err));
    return mb_comm_link(a, comm, &out->part, &out->tp, err);
}
