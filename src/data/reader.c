/* reader.c - numeric rows of one or several files, batch by batch. */
#include "data/reader.h"
#include "base/text.h"

#include "base/format.h"
#include "base/within.h"
#include "data/kinds.h"

#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 32 }; /* rows of NPY that are converted and checked at once */

/* Room for what is stored of a batch beside its numbers. */
static mb_status make_room(mb_reader *s, int64_t rows, mb_err *err)
{
    if (rows <= s->room)
        return MB_OK;
    MB_NEW(s->number, s->a, rows, err);
    MB_NEW(s->line, s->a, rows, err);
    MB_NEW(s->begins, s->a, rows * s->k + 1, err);
    s->room = rows;
    return mb_watch_room_(s, rows, err);
}

/* Appends a kept text to those of the batch. */
static mb_status keep_text(mb_reader *s, const char *text, size_t *begins, mb_err *err)
{
    const size_t n = strlen(text) + 1;

    if (s->full + n > s->large) {
        const size_t large = 2 * (s->full + n) + 4096;
        char        *texts = realloc(s->texts, large);

        if (!texts)
            MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for texts", s->sheet.file);
        s->texts = texts;
        s->large = large;
    }
    memcpy(s->texts + s->full, text, n);
    *begins = s->full;
    s->full += n;
    return MB_OK;
}

static mb_status bad_weight(const mb_reader *s, double w, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT,
            "%s:%lld: column \"%.60s\": got weight %.9g; expected 0 or more, up to %g",
            s->sheet.file, (long long)s->sheet.line, s->name[s->columns.weight], w, MB_WEIGHT_MAX);
}

/* A kept text that says that there is no value: *whole becomes 0, or it is an error. */
static mb_status no_text(const mb_reader *s, int32_t c, int *whole, mb_err *err)
{
    const char *text = s->sheet.cell[s->here[c]];

    *whole &= s->opt->missing != MB_MISSING_DROP;
    if (s->opt->missing == MB_MISSING_DROP || (s->as_texts && s->opt->missing == MB_MISSING_KEEP))
        return MB_OK;
    if (!*text)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": the cell is empty", s->sheet.file,
                (long long)s->sheet.line, s->name[c]);
    MB_FAIL(
        err, MB_E_FORMAT,
        "%s:%lld: column \"%.60s\": got \"%.60s\"; expected a value (--missing drop leaves such "
        "rows out)",
        s->sheet.file, (long long)s->sheet.line, s->name[c], text);
}

/* The kept texts of row `at` of the batch; *whole 0: it is dropped. */
static mb_status take_texts(mb_reader *s, int64_t at, int *whole, mb_err *err)
{
    for (int32_t j = 0; j < s->k; j++) {
        const int32_t c = s->keep[j];
        const int     named = c == s->columns.node || c == s->columns.label;
        int           missing = 0;

        if (s->as_texts)
            MB_TRY(mb_sheet_text_(&s->sheet, s->here[c], &missing, err));
        if (named)
            missing = !*s->sheet.cell[s->here[c]];
        MB_TRY(keep_text(s, s->sheet.cell[s->here[c]], &s->begins[at * s->k + j], err));
        if (missing)
            MB_TRY(no_text(s, c, whole, err));
    }
    return MB_OK;
}

/* 1: number k of a row may be NaN. */
static int may_lack(const mb_reader *s, int32_t k)
{
    if (s->opt && s->opt->missing != MB_MISSING_DROP && s->lacks == k + 1)
        return 1;
    return s->opt && s->opt->missing == MB_MISSING_KEEP && k != s->weight;
}

enum { LOOK = 1000, OPTION = 300 /* rows after the first cell of text; bytes of an option */ };

/* Of the columns that are delivered, the texts and the numbers from the row of the sheet on. */
typedef struct tally {
    int64_t *text, *number; /* d */
    int32_t  first;         /* cells of text in the first of these rows */
} tally;

static mb_status count_texts(mb_reader *s, tally *t, mb_err *err)
{
    mb_err none;

    MB_NEW(t->text, s->a, s->d, err);
    MB_NEW(t->number, s->a, s->d, err);
    for (int32_t row = 0; row < LOOK; row++) {
        for (int32_t k = 0; k < s->d; k++) {
            const char *cell = s->sheet.cell[s->here[s->pick[k]]];
            double      x;

            if (mb_cell_missing(cell))
                continue;
            if (mb_parse_decimal_(cell, &x))
                t->text[k]++;
            else
                t->number[k]++;
            t->first += !row && t->text[k];
        }
        if (mb_sheet_row_(&s->sheet, &none) < 0 || !s->sheet.line)
            break;
    }
    return MB_OK;
}

/* "a,b" of the columns that are text (1) or not (0), for a command line; NULL: one of several has a
 * comma, or there is no memory. */
static const char *list_of(mb_reader *s, const uint8_t *is_text, int text, const char *before,
                           mb_err *err)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,-";
    const char *list = before;

    for (int32_t k = 0; k < s->d; k++) {
        const char *name = s->name[s->pick[k]];

        if (is_text[k] != text || k == s->weight)
            continue;
        if (strchr(name, ',') || strchr(name, '\''))
            return NULL;
        list = mb_text(s->a, err, "%s%s%s", list ? list : "", list ? "," : "", name);
        if (!list)
            return NULL;
    }
    return list && list[strspn(list, plain)] ? mb_text(s->a, err, "'%s'", list) : list;
}

/* The shortest option without the columns of text. */
static mb_status refuse_texts(mb_reader *s, const uint8_t *is_text, int32_t texts, int64_t line,
                              mb_err *err)
{
    const char *numbers = list_of(s, is_text, 0, NULL, err);
    const char *drop = s->opt->columns ? NULL : list_of(s, is_text, 1, s->opt->drop, err);
    const char *option = !drop ? "--columns" : "--drop", *list = drop ? drop : numbers;
    char        names[160] = "", help[OPTION + 60] = "";

    if (drop && numbers &&
        strlen(numbers) + strlen("--columns") < strlen(drop) + strlen("--drop")) {
        option = "--columns";
        list = numbers;
    }
    for (int32_t k = 0; k < s->d; k++)
        if (is_text[k])
            mb_list_add_(names, sizeof names, s->name[s->pick[k]]);
    if (texts == s->d - (s->weight >= 0))
        MB_FAIL(
            err, MB_E_FORMAT,
            "%.100s:%lld: every column is text (%s); expected numbers, or --model lca, which takes "
            "categories",
            s->sheet.file, (long long)line, names);
    if (list && strlen(list) >= OPTION)
        list = NULL;
    if (list)
        mb_format_(help, sizeof help, "; %s %s leaves them out", option, list);
    MB_FAIL(err, MB_E_FORMAT, "%.60s:%lld: %d columns of text cannot be features%s%s%s%s",
            s->sheet.file, (long long)line, texts, list && list == drop ? "" : " (",
            list && list == drop ? "" : names, list && list == drop ? "" : ")", help);
}

/* After a cell that is not a number: what is wrong with the file where it is more than this cell, a
 * line of units or several columns of text; else the error stands. Rows are read for it. */
static mb_status explain_text(mb_reader *s, mb_status failed, mb_err *err)
{
    const int64_t line = s->sheet.line, before = s->sheet.done - 1;
    const mb_err  first = err ? *err : (mb_err){0};
    uint8_t      *is_text;
    int32_t       texts = 0;
    tally         t = {0};

    if (failed != MB_E_FORMAT || !s->opt || !s->name)
        return failed;
    MB_NEW(is_text, s->a, s->d, err);
    MB_TRY(count_texts(s, &t, err));
    for (int32_t k = 0; k < s->d; k++) {
        is_text[k] = k != s->weight && t.text[k] > before + t.number[k];
        texts += is_text[k];
    }
    if (!texts && !before && s->d > 1 && t.first == s->d)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%.140s:%lld: no cell is a number, those below are: a line of units? sed %lldd FILE "
            "| meshbayes .. --data - leaves it out",
            s->sheet.file, (long long)line, (long long)line);
    if (texts > 1)
        return refuse_texts(s, is_text, texts, line, err);
    if (err)
        *err = first;
    return failed;
}

/* The row of the sheet as row `at` of the batch; *whole 0: it is dropped. */
static mb_status take_csv(mb_reader *s, int64_t at, double *x, int *whole, mb_err *err)
{
    mb_status st;
    int       missing;

    *whole = 1;
    if (!s->delivered && !at)
        MB_TRY(mb_kinds_of_words_(s, err));
    for (int32_t k = 0; k < s->d; k++) {
        const int32_t col = s->here[s->pick[k]];

        if (s->coder && k != s->weight)
            MB_TRY(
                mb_coder_cell_(&s->coder[k], &s->sheet, col, may_lack(s, k), &x[k], &missing, err));
        else {
            st = mb_sheet_number_(&s->sheet, col, k == s->weight ? MB_WEIGHT_MAX : MB_VALUE_MAX,
                                  may_lack(s, k), &x[k], &missing, err);
            if (st < 0)
                return explain_text(s, st, err);
        }
        *whole &= !missing;
        s->gaps += isnan(x[k]) != 0;
    }
    MB_TRY(take_texts(s, at, whole, err));
    if (*whole && s->weight >= 0 && !(x[s->weight] >= 0))
        return bad_weight(s, x[s->weight], err);
    return MB_OK;
}

static mb_status next_csv(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    int whole, stops;

    while (*n < max || s->groups) {
        MB_TRY(mb_plain_rows_(s, max, x, n, err));
        if (*n == max && !s->groups)
            return MB_OK;
        if (!mb_watch_left_(s)) {
            MB_TRY(mb_sheet_row_(&s->sheet, err));
            if (!s->sheet.line)
                return MB_OK;
            MB_TRY(mb_watch_row_(s, err));
        }
        MB_TRY(mb_watch_stops_(s, *n, max, &stops, err));
        if (stops)
            return MB_OK;
        MB_TRY(take_csv(s, *n, x + *n * s->d, &whole, err));
        whole &= mb_watch_take_(s, *n);
        s->number[*n] = s->seen++;
        s->line[*n] = s->sheet.line;
        *n += whole;
    }
    return MB_OK;
}

/* The numbers of n rows of the block, from row r on, into x. 1: they are values of consecutive
 * columns, as almost always. */
static int take_values(const mb_reader *s, const mb_block_ *b, int64_t r, int64_t n, double *x)
{
    const size_t pieces = s->d == s->cols ? 1 : (size_t)n, count = (size_t)(n * s->d);
    const char  *from = b->bytes + (size_t)r * b->row_step;
    int          bad = s->coder != NULL || b->col_step != (size_t)s->sheet.head.width;

    for (int32_t k = 1; k < s->d; k++)
        bad |= s->pick[k] != s->pick[0] + k;
    if (bad || !s->d)
        return 0;
    from += (size_t)s->pick[0] * b->col_step;
    for (size_t j = 0; j < pieces; j++) /* whole rows are one piece */
        mb_npy_numbers_(&s->sheet.head, from + j * b->row_step, count / pieces,
                        x + j * (size_t)s->d);
    return mb_within_(x, count, MB_VALUE_MAX);
}

static mb_status take_npy(mb_reader *s, const mb_block_ *b, int64_t r, double *x, int *whole,
                          mb_err *err)
{
    const char *row = b->bytes + (size_t)r * b->row_step;

    *whole = 1;
    if (take_values(s, b, r, 1, x))
        return MB_OK;
    for (int32_t k = 0; k < s->d; k++) {
        mb_npy_numbers_(&s->sheet.head, row + (size_t)s->pick[k] * b->col_step, 1, &x[k]);
        if (mb_npy_is_value_(x[k])) {
            if (s->coder && k != s->weight)
                MB_TRY(mb_coder_number_(&s->coder[k], &s->sheet, s->sheet.done - b->n + r,
                                        s->pick[k], &x[k], err));
            continue;
        }
        if (isnan(x[k]) && may_lack(s, k)) {
            s->gaps++;
            continue;
        }
        *whole = 0;
        if (!isnan(x[k]) || !s->opt)
            return mb_npy_no_value_(s->sheet.file, s->sheet.done - b->n + r, s->pick[k], x[k], err);
        if (s->opt->missing != MB_MISSING_DROP)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: row %lld, column %d: nan is not a finite number; --missing drop leaves "
                    "such rows out",
                    s->sheet.file, (long long)(s->sheet.done - b->n + r) + 1, s->pick[k] + 1);
    }
    return MB_OK;
}

/* n rows of the block, from row r on, as rows *to .. of the batch. */
static mb_status take_rows(mb_reader *s, const mb_block_ *b, int64_t r, int64_t n, double *x,
                           int64_t *to, mb_err *err)
{
    const int values = take_values(s, b, r, n, x + *to * s->d);

    for (const int64_t end = r + n; r < end; r++) {
        int whole = 1;

        if (!values)
            MB_TRY(take_npy(s, b, r, x + *to * s->d, &whole, err));
        whole &= mb_watch_take_(s, *to);
        s->number[*to] = s->seen++;
        *to += whole;
    }
    return MB_OK;
}

static mb_status next_npy(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    mb_block_ *b = &s->block;
    int        stops;

    do {
        if (!mb_watch_left_(s)) {
            MB_TRY(mb_sheet_block_(&s->sheet, s->groups ? 1 : max - *n, b, err));
            if (b->n)
                MB_TRY(mb_watch_row_(s, err));
        }
        stops = 0;
        if (b->n)
            MB_TRY(mb_watch_stops_(s, *n, max, &stops, err));
        for (int64_t r = 0, some; r < b->n && !stops; r += some) {
            some = b->n - r < TOGETHER ? b->n - r : TOGETHER;
            MB_TRY(take_rows(s, b, r, some, x, n, err));
        }
    } while (b->n && !stops && (*n < max || s->groups));
    return MB_OK;
}

/* At the end of a file: the next one, or the last notes. */
static mb_status next_file(mb_reader *s, mb_err *err)
{
    if (++s->at < s->files.n)
        return mb_reader_turn_(s, err);
    MB_TRY(mb_watch_end_(s, err));
    if (s->seen && !s->delivered)
        MB_FAIL(err, MB_E_FORMAT, "%s: every row has a missing value; expected some without",
                s->files.file[0]);
    if (s->seen > s->delivered)
        return mb_reader_note_(s, mb_text(s->a, err,
                                          "%lld of %lld rows are left out: a value is missing",
                                          (long long)(s->seen - s->delivered), (long long)s->seen));
    return MB_OK;
}

mb_status mb_reader_next(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err)
{
    *n = 0;
    if (max < 1)
        MB_FAIL(err, MB_E_ARG, "%s: got %lld rows to read; expected 1 or more", s->sheet.file,
                (long long)max);
    MB_TRY(make_room(s, max, err));
    s->full = 0;
    while (s->at < s->files.n) {
        const int64_t before = *n;

        MB_TRY(s->name ? next_csv(s, max, x, n, err) : next_npy(s, max, x, n, err));
        s->count[s->at] += *n - before;
        s->delivered += *n - before;
        if (!mb_watch_continues_(s, *n, max))
            return MB_OK;
        MB_TRY(next_file(s, err));
    }
    return MB_OK;
}
