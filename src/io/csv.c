/* csv.c - CSV files as text cells (RFC 4180 with a header line), in one pass over the bytes. */
#include "io/parse.h"

#include <string.h>

/* The bytes end in a 0 and hold no other, so loops over characters stop by themselves. */
typedef struct reader {
    char       *at;
    const char *file;
    int64_t     line;
} reader;

static void skip_blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

/* At a separator or the end: steps over it and ends the cell's text at `stop`. */
static mb_status end_cell(reader *r, char *stop, int *last, mb_err *err)
{
    char c = *r->at;

    *last = c != ',';
    if (c == '\r' && r->at[1] != '\n' && r->at[1])
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: carriage return without line feed, accepted: lines ending in LF or CRLF",
                r->file, (long long)r->line);
    if (c == '\r')
        c = *++r->at;
    r->line += c == '\n';
    r->at += c != 0;
    *stop = 0;
    return MB_OK;
}

static mb_status take_quoted(reader *r, const char **text, int *last, mb_err *err)
{
    const int64_t opened = r->line;
    char         *out = ++r->at;

    *text = out;
    for (;; r->at++) {
        if (!*r->at)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: the quote that opens a cell here is never closed",
                    r->file, (long long)opened);
        if (*r->at == '"' && *++r->at != '"')
            break;
        r->line += *r->at == '\n';
        *out++ = *r->at;
    }
    skip_blanks(r);
    if (!strchr(",\r\n", *r->at)) /* finds the closing 0 too */
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: \"%c\" after a closing quote, accepted: a comma or the end of the line",
                r->file, (long long)r->line, *r->at);
    return end_cell(r, out, last, err);
}

/* *last is 1 when the cell was the last of its line. */
static mb_status take_cell(reader *r, const char **text, int *last, mb_err *err)
{
    char *stop;

    skip_blanks(r);
    if (*r->at == '"')
        return take_quoted(r, text, last, err);
    *text = r->at;
    while (*r->at && *r->at != ',' && *r->at != '\n' && *r->at != '\r')
        r->at++;
    for (stop = r->at; stop > *text && (stop[-1] == ' ' || stop[-1] == '\t');)
        stop--;
    return end_cell(r, stop, last, err);
}

static mb_status take_header(reader *r, mb_csv *out, mb_err *err)
{
    int last = 0;

    while (!last) {
        MB_TRY(take_cell(r, &out->name[out->cols], &last, err));
        if (!*out->name[out->cols++])
            MB_FAIL(err, MB_E_FORMAT, "%s:1: column %d of the header line has no name", r->file,
                    out->cols);
    }
    for (int32_t i = 1; i < out->cols; i++)
        for (int32_t j = 0; j < i; j++)
            if (!strcmp(out->name[i], out->name[j]))
                MB_FAIL(err, MB_E_FORMAT,
                        "%s:1: columns %d and %d are both called \"%.60s\", accepted: one each",
                        r->file, j + 1, i + 1, out->name[i]);
    return MB_OK;
}

static mb_status take_row(reader *r, mb_csv *out, mb_err *err)
{
    const char  **cell = out->cell + out->rows * out->cols;
    const int64_t line = r->line;
    const char   *extra;
    int32_t       count = 0;
    int           last = 0;

    for (; !last; count++)
        MB_TRY(take_cell(r, count < out->cols ? &cell[count] : &extra, &last, err));
    if (count != out->cols)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: %d cells, accepted: %d, as in the header line", r->file,
                (long long)line, count, out->cols);
    out->line[out->rows++] = line;
    return MB_OK;
}

/* Empty lines are allowed at the end only: 0, or the line of one. */
static mb_status take_rows(reader *r, mb_csv *out, mb_err *err)
{
    int64_t empty = 0;

    for (;;) {
        char *from = r->at;

        skip_blanks(r);
        if (!*r->at)
            return MB_OK;
        if (*r->at == '\n' || (*r->at == '\r' && r->at[1] == '\n')) {
            empty = empty ? empty : r->line;
            r->at += 1 + (*r->at == '\r');
            r->line++;
            continue;
        }
        if (empty)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: empty line, accepted: at the end of the file only",
                    r->file, (long long)empty);
        r->at = from;
        MB_TRY(take_row(r, out, err));
    }
}

/* Space for all cells: each needs a separator behind it, the last one the end. */
static mb_status make_space(mb_arena *a, const char *bytes, mb_csv *out, mb_err *err)
{
    size_t commas = 0, lines = 0;

    for (const char *s = bytes; *s; s++) {
        commas += *s == ',';
        lines += *s == '\n';
    }
    MB_NEW(out->name, a, commas + lines + 1, err);
    MB_NEW(out->line, a, lines + 1, err);
    return MB_OK;
}

mb_status mb_csv_parse_(mb_arena *a, const char *file, char *bytes, size_t n, mb_csv *out,
                        mb_err *err)
{
    const char *nul = memchr(bytes, 0, n);
    reader      r = {bytes, file, 1};

    memset(out, 0, sizeof *out);
    out->file = file;
    if (nul) {
        for (const char *s = bytes; s < nul; s++)
            r.line += *s == '\n';
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: a byte of value 0: not a text file (UTF-8)", file,
                (long long)r.line);
    }
    if (!strncmp(r.at, "\xEF\xBB\xBF", 3))
        r.at += 3;
    if (!r.at[strspn(r.at, " \t\r\n")])
        MB_FAIL(err, MB_E_FORMAT, "%s: empty file, accepted: a header line and rows", file);
    MB_TRY(make_space(a, r.at, out, err));
    MB_TRY(take_header(&r, out, err));
    out->cell = out->name + out->cols;
    return take_rows(&r, out, err);
}

mb_status mb_csv_read(mb_arena *a, const char *file, mb_csv *out, mb_err *err)
{
    char  *bytes, *name;
    size_t n;

    MB_TRY(mb_file_read(a, file, &bytes, &n, err));
    MB_NEW(name, a, strlen(file) + 1, err);
    memcpy(name, file, strlen(file) + 1);
    return mb_csv_parse_(a, name, bytes, n, out, err);
}

int32_t mb_csv_find(const mb_csv *c, const char *name)
{
    for (int32_t i = 0; i < c->cols; i++)
        if (!strcmp(c->name[i], name))
            return i;
    return -1;
}

mb_status mb_csv_need_(const mb_csv *c, mb_status code, const char *what, const char *name,
                       int32_t *col, mb_err *err)
{
    char   list[300];
    size_t at = 0;

    *col = mb_csv_find(c, name);
    if (*col >= 0)
        return MB_OK;
    for (int32_t i = 0; i < c->cols; i++) {
        size_t len = strlen(c->name[i]);

        if (at + len + 6 > sizeof list) {
            memcpy(list + at, ", ..", 4);
            at += 4;
            break;
        }
        memcpy(list + at, ", ", 2);
        memcpy(list + at + 2, c->name[i], len);
        at += len + 2;
    }
    list[at] = 0;
    MB_FAIL(err, code, "%s: no column \"%.60s\" (the %s), accepted: %s", c->file, name, what,
            list + 2);
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
