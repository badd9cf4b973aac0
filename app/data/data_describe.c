/* data_describe.c - `meshbayes data describe`: what is in files of rows. */
#include "base/rows_opt.h"
#include "data/data_cmd.h"

#include <math.h>

typedef struct describe_opt {
    const char *data;
    mb_data_opt read;
} describe_opt;

#define AT(field) offsetof(describe_opt, field)
static const mb_opt options[] = {
    {"data", MB_OPT_INPUT, AT(data), .choices = "FILE|FILE,FILE,..|DIR",
     .help =
         "the rows to describe: CSV, NPY or NPZ (FILE.npz:ARRAY), - for standard input; several "
         "files, or a folder, for all their rows"},
    ROWS_TEXT_OPTIONS(describe_opt, read, "also print how many rows each node has",
                      "also print how many rows each class has",
                      "also print the sum of the weights"),
    ROWS_KINDS(ROWS_PLAIN, describe_opt, read),
    {.name = NULL}};

/* " f 2, m 1" of a category or a flag: the rows of each level, of the first few. */
static mb_status print_levels(mb_arena *a, const mb_column *c, int64_t n, const double *code,
                              mb_err *err)
{
    enum { SHOWN = 6 };
    const int32_t few = c->levels <= SHOWN ? c->levels : SHOWN;
    int64_t      *rows;

    MB_NEW(rows, a, c->levels + 1, err);
    for (int64_t r = 0; r < n; r++)
        if (!isnan(code[r]))
            rows[(int32_t)code[r]]++;
    for (int32_t l = 0; l < few; l++)
        printf("%s%s: %lld", l ? ", " : "",
               c->kind == MB_COLUMN_FLAG ? (l ? "1" : "0") : c->level[l], (long long)rows[l]);
    if (few < c->levels)
        printf(" and %d more", c->levels - few);
    return MB_OK;
}

static void print_range(int64_t n, const double *x)
{
    double lo = HUGE_VAL, hi = -HUGE_VAL;

    for (int64_t r = 0; r < n; r++)
        if (!isnan(x[r])) {
            lo = fmin(lo, x[r]);
            hi = fmax(hi, x[r]);
        }
    if (lo <= hi)
        printf("%.9g to %.9g%s", lo, hi, lo < hi ? "" : " (constant)");
    else
        fputs("no values", stdout);
}

/* What the column is: as it is declared, or recognised; words after numbers make it a category. */
static mb_status look(mb_arena *a, const mb_csv *csv, int32_t col, const mb_column *known,
                      mb_column *out, double *code, int *both, mb_err *err)
{
    const mb_column words = {.kind = MB_COLUMN_CATEGORY};
    const mb_status st = mb_csv_column(a, csv, col, known, out, code, err);

    *both = st == MB_E_FORMAT && !known;
    return *both ? mb_csv_column(a, csv, col, &words, out, code, err) : st;
}

/* gap: rows, 1 where a value is missing. */
static mb_status describe_column(mb_arena *a, const mb_csv *csv, int32_t col,
                                 const mb_column *known, uint8_t *gap, mb_err *err)
{
    int64_t   missing = 0;
    double   *code;
    mb_column c;
    int       both;

    MB_NEW(code, a, csv->rows + 1, err);
    MB_TRY(look(a, csv, col, known, &c, code, &both, err));
    printf("  %-20s %-9s ", csv->name[col], mb_column_word(c.kind));
    if (c.kind == MB_COLUMN_CATEGORY || c.kind == MB_COLUMN_FLAG)
        MB_TRY(print_levels(a, &c, csv->rows, code, err));
    else
        print_range(csv->rows, code);
    for (int64_t r = 0; r < csv->rows; r++) {
        missing += isnan(code[r]) != 0;
        gap[r] = gap[r] || isnan(code[r]);
    }
    if (missing)
        printf(", %lld missing", (long long)missing);
    puts(both ? " (numbers and words)" : "");
    return MB_OK;
}

static mb_status describe_columns(mb_arena *a, const mb_csv *csv, const char *declared, mb_err *err)
{
    int64_t    rows = 0;
    mb_column *kind;
    uint8_t   *given, *gap;

    MB_NEW(kind, a, csv->cols + 1, err);
    MB_NEW(given, a, csv->cols + 1, err);
    MB_NEW(gap, a, csv->rows + 1, err);
    if (declared)
        MB_TRY(mb_columns_declare(a, declared, csv->cols, csv->name, kind, given, err));
    for (int32_t c = 0; c < csv->cols; c++)
        MB_TRY(describe_column(a, csv, c, given[c] ? &kind[c] : NULL, gap, err));
    for (int64_t r = 0; r < csv->rows; r++)
        rows += gap[r];
    if (rows)
        printf("%lld of %lld rows have a value missing\n", (long long)rows, (long long)csv->rows);
    return MB_OK;
}

/* "3 nodes, 10 to 20 rows each". index: of each row. what: one, and several. */
static mb_status describe_parts(mb_arena *a, const char *const what[2], int64_t n,
                                const int32_t *index, int32_t count, mb_err *err)
{
    int64_t *rows, least, most;

    MB_NEW(rows, a, count + 1, err);
    for (int64_t r = 0; r < n; r++)
        rows[index[r]]++;
    least = most = rows[0];
    for (int32_t i = 1; i < count; i++) {
        least = rows[i] < least ? rows[i] : least;
        most = rows[i] > most ? rows[i] : most;
    }
    printf("%d %s, %lld to %lld rows each\n", count, what[count != 1], (long long)least,
           (long long)most);
    return MB_OK;
}

static mb_status describe_texts(mb_arena *a, const char *const what[2], const mb_csv *csv,
                                const char *column, mb_err *err)
{
    data_texts t;

    if (!column)
        return MB_OK;
    MB_TRY(data_texts_of(a, csv, mb_csv_find(csv, column), csv->rows, NULL, &t, err));
    return describe_parts(a, what, csv->rows, t.index, t.count, err);
}

static mb_status describe_weights(const mb_cells *cells, const char *column, mb_err *err)
{
    double sum = 0;

    if (!column)
        return MB_OK;
    for (int64_t r = 0; r < cells->csv.rows; r++) {
        const mb_csv csv = data_csv_at(cells, r);
        double       w;

        MB_TRY(mb_csv_bounded(&csv, r, mb_csv_find(&csv, column), MB_WEIGHT_MAX, &w, err));
        if (w < 0)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s:%lld: column \"%.60s\": got weight %.9g; expected 0 or more", csv.file,
                    (long long)csv.line[r], column, w);
        sum += w;
    }
    printf("weights sum to %.9g\n", sum);
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    static const char *const nodes[] = {"node", "nodes"}, *const classes[] = {"class", "classes"};
    static const char *const files[] = {"file", "files"};
    const describe_opt      *o = opt;
    mb_cells                 cells;
    const mb_csv            *csv = &cells.csv;

    if (!o->data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the file to read");
    MB_TRY(data_cells(a, o->data, &o->read, &cells, err));
    printf("%s: %lld row%s, %d column%s\n", csv->file, (long long)csv->rows, app_plural(csv->rows),
           csv->cols, app_plural(csv->cols));
    MB_TRY(describe_columns(a, csv, o->read.column, err));
    if (cells.files.n > 1 && !o->read.node_column)
        MB_TRY(describe_parts(a, files, csv->rows, cells.of, cells.files.n, err));
    MB_TRY(describe_texts(a, nodes, csv, o->read.node_column, err));
    MB_TRY(describe_texts(a, classes, csv, o->read.label_column, err));
    return describe_weights(&cells, o->read.weight_column, err);
}

const app_command data_describe = {
    .name = "describe",
    .summary = "the columns of files of rows, their kinds, ranges and gaps",
    .options = options,
    .size = sizeof(describe_opt),
    .work = work,
    .text = "What each column is as a model of mixed columns (lca) takes it, unless --column "
            "declares another kind, with its range or the rows of its levels. Other models need "
            "numbers; counts and flags are numbers, too.\n"
            "  meshbayes data describe --data rows.csv --node-column node\n"
            "  meshbayes data describe --data berlin.csv,bonn.csv --missing drop\n"};
