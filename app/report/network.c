/* network.c - network.csv, edges.csv and nodes.csv. */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Node with that id by bisection in by_id; -1: none. */
static int64_t find_node(const report *r, const char *id)
{
    int64_t low = 0, high = r->nnode - 1;

    while (low <= high) {
        const int64_t mid = (low + high) / 2;
        const int     side = strcmp(id, r->node_id[r->by_id[mid]]);

        if (side == 0)
            return r->by_id[mid];
        if (side < 0)
            high = mid - 1;
        else
            low = mid + 1;
    }
    return -1;
}

static mb_status need_node(const report *r, const mb_csv *csv, int64_t row, int32_t col,
                           int32_t *out, mb_err *err)
{
    const char   *id = csv->cell[row * csv->cols + col];
    const int64_t i = find_node(r, id);

    if (i < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: node \"%.60s\" is not in network.csv", csv->file,
                (long long)csv->line[row], id);
    *out = (int32_t)i;
    return MB_OK;
}

typedef struct keyed {
    const char *id;
    int32_t     at;
} keyed;

static int by_bytes(const void *a, const void *b)
{
    return strcmp(((const keyed *)a)->id, ((const keyed *)b)->id);
}

static mb_status index_nodes(report *r, const mb_csv *csv, mb_err *err)
{
    keyed *key;

    MB_NEW(key, r->page.a, r->nnode + 1, err);
    MB_NEW(r->by_id, r->page.a, r->nnode + 1, err);
    for (int32_t i = 0; i < r->nnode; i++)
        key[i] = (keyed){r->node_id[i], i};
    qsort(key, (size_t)r->nnode, sizeof *key, by_bytes);
    for (int64_t i = 0; i < r->nnode; i++) {
        r->by_id[i] = key[i].at;
        if (i > 0 && !strcmp(key[i].id, key[i - 1].id))
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: node \"%.60s\" is there twice", csv->file,
                    (long long)csv->line[key[i].at], key[i].id);
    }
    return MB_OK;
}

static mb_status load_edges(report *r, mb_err *err)
{
    static const char *const names[] = {"i", "j"};
    mb_csv                   csv = {0};
    int32_t                  col[2] = {0};
    int                      there;

    MB_TRY(report_table(r, "edges.csv", names, 2, &csv, col, &there, err));
    if (!there)
        return MB_OK;
    MB_NEW(r->edge, r->page.a, 2 * csv.rows + 1, err);
    for (int64_t e = 0; e < csv.rows; e++) {
        MB_TRY(need_node(r, &csv, e, col[0], &r->edge[2 * e], err));
        MB_TRY(need_node(r, &csv, e, col[1], &r->edge[2 * e + 1], err));
    }
    r->nedge = csv.rows;
    return MB_OK;
}

mb_status report_load_network(report *r, mb_err *err)
{
    static const char *const names[] = {"node", "x", "y"};
    mb_csv                   csv = {0};
    int32_t                  col[3] = {0};
    int                      there;

    MB_TRY(report_table(r, "network.csv", names, 3, &csv, col, &there, err));
    if (!there)
        return MB_OK;
    MB_NEW(r->node_id, r->page.a, csv.rows + 1, err);
    MB_NEW(r->xy, r->page.a, 2 * csv.rows + 1, err);
    for (int64_t i = 0; i < csv.rows; i++) {
        r->node_id[i] = csv.cell[i * csv.cols + col[0]];
        MB_TRY(mb_csv_number(&csv, i, col[1], &r->xy[2 * i], err));
        MB_TRY(mb_csv_number(&csv, i, col[2], &r->xy[2 * i + 1], err));
    }
    r->nnode = csv.rows;
    MB_TRY(index_nodes(r, &csv, err));
    return load_edges(r, err);
}

static mb_status node_planes(report *r, report_algo *a, mb_err *err)
{
    MB_NEW(a->apart, r->page.a, r->nnode + 1, err);
    MB_NEW(a->off, r->page.a, r->nnode + 1, err);
    for (int64_t i = 0; i < r->nnode; i++)
        a->apart[i] = PAGE_NAN;
    return MB_OK;
}

mb_status report_load_nodes(report *r, mb_err *err)
{
    static const char *const names[] = {"algorithm", "node", "disagreement", "outside"};
    mb_csv                   csv = {0};
    int32_t                  col[4], i;
    int                      there;

    MB_TRY(report_table(r, "nodes.csv", names, 4, &csv, col, &there, err));
    if (!there || !r->nnode)
        return MB_OK;
    for (int64_t row = 0; row < csv.rows; row++) {
        const char *name = csv.cell[row * csv.cols + col[0]];
        const int   k = report_find_algo(r, name);
        int64_t     off;

        if (k < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: algorithm \"%.60s\" is not in summary.json",
                    csv.file, (long long)csv.line[row], name);
        report_algo *a = &r->algo[k];

        if (a->central)
            continue; /* its one node is no place of the network */
        if (!a->apart)
            MB_TRY(node_planes(r, a, err));
        MB_TRY(need_node(r, &csv, row, col[1], &i, err));
        MB_TRY(report_cell(&csv, row, col[2], &a->apart[i], err));
        MB_TRY(mb_csv_integer(&csv, row, col[3], 0, 1, &off, err));
        a->off[i] = (uint8_t)off;
    }
    return MB_OK;
}
