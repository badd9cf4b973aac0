/* start/row_sums.h - moments of many rows in one pass. They are cut into the slices of mb_cut_,
 * called pieces here, and these into blocks, by their number and that of their columns alone; a
 * block is summed about an origin of its own, and blocks are joined in their order. The sums
 * therefore depend neither on threads nor on processes. */
#ifndef MB_START_ROW_SUMS_H
#define MB_START_ROW_SUMS_H

#include "kernel/kernel.h"
#include "meshbayes/extend.h"

/* Of the rows of this process, about the means of their pieces; no digits are lost far from 0. */
typedef struct mb_row_sums {
    int64_t piece, block; /* rows of a piece, and of a block; the last ones may have fewer       */
    int64_t n;            /* all rows here                                                       */
    int32_t d, count;     /* columns; pieces here                                                */
    int32_t products;     /* 1: squares are of each two columns, the lower triangle row by row   */
    size_t  len;          /* squares of a piece                                                  */
    double *ends;         /* 2 d: -min and max of all rows, -inf before there are any            */
    double *weight;       /* count: rows                                                         */
    double *base, *mean;  /* count x d: an origin of each piece, and its mean less this          */
    double *square;       /* count x len: sum of (x - mean)^2, or of the products of these       */
    double *shift;        /* d: scratch                                                          */
} mb_row_sums;
enum { MB_MANY_ROWS_ = 1 << 18 /* as many as processes may share: MB_SHARE_LEAST */ };
/* 1: rows are summed in this way: more than MB_MANY_ROWS_, no weights or gaps, not too wide. */
int mb_row_sums_serve_(const mb_rows *rows);
/* No rows so far. */
mb_status mb_row_sums_new_(mb_arena *a, const mb_rows *rows, int32_t products, mb_row_sums *out,
                           mb_err *err) MB_CHECKED;
/* The block that begins at row `from` ends at, and belongs to piece, .. */
int64_t mb_row_sums_end_(const mb_row_sums *s, int64_t from);
int32_t mb_row_sums_piece_(const mb_row_sums *s, int64_t from);

/* The sums of a block. */
typedef struct mb_block_sums_ {
    const mb_kernel_ *kernel;
    mb_scatter_       sums;
    double           *rows; /* MB_SCATTER_ROWS x d: room for rows that are converted */
    int64_t           n;
} mb_block_sums_;
mb_status mb_block_sums_new_(mb_arena *a, const mb_row_sums *of, mb_block_sums_ *out,
                             mb_err *err) MB_CHECKED;
/* Rows j .. j + n - 1: where they are, or in `room`. */
typedef const double *(*mb_rows_read_)(void *self, int64_t j, int64_t n, double *room);
/* The sums of rows from .. to - 1, n of them; 0: a number is not finite or beyond MB_VALUE_MAX. */
int mb_block_sums_make_(mb_block_sums_ *b, mb_rows_read_ read, void *self, int64_t from,
                        int64_t to);
/* Adds a block to the end of its piece. */
void mb_row_sums_join_(mb_row_sums *s, int32_t piece, const mb_block_sums_ *b);
/* All of them, of rows in memory or elsewhere. 0 as above. */
mb_status mb_row_sums_make_(mb_arena *a, const mb_rows *rows, int32_t products, mb_row_sums *out,
                            int *made, mb_err *err) MB_CHECKED;

/* mb_add_first_ and mb_add_second_ of the pieces, one after the other. z: d, scratch. */
void mb_row_sums_first_(const mb_row_sums *s, const mb_row_moments *m, double *sum);
void mb_row_sums_second_(const mb_row_sums *s, const mb_row_moments *m, const double *mean,
                         double *z, double *sum);

#endif
