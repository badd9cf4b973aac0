/* reader.c - numeric rows of a CSV or NPY file, batch by batch or as a matrix: the buffer holds
 * 64 KiB or the longest line, whatever the file's length. */
#include "io/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1 << 16, LIMIT = 1 << 26 /* bytes of a row */ };

struct mb_reader {
    mb_csv_text_ text; /* first: `more` finds the reader through it */
    mb_source_   src;
    mb_arena    *a;
    const char  *file;
    char        *buf; /* cap */
    size_t       cap;
    int32_t      cols, d;
    const char **name; /* cols; NULL for NPY         */
    int32_t     *pick; /* d                          */
    mb_csv       row;  /* CSV: the current row       */
    int64_t      line; /* and its line               */
    mb_npy_head_ head; /* NPY                        */
    int64_t      rows; /* NPY: of the file           */
    int64_t      done; /* rows delivered             */
    int32_t     *keep; /* keeps: columns whose texts are stored */
    int32_t      keeps;
    char        *kept; /* texts of the last rows, each with its 0 */
    size_t       kept_n, kept_cap;
    size_t      *kept_at; /* kept_room: where each begins */
    size_t       kept_room;
};

/* Resizes the buffer to `cap` bytes. */
static mb_status make_room(mb_reader *s, size_t cap, mb_err *err)
{
    char *buf = realloc(s->buf, cap);

    if (!buf)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->file, cap);
    s->buf = buf;
    s->cap = cap;
    return MB_OK;
}

/* Moves the record that is being read to the front and fills the rest of the buffer. */
static mb_status more(mb_csv_text_ *t, mb_err *err)
{
    mb_reader *s = (mb_reader *)(void *)t;
    size_t     used = (size_t)(t->at - t->record), got, want;

    if (used + 1 >= LIMIT)
        MB_FAIL(err, MB_E_NOSUP, "%s:%lld: a row longer than %d bytes; expected shorter ones",
                s->file, (long long)t->line, LIMIT);
    memmove(s->buf, t->record, used);
    if (used + 1 > s->cap / 2 && s->cap < LIMIT)
        MB_TRY(make_room(s, 2 * s->cap, err));
    t->record = s->buf;
    t->at = s->buf + used;
    *t->at = 0;
    want = s->cap - used - 1;
    MB_TRY(mb_source_read_(&s->src, t->at, want, &got, err));
    t->at[got] = 0;
    if (got < want)
        t->more = NULL;
    return mb_csv_no_zero_(t, t->at, got, err);
}

static mb_status open_csv(mb_reader *s, mb_err *err)
{
    const char **name;
    mb_csv      *row = &s->row;

    MB_TRY(make_room(s, FIRST, err));
    *s->buf = 0;
    s->text = (mb_csv_text_){
        .file = s->file, .record = s->buf, .at = s->buf, .line = 1, .a = s->a, .more = more};
    MB_TRY(mb_csv_header_(&s->text, &name, err));
    s->cols = s->text.cols;
    MB_TRY(mb_texts_copy_(s->a, s->cols, name, &s->name, err));
    *row = (mb_csv){.file = s->file, .cols = s->cols, .rows = 1, .name = s->name, .line = &s->line};
    MB_NEW(row->cell, s->a, s->cols, err);
    return MB_OK;
}

static mb_status open_npy(mb_reader *s, mb_err *err)
{
    char   lead[MB_NPY_LEAD_], *all;
    size_t got, size, rest, want;

    MB_TRY(mb_source_read_(&s->src, lead, sizeof lead, &got, err));
    MB_TRY(mb_npy_lead_(s->file, lead, got, &size, err));
    want = size > sizeof lead ? size - sizeof lead : 0;
    all = mb_larger_(s->a, lead, sizeof lead, sizeof lead + want, 1, err);
    if (!all)
        return MB_E_NOMEM;
    MB_TRY(mb_source_read_(&s->src, all + sizeof lead, want, &rest, err));
    MB_TRY(mb_npy_head_read_(s->a, s->file, all, got + rest, &s->head, err));
    MB_TRY(mb_npy_shape_(s->file, s->head.ndim, s->head.shape, &s->rows, &s->cols, err));
    if ((size_t)s->cols > LIMIT / (size_t)s->head.width)
        MB_FAIL(err, MB_E_NOSUP, "%s: got rows of %d numbers; expected rows of up to %d bytes",
                s->file, s->cols, LIMIT);
    size = (size_t)s->cols * (size_t)s->head.width;
    return make_room(s, size > FIRST ? size : FIRST, err);
}

static mb_status open_any(mb_reader *s, mb_err *err)
{
    MB_TRY(mb_source_open_(s->file, &s->src, err));
    MB_TRY(mb_path_ends(s->file, ".npy") ? open_npy(s, err) : open_csv(s, err));
    s->d = s->cols;
    MB_NEW(s->pick, s->a, s->d, err);
    for (int32_t k = 0; k < s->d; k++)
        s->pick[k] = k;
    return MB_OK;
}

mb_status mb_reader_open(mb_arena *a, const char *file, mb_reader **out, mb_err *err)
{
    mb_reader *s;
    mb_status  st;

    *out = NULL;
    MB_NEW(s, a, 1, err);
    s->a = a;
    s->file = mb_text(a, err, "%s", file);
    st = s->file ? open_any(s, err) : MB_E_NOMEM;
    if (st < 0)
        mb_reader_close(s);
    else
        *out = s;
    return st;
}

int32_t mb_reader_columns(const mb_reader *s)
{
    return s->cols;
}

const char *const *mb_reader_names(const mb_reader *s)
{
    return s->name;
}

mb_status mb_reader_select(mb_reader *s, const int32_t *column, int32_t d, mb_err *err)
{
    int32_t *pick;

    if (d < 1)
        MB_FAIL(err, MB_E_ARG, "%s: got %d columns; expected 1 or more", s->file, d);
    for (int32_t k = 0; k < d; k++)
        if (column[k] < 0 || column[k] >= s->cols)
            MB_FAIL(err, MB_E_ARG, "%s: got column %d; expected 0 to %d", s->file, column[k],
                    s->cols - 1);
    MB_NEW(pick, s->a, d, err);
    memcpy(pick, column, (size_t)d * sizeof *pick);
    s->pick = pick;
    s->d = d;
    return MB_OK;
}

mb_status mb_reader_keep(mb_reader *s, const int32_t *column, int32_t n, mb_err *err)
{
    if (!s->name)
        MB_FAIL(err, MB_E_ARG, "%s: an NPY file has no texts to keep; expected CSV", s->file);
    for (int32_t k = 0; k < n; k++)
        if (column[k] < 0 || column[k] >= s->cols)
            MB_FAIL(err, MB_E_ARG, "%s: got column %d; expected 0 to %d", s->file, column[k],
                    s->cols - 1);
    MB_NEW(s->keep, s->a, n, err);
    memcpy(s->keep, column, (size_t)n * sizeof *column);
    s->keeps = n;
    return MB_OK;
}

const char *mb_reader_kept(const mb_reader *s, int64_t r, int32_t k)
{
    return s->kept + s->kept_at[r * s->keeps + k];
}

/* *p with room for `want` items of `size` bytes. */
static mb_status grow(const mb_reader *s, void **p, size_t *room, size_t want, size_t size,
                      mb_err *err)
{
    const size_t more = 2 * want;
    void        *to;

    if (want <= *room)
        return MB_OK;
    to = realloc(*p, more * size);
    if (!to)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->file, more * size);
    *p = to;
    *room = more;
    return MB_OK;
}

/* Copies the kept texts of the current row, which is row r of the batch. */
static mb_status keep_row(mb_reader *s, int64_t r, mb_err *err)
{
    const size_t first = (size_t)r * (size_t)s->keeps;
    void        *at = s->kept_at, *bytes = s->kept;
    mb_status st = grow(s, &at, &s->kept_room, first + (size_t)s->keeps, sizeof *s->kept_at, err);

    s->kept_at = at;
    s->kept_n = r ? s->kept_n : 0;
    for (int32_t k = 0; k < s->keeps && st >= 0; k++) {
        const char  *text = s->row.cell[s->keep[k]];
        const size_t n = strlen(text) + 1;

        st = grow(s, &bytes, &s->kept_cap, s->kept_n + n, 1, err);
        s->kept = bytes;
        if (st < 0)
            break;
        memcpy(s->kept + s->kept_n, text, n);
        s->kept_at[first + (size_t)k] = s->kept_n;
        s->kept_n += n;
    }
    return st;
}

static mb_status next_csv(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    for (; *n < max; ++*n) {
        MB_TRY(mb_csv_row_(&s->text, s->row.cell, &s->line, err));
        if (!s->line)
            break;
        if (s->keeps)
            MB_TRY(keep_row(s, *n, err));
        for (int32_t k = 0; k < s->d; k++)
            MB_TRY(mb_csv_bounded(&s->row, 0, s->pick[k], MB_VALUE_MAX, x++, err));
    }
    s->done += *n;
    if (!s->done)
        return mb_no_rows_(s->file, err);
    return MB_OK;
}

/* The first `count` rows of the buffer. */
static mb_status unpack(mb_reader *s, int64_t count, double *x, mb_err *err)
{
    const size_t width = (size_t)s->head.width, row = width * (size_t)s->cols;

    for (int64_t r = 0; r < count; r++)
        for (int32_t k = 0; k < s->d; k++, x++) {
            mb_npy_numbers_(&s->head, s->buf + (size_t)r * row + (size_t)s->pick[k] * width, 1, x);
            if (!mb_npy_is_value_(*x))
                return mb_npy_no_value_(s->file, s->done + r, s->pick[k], *x, err);
        }
    return MB_OK;
}

/* After the last number the file must end. */
static mb_status check_end(mb_reader *s, mb_err *err)
{
    size_t bytes = s->head.count * (size_t)s->head.width, got;

    do {
        MB_TRY(mb_source_read_(&s->src, s->buf, s->cap, &got, err));
        bytes += got;
    } while (got == s->cap);
    return mb_npy_exact_(s->file, &s->head, bytes, err);
}

static mb_status next_npy(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    const size_t row = (size_t)s->head.width * (size_t)s->cols;

    max = max < s->rows - s->done ? max : s->rows - s->done;
    while (*n < max) {
        int64_t fit = (int64_t)(s->cap / row), count = max - *n < fit ? max - *n : fit;
        size_t  got;

        MB_TRY(mb_source_read_(&s->src, s->buf, (size_t)count * row, &got, err));
        if (got < (size_t)count * row)
            return mb_npy_exact_(s->file, &s->head, (size_t)s->done * row + got, err);
        MB_TRY(unpack(s, count, x + *n * s->d, err));
        s->done += count;
        *n += count;
    }
    return s->done < s->rows ? MB_OK : check_end(s, err);
}

mb_status mb_reader_next(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    *n = 0;
    if (max < 1)
        MB_FAIL(err, MB_E_ARG, "%s: got %lld rows to read; expected 1 or more", s->file,
                (long long)max);
    return s->name ? next_csv(s, max, x, n, err) : next_npy(s, max, x, n, err);
}

void mb_reader_close(mb_reader *s)
{
    if (!s)
        return;
    mb_source_close_(&s->src);
    free(s->buf);
    free(s->kept);
    free(s->kept_at);
    s->buf = s->kept = NULL;
    s->kept_at = NULL;
}

static mb_status read_all(mb_arena *a, mb_reader *r, mb_matrix *out, mb_err *err)
{
    const int32_t d = mb_reader_columns(r);
    int64_t       got;

    out->d = d;
    out->name = mb_reader_names(r);
    for (int64_t room = 64;; room *= 2) {
        out->x =
            mb_larger_(a, out->x, (size_t)(out->n * d), (size_t)(room * d), sizeof *out->x, err);
        if (!out->x)
            return MB_E_NOMEM;
        MB_TRY(mb_reader_next(r, room - out->n, out->x + out->n * d, &got, err));
        out->n += got;
        if (out->n < room)
            return MB_OK;
    }
}

mb_status mb_matrix_read(mb_arena *a, const char *file, mb_matrix *out, mb_err *err)
{
    mb_reader *r;
    mb_status  st;

    memset(out, 0, sizeof *out);
    MB_TRY(mb_reader_open(a, file, &r, err));
    st = read_all(a, r, out, err);
    mb_reader_close(r);
    return st;
}
