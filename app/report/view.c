/* view.c - view_rows.csv and view_shapes.csv: the data and the components on two columns. */
#include "report/parts.h"

#include <math.h>

static mb_status load_rows(report *r, mb_err *err)
{
    static const char *const names[] = {"x", "y", "component", "label"};
    mb_csv                   csv = {0};
    int32_t                  col[4];
    int                      there;

    MB_TRY(report_table(r, "view_rows.csv", names, 4, &csv, col, &there, err));
    if (!there)
        return MB_OK;
    MB_NEW(r->row, r->page.a, 2 * csv.rows + 1, err);
    MB_NEW(r->component, r->page.a, csv.rows + 1, err);
    MB_NEW(r->label, r->page.a, csv.rows + 1, err);
    for (int64_t j = 0; j < csv.rows; j++) {
        int64_t k;

        MB_TRY(mb_csv_number(&csv, j, col[0], &r->row[2 * j], err));
        if (r->ncol > 1)
            MB_TRY(mb_csv_number(&csv, j, col[1], &r->row[2 * j + 1], err));
        MB_TRY(mb_csv_integer(&csv, j, col[2], 0, INT32_MAX, &k, err));
        r->component[j] = (int32_t)k;
        r->label[j] = csv.cell[j * csv.cols + col[3]];
    }
    r->nrow = csv.rows;
    return MB_OK;
}

enum { S_ALGO, S_NODE, S_COMPONENT, S_WEIGHT, S_MX, S_MY, S_SXX, S_SXY, S_SYY, S_COUNT };

static mb_status one_shape(report *r, const mb_csv *csv, int64_t row, const int32_t *col,
                           report_shape *s, mb_err *err)
{
    const char *name = csv->cell[row * csv->cols + col[S_ALGO]];
    const int   k = report_find_algo(r, name);
    int64_t     component;

    if (k < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: algorithm \"%.60s\" is not in summary.json", csv->file,
                (long long)csv->line[row], name);
    s->algo = &r->algo[k];
    s->node = csv->cell[row * csv->cols + col[S_NODE]];
    MB_TRY(mb_csv_integer(csv, row, col[S_COMPONENT], 0, INT32_MAX, &component, err));
    s->component = (int32_t)component;
    MB_TRY(mb_csv_number(csv, row, col[S_WEIGHT], &s->weight, err));
    MB_TRY(mb_csv_number(csv, row, col[S_MX], &s->mx, err));
    MB_TRY(mb_csv_number(csv, row, col[S_SXX], &s->sxx, err));
    if (r->ncol < 2)
        return MB_OK;
    MB_TRY(mb_csv_number(csv, row, col[S_MY], &s->my, err));
    MB_TRY(mb_csv_number(csv, row, col[S_SXY], &s->sxy, err));
    return mb_csv_number(csv, row, col[S_SYY], &s->syy, err);
}

mb_status report_load_view(report *r, mb_err *err)
{
    static const char *const names[S_COUNT] = {"algorithm", "node", "component", "weight", "mx",
                                               "my",        "sxx",  "sxy",       "syy"};
    mb_csv                   csv = {0};
    int32_t                  col[S_COUNT];
    int                      there;

    if (!r->ncol)
        return MB_OK; /* this run shows no columns: files here are another run's */
    MB_TRY(load_rows(r, err));
    MB_TRY(report_table(r, "view_shapes.csv", names, S_COUNT, &csv, col, &there, err));
    if (!there)
        return MB_OK;
    MB_NEW(r->shape, r->page.a, csv.rows + 1, err);
    for (int64_t k = 0; k < csv.rows; k++)
        MB_TRY(one_shape(r, &csv, k, col, &r->shape[k], err));
    r->nshape = csv.rows;
    return MB_OK;
}
