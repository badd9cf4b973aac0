/* data_convert.c - `meshbayes data convert`: repeated measurements, from columns to rows. */
#include "base/rows_opt.h"
#include "data/data_cmd.h"

#include <string.h>

typedef struct convert_opt {
    const char *data, *values, *sep, *name, *row, *out;
    mb_data_opt read;
} convert_opt;

#define AT(field) offsetof(convert_opt, field)
static const mb_opt options[] = {
    {"data", MB_OPT_INPUT, AT(data), .choices = "FILE|FILE,FILE,..|DIR",
     .help = "the rows to convert: CSV, NPY or NPZ (FILE.npz:ARRAY), - for standard input; several "
             "files, or a folder, for all their rows"},
    {"values", MB_OPT_TEXT, AT(values), .choices = "NAME,NAME,..",
     .help = "what was measured: the columns NAME_1, NAME_2, .. become one column NAME"},
    {"sep", MB_OPT_TEXT, AT(sep), "_", .choices = "TEXT",
     .help = "what is between a name and what distinguishes its columns"},
    {"name", MB_OPT_TEXT, AT(name), "measurement", .choices = "NAME",
     .help = "name of the column with what distinguished them"},
    {"row", MB_OPT_TEXT, AT(row), "row", .choices = "NAME",
     .help = "name of the first column, the number of the row that a measurement is from"},
    ROWS_TEXT_OPTIONS(convert_opt, read, "a column that is written after those of --columns",
                      "the same", "the same"),
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv", .help = "the file to write"},
    {.name = NULL}};

typedef struct convert {
    convert_opt  opt;
    mb_cells     cells;
    int32_t      nvalue;
    const char **value;    /* nvalue                                             */
    int32_t      nsuffix;  /* what distinguishes the measurements                */
    const char **suffix;   /* nsuffix                                            */
    int32_t     *at;       /* nsuffix x nvalue: columns; -1: there is none       */
    uint8_t     *is_value; /* of each column                                     */
    int64_t      written, empty;
} convert;

/* "a,b" as texts. */
static mb_status split(mb_arena *a, const char *text, const char ***out, int32_t *n, mb_err *err)
{
    const size_t len = strlen(text);
    char        *copy;
    int32_t      most = 1;

    for (const char *c = text; *c; c++)
        most += *c == ',';
    MB_NEW(copy, a, len + 1, err);
    MB_NEW(*out, a, most, err);
    memcpy(copy, text, len + 1);
    *n = 0;
    for (char *rest = copy; rest;) {
        char *end = strchr(rest, ',');

        (*out)[(*n)++] = rest;
        if (end)
            *end++ = '\0';
        if (!*rest)
            MB_FAIL(err, MB_E_ARG, "--values: got \"%.60s\"; expected names, separated by commas",
                    text);
        rest = end;
    }
    return MB_OK;
}

/* What follows NAME and the separator in the name of a column; NULL: it is no such column. */
static const char *after(const char *column, const char *value, const char *sep)
{
    const size_t n = strlen(value), m = strlen(sep);

    return !strncmp(column, value, n) && !strncmp(column + n, sep, m) && column[n + m]
               ? column + n + m
               : NULL;
}

static int32_t place(convert *c, const char *suffix)
{
    int32_t s = 0;

    while (s < c->nsuffix && strcmp(c->suffix[s], suffix) != 0)
        s++;
    if (s == c->nsuffix)
        c->suffix[c->nsuffix++] = suffix;
    return s;
}

static mb_status find(convert *c, mb_arena *a, mb_err *err)
{
    const mb_csv *csv = &c->cells.csv;
    uint8_t      *seen;

    MB_NEW(c->suffix, a, csv->cols, err);
    MB_NEW(c->is_value, a, csv->cols, err);
    MB_NEW(c->at, a, (size_t)csv->cols * (size_t)c->nvalue, err);
    MB_NEW(seen, a, c->nvalue, err);
    for (int32_t k = 0; k < csv->cols * c->nvalue; k++)
        c->at[k] = -1;
    for (int32_t col = 0; col < csv->cols; col++)
        for (int32_t v = 0; v < c->nvalue && !c->is_value[col]; v++) {
            const char *suffix = after(csv->name[col], c->value[v], c->opt.sep);

            if (!suffix)
                continue;
            c->at[place(c, suffix) * c->nvalue + v] = col;
            c->is_value[col] = seen[v] = 1;
        }
    for (int32_t v = 0; v < c->nvalue; v++)
        if (!seen[v])
            MB_FAIL(err, MB_E_ARG, "--values: %s has no column \"%.60s%.20s..\"", csv->file,
                    c->value[v], c->opt.sep);
    return MB_OK;
}

/* New names must not be among those that stay. */
static mb_status check_names(const convert *c, mb_err *err)
{
    const mb_csv *csv = &c->cells.csv;

    for (int32_t col = 0; col < csv->cols; col++) {
        int clash = !strcmp(csv->name[col], c->opt.row) || !strcmp(csv->name[col], c->opt.name);

        for (int32_t v = 0; v < c->nvalue; v++)
            clash |= !strcmp(csv->name[col], c->value[v]);
        if (clash && !c->is_value[col])
            MB_FAIL(err, MB_E_ARG,
                    "%s: column \"%.60s\" is there already; expected another name (--row, --name), "
                    "or that it is left out (--drop)",
                    csv->file, csv->name[col]);
    }
    return MB_OK;
}

static mb_status put(mb_file *f, const char *text, mb_err *err)
{
    MB_TRY(mb_file_write(f, ",", 1, err));
    return mb_csv_put(f, text, err);
}

/* The measurement s of row r, unless it has no value. */
static mb_status put_one(convert *c, mb_file *f, int64_t r, int32_t s, mb_err *err)
{
    const mb_csv  *csv = &c->cells.csv;
    const char   **cell = csv->cell + r * csv->cols;
    const int32_t *at = c->at + s * c->nvalue;
    int            any = 0;

    for (int32_t v = 0; v < c->nvalue; v++)
        any |= at[v] >= 0 && !mb_cell_missing(cell[at[v]]);
    c->written += any;
    c->empty += !any;
    if (!any)
        return MB_OK;
    MB_TRY(mb_file_printf(f, err, "%lld", (long long)r + 1));
    for (int32_t col = 0; col < csv->cols; col++)
        if (!c->is_value[col])
            MB_TRY(put(f, cell[col], err));
    MB_TRY(put(f, c->suffix[s], err));
    for (int32_t v = 0; v < c->nvalue; v++)
        MB_TRY(put(f, at[v] >= 0 ? cell[at[v]] : "", err));
    return mb_file_write(f, "\n", 1, err);
}

static mb_status put_all(convert *c, mb_file *f, mb_err *err)
{
    const mb_csv *csv = &c->cells.csv;

    MB_TRY(mb_csv_put(f, c->opt.row, err));
    for (int32_t col = 0; col < csv->cols; col++)
        if (!c->is_value[col])
            MB_TRY(put(f, csv->name[col], err));
    MB_TRY(put(f, c->opt.name, err));
    for (int32_t v = 0; v < c->nvalue; v++)
        MB_TRY(put(f, c->value[v], err));
    MB_TRY(mb_file_write(f, "\n", 1, err));
    for (int64_t r = 0; r < csv->rows; r++)
        for (int32_t s = 0; s < c->nsuffix; s++)
            MB_TRY(put_one(c, f, r, s, err));
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    convert c = {.opt = *(const convert_opt *)opt};
    mb_file f;

    if (!c.opt.data || !c.opt.values || !c.opt.out)
        MB_FAIL(err, MB_E_ARG, "%s is missing: %s",
                !c.opt.data    ? "--data"
                : c.opt.values ? "--out"
                               : "--values",
                !c.opt.data    ? "the file to read"
                : c.opt.values ? "the file to write"
                               : "what was measured, the beginnings of names of columns");
    MB_TRY(split(a, c.opt.values, &c.value, &c.nvalue, err));
    MB_TRY(data_cells(a, c.opt.data, &c.opt.read, &c.cells, err));
    MB_TRY(find(&c, a, err));
    MB_TRY(check_names(&c, err));
    MB_TRY(mb_file_open(a, c.opt.out, &f, err));
    MB_TRY(mb_file_close(&f, put_all(&c, &f, err), err));
    data_tell(c.opt.out,
              "%lld measurements of %lld rows, at most %d each; %lld without a value "
              "are left out",
              (long long)c.written, (long long)c.cells.csv.rows, c.nsuffix, (long long)c.empty);
    return MB_OK;
}

const app_command data_convert = {
    .name = "convert",
    .summary = "repeated measurements, from columns to rows",
    .options = options,
    .size = sizeof(convert_opt),
    .work = work,
    .text =
        "From wide to long form: one row for each measurement instead of one for each thing that "
        "was measured. The columns NAME_1, NAME_2, .. of each name of --values become one column, "
        "the part that distinguishes them another, and the other columns are repeated. "
        "Measurements without a value are left out. The rows of a thing follow each other, with "
        "its number in the first column, as --group-column wants them.\n"
        "  id,sex,weight_1,weight_2      row,id,sex,measurement,weight\n"
        "  17,f,61.5,62.0            ->  1,17,f,1,61.5\n"
        "                                1,17,f,2,62.0\n"
        "  meshbayes data convert --data wide.csv --values weight --out long.csv\n"};
