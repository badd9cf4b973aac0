/* columns_export.c - components without a matrix as scikit-learn has them: one strength of the mean
 * and one number of degrees of freedom each, which all columns share. */
#include "model/export.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* The first number of each component. MB_E_NOSUP where its columns differ, as those of rows with gaps
 * do. */
static mb_status first_of_each(mb_arena *a, mb_array *x, mb_err *err)
{
    static const double same = 1e-9; /* relative: what averaging leaves of equal numbers */
    const size_t        n = (size_t)x->shape[1];
    double             *first;

    if (x->ndim < 2)
        return MB_OK;
    MB_NEW(first, a, x->shape[0], err);
    for (size_t k = 0; k < (size_t)x->shape[0]; k++) {
        first[k] = x->x[k * n];
        for (size_t d = 1; d < n; d++)
            if (!(fabs(x->x[k * n + d] - first[k]) <= same * fabs(first[k])))
                MB_FAIL(
                    err, MB_E_NOSUP,
                    "%s: component %zu has %g and %g, as its columns have gaps; scikit-learn has "
                    "one number for all columns (--format json has each)",
                    x->name, k, first[k], x->x[k * n + d]);
    }
    x->x = first;
    x->ndim = 1;
    return MB_OK;
}

mb_status mb_columns_arrays_(mb_arena *a, int32_t D, int32_t n, mb_array *x, mb_err *err)
{
    for (int32_t f = 0; f < n; f++) {
        double *w_inverse;
        size_t  size = 1;

        if (!strcmp(x[f].name, "mean_precision") || !strcmp(x[f].name, "degrees_of_freedom"))
            MB_TRY(first_of_each(a, &x[f], err));
        if (strcmp(x[f].name, "rate") != 0)
            continue;
        for (int32_t d = 0; d < x[f].ndim; d++)
            size *= (size_t)x[f].shape[d];
        MB_NEW(w_inverse, a, size, err);
        for (size_t e = 0; e < size; e++)
            w_inverse[e] = 2 * x[f].x[e] / (x[f].ndim > 1 ? 1 : D);
        x[f].name = "w_inverse";
        x[f].x = w_inverse;
    }
    return MB_OK;
}

mb_status mb_columns_precisions_(mb_arena *a, const mb_array *cov, const double **factor,
                                 const double **whole, mb_err *err)
{
    const size_t n = (size_t)(cov->shape[0] * (cov->ndim > 1 ? cov->shape[1] : 1));
    double      *root, *precision;

    MB_NEW(root, a, n, err);
    MB_NEW(precision, a, n, err);
    for (size_t e = 0; e < n; e++) {
        precision[e] = 1 / cov->x[e];
        root[e] = sqrt(precision[e]);
    }
    *factor = root;
    *whole = precision;
    return MB_OK;
}

double mb_columns_normaliser_(int32_t D, int32_t members, double nu, const double *w_inverse)
{
    const double dim = (double)D / members, a = dim * nu / 2;
    double       sum = 0;

    for (int32_t m = 0; m < members; m++)
        sum += mb_lgamma_(a) - a * log(dim * w_inverse[m] / 2);
    return sum;
}
