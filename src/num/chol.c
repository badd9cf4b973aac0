/* chol.c - Cholesky factor and triangular solves, row-major. */
#include "num/num.h"

#include <math.h>
#include <string.h>

static inline double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;

    for (int32_t l = 0; l < n; l++)
        sum += x[l] * y[l];
    return sum;
}

/* Inlined with a constant n the loops below unroll: small orders cost little more than their roots
 * and quotients. The order of operations is the same for every n. */
static inline int32_t factor(double *A, int32_t n)
{
    for (int32_t r = 0; r < n; r++) {
        double *row = A + (size_t)r * (size_t)n;
        double  pivot;

        for (int32_t c = 0; c < r; c++) {
            const double *above = A + (size_t)c * (size_t)n;

            row[c] = (row[c] - dot(row, above, c)) / above[c];
        }
        pivot = row[r] - dot(row, row, r);
        if (!(pivot > 0) || !isfinite(pivot))
            return r + 1;
        row[r] = sqrt(pivot);
    }
    return 0;
}

int32_t mb_chol_(double *A, int32_t n)
{
    switch (n) {
    case 2:
        return factor(A, 2);
    case 3:
        return factor(A, 3);
    case 4:
        return factor(A, 4);
    case 5:
        return factor(A, 5);
    default:
        return factor(A, n);
    }
}

void mb_chol_forward_(const double *C, int32_t n, double *y)
{
    for (int32_t r = 0; r < n; r++) {
        const double *row = C + (size_t)r * (size_t)n;

        y[r] = (y[r] - dot(row, y, r)) / row[r];
    }
}

void mb_chol_backward_(const double *C, int32_t n, double *y)
{
    for (int32_t r = n - 1; r >= 0; r--) {
        const double *row = C + (size_t)r * (size_t)n;

        y[r] /= row[r];
        for (int32_t c = 0; c < r; c++)
            y[c] -= row[c] * y[r];
    }
}

void mb_chol_inverse_(const double *C, int32_t n, double *Cinv)
{
    memset(Cinv, 0, (size_t)n * (size_t)n * sizeof *Cinv);
    for (int32_t r = 0; r < n; r++) {
        const double *row = C + (size_t)r * (size_t)n;
        double       *out = Cinv + (size_t)r * (size_t)n;

        for (int32_t l = 0; l < r; l++)
            for (int32_t c = 0; c <= l; c++)
                out[c] -= row[l] * Cinv[(size_t)l * (size_t)n + c];
        out[r] = 1;
        for (int32_t c = 0; c <= r; c++)
            out[c] /= row[r];
    }
}
