/* prior.c - what models share about priors: checks, options, and the log partition and margins, which
 * are computed once. */
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

mb_status mb_check_positive_(const char *name, double value, mb_err *err)
{
    if (!(value > 0 && isfinite(value)))
        MB_FAIL(err, MB_E_ARG, "%s = %g; it must be positive and finite", name, value);
    return MB_OK;
}

mb_status mb_check_finite_(const char *name, int32_t n, const double *x, mb_err *err)
{
    for (int32_t i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            MB_FAIL(err, MB_E_ARG, "%s[%" PRId32 "] = %g; it must be finite", name, i, x[i]);
    return MB_OK;
}

mb_status mb_check_matrix_(mb_arena *a, const char *name, int32_t n, const double *A, mb_err *err)
{
    const double tol = 1e-9;
    const size_t m = (size_t)n;
    double      *C;
    int32_t      minor;

    if (!A)
        return MB_OK;
    MB_NEW(C, a, m * m, err);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++) {
            const double x = A[i * m + j], y = A[j * m + i];
            const double size = sqrt(fabs(A[i * m + i]) * fabs(A[j * m + j]));

            if (!isfinite(x) || !isfinite(y) || fabs(x - y) > tol * size)
                MB_FAIL(err, MB_E_ARG,
                        "%s[%zu][%zu] = %g and %s[%zu][%zu] = %g; the matrix must be finite and "
                        "symmetric",
                        name, i, j, x, name, j, i, y);
            C[i * m + j] = x;
        }
    minor = mb_chol_(C, n);
    if (minor != 0)
        MB_FAIL(err, MB_E_ARG,
                "%s is not positive definite (its leading %" PRId32 " x %" PRId32 " part fails)",
                name, minor, minor);
    return MB_OK;
}

void mb_prior_par_(double first, double second, int32_t n, const double *m, const double *A,
                   double diagonal, double *par)
{
    *par++ = first;
    *par++ = second;
    for (int32_t i = 0; i < n; i++)
        *par++ = m ? m[i] : 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = A ? A[(size_t)i * (size_t)n + (size_t)j] : diagonal * (i == j);
}

mb_status mb_given_numbers_(const char *name, const char *text, const double *at, int32_t features,
                            int32_t n, int32_t step, double *x, mb_err *err)
{
    int32_t count = n;

    if (at)
        memcpy(x, at, (size_t)n * sizeof *x);
    else if (text)
        MB_TRY(mb_opt_numbers(name, text, n, x, &count, err));
    if (count != n && count != 1)
        MB_FAIL(err, MB_E_ARG, "--%s: got %d numbers for %d features; expected 1 or %d numbers",
                name, count, features, n);
    for (int32_t k = count; k < n; k++)
        x[k] = k % step ? 0 : x[0];
    return MB_OK;
}

mb_status mb_par_to_units_(mb_arena *a, const mb_layout *l, const mb_units *u, double *par,
                           mb_err *err)
{
    double *origin, *scale;

    MB_NEW(origin, a, u->d, err);
    MB_NEW(scale, a, u->d, err);
    for (int32_t k = 0; k < u->d; k++) {
        origin[k] = -u->origin[k] / u->scale[k];
        scale[k] = 1 / u->scale[k];
    }
    mb_move_par(l, origin, scale, par);
    return MB_OK;
}

mb_status mb_model_prior(mb_arena *a, const double *par, mb_model *m, mb_err *err)
{
    const mb_layout *l = &m->layout;
    double          *phi, *eps, *scratch;

    MB_NEW(phi, a, l->len, err);
    MB_NEW(eps, a, l->nblock, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_TRY(mb_from_par(l, par, phi, err));
    MB_TRY(mb_margin(l, phi, eps, scratch, err));
    MB_TRY(mb_moments(l, phi, NULL, &m->A_prior, scratch, err));
    m->prior = phi;
    m->eps = eps;
    return MB_OK;
}
