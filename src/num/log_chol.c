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

void mb_exp_rows_(double *tril, int32_t n, double scale)
{
    for (int32_t i = 0; i < n; i++)
        tril[mb_packed_at_(i, i)] = exp(tril[mb_packed_at_(i, i)]);
    mb_chol_square_(tril, 0, n, scale, tril);
}
