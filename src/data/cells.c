/* cells.c - rows as texts: what describes and rearranges files without computing with them. */
#include "base/format.h"
#include "base/text.h"
#include "data/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024, DIGITS = 32 /* bytes of a number as text */ };

typedef struct job {
    mb_arena  *a;
    mb_reader *r;
    mb_cells  *out;
    int32_t   *column; /* of the files, for each of the result */
    double    *x;      /* NPY: BATCH x columns                 */
    int64_t    room;   /* rows                                 */
} job;

static void add(job *j, int32_t column)
{
    if (column >= 0)
        j->column[j->out->csv.cols++] = column;
}

/* The columns that opt names, all others but the dropped ones, or both. */
static mb_status choose(job *j, const mb_data_opt *opt, mb_err *err)
{
    const mb_columns_ *role = mb_reader_roles_(j->r);
    const int32_t      all = mb_reader_columns(j->r);
    int32_t            at = 0;

    MB_NEW(j->column, j->a, all, err);
    for (int32_t c = 0; !opt->columns && c < all; c++) {
        const int is_feature = at < role->d && role->feature[at] == c;

        if (is_feature || c == role->node || c == role->label || c == role->weight)
            add(j, c);
        at += is_feature;
    }
    for (int32_t k = 0; opt->columns && k < role->d; k++)
        add(j, role->feature[k]);
    if (!opt->columns)
        return MB_OK;
    add(j, role->node);
    add(j, role->label);
    add(j, role->weight);
    return MB_OK;
}

static mb_status prepare(job *j, mb_err *err)
{
    mb_csv            *csv = &j->out->csv;
    const char *const *name = mb_reader_names(j->r);
    const char       **number;

    MB_TRY(mb_data_number_columns(j->a, mb_reader_columns(j->r), &number, err));
    MB_NEW(csv->name, j->a, csv->cols, err);
    for (int32_t k = 0; k < csv->cols; k++)
        csv->name[k] = name ? name[j->column[k]] : number[j->column[k]];
    if (name)
        return mb_reader_texts_(j->r, j->column, csv->cols, err);
    MB_NEW(j->x, j->a, BATCH * csv->cols, err);
    return mb_reader_select(j->r, j->column, csv->cols, err);
}

/* Room for `rows` more. */
static mb_status widen(job *j, int64_t rows, mb_err *err)
{
    mb_csv      *csv = &j->out->csv;
    const size_t used = (size_t)csv->rows, room = 2 * (used + (size_t)rows);
    const size_t row = (size_t)csv->cols * sizeof *csv->cell;

    if (csv->rows + rows <= j->room)
        return MB_OK;
    csv->cell = mb_larger_(j->a, csv->cell, used, room, row, err);
    csv->line = mb_larger_(j->a, csv->line, used, room, sizeof *csv->line, err);
    j->room = (int64_t)room;
    return csv->cell && csv->line ? MB_OK : MB_E_NOMEM;
}

/* The texts of a batch of n rows. */
static mb_status take_texts(job *j, int64_t n, mb_err *err)
{
    mb_csv       *csv = &j->out->csv;
    const int64_t cells = n * csv->cols;
    char         *texts;

    MB_NEW(texts, j->a, j->r->full + 1, err);
    if (j->r->full)
        memcpy(texts, j->r->texts, j->r->full);
    for (int64_t e = 0; e < cells; e++)
        csv->cell[csv->rows * csv->cols + e] = texts + j->r->begins[e];
    for (int64_t r = 0; r < n; r++)
        csv->line[csv->rows + r] = j->r->line[r];
    return MB_OK;
}

/* The numbers of a batch of n rows, as texts that read back to the same. */
static mb_status take_numbers(job *j, int64_t n, mb_err *err)
{
    mb_csv       *csv = &j->out->csv;
    const int64_t cells = n * csv->cols;
    char         *texts;

    MB_NEW(texts, j->a, cells * DIGITS + 1, err);
    for (int64_t e = 0; e < cells; e++, texts += DIGITS) {
        snprintf(texts, DIGITS, "%.15g", j->x[e]);
        if (strtod(texts, NULL) < j->x[e] || strtod(texts, NULL) > j->x[e])
            snprintf(texts, DIGITS, "%.17g", j->x[e]);
        csv->cell[csv->rows * csv->cols + e] = texts;
    }
    for (int64_t r = 0; r < n; r++)
        csv->line[csv->rows + r] = 0;
    return MB_OK;
}

static mb_status read_rows(job *j, mb_err *err)
{
    double  none = 0;
    int64_t n = 1;

    while (n) {
        MB_TRY(mb_reader_next(j->r, BATCH, j->x ? j->x : &none, &n, err));
        MB_TRY(widen(j, n, err));
        MB_TRY(j->x ? take_numbers(j, n, err) : take_texts(j, n, err));
        j->out->csv.rows += n;
    }
    return MB_OK;
}

/* What is known at the end: the file of each row, the notes. */
static mb_status close_up(job *j, const char *file, mb_err *err)
{
    mb_cells          *out = j->out;
    const int64_t     *count = mb_reader_counts_(j->r);
    const char *const *note = mb_reader_notes(j->r, &out->nnotes);
    int64_t            at = 0;

    out->files = *mb_reader_files_(j->r);
    out->csv.separator = ',';
    out->csv.file = mb_text(j->a, err, "%s", out->files.n == 1 ? j->r->sheet.file : file);
    if (!out->csv.file)
        return MB_E_NOMEM;
    MB_NEW(out->of, j->a, out->csv.rows + 1, err);
    for (int32_t k = 0; k < out->files.n; k++)
        for (int64_t r = 0; r < count[k]; r++)
            out->of[at++] = k;
    return mb_texts_copy_(j->a, out->nnotes, note, &out->note, err);
}

mb_status mb_cells_read(mb_arena *a, const char *file, const mb_data_opt *opt, mb_cells *out,
                        mb_err *err)
{
    job       j = {.a = a, .out = out};
    mb_status st;

    *out = (mb_cells){.nnotes = 0};
    MB_TRY(mb_reader_open(a, file, opt, &j.r, err));
    st = choose(&j, opt, err);
    if (st >= 0)
        st = prepare(&j, err);
    if (st >= 0)
        st = read_rows(&j, err);
    if (st >= 0)
        st = close_up(&j, file, err);
    mb_reader_close(j.r);
    return st;
}
