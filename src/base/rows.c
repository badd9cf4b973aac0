/* rows.c - views of rows: parts, weights, and the Jacobian of what is missing. */
#include "base/rows.h"
#include "base/err.h"
#include "base/gaps.h"

#include <inttypes.h>

mb_rows mb_rows_part(const mb_rows *rows, int64_t first, int64_t n)
{
    const size_t at = (size_t)first * rows->ld;
    mb_rows      part = *rows;

    part.x = rows->x ? rows->x + at : NULL;
    part.x32 = rows->x32 ? rows->x32 + at : NULL;
    if (MB_STORED_(rows->stored != NULL))
        part.skip = rows->skip + first;
    part.w = rows->w ? rows->w + first : NULL;
    part.n = n;
    part.first = NULL;
    part.ngroup = 0;
    part.share = NULL;
    part.before = 0;
    part.remote_rows = 0;
    part.sums = NULL;
    return part;
}

int64_t mb_rows_longest(const mb_rows *rows)
{
    int64_t longest = 1;

    for (int32_t g = 0; rows->first && g < rows->ngroup; g++)
        if (rows->first[g + 1] - rows->first[g] > longest)
            longest = rows->first[g + 1] - rows->first[g];
    return longest;
}

mb_status mb_rows_group_weight(const mb_rows *rows, int64_t g, double *v, mb_err *err)
{
    const int64_t first = mb_rows_group(rows, g), end = mb_rows_group(rows, g + 1);
    int           some = 0;

    *v = rows->w || first == end ? 0 : 1;
    for (int64_t j = first; rows->w && j < end; j++) {
        if (!(rows->w[j] >= 0))
            MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": got weight %g; expected 0 or more", j,
                    rows->w[j]);
        if (MB_GAPS_(rows->gaps) && mb_rows_gaps(rows, j) == rows->d)
            continue;
        if (some && (rows->w[j] < *v || rows->w[j] > *v))
            MB_FAIL(err, MB_E_ARG,
                    "row %" PRId64 ": got weight %g; expected %g, that of the rows before it in "
                    "its group",
                    j, rows->w[j], *v);
        *v = rows->w[j];
        some = 1;
    }
    return MB_OK;
}

void mb_rows_take(const mb_rows *rows, int64_t j, int64_t n, double *out)
{
    if (MB_STORED_(rows->stored != NULL)) {
        rows->stored->take(rows->stored, rows->skip + j, n, out);
        return;
    }
    for (int64_t r = j; r < j + n; r++)
        for (int32_t d = 0; d < rows->d; d++)
            *out++ = mb_rows_at(rows, r, d);
}

double mb_rows_weight(const mb_rows *rows)
{
    double sum = rows->w ? 0 : (double)(rows->n + rows->remote_rows);

    for (int64_t j = 0; rows->w && j < rows->n; j++)
        sum += rows->w[j];
    return sum;
}

double mb_gaps_jacobian(const mb_rows *rows, const double *scale)
{
    double sum = 0;

    for (int32_t d = 0; rows->gaps && d < rows->d; d++) {
        double weight = 0;

        for (int64_t j = 0; j < rows->n; j++)
            if (isnan(mb_rows_at(rows, j, d)))
                weight += rows->w ? rows->w[j] : 1;
        sum += weight * log(scale[d]);
    }
    return sum;
}

int mb_rows_exposed(int64_t n, int32_t d)
{
    return n > 0 && n <= d;
}
