/* sums.c - a genesis from sums (docs/protocol.md, section 6). The extremes of the columns and a list of
 * K rows are flooded: merging them is idempotent. What is averaged is the vector
 *     b | sum w | sum w z (D) | sum w (z - c)^2 (D), or its products (D (D + 1)/2)
 * of the rows, z = (x - middle)/spread in units of the agreed range, c = sum w z / sum w as the node
 * knows it: when all agree on c, the second sums are about the mean and lose no digits. */
#include "base/far.h"
#include "mesh/genesis.h"
#include "mesh/state.h"
#include "start/flood.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { B, WEIGHT, FIRST }; /* places in the vector */

size_t mb_sums_len_(const mb_plan *plan)
{
    const size_t D = (size_t)plan->columns;

    return FIRST + D + (mb_plan_needs_covariance_(plan) ? D * (D + 1) / 2 : D);
}

size_t mb_peer_len_(const mb_peer *p, uint64_t run)
{
    return run || !p->sums ? p->L + MB_EXTRA_ : p->sums;
}

/* ---- rows by keys ---- */

/* Place k of the list, behind which it ends. */
static void put(mb_peer *p, uint32_t k, const mb_key_ *key, const double *x)
{
    const size_t D = (size_t)p->plan.columns;

    p->key[k] = *key;
    memcpy(p->key_x + k * D, x, D * sizeof *x);
    p->life->samples = k + 1;
    p->life->sample_changed = 1;
}

int mb_peer_widen_(mb_peer *p, const double *ends)
{
    const size_t n = 2 * (size_t)p->plan.columns;

    if (mb_merge_max_(p->ends, ends, n)) { /* distances, and so all keys, change */
        p->life->samples = 0;
        p->life->sample_changed = 1;
        if (MB_FAR_(p->trims))
            mb_peer_search_anew_(p);
    }
    return !memcmp(p->ends, ends, n * sizeof *ends);
}

int mb_peer_follow_(mb_peer *p, uint32_t k, const mb_key_ *key, const double *x)
{
    if (k < p->life->samples && !mb_key_before_(key, &p->key[k]))
        return !mb_key_before_(&p->key[k], key);
    put(p, k, key, x);
    return 1;
}

/* The squared distance of own row i from a centre, or, where the model bears rows far out, the distance
 * itself: these would be drawn first. */
static double distance(const mb_peer *p, int64_t i, const double *centre)
{
    static const double LEAST = 1e-200; /* a row that is equal to a centre is drawn last */
    const size_t        D = (size_t)p->plan.columns;
    double              q = 0;

    for (size_t d = 0; d < D; d++) {
        const double unit = MB_FAR_(p->trims) ? mb_peer_scale_(p, (int32_t)d) : p->seen.spread[d];
        const double z = (p->x[(size_t)i * D + d] - centre[d]) / unit;

        q += z * z;
    }
    return fmax(MB_FAR_(p->plan.kind->trims != NULL) ? sqrt(q) : q, LEAST);
}

/* The least distance of every own row from a centre, those before this one in p->resp; a row that is a
 * centre is not drawn again. */
static void measure(mb_peer *p, const mb_key_ *key, const double *centre)
{
    for (int64_t i = 0; i < p->life->n; i++) {
        if (key->node == (uint32_t)p->opt.id && key->row == (uint32_t)p->number[i])
            p->resp[i] = -1;
        p->resp[i] = fmin(p->resp[i], distance(p, i, centre));
    }
}

/* The weight of own row i in the draw. */
static double weight(const mb_peer *p, int64_t i)
{
    return MB_FAR_(p->trims) ? p->near[i] : p->w[i];
}

/* Own rows that are compared for each place but the first. */
static uint32_t draws(const mb_peer *p)
{
    return (uint32_t)mb_draw_candidates_(p->size.K);
}

/* The own row with the largest key w D/e, e exponential, for place k in draw l; -1: none is left. */
static int64_t draw(const mb_peer *p, uint32_t k, uint32_t l, mb_key_ *best)
{
    const uint32_t n = draws(p);
    int64_t        at = -1;

    *best = (mb_key_){0, 0, 0};
    for (int64_t i = 0; i < p->life->n; i++) {
        mb_rng        r = mb_rng_at(p->plan.seed, MB_STREAM_SAMPLE, (uint32_t)p->opt.id,
                                    ((uint64_t)p->number[i] * n + l) * p->keys + k);
        const mb_key_ key = {weight(p, i) * (k ? p->resp[i] : 1) / -log(mb_rng_uniform(&r)),
                             (uint32_t)p->opt.id, (uint32_t)p->number[i]};

        if (key.key > 0 && mb_key_before_(&key, best)) {
            *best = key;
            at = i;
        }
    }
    return at;
}

/* The sum of w D over the own rows, were row `at` a centre too. With trims of the fourth root of D:
 * of a node's few rows one between the clusters and the limits would outweigh a cluster. */
static double loss(const mb_peer *p, int64_t at)
{
    double sum = 0;

    for (int64_t i = 0; i < p->life->n; i++) {
        const double q =
            fmin(p->resp[i], distance(p, i, p->x + (size_t)at * (size_t)p->plan.columns));

        sum += weight(p, i) * (MB_FAR_(p->trims) ? sqrt(sqrt(q)) : q);
    }
    return sum;
}

/* The own row for place k. The first draw has the key; of several draws comes the row that leaves the
 * smallest sum over the own rows. */
static int64_t choose(const mb_peer *p, uint32_t k, mb_key_ *key)
{
    int64_t        best = draw(p, k, 0, key);
    const uint32_t n = k && best >= 0 ? draws(p) : 1;
    double         least = n > 1 ? loss(p, best) : 0;

    for (uint32_t l = 1; l < n; l++) {
        mb_key_       unused;
        const int64_t at = draw(p, k, l, &unused);
        const double  sum = loss(p, at);

        if (sum < least) {
            least = sum;
            best = at;
        }
    }
    key->row = best < 0 ? 0 : (uint32_t)p->number[best];
    return best;
}

/* Own rows enter the list where their keys are larger. */
static void enter(mb_peer *p)
{
    const size_t D = (size_t)p->plan.columns;
    mb_life_    *l = p->life;

    for (int64_t i = 0; p->keys && i < l->n; i++) /* without keys resp may have no room */
        p->resp[i] = HUGE_VAL;
    for (uint32_t k = 0; k < p->keys; k++) {
        mb_key_       best;
        const int64_t at = choose(p, k, &best);

        if (at >= 0 && (k >= l->samples || mb_key_before_(&best, &p->key[k])))
            put(p, k, &best, p->x + (size_t)at * D);
        if (k >= l->samples)
            return;
        measure(p, &p->key[k], p->key_x + k * D);
    }
}

/* ---- sums ---- */

/* The mean as the node knows it, in units of the range, and within that: on the way a sum of weights
 * may be near 0, and sums about a point far away would stay in z, where their rounding moves s for ever. */
static double *mean_of(const mb_peer *p)
{
    static const double MOST = 3;

    for (int32_t d = 0; d < p->plan.columns; d++) {
        const double c = p->s[WEIGHT] > 0 ? p->s[FIRST + d] / p->s[WEIGHT] : 0;

        p->mean[d] = fmin(MOST, fmax(-MOST, c));
    }
    return p->mean;
}

mb_status mb_peer_sum_(mb_peer *p, const mb_rows *rows, double *x, mb_err *err)
{
    const int32_t D = p->plan.columns;
    mb_rows       near = *rows;

    memset(x, 0, p->len * sizeof *x);
    x[B] = p->life->leader == (uint32_t)p->opt.id;
    MB_TRY(mb_column_ends_(rows, D, p->opt.id, p->vector_row, p->new_ends, err));
    (void)mb_peer_widen_(p, p->new_ends);
    if (!isfinite(p->ends[0]))
        return MB_OK;
    MB_TRY(mb_ranges_(p->ends, &p->seen, err));
    if (MB_FAR_(p->trims))
        mb_peer_trim_(p, &near, x + p->exact);
    mb_add_first_(&p->seen, &near, p->vector_row, x + WEIGHT);
    mb_add_second_(&p->seen, &near, mean_of(p), p->vector_row, x + FIRST + D);
    if (MB_FAR_(p->trims) && !mb_peer_lists_(p))
        return MB_OK;
    if (p->life->sample_changed || p->life->samples < p->keys)
        enter(p);
    return MB_OK;
}

double mb_peer_change_(const mb_peer *p, const double *s)
{
    static const double ROUGH = 1e-6; /* the sums of a search */
    double              far = fabs(s[B] - p->s[B]) / fabs(s[B]);

    for (size_t l = WEIGHT; l < p->len; l++)
        far = fmax(far, (MB_FAR_(l >= p->exact) ? ROUGH : 1) * fabs(s[l] - p->s[l]) / s[WEIGHT]);
    return s[WEIGHT] > 0 ? far : -1;
}

const mb_row_moments *mb_peer_moments_(mb_peer *p)
{
    for (size_t l = WEIGHT; l < p->len; l++) /* N = 1/b */
        p->scratch[l] = p->s[l] / p->s[B];
    mb_first_moments_(p->scratch + WEIGHT, &p->seen, p->mean);
    mb_second_moments_(p->scratch + FIRST + p->plan.columns, &p->seen);
    return &p->seen;
}
