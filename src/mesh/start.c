/* start.c - a block of sums within stated bounds, which show no row (docs/protocol.md, section 6).
 * Nodes without a block make passes of SUM in epochs, whose phi is the state of the start: the step
 * it is at and what is known. In each step every node adds up its rows as the state says; the root
 * makes the next state of the sums of all: the moments, units and centres of these, then steps of
 * Lloyd's iteration from several draws, of which the best counts. */
#include "start/start.h"
#include "base/rows.h"
#include "mesh/genesis.h"
#include "mesh/state.h"
#include "start/gaussian.h"

#include <math.h>
#include <string.h>

/* The first two steps are of the moments. */
enum { FIRST_SUMS, SECOND_SUMS, MOVES };
enum {
    STEP,
    VALUE /* of the best draw */,
    NODES /* of the moments */,
    SUMS /* weight, then those of the values */
};

/* The parts of a state. */
typedef struct parts {
    double *first;          /* 1 + D                                         */
    double *second;         /* D or D (D + 1)/2                               */
    double *origin, *scale; /* D: common units                               */
    double *centres, *best; /* K x D in these: of this draw, of the best one */
} parts;

static size_t second_len(const mb_plan *plan)
{
    return mb_second_len_(plan->columns, mb_plan_needs_covariance_(plan), 0);
}

size_t mb_peer_start_len_(const mb_plan *plan)
{
    const size_t D = (size_t)plan->columns;
    mb_sizes     s;

    if (plan->from != MB_GENESIS_RANGES)
        return 0;
    if (plan->privacy)
        return SUMS + 2 * mb_release_numbers_(plan);
    mb_plan_sizes(plan, &s);
    return SUMS + 1 + D + second_len(plan) + 2 * D + 2 * (size_t)s.K * D;
}

mb_status mb_plan_bounded_(const mb_plan *plan, mb_err *err)
{
    const mb_bounds *b = plan->bounds;
    mb_sizes         s;

    mb_plan_sizes(plan, &s);
    if (!b || b->d != plan->columns)
        MB_FAIL(err, MB_E_ARG, "genesis: ranges: got bounds of %d columns; expected %d",
                b ? b->d : 0, plan->columns);
    for (int32_t d = 0; d < b->d; d++)
        if (!(b->low[d] < b->high[d]) || !(fabs(b->low[d]) <= MB_VALUE_MAX) ||
            !(fabs(b->high[d]) <= MB_VALUE_MAX))
            MB_FAIL(err, MB_E_ARG,
                    "genesis: ranges: got bounds from %g to %g of column \"%.60s\"; expected a "
                    "lower and an upper one, up to 1e100 in size",
                    b->low[d], b->high[d], plan->column[d]);
    if (s.columns)
        MB_FAIL(err, MB_E_NOSUP,
                "genesis: ranges makes sums of columns of numbers; expected sample or a file");
    if (plan->algo != &mb_algo_sum)
        MB_FAIL(err, MB_E_NOSUP, "genesis: ranges makes exact sums; expected algorithm sum");
    return MB_OK;
}

static parts parts_of(const mb_peer *p, double *state)
{
    const size_t D = (size_t)p->plan.columns, K = (size_t)p->size.K;
    parts        s = {.first = state + SUMS};

    s.second = s.first + 1 + D;
    s.origin = s.second + second_len(&p->plan);
    s.scale = s.origin + D;
    s.centres = s.scale + D;
    s.best = s.centres + K * D;
    return s;
}

static int32_t last_step(const mb_peer *p)
{
    if (p->plan.privacy)
        return SECOND_SUMS;
    return MOVES + (p->size.K ? MB_GAUSSIAN_DRAWS_ * MB_GAUSSIAN_STEPS_ : 0);
}

/* That of a state, which another node may have made. */
static int32_t step_of(const mb_peer *p, const double *state)
{
    return (int32_t)fmin(last_step(p), fmax(0, state[STEP]));
}

int mb_peer_start_done_(const mb_peer *p)
{
    return step_of(p, p->phi) == last_step(p);
}

void mb_peer_start_received_(mb_peer *p)
{
    if (p->plan.privacy)
        mb_release_hear_(p, p->phi + SUMS);
}

/* Sums are in units of the bounds. */
static mb_status measure(mb_peer *p, mb_err *err)
{
    const mb_bounds *b = p->plan.bounds;
    const int32_t    D = p->plan.columns;

    for (int32_t d = 0; d < D; d++) {
        p->new_ends[d] = -b->low[d];
        p->new_ends[D + d] = b->high[d];
    }
    return mb_ranges_(p->new_ends, &p->seen, err);
}

/* p->seen: the moments of all rows. */
static void see(mb_peer *p, const parts *s)
{
    mb_first_moments_(s->first, &p->seen, p->mean);
    mb_second_moments_(s->second, &p->seen);
    mb_find_constant_(&p->seen);
}

/* The centre of lowest number that is nearest to a row in common units, z (D). */
static int32_t nearest(const mb_peer *p, const parts *s, const double *z)
{
    const int32_t D = p->plan.columns;
    double        least = HUGE_VAL;
    int32_t       best = 0;

    for (int32_t k = 0; k < p->size.K; k++) {
        double q = 0;

        for (int32_t d = 0; d < D; d++) {
            const double far = z[d] - s->centres[(size_t)k * (size_t)D + (size_t)d];

            q += far * far;
        }
        if (q < least) {
            least = q;
            best = k;
        }
    }
    return best;
}

/* Weight and values of the rows of each cluster. */
static void add_clusters(const mb_peer *p, const parts *s, const mb_rows *rows, double *sum)
{
    const int32_t D = p->plan.columns;

    for (int64_t j = 0; j < rows->n; j++) {
        const double w = rows->w ? rows->w[j] : 1;
        double      *z = p->vector_row, *to;

        for (int32_t d = 0; d < D; d++)
            z[d] = (mb_rows_at(rows, j, d) - s->origin[d]) / s->scale[d];
        to = sum + (size_t)nearest(p, s, z) * (size_t)(D + 1);
        to[0] += w;
        for (int32_t d = 0; d < D; d++)
            to[1 + d] += w * z[d];
    }
}

mb_status mb_peer_start_sums_(mb_peer *p, const mb_rows *rows, mb_err *err)
{
    const parts   s = parts_of(p, p->phi);
    const int32_t step = step_of(p, p->phi);

    MB_TRY(measure(p, err));
    memset(p->star, 0, p->most * sizeof *p->star);
    if (p->plan.privacy) {
        mb_release_sums_(p, p->star);
    } else if (step == FIRST_SUMS) {
        mb_add_first_(&p->seen, rows, p->vector_row, p->star);
    } else if (step == SECOND_SUMS) {
        mb_first_moments_(s.first, &p->seen, p->mean);
        mb_add_second_(&p->seen, rows, p->mean, p->vector_row, p->star);
    } else if (step < last_step(p)) {
        add_clusters(p, &s, rows, p->star);
    }
    for (size_t l = 0; l < p->start_len; l++) /* a pass makes a mean of n numbers */
        p->star[l] *= p->life->N;
    return MB_OK;
}

/* ---- what sums can be ---- */

double mb_peer_start_rows_(const mb_peer *p, const double *sums)
{
    const int32_t step = step_of(p, p->phi);
    double        rows = 0;

    if (p->plan.privacy)
        return mb_release_rows_(p, sums);
    if (step == FIRST_SUMS)
        return sums[0];
    if (step == SECOND_SUMS || step == last_step(p))
        return (double)NAN;
    for (int32_t k = 0; k < p->size.K; k++)
        rows += sums[(size_t)k * (size_t)(p->plan.columns + 1)];
    return rows;
}

/* The largest size of a value of column d within the bounds, as sums of a step have it; of squares
 * about a mean within them. */
static double reach(const mb_peer *p, const parts *s, int32_t step, int32_t d)
{
    const double lo = p->plan.bounds->low[d], hi = p->plan.bounds->high[d];

    if (step < MOVES)
        return (step == SECOND_SUMS ? hi - lo : (hi - lo) / 2) / p->seen.spread[d];
    return fmax(fabs(lo - s->origin[d]), fabs(hi - s->origin[d])) / s->scale[d];
}

/* 1: x is from low to high, which are of numbers of this size. */
static int is_between(double low, double x, double high, double size)
{
    const double open = 1e-6 * (1 + size);

    return x >= low - open && x <= high + open;
}

/* Of weight and sums of the values of such rows. */
static int64_t far_first(const mb_peer *p, const parts *s, int32_t step, const double *x)
{
    if (!(x[0] >= -1e-6))
        return 0;
    for (int32_t d = 0; d < p->plan.columns; d++) {
        const double most = x[0] * reach(p, s, step, d);

        if (!is_between(-most, x[1 + d], most, most))
            return 1 + d;
    }
    return -1;
}

/* Of squares and products of all rows, at most. */
static int64_t far_second(const mb_peer *p, const parts *s, const double *x)
{
    const int all = mb_plan_needs_covariance_(&p->plan);
    int64_t   at = 0;

    for (int32_t i = 0; i < p->plan.columns; i++)
        for (int32_t k = all ? 0 : i; k <= i; k++, at++) {
            const double most =
                s->first[0] * reach(p, s, SECOND_SUMS, i) * reach(p, s, SECOND_SUMS, k);

            if (!is_between(i == k ? 0 : -most, x[at], most, most))
                return at;
        }
    return -1;
}

int64_t mb_peer_start_far_(mb_peer *p, const double *sums)
{
    const parts   s = parts_of(p, p->phi);
    const int32_t step = step_of(p, p->phi), each = p->plan.columns + 1;

    if (p->plan.privacy)
        return mb_release_far_(p, sums);
    if (step == last_step(p) || measure(p, NULL) < 0)
        return -1;
    if (step < MOVES)
        return step == FIRST_SUMS ? far_first(p, &s, step, sums) : far_second(p, &s, sums);
    for (int32_t k = 0; k < p->size.K; k++) {
        const int64_t at = far_first(p, &s, step, sums + (size_t)k * (size_t)each);

        if (at >= 0)
            return (int64_t)k * each + at;
    }
    return -1;
}

/* ---- steps ---- */

/* The centres of draw k. */
static void draw(mb_peer *p, const parts *s, int32_t k)
{
    const int32_t D = p->plan.columns;
    const double *root = mb_gaussian_root_(&p->seen, p->seen.cov) ? p->seen.cov : NULL;

    mb_gaussian_centres_(&p->seen, root, p->plan.bounds, p->plan.seed, (uint64_t)k, p->size.K,
                         p->mean, s->centres);
    for (int32_t e = 0; e < p->size.K * D; e++)
        s->centres[e] = (s->centres[e] - s->origin[e % D]) / s->scale[e % D];
}

/* After a step of Lloyd's iteration. */
static void move(mb_peer *p, const parts *s, int32_t step, const double *total, double *state)
{
    const int32_t D = p->plan.columns, made = step - MOVES + 1, k = made / MB_GAUSSIAN_STEPS_;
    const double  between = mb_gaussian_move_(p->size.K, D, total, s->centres);

    if (made % MB_GAUSSIAN_STEPS_)
        return;
    if (k == 1 || between > state[VALUE]) {
        memcpy(s->best, s->centres, (size_t)p->size.K * (size_t)D * sizeof *s->best);
        state[VALUE] = between;
    }
    if (k < MB_GAUSSIAN_DRAWS_) {
        see(p, s);
        draw(p, s, k);
    }
}

void mb_peer_start_next_(void *self, const double *total, double *phi)
{
    mb_peer      *p = self;
    const parts   s = parts_of(p, phi);
    const int32_t step = step_of(p, phi);

    if (measure(p, NULL) < 0)
        return;
    /* Others have come, or no block could be made: once more. */
    if (step == last_step(p) || (step != FIRST_SUMS && p->epoch->nodes > phi[NODES])) {
        phi[STEP] = FIRST_SUMS;
        return;
    }
    if (p->plan.privacy) {
        phi[NODES] = p->epoch->nodes;
        memcpy(phi + SUMS, total, 2 * mb_release_numbers_(&p->plan) * sizeof *total);
    } else if (step == FIRST_SUMS) {
        phi[NODES] = p->epoch->nodes;
        memcpy(s.first, total, (1 + (size_t)p->plan.columns) * sizeof *total);
        if (!(total[0] > 0)) /* no node has rows as yet */
            return;
    } else if (step == SECOND_SUMS) {
        memcpy(s.second, total, second_len(&p->plan) * sizeof *total);
        see(p, &s);
        mb_common_units(&p->seen, s.origin, s.scale);
        draw(p, &s, 0);
    } else {
        move(p, &s, step, total, phi);
    }
    phi[STEP] = step + 1;
}

mb_status mb_peer_start_genesis_(mb_peer *p, mb_arena *a, mb_genesis *out, mb_err *err)
{
    const parts   s = parts_of(p, p->phi);
    const int32_t D = p->plan.columns;
    double       *centres;

    if (p->plan.privacy)
        return mb_release_genesis_(p, a, out, err);
    if (p->size.K > s.first[0])
        MB_FAIL(err, MB_E_ARG, "got %d components for rows of weight %g", p->size.K, s.first[0]);
    MB_TRY(measure(p, err));
    see(p, &s);
    MB_TRY(mb_check_widths_(p->plan.bounds, &p->seen, NULL, p->plan.column, err));
    MB_NEW(centres, a, (size_t)p->size.K * (size_t)D + 1, err);
    for (int32_t e = 0; e < p->size.K * D; e++)
        centres[e] = s.origin[e % D] + s.scale[e % D] * s.best[e];
    return mb_genesis_of_moments_(a, &p->plan, &p->seen, centres, out, err);
}
