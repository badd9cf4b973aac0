/* Lloyd's iteration from given centres, by sums over the tree.
 *
 * Each node's rows are cut into pieces by their number alone; pieces, then nodes, are added in a
 * fixed order. So the bits depend neither on threads nor on processes. Where several processes have
 * the rows of one node, it is the only one. */
#include "base/gaps.h"
#include "base/pool.h"
#include "base/rows.h"
#include "kernel/kernel.h"
#include "start/flood.h"
#include "start/gaps.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

enum { STEPS = 300, BLOCK = MB_NEAR_ROWS, PIECE = 4096 };

typedef struct piece {
    mb_rows  rows;
    int64_t  slice; /* rows that are summed together   */
    int32_t  node;  /* local                           */
    int32_t *label; /* of its rows, one more than the cluster; 0: none yet */
    double  *near;  /* of its rows: see refill         */
} piece;

typedef struct lloyd {
    mb_transport  *tp;
    const mb_part *part;
    const double  *origin;
    void (*nearest)(int32_t K, int32_t D, const double *z, const double *centres, double *best);
    double   *inverse; /* D: of the scale; exact for powers of two                     */
    int32_t   K, D;
    size_t    len;     /* K (D + 1) + 1: weight and sum of each cluster, weight that moved */
    double   *centres; /* K x D, common units                                          */
    piece    *pieces;
    int64_t   npiece;
    mb_share *share;   /* of the rows of one node; NULL: they are all here              */
    double   *sums;    /* npiece x len; of a share mb_share_room_                       */
    double   *scratch; /* of each thread: scratch_len                                  */
    mb_wave   wave;    /* of len numbers                                               */
    mb_flood  flood;   /* of D + 1: key and row                                        */
} lloyd;

/* [sums of a slice, len | a block's columns, D x BLOCK | centres of its rows, BLOCK |
 * a row that is fetched, D] */
static size_t scratch_len(const lloyd *l)
{
    const size_t D = (size_t)l->D;
    return l->len + BLOCK * (D + 1) + MB_STORED_(D);
}

static double in_units(const lloyd *l, const mb_rows *rows, int64_t j, int32_t d)
{
    return (mb_rows_at(rows, j, d) - l->origin[d]) * l->inverse[d];
}

/* z (D x BLOCK): rows first .. first + count - 1, one a column; the columns after them are 0. x: D,
 * for a row that is not in memory. */
static void load(const lloyd *l, const mb_rows *rows, int64_t first, int32_t count,
                 double *restrict z, double *restrict x)
{
    const int32_t D = l->D;
    const double *origin = l->origin, *inverse = l->inverse;
    if (count < BLOCK)
        memset(z, 0, (size_t)D * BLOCK * sizeof *z);
    for (int32_t r = 0; r < count; r++) {
        const double *row = mb_rows_fetch(rows, first + r, x);
        for (int32_t d = 0; d < D; d++)
            z[d * BLOCK + r] =
                row ? (row[d] - origin[d]) * inverse[d] : in_units(l, rows, first + r, d);
    }
}

/* best (BLOCK): the nearest centre of each column of z over the values that are there, the lowest index
 * on a tie. */
static void nearest_over_gaps(const lloyd *l, const double *restrict z, double *restrict best)
{
    double least[BLOCK];
    for (int32_t r = 0; r < BLOCK; r++) {
        least[r] = HUGE_VAL;
        best[r] = 0;
    }
    for (int32_t k = 0; k < l->K; k++) {
        const double *centre = l->centres + (size_t)k * (size_t)l->D;
        double        dist[BLOCK] = {0};
        for (int32_t d = 0; d < l->D; d++)
            for (int32_t r = 0; r < BLOCK; r++) {
                const double step = z[d * BLOCK + r] - centre[d];
                dist[r] += isnan(step) ? 0 : step * step;
            }
        for (int32_t r = 0; r < BLOCK; r++) {
            best[r] = dist[r] < least[r] ? k : best[r];
            least[r] = dist[r] < least[r] ? dist[r] : least[r];
        }
    }
}

/* What a row does not have is its centre's. */
static void complete(const lloyd *l, const double *best, double *z)
{
    for (int32_t d = 0; d < l->D; d++)
        for (int32_t r = 0; r < BLOCK; r++)
            if (isnan(z[d * BLOCK + r]))
                z[d * BLOCK + r] = l->centres[(size_t)best[r] * (size_t)l->D + (size_t)d];
}

/* Labels of rows first .. first + count - 1, and their sums. */
static void add(const piece *p, int64_t first, int32_t count, int32_t D, const double *best,
                const double *restrict z, double *restrict sums, double *restrict moved)
{
    for (int32_t r = 0; r < count; r++) {
        const int32_t k = (int32_t)best[r];
        const double  w = p->rows.w ? p->rows.w[first + r] : 1;
        double       *sum = sums + (size_t)k * ((size_t)D + 1);
        *moved += p->label[first + r] != k + 1 ? w : 0;
        p->label[first + r] = k + 1;
        sum[0] += w;
        for (int32_t d = 0; d < D; d++)
            sum[1 + d] += w * z[d * BLOCK + r];
    }
}

/* Rows from .. to - 1 of a piece to their nearest centres; sums: of the clusters. */
static void assign_slice(const lloyd *l, const piece *p, int64_t from, int64_t to, double *sums,
                         double *z)
{
    double *best = z + (size_t)l->D * BLOCK;
    memset(sums, 0, l->len * sizeof *sums);
    for (int64_t first = from; first < to; first += BLOCK) {
        const int64_t left = to - first;
        const int32_t count = left < BLOCK ? (int32_t)left : BLOCK;
        load(l, &p->rows, first, count, z, best + BLOCK);
        if (MB_GAPS_(p->rows.gaps)) {
            nearest_over_gaps(l, z, best);
            complete(l, best, z);
        } else
            l->nearest(l->K, l->D, z, l->centres, best);
        add(p, first, count, l->D, best, z, sums, sums + l->len - 1);
    }
}

static void assign(void *arg, int32_t thread, int64_t at)
{
    const lloyd *l = arg;
    const piece *p = &l->pieces[at];
    double      *sums = l->sums + (size_t)at * l->len;
    double      *own = l->scratch + (size_t)thread * scratch_len(l);
    if (mb_is_cancelled_(l->tp)) /* sum_clusters fails */
        return;
    for (int64_t first = 0; first < p->rows.n; first += p->slice) {
        const int64_t left = p->rows.n - first;
        assign_slice(l, p, first, first + (left < p->slice ? left : p->slice), first ? own : sums,
                     own + l->len);
        if (first)
            mb_join_sum_(sums, own, l->len);
    }
}

/* One assignment of all rows. *all: the sums over the network, borrowed. */
static mb_status sum_clusters(lloyd *l, mb_pool *pool, const double **all, mb_traffic *sent,
                              mb_err *err)
{
    mb_pool_run(pool, mb_pool_threads(pool), l->npiece, assign, l);
    MB_TRY(mb_cancel_agree_(l->tp, l->share, err));
    for (int32_t i = 0; i < l->part->n_local; i++)
        memset(mb_wave_at_(&l->wave, i), 0, l->len * sizeof(double));
    if (MB_SHARE_(l->share != NULL))
        MB_TRY(mb_share_sum_(l->share, l->len, l->sums, mb_wave_at_(&l->wave, 0), MB_OK, err));
    else
        for (int64_t p = 0; p < l->npiece; p++)
            mb_join_sum_(mb_wave_at_(&l->wave, l->pieces[p].node), l->sums + (size_t)p * l->len,
                         l->len);
    MB_TRY(mb_wave_run_(&l->wave, mb_join_sum_, sent, err));
    *all = mb_wave_at_(&l->wave, 0);
    return MB_OK;
}

static double distance2(const lloyd *l, const mb_rows *rows, int64_t j, const double *centre)
{
    double  sum = 0;
    int32_t gone = 0;
    for (int32_t d = 0; d < l->D; d++) {
        const double step = in_units(l, rows, j, d) - centre[d];
        if (MB_GAPS_(rows->gaps) && isnan(step))
            gone++;
        else
            sum += step * step;
    }
    return mb_over_seen_(sum, l->D, gone);
}

/* near: squared distance to the row's own centre, or to centre k if that is less. k < 0: afresh. */
static void measure(lloyd *l, int32_t k)
{
    for (int64_t p = 0; p < l->npiece; p++)
        for (int64_t j = 0; j < l->pieces[p].rows.n; j++) {
            const int32_t own = k < 0 ? l->pieces[p].label[j] - 1 : k;
            const double  dist =
                distance2(l, &l->pieces[p].rows, j, l->centres + (size_t)own * (size_t)l->D);
            l->pieces[p].near[j] = k < 0 ? dist : fmin(l->pieces[p].near[j], dist);
        }
}

/* The key and row of every node that is farthest from its centre; key -inf: none at a distance. */
static void bid(lloyd *l, double *row)
{
    const size_t len = (size_t)l->D + 1;
    memset(l->flood.own, 0, (size_t)l->part->n_local * len * sizeof *row);
    for (int32_t i = 0; i < l->part->n_local; i++)
        l->flood.own[(size_t)i * len] = -HUGE_VAL;
    for (int64_t p = 0; p < l->npiece; p++) {
        const mb_rows *rows = &l->pieces[p].rows;
        double        *own = l->flood.own + (size_t)l->pieces[p].node * len;
        for (int64_t j = 0; j < rows->n; j++) {
            row[0] = l->pieces[p].near[j];
            if (!(row[0] > 0) || row[0] < own[0] || (rows->w && !(rows->w[j] > 0)))
                continue;
            for (int32_t d = 0; d < l->D; d++) {
                row[1 + d] = in_units(l, rows, j, d);
                if (MB_GAPS_(rows->gaps) && isnan(row[1 + d]))
                    row[1 + d] = 0; /* the origin */
            }
            mb_merge_lex_(own, row, len);
        }
    }
}

/* An empty cluster takes the row that is farthest from its centre, the next one the row that is then
 * farthest, and so on. If every row is at a centre it keeps its own. */
static mb_status refill(lloyd *l, const double *all, mb_traffic *sent, mb_err *err)
{
    const size_t D = (size_t)l->D;
    int          measured = 0;
    for (int32_t k = 0; k < l->K; k++) {
        if (all[(size_t)k * (D + 1)] > 0)
            continue;
        if (!measured++)
            measure(l, -1);
        bid(l, l->scratch);
        if (MB_SHARE_(l->share != NULL))
            MB_TRY(mb_share_join_(l->share, mb_merge_lex_, D + 1, l->flood.own, l->scratch, err));
        MB_TRY(mb_flood_run_(&l->flood, mb_merge_lex_, D + 1, sent, err));
        if (isinf(l->flood.ends[0]))
            return MB_OK;
        memcpy(l->centres + (size_t)k * D, l->flood.ends + 1, D * sizeof *l->centres);
        measure(l, k);
    }
    return MB_OK;
}

/* Whether the rows that moved weigh next to nothing: the runs that begin here move them again. */
static int is_at_rest(const lloyd *l, const double *all)
{
    static const double MOVED =
        1e-4; /* of the weight of all rows; of fewer than 10,000 rows none */
    double total = 0;
    for (int32_t k = 0; k < l->K; k++)
        total += all[(size_t)k * ((size_t)l->D + 1)];
    return !(all[l->len - 1] > MOVED * total);
}

static void take_means(lloyd *l, const double *all)
{
    const size_t D = (size_t)l->D;
    for (size_t k = 0; k < (size_t)l->K; k++) {
        const double *sum = all + k * (D + 1);
        for (size_t d = 0; d < D && sum[0] > 0; d++)
            l->centres[k * D + d] = sum[1 + d] / sum[0];
    }
}

/* The pieces of a node's rows; of many rows those of a share. */
static mb_cut_ cut_of(const mb_rows *rows)
{
    mb_cut_ of = mb_cut_of_(rows->n, rows->d);
    if (MB_SHARE_(rows->share != NULL))
        of = (mb_cut_){.piece = rows->share->each, .slice = rows->share->slice};
    of.piece = of.piece > PIECE ? of.piece : PIECE;
    of.slice = of.slice > PIECE ? of.slice : PIECE;
    return of;
}

static mb_status cut(mb_arena *scratch_arena, lloyd *l, const mb_rows *rows, mb_err *err)
{
    int64_t  total = 0;
    int32_t *label;
    double  *near;
    for (int32_t i = 0; i < l->part->n_local; i++) {
        const int64_t each = cut_of(&rows[i]).piece;
        total += rows[i].n;
        l->npiece += (rows[i].n + each - 1) / each;
    }
    MB_NEW(l->pieces, scratch_arena, l->npiece + 1, err);
    MB_NEW(label, scratch_arena, total + 1, err);
    MB_NEW(near, scratch_arena, total + 1, err);
    l->npiece = 0;
    for (int32_t i = 0; i < l->part->n_local; i++) {
        const mb_cut_ of = cut_of(&rows[i]);
        for (int64_t first = 0; first < rows[i].n; first += of.piece) {
            const int64_t left = rows[i].n - first, n = left < of.piece ? left : of.piece;
            l->pieces[l->npiece++] =
                (piece){mb_rows_part(&rows[i], first, n), of.slice, i, label, near};
            label += n;
            near += n;
        }
    }
    return MB_OK;
}

static mb_status room_for_sums(mb_arena *scratch_arena, lloyd *l, const mb_rows *rows, mb_err *err)
{
    size_t room = (size_t)l->npiece * l->len + 1;
    if (MB_SHARE_(l->part->n_local && rows->share != NULL)) {
        l->share = rows->share;
        room = mb_share_room_(l->len);
    }
    MB_NEW(l->sums, scratch_arena, room, err);
    return MB_OK;
}

static mb_status prepare(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                         const mb_rows *rows, const double *scale, const double *centres,
                         int32_t threads, lloyd *l, mb_err *err)
{
    const size_t D = (size_t)l->D, K = (size_t)l->K;
    MB_TRY(cut(scratch_arena, l, rows, err));
    MB_TRY(mb_wave_new_(scratch_arena, tp, tree, l->len, &l->wave, err));
    MB_TRY(mb_flood_new_(scratch_arena, tp, D + 1, &l->flood, err));
    MB_NEW(l->inverse, scratch_arena, D, err);
    MB_NEW(l->centres, scratch_arena, K * D, err);
    MB_TRY(room_for_sums(scratch_arena, l, rows, err));
    MB_NEW(l->scratch, scratch_arena, (size_t)threads * scratch_len(l), err);
    for (size_t d = 0; d < D; d++)
        l->inverse[d] = 1 / scale[d];
    for (size_t e = 0; e < K * D; e++)
        l->centres[e] = (centres[e] - l->origin[e % D]) * l->inverse[e % D];
    return MB_OK;
}

mb_status mb_lloyd(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                   const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                   int32_t D, mb_pool *pool, double *centres, int32_t *steps, mb_traffic *sent,
                   mb_err *err)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    lloyd             l = {.tp = tp, .part = tp->part, .origin = origin, .K = K, .D = D};
    mb_kernel_list_(kernel);
    l.nearest = kernel[0]->nearest;
    l.len = (size_t)K * ((size_t)D + 1) + 1;
    MB_TRY(prepare(scratch_arena, tp, tree, rows, scale, centres, mb_pool_threads(pool), &l, err));
    for (*steps = 0; *steps < STEPS; ++*steps) {
        const double *all;
        MB_TRY(sum_clusters(&l, pool, &all, sent, err));
        if (is_at_rest(&l, all))
            break;
        take_means(&l, all);
        MB_TRY(refill(&l, all, sent, err));
    }
    for (size_t e = 0; e < (size_t)K * (size_t)D; e++)
        centres[e] = origin[e % (size_t)D] + scale[e % (size_t)D] * l.centres[e];
    return MB_OK;
}
