/* Common centres chosen by the network itself (k-means++ by the Gumbel maximum, farthest-first),
 * and the first responsibilities: of the nearest centre, or a node's own random ones.
 *
 * The maximum of ln p_j + Gumbel over all rows falls on row j with probability p_j / sum p, so
 * flooding the largest key samples exactly, and no node sees all rows. Of several candidates a sum
 * over the tree finds the one to which the rows are nearest. */
#include "base/gaps.h"
#include "base/rows.h"
#include "base/text.h"
#include "kernel/kernel.h"
#include "start/flood.h"
#include "start/gaps.h"
#include "start/start.h"
#include "start/tree.h"
#include "transport/share.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

/* FEW: rows that are measured sooner than compared by their centres. SOME: rows whose numbers are
 * drawn together. */
enum { FEW = 4096, SOME = 64 };

typedef struct draw {
    mb_transport  *tp;
    const mb_part *part;
    const mb_rows *rows;
    const double  *origin; /* in place of the values that a row has not */
    const double  *scale;
    double        *inverse; /* D: of the scale; exact for powers of two                        */
    mb_draw        how;
    int32_t        K, D;
    int32_t        candidates;
    uint64_t       seed;
    int32_t        attempt;
    double        *row;          /* D: one that is not in memory                                  */
    double        *near;         /* all local rows: squared distance to the nearest centre so far */
    int32_t       *label;        /* they: that centre; NULL: distances are always measured        */
    const double  *centres;      /* k x D: those so far                                         */
    double        *from_centres; /* candidates x K: squared distances of centres from offers    */
    double        *bid;          /* D + 1: key and row, the vector that floods                    */
    double        *offer;        /* candidates x D: rows, of which one becomes the centre         */
    double        *lost;         /* rows of a share x candidates: what each adds to their sums    */
    mb_flood       flood;
    mb_wave        wave; /* of one number a candidate; unused if there is but one         */
} draw;

typedef enum key_rule { BY_WEIGHT, BY_DISTANCE } key_rule;

/* -inf: never chosen. uniform: each row has one number, so its key depends on its place alone. */
static double row_key(const draw *dr, key_rule rule, double w, double dist2, double uniform)
{
    const double noise = mb_gumbel_of(uniform);
    if (!(w > 0))
        return -HUGE_VAL;
    if (rule == BY_WEIGHT)
        return log(w) + noise;
    if (!(dist2 > 0))
        return -HUGE_VAL;
    if (dr->how == MB_FARTHEST)
        return dist2;
    if (dr->how == MB_ANY_ROWS)
        return log(w) + noise;
    return log(w) + (dr->how == MB_KMEDIANS ? .5 : 1) * log(dist2) + noise;
}

/* What the weight of a row, as it is drawn, over 1 - uniform must reach for its key to be `best`: of
 * most rows no logarithm is needed, as exp(key) is that weight over -log(uniform), which is more
 * than 1 - uniform. 0: any may be. */
static double bar_of(double best)
{
    static const double rounding = 1e-9, most = 600;
    return fabs(best) < most ? exp(best) * (1 - rounding) : 0;
}

static int is_below(const draw *dr, key_rule rule, double w, double dist2, double uniform,
                    double bar)
{
    const double by = rule == BY_WEIGHT        ? 1
                      : dr->how == MB_KMEDIANS ? sqrt(dist2)
                      : dr->how == MB_ANY_ROWS ? dist2 > 0
                                               : dist2;
    return dr->how != MB_FARTHEST && w * by < bar * (1 - uniform);
}

/* Row j beside its key; where it has no value, the origin. */
static void take_row(draw *dr, const mb_rows *rows, int64_t j)
{
    for (int32_t d = 0; d < dr->D; d++) {
        dr->bid[d + 1] = mb_rows_at(rows, j, d);
        if (MB_GAPS_(rows->gaps) && isnan(dr->bid[d + 1]))
            dr->bid[d + 1] = dr->origin[d];
    }
}

/* The best key and row of every node for candidate l of centre k. */
static void bid_all(draw *dr, key_rule rule, int32_t k, int32_t l)
{
    const uint64_t centre = (uint64_t)dr->attempt * (uint64_t)dr->K + (uint64_t)k;
    /* Attempts with other numbers of candidates have random numbers of their own. */
    const uint64_t shift = dr->candidates > 2 ? (uint64_t)dr->candidates << 48 : 0;
    const uint64_t turn = shift + centre * (uint64_t)dr->candidates + (uint64_t)l;
    const size_t   len = (size_t)dr->D + 1;
    const double  *near = dr->near;
    double         uniform[SOME];
    for (int32_t i = 0; i < dr->part->n_local; i++) {
        const mb_rows *rows = &dr->rows[i];
        double        *own = dr->flood.own + (size_t)i * len, bar = 0;
        mb_rng         rng = mb_rng_at(dr->seed, MB_STREAM_START, (uint32_t)dr->part->gid[i], turn);
        if (MB_SHARE_(rows->share != NULL))
            mb_rng_skip(&rng, 2 * (uint64_t)rows->before);
        memset(own, 0, len * sizeof *own);
        own[0] = -HUGE_VAL;
        for (int64_t j = 0; j < rows->n; j++) {
            const double w = rows->w ? rows->w[j] : 1, *u = uniform + j % SOME;
            if (j % SOME == 0)
                mb_rng_uniforms(&rng, rows->n - j < SOME ? rows->n - j : SOME, uniform);
            if (MB_NEAR_BOUNDS && is_below(dr, rule, w, near[j], *u, bar))
                continue;
            dr->bid[0] = row_key(dr, rule, w, near[j], *u);
            if (dr->bid[0] < own[0] || isinf(dr->bid[0]))
                continue;
            take_row(dr, rows, j);
            mb_merge_lex_(own, dr->bid, len);
            bar = MB_NEAR_BOUNDS ? bar_of(own[0]) : 0;
        }
        near += rows->n;
    }
}

/* |(x_j - c) / scale|^2. The origin cancels; left out, it costs no digits. row: from mb_rows_fetch.
 * inverse: of the scale, NULL: it is divided; the bits agree where scales are powers of two. */
static inline double distance2(const mb_rows *rows, int64_t j, const double *row, const double *c,
                               const double *scale, const double *inverse)
{
    const int32_t D = rows->d;
    double        sum = 0;
    if (MB_GAPS_(rows->gaps))
        return mb_gaps_distance2_(rows, j, c, scale);
    for (int32_t d = 0; d < D; d++) {
        const double far = mb_rows_in(row, rows, j, d) - c[d];
        const double step = inverse ? far * inverse[d] : far / scale[d];
        sum += step * step;
    }
    return sum;
}

/* to (k): squared distances of the centres so far from c. */
static void measure_from_centres(const draw *dr, const double *c, int32_t k, double *to)
{
    const mb_rows so_far = {.x = dr->centres, .n = k, .d = dr->D, .ld = (size_t)dr->D};
    for (int32_t i = 0; MB_NEAR_BOUNDS && i < k && dr->label; i++)
        to[i] = distance2(&so_far, i, NULL, c, dr->scale, dr->inverse);
}

/* 1: row number j is no nearer to a point than to its centre, which is more than twice as far from
 * the point. from_centres: of the centres from it. */
static inline int is_beyond(const int32_t *label, const double *near, const double *from_centres,
                            int64_t j)
{
    static const double twice = 4 + 1e-5; /* squared, with more than the rounding of both */
    return MB_NEAR_BOUNDS && label && twice * near[j] < from_centres[label[j]];
}

/* near and label after centre number k. */
static void update_near(draw *dr, int32_t k, const double *centre)
{
    double  *near = dr->near;
    int32_t *label = dr->label;
    measure_from_centres(dr, centre, k, dr->from_centres);
    for (int32_t i = 0; i < dr->part->n_local; i++) {
        const mb_rows *rows = &dr->rows[i];
        for (int64_t j = 0; j < rows->n; j++) {
            double far;
            if (is_beyond(label, near, dr->from_centres, j))
                continue;
            far =
                distance2(rows, j, mb_rows_fetch(rows, j, dr->row), centre, dr->scale, dr->inverse);
            if (MB_NEAR_BOUNDS && label && far < near[j])
                label[j] = k;
            near[j] = fmin(near[j], far);
        }
        near += rows->n;
        if (label)
            label += rows->n;
    }
}

/* Collective: as mb_cancel_agree_. */
static mb_status cancelled(const draw *dr, mb_err *err)
{
    return mb_cancel_agree_(dr->tp, dr->part->n_local ? dr->rows[0].share : NULL, err);
}

/* Candidate l of centre k: the row of the largest key. *none = 1 if no row has a key. */
static mb_status choose(draw *dr, key_rule rule, int32_t k, int32_t l, int *none, mb_traffic *sent,
                        mb_err *err)
{
    const size_t D = (size_t)dr->D;
    MB_TRY(cancelled(dr, err));
    bid_all(dr, rule, k, l);
    for (int32_t i = 0; i < dr->part->n_local; i++)
        if (MB_SHARE_(dr->rows[i].share != NULL))
            MB_TRY(mb_share_join_(dr->rows[i].share, mb_merge_lex_, D + 1,
                                  dr->flood.own + (size_t)i * (D + 1), dr->bid, err));
    MB_TRY(mb_flood_run_(&dr->flood, mb_merge_lex_, D + 1, sent, err));
    *none = isinf(dr->flood.ends[0]);
    memcpy(dr->offer + (size_t)l * D, dr->flood.ends + 1, D * sizeof *dr->offer);
    return MB_OK;
}

/* Rows whose distances to the candidates are summed. */
typedef struct offered {
    const draw    *dr;
    const mb_rows *rows;
    const double  *near;  /* of these rows */
    const int32_t *label; /* theirs        */
} offered;

/* Of candidate l; NULL without labels. */
static inline double *from_centres_of(const draw *dr, int32_t l)
{
    return dr->from_centres ? dr->from_centres + (size_t)l * (size_t)dr->K : NULL;
}

/* w min(near, distance^2) of row j from candidate l. *row: of mb_rows_fetch, once it is needed. */
static inline double loss(const offered *o, int64_t j, const double **row, int32_t l)
{
    const draw    *dr = o->dr;
    const mb_rows *rows = o->rows;
    const double  *centre = dr->offer + (size_t)l * (size_t)dr->D;
    const double   w = rows->w ? rows->w[j] : 1;
    double         least = o->near[j];

    if (!(w > 0))
        return 0;
    if (!is_beyond(o->label, o->near, from_centres_of(dr, l), j)) {
        if (!*row)
            *row = mb_rows_fetch(rows, j, dr->row);
        least = fmin(least, distance2(rows, j, *row, centre, dr->scale, dr->inverse));
    }
    return w * (dr->how == MB_KMEDIANS ? sqrt(least) : least);
}

static void add_losses(const offered *o, double *sum)
{
    for (int64_t j = 0; j < o->rows->n; j++) {
        const double *row = NULL;
        for (int32_t l = 0; l < o->dr->candidates; l++)
            sum[l] += loss(o, j, &row, l);
    }
}

static void add_known(void *self, double *sum)
{
    const offered *o = self;
    const double  *lost = o->dr->lost;
    for (int64_t j = 0; j < o->rows->n; j++)
        for (int32_t l = 0; l < o->dr->candidates; l++)
            sum[l] += *lost++;
}

/* Processes add in turn, so they find what to add before. */
static mb_status add_shared(offered *o, double *sum, mb_err *err)
{
    const int32_t count = o->dr->candidates;
    for (int64_t j = 0; j < o->rows->n; j++) {
        const double *row = NULL;
        for (int32_t l = 0; l < count; l++)
            o->dr->lost[j * count + l] = loss(o, j, &row, l);
    }
    return mb_share_chain_(o->rows->share, add_known, o, (size_t)count, sum, err);
}

/* The candidate that leaves the smallest sum of w D^2 over all rows, the first of equals. */
static mb_status compare(draw *dr, int32_t k, int32_t *best, mb_traffic *sent, mb_err *err)
{
    const double *all;
    offered       o = {.dr = dr, .near = dr->near, .label = dr->label};
    for (int32_t l = 0; l < dr->candidates; l++)
        measure_from_centres(dr, dr->offer + (size_t)l * (size_t)dr->D, k, from_centres_of(dr, l));
    for (int32_t i = 0; i < dr->part->n_local; i++) {
        double *sum = mb_wave_at_(&dr->wave, i);
        memset(sum, 0, (size_t)dr->candidates * sizeof *sum);
        o.rows = &dr->rows[i];
        if (MB_SHARE_(o.rows->share != NULL))
            MB_TRY(add_shared(&o, sum, err));
        else
            add_losses(&o, sum);
        o.near += o.rows->n;
        if (o.label)
            o.label += o.rows->n;
    }
    MB_TRY(mb_wave_sum_(&dr->wave, sent, err));
    all = mb_wave_at_(&dr->wave, 0);
    *best = 0;
    for (int32_t l = 1; l < dr->candidates; l++)
        *best = all[l] < all[*best] ? l : *best;
    return MB_OK;
}

/* Centre k. *repeated = 1 if every row is a centre already. */
static mb_status draw_one(draw *dr, int32_t k, double *centre, int32_t *repeated, mb_traffic *sent,
                          mb_err *err)
{
    const key_rule rule = k == 0 ? BY_WEIGHT : BY_DISTANCE;
    const int32_t  count = rule == BY_WEIGHT ? 1 : dr->candidates;
    int32_t        best = 0;
    int            none;
    MB_TRY(choose(dr, rule, k, 0, &none, sent, err));
    if (none) {
        *repeated = 1;
        MB_TRY(choose(dr, BY_WEIGHT, k, 0, &none, sent, err));
    } else if (count > 1) {
        for (int32_t l = 1; l < count; l++)
            MB_TRY(choose(dr, rule, k, l, &none, sent, err));
        MB_TRY(cancelled(dr, err));
        MB_TRY(compare(dr, k, &best, sent, err));
    }
    memcpy(centre, dr->offer + (size_t)best * (size_t)dr->D, (size_t)dr->D * sizeof *centre);
    return MB_OK;
}

/* *sum += rows of positive weight. */
static void add_choosable(void *self, double *sum)
{
    const mb_rows *rows = self;
    for (int64_t j = 0; j < rows->n; j++)
        *sum += !rows->w || rows->w[j] > 0;
}

static mb_status count_choosable(mb_rows rows, double *sum, mb_err *err)
{
    if (MB_SHARE_(rows.share != NULL))
        return mb_share_chain_(rows.share, add_choosable, &rows, 1, sum, err);
    add_choosable(&rows, sum);
    return MB_OK;
}

/* Checks the columns, and that the network holds at least K rows of positive weight, and counts
 * the rows here. */
static mb_status inspect(draw *dr, mb_transport *tp, int64_t *total, mb_err *err)
{
    double widest = 0, choosable = 0;
    *total = 0;
    for (int32_t i = 0; i < dr->part->n_local; i++) {
        const mb_rows *rows = &dr->rows[i];
        if (rows->n > 0)
            widest = fmax(widest, rows->d);
        MB_TRY(count_choosable(*rows, &choosable, err));
        *total += rows->n;
    }
    MB_TRY(tp->ops->reduce(tp, MB_MAX, &widest, 1, err));
    dr->D = (int32_t)widest;
    for (int32_t i = 0; i < dr->part->n_local; i++)
        if (dr->rows[i].n > 0 && dr->rows[i].d != dr->D)
            MB_FAIL(err, MB_E_SHAPE, "node %d has %d columns, not %d", dr->part->gid[i],
                    dr->rows[i].d, dr->D);
    MB_TRY(tp->ops->reduce(tp, MB_SUM, &choosable, 1, err));
    if (dr->K < 1 || dr->K > choosable)
        MB_FAIL(err, MB_E_ARG,
                "%d components from %.0f rows of positive weight: 1 to %.0f can be drawn", dr->K,
                choosable, choosable);
    return MB_OK;
}

/* Distances over the columns that a row has are no metric. */
static int any_gaps(const draw *dr)
{
    int any = 0;
    for (int32_t i = 0; i < dr->part->n_local; i++)
        any |= MB_GAPS_(dr->rows[i].gaps);
    return any;
}

static mb_status prepare(draw *dr, mb_arena *a, mb_transport *tp, const mb_tree *tree, mb_err *err)
{
    int64_t total;
    if (dr->candidates < 1 || (dr->candidates > 1 && !tree))
        MB_FAIL(err, MB_E_ARG, "candidates a centre: got %d%s; expected 1, or more with a tree",
                dr->candidates, tree ? "" : " without a tree");
    MB_TRY(inspect(dr, tp, &total, err));
    MB_TRY(mb_flood_new_(a, tp, (size_t)dr->D + 1, &dr->flood, err));
    if (dr->candidates > 1)
        MB_TRY(mb_wave_new_(a, tp, tree, (size_t)dr->candidates, &dr->wave, err));
    MB_NEW(dr->inverse, a, dr->D, err);
    for (int32_t d = 0; d < dr->D; d++)
        dr->inverse[d] = 1 / dr->scale[d];
    MB_NEW(dr->bid, a, dr->D + 1, err);
    if (MB_STORED_(1))
        MB_NEW(dr->row, a, dr->D, err);
    MB_NEW(dr->offer, a, (size_t)dr->candidates * (size_t)dr->D, err);
    MB_NEW(dr->near, a, total + 1, err);
    if (MB_NEAR_BOUNDS && total > FEW && !any_gaps(dr)) {
        MB_NEW(dr->label, a, total, err);
        MB_NEW(dr->from_centres, a, (size_t)dr->candidates * (size_t)dr->K, err);
    }
    if (MB_SHARE_(dr->part->n_local && dr->rows[0].share != NULL))
        MB_NEW(dr->lost, a, total * dr->candidates + 1, err);
    for (int64_t j = 0; j < total; j++)
        dr->near[j] = HUGE_VAL;
    return MB_OK;
}

int32_t mb_draw_candidates_(int32_t K)
{
    return 2 + (int32_t)(2 * log(K));
}

mb_status mb_draw_centres(mb_arena *a, mb_transport *tp, const mb_tree *tree, const mb_rows *rows,
                          const double *origin, const double *scale, mb_draw how,
                          int32_t candidates, int32_t K, uint64_t seed, int32_t attempt,
                          double *centres, int32_t *repeated, mb_traffic *sent, mb_err *err)
{
    draw dr = {.tp = tp,
               .part = tp->part,
               .rows = rows,
               .origin = origin,
               .scale = scale,
               .how = how,
               .K = K,
               .candidates = candidates,
               .seed = seed,
               .attempt = attempt};
    *repeated = 0;
    dr.centres = centres;
    MB_TRY(prepare(&dr, a, tp, tree, err));
    for (int32_t k = 0; k < K; k++) {
        double *centre = centres + (size_t)k * (size_t)dr.D;
        MB_TRY(draw_one(&dr, k, centre, repeated, sent, err));
        update_near(&dr, k, centre);
    }
    return MB_OK;
}

void mb_nearest_resp(const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                     const double *centres, double *resp)
{
    (void)origin; /* cancels in every difference */
    memset(resp, 0, (size_t)rows->n * (size_t)K * sizeof *resp);
    for (int64_t j = 0; j < rows->n; j++) {
        int32_t best = 0;
        double  least = HUGE_VAL;
        for (int32_t k = 0; k < K; k++) {
            const double *centre = centres + (size_t)k * (size_t)rows->d;
            const double  dist = distance2(rows, j, NULL, centre, scale, NULL);
            best = dist < least ? k : best;
            least = fmin(least, dist);
        }
        resp[(size_t)j * (size_t)K + (size_t)best] = 1;
    }
}

void mb_random_more(mb_rng *rng, int64_t n, int32_t K, double *resp)
{
    for (int64_t j = 0; j < n; j++) {
        double *row = resp + (size_t)j * (size_t)K, sum = 0;
        for (int32_t k = 0; k < K; k++)
            sum += row[k] = mb_rng_uniform(rng);
        for (int32_t k = 0; k < K; k++)
            row[k] /= sum;
    }
}

void mb_random_resp(int64_t n, int32_t K, uint64_t seed, int32_t attempt, int32_t gid, double *resp)
{
    mb_rng rng = mb_rng_at(seed, MB_STREAM_START, (uint32_t)gid, (uint64_t)attempt);
    mb_random_more(&rng, n, K, resp);
}
