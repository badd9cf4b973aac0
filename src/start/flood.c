/* Flooding over the transport: a node whose vector has changed sends it to its neighbours. */
#include "start/flood.h"
#include "transport/mail.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

int mb_merge_max_(double *mine, const double *theirs, size_t len)
{
    int changed = 0;
    for (size_t l = 0; l < len; l++)
        if (theirs[l] > mine[l]) {
            mine[l] = theirs[l];
            changed = 1;
        }
    return changed;
}

int mb_merge_lex_(double *mine, const double *theirs, size_t len)
{
    size_t l = 0;
    while (l < len && !(theirs[l] > mine[l]) && !(theirs[l] < mine[l]))
        l++;
    if (l == len || theirs[l] < mine[l])
        return 0;
    memcpy(mine, theirs, len * sizeof *mine);
    return 1;
}

mb_status mb_flood_new_(mb_arena *a, mb_transport *tp, size_t len, mb_flood *out, mb_err *err)
{
    const size_t n = (size_t)tp->part->n_local;
    if (tp->lossy)
        MB_FAIL(err, MB_E_NOSUP, "initialisation needs every message: not over a lossy transport");
    *out = (mb_flood){.tp = tp};
    MB_TRY(mb_mail_plane_(a, tp->part, MB_BROADCAST, len, &out->mail, err));
    MB_NEW(out->own, a, (n ? n : 1) * len, err);
    MB_NEW(out->ends, a, 2 * len, err);
    MB_NEW(out->news, a, n + 1, err);
    MB_NEW(out->next, a, n + 1, err);
    return MB_OK;
}

/* Neighbours read the plane and the node works on own: it must not change what it sent while others
 * read it. */
static void tell(mb_flood *f, mb_traffic *sent)
{
    const mb_part *part = f->tp->part;
    const size_t   len = f->mail.len;
    for (int32_t k = 0; k < f->nnews; k++) {
        const int32_t i = f->news[k];
        memcpy(f->mail.plane + (size_t)i * f->mail.ld, f->own + (size_t)i * len,
               len * sizeof *f->own);
        sent->frames++;
        sent->bytes += part->deg[i] * (MB_FRAME_HEADER + (int64_t)(len * sizeof *f->own));
    }
}

/* Node i merges the row that `from` sent, and sends in the next round if that changes its own. */
static void learn(mb_flood *f, mb_merge merge, int32_t i, int32_t from, int32_t *count)
{
    const double *row = f->mail.plane + (size_t)from * f->mail.ld;
    if (!merge(f->own + (size_t)i * f->mail.len, row, f->mail.len) || f->mail.sent[i])
        return;
    f->mail.sent[i] = 1;
    f->next[(*count)++] = i;
}

/* Merges what was sent into the neighbours' vectors. Most nodes of a wide network are quiet: only
 * neighbours of senders, and rows with a neighbour elsewhere, are visited. Returns 1 if any node
 * sends in the next round. */
static int hear(mb_flood *f, mb_merge merge)
{
    const mb_part  *part = f->tp->part;
    const mb_graph *g = &part->g;
    int32_t        *senders = f->news, count = 0;
    for (int32_t k = 0; k < f->nnews; k++)
        f->mail.sent[senders[k]] = 0;
    for (int32_t k = 0; k < f->nnews; k++)
        for (int64_t e = g->ptr[senders[k]]; e < g->ptr[senders[k] + 1]; e++)
            if (g->adj[e] < part->n_local)
                learn(f, merge, g->adj[e], senders[k], &count);
    for (int32_t i = 0; part->border && i < part->n_local; i++)
        for (int64_t e = g->ptr[i]; part->border[i] && e < g->ptr[i + 1]; e++)
            if (g->adj[e] >= part->n_local && f->mail.sent[g->adj[e]])
                learn(f, merge, i, g->adj[e], &count);
    f->news = f->next;
    f->next = senders;
    f->nnews = count;
    return count > 0;
}

/* Largest and smallest (as the largest negative) of each entry over the network must be equal. */
static mb_status check_same(mb_flood *f, size_t same, mb_err *err)
{
    const size_t len = f->mail.len;
    for (size_t l = 0; l < 2 * same; l++)
        f->ends[l] = -HUGE_VAL;
    for (int32_t i = 0; i < f->tp->part->n_local; i++)
        for (size_t l = 0; l < same; l++) {
            double x = f->own[(size_t)i * len + l];
            f->ends[l] = fmax(f->ends[l], x);
            f->ends[same + l] = fmax(f->ends[same + l], -x);
        }
    MB_TRY(f->tp->ops->reduce(f->tp, MB_MAX, f->ends, (int32_t)(2 * same), err));
    for (size_t l = 0; l < same; l++)
        if (f->ends[l] > -f->ends[same + l])
            MB_FAIL(err, MB_E_PEER,
                    "nodes did not agree: entry %zu is %.17g at one node and %.17g at another "
                    "(the network must be connected)",
                    l, f->ends[l], -f->ends[same + l]);
    return MB_OK;
}

mb_status mb_flood_run_(mb_flood *f, mb_merge merge, size_t same, mb_traffic *sent, mb_err *err)
{
    const size_t n = (size_t)f->tp->part->n_local;
    double       news = 1;
    for (size_t l = 0; l < n * f->mail.len; l++)
        f->own[l] += 0.0;  /* -0 becomes 0 */
    f->nnews = (int32_t)n; /* in the first round every node sends */
    for (int32_t i = 0; i < f->nnews; i++) {
        f->news[i] = i;
        f->mail.sent[i] = 1;
    }
    while (news > 0) {
        f->t++;
        tell(f, sent);
        MB_TRY(f->tp->ops->begin(f->tp, f->t, &f->mail, err));
        MB_TRY(f->tp->ops->end(f->tp, f->t, -1, &f->mail, err));
        news = hear(f, merge);
        MB_TRY(f->tp->ops->reduce(f->tp, MB_MAX, &news, 1, err));
    }
    return check_same(f, same, err);
}
