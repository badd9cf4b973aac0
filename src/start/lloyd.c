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
#include "start/gaussian.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

enum { STEPS = 300, BLOCK = MB_NEAR_ROWS, PIECE = 4096 };

/* Where bounds decide, they are floats that are wrong by their rounding at most: SLACK is more than
 * the relative error of a distance, in double precision and then as a float; ROUND, than that of a
 * sum or difference of two floats. NEARLY is as far below 1 as no distance is wrong by, so that a
 * row stays only where the distances, as they are computed, say so too. */
static const double SLACK = 1e-6, FARTHEST = 1e30;
static const float  ROUND = 3e-7F, NEARLY = 0.99999F, NEAREST = 1e-30F;

/* What is known of a row: own, at least its distance from its centre, and other, at most that from
 * any other centre [Hamerly10]; in refill its squared distance to the nearest centre. */
typedef union known {
    struct {
        float own, other;
    };
    double near;
} known;

typedef struct piece {
    mb_rows  rows;
    int64_t  slice; /* rows that are summed together   */
    int32_t  node;  /* local                           */
    int32_t *label; /* of its rows, one more than the cluster; 0: none yet */
    known   *known; /* of its rows                     */
} piece;

typedef struct lloyd {
    mb_transport  *tp;
    const mb_part *part;
    const double  *origin;
    void (*nearest)(int32_t K, int32_t D, const double *z, const double *centres, double *best,
                    double *own, double *other);
    double   *inverse; /* D: of the scale; exact for powers of two                     */
    int32_t   K, D;
    size_t    len;     /* K (D + 1) + 1: weight and sum of each cluster, weight that moved */
    double   *centres; /* K x D, common units                                          */
    double   *earlier; /* K x D: they at the last assignment; NULL: there are no bounds    */
    float    *step;    /* K: how far a centre has moved since, at least                    */
    float    *others;  /* K: the same of the other centre that has moved most              */
    float    *half;    /* K: half the distance to the nearest other centre, at most        */
    int32_t   bounded; /* 1: bounds of the rows are known                                  */
    piece    *pieces;
    int64_t   npiece;
    mb_share *share;   /* of the rows of one node; NULL: they are all here              */
    double   *sums;    /* npiece x len; of a share mb_share_room_                       */
    double   *scratch; /* of each thread: scratch_len                                  */
    mb_wave   wave;    /* of len numbers                                               */
    mb_flood  flood;   /* of D + 1: key and row                                        */
} lloyd;

/* [sums of a slice, len | columns of a block, D x BLOCK | a row that is fetched, D] */
static size_t scratch_len(const lloyd *l)
{
    const size_t D = (size_t)l->D;
    return l->len + (BLOCK + 1) * D;
}

static double in_units(const lloyd *l, const mb_rows *rows, int64_t j, int32_t d)
{
    return (mb_rows_at(rows, j, d) - l->origin[d]) * l->inverse[d];
}

/* z (D x BLOCK): the rows with these numbers, one a column; the columns after them are 0. x: D, for
 * a row that is not in memory. */
static void load(const lloyd *l, const mb_rows *rows, const int64_t *number, int32_t count,
                 double *restrict z, double *restrict x)
{
    const int32_t D = l->D;
    const double *origin = l->origin, *inverse = l->inverse;
    if (count < BLOCK)
        memset(z, 0, (size_t)D * BLOCK * sizeof *z);
    for (int32_t r = 0; r < count; r++) {
        const double *row = mb_rows_row(rows, number[r], x);
        for (int32_t d = 0; d < D; d++)
            z[d * BLOCK + r] = (row[d] - origin[d]) * inverse[d];
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

/* At least x, which is wrong by SLACK at most. */
static float at_least(double x)
{
    return x < FARTHEST ? (float)(x * (1 + SLACK)) : HUGE_VALF;
}

static float at_most(double x)
{
    return (float)(fmin(x, FARTHEST) * (1 - SLACK));
}

/* 1: the bounds of row j, which they now are after the steps of the centres, say that no other centre
 * is as near as its own. */
static int stays(const lloyd *l, const piece *p, int64_t j)
{
    known        *at = &p->known[j];
    const int32_t k = p->label[j] - 1;
    float         limit;
    at->own = (at->own + l->step[k]) * (1 + ROUND);
    at->other = (at->other - l->others[k]) * (1 - ROUND);
    limit = NEARLY * (at->other > l->half[k] ? at->other : l->half[k]);
    return at->own < limit && limit > NEAREST;
}

/* The rows with these numbers to their nearest centres. */
static void find_nearest(const lloyd *l, const piece *p, const int64_t *number, int32_t count,
                         double *z, double *moved)
{
    double best[BLOCK], own[BLOCK], other[BLOCK];
    load(l, &p->rows, number, count, z, z + (size_t)l->D * BLOCK);
    if (MB_GAPS_(p->rows.gaps))
        nearest_over_gaps(l, z, best);
    else
        l->nearest(l->K, l->D, z, l->centres, best, own, other);
    for (int32_t r = 0; r < count; r++) {
        const int64_t j = number[r];
        const int32_t label = (int32_t)best[r] + 1;
        *moved += p->label[j] == label ? 0 : p->rows.w ? p->rows.w[j] : 1;
        p->label[j] = label;
        if (MB_NEAR_BOUNDS && l->earlier && !MB_GAPS_(p->rows.gaps))
            p->known[j] = (known){.own = at_least(sqrt(own[r])), .other = at_most(sqrt(other[r]))};
    }
}

/* Rows from .. to - 1 of a piece to their nearest centres. */
static void label_slice(const lloyd *l, const piece *p, int64_t from, int64_t to, double *z,
                        double *moved)
{
    const int bounded = MB_NEAR_BOUNDS && l->bounded && !MB_GAPS_(p->rows.gaps);
    int64_t   number[BLOCK];
    int32_t   count = 0;
    for (int64_t j = from; j < to; j++) {
        if (!bounded || !stays(l, p, j))
            number[count++] = j;
        if (count < BLOCK && (!count || j < to - 1))
            continue;
        find_nearest(l, p, number, count, z, moved);
        count = 0;
    }
}

/* The sums of the clusters over rows from .. to - 1 of a piece. What a row does not have is its
 * centre's. x: as for load. */
static void sum_slice(const lloyd *l, const piece *p, int64_t from, int64_t to,
                      double *restrict sums, double *restrict x)
{
    const size_t D = (size_t)l->D;
    const double *restrict origin = l->origin, *restrict inverse = l->inverse;
    for (int64_t j = from; j < to; j++) {
        const size_t  k = (size_t)(p->label[j] - 1);
        const double *centre = l->centres + k * D, *restrict row = mb_rows_row(&p->rows, j, x);
        const double  w = p->rows.w ? p->rows.w[j] : 1;
        double *restrict sum = sums + k * (D + 1);
        sum[0] += w;
        if (MB_GAPS_(p->rows.gaps))
            for (size_t d = 0; d < D; d++)
                sum[1 + d] += w * (isnan(row[d]) ? centre[d] : (row[d] - origin[d]) * inverse[d]);
        else
            for (size_t d = 0; d < D; d++)
                sum[1 + d] += w * ((row[d] - origin[d]) * inverse[d]);
    }
}

/* Rows from .. to - 1 of a piece to their nearest centres; sums: of the clusters. */
static void assign_slice(const lloyd *l, const piece *p, int64_t from, int64_t to, double *sums,
                         double *z)
{
    memset(sums, 0, l->len * sizeof *sums);
    label_slice(l, p, from, to, z, sums + l->len - 1);
    sum_slice(l, p, from, to, sums, z + (size_t)l->D * BLOCK);
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

static double distance_of(const lloyd *l, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t d = 0; d < l->D; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sqrt(sum);
}

/* What the bounds of a row lose where its centre is k, and half the way from that to another. */
static void measure_steps(lloyd *l)
{
    const size_t D = (size_t)l->D;
    int32_t      most = 0;
    for (int32_t k = 0; k < l->K; k++) {
        const double *centre = l->centres + (size_t)k * D;
        double        nearest = HUGE_VAL;
        for (int32_t j = 0; j < l->K; j++)
            nearest = j == k ? nearest
                             : fmin(nearest, distance_of(l, centre, l->centres + (size_t)j * D));
        l->half[k] = at_most(nearest / 2);
        l->step[k] = at_least(distance_of(l, centre, l->earlier + (size_t)k * D));
        most = l->step[k] > l->step[most] ? k : most;
    }
    for (int32_t k = 0; k < l->K; k++) {
        l->others[k] = 0;
        for (int32_t j = 0; k == most && j < l->K; j++)
            l->others[k] = j != k && l->step[j] > l->others[k] ? l->step[j] : l->others[k];
        l->others[k] = k == most ? l->others[k] : l->step[most];
    }
    memcpy(l->earlier, l->centres, (size_t)l->K * D * sizeof *l->earlier);
}

/* One assignment of all rows. *all: the sums over the network, borrowed. */
static mb_status sum_clusters(lloyd *l, mb_pool *pool, const double **all, mb_traffic *sent,
                              mb_err *err)
{
    if (MB_NEAR_BOUNDS && l->earlier)
        measure_steps(l);
    mb_pool_run(pool, mb_pool_threads(pool), l->npiece, assign, l);
    l->bounded = MB_NEAR_BOUNDS && l->earlier;
    MB_TRY(mb_cancel_agree_(l->tp, l->share, err));
    for (int32_t i = 0; i < l->part->n_local; i++)
        memset(mb_wave_at_(&l->wave, i), 0, l->len * sizeof(double));
    if (MB_SHARE_(l->share != NULL))
        MB_TRY(mb_share_sum_(l->share, l->len, l->sums, mb_wave_at_(&l->wave, 0), MB_OK, err));
    else
        for (int64_t p = 0; p < l->npiece; p++)
            mb_join_sum_(mb_wave_at_(&l->wave, l->pieces[p].node), l->sums + (size_t)p * l->len,
                         l->len);
    MB_TRY(mb_wave_sum_(&l->wave, sent, err));
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

/* near: squared distance to the row's own centre, or to centre k if that is less. k < 0: afresh. They
 * take the place of the bounds. */
static void measure(lloyd *l, int32_t k)
{
    l->bounded = 0;
    for (int64_t p = 0; p < l->npiece; p++)
        for (int64_t j = 0; j < l->pieces[p].rows.n; j++) {
            const int32_t own = k < 0 ? l->pieces[p].label[j] - 1 : k;
            const double  dist =
                distance2(l, &l->pieces[p].rows, j, l->centres + (size_t)own * (size_t)l->D);
            l->pieces[p].known[j].near = k < 0 ? dist : fmin(l->pieces[p].known[j].near, dist);
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
            row[0] = l->pieces[p].known[j].near;
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

/* Few rows are measured sooner than bounded. */
static mb_status room_for_bounds(mb_arena *scratch_arena, lloyd *l, int64_t rows, mb_err *err)
{
    if (!MB_NEAR_BOUNDS || rows <= PIECE)
        return MB_OK;
    MB_NEW(l->earlier, scratch_arena, (size_t)l->K * (size_t)l->D, err);
    MB_NEW(l->step, scratch_arena, l->K, err);
    MB_NEW(l->others, scratch_arena, l->K, err);
    MB_NEW(l->half, scratch_arena, l->K, err);
    return MB_OK;
}

static mb_status cut(mb_arena *scratch_arena, lloyd *l, const mb_rows *rows, mb_err *err)
{
    int64_t  total = 0;
    int32_t *label;
    known   *rows_known;
    for (int32_t i = 0; i < l->part->n_local; i++) {
        const int64_t each = cut_of(&rows[i]).piece;
        total += rows[i].n;
        l->npiece += (rows[i].n + each - 1) / each;
    }
    MB_NEW(l->pieces, scratch_arena, l->npiece + 1, err);
    MB_NEW(label, scratch_arena, total + 1, err);
    MB_NEW(rows_known, scratch_arena, total + 1, err);
    MB_TRY(room_for_bounds(scratch_arena, l, total, err));
    l->npiece = 0;
    for (int32_t i = 0; i < l->part->n_local; i++) {
        const mb_cut_ of = cut_of(&rows[i]);
        for (int64_t first = 0; first < rows[i].n; first += of.piece) {
            const int64_t left = rows[i].n - first, n = left < of.piece ? left : of.piece;
            l->pieces[l->npiece++] =
                (piece){mb_rows_part(&rows[i], first, n), of.slice, i, label, rows_known};
            label += n;
            rows_known += n;
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

static mb_status open(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                      const mb_rows *rows, const double *scale, const double *centres,
                      mb_pool *pool, lloyd *l, mb_err *err)
{
    const mb_kernel_ *kernel[MB_KERNELS_MAX];
    mb_kernel_list_(kernel);
    l->nearest = kernel[0]->nearest;
    l->len = (size_t)l->K * ((size_t)l->D + 1) + 1;
    return prepare(scratch_arena, tp, tree, rows, scale, centres, mb_pool_threads(pool), l, err);
}

/* Of all centres, back in data units. */
static void give(const lloyd *l, const double *scale, double *centres)
{
    for (size_t e = 0; e < (size_t)l->K * (size_t)l->D; e++)
        centres[e] = l->origin[e % (size_t)l->D] + scale[e % (size_t)l->D] * l->centres[e];
}

mb_status mb_lloyd(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                   const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                   int32_t D, mb_pool *pool, double *centres, int32_t *steps, mb_traffic *sent,
                   mb_err *err)
{
    lloyd l = {.tp = tp, .part = tp->part, .origin = origin, .K = K, .D = D};
    MB_TRY(open(scratch_arena, tp, tree, rows, scale, centres, pool, &l, err));
    for (*steps = 0; *steps < STEPS; ++*steps) {
        const double *all;
        MB_TRY(sum_clusters(&l, pool, &all, sent, err));
        if (is_at_rest(&l, all))
            break;
        take_means(&l, all);
        MB_TRY(refill(&l, all, sent, err));
    }
    give(&l, scale, centres);
    return MB_OK;
}

mb_status mb_lloyd_sums(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                        const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                        int32_t D, mb_pool *pool, int32_t steps, double *centres, double *between,
                        mb_traffic *sent, mb_err *err)
{
    lloyd l = {.tp = tp, .part = tp->part, .origin = origin, .K = K, .D = D};
    MB_TRY(open(scratch_arena, tp, tree, rows, scale, centres, pool, &l, err));
    for (int32_t step = 0; step < steps; step++) {
        const double *all;
        MB_TRY(sum_clusters(&l, pool, &all, sent, err));
        *between = mb_gaussian_move_(K, D, all, l.centres);
    }
    give(&l, scale, centres);
    return MB_OK;
}
