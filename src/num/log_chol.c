/* log_chol.c - Cholesky factors as unbounded numbers: with the logarithms of their diagonals. */
#include "num/num.h"

#include <math.h>

double *mb_log_row_(const double *row, int32_t r, double scale, double *out)
{
    for (int32_t j = 0; j < r; j++)
        *out++ = row[j] / scale;
    *out++ = log(row[r] / scale);
    return out;
}

/* Row i of a lower triangle by rows. */
static double *row(double *tril, int32_t i)
{
    return tril + mb_svec_len_(i);
}

static double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;

    for (int32_t l = 0; l < n; l++)
        sum += x[l] * y[l];
    return sum;
}

/* From the last entry to the first: those still needed change last. */
void mb_exp_rows_(double *tril, int32_t n, double scale)
{
    for (int32_t i = 0; i < n; i++)
        row(tril, i)[i] = exp(row(tril, i)[i]);
    for (int32_t i = n - 1; i >= 0; i--) {
        double *x = row(tril, i), sum[MB_DOTS_];
        int32_t j = i;

        for (; j + 1 >= MB_DOTS_; j -= MB_DOTS_) {
            const double *y[MB_DOTS_];

            for (int32_t u = 0; u < MB_DOTS_; u++)
                y[u] = row(tril, j + 1 - MB_DOTS_ + u);
            mb_dots_(x, y, j + 2 - MB_DOTS_, sum);
            for (int32_t u = 0; u < MB_DOTS_; u++)
                x[j + 1 - MB_DOTS_ + u] = scale * sum[u];
        }
        for (; j >= 0; j--)
            x[j] = scale * dot(x, row(tril, j), j + 1);
    }
}
