/* data_describe.c - `meshbayes data describe`: what is in a CSV file. */
#include "data/data_cmd.h"

#include <string.h>

typedef struct describe_opt {
    const char *data, *node_column;
} describe_opt;

#define AT(field) offsetof(describe_opt, field)
static const mb_opt options[] = {
    {"data", MB_OPT_INPUT, AT(data), .choices = "FILE.csv", .help = "the file to describe"},
    {"node-column", MB_OPT_TEXT, AT(node_column), .choices = "NAME",
     .help = "also say how many rows the nodes have"},
    {.name = NULL}};

/* 1 when every cell is a finite number, with the range. */
static int numbers(const mb_csv *csv, int32_t col, double *lo, double *hi)
{
    for (int64_t r = 0; r < csv->rows; r++) {
        double x;

        if (mb_parse_double(csv->cell[r * csv->cols + col], &x))
            return 0;
        *lo = r && *lo < x ? *lo : x;
        *hi = r && *hi > x ? *hi : x;
    }
    return csv->rows > 0;
}

static mb_status index_column(mb_arena *a, const mb_csv *csv, int32_t col, int32_t **index,
                              int32_t *count, mb_err *err)
{
    const char **text, **list;

    MB_NEW(text, a, csv->rows + 1, err);
    MB_NEW(*index, a, csv->rows + 1, err);
    for (int64_t r = 0; r < csv->rows; r++)
        text[r] = csv->cell[r * csv->cols + col];
    return mb_ids_index(a, csv->file, csv->rows, text, *index, &list, count, err);
}

static mb_status describe_column(mb_arena *a, const mb_csv *csv, int32_t col, mb_err *err)
{
    double   lo = 0, hi = 0;
    int32_t *index, count = 0;
    int64_t  missing = 0;

    if (numbers(csv, col, &lo, &hi)) {
        printf("  %-20s numbers  %.9g to %.9g%s\n", csv->name[col], lo, hi,
               lo < hi ? "" : " (constant)");
        return MB_OK;
    }
    MB_TRY(index_column(a, csv, col, &index, &count, err));
    for (int64_t r = 0; r < csv->rows; r++)
        missing += !*csv->cell[r * csv->cols + col];
    printf("  %-20s text     %d different, %lld missing\n", csv->name[col], count,
           (long long)missing);
    return MB_OK;
}

static mb_status describe_nodes(mb_arena *a, const mb_csv *csv, const char *column, mb_err *err)
{
    int32_t *index, N = 0, col = mb_csv_find(csv, column);
    int64_t *rows, least, most;

    if (col < 0)
        MB_FAIL(err, MB_E_ARG, "--node-column: %s has no column \"%s\"", csv->file, column);
    MB_TRY(index_column(a, csv, col, &index, &N, err));
    MB_NEW(rows, a, N + 1, err);
    for (int64_t r = 0; r < csv->rows; r++)
        rows[index[r]]++;
    least = most = rows[0];
    for (int32_t i = 1; i < N; i++) {
        least = rows[i] < least ? rows[i] : least;
        most = rows[i] > most ? rows[i] : most;
    }
    printf("%d nodes, %lld to %lld rows each\n", N, (long long)least, (long long)most);
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const describe_opt *o = opt;
    mb_csv              csv;

    if (!o->data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV file to read");
    MB_TRY(mb_csv_read(a, o->data, &csv, err));
    if (o->node_column && mb_csv_find(&csv, o->node_column) < 0)
        MB_FAIL(err, MB_E_ARG, "--node-column: %s has no column \"%s\"", csv.file, o->node_column);
    printf("%s: %lld rows, %d columns\n", csv.file, (long long)csv.rows, csv.cols);
    for (int32_t c = 0; c < csv.cols; c++)
        MB_TRY(describe_column(a, &csv, c, err));
    return o->node_column ? describe_nodes(a, &csv, o->node_column, err) : MB_OK;
}

const app_command data_describe = {
    .name = "describe",
    .summary = "the columns of a CSV file and their ranges",
    .options = options,
    .size = sizeof(describe_opt),
    .work = work,
    .text = "  meshbayes data describe --data rows.csv --node-column node\n"};
