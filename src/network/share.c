/* share.c - what a process holds of a network: all of it, or its own nodes, the ghosts that they
 * read, and the rows that others read.
 *
 * All walks are by ascending node id, so both ends of a list agree on its order. */
#include "network/csr.h"
#include "network/graph.h"

#include <string.h>

typedef struct share {
    const mb_graph   *g;
    const mb_weights *w;
    const int32_t    *owner;
    int32_t           me;
    int32_t          *row;  /* n: row of a node here, -1: neither owned nor read */
    int32_t          *gid;  /* n_local + n_ghost                                 */
    int32_t          *seen; /* processes: ghosts of each, then their first row   */
    int32_t          *peer; /* processes: place of each among our peers          */
    int32_t           nproc;
    mb_part          *out;
} share;

/* Rows of our own nodes, by id; their neighbours elsewhere are marked -2 and counted by owner. */
static void find_rows(share *s)
{
    memset(s->row, -1, (size_t)s->g->n * sizeof *s->row);
    for (int32_t i = 0; i < s->g->n; i++) {
        if (s->owner[i] != s->me)
            continue;
        s->row[i] = s->out->n_local++;
        for (int64_t e = s->g->ptr[i]; e < s->g->ptr[i + 1]; e++) {
            const int32_t j = s->g->adj[e];

            if (s->owner[j] == s->me || s->row[j] == -2)
                continue;
            s->row[j] = -2;
            s->seen[s->owner[j]]++;
            s->out->n_ghost++;
        }
    }
}

/* The peers are the processes that own a ghost. */
static mb_status find_peers(mb_arena *a, share *s, mb_err *err)
{
    mb_halo *h = &s->out->halo;
    int32_t *peer, *ptr, first = 0;

    MB_NEW(peer, a, s->nproc, err);
    MB_NEW(ptr, a, s->nproc + 1, err);
    h->peer = peer;
    h->ghost_ptr = ptr;
    for (int32_t k = 0; k < s->nproc; k++) {
        const int32_t many = s->seen[k];

        s->seen[k] = first;
        if (!many)
            continue;
        s->peer[k] = h->npeer;
        peer[h->npeer] = k;
        first += many;
        ptr[++h->npeer] = first;
    }
    return MB_OK;
}

/* Rows of the ghosts, by owner and id; ids, degrees, owners of all rows. */
static mb_status name_rows(mb_arena *a, share *s, mb_err *err)
{
    const int32_t rows = s->out->n_local + s->out->n_ghost;
    int32_t      *deg, *owner;

    MB_NEW(s->gid, a, rows, err);
    MB_NEW(deg, a, rows, err);
    MB_NEW(owner, a, s->out->n_ghost, err);
    for (int32_t i = 0; i < s->g->n; i++) {
        if (s->row[i] == -2) {
            const int32_t ghost = s->seen[s->owner[i]]++;

            s->row[i] = s->out->n_local + ghost;
            owner[ghost] = s->owner[i];
        }
        if (s->row[i] < 0)
            continue;
        s->gid[s->row[i]] = i;
        deg[s->row[i]] = mb_degree_(s->g, i);
    }
    s->out->gid = s->gid;
    s->out->deg = deg;
    s->out->owner = owner;
    return MB_OK;
}

/* Local adjacency and weights, neighbours in the order of ids. */
static mb_status copy_edges(mb_arena *a, share *s, mb_err *err)
{
    const int32_t n = s->out->n_local;
    int64_t      *ptr, edges = 0;
    int32_t      *adj;
    double       *self, *edge;
    uint8_t      *border;

    MB_NEW(ptr, a, n + 1, err);
    for (int32_t r = 0; r < n; r++)
        edges += s->out->deg[r];
    MB_NEW(adj, a, edges, err);
    MB_NEW(self, a, n, err);
    MB_NEW(edge, a, edges, err);
    MB_NEW(border, a, n, err);
    edges = 0;
    for (int32_t r = 0; r < n; r++) {
        const int32_t i = s->gid[r];

        ptr[r] = edges;
        self[r] = s->w->self[i];
        for (int64_t e = s->g->ptr[i]; e < s->g->ptr[i + 1]; e++, edges++) {
            adj[edges] = s->row[s->g->adj[e]];
            edge[edges] = s->w->edge[e];
            border[r] |= adj[edges] >= n;
        }
    }
    ptr[n] = edges;
    s->out->g = (mb_graph){.n = n, .ptr = ptr, .adj = adj};
    s->out->w = (mb_weights){.self = self, .edge = edge};
    s->out->border = s->out->n_ghost ? border : NULL;
    return MB_OK;
}

/* Where the opposite edge is: a local edge by search in its row, an edge from a ghost after all
 * local ones, by the ghost and the reader. */
static mb_status opposite(mb_arena *a, share *s, mb_err *err)
{
    mb_part       *p = s->out;
    const int32_t  n = p->n_local;
    const int64_t *ptr = p->g.ptr;
    int64_t       *rev, *next, *cross, *first;

    MB_NEW(rev, a, ptr[n], err);
    MB_NEW(next, a, n, err);
    MB_NEW(cross, a, p->halo.npeer + 1, err);
    MB_NEW(first, a, p->n_ghost + 1, err);
    for (int64_t e = 0; e < ptr[n]; e++)
        if (p->g.adj[e] >= n)
            first[p->g.adj[e] - n + 1]++;
    for (int32_t q = 0; q < p->n_ghost; q++)
        first[q + 1] += first[q];
    for (int32_t k = 0; k <= p->halo.npeer; k++)
        cross[k] = first[p->halo.ghost_ptr[k]];
    /* Rows are visited by id: every row meets its local neighbours in its own order. */
    for (int32_t r = 0; r < n; r++)
        for (int64_t e = ptr[r]; e < ptr[r + 1]; e++) {
            const int32_t j = p->g.adj[e];

            if (j >= n) {
                rev[e] = ptr[n] + first[j - n]++;
                continue;
            }
            while (p->g.adj[ptr[j] + next[j]] >= n)
                next[j]++;
            rev[e] = ptr[j] + next[j]++;
        }
    p->g.rev = rev;
    p->halo.ncross = cross[p->halo.npeer];
    p->halo.cross_ptr = cross;
    return MB_OK;
}

/* The edges that leave, by peer, our id and the reader's: as many as come from there, because links
 * are undirected. Then the rows they leave from, each once for each peer. */
static mb_status list_leaving(mb_arena *a, share *s, mb_err *err)
{
    const mb_part *p = s->out;
    mb_halo       *h = &s->out->halo;
    int64_t       *leave, *next;
    int32_t       *from, *read, *read_ptr, rows = 0;

    MB_NEW(leave, a, h->ncross, err);
    MB_NEW(from, a, h->ncross, err);
    MB_NEW(read, a, h->ncross, err);
    MB_NEW(read_ptr, a, h->npeer + 1, err);
    MB_NEW(next, a, h->npeer, err);
    memcpy(next, h->cross_ptr, (size_t)h->npeer * sizeof *next);
    for (int32_t r = 0; r < p->n_local; r++)
        for (int64_t e = p->g.ptr[r]; e < p->g.ptr[r + 1]; e++)
            if (p->g.adj[e] >= p->n_local) {
                const int32_t to = p->owner[p->g.adj[e] - p->n_local];
                const int64_t at = next[s->peer[to]]++;

                leave[at] = e;
                from[at] = r;
            }
    for (int32_t k = 0; k < h->npeer; k++) {
        for (int64_t at = h->cross_ptr[k]; at < h->cross_ptr[k + 1]; at++)
            if (at == h->cross_ptr[k] || from[at] != from[at - 1])
                read[rows++] = from[at];
        read_ptr[k + 1] = rows;
    }
    h->read_ptr = read_ptr;
    h->read = read;
    h->leave = leave;
    return MB_OK;
}

/* mb_part::turn of `rows` nodes; NULL if g, the whole network, is not a ring. */
static mb_status turns(mb_arena *a, const mb_graph *g, const int32_t *gid, int32_t rows,
                       const int32_t **turn, mb_err *err)
{
    int32_t *all, *mine;

    *turn = NULL;
    if (mb_graph_ring(g, NULL) >= 0)
        return MB_OK;
    MB_NEW(all, a, g->n, err);
    MB_NEW(mine, a, rows, err);
    mb_graph_ring(g, all);
    for (int32_t i = 0; i < rows; i++)
        mine[i] = all[gid[i]];
    *turn = mine;
    return MB_OK;
}

mb_status mb_part_share(mb_arena *a, const mb_graph *g, const mb_weights *w, const int32_t *owner,
                        int32_t me, mb_part *out, mb_err *err)
{
    share s = {.g = g, .w = w, .owner = owner, .me = me, .out = out};

    *out = (mb_part){.n_global = g->n};
    for (int32_t i = 0; i < g->n; i++)
        s.nproc = owner[i] >= s.nproc ? owner[i] + 1 : s.nproc;
    MB_NEW(s.row, a, g->n, err);
    MB_NEW(s.seen, a, s.nproc, err);
    MB_NEW(s.peer, a, s.nproc, err);
    find_rows(&s);
    if (out->n_local == 0)
        MB_FAIL(err, MB_E_ARG, "process %d has no node: at most %d processes for %d nodes", me,
                g->n, g->n);
    MB_TRY(find_peers(a, &s, err));
    MB_TRY(name_rows(a, &s, err));
    MB_TRY(copy_edges(a, &s, err));
    MB_TRY(opposite(a, &s, err));
    MB_TRY(list_leaving(a, &s, err));
    return turns(a, g, s.gid, out->n_local, &out->turn, err);
}

void mb_split_blocks(int32_t n, int32_t parts, int32_t *owner)
{
    for (int32_t i = 0; i < n; i++)
        owner[i] = (int32_t)((int64_t)i * parts / n);
}

mb_status mb_part_whole(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_part *out,
                        mb_err *err)
{
    int32_t       *gid, *deg;
    const int32_t *turn;

    MB_NEW(gid, a, g->n, err);
    MB_NEW(deg, a, g->n, err);
    for (int32_t i = 0; i < g->n; i++) {
        gid[i] = i;
        deg[i] = mb_degree_(g, i);
    }
    MB_TRY(turns(a, g, gid, g->n, &turn, err));
    *out = (mb_part){
        .n_local = g->n, .n_global = g->n, .gid = gid, .g = *g, .deg = deg, .w = *w, .turn = turn};
    return MB_OK;
}
