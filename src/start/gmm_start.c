/* gmm_start.c - the start block of mixtures: centres from a few rows, and responsibilities; of
 * columns of several kinds as start/mixed.h sees them. */
#include "start/gaps.h"
#include "start/mixed.h"
#include "start/one_node.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { ATTEMPTS = 10 };

/* What the attempts share. */
typedef struct search {
    int32_t         K;
    const mb_units *run;  /* of the rows as the initialisation sees them */
    const mb_rows  *rows; /* seen so                                     */
    uint64_t        seed;
    mb_one_node_    net;
    double         *centres; /* K x D of this attempt                 */
    void           *work;    /* memory of one attempt, used by each    */
    size_t          bytes;   /* of it                                  */
} search;

size_t mb_centres_len(const mb_sizes *s, int32_t columns)
{
    return (size_t)s->K * (size_t)(s->columns ? mb_mixed_columns_(s) : columns);
}

/* Upper limit of what mb_draw_centres and mb_lloyd take for n rows at one node. */
static size_t attempt_bytes(int32_t K, int32_t columns, int64_t n)
{
    const size_t D = (size_t)columns, sums = (size_t)K * (D + 1),
                 pieces = ((size_t)n + 4095) / 4096;

    return 48 * (size_t)n + 32 * sums + 400 * D + 4096 + pieces * (8 * sums + 128);
}

/* Sum of the squared distances of the rows to their nearest centre, run units. */
static double within(const search *s)
{
    const size_t D = (size_t)s->run->d;
    double       sum = 0;

    for (int64_t j = 0; j < s->rows->n; j++) {
        double least = HUGE_VAL;

        for (size_t k = 0; k < (size_t)s->K; k++)
            least = fmin(least, mb_gaps_distance2_(s->rows, j, s->centres + k * D, s->run->scale));
        sum += (s->rows->w ? s->rows->w[j] : 1) * least;
    }
    return sum;
}

/* k-means++ and Lloyd's iteration into s->centres. */
static mb_status attempt(search *s, int32_t number, mb_err *err)
{
    const double *origin = s->run->origin, *scale = s->run->scale;
    const int32_t K = s->K, D = s->run->d;
    mb_arena     *scratch_arena = mb_arena_fixed(s->work, s->bytes);
    mb_transport *tp = &s->net.tp;
    int32_t       repeated, steps;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to draw centres");
    MB_TRY(mb_draw_centres(scratch_arena, tp, &s->net.tree, s->rows, origin, scale, MB_KMEANS, 2, K,
                           s->seed, number, s->centres, &repeated, &s->net.sent, err));
    return mb_lloyd(scratch_arena, tp, &s->net.tree, s->rows, origin, scale, K, D, NULL, s->centres,
                    &steps, &s->net.sent, err);
}

mb_status mb_centres_from(mb_arena *a, mb_arena *scratch_arena, const mb_sizes *size,
                          const mb_units *run, const mb_rows *sample, uint64_t seed, double *start,
                          mb_err *err)
{
    const size_t len = mb_centres_len(size, run->d);
    double       best = HUGE_VAL;
    mb_rows      seen;
    mb_units     units;
    search       s = {.K = size->K, .run = &units, .rows = &seen, .seed = seed};

    (void)a;
    if (sample->d != run->d)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %d columns; expected %d", sample->d, run->d);
    MB_TRY(mb_mixed_rows_(scratch_arena, size, sample, &seen, err));
    MB_TRY(mb_mixed_units_(scratch_arena, size, run, &units, err));
    MB_TRY(mb_one_node_make_(scratch_arena, &s.net, err));
    s.bytes = attempt_bytes(s.K, units.d, sample->n);
    MB_NEW(s.centres, scratch_arena, len, err);
    s.work = mb_alloc(scratch_arena, s.bytes, 1);
    if (!s.work)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to draw centres");
    for (int32_t k = 0; k < ATTEMPTS; k++) {
        double sum;

        MB_TRY(attempt(&s, k, err));
        sum = within(&s);
        if (k && !(sum < best))
            continue;
        best = sum;
        memcpy(start, s.centres, len * sizeof *start);
    }
    return MB_OK;
}

void mb_centres_resp(const mb_sizes *s, const mb_units *run, const double *start,
                     const mb_rows *rows, double *resp)
{
    mb_mixed_nearest_(s, run, rows, s->K, start, resp);
}
