/* statistics.c - one step of central VB whose sums are made elsewhere: sums out, sums in. */
#include "base/rows.h"
#include "bind/handle.h"
#include "expfam/expfam.h"
#include "model/model.h"
#include "model/prior.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

/* The prior as natural parameters in the units of p, which may be improper. */
static mb_status prior(mb_arena *a, const mb_posterior *p, double *phi, mb_err *err)
{
    double *par;

    if (p->model->ops->prior_at || p->model->ops->overshoots || !p->prior_par)
        MB_FAIL(err, MB_E_NOSUP,
                "statistics: sums over rows alone do not give the next posterior of model %s",
                p->kind->name);
    MB_NEW(par, a, p->len, err);
    memcpy(par, p->prior_par, p->len * sizeof *par);
    MB_TRY(mb_par_to_units_(a, &p->model->layout, NULL, &p->units, par, err));
    return mb_from_par(&p->model->layout, par, phi, err);
}

static mb_status sums(mb_bind *b, mb_arena *a, int64_t *len, double *s, double *logz,
                      double *weight)
{
    mb_err      *err = &b->fault;
    mb_posterior p;
    mb_rows      rows, own;
    double      *phi;

    MB_TRY(mb_bind_learns_(b, err));
    p = b->now->p;
    MB_NEW(phi, a, p.len, err);
    MB_TRY(prior(a, &p, phi, err));
    *len = (int64_t)p.len;
    if (!s)
        return MB_OK;
    MB_TRY(mb_bind_rows_(b, a, &p, &rows, err));
    if (rows.d != mb_posterior_columns(&p))
        MB_FAIL(err, MB_E_SHAPE, "x: got %d columns; expected %d, targets too", (int)rows.d,
                (int)mb_posterior_columns(&p));
    MB_TRY(mb_rows_in_units(a, &rows, p.units.origin, p.units.scale, &own, err));
    memset(s, 0, p.len * sizeof *s);
    MB_TRY(mb_row_statistics(a, p.model, &own, p.phi, NULL, s, logz, err));
    *weight = mb_rows_weight(&rows);
    *logz -= *weight * p.units.log_jacobian;
    if (rows.gaps)
        *logz += mb_gaps_jacobian(&rows, p.units.scale);
    return MB_OK;
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
    mb_err             *err = &b->fault;
    const mb_posterior *p = &b->now->p;
    const size_t        L = p->len;
    double             *first, *phi, *scratch, kl;
    int32_t            *order; /* components keep their places, as those of the prior do */
    mb_posterior        next;

    MB_NEW(first, a, L, err);
    MB_NEW(phi, a, L, err);
    MB_NEW(scratch, a, L + p->model->layout.scratch, err);
    MB_NEW(order, a, p->size.K + 1, err);
    for (int32_t k = 0; k < p->size.K; k++)
        order[k] = k;
    MB_TRY(prior(a, p, first, err));
    if (mb_kl(&p->model->layout, p->phi, first, &kl, scratch, NULL) < 0)
        kl = (double)NAN; /* an improper prior */
    r->moved = 0;
    for (size_t l = 0; l < L; l++) {
        if (!isfinite(s[l]))
            MB_FAIL(err, MB_E_NUMERIC, "statistics: got %g as number %zu; expected finite ones",
                    s[l], l);
        phi[l] = first[l] + s[l];
        r->moved = fmax(r->moved, fabs(phi[l] - p->phi[l]) / fmax(1, fabs(p->phi[l])));
    }
    MB_TRY(mb_posterior_of(a, p->kind, &p->size, p->model, &p->units, phi, order, &next, err));
    next.column = p->column;
    next.target = p->target;
    next.prior_par = p->prior_par;
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

    MB_TRY(mb_bind_learns_(b, err));
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
