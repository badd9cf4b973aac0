/* paper_kmeans.c - the starts of the protocol `published`: k-means of all rows in one place
 * (synthetic data) or a random component for every row (real data), and the renaming of components by
 * the true class means. */
#include "paper_run.h"

#include <string.h>

enum { ITERATIONS = 100 };

static int32_t nearest(const double *x, const double *centre, const uint8_t *gone, int32_t K,
                       int32_t D)
{
    int32_t best = -1;
    double  least = HUGE_VAL;

    for (int32_t k = 0; k < K; k++) {
        double d2 = 0;

        for (int32_t d = 0; d < D; d++)
            d2 += (x[d] - centre[k * D + d]) * (x[d] - centre[k * D + d]);
        if (!gone[k] && d2 < least) {
            least = d2;
            best = k;
        }
    }
    return best;
}

/* Centres become the means of their rows; one without rows is dropped. */
static void move(const double *x, int64_t n, int32_t D, int32_t K, const int32_t *of,
                 double *centre, uint8_t *gone)
{
    for (int32_t k = 0; k < K; k++) {
        int64_t rows = 0;

        for (int64_t r = 0; r < n; r++)
            rows += of[r] == k;
        gone[k] = rows == 0;
        if (rows)
            memset(centre + k * D, 0, (size_t)D * sizeof *centre);
        for (int64_t r = 0; r < n && rows; r++)
            for (int32_t d = 0; of[r] == k && d < D; d++)
                centre[k * D + d] += x[r * D + d] / (double)rows;
    }
}

/* Centres start uniformly in the box of the rows. resp (n x K). */
static mb_status kmeans(mb_arena *a, const double *x, int64_t n, int32_t D, int32_t K, mb_rng rng,
                        double *resp, mb_err *err)
{
    double  *centre;
    uint8_t *gone;
    int32_t *of, changed = 1;

    MB_NEW(centre, a, K * D, err);
    MB_NEW(gone, a, K, err);
    MB_NEW(of, a, n, err);
    for (int32_t d = 0; d < D; d++) {
        double lo = x[d], hi = x[d];

        for (int64_t r = 1; r < n; r++) {
            lo = fmin(lo, x[r * D + d]);
            hi = fmax(hi, x[r * D + d]);
        }
        for (int32_t k = 0; k < K; k++)
            centre[k * D + d] = lo + (hi - lo) * mb_rng_uniform(&rng);
    }
    for (int step = 0; step < ITERATIONS && changed; step++) {
        changed = step == 0;
        for (int64_t r = 0; r < n; r++) {
            const int32_t k = nearest(x + r * D, centre, gone, K, D);

            changed |= k != of[r];
            of[r] = k;
        }
        move(x, n, D, K, of, centre, gone);
    }
    memset(resp, 0, (size_t)(n * K) * sizeof *resp);
    for (int64_t r = 0; r < n; r++)
        resp[r * K + of[r]] = 1;
    return MB_OK;
}

mb_status paper_start_pooled(paper_world *w, int32_t attempt, mb_err *err)
{
    const mb_rng rng =
        mb_rng_at((uint64_t)w->u->seed, MB_STREAM_START, UINT32_MAX, (uint64_t)attempt);

    return kmeans(w->u->a, w->x, w->n, w->D, w->K, rng, w->resp, err);
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

/* Means of the rows (first .. last) by responsibility; of an empty component 0. */
static void means(const paper_world *w, int64_t first, int64_t last, const double *resp,
                  double *mean)
{
    for (int32_t k = 0; k < w->K; k++) {
        double total = 0, *m = mean + k * w->D;

        memset(m, 0, (size_t)w->D * sizeof *m);
        for (int64_t r = first; r < last; r++)
            total += resp[r * w->K + k];
        for (int64_t r = first; r < last && total > 0; r++)
            for (int32_t d = 0; d < w->D; d++)
                m[d] += resp[r * w->K + k] / total * w->x[r * w->D + d];
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
    means(w, w->first[i], w->first[i + 1], w->resp, mean);
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

mb_status paper_start_align(paper_world *w, const paper_truth *t, mb_err *err)
{
    double *known, *truth;

    MB_NEW(known, w->u->a, w->n * w->K, err);
    MB_NEW(truth, w->u->a, w->K * w->D, err);
    for (int64_t r = 0; r < w->n; r++)
        known[r * w->K + t->label[r]] = 1;
    means(w, 0, w->n, known, truth);
    for (int32_t i = 0; i < w->N; i++)
        MB_TRY(align(w, i, truth, err));
    return MB_OK;
}

/* One attempt in memory of its own, which stays with the unit when it comes to an end. */
static mb_status attempt(paper_world *w, const paper_truth *t, const paper_case *c, int local,
                         int32_t nth, const int64_t *at, int32_t count, paper_result *r,
                         mb_err *err)
{
    paper_unit *u = w->u, before = *u;
    mb_status   st;

    if (u->mores == PAPER_MORE)
        MB_FAIL(err, MB_E_ARG, "more than %d algorithms start again", PAPER_MORE);
    u->a = mb_arena_new(1 << 20);
    if (!u->a) {
        u->a = before.a;
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a start of %s", c->name);
    }
    if (local)
        paper_start_local(w, nth);
    st = local ? MB_OK : paper_start_pooled(w, nth, err);
    if (st >= 0)
        st = paper_start_align(w, t, err);
    if (st >= 0)
        st = paper_case_run(w, t, c, at, count, r, err);
    if (st >= 0 && !r->error) {
        u->more[u->mores++] = u->a;
        u->a = before.a;
        return MB_OK;
    }
    mb_arena_free(u->a); /* what a broken-off attempt noted does not count */
    *u = before;
    return st;
}

mb_status paper_case_retry(paper_world *w, const paper_truth *t, const paper_case *c, int local,
                           int32_t restarts, const int64_t *at, int32_t count, paper_result *r,
                           mb_err *err)
{
    int32_t nth = 0;

    do
        MB_TRY(attempt(w, t, c, local, nth, at, count, r, err));
    while (r->error && nth++ < restarts);
    for (int32_t k = 0; k < count && r->error; k++)
        MB_TRY(paper_put_kl(w->u, c->name, at[k], NULL, err));
    return paper_put(w->u, c->name, "restarts", PAPER_NAN, nth, err);
}
