/* held_out.c - how well several answers of one search predict rows that they are not fitted to: each is
 * run again from where it is on four fifths of the rows and scored on the last one, five times. */
#include "base/rows.h"
#include "fit/fit.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5 };

/* Rows, or groups where rows are in groups: what stays together. */
static int64_t units_of(const mb_rows *rows)
{
    return rows->first ? rows->ngroup : rows->n;
}

/* The fold of each unit: as many of each, drawn. */
static void deal(uint64_t seed, int64_t n, int8_t *fold)
{
    mb_rng rng = mb_rng_at(seed, MB_STREAM_FOLD, 0, 0);

    for (int64_t u = 0; u < n; u++)
        fold[u] = (int8_t)(u % FOLDS);
    for (int64_t u = n - 1; u > 0; u--) {
        const int64_t v = (int64_t)mb_rng_below(&rng, (uint64_t)u + 1);
        const int8_t  f = fold[u];

        fold[u] = fold[v];
        fold[v] = f;
    }
}

/* How many units and rows are of fold f (held 1) or of the others (held 0). */
static void count(const mb_rows *all, const int8_t *fold, int32_t f, int held, int64_t *units,
                  int64_t *rows)
{
    *units = *rows = 0;
    for (int64_t u = 0; u < units_of(all); u++)
        if ((fold[u] == f) == held) {
            ++*units;
            *rows += all->first ? all->first[u + 1] - all->first[u] : 1;
        }
}

/* Copies them with their weights and groups. */
static mb_status gather(mb_arena *a, const mb_rows *all, const int8_t *fold, int32_t f, int held,
                        mb_rows *out, mb_err *err)
{
    int64_t units, n, *first, unit = 0, row = 0;
    double *x, *w = NULL;

    count(all, fold, f, held, &units, &n);
    MB_NEW(x, a, (size_t)n * (size_t)all->d, err);
    if (all->w)
        MB_NEW(w, a, n, err);
    MB_NEW(first, a, all->first ? units + 1 : 1, err);
    for (int64_t u = 0; u < units_of(all); u++) {
        const int64_t j = all->first ? all->first[u] : u;
        const int64_t m = all->first ? all->first[u + 1] - j : 1;

        if ((fold[u] == f) != held)
            continue;
        mb_rows_take(all, j, m, x + row * all->d);
        if (w)
            memcpy(w + row, all->w + j, (size_t)m * sizeof *w);
        row += m;
        if (all->first)
            first[++unit] = row;
    }
    *out = (mb_rows){.x = x, .w = w, .n = n, .d = all->d, .ld = (size_t)all->d, .gaps = all->gaps};
    if (all->first) {
        out->first = first;
        out->ngroup = (int32_t)units;
    }
    return MB_OK;
}

/* Adds the held rows' predictive densities under the answer that phi becomes on the others. */
static mb_status score(mb_arena *a, const mb_case *c, const mb_method *how, double tol,
                       const double *phi, const mb_rows *held, mb_score *sum, mb_err *err)
{
    mb_session   s;
    mb_outcome   out;
    mb_posterior p;
    double      *each, *scratch;
    mb_status    st;

    MB_TRY(mb_session_open(c, how, &s, err));
    memcpy(s.state.phi_star, phi, c->model.layout.len * sizeof *phi);
    st = mb_session_stop(&s, tol, 0, err);
    if (st >= 0)
        st = mb_session_run(&s, err);
    if (st >= 0)
        st = mb_session_end(&s, &out, err);
    if (st >= 0)
        st = mb_case_posterior(a, c, out.mean, NULL, &p, err);
    mb_session_close(&s);
    if (st >= 0)
        st = mb_posterior_ready(a, &p, err);
    MB_TRY(st);
    MB_NEW(each, a, held->n + 1, err);
    MB_NEW(scratch, a, mb_posterior_scratch(&p, held->n), err);
    MB_TRY(mb_score_rows(&p, held, MB_PREDICTIVE, each, scratch, err));
    mb_score_add(sum, &p, held, MB_PREDICTIVE, each);
    return MB_OK;
}

/* One fold of all answers. */
static mb_status fold_of_all(mb_arena *a, const mb_case *c, const mb_method *how, double tol,
                             const int8_t *fold, int32_t f, int32_t n, const double *const *phi,
                             mb_score *sum, mb_err *err)
{
    mb_case   at = *c;
    mb_rows   others, held;
    mb_arena *scratch_arena;
    mb_status st = MB_OK;

    MB_TRY(gather(a, &c->rows[0], fold, f, 0, &others, err));
    MB_TRY(gather(a, &c->data[0], fold, f, 1, &held, err));
    at.rows = &others;
    for (int32_t k = 0; k < n && st >= 0; k++) {
        scratch_arena = mb_arena_new(1 << 16);
        if (!scratch_arena)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for an answer on four fifths of the rows");
        st = score(scratch_arena, &at, how, tol, phi[k], &held, &sum[k], err);
        mb_arena_free(scratch_arena);
        if (st == MB_E_DOMAIN) { /* it cannot predict: no density is as low */
            sum[k].sum = -(double)INFINITY;
            st = MB_OK;
        }
    }
    return st;
}

/* All folds, one after the other, so that only one is in memory. */
static mb_status folds(const mb_case *c, const mb_method *how, double tol, const int8_t *fold,
                       int32_t n, const double *const *phi, mb_score *sum, mb_err *err)
{
    mb_status st = MB_OK;

    for (int32_t f = 0; f < FOLDS && st >= 0; f++) {
        mb_arena *scratch_arena = mb_arena_new(1 << 16);

        if (!scratch_arena)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for a fifth of the rows");
        st = fold_of_all(scratch_arena, c, how, tol, fold, f, n, phi, sum, err);
        mb_arena_free(scratch_arena);
    }
    return st;
}

mb_status mb_held_out_(mb_arena *a, const mb_case *c, const mb_method *how, double tol,
                       uint64_t seed, int32_t n, const double *const *phi, double *density,
                       mb_err *err)
{
    const int64_t units = units_of(&c->rows[0]);
    mb_method     plain = *how;
    mb_score     *sum;
    int8_t       *fold;

    if (c->rows[0].share)
        MB_FAIL(err, MB_E_NOSUP,
                "rows held out: got rows that processes share; expected all rows in each process");
    if (units < FOLDS)
        MB_FAIL(err, MB_E_ARG, "rows held out: got %lld %s; expected %d or more", (long long)units,
                c->rows[0].first ? "groups" : "rows", FOLDS);
    plain.store = NULL;
    MB_NEW(fold, a, units, err);
    MB_NEW(sum, a, n, err);
    deal(seed, units, fold);
    MB_TRY(folds(c, &plain, tol, fold, n, phi, sum, err));
    for (int32_t k = 0; k < n; k++)
        density[k] = sum[k].sum / sum[k].weight;
    return MB_OK;
}
