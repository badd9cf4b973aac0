/* cholesky.c - the factor of a covariance, for users. */
#include "meshbayes/num.h"
#include "num/num.h"

#include <inttypes.h>

mb_status mb_cholesky(int32_t n, const double *A, double *C, double *Cinv, mb_err *err)
{
    int32_t minor;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            C[i * n + j] = j <= i ? A[i * n + j] : 0;
    minor = mb_chol_(C, n);
    if (minor != 0)
        MB_FAIL(err, MB_E_DOMAIN,
                "the matrix is not positive definite (its leading %" PRId32 " x %" PRId32
                " part fails)",
                minor, minor);
    mb_chol_inverse_(C, n, Cinv);
    return MB_OK;
}
