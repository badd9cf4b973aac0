/* statistics.c - one step of central VB whose sums are made elsewhere: sums out, sums in. */
#include "base/rows.h"
#include "bind/handle.h"
#include "posterior/posterior.h"

#include <math.h>

static mb_status sums(mb_bind *b, mb_arena *a, int64_t *len, double *s, double *logz,
                      double *weight)
{
    mb_err             *err = &b->fault;
    const mb_posterior *p;
    mb_rows             rows;

    MB_TRY(mb_bind_needs_result_(b, err));
    p = &b->now->p;
    MB_TRY(mb_posterior_adds_(a, p, err));
    *len = (int64_t)p->len;
    if (!s)
        return MB_OK;
    MB_TRY(mb_bind_rows_(b, a, p, &rows, err));
    *weight = mb_rows_weight(&rows);
    return mb_posterior_sums_(a, p, &rows, s, logz, err);
}

int mb_bind_statistics(mb_bind *b, int64_t *len, double *s, double *logz, double *weight)
{
    mb_status st = (mb_status)mb_bind_begin_(b);
    mb_arena *a;

    *len = 0;
    if (st)
        return st;
    a = mb_arena_new(1 << 16);
    st = a ? sums(b, a, len, s, logz, weight) : MB_E_NOMEM;
    mb_arena_free(a);
    return s || st < 0 ? mb_bind_end_forget_(b, st) : 0;
}

/* Where it comes from. */
static void say(const mb_provenance *before, int64_t rows, double weight, double bound,
                mb_bind_result_ *r)
{
    r->from = (mb_provenance){.algorithm = "cvb",
                              .of = "network mean",
                              .rounds = before->rounds + 1,
                              .seed = before->seed,
                              .data_rows = rows,
                              .weight_total = weight,
                              .bound = bound};
    r->learnt = (mb_update_totals){rows, weight, (double)NAN};
}

/* The posterior of these sums into r, and what they say of the one before. */
static mb_status step(mb_bind *b, mb_arena *a, const double *s, double logz, double weight,
                      int64_t rows, mb_bind_result_ *r)
{
    mb_err      *err = &b->fault;
    mb_posterior next;
    double       kl;

    MB_TRY(mb_posterior_step_(a, &b->now->p, s, &next, &kl, &r->moved, err));
    MB_TRY(mb_bind_copy_(r->a, &next, &r->p, err));
    say(&b->now->from, rows, weight, logz - kl, r);
    return MB_OK;
}

static mb_status add(mb_bind *b, int64_t len, const double *s, double logz, double weight,
                     int64_t rows)
{
    mb_err          *err = &b->fault;
    mb_bind_result_ *r = NULL;
    mb_arena        *a;
    mb_status        st;

    MB_TRY(mb_bind_needs_result_(b, err));
    if (len != (int64_t)b->now->p.len)
        MB_FAIL(err, MB_E_SHAPE, "statistics: got %lld numbers; expected %zu", (long long)len,
                b->now->p.len);
    if (!(weight > 0 && weight <= MB_VALUE_MAX && rows > 0))
        MB_FAIL(err, MB_E_ARG, "weight: got %g of %lld rows; expected numbers above 0", weight,
                (long long)rows);
    a = mb_arena_new(1 << 16);
    st = a ? mb_bind_result_new_(&r) : MB_E_NOMEM;
    if (st >= 0)
        st = step(b, a, s, logz, weight, rows, r);
    mb_arena_free(a);
    mb_bind_result_take_(b, r, st);
    return st;
}

int mb_bind_add_statistics(mb_bind *b, int64_t len, const double *s, double logz, double weight,
                           int64_t rows)
{
    const int st = mb_bind_begin_(b);

    return st ? st : mb_bind_end_(b, add(b, len, s, logz, weight, rows), NULL);
}
