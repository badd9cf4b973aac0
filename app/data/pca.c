/* pca.c - principal components: eigenvectors of the covariance (d x d), or of the rows' products
 * (n x n) when there are fewer rows than columns; both have the same values that are not 0. */
#include "data/pca.h"
#include "data/eigen.h"

#include <math.h>
#include <string.h>

void pca_unit_rows(int64_t n, int32_t d, double *x)
{
    for (int64_t r = 0; r < n; r++) {
        double *row = x + r * d, norm2 = 0;

        for (int32_t c = 0; c < d; c++)
            norm2 += row[c] * row[c];
        for (int32_t c = 0; c < d && norm2 > 0; c++)
            row[c] /= sqrt(norm2);
    }
}

int32_t pca_components(const pca *p, double share)
{
    double  sum = 0;
    int32_t k = 0;

    while (k < p->count && !(sum > share * p->total))
        sum += p->variance[k++];
    return k;
}

static mb_status centre(mb_arena *a, int64_t n, int32_t d, const double *x, double *mean,
                        double **out, mb_err *err)
{
    MB_NEW(*out, a, (size_t)n * (size_t)d, err);
    for (int64_t r = 0; r < n; r++)
        for (int32_t c = 0; c < d; c++)
            mean[c] += x[r * d + c] / (double)n;
    for (int64_t r = 0; r < n; r++)
        for (int32_t c = 0; c < d; c++)
            (*out)[r * d + c] = x[r * d + c] - mean[c];
    return MB_OK;
}

/* Lower triangle of z'z/(n-1), sums along rows. */
static void covariance(int64_t n, int32_t d, const double *z, double *A)
{
    for (int64_t r = 0; r < n; r++) {
        const double *row = z + r * d;

        for (int32_t i = 0; i < d; i++) {
            const double f = row[i] / (double)(n - 1);

            for (int32_t j = 0; j <= i; j++)
                A[(size_t)i * (size_t)d + (size_t)j] += f * row[j];
        }
    }
}

/* Lower triangle of zz'/(n-1). */
static void products(int64_t n, int32_t d, const double *z, double *A)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;

            for (int32_t c = 0; c < d; c++)
                sum += z[i * d + c] * z[j * d + c];
            A[i * n + j] = sum / (double)(n - 1);
        }
}

/* From u (n), an eigenvector of zz', to the axis z'u of length 1. */
static void axis_of(int64_t n, int32_t d, const double *z, const double *u, double *axis)
{
    memset(axis, 0, (size_t)d * sizeof *axis);
    for (int64_t r = 0; r < n; r++)
        for (int32_t c = 0; c < d; c++)
            axis[c] += u[r] * z[r * d + c];
    pca_unit_rows(1, d, axis);
    eigen_orient(d, axis);
}

mb_status pca_fit(mb_arena *a, int64_t n, int32_t d, const double *x, int32_t k, double share,
                  pca *out, mb_err *err)
{
    const int32_t count = (int32_t)(n < d ? n : d);
    const size_t  size = (size_t)count;
    double       *z, *A, *V;

    *out = (pca){.d = d, .count = count};
    if (n < 2 || k > count)
        MB_FAIL(err, MB_E_ARG, "%d components of %lld rows and %d columns; expected up to %d", k,
                (long long)n, d, n < 2 ? 0 : count);
    MB_NEW(out->mean, a, d, err);
    MB_NEW(out->variance, a, count, err);
    MB_NEW(A, a, size * size, err);
    MB_NEW(V, a, size * size, err);
    MB_TRY(centre(a, n, d, x, out->mean, &z, err));
    if (n < d)
        products(n, d, z, A);
    else
        covariance(n, d, z, A);
    for (size_t i = 0; i < size; i++)
        out->total += A[i * size + i];
    MB_TRY(eigen_symmetric(a, count, A, k ? k : count, out->variance, V, err));
    if (!(out->total > 0))
        MB_FAIL(err, MB_E_NUMERIC, "all rows are equal: there is no variance to explain");
    out->k = k ? k : pca_components(out, share);
    MB_NEW(out->axis, a, (size_t)out->k * (size_t)d, err);
    for (size_t j = 0; j < (size_t)out->k; j++)
        if (n < d)
            axis_of(n, d, z, V + j * size, out->axis + j * (size_t)d);
        else
            memcpy(out->axis + j * size, V + j * size, size * sizeof *V);
    return MB_OK;
}

void pca_apply(const pca *p, int64_t n, const double *x, double *out)
{
    for (int64_t r = 0; r < n; r++)
        for (int32_t j = 0; j < p->k; j++) {
            const double *axis = p->axis + (size_t)j * (size_t)p->d;
            double        sum = 0;

            for (int32_t c = 0; c < p->d; c++)
                sum += (x[r * p->d + c] - p->mean[c]) * axis[c];
            out[r * p->k + j] = sum;
        }
}
