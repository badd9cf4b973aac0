/* start/moments.h - the parts of mb_agree_moments, for networks that agree in another way. Sums are
 * in units of the range: z = (x - middle)/spread. */
#ifndef MB_START_MOMENTS_H
#define MB_START_MOMENTS_H

#include "meshbayes/extend.h"

/* ends (2 D) := (-min, max) of each column of a node's rows, -inf without values. z: D, scratch.
 * MB_E_SHAPE, MB_E_NUMERIC: other columns, a value that is not finite. */
mb_status mb_column_ends_(const mb_rows *rows, int32_t D, int32_t gid, double *z, double *ends,
                          mb_err *err) MB_CHECKED;
/* middle, spread and constant from the ends of all rows. MB_E_ARG: there are none in a column. */
mb_status mb_ranges_(const double *ends, mb_row_moments *out, mb_err *err) MB_CHECKED;
/* Numbers in the sums below. */
size_t mb_first_len_(int32_t D, int32_t gaps);
size_t mb_second_len_(int32_t D, int32_t with_cov, int32_t gaps);
/* sum (1 + D) += (w, w z) of the rows; where m->filled is not NULL of the values that are there,
 * then their weight (D). z: D, scratch. */
void mb_add_first_(const mb_row_moments *m, const mb_rows *rows, double *z, double *sum);
/* sum += w (z - mean)^2 (D), where m->cov is not NULL the lower triangle of w (z - mean)(z -
 * mean)' (D (D + 1)/2); with m->filled, too, of what both columns have, then the weights of these
 * (as many). mean: D, in units of the range. */
void mb_add_second_(const mb_row_moments *m, const mb_rows *rows, const double *mean, double *z,
                    double *sum);
/* weight and mean from the first sums of all rows; mean (D) also in units of the range. */
void mb_first_moments_(const double *sum, mb_row_moments *out, double *mean);
/* sd, and cov where it is not NULL, from the second sums of all rows. */
void mb_second_moments_(const double *sum, mb_row_moments *out);
/* Stated ends do not say which columns have one value only; sums say so up to rounding, which is
 * about the distance of the mean from the middle and grows with the number of rows. */
void mb_find_constant_(mb_row_moments *out);
/* MB_E_ARG: bounds beside whose width the spread of a column is lost in sums. file, column: names
 * for the message; NULL: none. */
mb_status mb_check_widths_(const mb_bounds *b, const mb_row_moments *seen, const char *file,
                           const char *const *column, mb_err *err) MB_CHECKED;
/* Room for the moments of D columns, all zero: those of no rows. */
mb_status mb_moments_new_(mb_arena *a, int32_t D, int32_t with_cov, int32_t gaps,
                          mb_row_moments *out, mb_err *err) MB_CHECKED;
/* What mb_agree_moments makes, of the rows of one node, to the bit up to MB_MANY_ROWS_ of them.
 * scratch_arena: 8 bytes for each of 5 D + 1 + D (D + 1)/2 numbers, with gaps 6 D + 1 + D (D + 1),
 * and what an arena adds. */
mb_status mb_moments_of_(mb_arena *a, mb_arena *scratch_arena, const mb_rows *rows,
                         int32_t with_cov, mb_row_moments *out, mb_err *err) MB_CHECKED;

#endif
