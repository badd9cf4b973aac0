/* on_pool.c - predictions, scores and samples by several threads. The parts in which they are made are
 * of whole groups, and what is said of a row or group depends on no other, so that the bits are those
 * of one thread. */
#include "base/pool.h"
#include "base/rows.h"
#include "model/kind.h"
#include "posterior/posterior.h"

/* Rows of a part: a multiple of STEP, at most MOST; and parts for each thread. */
enum { STEP = 256, MOST = 4096, SHARES = 4 };

/* Work on parts, each thread with `room` doubles of its own. */
typedef struct team {
    mb_status (*work)(void *self, int32_t thread, int64_t part, double *scratch, mb_err *err);
    void    *self;
    size_t   room;
    double  *scratch; /* threads x room                                 */
    int64_t *failed;  /* threads: the first part that failed, or `parts` */
    int64_t  parts;
} team;

static void do_part(void *arg, int32_t thread, int64_t part)
{
    team           *t = arg;
    const mb_status st =
        t->work(t->self, thread, part, t->scratch + (size_t)thread * t->room, NULL);

    if (st < 0 && part < t->failed[thread])
        t->failed[thread] = part;
}

/* The first part that fails is done again for its message. */
static mb_status run(mb_arena *a, mb_pool *pool, team *t, mb_err *err)
{
    const int32_t threads = mb_pool_threads(pool);
    int64_t       first = t->parts;

    t->room = (t->room + 7) / 8 * 8;
    MB_NEW(t->scratch, a, (size_t)threads * t->room, err);
    MB_NEW(t->failed, a, threads, err);
    for (int32_t k = 0; k < threads; k++)
        t->failed[k] = t->parts;
    mb_pool_run(pool, threads, t->parts, do_part, t);
    for (int32_t k = 0; k < threads; k++)
        first = t->failed[k] < first ? t->failed[k] : first;
    return first < t->parts ? t->work(t->self, 0, first, t->scratch, err) : MB_OK;
}

static int64_t rows_of_part(const mb_pool *pool, int64_t n)
{
    const int64_t even = n / (SHARES * mb_pool_threads(pool)) / STEP * STEP;

    return even < STEP ? STEP : even > MOST ? MOST : even;
}

typedef struct prediction {
    const mb_posterior *p;
    const mb_rows      *rows;
    mb_want             want;
    double              level;
    double             *out;
    int64_t             size;   /* rows of a part, of groups those that begin in them */
    int64_t             groups; /* the most of a part                                 */
    int64_t            *first;  /* threads x (groups + 1): of a part; NULL: no groups */
} prediction;

/* The first group that begins at row j or later. */
static int64_t group_at(const mb_rows *rows, int64_t j)
{
    int64_t low = 0, high = rows->ngroup;

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (rows->first[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Groups (rows without groups) from *begin to *end. */
static void lines_of(const prediction *q, int64_t part, int64_t *begin, int64_t *end)
{
    const int64_t from = part * q->size, to = from + q->size;

    *begin = q->rows->first ? group_at(q->rows, from) : from;
    *end = q->rows->first    ? to < q->rows->n ? group_at(q->rows, to) : q->rows->ngroup
           : to < q->rows->n ? to
                             : q->rows->n;
}

static mb_status predict_part(void *self, int32_t thread, int64_t part, double *scratch,
                              mb_err *err)
{
    const prediction *q = self;
    int64_t           begin, end, row;
    mb_rows           rows;

    lines_of(q, part, &begin, &end);
    row = q->rows->first ? q->rows->first[begin] : begin;
    rows = mb_rows_part(q->rows, row, (q->rows->first ? q->rows->first[end] : end) - row);
    if (q->first) {
        int64_t *first = q->first + thread * (q->groups + 1);

        for (int64_t g = begin; g <= end; g++)
            first[g - begin] = q->rows->first[g] - row;
        rows.first = first;
        rows.ngroup = (int32_t)(end - begin);
    }
    /* Lines before: of rows, or of groups and what follows each. */
    const mb_rows before = {
        .n = row, .first = q->rows->first, .ngroup = (int32_t)begin, .ahead = rows.ahead};

    return mb_posterior_predict(q->p, &rows, q->want, q->level,
                                q->out + mb_want_lines_(q->p, &before, q->want) *
                                             mb_want_width_(q->p, q->want),
                                scratch, err);
}

static mb_status predict(mb_arena *a, prediction *q, mb_pool *pool, mb_err *err)
{
    const int one = !q->rows->first && mb_kind_needs_groups(q->p->kind); /* all are one group */
    int64_t   most = 0;
    team      t = {.work = predict_part, .self = q};

    q->size = one ? q->rows->n + !q->rows->n : rows_of_part(pool, q->rows->n);
    t.parts = (q->rows->n + q->size - 1) / q->size;
    t.parts += !t.parts; /* no rows may have groups, too */
    for (int64_t k = 0; k < t.parts; k++) {
        int64_t begin, end, rows;

        lines_of(q, k, &begin, &end);
        rows = q->rows->first ? q->rows->first[end] - q->rows->first[begin] : end - begin;
        most = rows > most ? rows : most;
        q->groups = end - begin > q->groups ? end - begin : q->groups;
    }
    if (q->rows->first)
        MB_NEW(q->first, a, mb_pool_threads(pool) * (q->groups + 1), err);
    t.room = mb_posterior_scratch(q->p, most);
    return run(a, pool, &t, err);
}

/* An arena for the scratch of a call. */
static mb_status begin(mb_arena **a, mb_err *err)
{
    *a = mb_arena_new(1 << 16);
    if (!*a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for scratch");
    return MB_OK;
}

mb_status mb_posterior_predict_on(const mb_posterior *p, const mb_rows *rows, mb_want want,
                                  double level, mb_pool *pool, double *out, mb_err *err)
{
    prediction q = {.p = p, .rows = rows, .want = want, .level = level, .out = out};
    mb_arena  *a;
    mb_status  st;

    MB_TRY(begin(&a, err));
    st = predict(a, &q, pool, err);
    mb_arena_free(a);
    return st;
}

mb_status mb_score_rows_on(const mb_posterior *p, const mb_rows *rows, mb_density density,
                           mb_pool *pool, double *each, mb_err *err)
{
    double   *scratch = NULL;
    mb_arena *a;
    mb_status st;

    each[rows->n] = 0;
    MB_TRY(mb_posterior_predict_on(p, rows, mb_density_want_(density), 0, pool, each, err));
    if (density != MB_EXPECTED)
        return MB_OK;
    MB_TRY(begin(&a, err));
    scratch = mb_alloc(a, mb_posterior_scratch(p, rows->n), sizeof *scratch);
    st = scratch ? mb_score_expected_(p, rows, scratch, &each[rows->n], err)
                 : mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory to score %lld rows",
                            (long long)rows->n);
    mb_arena_free(a);
    return st;
}

typedef struct sampling {
    const mb_posterior *p;
    uint64_t            seed;
    int64_t             first, n;
    double             *out;
    int32_t            *component; /* may be NULL */
} sampling;

static mb_status sample_part(void *self, int32_t thread, int64_t part, double *scratch, mb_err *err)
{
    const sampling *s = self;
    const int64_t   from = part * STEP, left = s->n - from;

    (void)thread;
    return mb_posterior_sample(s->p, s->seed, s->first + from, left < STEP ? left : STEP,
                               s->out + from * s->p->size.D,
                               s->component ? s->component + from : NULL, scratch, err);
}

mb_status mb_posterior_sample_on(const mb_posterior *p, uint64_t seed, int64_t first, int64_t n,
                                 mb_pool *pool, double *out, int32_t *component, mb_err *err)
{
    sampling  s = {p, seed, first, n, out, component};
    team      t = {.work = sample_part,
                   .self = &s,
                   .room = mb_posterior_scratch(p, STEP),
                   .parts = (n + STEP - 1) / STEP};
    mb_arena *a;
    mb_status st;

    MB_TRY(begin(&a, err));
    st = run(a, pool, &t, err);
    mb_arena_free(a);
    return st;
}
