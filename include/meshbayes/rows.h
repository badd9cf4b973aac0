/* meshbayes/rows.h - views of rows of numbers, wherever and however they are stored. */
#ifndef MESHBAYES_ROWS_H
#define MESHBAYES_ROWS_H

#include "meshbayes/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the library of a build without files (CMake option MB_STDIO) all rows are in arrays: what asks
 * for others is never 1, so that the compiler leaves out what follows. */
#ifdef MB_NO_STDIO
#define MB_STORED_(may) 0
#else
#define MB_STORED_(may) (may)
#endif

/* Rows that are no array of doubles: those of a file in its own type (mb_npy_view), rows in other
 * units (mb_rows_in_units). The owner's struct begins with this one; several threads may read. */
typedef struct mb_stored {
    double (*at)(const struct mb_stored *s, int64_t j, int32_t d); /* column d of row j */
    void (*take)(const struct mb_stored *s, int64_t j, int64_t n, double *out); /* n x d, from j */
} mb_stored;
/* A view of n rows of d numbers; row j starts at x + j*ld. Never owns. Rows in single precision
 * take half the memory; each is widened when it is read and all arithmetic is double: the answer is
 * that of the same numbers as doubles, to the bit (docs/math.md, section 12), as for `stored`. */
typedef struct mb_rows {
    const double *x;   /* n rows of d numbers, stride ld                       */
    const double *w;   /* row weights >= 0, length n; NULL means all 1         */
    int64_t       n;   /* may be 0: a node without rows                        */
    int32_t       d;   /* columns                                              */
    size_t        ld;  /* >= d                                                 */
    const float  *x32; /* not NULL: the rows in single precision, x is not read */
    /* Groups of rows: group g is rows first[g] .. first[g + 1] - 1. ngroup + 1 numbers that ascend
     * from 0 to n; NULL: no groups, for a model that knows none. */
    const int64_t *first;
    int32_t        ngroup; /* 0 without `first` */
    /* 1: NaN is no value, for models that can (mb_kind::gaps); a row of it weighs 0. 0: none is. */
    int32_t gaps;
    /* Not NULL: row j is row skip + j of `stored`, and x, x32 and ld are not read. */
    const mb_stored *stored;
    int64_t          skip; /* of `stored`, before row 0 */
    /* Not NULL: the share of this process in rows that several have (mb_table_share). Sums are then
     * over all of them, and collective; there are no weights, groups or gaps. */
    struct mb_share          *share;
    int64_t                   before;    /* rows of processes before this one */
    int64_t                   elsewhere; /* rows of all other processes       */
    const struct mb_row_sums *sums;      /* of these rows (mb_table_look); NULL: not known */
} mb_rows;
/* Column d of row j, however the rows are stored: how a model reads them. */
static inline double mb_rows_at(const mb_rows *rows, int64_t j, int32_t d)
{
    const size_t at = (size_t)j * rows->ld + (size_t)d;

    if (MB_STORED_(rows->stored != NULL))
        return rows->stored->at(rows->stored, rows->skip + j, d);
    return rows->x32 ? (double)rows->x32[at] : rows->x[at];
}
/* out: n x d, rows j .. j + n - 1. */
MB_API void mb_rows_take(const mb_rows *rows, int64_t j, int64_t n, double *out);
/* Row j: in place where the rows are doubles in memory, else in `room` (d). */
static inline const double *mb_rows_row(const mb_rows *rows, int64_t j, double *room)
{
    if (!MB_STORED_(rows->stored != NULL) && !rows->x32)
        return rows->x + (size_t)j * rows->ld;
    mb_rows_take(rows, j, 1, room);
    return room;
}
/* For loops over the numbers of a row: row j in `room` (d) where rows are stored elsewhere, so that
 * it is read at once; NULL: it is in an array. */
static inline const double *mb_rows_fetch(const mb_rows *rows, int64_t j, double *room)
{
    if (!MB_STORED_(rows->stored != NULL))
        return NULL;
    mb_rows_take(rows, j, 1, room);
    return room;
}
/* Column d of row j, which mb_rows_fetch gave. */
static inline double mb_rows_in(const double *fetched, const mb_rows *rows, int64_t j, int32_t d)
{
    return fetched ? fetched[d] : mb_rows_at(rows, j, d);
}
/* Gaps of row j. */
static inline int32_t mb_rows_gaps(const mb_rows *rows, int64_t j)
{
    int32_t count = 0;

    for (int32_t d = 0; rows->gaps && d < rows->d; d++)
        count += isnan(mb_rows_at(rows, j, d)) != 0;
    return count;
}
/* out: (x - origin)/scale of the rows (d each), to the bit what a copy would have, but computed
 * whenever a row is read. Rows, their scale and the arena must last. MB_E_NOMEM. */
MB_API mb_status mb_rows_in_units(mb_arena *a, const mb_rows *rows, const double *origin,
                                  const double *scale, mb_rows *out, mb_err *err) MB_CHECKED;
/* Rows first .. first + n - 1, without their groups; alone, whatever they are a share of. */
MB_API mb_rows mb_rows_part(const mb_rows *rows, int64_t first, int64_t n);
/* 1 for a node whose neighbours can compute its n rows of d columns (targets too) from messages,
 * which are sums over these rows: there are some, and at most as many as columns. */
MB_API int mb_rows_exposed(int64_t n, int32_t d);
/* Total weight of the rows, those of other processes too. */
MB_API double mb_rows_weight(const mb_rows *rows);

/* sum over the gaps of w ln scale of their columns (d): what the log-Jacobian of a change of
 * units, sum of w ln scale over rows and columns, has less because of them. Rows in any units. */
MB_API double mb_gaps_jacobian(const mb_rows *rows, const double *scale);

#ifdef __cplusplus
}
#endif
#endif
