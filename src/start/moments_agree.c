/* moments_agree.c - mean, standard deviation and covariance of the columns over a network. */
#include "start/flood.h"
#include "start/moments.h"
#include "start/row_sums.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* 0: a small node has few rows. */
#ifdef MB_KERNELS_PLAIN
enum { BY_PIECES = 0 };
#else
enum { BY_PIECES = 1 };
#endif

/* How the rows of a node are summed. */
typedef struct node_rows {
    const mb_rows     *rows;
    const mb_row_sums *sums; /* NULL: one by one */
    mb_row_sums        own;
} node_rows;

static mb_status sums_of(mb_arena *scratch_arena, node_rows *n, int32_t with_cov, mb_err *err)
{
    int made = 0;
    if (!BY_PIECES || !mb_row_sums_serve_(n->rows))
        return MB_OK;
    n->sums = n->rows->sums;
    if (n->sums && n->sums->products >= with_cov)
        return MB_OK;
    MB_TRY(mb_row_sums_make_(scratch_arena, n->rows, with_cov, &n->own, &made, err));
    n->sums = made ? &n->own : NULL;
    return MB_OK;
}

/* mb_column_ends_ of a node's rows, with those of other processes. other: 2 D, scratch. */
static mb_status ends_of(const node_rows *n, int32_t D, int32_t gid, double *z, double *ends,
                         double *other, mb_err *err)
{
    mb_status st = MB_OK;
    if (BY_PIECES && n->sums)
        memcpy(ends, n->sums->ends, 2 * (size_t)D * sizeof *ends);
    else
        st = mb_column_ends_(n->rows, D, gid, z, ends, err);
    if (!MB_SHARE_(n->rows->share != NULL))
        return st;
    MB_TRY(mb_comm_agree(n->rows->share->comm, st, err));
    return mb_share_join_(n->rows->share, mb_merge_max_, 2 * (size_t)D, ends, other, err);
}

static mb_status ranges(mb_arena *scratch_arena, mb_transport *tp, const node_rows *nodes,
                        mb_row_moments *out, double *z, mb_traffic *sent, mb_err *err)
{
    const mb_part *part = tp->part;
    const int32_t  D = out->d;
    mb_flood       f;
    MB_TRY(mb_flood_new_(scratch_arena, tp, 2 * (size_t)D, &f, err));
    for (int32_t i = 0; i < part->n_local; i++)
        MB_TRY(
            ends_of(&nodes[i], D, part->gid[i], z, f.own + 2 * (size_t)D * (size_t)i, f.ends, err));
    MB_TRY(mb_flood_run_(&f, mb_merge_max_, 2 * (size_t)D, sent, err));
    return mb_ranges_(f.ends, out, err); /* the largest over the network, which all nodes hold */
}

/* What is summed over a node's rows: the first sums, or with `mean` the second. */
typedef struct summed {
    const mb_row_moments *m;
    const node_rows      *node;
    const double         *mean;
    double               *z;
} summed;

static void add_rows(void *self, double *sum)
{
    const summed *s = self;
    if (BY_PIECES && s->node->sums && s->mean)
        mb_row_sums_second_(s->node->sums, s->m, s->mean, s->z, sum);
    else if (BY_PIECES && s->node->sums)
        mb_row_sums_first_(s->node->sums, s->m, sum);
    else if (s->mean)
        mb_add_second_(s->m, s->node->rows, s->mean, s->z, sum);
    else
        mb_add_first_(s->m, s->node->rows, s->z, sum);
}

/* The sums (len) over the network into *all, borrowed from the scratch arena. */
static mb_status pass(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                      const node_rows *nodes, summed s, size_t len, const double **all,
                      mb_traffic *sent, mb_err *err)
{
    mb_wave w;
    MB_TRY(mb_cancel_agree_(tp, tp->part->n_local ? nodes[0].rows->share : NULL, err));
    MB_TRY(mb_wave_new_(scratch_arena, tp, tree, len, &w, err));
    for (int32_t i = 0; i < tp->part->n_local; i++) {
        s.node = &nodes[i];
        if (MB_SHARE_(nodes[i].rows->share != NULL))
            MB_TRY(
                mb_share_chain_(nodes[i].rows->share, add_rows, &s, len, mb_wave_at_(&w, i), err));
        else
            add_rows(&s, mb_wave_at_(&w, i));
    }
    MB_TRY(mb_wave_sum_(&w, sent, err));
    *all = mb_wave_at_(&w, 0);
    return MB_OK;
}

void mb_find_constant_(mb_row_moments *out)
{
    const size_t D = (size_t)out->d;
    const double terms = fmax(64, fmin(out->weight, 0x1p20));

    for (size_t d = 0; d < D; d++) {
        if (out->sd[d] > terms * DBL_EPSILON * fabs(out->mean[d] - out->middle[d]))
            continue;
        out->constant[d] = 1;
        out->spread[d] = 1;
        out->middle[d] = out->mean[d];
        out->sd[d] = 0;
        for (size_t c = 0; out->cov && c < D; c++)
            out->cov[d * D + c] = out->cov[c * D + d] = 0;
    }
}

/* The standard deviation, or of a constant column what rounding in the bounds' units may hide, where
 * its scale, 1, or its value is not far above that; else 0. */
static double seen_least(const mb_row_moments *m, int32_t d, double low, double high)
{
    const double hidden = DBL_EPSILON * fabs(m->mean[d] - (low / 2 + high / 2));

    if (!m->constant[d])
        return m->sd[d];
    return hidden > 0x1p-20 * fmax(1, fabs(m->mean[d])) ? hidden : 0;
}

mb_status mb_check_widths_(const mb_bounds *b, const mb_row_moments *seen, const char *file,
                           const char *const *column, mb_err *err)
{
    for (int32_t d = 0; d < b->d; d++) {
        const double sd = seen_least(seen, d, b->low[d], b->high[d]);

        if (sd > 0 && b->high[d] / 2 - b->low[d] / 2 > 0x1p29 * sd)
            MB_FAIL(err, MB_E_ARG,
                    "%.200s: column \"%.60s\": got bounds from %g to %g, but a standard deviation "
                    "of at most %.2g; expected bounds at most 2^30 times as wide as that",
                    file ? file : "rows", column ? column[d] : "", b->low[d], b->high[d], sd);
    }
    return MB_OK;
}

mb_status mb_agree_moments(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp,
                           const mb_tree *tree, const mb_rows *rows, int32_t D, int32_t with_cov,
                           int32_t gaps, const double *ends, mb_row_moments *out, mb_traffic *sent,
                           mb_err *err)
{
    double       *mean;
    const double *all;
    node_rows    *nodes;
    summed        s = {.m = out};
    if (D < 1)
        MB_FAIL(err, MB_E_ARG, "D = %d columns: at least 1 is needed", D);
    MB_TRY(mb_moments_new_(a, D, with_cov, gaps, out, err));
    MB_NEW(mean, scratch_arena, D, err);
    MB_NEW(s.z, scratch_arena, D, err);
    MB_NEW(nodes, scratch_arena, tp->part->n_local, err);
    for (int32_t i = 0; i < tp->part->n_local; i++) {
        nodes[i].rows = &rows[i];
        MB_TRY(sums_of(scratch_arena, &nodes[i], with_cov, err));
    }
    MB_TRY(ends ? mb_ranges_(ends, out, err)
                : ranges(scratch_arena, tp, nodes, out, s.z, sent, err));
    MB_TRY(pass(scratch_arena, tp, tree, nodes, s, mb_first_len_(D, gaps), &all, sent, err));
    mb_first_moments_(all, out, mean);
    s.mean = mean;
    MB_TRY(pass(scratch_arena, tp, tree, nodes, s, mb_second_len_(D, with_cov, gaps), &all, sent,
                err));
    mb_second_moments_(all, out);
    if (ends)
        mb_find_constant_(out);
    return MB_OK;
}
