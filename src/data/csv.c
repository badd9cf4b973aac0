/* csv.c - CSV text (RFC 4180): records of cells, whole files, columns by name, cells as numbers,
 * cells written. */
#include "base/format.h"
#include "base/text.h"
#include "data/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The character at `at`; 0 only at the end of the file. */
static mb_status look(mb_csv_text_ *t, char *c, mb_err *err)
{
    if (!*t->at && t->more)
        MB_TRY(t->more(t, err));
    *c = *t->at;
    return MB_OK;
}

/* A tab that separates cells is no blank. */
static int is_blank(const mb_csv_text_ *t, char c)
{
    return c == ' ' || (c == '\t' && t->sep != '\t');
}

static mb_status skip_blanks(mb_csv_text_ *t, char *c, mb_err *err)
{
    for (;; t->at++) {
        MB_TRY(look(t, c, err));
        if (!is_blank(t, *c))
            return MB_OK;
    }
}

/* At a separator or the end: skips it and ends the cell's text at `stop`. */
static mb_status end_cell(mb_csv_text_ *t, size_t stop, int *last, mb_err *err)
{
    char c = *t->at;

    *last = c != t->sep;
    if (c == '\r') {
        t->at++;
        MB_TRY(look(t, &c, err));
        if (c && c != '\n')
            MB_FAIL(err, MB_E_FORMAT,
                    "%s:%lld: carriage return without line feed; expected lines ending in LF or "
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
    if (c != t->sep && !strchr("\r\n", c)) /* finds the closing 0 too */
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: \"%c\" after a closing quote; expected a %s or the end of the line%s",
                t->file, (long long)t->line, c, mb_csv_separator_name_(t->sep),
                t->hints && t->cols <= 1 ? MB_CSV_BLANKS_ : "");
    return end_cell(t, out, last, err);
}

/* *last is 1 when the cell was the last of its line. */
static mb_status take_cell(mb_csv_text_ *t, size_t *text, int *last, mb_err *err)
{
    const char sep = t->sep;
    size_t     stop;
    char       c;

    MB_TRY(skip_blanks(t, &c, err));
    if (c == '"')
        return take_quoted(t, text, last, err);
    *text = (size_t)(t->at - t->record);
    do {
        while (*t->at && *t->at != sep && *t->at != '\n' && *t->at != '\r')
            t->at++;
        MB_TRY(look(t, &c, err));
    } while (c && c != sep && c != '\n' && c != '\r');
    for (stop = (size_t)(t->at - t->record); stop > *text; stop--)
        if (!is_blank(t, t->record[stop - 1]))
            break;
    return end_cell(t, stop, last, err);
}

static mb_status more_cells(mb_csv_text_ *t, mb_err *err)
{
    t->cap = t->cap ? 2 * t->cap : 32;
    t->cell = mb_larger_(t->a, t->cell, (size_t)t->count, (size_t)t->cap, sizeof *t->cell, err);
    return t->cell ? MB_OK : MB_E_NOMEM;
}

/* Finds all cells of a record, but stores only as many as the header has. */
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

static mb_status check_names(mb_csv_text_ *t, const char **name, mb_err *err)
{
    int32_t first, second;

    t->row_names = t->hints && t->cols > 1 && !*name[0];
    if (t->row_names)
        name[0] = MB_ROW_NAMES_;
    for (int32_t i = 0; i < t->cols; i++)
        if (!*name[i])
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column %d of the header line has no name%s",
                    t->file, (long long)t->top, i + 1,
                    t->hints ? "; expected one, but for row names in the first column" : "");
    MB_TRY(mb_texts_twice_(t->a, t->cols, name, &first, &second, err));
    if (second >= 0)
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: columns %d and %d are both called \"%.60s\"; expected one each", t->file,
                (long long)t->top, first + 1, second + 1, name[second]);
    return MB_OK;
}

/* 1 when the first line is a row: numbers, or empty cells beside them. */
static int is_numbers(const mb_csv_text_ *t)
{
    int32_t numbers = 0;
    double  x;

    for (int32_t k = 0; k < t->cols; k++) {
        const char *text = t->record + t->cell[k];
        const int   number = !mb_parse_decimal_(text, &x);

        if (*text && !number)
            return 0;
        numbers += number;
    }
    return numbers > 0;
}

/* The names in the first line; a first line of numbers is a row of a file without names. */
static mb_status take_names(mb_csv_text_ *t, const char ***name, mb_err *err)
{
    if (t->header == MB_HEADER_NONE) {
        t->pending = 1;
        return mb_numbered_(t->a, "x", t->cols, name, err);
    }
    if (t->header == MB_HEADER_AUTO && is_numbers(t))
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: the first line is numbers (\"%.20s\" ..); expected the names of the "
                "columns: add such a line%s",
                t->file, (long long)t->top, t->record + t->cell[0],
                t->hints ? ", or say --header none (--header first if these are the names)" : "");
    MB_NEW(*name, t->a, t->cols, err);
    for (int32_t i = 0; i < t->cols; i++)
        (*name)[i] = t->record + t->cell[i];
    return check_names(t, *name, err);
}

static mb_status skip_line(mb_csv_text_ *t, mb_err *err)
{
    char c = 0;

    for (; c != '\n'; t->at++) {
        MB_TRY(look(t, &c, err));
        if (!c)
            break;
    }
    t->line++;
    t->record = t->at;
    return look(t, &c, err);
}

/* "sep=;", which Excel reads and writes as a first line. */
static mb_status take_excel_line(mb_csv_text_ *t, mb_err *err)
{
    const int   quoted = *t->at == '"';
    const char *s = t->at + quoted, sep = strncmp(s, "sep=", 4) ? 0 : s[4];

    if (!sep || (quoted && s[5] != '"') || !strchr("\r\n", s[5 + quoted]))
        return MB_OK;
    if (!strchr(",;\t", sep))
        MB_FAIL(err, MB_E_FORMAT,
                "%s:1: \"sep=%c\": expected a comma, a semicolon or a tab between cells", t->file,
                sep);
    if (!t->sep)
        t->sep = sep;
    return skip_line(t, err);
}

/* Lines above the header line that are comments. --header first: there are none. */
static mb_status skip_comments(mb_csv_text_ *t, mb_err *err)
{
    int comment = 1;

    while (*t->at == '#' && comment && t->header != MB_HEADER_FIRST) {
        comment = t->header == MB_HEADER_NONE ? 1 : mb_csv_is_comment_(t);
        if (comment < 0)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s:%lld: begins with # and has as many cells as the next line: names of the "
                    "columns (--header first), or a comment (to be removed)",
                    t->file, (long long)t->line);
        if (comment)
            MB_TRY(skip_line(t, err));
    }
    return MB_OK;
}

mb_status mb_csv_header_(mb_csv_text_ *t, const char ***name, mb_err *err)
{
    char c;

    t->record = t->at;
    MB_TRY(look(t, &c, err));
    if (!strncmp(t->at, "\xEF\xBB\xBF", 3))
        t->record = t->at += 3;
    MB_TRY(take_excel_line(t, err));
    MB_TRY(skip_comments(t, err));
    t->top = t->line;
    if (!t->more && !t->at[strspn(t->at, " \t\r\n")])
        MB_FAIL(err, MB_E_FORMAT, "%s: empty file; expected a header line and rows", t->file);
    t->guessed = !t->sep;
    if (!t->sep)
        t->sep = mb_csv_separator_(t);
    MB_TRY(take_record(t, err));
    if (t->count > INT32_MAX)
        MB_FAIL(err, MB_E_NOSUP, "%s:%lld: got %lld columns; expected up to %d", t->file,
                (long long)t->top, (long long)t->count, INT32_MAX);
    t->cols = (int32_t)t->count;
    return take_names(t, name, err);
}

/* A record of one empty cell without quotes. */
static int is_empty(const mb_csv_text_ *t)
{
    const char *cell = t->record + *t->cell;

    return t->count == 1 && !*cell && (cell == t->record || cell[-1] != '"');
}

/* What may help against a row of another number of cells than the header line. */
static const char *count_hint(const mb_csv_text_ *t, int64_t line)
{
    if (t->hints && *t->record == '#')
        return MB_CSV_COMMENTS_;
    if (t->hints && line == t->top + 1 && t->count == t->cols + 1)
        return "; R's write.table needs col.names = NA for row names";
    return "";
}

mb_status mb_csv_row_(mb_csv_text_ *t, const char **cell, int64_t *line, mb_err *err)
{
    int64_t empty = 0;
    char    c;

    for (; !t->pending; empty = empty ? empty : *line) {
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
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: empty line; expected at the end of the file only",
                t->file, (long long)empty);
    if (t->count != t->cols)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: got %lld cells; expected %d, as in the header line%s",
                t->file, (long long)*line, (long long)t->count, t->cols, count_hint(t, *line));
    *line = t->pending ? t->top : *line;
    t->pending = 0;
    for (int32_t k = 0; k < t->cols; k++)
        cell[k] = t->record + t->cell[k];
    return MB_OK;
}

/* Space for all cells: a separator follows each, the end of the file the last one. */
static mb_status make_space(mb_arena *a, const char *bytes, char sep, mb_csv *out, mb_err *err)
{
    size_t commas = 0, lines = 0;

    for (const char *s = bytes; *s; s++) {
        commas += *s == sep;
        lines += *s == '\n';
    }
    MB_NEW(out->cell, a, commas + lines + 1, err);
    MB_NEW(out->line, a, lines + 1, err);
    return MB_OK;
}

mb_status mb_csv_parse(mb_arena *a, const char *file, char *bytes, size_t n, mb_csv *out,
                       mb_err *err)
{
    mb_csv_text_ t = {.file = file, .at = bytes, .line = 1, .a = a, .header = MB_HEADER_FIRST};
    int64_t      line;

    memset(out, 0, sizeof *out);
    out->file = file;
    MB_TRY(mb_csv_no_zero_(&t, bytes, n, err));
    MB_TRY(mb_csv_header_(&t, &out->name, err));
    out->cols = t.cols;
    out->separator = t.sep;
    MB_TRY(make_space(a, t.at, t.sep, out, err));
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
    return mb_csv_parse(a, name, bytes, n, out, err);
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
    MB_FAIL(err, code, "%s: no column \"%.60s\" (the %s); expected %s", c->file, name, what, list);
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
                "%s:%lld: column \"%.60s\": %.60s is too large; expected numbers up to %g in "
                "magnitude",
                c->file, (long long)c->line[row], c->name[col], c->cell[row * c->cols + col], most);
    return MB_OK;
}

mb_status mb_csv_integer(const mb_csv *c, int64_t row, int32_t col, int64_t lo, int64_t hi,
                         int64_t *out, mb_err *err)
{
    const char *text = c->cell[row * c->cols + col];

    if (mb_parse_integer_(text, out) || *out < lo || *out > hi)
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: column \"%.60s\": got \"%.60s\"; expected an integer from %lld to %lld",
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
