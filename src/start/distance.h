/* start/distance.h - the distance of the start: columns in units of the agreed scale. */
#ifndef MB_DISTANCE_H
#define MB_DISTANCE_H

#include <stdint.h>

/* |(x - c) / scale|^2. The origin cancels; left out, it costs no digits. */
static inline double mb_distance2_(const double *x, const double *c, const double *scale, int32_t D)
{
    double sum = 0;
    for (int32_t d = 0; d < D; d++) {
        const double step = (x[d] - c[d]) / scale[d];
        sum += step * step;
    }
    return sum;
}

#endif
