/* glm_rows.c - rows as every generalised linear model reads them, block by block. */
#include "model/glm.h"

#include <inttypes.h>
#include <math.h>

/* The kernels fill up to lanes of their own, others read MB_GLM_LANES_: with weight 0, which makes 0
 * of finite numbers alone. */
static void pad(mb_estep_ *g, int32_t d)
{
    const int32_t end = (g->rows + MB_GLM_LANES_ - 1) / MB_GLM_LANES_ * MB_GLM_LANES_;

    for (int32_t i = 0; i < d; i++)
        for (int32_t l = g->rows; l < end; l++)
            g->z[i * g->block + l] = g->z[i * g->block + l - 1];
}

/* The offsets, and after the rows what the last one has; NaN for what no row may have. */
static void find_offset(mb_glm_block_ *b)
{
    double *o = b->g.z + (size_t)b->D * (size_t)b->g.block;

    b->o = b->offset ? o : NULL;
    for (int32_t l = 0; b->offset && l < b->g.rows; l++) {
        o[l] = b->offset == MB_OFFSET_EXPOSURE ? log(o[l]) : o[l];
        o[l] = fabs(o[l]) <= MB_VALUE_MAX ? o[l] : (double)NAN;
    }
    pad(&b->g, mb_glm_columns_(b->D, b->offset));
}

int64_t mb_glm_fill_(mb_glm_block_ *b, const mb_rows *rows, int64_t next)
{
    const int32_t all = mb_glm_columns_(b->D, b->offset);

    b->g.D = rows->d;
    next = mb_estep_fill_(&b->g, rows, next);
    pad(&b->g, rows->d);
    find_offset(b);
    b->g.D = b->D > 1 ? b->D : 1;
    b->y = rows->d > all ? b->g.z + (size_t)all * (size_t)b->g.block : NULL;
    return next;
}

void mb_glm_inputs_(mb_glm_block_ *b)
{
    for (int32_t i = 0; i < mb_glm_columns_(b->D, b->offset); i++)
        for (int32_t l = 0; l < b->g.rows; l++)
            b->value[l] += 0 * b->g.z[i * b->g.block + l];
}

/* The first row whose weight is none, or their number. */
static int64_t weighed(const mb_rows *rows)
{
    int64_t j = 0;

    while (j < rows->n && (!rows->w || (rows->w[j] >= 0 && isfinite(rows->w[j]))))
        j++;
    return j;
}

/* The block ends before the first row whose target is refused. */
static mb_status check_targets(const mb_glm_sums_ *of, const void *self, mb_glm_block_ *b,
                               mb_err *err)
{
    mb_status st = MB_OK;

    for (int32_t l = 0; l < b->g.rows && st >= 0; l++) {
        st = of->target(self, mb_estep_row_(&b->g, l), b->y[l], err);
        if (st < 0)
            b->g.rows = l;
    }
    return st;
}

static mb_status check_values(const mb_glm_block_ *b, mb_err *err)
{
    for (int32_t l = 0; l < b->g.rows; l++)
        if (!isfinite(b->value[l]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its expected log density is %g; its values must be finite "
                    "and not absurdly large",
                    mb_estep_row_(&b->g, l), b->value[l]);
    return MB_OK;
}

/* Of the rows of the block. */
static mb_status sum_block(const mb_glm_sums_ *of, void *self, mb_glm_block_ *b, double *s,
                           double *total, mb_err *err)
{
    mb_err          own;
    const mb_status st = check_targets(of, self, b, &own);

    of->expect(self, b);
    MB_TRY(check_values(b, err)); /* those before a row that is refused */
    if (st < 0 && err)
        *err = own;
    MB_TRY(st);
    of->add(self, b, s);
    for (int32_t l = 0; l < b->g.rows; l++)
        *total += b->g.w[l] * b->value[l];
    return MB_OK;
}

mb_status mb_glm_sum_(const mb_glm_sums_ *of, void *self, mb_glm_block_ *b, const mb_rows *rows,
                      double *s, double *logz, mb_err *err)
{
    mb_rows some = *rows; /* those before a weight that is refused */
    double  total = 0;

    MB_TRY(mb_glm_check_shape_(mb_glm_columns_(b->D, b->offset), rows, err));
    some.n = weighed(rows);
    for (int64_t next = 0; next < some.n;) {
        next = mb_glm_fill_(b, &some, next);
        MB_TRY(sum_block(of, self, b, s, &total, err));
    }
    if (some.n < rows->n)
        MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": weight %g; expected a finite number >= 0", some.n,
                rows->w[some.n]);
    if (logz)
        *logz += total;
    return MB_OK;
}

void mb_glm_lines_(const mb_estep_ *g, int32_t T, int32_t p, const double *m, const double *x,
                   double *e)
{
    const size_t ld = (size_t)g->block;

    if (g->kernel->lines) {
        g->kernel->lines(T, p, g->rows, ld, m, x, e);
        return;
    }
    for (int32_t c = 0; c < T; c++, e += ld)
        for (int32_t i = 0; i < p; i++, m++)
            for (int32_t l = 0; l < g->rows; l++)
                e[l] += *m * x[(size_t)i * ld + (size_t)l];
}

void mb_glm_dots_(const mb_estep_ *g, int32_t T, int32_t p, const double *w, const double *x,
                  double *S)
{
    const size_t ld = (size_t)g->block;

    if (g->kernel->dots) {
        g->kernel->dots(T, p, g->rows, ld, w, x, S);
        return;
    }
    for (int32_t c = 0; c < T; c++, w += ld)
        for (int32_t i = 0; i < p; i++, S++)
            for (int32_t l = 0; l < g->rows; l++)
                *S += w[l] * x[(size_t)i * ld + (size_t)l];
}

mb_status mb_glm_check_shape_(int32_t columns, const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != columns + 1)
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and a target", rows->d,
                columns);
    return MB_OK;
}
