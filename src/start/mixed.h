/* start/mixed.h - rows with columns of several kinds as an initialisation by distances sees them.
 *
 * A number is what it is, in the units of the run; a count x is 2 sqrt(x + 3/8), whose variance is
 * about 1 (Anscombe); a flag is 0 or 2, so that two rows of a fair one are at the squared distance
 * 2 on average; a category is as many columns as it has levels, one of which is 1, so that two rows
 * of other categories are at the squared distance 2, whatever the categories. No moments are
 * needed: a network has the same bits everywhere. */
#ifndef MB_START_MIXED_H
#define MB_START_MIXED_H

#include "meshbayes/meshbayes.h"

/* Columns that the initialisation sees: D when all are numbers. */
int32_t mb_mixed_columns_(const mb_sizes *s);
/* Row j into out (mb_mixed_columns_). */
void mb_mixed_row_(const mb_sizes *s, const mb_rows *rows, int64_t j, double *out);
/* All rows; the rows themselves when all columns are numbers. */
mb_status mb_mixed_rows_(mb_arena *a, const mb_sizes *s, const mb_rows *rows, mb_rows *out,
                         mb_err *err) MB_CHECKED;
/* Origin and scale of the columns that it sees: those of `run` for numbers, 0 and 1 else. */
mb_status mb_mixed_units_(mb_arena *a, const mb_sizes *s, const mb_units *run, mb_units *out,
                          mb_err *err) MB_CHECKED;
/* mb_nearest_resp of rows in data units, centres being K rows as it sees them. */
void mb_mixed_nearest_(const mb_sizes *s, const mb_units *run, const mb_rows *rows, int32_t K,
                       const double *centres, double *resp);

#endif
