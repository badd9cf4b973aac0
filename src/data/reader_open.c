/* reader_open.c - the files of a reader, and which of their columns it delivers. */
#include "base/text.h"
#include "data/reader.h"

#include <stdlib.h>
#include <string.h>

mb_status mb_reader_note_(mb_reader *s, const char *text)
{
    if (text && s->notes < MOST_NOTES)
        s->note[s->notes++] = text;
    return text ? MB_OK : MB_E_NOMEM;
}

static mb_status note_separator(mb_reader *s, mb_err *err)
{
    const mb_csv_text_ *t = &s->sheet.text;

    if (!s->opt || !s->name || !t->guessed || t->sep == ',')
        return MB_OK;
    return mb_reader_note_(s, mb_text(s->a, err,
                                      "%s: its cells are separated by %ss (--separator decides)",
                                      s->sheet.file, mb_csv_separator_name_(t->sep)));
}

/* The row names of the first file, unless they have a role. */
static mb_status note_row_names(mb_reader *s, mb_err *err)
{
    const mb_columns_ *c = &s->columns;

    if (!s->row_names || s->opt->columns || mb_list_has_(s->opt->drop, MB_ROW_NAMES_) ||
        c->node == 0 || c->label == 0 || c->weight == 0 || c->group == 0)
        return MB_OK;
    return mb_reader_note_(s, mb_text(s->a, err,
                                      "%s: its first column has no name: row names, not a feature "
                                      "(--keep " MB_ROW_NAMES_ " copies it in predict)",
                                      s->sheet.file));
}

/* Where the open file has the columns of the first one. */
static mb_status match(mb_reader *s, mb_err *err)
{
    const mb_sheet_ *f = &s->sheet;
    const char      *first = s->files.file[0], *file = s->files.file[s->at];

    if (!f->name != !s->name)
        MB_FAIL(err, MB_E_FORMAT, "%.200s: got %s; expected %s, as %.200s", file,
                f->name ? "CSV" : "NPY", f->name ? "NPY" : "CSV", first);
    if (!s->name && f->cols != s->cols)
        MB_FAIL(err, MB_E_SHAPE, "%.200s: got %d columns; expected %d, as %.200s", file, f->cols,
                s->cols, first);
    if (!s->name)
        return MB_OK;
    return mb_columns_match_(
        s->opt, &(mb_csv){.file = first, .cols = s->cols, .name = s->name}, s->row_names,
        &(mb_csv){.file = file, .cols = f->cols, .name = f->name}, f->text.row_names, s->here, err);
}

/* Opens the file s->at. */
static mb_status open_file(mb_reader *s, mb_hash_ *hash, mb_err *err)
{
    const mb_data_opt *opt = s->opt;

    mb_sheet_close_(&s->sheet);
    return mb_sheet_open_(s->a, s->files.file[s->at], opt, 0, hash, &s->sheet, err);
}

/* --drop names columns that some file has. */
static mb_status check_drop(mb_reader *s, const char **absent, mb_err *err)
{
    const mb_sheet_ *f = &s->sheet;

    if (!s->opt || !s->name)
        return MB_OK;
    return mb_list_absent_(s->a, *absent, f->cols, f->name, absent, err);
}

/* All files are opened once before the first row is read: what is wrong shows at once. */
static mb_status open_others(mb_reader *s, mb_err *err)
{
    const mb_csv first = {.file = s->files.file[0], .cols = s->cols, .name = s->name};
    const char  *absent = s->opt && s->name ? s->opt->drop : NULL;
    int32_t      column;

    MB_TRY(check_drop(s, &absent, err));
    for (s->at = 1; s->at < s->files.n; s->at++) {
        MB_TRY(open_file(s, NULL, err));
        MB_TRY(match(s, err));
        MB_TRY(check_drop(s, &absent, err));
    }
    s->at = 0;
    if (absent)
        return mb_csv_need_(&first, MB_E_ARG, "column of --drop", absent, &column, err);
    if (s->files.n == 1)
        return MB_OK;
    return mb_reader_turn_(s, err);
}

mb_status mb_reader_turn_(mb_reader *s, mb_err *err)
{
    MB_TRY(open_file(s, s->hash, err));
    s->to = NULL;
    return match(s, err);
}

static mb_status open_all(mb_reader *s, const char *file, mb_err *err)
{
    MB_NEW(s->files.file, s->a, 1, err);
    s->files.n = 1;
    s->files.file[0] = mb_text(s->a, err, "%s", file);
    if (!s->files.file[0])
        return MB_E_NOMEM;
    if (s->opt)
        MB_TRY(mb_data_files(s->a, s->files.file[0], &s->files, err));
    if (s->files.other)
        MB_TRY(mb_reader_note_(s, mb_text(s->a, err, "%s: %d other file%s not read", file,
                                          s->files.other, s->files.other > 1 ? "s are" : " is")));
    MB_TRY(open_file(s, s->files.n > 1 ? NULL : s->hash, err));
    s->cols = s->sheet.cols;
    s->name = s->sheet.name;
    MB_TRY(note_separator(s, err));
    s->row_names = s->sheet.text.row_names;
    MB_TRY(mb_columns_find_(s->a, s->sheet.file, s->cols, s->name, s->row_names, s->opt,
                            &s->columns, err));
    MB_TRY(note_row_names(s, err));
    MB_NEW(s->here, s->a, s->cols, err);
    MB_NEW(s->count, s->a, s->files.n, err);
    for (int32_t c = 0; c < s->cols; c++)
        s->here[c] = c;
    MB_TRY(open_others(s, err));
    MB_TRY(mb_watch_open_(s, err));
    return mb_reader_select(s, s->columns.feature, s->columns.d, err);
}

void mb_reader_close(mb_reader *s)
{
    if (!s)
        return;
    mb_sheet_close_(&s->sheet);
    mb_watch_close_(s);
    free(s->texts);
    s->texts = NULL;
}

mb_status mb_reader_open_(mb_arena *a, const char *file, const mb_data_opt *opt, mb_hash_ *hash,
                          mb_reader **out, mb_err *err)
{
    mb_reader *s;
    mb_status  st;

    *out = NULL;
    MB_NEW(s, a, 1, err);
    s->a = a;
    s->opt = opt;
    s->hash = hash;
    st = open_all(s, file, err);
    if (st < 0)
        mb_reader_close(s);
    else
        *out = s;
    return st;
}

mb_status mb_reader_open(mb_arena *a, const char *file, const mb_data_opt *opt, mb_reader **out,
                         mb_err *err)
{
    return mb_reader_open_(a, file, opt, NULL, out, err);
}

int32_t mb_reader_columns(const mb_reader *s)
{
    return s->cols;
}

const char *const *mb_reader_names(const mb_reader *s)
{
    return s->name;
}

const int32_t *mb_reader_features(const mb_reader *s, int32_t *d)
{
    *d = s->columns.d;
    return s->columns.feature;
}

const mb_columns_ *mb_reader_roles_(const mb_reader *s)
{
    return &s->columns;
}

const mb_file_list *mb_reader_files_(const mb_reader *s)
{
    return &s->files;
}

const int64_t *mb_reader_counts_(const mb_reader *s)
{
    return s->count;
}

int64_t mb_reader_seen_(const mb_reader *s)
{
    return s->seen;
}

int64_t mb_reader_left_(const mb_reader *s)
{
    return s->files.n > 1 ? 0 : mb_sheet_left_(&s->sheet);
}

const int64_t *mb_reader_rows(const mb_reader *s)
{
    return s->number;
}

int64_t mb_reader_dropped(const mb_reader *s)
{
    return s->seen - s->delivered;
}

int64_t mb_reader_gaps(const mb_reader *s)
{
    return s->gaps;
}

const char *const *mb_reader_notes(const mb_reader *s, int32_t *n)
{
    *n = s->notes;
    return s->note;
}

const char *mb_reader_extra(const mb_reader *s, int64_t r, int32_t j)
{
    return s->texts + s->begins[r * s->k + j];
}

static mb_status choose(mb_reader *s, const int32_t *column, int32_t d, int32_t **out, mb_err *err)
{
    if (d < 1)
        MB_FAIL(err, MB_E_ARG, "%s: got %d columns; expected 1 or more", s->sheet.file, d);
    for (int32_t k = 0; k < d; k++)
        if (column[k] < 0 || column[k] >= s->cols)
            MB_FAIL(err, MB_E_ARG, "%s: got column %d; expected 0 to %d", s->sheet.file, column[k],
                    s->cols - 1);
    MB_NEW(*out, s->a, d, err);
    memcpy(*out, column, (size_t)d * sizeof **out);
    return MB_OK;
}

mb_status mb_reader_select(mb_reader *s, const int32_t *column, int32_t d, mb_err *err)
{
    MB_TRY(choose(s, column, d, &s->pick, err));
    s->d = d;
    s->to = NULL;
    s->coder = NULL;
    s->weight = -1;
    for (int32_t k = 0; k < d; k++)
        if (column[k] == s->columns.weight)
            s->weight = k;
    return MB_OK;
}

mb_status mb_reader_code_(mb_reader *s, const mb_column *const *of, int32_t d, mb_err *err)
{
    if (d != s->d - (s->weight >= 0) || (s->weight >= 0 && s->weight != s->d - 1))
        MB_FAIL(err, MB_E_ARG, "%s: got kinds of %d columns; expected those of %d", s->sheet.file,
                d, s->d - (s->weight >= 0));
    s->to = NULL;
    MB_NEW(s->coder, s->a, s->d, err);
    for (int32_t k = 0; k < d; k++)
        MB_TRY(mb_coder_open_(s->a, of[k], s->opt ? s->opt->unseen : MB_UNSEEN_ERROR, &s->coder[k],
                              err));
    return MB_OK;
}

mb_status mb_reader_kinds(mb_reader *s, const mb_column *of, int32_t d, mb_err *err)
{
    const mb_column **each;

    MB_NEW(each, s->a, d, err);
    for (int32_t k = 0; k < d; k++)
        each[k] = &of[k];
    return mb_reader_code_(s, each, d, err);
}

void mb_reader_may_lack(mb_reader *s, int32_t k)
{
    s->lacks = k + 1;
}

mb_status mb_reader_keep(mb_reader *s, const int32_t *column, int32_t k, mb_err *err)
{
    if (!s->name)
        MB_FAIL(err, MB_E_ARG, "%s: an NPY file has no texts to keep; expected a CSV file",
                s->sheet.file);
    if (k > 0)
        MB_TRY(choose(s, column, k, &s->keep, err));
    s->k = k;
    s->to = NULL;
    s->room = 0;
    return MB_OK;
}

mb_status mb_reader_texts_(mb_reader *s, const int32_t *column, int32_t k, mb_err *err)
{
    MB_TRY(mb_reader_keep(s, column, k, err));
    s->as_texts = 1;
    s->weight = -1;
    s->d = 0;
    return MB_OK;
}
