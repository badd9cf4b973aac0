/* prior.c - a prior's matrix is checked, its log partition and margins are computed once. */
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>

mb_status mb_prior_matrix_(const char *name, int32_t n, const double *A, double *C, mb_err *err)
{
    const double tol = 1e-9;
    const size_t m = (size_t)n;
    int32_t      minor;

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++) {
            const double a = A[i * m + j], b = A[j * m + i];
            const double size = sqrt(fabs(A[i * m + i]) * fabs(A[j * m + j]));

            if (!isfinite(a) || !isfinite(b) || fabs(a - b) > tol * size)
                MB_FAIL(err, MB_E_ARG,
                        "%s[%zu][%zu] = %g and %s[%zu][%zu] = %g; the matrix must be finite and "
                        "symmetric",
                        name, i, j, a, name, j, i, b);
            C[i * m + j] = a;
        }
    minor = mb_chol_(C, n);
    if (minor != 0)
        MB_FAIL(err, MB_E_ARG,
                "%s is not positive definite (its leading %" PRId32 " x %" PRId32 " part fails)",
                name, minor, minor);
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
