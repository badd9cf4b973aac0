/* paper_kmeans.c - the initialisations of the protocol `published`: k-means of all rows in one
 * place (synthetic data) or a random component for every row (real data), and the renaming of
 * components by the true class means. */
#include "paper_run.h"
#include "start/start.h"

#include <string.h>

enum { ITERATIONS = 100 };

/* Means of the rows first .. last - 1 by responsibility, 0 or 1; `none` where a component has no
 * row. */
static void means(const paper_world *w, int64_t first, int64_t last, const double *resp,
                  double none, double *mean)
{
    for (int32_t k = 0; k < w->K; k++) {
        double rows = 0, *m = mean + k * w->D;

        for (int64_t r = first; r < last; r++)
            rows += resp[r * w->K + k];
        for (int32_t d = 0; d < w->D; d++)
            m[d] = rows > 0 ? 0 : none;
        for (int64_t r = first; r < last && rows > 0; r++)
            for (int32_t d = 0; d < w->D; d++)
                m[d] += resp[r * w->K + k] * w->x[r * w->D + d] / rows;
    }
}

/* Centres are sampled uniformly in the box of the rows; a centre without rows is dropped. */
static mb_status pooled(paper_world *w, int32_t attempt, mb_err *err)
{
    mb_rng rng = mb_rng_at((uint64_t)w->u->seed, MB_STREAM_START, UINT32_MAX, (uint64_t)attempt);
    const mb_units *units = &w->central.run;
    const size_t    size = (size_t)(w->n * w->K) * sizeof *w->resp;
    double         *centre;

    MB_NEW(centre, w->u->a, w->K * w->D, err);
    for (int32_t d = 0; d < w->D; d++) {
        double lo = w->x[d], hi = w->x[d];

        for (int64_t r = 1; r < w->n; r++) {
            lo = fmin(lo, w->x[r * w->D + d]);
            hi = fmax(hi, w->x[r * w->D + d]);
        }
        for (int32_t k = 0; k < w->K; k++)
            centre[k * w->D + d] = lo + (hi - lo) * mb_rng_uniform(&rng);
    }
    for (int step = 0; step < ITERATIONS; step++) {
        memcpy(w->spare, w->resp, size);
        mb_nearest_resp(w->central.rows, units->origin, units->scale, w->K, centre, w->resp);
        if (step && !memcmp(w->spare, w->resp, size))
            break;
        means(w, 0, w->n, w->resp, HUGE_VAL, centre);
    }
    return MB_OK;
}

void paper_start_local(paper_world *w, int32_t attempt)
{
    memset(w->resp, 0, (size_t)(w->n * w->K) * sizeof *w->resp);
    for (int32_t i = 0; i < w->N; i++) {
        mb_rng rng =
            mb_rng_at((uint64_t)w->u->seed, MB_STREAM_START, (uint32_t)i, (uint64_t)attempt);

        for (int64_t r = w->first[i]; r < w->first[i + 1]; r++)
            w->resp[r * w->K + (int64_t)mb_rng_below(&rng, (uint64_t)w->K)] = 1;
    }
}

/* The node's components in the order that puts them nearest to the class means. */
static mb_status align(paper_world *w, int32_t i, const double *truth, mb_err *err)
{
    const int32_t K = w->K, D = w->D;
    double       *mean, *cost, *row;
    int32_t      *class_of;
    void         *scratch;

    MB_NEW(mean, w->u->a, K * D, err);
    MB_NEW(cost, w->u->a, K * K, err);
    MB_NEW(row, w->u->a, K, err);
    MB_NEW(class_of, w->u->a, K, err);
    scratch = mb_alloc(w->u->a, mb_assign_scratch(K, K), 1);
    if (!scratch)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to match components");
    means(w, w->first[i], w->first[i + 1], w->resp, 0, mean);
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            for (int32_t d = 0; d < D; d++)
                cost[k * K + c] += pow(mean[k * D + d] - truth[c * D + d], 2);
    MB_TRY(mb_assign(cost, K, K, class_of, scratch, err));
    for (int64_t r = w->first[i]; r < w->first[i + 1]; r++) {
        memcpy(row, w->resp + r * K, (size_t)K * sizeof *row);
        for (int32_t k = 0; k < K; k++)
            w->resp[r * K + class_of[k]] = row[k];
    }
    return MB_OK;
}

mb_status paper_start_informed(paper_world *w, const paper_truth *t, int local, int32_t attempt,
                               mb_err *err)
{
    double *known = w->spare, *truth;

    if (local)
        paper_start_local(w, attempt);
    else
        MB_TRY(pooled(w, attempt, err));
    MB_NEW(truth, w->u->a, w->K * w->D, err);
    memset(known, 0, (size_t)(w->n * w->K) * sizeof *known);
    for (int64_t r = 0; r < w->n; r++)
        known[r * w->K + t->label[r]] = 1;
    means(w, 0, w->n, known, 0, truth);
    for (int32_t i = 0; i < w->N; i++)
        MB_TRY(align(w, i, truth, err));
    return MB_OK;
}
