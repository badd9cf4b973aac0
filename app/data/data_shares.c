/* data_shares.c - what several verbs of `data` use: things shared out in whole numbers, the texts of
 * a column, and the line that says what was written. */
#include "data/data_cmd.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void data_shares(int64_t n, int64_t K, const double *weight, int64_t *count)
{
    const double nudge = 1e-9; /* a share of 0.5 that came out as 0.49999.. is rounded up too */
    double       total = 0, sum = 0;
    int64_t      given = 0;

    for (int64_t k = 0; k < K; k++)
        total += weight ? weight[k] : 1;
    for (int64_t k = 0; k < K; k++) {
        int64_t upto;

        sum += weight ? weight[k] : 1;
        upto = k == K - 1 ? n : (int64_t)floor((double)n * (sum / total) + 0.5 + nudge);
        count[k] = upto - given;
        given = upto;
    }
}

mb_status data_cells(mb_arena *a, const char *file, const mb_data_opt *opt, mb_cells *out,
                     mb_err *err)
{
    MB_TRY(mb_cells_read(a, file, opt, out, err));
    for (int32_t k = 0; k < out->nnotes; k++)
        app_note("data", "%s", out->note[k]);
    return MB_OK;
}

mb_csv data_csv_at(const mb_cells *cells, int64_t r)
{
    mb_csv csv = cells->csv;

    csv.file = cells->files.n > 1 ? cells->files.file[cells->of[r]] : csv.file;
    return csv;
}

void data_tell(const char *out, const char *fmt, ...)
{
    va_list ap;

    if (!strncmp(out, "/dev/", 5))
        return;
    printf("%s: ", out);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

mb_status data_texts_of(mb_arena *a, const mb_csv *csv, int32_t col, int64_t n, const int64_t *row,
                        data_texts *out, mb_err *err)
{
    const char **text;

    MB_NEW(text, a, n + 1, err);
    MB_NEW(out->index, a, n + 1, err);
    for (int64_t k = 0; k < n; k++)
        text[k] = csv->cell[(row ? row[k] : k) * csv->cols + col];
    return mb_ids_index(a, csv->file, n, text, out->index, &out->text, &out->count, err);
}
