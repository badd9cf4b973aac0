/* start/distance.h - the distance of the start: columns in units of the agreed scale. */
#ifndef MB_DISTANCE_H
#define MB_DISTANCE_H

#include "meshbayes/model.h"

/* |(x_j - c) / scale|^2. The origin cancels; left out, it costs no digits. */
static inline double mb_distance2_(const mb_rows *rows, int64_t j, const double *c,
                                   const double *scale)
{
    double sum = 0;
    for (int32_t d = 0; d < rows->d; d++) {
        const double step = (mb_rows_at(rows, j, d) - c[d]) / scale[d];
        sum += step * step;
    }
    return sum;
}

#endif
