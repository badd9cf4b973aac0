/* edges.c - the links of a network: CSV with columns i and j, node ids as in the data. */
#include "io/parse.h"

#include <string.h>

mb_status mb_edges_read(mb_arena *a, const char *file, mb_edges *out, mb_err *err)
{
    static const char *const names[2] = {"i", "j"};
    mb_csv                   csv;
    int32_t                  col[2];

    memset(out, 0, sizeof *out);
    MB_TRY(mb_csv_read(a, file, &csv, err));
    for (int k = 0; k < 2; k++)
        MB_TRY(mb_csv_need_(&csv, MB_E_FORMAT, "end of a link", names[k], &col[k], err));
    out->m = csv.rows;
    out->line = csv.line;
    MB_NEW(out->end, a, 2 * csv.rows + 1, err);
    for (int64_t r = 0; r < csv.rows; r++) {
        for (int k = 0; k < 2; k++) {
            MB_TRY(mb_csv_filled_(&csv, r, col[k], err));
            out->end[2 * r + k] = csv.cell[r * csv.cols + col[k]];
        }
        if (!strcmp(out->end[2 * r], out->end[2 * r + 1]))
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: a link from node \"%.60s\" to itself", file,
                    (long long)csv.line[r], out->end[2 * r]);
    }
    return MB_OK;
}
