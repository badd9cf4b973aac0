/* symmetric.c - symmetric matrices: svec, whose 2-norm is the Frobenius norm, Cholesky factor and
 * triangular solves; row-major. */
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static inline double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;

    for (int32_t l = 0; l < n; l++)
        sum += x[l] * y[l];
    return sum;
}

enum { TOGETHER = 4 };

/* Entries 0 .. r - 1 of rows r .. r + TOGETHER - 1, whose quotients are independent. */
static inline void together(double *A, size_t n, size_t r)
{
    double *row = A + r * n;

    for (size_t c = 0; c < r; c++) {
        const double *above = A + c * n;
        double        sum[TOGETHER] = {0};

        for (size_t l = 0; l < c; l++)
            for (size_t u = 0; u < TOGETHER; u++)
                sum[u] += row[u * n + l] * above[l];
        for (size_t u = 0; u < TOGETHER; u++)
            row[u * n + c] = (row[u * n + c] - sum[u]) / above[c];
    }
}

/* Inlined with a constant n the loops unroll: small orders cost little more than their roots and
 * quotients. The order of operations is the same for every n. */
static inline int32_t factor(double *A, int32_t n)
{
    int32_t known = 0; /* entries of the row that are done */

    for (int32_t r = 0; r < n; r++) {
        double *row = A + (size_t)r * (size_t)n;
        double  pivot;

        if (r % TOGETHER == 0) {
            known = r + TOGETHER <= n ? r : 0;
            together(A, (size_t)n, (size_t)known);
        }
        for (int32_t c = known; c < r; c++) {
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

int32_t mb_chol_packed_(const double *tril, int32_t n, double *C)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            C[(size_t)i * (size_t)n + (size_t)j] = j <= i ? *tril++ : 0;
    return mb_chol_(C, n);
}

void mb_dots_(const double *x, const double *const *y, int32_t n, double *out)
{
    double sum[MB_DOTS_] = {0};

    for (int32_t l = 0; l < n; l++)
        for (int32_t u = 0; u < MB_DOTS_; u++)
            sum[u] += x[l] * y[u][l];
    for (int32_t u = 0; u < MB_DOTS_; u++) {
        for (int32_t l = n; l < n + u; l++)
            sum[u] += x[l] * y[u][l];
        out[u] = sum[u];
    }
}

#ifdef __OPTIMIZE_SIZE__
enum { ONE_BY_ONE = 1 };
#else
enum { ONE_BY_ONE = 0 };
#endif

void mb_chol_square_(const double *C, size_t ld, int32_t n, double *tril)
{
    for (int32_t i = 0; i < n; i++) {
        const double *row = C + (size_t)i * ld;
        int32_t       j = 0;

        for (; !ONE_BY_ONE && j + MB_DOTS_ <= i + 1; j += MB_DOTS_, tril += MB_DOTS_) {
            const double *y = C + (size_t)j * ld;

            mb_dots_(row, (const double *[]){y, y + ld, y + 2 * ld, y + 3 * ld}, j + 1, tril);
        }
        for (; j <= i; j++)
            *tril++ = dot(row, C + (size_t)j * ld, j + 1);
    }
}

void mb_chol_forward_(const double *C, int32_t n, double *y)
{
    for (int32_t r = 0; r < n; r++) {
        const double *row = C + (size_t)r * (size_t)n;

        y[r] = (y[r] - dot(row, y, r)) / row[r];
    }
}

void mb_chol_forward_lanes_(const double *C, size_t ldc, int32_t n, const double *restrict x,
                            size_t ld, double *restrict y, double *restrict square)
{
    enum { LANES = MB_CHOL_LANES_ };

    for (size_t r = 0; r < (size_t)n; r++, C += ldc, x += ld) {
        double sum[LANES] = {0};

        for (size_t c = 0; c < r; c++)
            for (size_t u = 0; u < LANES; u++)
                sum[u] += C[c] * y[c * LANES + u];
        for (size_t u = 0; u < LANES; u++) {
            const double q = (x[u] - sum[u]) / C[r];

            y[r * LANES + u] = q;
            square[u] += q * q;
        }
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

/* out -= sum_l by[l] from[l], l < TOGETHER, in the order of l; rows are 0 right of the diagonal. */
static inline void less(const double *by, const double *from, size_t n, int32_t count,
                        double *restrict out)
{
    const double *b = from + n, *c = b + n, *d = c + n;

    for (int32_t j = 0; j < count; j++)
        out[j] = (((out[j] - by[0] * from[j]) - by[1] * b[j]) - by[2] * c[j]) - by[3] * d[j];
}

void mb_chol_inverse_(const double *C, int32_t n, double *Cinv)
{
    memset(Cinv, 0, (size_t)n * (size_t)n * sizeof *Cinv);
    for (int32_t r = 0; r < n; r++) {
        const double *row = C + (size_t)r * (size_t)n;
        double       *out = Cinv + (size_t)r * (size_t)n;
        int32_t       l = 0;

        for (; l + TOGETHER <= r; l += TOGETHER)
            less(row + l, Cinv + (size_t)l * (size_t)n, (size_t)n, l + TOGETHER, out);
        for (; l < r; l++)
            for (int32_t c = 0; c <= l; c++)
                out[c] -= row[l] * Cinv[(size_t)l * (size_t)n + c];
        out[r] = 1;
        for (int32_t c = 0; c <= r; c++)
            out[c] /= row[r];
    }
}

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
