/* svec.c - symmetric matrices as vectors whose 2-norm is the Frobenius norm. */
#include "num/num.h"

static const double SQRT2 = 1.41421356237309504880, SQRT_HALF = 0.70710678118654752440;

void mb_svec_(const double *A, int32_t n, double *v)
{
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < r; c++)
            *v++ = SQRT2 * A[(size_t)r * (size_t)n + c];
        *v++ = A[(size_t)r * (size_t)n + r];
    }
}

void mb_unsvec_(const double *v, int32_t n, double *A)
{
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < r; c++, v++)
            A[(size_t)r * (size_t)n + c] = A[(size_t)c * (size_t)n + r] = SQRT_HALF * *v;
        A[(size_t)r * (size_t)n + r] = *v++;
    }
}
