/* edges.c - the links of a network, ids as in the data: CSV with columns i and j, or GraphML. */
#include "data/parse.h"

#include <string.h>

enum { LIST = 300 };
static const char *const given_name[2] = {"prob", "loss"};

/* The column of each value that a link may have, and the names of columns that are not read. */
static mb_status further(mb_arena *a, const mb_csv *csv, mb_edges *out, mb_err *err)
{
    char *unused;

    MB_NEW(unused, a, LIST, err);
    for (int32_t c = 0; c < csv->cols; c++) {
        int k = 0;

        while (k < 2 && strcmp(csv->name[c], given_name[k]) != 0)
            k++;
        if (k == 2 && strcmp(csv->name[c], "i") != 0 && strcmp(csv->name[c], "j") != 0)
            mb_list_add_(unused, LIST, csv->name[c]);
        if (k == 2)
            continue;
        MB_NEW(out->given[k], a, csv->rows + 1, err);
        for (int64_t r = 0; r < csv->rows; r++)
            out->given[k][r] = csv->cell[r * csv->cols + c];
    }
    out->unused = *unused ? unused : NULL;
    return MB_OK;
}

static mb_status from_csv(mb_arena *a, const char *file, mb_edges *out, mb_err *err)
{
    static const char *const names[2] = {"i", "j"};
    mb_csv                   csv;
    int32_t                  col[2];

    MB_TRY(mb_csv_read(a, file, &csv, err));
    for (int k = 0; k < 2; k++)
        MB_TRY(mb_csv_need_(&csv, MB_E_FORMAT, "end of a link", names[k], &col[k], err));
    out->m = csv.rows;
    out->line = csv.line;
    MB_TRY(further(a, &csv, out, err));
    MB_NEW(out->end, a, 2 * csv.rows + 1, err);
    for (int64_t r = 0; r < csv.rows; r++)
        for (int k = 0; k < 2; k++) {
            MB_TRY(mb_csv_filled_(&csv, r, col[k], err));
            out->end[2 * r + k] = csv.cell[r * csv.cols + col[k]];
        }
    return MB_OK;
}

mb_status mb_edges_read(mb_arena *a, const char *file, mb_edges *out, mb_err *err)
{
    memset(out, 0, sizeof *out);
    if (mb_path_ends(file, ".graphml"))
        MB_TRY(mb_graphml_read_(a, file, out, err));
    else
        MB_TRY(from_csv(a, file, out, err));
    for (int64_t e = 0; e < out->m; e++)
        if (!strcmp(out->end[2 * e], out->end[2 * e + 1]))
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: a link from node \"%.60s\" to itself", file,
                    (long long)out->line[e], out->end[2 * e]);
    return MB_OK;
}
