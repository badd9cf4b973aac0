/* names_rows.c - columns that name their rows instead of measuring something. */
#include "base/rows.h"
#include "base/rows_opt.h"

#include <math.h>

enum {
    FEW = 2,    /* rows too few to tell                                 */
    GLANCE = 32 /* rows checked first, which rules out most columns     */
};

int app_has_gaps(const mb_rows *rows, int32_t column)
{
    for (int64_t r = 0; rows->gaps && r < rows->n; r++)
        if (isnan(mb_rows_at(rows, r, column)))
            return 1;
    return 0;
}

/* 1 if the first n numbers of a column are integers without repetition. work: n. */
static int all_differ(const mb_rows *rows, int32_t column, int64_t n, double *work)
{
    for (int64_t r = 0; r < n; r++) {
        work[r] = mb_rows_at(rows, r, column);
        if (floor(work[r]) < work[r])
            return 0;
    }
    app_sort(work, n);
    for (int64_t r = 1; r < n; r++)
        if (!(work[r - 1] < work[r]))
            return 0;
    return 1;
}

/* 1 if the numbers, in some order, are equal steps from the smallest to the largest, as times
 * are. */
static int is_steps(const mb_rows *rows, int32_t column, double *work)
{
    const int64_t n = rows->n;
    double        step;

    for (int64_t r = 0; r < n; r++)
        work[r] = mb_rows_at(rows, r, column);
    app_sort(work, n);
    step = (work[n - 1] - work[0]) / (double)(n - 1);
    for (int64_t r = 1; r < n; r++)
        if (!(fabs(work[r] - work[r - 1] - step) <= 1e-6 * step))
            return 0;
    return step > 0;
}

void app_column_ends(const mb_rows *rows, double *room, double *ends)
{
    double *lo = ends, *hi = ends + rows->d;

    for (int32_t d = 0; d < rows->d; d++) {
        lo[d] = INFINITY;
        hi[d] = -INFINITY;
    }
    for (int64_t r = 0; r < rows->n; r++) {
        const double *x = mb_rows_row(rows, r, room);

        for (int32_t d = 0; d < rows->d; d++) {
            lo[d] = x[d] < lo[d] ? x[d] : lo[d];
            hi[d] = x[d] > hi[d] ? x[d] : hi[d];
        }
    }
}

/* A cheap test that most columns fail: a number that is no step from the first rows' smallest. */
static int may_be_steps(const mb_rows *rows, int32_t column, const double *ends)
{
    const double lo = ends[column], hi = ends[rows->d + column];

    for (int64_t r = 0; r < rows->n && r < GLANCE; r++) {
        const double k = (mb_rows_at(rows, r, column) - lo) / ((hi - lo) / (double)(rows->n - 1));

        if (!(fabs(k - nearbyint(k)) <= 1e-3))
            return 0;
    }
    return 1;
}

const char *app_names_rows(const mb_rows *rows, int32_t d, const double *ends, double *work)
{
    const int64_t few = rows->n < GLANCE ? rows->n : GLANCE;

    if (rows->n <= FEW || app_has_gaps(rows, d))
        return NULL;
    if (all_differ(rows, d, few, work) && all_differ(rows, d, rows->n, work))
        return "whole numbers that never repeat";
    return may_be_steps(rows, d, ends) && is_steps(rows, d, work) ? "equal steps" : NULL;
}
