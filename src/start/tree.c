/* A breadth-first tree from the lowest node id, and sums up and down it.
 *
 * Waves run in the order of depth. Over a real network nobody counts exchanges: a node sends up when
 * it has heard all its children, and down when it has heard its parent. */
#include "start/tree.h"
#include "base/epochs.h"
#include "base/fixed.h"
#include "start/flood.h"
#include "start/start.h"
#include "transport/mail.h"
#include "transport/transport.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

/* Depth of each row, ghosts too: a node has sent its last change, so its neighbours know it. */
static mb_status find_depths(mb_arena *scratch_arena, mb_transport *tp, int32_t *depth,
                             mb_traffic *sent, mb_err *err)
{
    const mb_part *part = tp->part;
    mb_flood       f;
    MB_TRY(mb_flood_new_(scratch_arena, tp, 2, &f, err));
    for (int32_t i = 0; i < part->n_local; i++)
        f.own[2 * i] = part->gid[i];                     /* and 0 hops to itself */
    MB_TRY(mb_flood_run_(&f, merge_hops, 1, sent, err)); /* hops differ by node */
    for (int32_t i = 0; i < part->n_local + part->n_ghost; i++)
        depth[i] = (int32_t)f.mail.plane[(size_t)i * f.mail.ld + 1];
    return MB_OK;
}

/* Row of the neighbour of lowest id that is one hop nearer to the root; -1 at the root. */
static int32_t parent_of(const mb_part *part, const int32_t *depth, int32_t i)
{
    int32_t best = -1;
    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
        const int32_t j = part->g.adj[e];
        if (depth[j] == depth[i] - 1 && (best < 0 || part->gid[j] < part->gid[best]))
            best = j;
    }
    return best;
}

/* Every node tells its neighbours who its parent is: each then knows its links of the tree. */
static mb_status find_links(mb_arena *scratch_arena, mb_transport *tp, const int32_t *depth,
                            uint8_t *link, int64_t *links, mb_traffic *sent, mb_err *err)
{
    const mb_part *part = tp->part;
    mb_mail        mail;
    MB_TRY(mb_mail_plane_(scratch_arena, part, MB_BROADCAST, 1, &mail, err));
    for (int32_t i = 0; i < part->n_local; i++) {
        const int32_t parent = parent_of(part, depth, i);
        mail.plane[(size_t)i * mail.ld] = parent < 0 ? -1 : part->gid[parent];
        mail.sent[i] = 1;
        sent->frames++;
        sent->bytes += part->deg[i] * (MB_FRAME_HEADER + (int64_t)sizeof *mail.plane);
    }
    MB_TRY(tp->ops->begin(tp, 1, &mail, err));
    MB_TRY(tp->ops->end(tp, 1, -1, &mail, err));
    for (int32_t i = 0; i < part->n_local; i++)
        for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
            const int32_t j = part->g.adj[e];
            if ((int32_t)mail.plane[(size_t)i * mail.ld] == part->gid[j])
                link[e] = MB_TO_ROOT;
            else
                link[e] = (int32_t)mail.plane[(size_t)j * mail.ld] == part->gid[i];
            *links += link[e] != 0;
        }
    return MB_OK;
}

/* Local rows by depth, then id; at[d] .. at[d + 1] - 1 are those of depth d. */
static mb_status by_depth(mb_arena *a, const mb_part *part, mb_tree *out, mb_err *err)
{
    int32_t *order, *at;
    MB_NEW(order, a, part->n_local + 1, err);
    MB_NEW(at, a, out->hops + 3, err);
    for (int32_t i = 0; i < part->n_local; i++)
        at[out->depth[i] + 2]++;
    for (int32_t d = 0; d <= out->hops; d++)
        at[d + 2] += at[d + 1];
    for (int32_t i = 0; i < part->n_local; i++)
        order[at[out->depth[i] + 1]++] = i;
    out->order = order;
    out->at = at;
    return MB_OK;
}

enum { HEIGHT, DIAMETER, NODES, BELOW, BELOW2, SHAPE };

/* BELOW, BELOW2: sums over the links below of the nodes below the link, and of their squares. */
static void join_shape(double *mine, const double *child, size_t len)
{
    (void)len;
    mine[DIAMETER] = fmax(fmax(mine[DIAMETER], child[DIAMETER]), mine[HEIGHT] + child[HEIGHT] + 1);
    mine[HEIGHT] = fmax(mine[HEIGHT], child[HEIGHT] + 1);
    mine[NODES] += child[NODES];
    mine[BELOW] += child[BELOW] + child[NODES];
    mine[BELOW2] += child[BELOW2] + child[NODES] * child[NODES];
}

static mb_status measure(mb_arena *scratch_arena, mb_transport *tp, mb_tree *out, mb_traffic *sent,
                         mb_err *err)
{
    const double *all;
    mb_wave       w;
    MB_TRY(mb_wave_new_(scratch_arena, tp, out, SHAPE, &w, err));
    for (int32_t i = 0; i < tp->part->n_local; i++)
        mb_wave_at_(&w, i)[NODES] = 1;
    MB_TRY(mb_wave_run_(&w, join_shape, sent, err));
    all = mb_wave_at_(&w, 0);
    out->diameter = (int32_t)all[DIAMETER];
    out->mean = 2 * (all[BELOW] / all[NODES] - all[BELOW2] / (all[NODES] * all[NODES]));
    return MB_OK;
}

mb_status mb_agree_tree(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp, mb_tree *out,
                        mb_traffic *sent, mb_err *err)
{
    const mb_part *part = tp->part;
    double         deepest = 0;
    int32_t       *depth;
    uint8_t       *link;
    MB_NEW(depth, a, part->n_local + part->n_ghost, err);
    MB_NEW(link, a, part->g.ptr[part->n_local] + 1, err);
    *out = (mb_tree){.depth = depth, .link = link};
    MB_TRY(find_depths(scratch_arena, tp, depth, sent, err));
    MB_TRY(find_links(scratch_arena, tp, depth, link, &out->links, sent, err));
    for (int32_t i = 0; i < part->n_local; i++) /* not fmax: gcc 12 for arm64 fails to compile it */
        deepest = depth[i] > deepest ? depth[i] : deepest;
    MB_TRY(tp->ops->reduce(tp, MB_MAX, &deepest, 1, err));
    out->hops = (int32_t)deepest; /* every node learns it as the HEIGHT of the root */
    MB_TRY(by_depth(a, part, out, err));
    return measure(scratch_arena, tp, out, sent, err);
}

void mb_join_sum_(double *mine, const double *child, size_t len)
{
    for (size_t l = 0; l < len; l++)
        mine[l] += child[l];
}

mb_status mb_wave_new_(mb_arena *a, mb_transport *tp, const mb_tree *tree, size_t len, mb_wave *out,
                       mb_err *err)
{
    *out = (mb_wave){.tp = tp, .tree = tree, .len = len};
    if (MB_EPOCHS_(tree->exact != NULL))
        MB_NEW(out->size, a, len, err);
    return mb_mail_plane_(a, tp->part, MB_BROADCAST,
                          (MB_EPOCHS_(tree->exact != NULL) ? 2 : 1) * len, &out->mail, err);
}

double *mb_wave_at_(const mb_wave *w, int32_t i)
{
    return w->mail.plane + (size_t)i * w->mail.ld;
}

/* Nodes of depth d send: an exchange. */
static mb_status send_from(mb_wave *w, int32_t d, mb_err *err)
{
    mb_transport *tp = w->tp;
    for (int32_t k = w->tree->at[d]; k < w->tree->at[d + 1]; k++)
        w->mail.sent[w->tree->order[k]] = 1;
    w->t++;
    MB_TRY(tp->ops->begin(tp, w->t, &w->mail, err));
    MB_TRY(tp->ops->end(tp, w->t, -1, &w->mail, err));
    for (int32_t k = w->tree->at[d]; k < w->tree->at[d + 1]; k++)
        w->mail.sent[w->tree->order[k]] = 0;
    return MB_OK;
}

static void hear_children(mb_wave *w, mb_join join, int32_t i)
{
    const mb_graph *g = &w->tp->part->g;
    const int32_t  *depth = w->tree->depth;
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        if (w->tree->link[e] && depth[g->adj[e]] > depth[i])
            join(mb_wave_at_(w, i), mb_wave_at_(w, g->adj[e]), w->mail.len);
}

static void hear_parent(mb_wave *w, int32_t i)
{
    const mb_graph *g = &w->tp->part->g;
    const int32_t  *depth = w->tree->depth;
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        if (w->tree->link[e] && depth[g->adj[e]] < depth[i])
            memcpy(mb_wave_at_(w, i), mb_wave_at_(w, g->adj[e]), w->mail.len * sizeof(double));
}

mb_status mb_wave_run_(mb_wave *w, mb_join join, mb_traffic *sent, mb_err *err)
{
    const mb_tree *tree = w->tree;
    for (int32_t d = tree->hops; d > 0; d--) {
        MB_TRY(send_from(w, d, err));
        for (int32_t k = tree->at[d - 1]; k < tree->at[d]; k++)
            hear_children(w, join, tree->order[k]);
    }
    for (int32_t d = 1; d <= tree->hops; d++) {
        MB_TRY(send_from(w, d - 1, err));
        for (int32_t k = tree->at[d]; k < tree->at[d + 1]; k++)
            hear_parent(w, tree->order[k]);
    }
    /* A node has sent once over each of its links: to its parent, and to its children. */
    sent->frames += tree->links;
    sent->bytes += tree->links * (MB_FRAME_HEADER + (int64_t)(w->mail.len * sizeof(double)));
    return MB_OK;
}

static void join_words(double *mine, const double *child, size_t len)
{
    for (size_t l = 0; l < len; l++)
        mb_set_word(mine, l, mb_word(mine, l) + mb_word(child, l));
}

/* Where the size of a number is not near that of one, its exponent is lowered or raised by this many
 * bits at a time: all that is shown of the largest one of a node. */
enum { COARSE = 32, NEAR = 28 };

/* size (len): floor(log2) of the largest of each number over all nodes, -infinity for 0. */
static mb_status sizes(mb_wave *w, double *size, mb_err *err)
{
    mb_transport *tp = w->tp;

    for (size_t l = 0; l < w->len; l++)
        size[l] = -HUGE_VAL;
    for (int32_t i = 0; i < tp->part->n_local; i++)
        for (size_t l = 0; l < w->len; l++) {
            const double x = mb_wave_at_(w, i)[l];

            size[l] = isfinite(x) ? fmax(size[l], logb(x)) : HUGE_VAL;
        }
    MB_TRY(tp->ops->reduce(tp, MB_MAX, size, (int32_t)w->len, err));
    for (size_t l = 0; l < w->len; l++)
        if (size[l] > DBL_MAX)
            MB_FAIL(err, MB_E_NUMERIC, "a sum over the rows of a node is not finite");
    return MB_OK;
}

/* Two words, of which the first has room for numbers of this size, each of n nodes. */
static mb_fixed_ format_of(int32_t n, double size)
{
    mb_fixed_    as = mb_fixed_of_(HUGE_VAL, n, 0);
    const double room = as.more - 2 * as.bits - (size + 1); /* bits that are left */
    int32_t      more = 0;

    if (isfinite(room) && room < 0)
        more = -COARSE * (int32_t)ceil(-room / COARSE);
    else if (isfinite(room) && room >= NEAR + COARSE)
        more = COARSE * (int32_t)floor((room - NEAR) / COARSE);
    as.bits += more;
    as.more += more;
    as.more -= !as.more;
    return as;
}

/* A node's numbers as words, the second ones after all of the first, with its masks. */
static int make_words(mb_wave *w, int32_t i)
{
    const mb_part   *part = w->tp->part;
    const mb_exact_ *exact = w->tree->exact;
    double          *x = mb_wave_at_(w, i);
    uint64_t         first = 0, second = 0;

    for (size_t l = 0; l < w->len; l++) {
        (void)mb_fixed_make_(format_of(part->n_global, w->size[l]), part->n_global, x[l], &first,
                             &second);
        mb_set_word(x, l, first);
        mb_set_word(x, w->len + l, second);
    }
    return !exact->masks || exact->masks->add(exact->masks->self, part->gid[i], exact->masks->epoch,
                                              exact->sums, 2 * w->len, x);
}

mb_status mb_wave_sum_(mb_wave *w, mb_traffic *sent, mb_err *err)
{
    const mb_part *part = w->tp->part;

    if (!MB_EPOCHS_(w->tree->exact != NULL))
        return mb_wave_run_(w, mb_join_sum_, sent, err);
    MB_TRY(sizes(w, w->size, err));
    w->tree->exact->sums++;
    for (int32_t i = 0; i < part->n_local; i++)
        if (!make_words(w, i))
            MB_FAIL(err, MB_E_ARG, "a mask would be used twice");
    MB_TRY(mb_wave_run_(w, join_words, sent, err));
    for (int32_t i = 0; i < part->n_local; i++) {
        double *x = mb_wave_at_(w, i);

        for (size_t l = 0; l < w->len; l++)
            x[l] = mb_fixed_read_(format_of(part->n_global, w->size[l]), mb_word(x, l),
                                  mb_word(x, w->len + l));
    }
    return MB_OK;
}
