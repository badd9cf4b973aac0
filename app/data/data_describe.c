/* data_describe.c - `meshbayes data describe`: what is in a CSV file. */
#include "data/data_cmd.h"

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

static mb_status describe_column(mb_arena *a, const mb_csv *csv, int32_t col, mb_err *err)
{
    double     lo = 0, hi = 0;
    data_texts t;
    int64_t    missing = 0;

    if (numbers(csv, col, &lo, &hi)) {
        printf("  %-20s numbers  %.9g to %.9g%s\n", csv->name[col], lo, hi,
               lo < hi ? "" : " (constant)");
        return MB_OK;
    }
    MB_TRY(data_texts_of(a, csv, col, csv->rows, NULL, &t, err));
    for (int64_t r = 0; r < csv->rows; r++)
        missing += !*csv->cell[r * csv->cols + col];
    printf("  %-20s text     %d different, %lld missing\n", csv->name[col], t.count,
           (long long)missing);
    return MB_OK;
}

static mb_status describe_nodes(mb_arena *a, const mb_csv *csv, int32_t col, mb_err *err)
{
    data_texts node;
    int64_t   *rows, least, most;

    MB_TRY(data_texts_of(a, csv, col, csv->rows, NULL, &node, err));
    MB_NEW(rows, a, node.count + 1, err);
    for (int64_t r = 0; r < csv->rows; r++)
        rows[node.index[r]]++;
    least = most = rows[0];
    for (int32_t i = 1; i < node.count; i++) {
        least = rows[i] < least ? rows[i] : least;
        most = rows[i] > most ? rows[i] : most;
    }
    printf("%d nodes, %lld to %lld rows each\n", node.count, (long long)least, (long long)most);
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const describe_opt *o = opt;
    mb_csv              csv;
    int32_t             node;

    if (!o->data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV file to read");
    MB_TRY(mb_csv_read(a, o->data, &csv, err));
    node = o->node_column ? mb_csv_find(&csv, o->node_column) : -1;
    if (o->node_column && node < 0)
        MB_FAIL(err, MB_E_ARG, "--node-column: %s has no column \"%s\"", csv.file, o->node_column);
    printf("%s: %lld rows, %d columns\n", csv.file, (long long)csv.rows, csv.cols);
    for (int32_t c = 0; c < csv.cols; c++)
        MB_TRY(describe_column(a, &csv, c, err));
    return node < 0 ? MB_OK : describe_nodes(a, &csv, node, err);
}

const app_command data_describe = {
    .name = "describe",
    .summary = "the columns of a CSV file and their ranges",
    .options = options,
    .size = sizeof(describe_opt),
    .work = work,
    .text = "  meshbayes data describe --data rows.csv --node-column node\n"};
