/* units.c - the units of the columns: those that the network agrees on, and those of a run. */
#include "base/columns.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

/* The square and inverse of a scale and products with other scales are then normal numbers. */
static const double smallest_scale = 1e-100;

static mb_status units_new(mb_arena *a, int32_t d, mb_units *out, mb_err *err)
{
    *out = (mb_units){.d = d};
    MB_NEW(out->origin, a, d, err);
    MB_NEW(out->scale, a, d, err);
    MB_NEW(out->constant, a, d, err);
    return MB_OK;
}

/* The largest scale of the columns that vary, for all. */
static void join_scales(mb_units *u)
{
    double largest = 0;

    for (int32_t d = 0; d < u->d; d++)
        largest = u->constant[d] ? largest : fmax(largest, u->scale[d]);
    for (int32_t d = 0; d < u->d && largest > 0; d++)
        u->scale[d] = largest;
}

void mb_units_keep_(const mb_sizes *size, mb_units *u)
{
    for (int32_t d = 0; d < size->D; d++)
        if (mb_columns_kind(size->columns, d) != MB_COLUMN_NUMBER) {
            u->origin[d] = 0;
            u->scale[d] = 1;
        }
}

mb_status mb_units_agreed_(mb_arena *a, const mb_row_moments *seen, const mb_kind *kind,
                           const mb_sizes *size, const char *name, const char *const *column,
                           mb_units *out, mb_err *err)
{
    MB_TRY(units_new(a, seen->d, out, err));
    mb_common_units(seen, out->origin, out->scale);
    memcpy(out->constant, seen->constant, (size_t)seen->d);
    mb_units_keep_(size, out);
    for (int32_t d = 0; d < seen->d; d++)
        if (!out->constant[d] && out->scale[d] < smallest_scale)
            MB_FAIL(
                err, MB_E_FORMAT,
                "%.200s: column \"%.60s\": its values differ by about %.1g; expected %g or more "
                "(another unit), or one value",
                name ? name : "rows", column[d], 4 * out->scale[d], 4 * smallest_scale);
    if (mb_kind_one_scale(kind, size))
        join_scales(out);
    for (int32_t d = 0; d < seen->d; d++)
        out->log_jacobian += log(out->scale[d]);
    return MB_OK;
}

mb_status mb_units_run_(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                        const mb_units *agreed, int32_t raw, mb_units *out, mb_err *err)
{
    MB_TRY(units_new(a, agreed->d, out, err));
    for (int32_t d = 0; d < agreed->d; d++) {
        out->constant[d] = agreed->constant && agreed->constant[d];
        out->origin[d] = agreed->origin[d];
        out->scale[d] = raw ? 1 : agreed->scale[d];
        out->log_jacobian += log(out->scale[d]);
    }
    mb_kind_units(kind, size, out);
    return MB_OK;
}
