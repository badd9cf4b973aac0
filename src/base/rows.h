/* base/rows.h - views of rows: parts, units, weights, and rows that are not in memory. */
#ifndef MB_BASE_ROWS_H
#define MB_BASE_ROWS_H

#include "meshbayes/meshbayes.h"

/* out: n x d, rows j .. j + n - 1. */
void mb_rows_take(const mb_rows *rows, int64_t j, int64_t n, double *out);
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
mb_status mb_rows_in_units(mb_arena *a, const mb_rows *rows, const double *origin,
                           const double *scale, mb_rows *out, mb_err *err) MB_CHECKED;
/* Rows first .. first + n - 1, without their groups; alone, whatever they are a share of. */
mb_rows mb_rows_part(const mb_rows *rows, int64_t first, int64_t n);
/* Rows of the longest group; 1 without groups. */
int64_t mb_rows_longest(const mb_rows *rows);
/* Groups of the rows, each row where there are none. */
static inline int64_t mb_rows_groups(const mb_rows *rows)
{
    return rows->first ? rows->ngroup : rows->n;
}
/* Where the rows of group g begin; those of g + 1: where they end. */
static inline int64_t mb_rows_group(const mb_rows *rows, int64_t g)
{
    return rows->first ? rows->first[g] : g;
}
/* *v: the weight of group g, that of each of its rows but those without any value; 0: it has none
 * else. MB_E_ARG names a row with another one, or with none. */
mb_status mb_rows_group_weight(const mb_rows *rows, int64_t g, double *v, mb_err *err) MB_CHECKED;
/* 1 for a node whose neighbours can compute its n rows of d columns (targets too) from messages,
 * which are sums over these rows: there are some, and at most as many as columns. */
int mb_rows_exposed(int64_t n, int32_t d);
/* Total weight of the rows, those of other processes too. */
double mb_rows_weight(const mb_rows *rows);

/* sum over the gaps of w ln scale of their columns (d): what the log-Jacobian of a change of
 * units, sum of w ln scale over rows and columns, has less because of them. Rows in any units. */
double mb_gaps_jacobian(const mb_rows *rows, const double *scale);

#endif
