/* limits.c - where most rows are: quartiles of the columns from counts in bins, which a network
 * sums. Each pass narrows the bin that holds a quartile to a part of it. Counts are whole numbers,
 * so that all nodes and processes find the same limits, to the bit. */
#include "start/limits.h"
#include "base/gaps.h"
#include "base/rows.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

/* PLACES: the bins, what is below, and what is above. */
enum { QUARTILES = MB_QUARTILES_, BINS = 16, PLACES = BINS + 2 };
/* Columns that count at most as independent ones. */
enum { INDEPENDENT = 4 };

static const double normal = 1.3489795003921634; /* from quartile to quartile, in sd of a normal */
static const double resolved = 64; /* parts of that distance that the quartiles are known to */
static const double most = 0.25;   /* of the weight: where more is far, it is no outliers        */

typedef struct tally {
    const mb_rows *rows; /* of a node                        */
    mb_quartiles_  at;
    double        *x;      /* D: a row that is not in memory    */
    mb_limits     *limits; /* once they are known              */
} tally;

/* What add(tally, sum) adds for the rows of each node, over the network. */
typedef struct pass {
    mb_transport  *tp;
    const mb_rows *rows; /* of the nodes */
    mb_wave        wave;
    mb_traffic    *sent;
} pass;

static mb_status run(pass *p, void (*add)(void *self, double *sum), tally *t, const double **all,
                     mb_err *err)
{
    const size_t len = p->wave.len;

    MB_TRY(mb_cancel_agree_(p->tp, p->tp->part->n_local ? p->rows[0].share : NULL, err));
    for (int32_t i = 0; i < p->tp->part->n_local; i++) {
        double *sum = mb_wave_at_(&p->wave, i);

        memset(sum, 0, len * sizeof *sum);
        t->rows = &p->rows[i];
        if (MB_SHARE_(t->rows->share != NULL))
            MB_TRY(mb_share_chain_(t->rows->share, add, t, len, sum, err));
        else
            add(t, sum);
    }
    MB_TRY(mb_wave_sum_(&p->wave, p->sent, err));
    *all = mb_wave_at_(&p->wave, 0);
    return MB_OK;
}

static double weight_of(const mb_rows *rows, int64_t j)
{
    return rows->w ? rows->w[j] : 1;
}

void mb_quartiles_count_(const mb_quartiles_ *q, const mb_rows *rows, double *x, double *sum)
{
    for (int64_t j = 0; j < rows->n; j++) {
        const double *row = mb_rows_fetch(rows, j, x);
        const double  w = weight_of(rows, j);

        for (int32_t e = 0; w > 0 && e < q->d * QUARTILES; e++) {
            const double at = (mb_rows_in(row, rows, j, e / QUARTILES) - q->lo[e]) / q->width[e];

            if (!isnan(at))
                sum[e * PLACES + (at < 0 ? 0 : at < BINS ? 1 + (int32_t)at : BINS + 1)] += w;
        }
    }
}

static void add_counts(void *self, double *sum)
{
    const tally *t = self;

    mb_quartiles_count_(&t->at, t->rows, t->x, sum);
}

/* The bin of count (PLACES) that holds this share of the weight becomes all bins. */
static void narrow(const double *count, double share, double *lo, double *width)
{
    double  all = 0, below = count[0];
    int32_t b = 0;

    for (int32_t p = 0; p < PLACES; p++)
        all += count[p];
    while (b < BINS - 1 && below + count[1 + b] < share * all)
        below += count[1 + b++];
    *lo += b * *width;
    *width /= BINS;
}

/* The distance of the outer quartiles of column d; 0: it is not known well enough. */
static double between(const mb_quartiles_ *q, int32_t d)
{
    const int32_t first = d * QUARTILES, last = first + QUARTILES - 1;
    const double  width = q->lo[last] - q->lo[first];

    return q->width[first] * BINS * resolved <= width ? width : 0;
}

size_t mb_quartiles_len_(int32_t D)
{
    return (size_t)D * QUARTILES * PLACES;
}

/* The range is at most 4 sqrt 2 of the spread. */
void mb_quartiles_at_(const mb_row_moments *seen, int32_t turn, mb_quartiles_ *q)
{
    q->d = seen->d;
    for (int32_t e = 0; e < q->d * QUARTILES; e++) {
        const int32_t d = e / QUARTILES;

        q->lo[e] = turn ? q->lo[e] : seen->middle[d] - 3 * seen->spread[d];
        q->width[e] = 6 * (seen->spread[d] / BINS);
        for (int32_t t = 0; t < turn; t++)
            q->width[e] /= BINS;
    }
}

int mb_quartiles_narrow_(const mb_row_moments *seen, const double *all, mb_quartiles_ *q)
{
    int more = 0;

    for (int32_t e = 0; e < q->d * QUARTILES; e++)
        narrow(all + (size_t)e * PLACES, (1 + e % QUARTILES) / 4.0, &q->lo[e], &q->width[e]);
    for (int32_t d = 0; d < q->d; d++)
        more |= !seen->constant[d] && !(between(q, d) > 0);
    return more;
}

static mb_status find_quartiles(mb_arena *scratch_arena, pass *p, const mb_tree *tree,
                                const mb_row_moments *seen, tally *t, mb_err *err)
{
    const double *all;
    int           more = 1;

    MB_TRY(mb_wave_new_(scratch_arena, p->tp, tree, mb_quartiles_len_(seen->d), &p->wave, err));
    mb_quartiles_at_(seen, 0, &t->at);
    for (int32_t turn = 0; more && turn < MB_TURNS_; turn++) {
        MB_TRY(run(p, add_counts, t, &all, err));
        more = mb_quartiles_narrow_(seen, all, &t->at);
    }
    return MB_OK;
}

/* 1: row j is farther than the reach, in the mean square over the columns that it has. */
static int is_far(const mb_limits *l, const mb_rows *rows, int64_t j, const double *row)
{
    double  sum = 0;
    int32_t count = 0;

    for (int32_t d = 0; d < l->d; d++) {
        const double step = (mb_rows_in(row, rows, j, d) - l->middle[d]) / l->reach[d];

        if (!(l->reach[d] > 0) || isnan(step))
            continue;
        sum += step * step;
        count++;
    }
    return sum > count;
}

void mb_limits_count_(const mb_limits *l, const mb_rows *rows, double *x, double *sum)
{
    for (int64_t j = 0; j < rows->n; j++) {
        const double w = weight_of(rows, j);
        const int    far = is_far(l, rows, j, mb_rows_fetch(rows, j, x));

        sum[MB_ALL_] += w;
        sum[MB_AWAY_] += far ? w : 0;
        sum[MB_NEAR_] += w > 0 && !far;
    }
}

int mb_limits_hold_(const double *sum, int32_t least)
{
    return sum[MB_AWAY_] <= most * sum[MB_ALL_] && !(sum[MB_NEAR_] < least);
}

static void add_far(void *self, double *sum)
{
    const tally *t = self;

    mb_limits_count_(t->limits, t->rows, t->x, sum);
}

/* The reach, in standard deviations of a column: `widths` of one column. The mean square over D
 * independent normal columns of a row is 1 with a standard deviation of sqrt(2/D), so what is far
 * above 1 falls to it as 1/sqrt(D). Constant columns do not count. Columns depend on one another, and from INDEPENDENT on more of
 * them narrow nothing: on the 30 columns of breast_cancer a limit of 2.3 predicts worse. */
static double reach_of(double widths, const mb_row_moments *seen)
{
    int32_t D = 0;

    for (int32_t d = 0; d < seen->d && D < INDEPENDENT; d++)
        D += !seen->constant[d];
    return sqrt(1 + (widths * widths - 1) / sqrt(D > 0 ? D : 1));
}

void mb_quartiles_limits_(const mb_quartiles_ *q, const mb_row_moments *seen, double widths,
                          mb_limits *out)
{
    const double far = reach_of(widths, seen);

    out->d = q->d;
    for (int32_t d = 0; d < q->d; d++) {
        out->middle[d] = q->lo[d * QUARTILES + 1] + BINS / 2 * q->width[d * QUARTILES + 1];
        out->reach[d] = seen->constant[d] ? 0 : far * (between(q, d) / normal);
    }
}

mb_status mb_agree_limits(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp,
                          const mb_tree *tree, const mb_rows *rows, const mb_row_moments *seen,
                          double widths, int32_t least, mb_limits *out, mb_traffic *sent,
                          mb_err *err)
{
    const size_t  D = (size_t)seen->d;
    tally         t = {.limits = out};
    pass          p = {.tp = tp, .rows = rows, .sent = sent};
    const double *sum;

    *out = (mb_limits){.d = seen->d};
    MB_NEW(out->middle, a, D, err);
    MB_NEW(out->reach, a, D, err);
    MB_NEW(t.at.lo, scratch_arena, D * QUARTILES, err);
    MB_NEW(t.at.width, scratch_arena, D * QUARTILES, err);
    MB_NEW(t.x, scratch_arena, D, err);
    MB_TRY(find_quartiles(scratch_arena, &p, tree, seen, &t, err));
    mb_quartiles_limits_(&t.at, seen, widths, out);
    MB_TRY(mb_wave_new_(scratch_arena, tp, tree, MB_FAR_SUMS_, &p.wave, err));
    MB_TRY(run(&p, add_far, &t, &sum, err));
    if (!(sum[MB_AWAY_] > 0) || !mb_limits_hold_(sum, least))
        out->d = 0;
    return MB_OK;
}

void mb_limits_weights_(const mb_limits *l, const mb_rows *rows, double *x, double *w)
{
    for (int64_t j = 0; j < rows->n; j++)
        w[j] = is_far(l, rows, j, mb_rows_fetch(rows, j, x)) ? 0 : weight_of(rows, j);
}

mb_status mb_limits_rows(mb_arena *a, const mb_limits *l, const mb_rows *rows, mb_rows *out,
                         mb_err *err)
{
    double *w, *x;

    *out = *rows;
    if (!l || !l->d)
        return MB_OK;
    MB_NEW(w, a, rows->n + 1, err);
    MB_NEW(x, a, rows->d, err);
    mb_limits_weights_(l, rows, x, w);
    out->w = w;
    return MB_OK;
}

void mb_limits_resp(const mb_limits *l, const mb_rows *rows, int32_t K, double *resp)
{
    for (int64_t j = 0; l && l->d && j < rows->n; j++)
        if (is_far(l, rows, j, NULL))
            memset(resp + (size_t)j * (size_t)K, 0, (size_t)K * sizeof *resp);
}
