/* start/lines.h - initial lines of a mixture of regressions. */
#ifndef MB_START_LINES_H
#define MB_START_LINES_H

#include "meshbayes/extend.h"

enum {
    MB_LINES_ROWS_ = 200, /* of the sample that the lines are found on, at most  */
    MB_LINES_TRIES_ = 20  /* elemental fits of a start that may be the only one  */
};

/* K lines of the last column of the sample on the others (data units) into lines, K x d numbers of
 * which the coefficients are used, the intercept first, in the units of the run. The best of
 * `tries` elemental fits, each moved by k-means of lines, by the sum of squares about the nearest
 * lines. The same for the same rows and generator. O(rows K d^2). */
mb_status mb_lines_from_(mb_arena *a, int32_t K, int32_t intercept, const mb_units *run,
                         const mb_rows *sample, int32_t tries, mb_rng *rng, double *lines,
                         mb_err *err) MB_CHECKED;
/* start: K centres (K x d, data units), whose place lines take if these, of 20 tries, are clearly
 * nearer to up to MB_LINES_ROWS_ of the rows than those of the clusters around the centres: then
 * *lines is 1. Takes mb_lines_bytes_ of a. */
mb_status mb_lines_start_(mb_arena *a, const mb_sizes *s, const mb_units *run, const mb_rows *rows,
                          uint64_t seed, double *start, int *lines, mb_err *err) MB_CHECKED;
size_t    mb_lines_bytes_(const mb_sizes *s, int32_t d);
/* resp (n x K) of rows in data units: 1 at the nearest line, the first of equals, else 0. row: room
 * for d numbers. */
void mb_lines_resp_(int32_t K, int32_t intercept, const mb_units *run, const double *lines,
                    const mb_rows *rows, double *row, double *resp);

#endif
