/* start/limits.h - the parts of mb_agree_limits, for networks that agree in another way. */
#ifndef MB_START_LIMITS_H
#define MB_START_LIMITS_H

#include "meshbayes/extend.h"

/* MB_TURNS_: times that bins are narrowed at most, for distances between quartiles of 2^-54 of the
 * range at least. */
enum { MB_QUARTILES_ = 3, MB_TURNS_ = 15 };
/* Sums of mb_limits_count_: weights, but of the last. */
enum { MB_ALL_, MB_AWAY_, MB_NEAR_, MB_FAR_SUMS_ };

/* The 16 bins of each quartile: it is in lo to lo + 16 width. */
typedef struct mb_quartiles_ {
    int32_t d;
    double *lo, *width; /* d x MB_QUARTILES_ */
} mb_quartiles_;

/* Numbers that are counted for D columns. */
size_t mb_quartiles_len_(int32_t D);
/* The bins after this number of turns, where lo is known; after 0, those of the range. */
void mb_quartiles_at_(const mb_row_moments *seen, int32_t turn, mb_quartiles_ *q);
/* sum (mb_quartiles_len_) += the weight of the rows below, in, and above the bins of each quartile.
 * x: D, scratch. */
void mb_quartiles_count_(const mb_quartiles_ *q, const mb_rows *rows, double *x, double *sum);
/* A turn: the bin that holds a quartile becomes all its bins. all: the sums of all rows, in any
 * unit. 1: the distance of the quartiles of a column is not known well enough. */
int mb_quartiles_narrow_(const mb_row_moments *seen, const double *all, mb_quartiles_ *q);
/* The limits that mb_agree_limits has, whatever rows are far. out: room for D columns. */
void mb_quartiles_limits_(const mb_quartiles_ *q, const mb_row_moments *seen, double widths,
                          mb_limits *out);
/* sum (MB_FAR_SUMS_) += the weight of the rows, of those that are far, and how many are not. */
void mb_limits_count_(const mb_limits *l, const mb_rows *rows, double *x, double *sum);
/* 0, by these sums of all rows: too much is far, or fewer than `least` rows are not. */
int mb_limits_hold_(const double *sum, int32_t least);
/* w (rows): the weights of the rows, 0 of those that are far. */
void mb_limits_weights_(const mb_limits *l, const mb_rows *rows, double *x, double *w);

#endif
