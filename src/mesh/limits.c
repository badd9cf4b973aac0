/* limits.c - a genesis from sums where the kind trims (docs/protocol.md, section 6): which rows are
 * left out, and centres from the others. It goes in steps. When what one asks for is at rest, the
 * leader makes the next, which is flooded: the bins of the quartiles are narrowed as by
 * mb_agree_limits; rows beyond the limits leave the sums; K rows are drawn; these become the means of
 * the rows that are nearest to them. */
#include "start/limits.h"
#include "base/far.h"
#include "mesh/state.h"
#include "start/flood.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

/* Places in a search: the step, which only grows; turns of the bins; which rows count; times that
 * centres were looked for; then where the bins begin, units of the columns, and centres. */
enum { STEP, TURN, ROWS, MEANS, LOW };
/* At ROWS: all, while quartiles are searched; those within the limits; all, as too many are not. */
enum { COUNTING, NEAR, WHOLE };
/* Lloyd's steps at most, the rest is for the rounds; and all steps. */
enum { MEANS_MOST = 20, STEPS = MB_TURNS_ + 3 + MEANS_MOST };

static size_t bins_len(int32_t columns)
{
    return MB_QUARTILES_ * (size_t)columns;
}

size_t mb_search_len_(const mb_peer *p)
{
    return LOW + bins_len(p->plan.columns) + (size_t)p->plan.columns +
           mb_centres_len(&p->size, p->plan.columns);
}

size_t mb_far_len_(const mb_plan *plan)
{
    const int    trims = plan->kind->trims && plan->kind->trims(plan->kind_opt) > 0;
    const size_t counts = mb_quartiles_len_(plan->columns);
    mb_sizes     s;
    size_t       means;

    if (!trims || plan->from != MB_GENESIS_SUMS)
        return 0;
    mb_plan_sizes(plan, &s);
    means = (size_t)s.K * (1 + (size_t)plan->columns);
    return counts > means ? counts : means;
}

/* Columns, all 0 before there are some: powers of two nearest to the standard deviations. */
static double *scale(const mb_peer *p)
{
    return p->search + LOW + bins_len(p->plan.columns);
}

/* 1: a whole number from 0 to most. */
static int is_count(double x, int32_t most)
{
    return x >= 0 && x <= most && !(floor(x) < x);
}

int mb_search_fits_(const mb_peer *p, const double *search)
{
    const double  most = 10 * MB_VALUE_MAX; /* 3 spreads from the middle */
    const double *unit = search + (scale(p) - p->search);

    if (!is_count(search[STEP], STEPS) || !is_count(search[ROWS], WHOLE) ||
        !is_count(search[TURN], MB_TURNS_ - (search[ROWS] < NEAR)) ||
        !is_count(search[MEANS], MEANS_MOST))
        return 0;
    for (size_t e = LOW; e < mb_search_len_(p); e++)
        if (!(fabs(search[e]) <= most))
            return 0;
    for (int32_t d = 0; d < p->plan.columns; d++)
        if (unit[d] < 0 || (unit[d] > 0) != (unit[0] > 0))
            return 0;
    return 1;
}

int mb_peer_lists_(const mb_peer *p)
{
    return scale(p)[0] > 0 && !(p->search[MEANS] > 0);
}

double mb_peer_scale_(const mb_peer *p, int32_t d)
{
    return scale(p)[d];
}

/* Rows of before are in no list now. */
static void changed(mb_peer *p)
{
    p->life->samples = 0;
    p->life->sample_changed = 1;
}

void mb_peer_search_anew_(mb_peer *p)
{
    memset(p->search, 0, mb_search_len_(p) * sizeof *p->search);
    changed(p);
}

int mb_peer_search_with_(mb_peer *p, const double *search)
{
    const size_t n = mb_search_len_(p);

    if (search[STEP] > 0 && mb_merge_lex_(p->search, search, n))
        changed(p);
    return search[STEP] >= p->search[STEP] && !memcmp(p->search, search, n * sizeof *search);
}

static mb_quartiles_ quartiles(const mb_peer *p)
{
    return (mb_quartiles_){p->plan.columns, p->search + LOW, p->width};
}

static double *centres(const mb_peer *p)
{
    return scale(p) + p->plan.columns;
}

/* From here on sums are in units of the limits. */
static void narrow_units(mb_peer *p)
{
    for (int32_t d = 0; d < p->limits.d; d++)
        if (p->limits.reach[d] > 0) {
            p->seen.middle[d] = p->limits.middle[d];
            p->seen.spread[d] = ldexp(1, ilogb(p->limits.reach[d]));
        }
}

/* sum (K x (1 + D)) += w and w z of the rows by their nearest centres. */
static void add_means(mb_peer *p, const mb_rows *rows, double *sum)
{
    const int32_t D = p->plan.columns;
    const size_t  each = (size_t)p->size.K * (1 + (size_t)D);
    const double *resp = p->resp;

    mb_nearest_resp(rows, p->seen.middle, scale(p), p->size.K, centres(p), p->resp);
    for (int64_t i = 0; i < rows->n; i++)
        for (double *at = sum; at < sum + each; at += 1 + D) {
            const double  w = *resp++ * p->near[i];
            const double *x = p->x + (size_t)i * (size_t)D;

            at[0] += w;
            for (int32_t d = 0; d < D; d++)
                at[1 + d] += w * ((x[d] - p->seen.middle[d]) / p->seen.spread[d]);
        }
}

void mb_peer_trim_(mb_peer *p, mb_rows *rows, double *sum)
{
    mb_quartiles_ at = quartiles(p);

    mb_quartiles_at_(&p->seen, (int32_t)p->search[TURN], &at);
    mb_quartiles_limits_(&at, &p->seen, p->plan.kind->trims(p->plan.kind_opt), &p->limits);
    memcpy(p->near, p->w, (size_t)rows->n * sizeof *p->near);
    if (p->search[ROWS] < NEAR)
        mb_quartiles_count_(&at, rows, p->vector_row, sum);
    else if (p->search[ROWS] < WHOLE) {
        if (!(scale(p)[0] > 0))
            mb_limits_count_(&p->limits, rows, p->vector_row, sum);
        mb_limits_weights_(&p->limits, rows, p->vector_row, p->near);
        rows->w = p->near;
        narrow_units(p);
    }
    if (p->search[MEANS] > 0)
        add_means(p, rows, sum);
}

static int narrow(mb_peer *p, const double *s)
{
    mb_quartiles_ at = quartiles(p);
    const int     more = mb_quartiles_narrow_(&p->seen, s, &at);

    p->search[TURN]++;
    p->search[ROWS] = more && p->search[TURN] < MB_TURNS_ ? COUNTING : NEAR;
    return 1;
}

/* 1: the limits do not hold. */
static int fails(mb_peer *p, const double *s)
{
    double all[MB_FAR_SUMS_];

    if (p->search[ROWS] > NEAR || scale(p)[0] > 0)
        return 0;
    for (int k = 0; k < MB_FAR_SUMS_; k++)
        all[k] = s[k] / p->s[0]; /* N = 1/b */
    if (mb_limits_hold_(all, p->size.K))
        return 0;
    p->search[ROWS] = WHOLE;
    return 1;
}

/* 1: one has moved. */
static int to_means(mb_peer *p, const double *s)
{
    static const double STILL = 1e-2; /* standard deviations */
    const int32_t       D = p->plan.columns;
    double             *c = centres(p);
    int                 moved = 0;

    for (int32_t k = 0; k < p->size.K; k++, c += D, s += 1 + D)
        for (int32_t d = 0; d < D && s[0] > 0; d++) {
            const double to = p->seen.middle[d] + p->seen.spread[d] * (s[1 + d] / s[0]);

            moved |= fabs(to - c[d]) > STILL * scale(p)[d];
            c[d] = to;
        }
    return moved;
}

/* Once the moments of the rows that count are known. */
static int set_scale(mb_peer *p, const mb_row_moments *seen)
{
    if (scale(p)[0] > 0)
        return 0;
    mb_common_units(seen, p->vector_row, scale(p));
    return 1;
}

/* Lloyd's iteration, from the rows of the list. */
static int refine(mb_peer *p, const double *s)
{
    const size_t n = mb_centres_len(&p->size, p->plan.columns);

    if (!(p->search[MEANS] > 0)) {
        if (p->life->samples < p->keys)
            return 0;
        memcpy(centres(p), p->key_x, n * sizeof *p->key_x);
    } else if (!to_means(p, s) || p->search[MEANS] >= MEANS_MOST)
        return 0;
    p->search[MEANS]++;
    return 1;
}

int mb_peer_search_on_(mb_peer *p, const mb_row_moments *seen)
{
    const double *s = p->s + p->exact;

    if (p->search[STEP] >= STEPS)
        return 0;
    if (!(p->search[ROWS] < NEAR ? narrow(p, s)
                                 : fails(p, s) || set_scale(p, seen) || refine(p, s)))
        return 0;
    p->search[STEP]++;
    changed(p);
    return 1;
}

const mb_limits *mb_peer_limits_(const mb_peer *p)
{
    return p->search[ROWS] < WHOLE ? &p->limits : NULL;
}

const double *mb_peer_means_(const mb_peer *p)
{
    return p->search[MEANS] > 0 ? centres(p) : NULL;
}
