/* coder.c - the cells of a column of some kind as numbers, and the kind of a column from its cells. */
#include "data/coder.h"
#include "base/columns.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { MOST_WORDS = 10000 };

static int is_words(const mb_coder_ *c)
{
    return c->known ? c->known->kind == MB_COLUMN_CATEGORY : c->words == 1;
}

mb_status mb_coder_open_(mb_arena *a, const mb_column *known, int32_t unseen, mb_coder_ *out,
                         mb_err *err)
{
    int32_t index;

    *out = (mb_coder_){
        .known = known, .unseen = unseen, .words = -1, .binary = 1, .whole = 1, .list = {.a = a}};
    for (int32_t l = 0; known && known->kind == MB_COLUMN_CATEGORY && l < known->levels; l++)
        MB_TRY(mb_words_add_(&out->list, known->level[l], &index, err));
    return MB_OK;
}

/* The names of a category, as many as a message has room for. */
static const char *names(const mb_column *c, char text[200])
{
    *text = '\0';
    for (int32_t l = 0; l < c->levels; l++)
        mb_list_add_(text, 200, c->level[l]);
    return text;
}

static mb_status word(mb_coder_ *c, const mb_sheet_ *s, int32_t col, double *x, mb_err *err)
{
    const int32_t levels = c->known ? c->known->levels : 0;
    const char   *text = s->cell[col];
    char          list[200];
    int32_t       index;

    MB_TRY(mb_words_add_(&c->list, text, &index, err));
    *x = index;
    if (levels && index >= levels && mb_column_other_(c->known) >= 0)
        *x = mb_column_other_(c->known);
    else if (levels && index >= levels && c->unseen != MB_UNSEEN_ERROR)
        *x = (double)NAN;
    else if (levels && index >= levels)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": got category \"%.60s\"; expected %s",
                s->file, (long long)s->line, s->name[col], text, names(c->known, list));
    if (index >= MOST_WORDS)
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%lld: column \"%.60s\": got more than %d categories; expected fewer (--drop "
                "leaves a column out)",
                s->file, (long long)s->line, s->name[col], MOST_WORDS);
    return MB_OK;
}

/* 0, 1, or -1 for another word. */
static int truth(const char *text)
{
    static const char *const no[] = {"false", "no"}, *const yes[] = {"true", "yes"};

    for (int k = 0; k < 2; k++) {
        if (!strcasecmp(text, no[k]))
            return 0;
        if (!strcasecmp(text, yes[k]))
            return 1;
    }
    return -1;
}

static int is_number(const mb_sheet_ *s, int32_t col)
{
    double x;

    return s->opt && s->opt->separator > MB_SEPARATOR_COMMA ? !mb_parse_decimal_(s->cell[col], &x)
                                                            : !mb_parse_double(s->cell[col], &x);
}

mb_status mb_csv_cell(const mb_csv *c, int64_t row, int32_t col, const mb_column *kind, double *out,
                      mb_err *err)
{
    const char *text = c->cell[row * c->cols + col], *expected = NULL;
    char        list[200];

    if (kind->kind == MB_COLUMN_CATEGORY) {
        for (int32_t l = 0; l < kind->levels; l++)
            if (!strcmp(text, kind->level[l])) {
                *out = l;
                return MB_OK;
            }
        *out = mb_column_other_(kind);
        expected = *out < 0 ? names(kind, list) : NULL;
    } else if (kind->kind == MB_COLUMN_FLAG && truth(text) >= 0) {
        *out = truth(text);
    } else {
        MB_TRY(mb_csv_bounded(c, row, col, MB_VALUE_MAX, out, err));
        expected = mb_column_refuses(kind, *out);
    }
    if (expected)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": got \"%.60s\"; expected %s", c->file,
                (long long)c->line[row], c->name[col], text, expected);
    return MB_OK;
}

/* What the numbers of the column have been so far. */
static void see(mb_coder_ *c, double x)
{
    const mb_column flag = {.kind = MB_COLUMN_FLAG, .levels = 2}, count = {.kind = MB_COLUMN_COUNT};

    c->binary &= !mb_column_refuses(&flag, x);
    c->whole &= !mb_column_refuses(&count, x);
}

mb_status mb_coder_cell_(mb_coder_ *c, mb_sheet_ *s, int32_t col, int gap, double *x, int *missing,
                         mb_err *err)
{
    const char *text = s->cell[col], *expected;
    const int   flag = c->known && c->known->kind == MB_COLUMN_FLAG;

    *missing = 0;
    if (mb_cell_missing(text))
        return mb_sheet_number_(s, col, MB_VALUE_MAX, gap, x, missing, err);
    if (c->words < 0) {
        c->words = !is_number(s, col);
        c->line = s->line;
    }
    if (is_words(c))
        return word(c, s, col, x, err);
    if (flag && truth(text) >= 0) {
        *x = truth(text);
        return MB_OK;
    }
    if ((flag || !c->known) && !is_number(s, col))
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": got \"%.60s\"; expected %s", s->file,
                (long long)s->line, s->name[col], text,
                flag ? "a flag: 0 or 1, true or false, yes or no"
                     : "a number, as before (--column NAME:category makes all cells words)");
    MB_TRY(mb_sheet_number_(s, col, MB_VALUE_MAX, 0, x, missing, err));
    expected = c->known ? mb_column_refuses(c->known, *x) : NULL;
    if (expected)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": got %.60s; expected %s", s->file,
                (long long)s->line, s->name[col], text, expected);
    see(c, *x);
    return MB_OK;
}

mb_status mb_coder_number_(mb_coder_ *c, const mb_sheet_ *s, int64_t row, int32_t col, double *x,
                           mb_err *err)
{
    const char *expected = c->known ? mb_column_refuses(c->known, *x) : NULL;

    if (isnan(*x))
        return MB_OK;
    c->words = 0;
    see(c, *x);
    if (!expected)
        return MB_OK;
    if (c->known->kind == MB_COLUMN_CATEGORY && !c->known->levels)
        MB_FAIL(err, MB_E_ARG,
                "%s: column %d: the categories of an NPY file have no names; expected --column "
                "with them: x%d:category(a|b|c)",
                s->file, (int)col + 1, (int)col + 1);
    if (c->known->kind == MB_COLUMN_CATEGORY && c->unseen != MB_UNSEEN_ERROR) {
        *x = (double)NAN;
        return MB_OK;
    }
    MB_FAIL(err, MB_E_FORMAT, "%s: row %lld, column %d: got %.9g; expected %s", s->file,
            (long long)row + 1, (int)col + 1, *x, expected);
}

/* 1 when all words say yes or no, or true or false. */
static int all_truths(const mb_coder_ *c)
{
    int all = c->list.count > 0;

    for (int32_t l = 0; l < c->list.count; l++)
        all &= truth(c->list.text[l]) >= 0 &&
               !strchr("yYnN", *c->list.text[l]) == !strchr("yYnN", *c->list.text[0]);
    return all;
}

static mb_status close_words(mb_arena *a, mb_coder_ *c, const char *where, mb_column *out,
                             int32_t **code, mb_err *err)
{
    const char **sorted;
    int32_t      count;

    MB_NEW(*code, a, c->list.count + 1, err);
    if (!c->known && all_truths(c)) {
        *out = (mb_column){.kind = MB_COLUMN_FLAG, .levels = 2};
        for (int32_t l = 0; l < c->list.count; l++)
            (*code)[l] = truth(c->list.text[l]);
        return MB_OK;
    }
    MB_TRY(
        mb_ids_index(c->list.a, where, c->list.count, c->list.text, *code, &sorted, &count, err));
    MB_TRY(mb_texts_copy_(a, count, sorted, &sorted, err));
    *out = (mb_column){.kind = MB_COLUMN_CATEGORY, .levels = count, .level = sorted};
    return MB_OK;
}

mb_status mb_coder_close_(mb_arena *a, mb_coder_ *c, const char *where, mb_column *out,
                          int32_t **code, mb_err *err)
{
    const int seen = c->words >= 0;

    *code = NULL;
    if (is_words(c) && !(c->known && c->known->levels))
        return close_words(a, c, where, out, code, err);
    *out = c->known            ? *c->known
           : seen && c->binary ? (mb_column){.kind = MB_COLUMN_FLAG, .levels = 2}
           : seen && c->whole  ? (mb_column){.kind = MB_COLUMN_COUNT}
                               : (mb_column){.kind = MB_COLUMN_NUMBER};
    return MB_OK;
}

mb_status mb_csv_column(mb_arena *a, const mb_csv *csv, int32_t col, const mb_column *known,
                        mb_column *out, double *code, mb_err *err)
{
    const mb_data_opt opt = {.missing = MB_MISSING_KEEP};
    mb_sheet_         s = {.file = csv->file, .opt = &opt, .name = csv->name, .cols = csv->cols};
    int32_t          *number;
    mb_coder_         c;

    MB_TRY(mb_coder_open_(a, known, MB_UNSEEN_ERROR, &c, err));
    for (int64_t r = 0; r < csv->rows; r++) {
        int missing;

        s.cell = csv->cell + r * csv->cols;
        s.line = csv->line[r];
        MB_TRY(mb_coder_cell_(&c, &s, col, 1, &code[r], &missing, err));
    }
    MB_TRY(mb_coder_close_(a, &c, csv->file, out, &number, err));
    for (int64_t r = 0; number && r < csv->rows; r++)
        if (!isnan(code[r]))
            code[r] = number[(int32_t)code[r]];
    return MB_OK;
}
