/* wide.c - components of an answer that are much wider than the others, or than where most rows
 * are: those of rows far out (docs/math.md, section 17). */
#include "fit/case.h"
#include "fit/fit.h"
#include "model/model.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

static const double wide = 10; /* times the spread of the median component */

/* Means (K x D) and scale matrices (K x D x D, row-major), data units; NULL: there are none. */
static mb_status parts_of(const mb_case *c, mb_arena *a, const double *phi, const double **mean,
                          const double **scale, mb_err *err)
{
    mb_array *x;
    double   *par;
    int32_t   n;

    *mean = *scale = NULL;
    MB_TRY(mb_case_textbook(c, a, phi, &par, err));
    MB_TRY(mb_kind_arrays(a, c->kind, &c->size, par, &x, &n, err));
    for (int32_t k = 0; k < n; k++)
        if (!strcmp(x[k].name, "scale_matrices"))
            *scale = x[k].x;
        else if (!strcmp(x[k].name, "means"))
            *mean = x[k].x;
    return MB_OK;
}

/* Root of the mean variance of a component's columns, in the agreed scales. *beyond = 1: it
 * surrounds the limits, in the mean square over the columns, as a cluster far from them does not. */
static double spread_of(const mb_case *c, const double *mean, const double *scale, int32_t *beyond)
{
    const mb_limits *l = &c->limits;
    const size_t     D = (size_t)c->size.D;
    double           sum = 0, wider = 0, away = 0;
    int32_t          limited = 0;

    for (size_t d = 0; d < D; d++) {
        const double sd = sqrt(scale[d * D + d]), own = sd / c->agreed.scale[d];

        sum += own * own;
        if (l->d && l->reach[d] > 0) {
            const double width = sd / l->reach[d], off = (mean[d] - l->middle[d]) / l->reach[d];

            limited++;
            wider += width * width;
            away += off * off;
        }
    }
    *beyond = wider > limited && away < 4 * wider;
    return sqrt(sum / (double)D);
}

/* The median of x (n), the lower of two. */
static double median(int32_t n, const double *x)
{
    double best = HUGE_VAL;

    for (int32_t k = 0; k < n; k++) {
        int32_t below = 0;

        for (int32_t l = 0; l < n; l++)
            below += x[l] <= x[k];
        best = 2 * below >= n ? fmin(best, x[k]) : best;
    }
    return best;
}

static mb_status look(const mb_case *c, mb_arena *scratch_arena, const double *phi, mb_wide *out,
                      mb_err *err)
{
    const size_t  D = (size_t)c->size.D;
    const double *mean, *scale;
    double       *spread, middle;

    MB_NEW(spread, scratch_arena, c->size.K, err);
    MB_TRY(parts_of(c, scratch_arena, phi, &mean, &scale, err));
    for (int32_t k = 0; mean && scale && k < c->size.K; k++) {
        int32_t beyond;

        spread[k] = spread_of(c, mean + (size_t)k * D, scale + (size_t)k * D * D, &beyond);
        out->beyond += beyond;
    }
    middle = median(c->size.K, spread);
    for (int32_t k = 0; scale && k < c->size.K; k++)
        if (spread[k] > wide * middle && spread[k] > out->times * middle) {
            out->times = spread[k] / middle;
            out->component = k;
        }
    return MB_OK;
}

/* Weights of the rows far out alone. */
static mb_status far_rows(const mb_case *c, mb_arena *scratch_arena, mb_rows *out, mb_err *err)
{
    const mb_rows *rows = &c->rows[0];
    mb_rows        near;
    double        *w;

    MB_TRY(mb_limits_rows(scratch_arena, &c->limits, &c->data[0], &near, err));
    MB_NEW(w, scratch_arena, rows->n + 1, err);
    for (int64_t j = 0; j < rows->n; j++)
        w[j] = near.w[j] > 0 ? 0 : rows->w ? rows->w[j] : 1;
    *out = *rows;
    out->w = w;
    return MB_OK;
}

/* Counts the components with more than half of their rows among them. */
static mb_status look_within(const mb_case *c, mb_arena *scratch_arena, const double *phi,
                             int32_t *count, mb_err *err)
{
    const size_t L = c->model.layout.len;
    mb_parts_    all, far;
    mb_rows      rows;
    double      *star, *scratch;

    MB_TRY(far_rows(c, scratch_arena, &rows, err));
    MB_TRY(mb_parts_new_(scratch_arena, &c->model, &all, err));
    MB_TRY(mb_parts_new_(scratch_arena, &c->model, &far, err));
    MB_NEW(star, scratch_arena, L, err);
    MB_NEW(scratch, scratch_arena, mb_local_scratch(&c->model), err);
    MB_TRY(mb_local_step(&c->model, &rows, 1, phi, star, NULL, NULL, scratch, err));
    MB_TRY(mb_parts_see_(&all, phi, err));
    MB_TRY(mb_parts_see_(&far, star, err));
    for (int32_t k = 0; k < c->model.K; k++)
        *count += far.rows[k] > all.rows[k] / 2;
    return MB_OK;
}

mb_status mb_case_wide(const mb_case *c, const double *phi, mb_wide *out, mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    *out = (mb_wide){0};
    if (!c->kind->trims)
        return MB_OK;
    scratch_arena = mb_arena_new(1 << 16);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the components of an answer");
    st = look(c, scratch_arena, phi, out, err);
    if (st == MB_OK && c->limits.d && c->nodes && !c->rows[0].first && mb_parts_weights_(&c->model))
        st = look_within(c, scratch_arena, phi, &out->beyond, err);
    mb_arena_free(scratch_arena);
    return st;
}
