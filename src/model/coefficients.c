/* coefficients.c - what regressions share: their sizes, the prior of their coefficients as options
 * have it, and its scales. */
#include "model/kind.h"
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_D = 10000 };

mb_status mb_check_inputs_(int32_t D, int32_t intercept, mb_err *err)
{
    if (intercept != 0 && intercept != 1)
        MB_FAIL(err, MB_E_ARG, "intercept = %" PRId32 "; expected 1 (with) or 0 (without)",
                intercept);
    if (D < 1 - intercept || D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " inputs; expected %d to %d", D, 1 - intercept,
                MAX_D);
    return MB_OK;
}

mb_status mb_check_target_rows_(int32_t D, const mb_rows *rows, int target, mb_err *err)
{
    if (rows->n > 0 && rows->d != D + 1 && (target || rows->d != D))
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and a target", rows->d,
                D);
    return MB_OK;
}

int32_t mb_coefficient_numbers_(const mb_coefficient_prior_ *o, int32_t T, int32_t coefficients,
                                size_t m0_at, size_t lambda0_at, mb_numbers *out)
{
    const size_t p = (size_t)coefficients;

    out[0] = (mb_numbers){"prior.m0", o->m0_at, (size_t)T * p, m0_at};
    out[1] = (mb_numbers){"prior.lambda0", o->lambda0_at, p * p, lambda0_at};
    return 2;
}

mb_status mb_coefficient_prior_given_(mb_arena *a, const mb_coefficient_prior_ *o, int32_t columns,
                                      int32_t T, int32_t p, double *par, mb_err *err)
{
    double *Lambda;

    MB_TRY(mb_given_numbers_("prior.m0", o->m0, o->m0_at, columns, T * p, 1, par, err));
    MB_TRY(mb_check_finite_("m0", T * p, par, err));
    if (!o->lambda0 && !o->lambda0_at)
        return MB_OK;
    MB_NEW(Lambda, a, (size_t)p * (size_t)p, err);
    MB_TRY(mb_given_numbers_("prior.lambda0", o->lambda0, o->lambda0_at, columns, p * p, p + 1,
                             Lambda, err));
    MB_TRY(mb_check_matrix_(a, "lambda0", p, Lambda, err));
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            par[T * p + (int32_t)mb_packed_at_(i, j)] = Lambda[(size_t)i * (size_t)p + (size_t)j];
    return MB_OK;
}

void mb_coefficient_units_(const mb_sizes *s, const double *precision, double rows, mb_units *u)
{
    const double n = s->intercept ? precision[0] : rows;

    for (int32_t d = 0; d < mb_sizes_inputs(s); d++) {
        const int32_t at = d + s->intercept;
        const double  o = s->intercept ? precision[mb_packed_at_(at, 0)] / n : 0;
        const double  spread = precision[mb_packed_at_(at, at)] / n - o * o;

        u->origin[d] = o;
        u->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
    }
}

void mb_target_own_units_(const mb_sizes *s, int32_t t, const double *m, double variance,
                          mb_units *u)
{
    const int32_t at = s->D + t;

    u->origin[at] = s->intercept ? m[0] : 0;
    for (int32_t d = 0; d < s->D; d++)
        u->origin[at] += u->origin[d] * m[d + s->intercept];
    u->scale[at] = sqrt(variance);
    u->log_jacobian += log(u->scale[at]);
}

void mb_target_units_(const mb_sizes *s, mb_units *run)
{
    if (!s->intercept)
        memset(run->origin, 0, (size_t)run->d * sizeof *run->origin);
    run->log_jacobian = 0;
    for (int32_t d = s->D; d < run->d; d++)
        run->log_jacobian += log(run->scale[d]);
}

int mb_coefficient_scales_(int32_t p, const double *precision, double *out, double *scratch)
{
    const size_t n = (size_t)p;
    double      *C = scratch, *inverse = scratch + n * n;

    if (mb_chol_packed_(precision, p, C) != 0)
        return -1;
    mb_chol_inverse_(C, p, inverse);
    for (size_t j = 0; j < n; j++) {
        out[j] = 0; /* (Lambda^-1)_jj = |column j of C^-1|^2, whose square may overflow */
        for (size_t i = j; i < n; i++)
            out[j] = hypot(out[j], inverse[i * n + j]);
    }
    return 0;
}
