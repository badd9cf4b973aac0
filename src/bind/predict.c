/* predict.c - what a posterior says of the rows that are given, and rows and draws that it makes. */
#include "base/err.h"
#include "base/rows.h"
#include "bind/handle.h"
#include "core/workers.h"
#include "model/kind.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1 << 16 /* rows that are scored together, where they are in no groups */ };

/* A posterior and rows, in an arena of the call. */
typedef struct query {
    mb_arena    *a;
    mb_pool     *pool; /* NULL: the caller's thread alone */
    mb_posterior p;
    mb_rows      rows;
} query;

/* As many threads as the option says, or as n rows pay for. */
static mb_status open_pool(const mb_bind *b, query *q, int64_t n, mb_err *err)
{
    mb_bind_run_ run = {0};
    int32_t      threads;

    MB_TRY(mb_bind_options_(b, mb_bind_run_options_, &run, err));
    threads = run.threads ? (int32_t)run.threads
                          : mb_threads_that_pay_(2.0 * (double)n * (double)q->p.len, 0);
    return threads == 1 ? MB_OK : mb_pool_open(q->a, threads, &q->pool, err);
}

static mb_status ask(mb_bind *b, int32_t node, query *q, mb_err *err)
{
    MB_TRY(mb_bind_posterior_(b, q->a, node, &q->p, err));
    MB_TRY(mb_bind_rows_(b, q->a, &q->p, &q->rows, err));
    return open_pool(b, q, q->rows.n, err);
}

static void close_query(query *q)
{
    mb_pool_close(q->pool);
    mb_arena_free(q->a);
}

/* Which answer has this name. */
static mb_status find_want(const mb_posterior *p, const char *what, mb_want *out, mb_err *err)
{
    if (mb_want_named_(p->kind, &p->size, what, out))
        return MB_OK;
    MB_FAIL(err, MB_E_ARG, "predict: got \"%.60s\"; expected one of the list \"answers\"", what);
}

static mb_status predict(mb_bind *b, query *q, int32_t node, const char *what, double level,
                         int32_t ahead, double *out, int64_t shape[2])
{
    mb_err            *err = &b->fault;
    const char *const *name;
    mb_want            want = MB_WANT_LOGPDF;
    int32_t            width;

    if (!(level > 0 && level < 1) && !strcmp(what, "interval"))
        MB_FAIL(err, MB_E_ARG, "level: got %g; expected a number between 0 and 1", level);
    if (ahead < 0)
        MB_FAIL(err, MB_E_ARG, "ahead: got %d; expected 0 or more", (int)ahead);
    MB_TRY(ask(b, node, q, err));
    MB_TRY(find_want(&q->p, what, &want, err));
    MB_TRY(mb_posterior_predict_columns(q->a, &q->p, want, &name, &width, err));
    if (want == MB_WANT_AHEAD || want == MB_WANT_STATES_AHEAD)
        q->rows.ahead = ahead ? ahead : 1;
    shape[0] = mb_want_lines_(&q->p, &q->rows, want);
    shape[1] = width;
    return out ? mb_posterior_predict_on(&q->p, &q->rows, want, level, q->pool, out, err) : MB_OK;
}

static mb_status score(mb_bind *b, query *q, int32_t node, int expected, double *mean,
                       double *weight, double *each)
{
    mb_err          *err = &b->fault;
    const mb_density density = expected ? MB_EXPECTED : MB_PREDICTIVE;
    mb_score         sum = {0};
    double          *of;
    int64_t          most;

    MB_TRY(ask(b, node, q, err));
    most =
        q->rows.first || mb_kind_needs_groups(q->p.kind) || q->rows.n < BLOCK ? q->rows.n : BLOCK;
    MB_NEW(of, q->a, most + 1, err);
    for (int64_t j = 0; j < q->rows.n; j += most) {
        const int64_t left = q->rows.n - j, n = left < most ? left : most;
        const mb_rows rows = n == q->rows.n ? q->rows : mb_rows_part(&q->rows, j, n);

        for (int64_t k = 0; k < n; k++)
            of[k] = (double)NAN;
        MB_TRY(mb_score_rows_on(&q->p, &rows, density, q->pool, of, err));
        mb_score_add(&sum, &q->p, &rows, density, of);
        if (each)
            memcpy(each + j, of, (size_t)n * sizeof *each);
    }
    if (isnan(sum.sum))
        MB_FAIL_OPTION(err, "y", MB_E_NUMERIC, "y: a row has none; expected those of all");
    *mean = sum.sum / sum.weight;
    *weight = sum.weight;
    return MB_OK;
}

int mb_bind_predict(mb_bind *b, int32_t node, const char *what, double level, int32_t ahead,
                    double *out, int64_t shape[2])
{
    query     q = {.a = NULL};
    mb_status st = (mb_status)mb_bind_begin_(b);

    shape[0] = shape[1] = 0;
    if (st)
        return st;
    q.a = mb_arena_new(1 << 16);
    st = q.a ? predict(b, &q, node, what, level, ahead, out, shape) : MB_E_NOMEM;
    close_query(&q);
    return out || st < 0 ? mb_bind_end_forget_(b, st) : 0;
}

int mb_bind_score(mb_bind *b, int32_t node, int expected, double *mean, double *weight,
                  double *each)
{
    query     q = {.a = NULL};
    mb_status st = (mb_status)mb_bind_begin_(b);

    *mean = *weight = (double)NAN;
    if (st)
        return st;
    q.a = mb_arena_new(1 << 16);
    st = q.a ? score(b, &q, node, expected, mean, weight, each) : MB_E_NOMEM;
    close_query(&q);
    return mb_bind_end_forget_(b, st);
}

static mb_status draws(mb_arena *a, const mb_posterior *p, uint64_t seed, int64_t first, int64_t n,
                       double *out, int64_t shape[2], mb_err *err)
{
    double  *scratch;
    mb_draws d;

    MB_TRY(mb_posterior_draws(a, p, &d, err));
    shape[0] = n * d.rows;
    shape[1] = d.columns;
    MB_NEW(scratch, a, mb_posterior_draw_scratch(p), err);
    for (int64_t j = 0; out && j < n; j++)
        MB_TRY(mb_posterior_draw(p, seed, first + j, out + j * d.rows * d.columns, scratch, err));
    return MB_OK;
}

static mb_status samples(query *q, uint64_t seed, int64_t first, int64_t n, double *out,
                         int64_t *component, int64_t shape[2], mb_err *err)
{
    int32_t *of = NULL;

    if (!q->p.model->ops->sample)
        MB_FAIL(err, MB_E_NOSUP, "sample: model %s has no distribution of its inputs",
                q->p.kind->name);
    shape[0] = n;
    shape[1] = q->p.size.D;
    if (!out)
        return MB_OK;
    if (component)
        MB_NEW(of, q->a, n, err);
    MB_TRY(mb_posterior_sample_on(&q->p, seed, first, n, q->pool, out, of, err));
    for (int64_t k = 0; component && k < n; k++)
        component[k] = of[k];
    return MB_OK;
}

int mb_bind_sample(mb_bind *b, int32_t node, int parameters, uint64_t seed, int64_t first,
                   int64_t n, double *out, int64_t *component, int64_t shape[2])
{
    mb_err   *err = &b->fault;
    mb_status st = (mb_status)mb_bind_begin_(b);
    query     q = {.a = NULL};

    shape[0] = shape[1] = 0;
    if (st)
        return st;
    q.a = mb_arena_new(1 << 16);
    st = q.a ? mb_bind_posterior_(b, q.a, node, &q.p, err) : MB_E_NOMEM;
    if (st >= 0 && (first < 0 || n < 0 || n > (int64_t)1 << 40 || first > (int64_t)1 << 40))
        st = mb_fail_(err, MB_E_ARG, __FILE__, __LINE__,
                      "sample: got %lld from number %lld on; expected numbers from 0 to 2^40",
                      (long long)n, (long long)first);
    if (st >= 0 && out && !parameters)
        st = open_pool(b, &q, n, err);
    if (st >= 0)
        st = parameters ? draws(q.a, &q.p, seed, first, n, out, shape, err)
                        : samples(&q, seed, first, n, out, component, shape, err);
    close_query(&q);
    return mb_bind_end_(b, st, NULL);
}
