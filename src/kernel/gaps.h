/* kernel/gaps.h - rows of a block with gaps, by their patterns, beside a component with a matrix
 * S: in the order (there, missing) S has the factor [A_oo, 0; A_mo, A_mm]. With y = A_oo^-1 (x_o -
 * m_o) the squared distance in S^-1, smallest over x_m, is |y|^2, at x_m = m_m + A_mo y, and the
 * block mm of S^-1 has the inverse A_mm A_mm'. */
#ifndef MB_KERNEL_GAPS_H
#define MB_KERNEL_GAPS_H

#include "kernel/kernel.h"

#include <stddef.h>
#include <stdint.h>

/* The rows by their patterns: those of pattern p are row[first[p]] .. row[first[p + 1] - 1]. */
typedef struct mb_patterns_ {
    int32_t n;
    int32_t row[MB_BLOCK_MAX], first[MB_BLOCK_MAX + 1];
} mb_patterns_;

/* One pattern of gaps and one component. */
typedef struct mb_split_ {
    int32_t        rows;  /* with this pattern                                            */
    const int32_t *row;   /* rows: where in the block                                     */
    int32_t        there; /* columns that have a value                                    */
    int32_t       *order; /* D: these, then the missing ones                              */
    double        *A;     /* D x D: S in this order, then its factor; lower triangle      */
    double        *y;     /* D x block: of each row y, below it the x_m that are expected */
    const double  *m;     /* D: mean                                                      */
    double         nu;    /* of the precision nu S^-1                                     */
} mb_split_;

/* Sorts the rows of the block by pattern, in the order of each pattern's first row. */
void mb_patterns_find_(const mb_estep_ *g, mb_patterns_ *p);
/* q, whose order and A have room, becomes that of a pattern. A: the lower triangle of S, whose rows
 * are `ld` apart, in the order of q, to be factored by the caller. */
void mb_split_arrange_(const mb_estep_ *g, const mb_patterns_ *p, int32_t at, const double *S,
                       size_t ld, mb_split_ *q);
/* y of the columns that are there: each row is a lane. */
void mb_split_solve_(const mb_estep_ *g, mb_split_ *q);
/* Then: |y|^2 of row l of the pattern. */
double mb_split_distance_(const mb_estep_ *g, const mb_split_ *q, int32_t l);
/* Then: the x_m that are expected below them, and the values instead of y. */
void mb_split_complete_(const mb_estep_ *g, mb_split_ *q);
/* Then: sum (D + 1 rows, lower triangle) += sum of s z z', z = (1, x), and of r A_mm A_mm'/nu where
 * both columns are missing. s, r: of the block. */
void mb_split_gather_(const mb_estep_ *g, const mb_split_ *q, const double *s, const double *r,
                      double *sum);

#endif
