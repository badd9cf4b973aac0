/* limits.c - where most rows are: quartiles of the columns from counts in bins, which a network
 * sums. Each pass narrows the bin that holds a quartile to a part of it. Counts are whole numbers,
 * so that all nodes and processes find the same limits, to the bit. */
#include "base/gaps.h"
#include "base/rows.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/share.h"

#include <math.h>
#include <string.h>

/* PLACES: the bins, what is below, and what is above. TURNS: passes at most, for distances between
 * quartiles of 2^-54 of the range at least. */
enum { QUARTILES = 3, BINS = 16, PLACES = BINS + 2, TURNS = 15 };
/* Columns that count at most as independent ones. */
enum { INDEPENDENT = 4 };

static const double normal = 1.3489795003921634; /* from quartile to quartile, in sd of a normal */
static const double resolved = 64; /* parts of that distance that the quartiles are known to */
static const double most = 0.25;   /* of the weight: where more is far, it is no outliers        */

/* The bins of each quartile: it is in lo to lo + BINS width. */
typedef struct tally {
    const mb_rows *rows; /* of a node                        */
    int32_t        D;
    double        *lo, *width; /* D x QUARTILES                    */
    double        *x;          /* D: a row that is not in memory    */
    mb_limits     *limits;     /* once they are known              */
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
    const size_t len = p->wave.mail.len;

    for (int32_t i = 0; i < p->tp->part->n_local; i++) {
        double *sum = mb_wave_at_(&p->wave, i);

        memset(sum, 0, len * sizeof *sum);
        t->rows = &p->rows[i];
        if (MB_SHARE_(t->rows->share != NULL))
            MB_TRY(mb_share_chain_(t->rows->share, add, t, len, sum, err));
        else
            add(t, sum);
    }
    MB_TRY(mb_wave_run_(&p->wave, mb_join_sum_, p->sent, err));
    *all = mb_wave_at_(&p->wave, 0);
    return MB_OK;
}

static double weight_of(const mb_rows *rows, int64_t j)
{
    return rows->w ? rows->w[j] : 1;
}

/* sum (D x QUARTILES x PLACES) += the weight of the rows in each bin. */
static void add_counts(void *self, double *sum)
{
    const tally *t = self;

    for (int64_t j = 0; j < t->rows->n; j++) {
        const double *row = mb_rows_fetch(t->rows, j, t->x);
        const double  w = weight_of(t->rows, j);

        for (int32_t e = 0; w > 0 && e < t->D * QUARTILES; e++) {
            const double at = (mb_rows_in(row, t->rows, j, e / QUARTILES) - t->lo[e]) / t->width[e];

            if (!isnan(at))
                sum[e * PLACES + (at < 0 ? 0 : at < BINS ? 1 + (int32_t)at : BINS + 1)] += w;
        }
    }
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
static double between(const tally *t, int32_t d)
{
    const int32_t first = d * QUARTILES, last = first + QUARTILES - 1;
    const double  apart = t->lo[last] - t->lo[first];

    return t->width[first] * BINS * resolved <= apart ? apart : 0;
}

static mb_status find_quartiles(mb_arena *draft, pass *p, const mb_tree *tree,
                                const mb_row_moments *seen, tally *t, mb_err *err)
{
    const int32_t searches = t->D * QUARTILES;
    const double *all;
    int           more = 1;

    MB_TRY(mb_wave_new_(draft, p->tp, tree, (size_t)(searches * PLACES), &p->wave, err));
    for (int32_t e = 0; e < searches; e++) { /* the range is at most 4 sqrt 2 of the spread */
        const int32_t d = e / QUARTILES;

        t->lo[e] = seen->middle[d] - 3 * seen->spread[d];
        t->width[e] = 6 * (seen->spread[d] / BINS);
    }
    for (int32_t turn = 0; more && turn < TURNS; turn++) {
        MB_TRY(run(p, add_counts, t, &all, err));
        more = 0;
        for (int32_t e = 0; e < searches; e++)
            narrow(all + (size_t)e * PLACES, (1 + e % QUARTILES) / 4.0, &t->lo[e], &t->width[e]);
        for (int32_t d = 0; d < t->D; d++)
            more |= !seen->constant[d] && !(between(t, d) > 0);
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

enum { ALL, FAR, NEAR, SUMS };

static void add_far(void *self, double *sum)
{
    const tally *t = self;

    for (int64_t j = 0; j < t->rows->n; j++) {
        const double w = weight_of(t->rows, j);
        const int    far = is_far(t->limits, t->rows, j, mb_rows_fetch(t->rows, j, t->x));

        sum[ALL] += w;
        sum[FAR] += far ? w : 0;
        sum[NEAR] += w > 0 && !far;
    }
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

mb_status mb_agree_limits(mb_arena *a, mb_arena *draft, mb_transport *tp, const mb_tree *tree,
                          const mb_rows *rows, const mb_row_moments *seen, double widths,
                          int32_t least, mb_limits *out, mb_traffic *sent, mb_err *err)
{
    const size_t  D = (size_t)seen->d;
    tally         t = {.D = seen->d, .limits = out};
    pass          p = {.tp = tp, .rows = rows, .sent = sent};
    const double *sum;
    double        far;

    *out = (mb_limits){.d = seen->d};
    MB_NEW(out->middle, a, D, err);
    MB_NEW(out->reach, a, D, err);
    MB_NEW(t.lo, draft, D * QUARTILES, err);
    MB_NEW(t.width, draft, D * QUARTILES, err);
    MB_NEW(t.x, draft, D, err);
    MB_TRY(find_quartiles(draft, &p, tree, seen, &t, err));
    far = reach_of(widths, seen);
    for (int32_t d = 0; d < t.D; d++) {
        out->middle[d] = t.lo[d * QUARTILES + 1] + BINS / 2 * t.width[d * QUARTILES + 1];
        out->reach[d] = seen->constant[d] ? 0 : far * (between(&t, d) / normal);
    }
    MB_TRY(mb_wave_new_(draft, tp, tree, SUMS, &p.wave, err));
    MB_TRY(run(&p, add_far, &t, &sum, err));
    if (!(sum[FAR] > 0) || sum[FAR] > most * sum[ALL] || sum[NEAR] < least)
        out->d = 0;
    return MB_OK;
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
    for (int64_t j = 0; j < rows->n; j++)
        w[j] = is_far(l, rows, j, mb_rows_fetch(rows, j, x)) ? 0 : weight_of(rows, j);
    out->w = w;
    return MB_OK;
}

void mb_limits_resp(const mb_limits *l, const mb_rows *rows, int32_t K, double *resp)
{
    for (int64_t j = 0; l && l->d && j < rows->n; j++)
        if (is_far(l, rows, j, NULL))
            memset(resp + (size_t)j * (size_t)K, 0, (size_t)K * sizeof *resp);
}
