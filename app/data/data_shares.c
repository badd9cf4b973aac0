/* data_shares.c - n things shared out in whole numbers by weights. */
#include "data/data_cmd.h"

#include <math.h>

void data_shares(int64_t n, int64_t K, const double *weight, int64_t *count)
{
    const double nudge = 1e-9; /* a share of 0.5 that came out as 0.49999.. is rounded up too */
    double       total = 0, sum = 0;
    int64_t      given = 0;

    for (int64_t k = 0; k < K; k++)
        total += weight[k];
    for (int64_t k = 0; k < K; k++) {
        int64_t upto;

        sum += weight[k];
        upto = k == K - 1 ? n : (int64_t)floor((double)n * (sum / total) + 0.5 + nudge);
        count[k] = upto - given;
        given = upto;
    }
}
