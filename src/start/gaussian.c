/* gaussian.c - centres from the moments of all rows, moved by sums. */
#include "start/gaussian.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

int mb_gaussian_root_(const mb_row_moments *seen, double *root)
{
    const size_t D = (size_t)seen->d;

    if (!seen->cov)
        return 0;
    if (root != seen->cov)
        memcpy(root, seen->cov, D * D * sizeof *root);
    return mb_chol_(root, seen->d) == 0;
}

/* One number of each column, or inside the bounds the nearest to it. */
static void draw_centre(const mb_row_moments *seen, const double *root, const mb_bounds *bounds,
                        mb_rng *rng, double *normal, double *out)
{
    const int32_t D = seen->d;

    for (int32_t d = 0; d < D; d++)
        normal[d] = mb_rng_normal(rng);
    for (int32_t d = 0; d < D; d++) {
        out[d] = seen->mean[d] + (root ? 0 : seen->sd[d] * normal[d]);
        for (int32_t e = 0; root && e <= d; e++)
            out[d] += root[d * D + e] * normal[e];
        if (bounds)
            out[d] = fmax(bounds->low[d], fmin(bounds->high[d], out[d]));
    }
}

void mb_gaussian_centres_(const mb_row_moments *seen, const double *root, const mb_bounds *bounds,
                          uint64_t seed, uint64_t draw, int32_t K, double *normal, double *centres)
{
    mb_rng rng = mb_rng_at(seed, MB_STREAM_START, UINT32_MAX - 1, draw);

    for (int32_t k = 0; k < K; k++)
        draw_centre(seen, root, bounds, &rng, normal, centres + (size_t)k * (size_t)seen->d);
}

double mb_gaussian_move_(int32_t K, int32_t D, const double *sums, double *centres)
{
    double between = 0;

    for (int32_t k = 0; k < K; k++, sums += D + 1, centres += D)
        for (int32_t d = 0; d < D; d++) {
            if (sums[0] > 0)
                centres[d] = sums[1 + d] / sums[0];
            between += fmax(sums[0], 0) * centres[d] * centres[d];
        }
    return between;
}
