/* truth.c - what the network knows and its nodes do not: which parts live, which rows count, and
 * whether all is settled. */
#include "meshbayes/extend.h"
#include "virtual/inside.h"

#include <math.h>
#include <string.h>

/* 1 when the link works both ways and its end lives. */
static int works(const mb_virtual *v, int64_t p)
{
    const mb_graph *g = v->opt.graph;

    return mb_open_(v, p) && mb_open_(v, g->rev[p]) && v->node[g->adj[p]].life == MB_LIFE_LIVE;
}

static int32_t working(const mb_virtual *v, int32_t i)
{
    const mb_graph *g = v->opt.graph;
    int32_t         n = 0;

    for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++)
        n += works(v, p);
    return n;
}

/* 1 when it takes exactly those links for live that work. Both lists ascend. */
static int knows(const mb_virtual *v, int32_t i, int32_t neighbours, int64_t now)
{
    const mb_graph *g = v->opt.graph;
    int64_t         p = g->ptr[i];

    for (int32_t k = 0; k < neighbours; k++) {
        mb_peer_neighbour has;

        mb_peer_look_at(v->node[i].peer, now, k, &has);
        while (p < g->ptr[i + 1] && g->adj[p] < has.id)
            p++;
        if (p == g->ptr[i + 1] || g->adj[p] != has.id || has.live != works(v, p))
            return 0;
    }
    return 1;
}

/* 1 when a node without neighbours rests and has stopped to follow those it had: it leads, and
 * counts one. */
static int stands_alone(const mb_virtual *v, int32_t i, const mb_peer_status *is)
{
    const mb_peer_opt *o = &v->opt.peer;
    const int64_t      least = o->tick_ms > 1000 ? o->tick_ms : 1000;
    const int64_t      rest = o->rest_ms ? o->rest_ms : least;
    const double       known = o->n_nodes;

    return mb_peer_due(v->node[i].peer) >= v->node[i].tick_ms + rest && is->leader == i &&
           (known > 0 || fabs(is->n_nodes - 1) <= 1e-9);
}

/* The oldest piece, and the row of it, that the windows of node i leave. */
static void oldest(const mb_virtual *v, int32_t i, int64_t *piece, int64_t *row)
{
    const mb_vnode_ *node = &v->node[i];
    const int64_t    now = mb_node_clock_(node, v->now);
    int64_t          most = v->opt.peer.window_rows, k = node->pieces;

    *row = 0;
    while (k > 0) {
        const mb_piece_ *at = &node->piece[k - 1];

        if (v->opt.peer.window_ms && k <= node->fed && now - at->now >= v->opt.peer.window_ms)
            break;
        if (most && at->rows->n >= most) {
            *row = at->rows->n - most;
            k--;
            break;
        }
        most -= most ? at->rows->n : 0;
        k--;
    }
    *piece = k;
}

/* Rows of node i that are no older than its window. */
static int64_t present(const mb_virtual *v, int32_t i)
{
    int64_t k, row, n = 0;

    oldest(v, i, &k, &row);
    for (; k < v->node[i].pieces; k++)
        n += v->node[i].piece[k].rows->n;
    return n - row;
}

/* Rows of node i that are not in its sums yet. */
static int64_t waiting(const mb_virtual *v, int32_t i)
{
    mb_peer_masking is = {.waiting = 0};

    if (v->node[i].peer)
        mb_peer_masking_of(v->node[i].peer, &is);
    return is.waiting;
}

int mb_node_settled_(const mb_virtual *v, int32_t i)
{
    const mb_vnode_ *node = &v->node[i];
    const int64_t    now = mb_node_clock_(node, v->now);
    const double     tol = v->opt.peer.tol > 0 ? v->opt.peer.tol : 3e-7;
    mb_peer_status   is;

    mb_peer_look(node->peer, now, &is);
    if (is.rows + waiting(v, i) != present(v, i))
        return 0;
    if (is.verdict == MB_PEER_ALONE)
        return !working(v, i) && is.rounds > 3 && is.disagreement <= tol && stands_alone(v, i, &is);
    return is.verdict == MB_PEER_SETTLED && knows(v, i, is.neighbours, now);
}

int mb_virtual_settled(const mb_virtual *v)
{
    if (!v->begun)
        return 0;
    for (int32_t i = 0; i < v->n; i++)
        if (v->node[i].life == MB_LIFE_LIVE && !mb_node_settled_(v, i))
            return 0;
    return 1;
}

/* Marks all that `i` reaches; a part's marks come in waves, so no queue is needed. */
static int spread(const mb_virtual *v, int32_t *part, int32_t i)
{
    const mb_graph *g = v->opt.graph;
    int             grew = 0;

    for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++)
        if (works(v, p) && part[g->adj[p]] > part[i]) {
            part[g->adj[p]] = part[i];
            grew = 1;
        }
    return grew;
}

/* Every node takes the lowest node that it is connected with, then these are numbered. */
void mb_virtual_parts(const mb_virtual *v, int32_t *part, int32_t *count)
{
    int grew = 1;

    *count = 0;
    for (int32_t i = 0; i < v->n; i++)
        part[i] = v->node[i].life == MB_LIFE_LIVE ? i : -1;
    while (grew) {
        grew = 0;
        for (int32_t i = 0; i < v->n; i++)
            grew |= part[i] >= 0 && spread(v, part, i);
        for (int32_t i = v->n - 1; i >= 0; i--)
            grew |= part[i] >= 0 && spread(v, part, i);
    }
    for (int32_t i = 0; i < v->n; i++)
        if (part[i] >= 0)
            part[i] = part[i] == i ? (*count)++ : part[part[i]];
}

static void copy(mb_rows *out, double *x, double *w, const mb_rows *from, int64_t first)
{
    for (int64_t j = first; j < from->n; j++) {
        for (int32_t d = 0; d < out->d; d++)
            x[out->n * out->d + d] = mb_rows_at(from, j, d);
        w[out->n++] = from->w ? from->w[j] : 1;
    }
}

/* Those of all pieces, which no window cuts: each has its own, or none has. */
static mb_status add_groups(mb_arena *a, const mb_vnode_ *node, mb_rows *out, mb_err *err)
{
    int64_t *first, at = 0;

    if (!node->pieces || !node->piece[0].rows->first)
        return MB_OK;
    MB_NEW(first, a, (size_t)out->n + 2, err);
    for (int64_t k = 0; k < node->pieces && at < out->n; k++) {
        const mb_rows *piece = node->piece[k].rows;

        for (int32_t g = 0; g < piece->ngroup; g++)
            first[out->ngroup++] = at + piece->first[g];
        at += piece->n;
    }
    first[out->ngroup] = out->n;
    out->first = first;
    return MB_OK;
}

mb_status mb_virtual_rows(mb_arena *a, const mb_virtual *v, int32_t i, mb_rows *out, mb_err *err)
{
    const mb_vnode_ *node = &v->node[i];
    const int32_t    d = v->opt.peer.plan->columns;
    const int64_t    n = present(v, i);
    int64_t          first, row;
    double          *x, *w;

    MB_NEW(x, a, n * d + 1, err);
    MB_NEW(w, a, n + 1, err);
    oldest(v, i, &first, &row);
    *out = (mb_rows){.x = x, .w = w, .d = d, .ld = (size_t)d, .gaps = v->opt.peer.plan->kind->gaps};
    for (int64_t k = first; k < node->pieces; k++)
        copy(out, x, w, node->piece[k].rows, k == first ? row : 0);
    out->n -= waiting(v, i);
    return add_groups(a, node, out, err);
}
