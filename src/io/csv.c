/* csv.c - CSV files as text cells: whole files, columns by name, cells as numbers, cells out. */
#include "io/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Space for all cells: each needs a separator behind it, the last one the end. */
static mb_status make_space(mb_arena *a, const char *bytes, mb_csv *out, mb_err *err)
{
    size_t commas = 0, lines = 0;

    for (const char *s = bytes; *s; s++) {
        commas += *s == ',';
        lines += *s == '\n';
    }
    MB_NEW(out->cell, a, commas + lines + 1, err);
    MB_NEW(out->line, a, lines + 1, err);
    return MB_OK;
}

mb_status mb_csv_parse_(mb_arena *a, const char *file, char *bytes, size_t n, mb_csv *out,
                        mb_err *err)
{
    mb_csv_text_ t = {.file = file, .at = bytes, .line = 1, .a = a};
    int64_t      line;

    memset(out, 0, sizeof *out);
    out->file = file;
    MB_TRY(mb_csv_no_zero_(&t, bytes, n, err));
    MB_TRY(mb_csv_header_(&t, &out->name, err));
    out->cols = t.cols;
    MB_TRY(make_space(a, t.at, out, err));
    for (;;) {
        MB_TRY(mb_csv_row_(&t, out->cell + out->rows * out->cols, &line, err));
        if (!line)
            return MB_OK;
        out->line[out->rows++] = line;
    }
}

mb_status mb_csv_read(mb_arena *a, const char *file, mb_csv *out, mb_err *err)
{
    const char *name = mb_text(a, err, "%s", file);
    char       *bytes;
    size_t      n;

    if (!name)
        return MB_E_NOMEM;
    MB_TRY(mb_file_read(a, file, &bytes, &n, err));
    return mb_csv_parse_(a, name, bytes, n, out, err);
}

mb_status mb_no_rows_(const char *file, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: no rows below the header line", file);
}

int32_t mb_csv_find(const mb_csv *c, const char *name)
{
    for (int32_t i = 0; i < c->cols; i++)
        if (!strcmp(c->name[i], name))
            return i;
    return -1;
}

void mb_list_add_(char *list, size_t cap, const char *name)
{
    const size_t at = strlen(list);

    if (at < 2 || strcmp(list + at - 2, "..") != 0)
        snprintf(list + at, cap - at, "%s%s", at ? ", " : "",
                 at + strlen(name) + 8 < cap ? name : "..");
}

mb_status mb_csv_need_(const mb_csv *c, mb_status code, const char *what, const char *name,
                       int32_t *col, mb_err *err)
{
    char list[300] = "";

    *col = mb_csv_find(c, name);
    if (*col >= 0)
        return MB_OK;
    for (int32_t i = 0; i < c->cols; i++)
        mb_list_add_(list, sizeof list, c->name[i]);
    MB_FAIL(err, code, "%s: no column \"%.60s\" (the %s), accepted: %s", c->file, name, what, list);
}

mb_status mb_csv_filled_(const mb_csv *c, int64_t row, int32_t col, mb_err *err)
{
    if (!*c->cell[row * c->cols + col])
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": the cell is empty", c->file,
                (long long)c->line[row], c->name[col]);
    return MB_OK;
}

mb_status mb_csv_number(const mb_csv *c, int64_t row, int32_t col, double *out, mb_err *err)
{
    const char *text = c->cell[row * c->cols + col];

    if (mb_parse_double(text, out))
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": \"%.60s\" is not a finite number%s",
                c->file, (long long)c->line[row], c->name[col], text,
                *text ? "" : ": the cell is missing");
    return MB_OK;
}

mb_status mb_csv_bounded(const mb_csv *c, int64_t row, int32_t col, double most, double *out,
                         mb_err *err)
{
    MB_TRY(mb_csv_number(c, row, col, out, err));
    if (fabs(*out) > most)
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: column \"%.60s\": %.60s is too large, accepted: numbers up to %g in "
                "magnitude",
                c->file, (long long)c->line[row], c->name[col], c->cell[row * c->cols + col], most);
    return MB_OK;
}

mb_status mb_csv_integer(const mb_csv *c, int64_t row, int32_t col, int64_t lo, int64_t hi,
                         int64_t *out, mb_err *err)
{
    const char *text = c->cell[row * c->cols + col];

    if (mb_parse_integer_(text, out) || *out < lo || *out > hi)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s:%lld: column \"%.60s\": \"%.60s\" is not accepted: an integer from %lld to %lld",
            c->file, (long long)c->line[row], c->name[col], text, (long long)lo, (long long)hi);
    return MB_OK;
}

mb_status mb_csv_put(mb_file *f, const char *text, mb_err *err)
{
    size_t len = strlen(text);

    if (!len ||
        (!strpbrk(text, ",\"\r\n") && !strchr(" \t", text[0]) && !strchr(" \t", text[len - 1])))
        return mb_file_write(f, text, len, err);
    MB_TRY(mb_file_write(f, "\"", 1, err));
    for (size_t k = 0; k < len; k++)
        MB_TRY(mb_file_write(f, text[k] == '"' ? "\"\"" : &text[k], text[k] == '"' ? 2 : 1, err));
    return mb_file_write(f, "\"", 1, err);
}
