/* glm_rows.c - rows as every generalised linear model reads them. */
#include "glm/glm.h"

#include <inttypes.h>
#include <math.h>

void mb_glm_inputs_(int32_t D, int32_t p, const mb_rows *rows, int64_t j, double *x)
{
    x[0] = 1;
    for (int32_t d = 0; d < D; d++)
        x[p - D + d] = mb_rows_at(rows, j, d);
}

mb_status mb_glm_check_row_(const mb_rows *rows, int64_t j, mb_err *err)
{
    const double weight = rows->w ? rows->w[j] : 1;

    if (!(weight >= 0) || !isfinite(weight))
        MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": weight %g; expected a finite number >= 0", j,
                weight);
    return MB_OK;
}

mb_status mb_glm_check_shape_(int32_t D, const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != D + 1)
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and a target", rows->d,
                D);
    return MB_OK;
}
