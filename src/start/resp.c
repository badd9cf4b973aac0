/* First responsibilities: of the nearest of common centres, or a node's own random ones. */
#include "meshbayes/start.h"
#include "start/distance.h"

#include <string.h>

void mb_nearest_resp(const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                     const double *centres, double *resp)
{
    (void)origin; /* cancels in every difference */
    memset(resp, 0, (size_t)rows->n * (size_t)K * sizeof *resp);
    for (int64_t j = 0; j < rows->n; j++) {
        int32_t best = 0;
        double  best_dist = mb_distance2_(rows, j, centres, scale);
        for (int32_t k = 1; k < K; k++) {
            const double *centre = centres + (size_t)k * (size_t)rows->d;
            const double  dist = mb_distance2_(rows, j, centre, scale);
            if (dist < best_dist) {
                best = k;
                best_dist = dist;
            }
        }
        resp[(size_t)j * (size_t)K + (size_t)best] = 1;
    }
}

void mb_random_resp(int64_t n, int32_t K, uint64_t seed, int32_t attempt, int32_t gid, double *resp)
{
    mb_rng rng = mb_rng_at(seed, MB_STREAM_START, (uint32_t)gid, (uint64_t)attempt);
    for (int64_t j = 0; j < n; j++) {
        double *row = resp + (size_t)j * (size_t)K, sum = 0;
        for (int32_t k = 0; k < K; k++)
            sum += row[k] = mb_rng_uniform(&rng);
        for (int32_t k = 0; k < K; k++)
            row[k] /= sum;
    }
}
