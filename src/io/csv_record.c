/* csv_record.c - records of CSV text (RFC 4180): cells, quotes, ends of lines. */
#include "io/parse.h"

#include <string.h>

/* The character at `at`, 0 only at the end of the file. */
static mb_status look(mb_csv_text_ *t, char *c, mb_err *err)
{
    if (!*t->at && t->more)
        MB_TRY(t->more(t, err));
    *c = *t->at;
    return MB_OK;
}

static mb_status skip_blanks(mb_csv_text_ *t, char *c, mb_err *err)
{
    for (;; t->at++) {
        MB_TRY(look(t, c, err));
        if (*c != ' ' && *c != '\t')
            return MB_OK;
    }
}

/* At a separator or the end: steps over it and ends the cell's text at `stop`. */
static mb_status end_cell(mb_csv_text_ *t, size_t stop, int *last, mb_err *err)
{
    char c = *t->at;

    *last = c != ',';
    if (c == '\r') {
        t->at++;
        MB_TRY(look(t, &c, err));
        if (c && c != '\n')
            MB_FAIL(err, MB_E_FORMAT,
                    "%s:%lld: carriage return without line feed, accepted: lines ending in LF or "
                    "CRLF",
                    t->file, (long long)t->line);
    }
    t->line += c == '\n';
    t->at += c != 0;
    t->record[stop] = 0;
    return MB_OK;
}

/* At the opening quote. */
static mb_status take_quoted(mb_csv_text_ *t, size_t *text, int *last, mb_err *err)
{
    const int64_t opened = t->line;
    size_t        out = (size_t)(++t->at - t->record);
    char          c;

    *text = out;
    for (;; t->at++) {
        MB_TRY(look(t, &c, err));
        if (!c)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: the quote that opens a cell here is never closed",
                    t->file, (long long)opened);
        if (c == '"') {
            t->at++;
            MB_TRY(look(t, &c, err));
            if (c != '"')
                break;
        }
        t->line += c == '\n';
        t->record[out++] = c;
    }
    MB_TRY(skip_blanks(t, &c, err));
    if (!strchr(",\r\n", c)) /* finds the closing 0 too */
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: \"%c\" after a closing quote, accepted: a comma or the end of the line",
                t->file, (long long)t->line, c);
    return end_cell(t, out, last, err);
}

/* *last is 1 when the cell was the last of its line. */
static mb_status take_cell(mb_csv_text_ *t, size_t *text, int *last, mb_err *err)
{
    size_t stop;
    char   c;

    MB_TRY(skip_blanks(t, &c, err));
    if (c == '"')
        return take_quoted(t, text, last, err);
    *text = (size_t)(t->at - t->record);
    do {
        while (*t->at && *t->at != ',' && *t->at != '\n' && *t->at != '\r')
            t->at++;
        MB_TRY(look(t, &c, err));
    } while (c && c != ',' && c != '\n' && c != '\r');
    for (stop = (size_t)(t->at - t->record); stop > *text; stop--)
        if (t->record[stop - 1] != ' ' && t->record[stop - 1] != '\t')
            break;
    return end_cell(t, stop, last, err);
}

static mb_status more_cells(mb_csv_text_ *t, mb_err *err)
{
    t->cap = t->cap ? 2 * t->cap : 32;
    t->cell = mb_larger_(t->a, t->cell, (size_t)t->count, (size_t)t->cap, sizeof *t->cell, err);
    return t->cell ? MB_OK : MB_E_NOMEM;
}

/* All cells of a record; of a row only the first `cols` are kept. */
static mb_status take_record(mb_csv_text_ *t, mb_err *err)
{
    size_t extra;
    int    last = 0;

    for (t->count = 0; !last; t->count++) {
        if (!t->cols && t->count == t->cap)
            MB_TRY(more_cells(t, err));
        MB_TRY(take_cell(t, t->count < t->cap ? &t->cell[t->count] : &extra, &last, err));
    }
    return MB_OK;
}

mb_status mb_csv_no_zero_(const mb_csv_text_ *t, const char *bytes, size_t n, mb_err *err)
{
    const char *zero = memchr(bytes, 0, n);
    int64_t     line = t->line;

    if (!zero)
        return MB_OK;
    for (const char *s = bytes; s < zero; s++)
        line += *s == '\n';
    MB_FAIL(err, MB_E_FORMAT, "%s:%lld: a byte of value 0: not a text file (UTF-8)", t->file,
            (long long)line);
}

static mb_status check_names(const mb_csv_text_ *t, const char *const *name, mb_err *err)
{
    int32_t first, second;

    for (int32_t i = 0; i < t->cols; i++)
        if (!*name[i])
            MB_FAIL(err, MB_E_FORMAT, "%s:1: column %d of the header line has no name", t->file,
                    i + 1);
    MB_TRY(mb_texts_twice_(t->a, t->cols, name, &first, &second, err));
    if (second >= 0)
        MB_FAIL(err, MB_E_FORMAT,
                "%s:1: columns %d and %d are both called \"%.60s\", accepted: one each", t->file,
                first + 1, second + 1, name[second]);
    return MB_OK;
}

mb_status mb_csv_header_(mb_csv_text_ *t, const char ***name, mb_err *err)
{
    char c;

    t->record = t->at;
    MB_TRY(look(t, &c, err));
    if (!strncmp(t->at, "\xEF\xBB\xBF", 3))
        t->record = t->at += 3;
    if (!t->more && !t->at[strspn(t->at, " \t\r\n")])
        MB_FAIL(err, MB_E_FORMAT, "%s: empty file, accepted: a header line and rows", t->file);
    MB_TRY(take_record(t, err));
    if (t->count > INT32_MAX)
        MB_FAIL(err, MB_E_NOSUP, "%s:1: %lld columns, accepted: up to %d", t->file,
                (long long)t->count, INT32_MAX);
    t->cols = (int32_t)t->count;
    MB_NEW(*name, t->a, t->cols, err);
    for (int32_t i = 0; i < t->cols; i++)
        (*name)[i] = t->record + t->cell[i];
    return check_names(t, *name, err);
}

/* A record of one empty cell without quotes. */
static int is_empty(const mb_csv_text_ *t)
{
    const char *cell = t->record + *t->cell;

    return t->count == 1 && !*cell && (cell == t->record || cell[-1] != '"');
}

mb_status mb_csv_row_(mb_csv_text_ *t, const char **cell, int64_t *line, mb_err *err)
{
    int64_t empty = 0;
    char    c;

    for (;; empty = empty ? empty : *line) {
        *line = 0;
        t->record = t->at;
        MB_TRY(look(t, &c, err));
        if (!c)
            return MB_OK;
        *line = t->line;
        MB_TRY(take_record(t, err));
        if (!is_empty(t))
            break;
    }
    if (empty)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: empty line, accepted: at the end of the file only",
                t->file, (long long)empty);
    if (t->count != t->cols)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: %lld cells, accepted: %d, as in the header line",
                t->file, (long long)*line, (long long)t->count, t->cols);
    for (int32_t k = 0; k < t->cols; k++)
        cell[k] = t->record + t->cell[k];
    return MB_OK;
}
