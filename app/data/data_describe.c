/* data_describe.c - `meshbayes data describe`: what is in files of rows. */
#include "base/rows_opt.h"
#include "data/data_cmd.h"

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
    ROWS_TEXT_OPTIONS(describe_opt, read, "also say how many rows the nodes have",
                      "also say how many rows the classes have",
                      "also say what the weights sum to"),
    {.name = NULL}};

/* 1 when every cell that has a value is a finite number, and some has, with the range. */
static int numbers(const mb_csv *csv, int32_t col, double *lo, double *hi, int64_t *missing)
{
    int64_t seen = 0;

    *missing = 0;
    for (int64_t r = 0; r < csv->rows; r++) {
        const char *text = csv->cell[r * csv->cols + col];
        double      x;

        if (mb_parse_double(text, &x)) {
            if (!mb_cell_missing(text))
                return 0;
            ++*missing;
            continue;
        }
        *lo = seen && *lo < x ? *lo : x;
        *hi = seen && *hi > x ? *hi : x;
        seen++;
    }
    return seen > 0;
}

static mb_status describe_column(mb_arena *a, const mb_csv *csv, int32_t col, mb_err *err)
{
    double     lo = 0, hi = 0;
    data_texts t;
    int64_t    missing;

    if (numbers(csv, col, &lo, &hi, &missing)) {
        printf("  %-20s numbers  %.9g to %.9g%s", csv->name[col], lo, hi,
               lo < hi ? "" : " (constant)");
        if (missing)
            printf(", %lld missing", (long long)missing);
        putchar('\n');
        return MB_OK;
    }
    MB_TRY(data_texts_of(a, csv, col, csv->rows, NULL, &t, err));
    missing = 0;
    for (int64_t r = 0; r < csv->rows; r++)
        missing += mb_cell_missing(csv->cell[r * csv->cols + col]);
    printf("  %-20s text     %d different, %lld missing\n", csv->name[col], t.count,
           (long long)missing);
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
    printf("%s: %lld rows, %d columns\n", csv->file, (long long)csv->rows, csv->cols);
    for (int32_t c = 0; c < csv->cols; c++)
        MB_TRY(describe_column(a, csv, c, err));
    if (cells.files.n > 1 && !o->read.node_column)
        MB_TRY(describe_parts(a, files, csv->rows, cells.of, cells.files.n, err));
    MB_TRY(describe_texts(a, nodes, csv, o->read.node_column, err));
    MB_TRY(describe_texts(a, classes, csv, o->read.label_column, err));
    return describe_weights(&cells, o->read.weight_column, err);
}

const app_command data_describe = {
    .name = "describe",
    .summary = "the columns of files of rows and their ranges",
    .options = options,
    .size = sizeof(describe_opt),
    .work = work,
    .text = "  meshbayes data describe --data rows.csv --node-column node\n"
            "  meshbayes data describe --data berlin.csv,bonn.csv --missing drop\n"};
