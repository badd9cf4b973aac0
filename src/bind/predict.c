/* predict.c - what a posterior says of the rows that are given, and rows and draws that it makes. */
#include "base/rows.h"
#include "bind/bind.h"
#include "model/kind.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 2048 /* rows that are predicted together, where they are in no groups */ };

/* A posterior and rows, in an arena of the call. */
typedef struct query {
    mb_arena    *a;
    mb_posterior p;
    mb_rows      rows;
    double      *scratch; /* of a block */
} query;

/* Rows that are predicted together: those of groups all at once. */
static int64_t block_of(const query *q)
{
    return q->rows.first || mb_kind_needs_groups(q->p.kind) || q->rows.n < BLOCK ? q->rows.n
                                                                                 : BLOCK;
}

static mb_rows part(const query *q, int64_t j)
{
    const int64_t n = block_of(q), left = q->rows.n - j;

    return n == q->rows.n ? q->rows : mb_rows_part(&q->rows, j, n < left ? n : left);
}

static mb_status ask(mb_bind *b, int32_t node, query *q, mb_err *err)
{
    MB_TRY(mb_bind_posterior_(b, q->a, node, &q->p, err));
    MB_TRY(mb_bind_rows_(b, q->a, &q->p, &q->rows, err));
    MB_NEW(q->scratch, q->a, mb_posterior_scratch(&q->p, block_of(q)), err);
    return MB_OK;
}

/* Which answer has this name. */
static mb_status find_want(const mb_posterior *p, const char *what, mb_want *out, mb_err *err)
{
    int32_t        n;
    const mb_want *all = mb_kind_wants(p->kind, &p->size, &n);

    for (int32_t k = 0; k < n; k++)
        if (!strcmp(mb_want_text(all[k]), what)) {
            *out = all[k];
            return MB_OK;
        }
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
    q->rows.ahead = want == MB_WANT_AHEAD ? ahead : 0;
    shape[0] = mb_want_lines_(&q->rows, want);
    shape[1] = width;
    for (int64_t j = 0; out && j < q->rows.n; j += block_of(q)) {
        const mb_rows rows = part(q, j);

        MB_TRY(mb_posterior_predict(&q->p, &rows, want, level, out + j * width, q->scratch, err));
    }
    return MB_OK;
}

static mb_status score(mb_bind *b, query *q, int32_t node, int expected, double *mean,
                       double *weight, double *each)
{
    mb_err  *err = &b->fault;
    mb_score sum = {0};
    double  *of;

    MB_TRY(ask(b, node, q, err));
    MB_NEW(of, q->a, block_of(q) + 1, err);
    for (int64_t j = 0; j < q->rows.n; j += block_of(q)) {
        const mb_rows    rows = part(q, j);
        const mb_density density = expected ? MB_EXPECTED : MB_PREDICTIVE;

        MB_TRY(mb_score_rows(&q->p, &rows, density, of, q->scratch, err));
        mb_score_add(&sum, &q->p, &rows, density, of);
        if (each)
            memcpy(each + j, of, (size_t)rows.n * sizeof *each);
    }
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
    mb_arena_free(q.a);
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
    mb_arena_free(q.a);
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

static mb_status samples(mb_arena *a, const mb_posterior *p, uint64_t seed, int64_t first,
                         int64_t n, double *out, int64_t *component, int64_t shape[2], mb_err *err)
{
    double  *scratch;
    int32_t *of;

    if (!p->model->ops->sample)
        MB_FAIL(err, MB_E_NOSUP, "sample: model %s has no distribution of its inputs",
                p->kind->name);
    shape[0] = n;
    shape[1] = p->size.D;
    MB_NEW(scratch, a, mb_posterior_scratch(p, BLOCK), err);
    MB_NEW(of, a, BLOCK, err);
    for (int64_t j = 0; out && j < n; j += BLOCK) {
        const int64_t many = n - j < BLOCK ? n - j : BLOCK;

        MB_TRY(
            mb_posterior_sample(p, seed, first + j, many, out + j * p->size.D, of, scratch, err));
        for (int64_t k = 0; component && k < many; k++)
            component[j + k] = of[k];
    }
    return MB_OK;
}

int mb_bind_sample(mb_bind *b, int32_t node, int parameters, uint64_t seed, int64_t first,
                   int64_t n, double *out, int64_t *component, int64_t shape[2])
{
    mb_err      *err = &b->fault;
    mb_status    st = (mb_status)mb_bind_begin_(b);
    mb_arena    *a;
    mb_posterior p;

    shape[0] = shape[1] = 0;
    if (st)
        return st;
    a = mb_arena_new(1 << 16);
    st = a ? mb_bind_posterior_(b, a, node, &p, err) : MB_E_NOMEM;
    if (st >= 0 && (first < 0 || n < 0 || n > (int64_t)1 << 40 || first > (int64_t)1 << 40))
        st = mb_fail_(err, MB_E_ARG, __FILE__, __LINE__,
                      "sample: got %lld from number %lld on; expected numbers from 0 to 2^40",
                      (long long)n, (long long)first);
    if (st >= 0)
        st = parameters ? draws(a, &p, seed, first, n, out, shape, err)
                        : samples(a, &p, seed, first, n, out, component, shape, err);
    mb_arena_free(a);
    return mb_bind_end_(b, st, NULL);
}
