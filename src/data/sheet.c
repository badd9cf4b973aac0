/* sheet.c - one file of rows, front to back: records of CSV, or rows of NPY. The buffer holds 64
 * KiB, up to 4 MiB of a long file, or the longest line, whatever the file's length. */
#include "data/sheet.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { FIRST = 1 << 16, LARGE = 1 << 22, PIECES = 64, LIMIT = 1 << 26 /* bytes of a row */ };

/* Resizes the buffer to `cap` bytes. */
static mb_status make_room(mb_sheet_ *s, size_t cap, mb_err *err)
{
    char *buf = realloc(s->buf, cap);

    if (!buf)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->file, cap);
    s->buf = buf;
    s->cap = cap;
    return MB_OK;
}

static mb_status pull(mb_sheet_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
    MB_TRY(mb_source_read_(&s->src, bytes, n, got, err));
    s->pulled += *got;
    if (s->hash)
        mb_hash_more_(s->hash, bytes, *got);
    return MB_OK;
}

/* What does not come bit by bit is read in large pieces, once it is known to be long: in at least
 * PIECES of them, so that they add little to the rows. */
static size_t wanted(const mb_sheet_ *s, size_t used)
{
    const int64_t whole = s->src.size / PIECES;
    const size_t  large = s->src.gzip || whole > LARGE ? LARGE
                          : whole > FIRST              ? (size_t)whole
                                                       : FIRST;

    if (s->pulled >= FIRST && s->cap < large && (s->src.size >= 0 || s->src.gzip))
        return large;
    return used + 1 > s->cap / 2 && s->cap < LIMIT ? 2 * s->cap : s->cap;
}

/* Moves the record that is being read to the front and fills the rest of the buffer. */
static mb_status more(mb_csv_text_ *t, mb_err *err)
{
    mb_sheet_ *s = (mb_sheet_ *)(void *)t;
    size_t     used = (size_t)(t->at - t->record), got, want;

    if (used + 1 >= LIMIT)
        MB_FAIL(err, MB_E_NOSUP, "%s:%lld: a row longer than %d bytes; expected shorter ones",
                s->file, (long long)t->line, LIMIT);
    memmove(s->buf, t->record, used);
    if (wanted(s, used) > s->cap)
        MB_TRY(make_room(s, wanted(s, used), err));
    t->record = s->buf;
    t->at = s->buf + used;
    *t->at = 0;
    want = s->cap - used - 1;
    MB_TRY(pull(s, t->at, want, &got, err));
    t->at[got] = 0;
    s->end = t->at + got;
    if (got < want)
        t->more = NULL;
    return mb_csv_no_zero_(t, t->at, got, err);
}

static mb_status open_csv(mb_sheet_ *s, mb_err *err)
{
    static const char sep[] = {0, ',', ';', '\t'};
    const char      **name;

    MB_TRY(make_room(s, FIRST, err));
    *s->buf = 0;
    s->end = s->buf;
    s->text = (mb_csv_text_){.file = s->file,
                             .record = s->buf,
                             .at = s->buf,
                             .line = 1,
                             .a = s->a,
                             .sep = s->opt ? sep[s->opt->separator] : 0,
                             .header = s->opt ? (mb_header)s->opt->header : MB_HEADER_AUTO,
                             .hints = s->opt != NULL,
                             .more = more};
    MB_TRY(mb_csv_header_(&s->text, &name, err));
    s->cols = s->text.cols;
    MB_TRY(mb_texts_copy_(s->a, s->cols, name, &s->name, err));
    MB_NEW(s->cell, s->a, s->cols, err);
    return MB_OK;
}

static mb_status open_npy(mb_sheet_ *s, mb_err *err)
{
    char   lead[MB_NPY_LEAD_], *all;
    size_t got, size, rest, want;

    MB_TRY(pull(s, lead, sizeof lead, &got, err));
    MB_TRY(mb_npy_lead_(s->file, lead, got, &size, err));
    want = size > sizeof lead ? size - sizeof lead : 0;
    all = mb_larger_(s->a, lead, sizeof lead, sizeof lead + want, 1, err);
    if (!all)
        return MB_E_NOMEM;
    MB_TRY(pull(s, all + sizeof lead, want, &rest, err));
    MB_TRY(mb_npy_head_read_(s->a, s->file, all, got + rest, &s->head, err));
    if (s->list && s->head.ndim == 1) {
        s->head.ndim = 2;
        s->head.shape[1] = 1;
    }
    MB_TRY(mb_npy_shape_(s->file, s->head.ndim, s->head.shape, &s->rows, &s->cols, err));
    s->head.fortran &= s->cols > 1 && s->rows > 1;
    if ((size_t)s->cols > LIMIT / (size_t)s->head.width)
        MB_FAIL(err, MB_E_NOSUP, "%s: got rows of %d numbers; expected rows of up to %d bytes",
                s->file, s->cols, LIMIT);
    size = (size_t)s->cols * (size_t)s->head.width;
    return make_room(s, size > FIRST ? size : FIRST, err);
}

/* Replaces the file by the bytes of one of its arrays. */
static mb_status open_npz(mb_sheet_ *s, const char *member, mb_err *err)
{
    const char *array;
    char       *bytes;
    size_t      n, size;

    s->own = mb_arena_new(1 << 16);
    if (!s->own)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its arrays", s->file);
    MB_TRY(mb_source_rest_(s->own, &s->src, &bytes, &n, err));
    MB_TRY(mb_npz_member_(s->own, s->src.path, bytes, n, member, &array, &size, err));
    mb_source_close_(&s->src);
    s->src = mb_source_memory_(s->file, array, size);
    return open_npy(s, err);
}

mb_status mb_data_member(mb_arena *a, const char *path, const char **file, const char **member,
                         mb_err *err)
{
    const char *colon = strstr(path, ".npz:");

    *file = path;
    *member = NULL;
    if (!colon || access(path, F_OK) == 0)
        return MB_OK;
    *member = colon + 5;
    *file = mb_text(a, err, "%.*s", (int)(colon + 4 - path), path);
    return *file ? MB_OK : MB_E_NOMEM;
}

/* Formats of tables that are not read, with the line of pandas that makes them CSV. */
static mb_status check_other_formats(const mb_sheet_ *s, const char *file, size_t n, mb_err *err)
{
    static const struct {
        const char *ending, *magic, *name, *call;
    } format[] = {{".parquet", "PAR1", "Parquet", "read_parquet"},
                  {".feather", "ARROW1", "Feather", "read_feather"},
                  {".arrow", "ARROW1", "Arrow", "read_feather"},
                  {".xlsx", NULL, "Excel's format", "read_excel"},
                  {".ods", NULL, "OpenDocument", "read_excel"}};

    for (size_t k = 0; k < sizeof format / sizeof *format; k++) {
        const char  *magic = format[k].magic;
        const size_t len = magic ? strlen(magic) : 0;

        if (mb_path_ends(file, format[k].ending) ||
            (magic && n >= len && !memcmp(s->src.ahead, magic, len)))
            MB_FAIL(err, MB_E_NOSUP,
                    "%.140s: %s is not read; expected CSV, NPY or NPZ: in Python, "
                    "pandas.%s(\"%.140s\").to_csv(\"rows.csv\", index=False)",
                    s->file, format[k].name, format[k].call, file);
    }
    return MB_OK;
}

/* The ending of the name says the format, or else the first bytes do. */
static mb_status open_any(mb_sheet_ *s, const char *path, mb_err *err)
{
    const char *file, *member;
    size_t      n;

    MB_TRY(mb_data_member(s->a, path, &file, &member, err));
    if (!strcmp(path, "-"))
        MB_TRY(mb_source_stdin_(s->file, &s->src, err));
    else
        MB_TRY(mb_source_open_(file, &s->src, err));
    MB_TRY(mb_source_peek_(&s->src, &n, err));
    MB_TRY(check_other_formats(s, file, n, err));
    if (member || mb_path_ends(file, ".npz") || (n >= 4 && !memcmp(s->src.ahead, "PK\3\4", 4)))
        return open_npz(s, member, err);
    if (mb_path_ends(file, ".npy") ||
        (n >= MB_NPY_MAGIC_LEN_ && !memcmp(s->src.ahead, MB_NPY_MAGIC_, MB_NPY_MAGIC_LEN_)))
        return open_npy(s, err);
    return open_csv(s, err);
}

mb_status mb_sheet_open_(mb_arena *a, const char *path, const mb_data_opt *opt, int list,
                         mb_hash_ *hash, mb_sheet_ *out, mb_err *err)
{
    mb_status st;

    *out = (mb_sheet_){.a = a, .opt = opt, .list = list, .hash = hash};
    out->file = mb_text(a, err, "%s", strcmp(path, "-") ? path : "standard input");
    st = out->file ? open_any(out, path, err) : MB_E_NOMEM;
    if (st < 0)
        mb_sheet_close_(out);
    return st;
}

mb_status mb_sheet_row_(mb_sheet_ *s, mb_err *err)
{
    MB_TRY(mb_csv_row_(&s->text, s->cell, &s->line, err));
    if (!s->line && !s->done)
        return mb_no_rows_(s->file, err);
    s->done += s->line != 0;
    return MB_OK;
}

int64_t mb_sheet_left_(const mb_sheet_ *s)
{
    const double ahead = s->name ? (double)strlen(s->text.at) : 0;
    const double used = (double)s->pulled - ahead;

    if (!s->name)
        return s->rows - s->done;
    if (s->src.size < 0 || s->done < 1 || (double)s->src.size <= used)
        return 0;
    return (int64_t)(1.03 * ((double)s->src.size - used) * (double)s->done / used) + 1000;
}

int mb_cell_missing(const char *text)
{
    static const char *const none[] = {"",    "?",    "na",   "n/a", "#n/a", "<na>",
                                       "nan", "null", "none", "-",   "."};

    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        if (!strcasecmp(text, none[k]))
            return 1;
    return 0;
}

/* 1 when commas stand between thousands: "1,234", "-12,345.6". */
static int has_thousands(const char *text)
{
    const char  *s = text + strspn(text, "+-");
    const size_t lead = strspn(s, "0123456789");
    int          groups = 0;

    if (lead < 1 || lead > 3)
        return 0;
    for (s += lead; *s == ','; s += 4, groups++)
        if (strspn(s + 1, "0123456789") != 3)
            return 0;
    return groups > 0 && (!*s || *s == '.');
}

/* "1,234" -> "1234", cut where there is no room. */
static const char *without_commas(const char *text, char *out, size_t cap)
{
    size_t n = 0;

    for (; *text && n + 1 < cap; text++)
        if (*text != ',')
            out[n++] = *text;
    out[n] = 0;
    return out;
}

/* "inf", "nan" and the like: of a column of numbers. */
static int is_infinite(const char *text)
{
    char        *end;
    const double x = strtod(text, &end);

    return end > text && !*end && !isfinite(x);
}

/* What may help against a cell that is not a number. */
static void hint(const mb_sheet_ *s, int32_t col, int missing, char *out, size_t cap)
{
    const char *text = s->cell[col], *name = s->name[col];
    char        plain[32];
    double      x;

    *out = 0;
    if (!s->opt)
        return;
    if (missing)
        snprintf(out, cap, "; --missing drop leaves such rows out");
    else if (has_thousands(text) && (s->text.sep == ',' || mb_parse_decimal_(text, &x)))
        snprintf(out, cap, "; commas between thousands are not read: expected %s",
                 without_commas(text, plain, sizeof plain));
    else if (is_infinite(text))
        return;
    else if (!mb_parse_decimal_(text, &x))
        snprintf(out, cap, "; decimal commas are read with --separator '%s'",
                 s->text.sep == '\t' ? "tab" : ";");
    else if (*s->cell[0] == '#')
        snprintf(out, cap, MB_CSV_COMMENTS_);
    else if (s->cols == 1 && strchr(text, ' '))
        snprintf(out, cap, MB_CSV_BLANKS_);
    else
        snprintf(out, cap,
                 "; a column of text cannot be a feature: --drop %.60s leaves it out, "
                 "--label-column %.60s makes it the class",
                 name, name);
}

static mb_status no_number(const mb_sheet_ *s, int32_t col, int missing, mb_err *err)
{
    const char *text = s->cell[col];
    char        help[256];

    hint(s, col, missing, help, sizeof help);
    MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": \"%.60s\" is not a finite number%s%s",
            s->file, (long long)s->line, s->name[col], text, *text ? "" : ": the cell is missing",
            help);
}

/* Where commas may be decimal: one file has either commas or points. */
static mb_status with_comma(mb_sheet_ *s, int32_t col, double *out, int *bad, mb_err *err)
{
    const char *text = s->cell[col];
    const int   comma = strchr(text, ',') != NULL, point = strchr(text, '.') != NULL;

    *bad = mb_parse_decimal_(text, out);
    if (*bad)
        return MB_OK;
    if (comma && !s->comma)
        s->comma = s->line;
    if (point && !s->point)
        s->point = s->line;
    if ((comma && s->point) || (point && s->comma))
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: column \"%.60s\": \"%.60s\" has a decimal %s, but line %lld has decimal "
                "%ss; expected one of the two",
                s->file, (long long)s->line, s->name[col], text, comma ? "comma" : "point",
                (long long)(comma ? s->point : s->comma), comma ? "point" : "comma");
    return MB_OK;
}

mb_status mb_sheet_text_(mb_sheet_ *s, int32_t col, int *missing, mb_err *err)
{
    char  *comma = (char *)(uintptr_t)strchr(s->cell[col], ','); /* in s->buf */
    double x;
    int    bad = 1;

    *missing = mb_cell_missing(s->cell[col]);
    if (s->opt && s->opt->separator > MB_SEPARATOR_COMMA)
        MB_TRY(with_comma(s, col, &x, &bad, err));
    if (!bad && comma)
        *comma = '.';
    return MB_OK;
}

mb_status mb_sheet_number_(mb_sheet_ *s, int32_t col, double most, int gap, double *out,
                           int *missing, mb_err *err)
{
    int bad;

    *missing = 0;
    if (s->opt && s->opt->separator > MB_SEPARATOR_COMMA)
        MB_TRY(with_comma(s, col, out, &bad, err));
    else
        bad = mb_parse_double(s->cell[col], out);
    if (bad) {
        *missing = mb_cell_missing(s->cell[col]);
        if (*missing && gap) {
            *out = (double)NAN;
            *missing = 0;
            return MB_OK;
        }
        if (*missing && s->opt && s->opt->missing == MB_MISSING_DROP)
            return MB_OK;
        return no_number(s, col, *missing, err);
    }
    if (!(fabs(*out) <= most))
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: column \"%.60s\": %.60s is too large; expected numbers up to %g in "
                "magnitude",
                s->file, (long long)s->line, s->name[col], s->cell[col], most);
    return MB_OK;
}

/* After the last number the file must end. */
static mb_status check_end(mb_sheet_ *s, mb_err *err)
{
    size_t bytes = s->head.count * (size_t)s->head.width, got;
    char   rest[4096];

    do {
        MB_TRY(pull(s, rest, sizeof rest, &got, err));
        bytes += got;
    } while (got == sizeof rest);
    return mb_npy_exact_(s->file, &s->head, bytes, err);
}

/* The next `size` bytes to the front of the buffer. */
static mb_status fill(mb_sheet_ *s, size_t size, mb_err *err)
{
    const size_t row = (size_t)s->head.width * (size_t)s->cols;
    size_t       got;

    MB_TRY(pull(s, s->buf, size, &got, err));
    if (got < size)
        return mb_npy_exact_(s->file, &s->head, (size_t)s->done * row + got, err);
    return MB_OK;
}

/* Column by column, so that the last row needs all bytes. A shape may promise more than there is:
 * the buffer grows with what has come. */
static mb_status fill_all(mb_sheet_ *s, mb_err *err)
{
    const size_t size = s->head.count * (size_t)s->head.width;
    size_t       used = 0, got;

    for (size_t want; used < size; used += got) {
        want = size - used < s->cap - used ? size - used : s->cap - used;
        MB_TRY(pull(s, s->buf + used, want, &got, err));
        if (got < want)
            return mb_npy_exact_(s->file, &s->head, used + got, err);
        if (used + got == s->cap && s->cap < size)
            MB_TRY(make_room(s, 2 * s->cap, err));
    }
    return MB_OK;
}

mb_status mb_sheet_block_(mb_sheet_ *s, int64_t max, mb_block_ *out, mb_err *err)
{
    const size_t width = (size_t)s->head.width, row = width * (size_t)s->cols;
    const size_t fit = s->cap / row;
    int64_t      n = max < s->rows - s->done ? max : s->rows - s->done;

    *out = (mb_block_){.bytes = s->buf, .row_step = row, .col_step = width};
    if (s->head.fortran) {
        if (!s->done)
            MB_TRY(fill_all(s, err));
        *out = (mb_block_){.bytes = s->buf + (size_t)s->done * width,
                           .row_step = width,
                           .col_step = width * (size_t)s->rows};
    } else {
        n = (uint64_t)n < fit ? n : (int64_t)fit;
        MB_TRY(fill(s, (size_t)n * row, err));
    }
    out->n = n;
    s->done += n;
    return s->done < s->rows || !n ? MB_OK : check_end(s, err);
}

void mb_sheet_close_(mb_sheet_ *s)
{
    mb_source_close_(&s->src);
    mb_arena_free(s->own);
    free(s->buf);
    s->buf = NULL;
    s->own = NULL;
}
