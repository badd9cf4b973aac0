/* Common origin and scale of the columns. */
#include "meshbayes/start.h"
#include "start/flood.h"

#include <float.h>
#include <math.h>

/* own := (-min, max) of each column of a node's rows, -inf without rows. */
static mb_status column_ends(const mb_rows *rows, int32_t D, int32_t gid, double *own, mb_err *err)
{
    if (rows->n > 0 && rows->d != D)
        MB_FAIL(err, MB_E_SHAPE, "node %d has %d columns, not %d", gid, rows->d, D);
    for (int32_t l = 0; l < 2 * D; l++)
        own[l] = -HUGE_VAL;
    for (int64_t j = 0; j < rows->n; j++)
        for (int32_t d = 0; d < D; d++) {
            const double x = mb_rows_at(rows, j, d);
            if (!isfinite(x))
                MB_FAIL(err, MB_E_NUMERIC,
                        "node %d, row %lld, column %d: %g is not a finite number", gid,
                        (long long)j, d, x);
            own[d] = fmax(own[d], -x);
            own[D + d] = fmax(own[D + d], x);
        }
    return MB_OK;
}

/* Power of two nearest in the logarithm to (hi - lo)/4. The halves keep the difference finite;
 * the exponent is bounded so that 1/scale is finite too. */
static double nearest_scale(double lo, double hi)
{
    int          e;
    const double range = hi - lo;
    const double m = isfinite(range) ? frexp(range, &e) : frexp(hi / 2 - lo / 2, &e);
    e -= isfinite(range) ? 2 : 1;
    if (m < 0.70710678118654752)
        e--; /* range = m 2^e with m in [1/2, 1) */
    return ldexp(1.0, e < DBL_MIN_EXP - 1 ? DBL_MIN_EXP - 1 : e);
}

mb_status mb_agree_scale(mb_arena *a, mb_transport *tp, const mb_rows *rows, int32_t D,
                         double *origin, double *scale, uint8_t *constant, mb_traffic *sent,
                         mb_err *err)
{
    const mb_part *part = tp->part;
    mb_flood       f;
    const double  *ends;
    if (D < 1)
        MB_FAIL(err, MB_E_ARG, "D = %d columns: at least 1 is needed", D);
    MB_TRY(mb_flood_new_(a, tp, 2 * (size_t)D, &f, err));
    for (int32_t i = 0; i < part->n_local; i++)
        MB_TRY(column_ends(&rows[i], D, part->gid[i], f.own + 2 * (size_t)D * (size_t)i, err));
    MB_TRY(mb_flood_run_(&f, mb_merge_max_, 2 * (size_t)D, sent, err));
    ends = f.ends; /* the largest over the network, which all nodes hold */
    if (!isfinite(ends[0]))
        MB_FAIL(err, MB_E_ARG, "no node has rows: nothing to scale");
    for (int32_t d = 0; d < D; d++) {
        const double lo = -ends[d], hi = ends[D + d];
        constant[d] = (uint8_t) !(hi > lo);
        origin[d] = constant[d] ? hi : lo / 2 + hi / 2; /* lo + hi may overflow */
        scale[d] = constant[d] ? 1.0 : nearest_scale(lo, hi);
    }
    return MB_OK;
}
