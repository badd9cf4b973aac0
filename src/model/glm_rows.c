/* glm_rows.c - rows as every generalised linear model reads them, block by block. */
#include "model/glm.h"

#include <inttypes.h>
#include <math.h>

/* The inputs of row j as those of row l of the block. */
static void put(mb_glm_block_ *b, int32_t l, const mb_rows *rows, int64_t j)
{
    double *x = b->x + l;

    if (b->p > b->D) {
        *x = 1;
        x += MB_GLM_BLOCK_;
    }
    for (int32_t d = 0; d < b->D; d++, x += MB_GLM_BLOCK_)
        *x = mb_rows_at(rows, j, d);
}

static void pad(mb_glm_block_ *b)
{
    for (int32_t l = b->n; l % MB_GLM_LANES_; l++) {
        b->w[l] = 0;
        for (int32_t i = 0; i < b->p; i++)
            b->x[i * MB_GLM_BLOCK_ + l] = 0;
    }
}

/* Row j, unless its weight is 0. */
static mb_status take(const mb_glm_sums_ *of, const void *self, mb_glm_block_ *b,
                      const mb_rows *rows, int64_t j, mb_err *err)
{
    const double weight = rows->w ? rows->w[j] : 1;

    if (!(weight >= 0) || !isfinite(weight))
        MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": weight %g; expected a finite number >= 0", j,
                weight);
    if (!(weight > 0))
        return MB_OK;
    b->y[b->n] = mb_rows_at(rows, j, b->D);
    MB_TRY(of->target(self, j, b->y[b->n], err));
    put(b, b->n, rows, j);
    b->w[b->n] = weight;
    b->row[b->n++] = j;
    return MB_OK;
}

/* Values are not finite where an input is not. */
static mb_status check_values(mb_glm_block_ *b, mb_err *err)
{
    for (int32_t i = 0; i < b->p; i++)
        for (int32_t l = 0; l < b->n; l++)
            b->value[l] += 0 * b->x[i * MB_GLM_BLOCK_ + l];
    for (int32_t l = 0; l < b->n; l++)
        if (!isfinite(b->value[l]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its expected log density is %g; its values must be finite "
                    "and not absurdly large",
                    b->row[l], b->value[l]);
    return MB_OK;
}

mb_status mb_glm_sum_(const mb_glm_sums_ *of, void *self, mb_glm_block_ *b, const mb_rows *rows,
                      double *s, double *logz, mb_err *err)
{
    double    total = 0;
    mb_err    own;
    mb_status st = MB_OK;

    MB_TRY(mb_glm_check_shape_(b->D, rows, err));
    for (int64_t j = 0; j < rows->n && st >= 0;) {
        for (b->n = 0; b->n < MB_GLM_BLOCK_ && j < rows->n && st >= 0; j++)
            st = take(of, self, b, rows, j, &own);
        pad(b);
        of->expect(self, b);
        MB_TRY(check_values(b, err)); /* those before a row that is refused */
        of->add(self, b, s);
        for (int32_t l = 0; l < b->n; l++)
            total += b->w[l] * b->value[l];
    }
    if (st < 0 && err)
        *err = own;
    if (st >= 0 && logz)
        *logz += total;
    return st;
}

void mb_glm_read_(mb_glm_block_ *b, const mb_rows *rows, int64_t first)
{
    const int64_t left = rows->n - first;

    for (b->n = 0; b->n < MB_GLM_BLOCK_ && b->n < left; b->n++) {
        b->row[b->n] = first + b->n;
        b->w[b->n] = 1;
        b->y[b->n] = rows->d > b->D ? mb_rows_at(rows, first + b->n, b->D) : (double)NAN;
        put(b, b->n, rows, first + b->n);
    }
    pad(b);
}

double mb_glm_dot_(int32_t n, const double *x, const double *y)
{
    double sum[MB_GLM_LANES_] = {0};

    for (int32_t l = 0; l < n; l += MB_GLM_LANES_)
        for (int32_t u = 0; u < MB_GLM_LANES_; u++)
            sum[u] += x[l + u] * y[l + u];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

mb_status mb_glm_check_shape_(int32_t D, const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != D + 1)
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and a target", rows->d,
                D);
    return MB_OK;
}
