/* start/gaps.h - distances of rows with gaps: over the columns where they have a value. */
#ifndef MB_START_GAPS_H
#define MB_START_GAPS_H

#include "meshbayes/meshbayes.h"

/* A squared distance over all but `gone` of D columns, as if it were over all of them; 0 over
 * none. */
static inline double mb_over_seen_(double sum, int32_t D, int32_t gone)
{
    return gone == 0 ? sum : gone < D ? sum * D / (D - gone) : 0;
}
/* The squared distance of row j from a centre without gaps, in `scale`. */
static inline double mb_gaps_distance2_(const mb_rows *rows, int64_t j, const double *centre,
                                        const double *scale)
{
    double  sum = 0;
    int32_t gone = 0;

    for (int32_t d = 0; d < rows->d; d++) {
        const double step = (mb_rows_at(rows, j, d) - centre[d]) / scale[d];

        gone += isnan(step) != 0;
        sum += isnan(step) ? 0 : step * step;
    }
    return mb_over_seen_(sum, rows->d, gone);
}

#endif
