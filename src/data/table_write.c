/* table_write.c - rows of numbers into CSV or NPY, in constant memory. */
#include "base/format.h"
#include "data/file.h"
#include "data/parse.h"
#include "data/table.h"

#include <math.h>
#include <string.h>

enum { CELL = 26 }; /* "-1.2345678901234567e-308," and more */

typedef struct sink {
    mb_file file;
    int     npy;
    int64_t shape[3];
    char   *line; /* room for one row of CSV */
} sink;

/* An unknown number of rows is written into the head at the end; a file in which that is impossible
 * is refused now. */
static mb_status begin_npy(const mb_writer *t, sink *s, mb_err *err)
{
    const int counted = t->shape[0] < 0;

    memcpy(s->shape, t->shape, sizeof s->shape);
    if (counted)
        s->shape[0] = 0;
    MB_TRY(mb_npy_begin(&s->file, t->ndim, s->shape, err));
    return counted ? mb_npy_end(&s->file, t->ndim, s->shape, err) : MB_OK;
}

static mb_status begin(mb_arena *a, const mb_writer *t, sink *s, mb_err *err)
{
    s->npy = mb_path_ends(t->path, ".npy");
    MB_NEW(s->line, a, (size_t)t->columns * CELL, err);
    MB_TRY(mb_file_open(a, t->path, &s->file, err));
    if (s->npy)
        return begin_npy(t, s, err);
    for (int32_t d = 0; d < t->leads + t->columns; d++) {
        MB_TRY(mb_file_write(&s->file, ",", d > 0, err));
        MB_TRY(mb_csv_put(&s->file, d < t->leads ? t->lead_name[d] : t->name[d - t->leads], err));
    }
    return mb_file_write(&s->file, "\n", 1, err);
}

/* The numbers of a row of CSV; those that texts stand for are written as these, and what there is not
 * is an empty cell. */
static mb_status put_numbers(const mb_writer *t, sink *s, const double *x, mb_err *err)
{
    size_t len = 0;

    for (int32_t d = 0; d < t->columns; d++) {
        const char  end = d + 1 < t->columns ? ',' : '\n';
        const char *text = t->text ? t->text(t->self, d, x[d]) : NULL;

        if (!text) {
            len += isnan(x[d]) ? 0 : mb_number_text_(x[d], s->line + len);
            s->line[len++] = end;
            continue;
        }
        MB_TRY(mb_file_write(&s->file, s->line, len, err));
        MB_TRY(mb_csv_put(&s->file, text, err));
        len = (size_t)mb_format_(s->line, CELL, "%c", end);
    }
    return mb_file_write(&s->file, s->line, len, err);
}

static mb_status put(const mb_writer *t, sink *s, int64_t n, const double *x, mb_err *err)
{
    if (s->npy)
        return mb_npy_put(&s->file, (size_t)n * (size_t)t->columns, x, err);
    for (int64_t r = 0; r < n; r++) {
        for (int32_t k = 0; k < t->leads; k++) {
            MB_TRY(mb_csv_put(&s->file, t->lead(t->self, r, k), err));
            MB_TRY(mb_file_write(&s->file, ",", 1, err));
        }
        MB_TRY(put_numbers(t, s, x + r * t->columns, err));
    }
    return MB_OK;
}

static mb_status put_all(mb_arena *a, const mb_writer *t, sink *s, mb_err *err)
{
    int64_t rows = 0, n;
    double *x;

    MB_NEW(x, a, (size_t)t->batch * (size_t)t->columns, err);
    for (;;) {
        MB_TRY(t->next(t->self, x, &n, err));
        if (!n)
            break;
        if (t->path && !rows)
            MB_TRY(begin(a, t, s, err));
        if (t->path)
            MB_TRY(put(t, s, n, x, err));
        rows += n;
    }
    if (!s->npy || t->shape[0] >= 0)
        return MB_OK;
    s->shape[0] = rows;
    return mb_npy_end(&s->file, t->ndim, s->shape, err);
}

mb_status mb_writer_run(mb_arena *a, const mb_writer *t, mb_err *err)
{
    sink            s = {.npy = 0};
    const mb_status st = put_all(a, t, &s, err);

    return s.file.fp ? mb_file_close(&s.file, st, err) : st;
}
