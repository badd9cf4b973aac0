/* graph_files.c - networks, positions and weights from files. */
#include "network/graph_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names sorted by bytes, to find the index of one. */
typedef struct entry {
    const char *name;
    int32_t     index;
} entry;
typedef struct book {
    entry  *entry;
    int32_t count;
} book;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static mb_status make_book(mb_arena *a, const char *const *id, int32_t count, book *out,
                           mb_err *err)
{
    MB_NEW(out->entry, a, count, err);
    out->count = count;
    for (int32_t i = 0; i < count; i++)
        out->entry[i] = (entry){id[i], i};
    qsort(out->entry, (size_t)count, sizeof *out->entry, by_name);
    return MB_OK;
}

/* -1: not there. */
static int32_t find(const book *b, const char *name)
{
    const entry  wanted = {name, 0};
    const entry *found = bsearch(&wanted, b->entry, (size_t)b->count, sizeof wanted, by_name);

    return found ? found->index : -1;
}

/* Columns by name, all of them needed. */
static mb_status columns(const mb_csv *csv, const char *const name[3], int32_t col[3], mb_err *err)
{
    for (int k = 0; k < 3; k++) {
        col[k] = mb_csv_find(csv, name[k]);
        if (col[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:1: no column \"%s\", accepted: %s, %s and %s", csv->file,
                    name[k], name[0], name[1], name[2]);
    }
    return MB_OK;
}

mb_status graph_edges_file(mb_arena *a, const char *file, const char *const *extra, int32_t nextra,
                           const char ***id, int32_t *count, mb_graph *out, mb_err *err)
{
    mb_edges     list;
    const char **text;
    int32_t     *index;
    int64_t      ends, n;

    MB_TRY(mb_edges_read(a, file, &list, err));
    ends = 2 * list.m;
    n = ends + list.nodes + nextra;
    if (!n)
        MB_FAIL(err, MB_E_FORMAT, "%s: no links in the file", file);
    MB_NEW(text, a, n, err);
    MB_NEW(index, a, n, err);
    for (int64_t e = 0; e < n; e++)
        text[e] = e < ends                ? list.end[e]
                  : e < ends + list.nodes ? list.node[e - ends]
                                          : extra[e - ends - list.nodes];
    MB_TRY(mb_ids_index(a, file, n, text, index, id, count, err));
    return mb_graph_from_edges(a, *count, list.m, index, out, err);
}

static mb_status positions_csv(mb_arena *a, const char *file, const book *b, double *xy,
                               uint8_t *seen, mb_err *err)
{
    static const char *const name[3] = {"node", "x", "y"};
    mb_csv                   csv;
    int32_t                  col[3];

    MB_TRY(mb_csv_read(a, file, &csv, err));
    MB_TRY(columns(&csv, name, col, err));
    for (int64_t r = 0; r < csv.rows; r++) {
        const int32_t i = find(b, csv.cell[r * csv.cols + col[0]]);

        if (i < 0)
            continue;
        seen[i] = 1;
        for (int k = 0; k < 2; k++)
            MB_TRY(mb_csv_number(&csv, r, col[k + 1], &xy[2 * i + k], err));
    }
    return MB_OK;
}

static mb_status positions_graphml(mb_arena *a, const char *file, const book *b, double *xy,
                                   uint8_t *seen, mb_err *err)
{
    mb_edges list;

    MB_TRY(mb_edges_read(a, file, &list, err));
    for (int32_t k = 0; list.xy && k < list.nodes; k++) {
        const int32_t i = find(b, list.node[k]);

        if (i < 0 || isnan(list.xy[2 * k]) || isnan(list.xy[2 * k + 1]))
            continue;
        seen[i] = 1;
        memcpy(xy + 2 * i, list.xy + 2 * k, 2 * sizeof *xy);
    }
    return MB_OK;
}

/* *missing: the first node without a position, or -1. */
static mb_status read_positions(mb_arena *a, const char *file, const char *const *id, int32_t n,
                                double *xy, int32_t *missing, mb_err *err)
{
    book     b = {0};
    uint8_t *seen;

    MB_TRY(make_book(a, id, n, &b, err));
    MB_NEW(seen, a, n, err);
    if (mb_path_ends(file, ".graphml"))
        MB_TRY(positions_graphml(a, file, &b, xy, seen, err));
    else
        MB_TRY(positions_csv(a, file, &b, xy, seen, err));
    *missing = -1;
    for (int32_t i = n - 1; i >= 0; i--)
        if (!seen[i])
            *missing = i;
    return MB_OK;
}

mb_status graph_positions(mb_arena *a, const char *file, const char *const *id, int32_t n,
                          double *xy, mb_err *err)
{
    int32_t missing;

    MB_TRY(read_positions(a, file, id, n, xy, &missing, err));
    if (missing >= 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: node \"%.60s\" has no position, accepted: x and y of each",
                file, id[missing]);
    return MB_OK;
}

mb_status graph_own_positions(mb_arena *a, const char *network, const char *const *id, int32_t n,
                              double **xy, mb_err *err)
{
    int32_t missing;

    *xy = NULL;
    if (!mb_path_ends(network, ".graphml"))
        return MB_OK;
    MB_NEW(*xy, a, 2 * (size_t)n, err);
    MB_TRY(read_positions(a, network, id, n, *xy, &missing, err));
    if (missing >= 0)
        *xy = NULL;
    return MB_OK;
}

/* The nodes' names, or numbers from 1. */
static mb_status names(mb_arena *a, const char *const *id, int32_t n, book *out, mb_err *err)
{
    enum { WIDTH = 12 };
    char        *text;
    const char **number;

    if (id)
        return make_book(a, id, n, out, err);
    MB_NEW(text, a, WIDTH * (size_t)n, err);
    MB_NEW(number, a, n, err);
    for (int32_t i = 0; i < n; i++) {
        snprintf(text + WIDTH * (size_t)i, WIDTH, "%d", i + 1);
        number[i] = text + WIDTH * (size_t)i;
    }
    return make_book(a, number, n, out, err);
}

static mb_status triples(const mb_csv *csv, const book *b, int32_t *ij, double *w, mb_err *err)
{
    static const char *const name[3] = {"i", "j", "w"};
    int32_t                  col[3];

    MB_TRY(columns(csv, name, col, err));
    for (int64_t r = 0; r < csv->rows; r++) {
        for (int k = 0; k < 2; k++) {
            const char *cell = csv->cell[r * csv->cols + col[k]];

            ij[2 * r + k] = find(b, cell);
            if (ij[2 * r + k] < 0)
                MB_FAIL(err, MB_E_FORMAT,
                        "%s:%lld: column %s: \"%.60s\" is not a node of the network", csv->file,
                        (long long)csv->line[r], k ? "j" : "i", cell);
        }
        MB_TRY(mb_csv_number(csv, r, col[2], &w[r], err));
    }
    return MB_OK;
}

static mb_status from_file(mb_arena *a, const char *file, const char *const *id, const mb_graph *g,
                           mb_weights *out, mb_err *err)
{
    mb_csv   csv;
    mb_err   reason = {0};
    book     b = {0};
    int32_t *ij;
    double  *w;

    MB_TRY(mb_csv_read(a, file, &csv, err));
    MB_TRY(names(a, id, g->n, &b, err));
    MB_NEW(ij, a, 2 * csv.rows, err);
    MB_NEW(w, a, csv.rows, err);
    MB_TRY(triples(&csv, &b, ij, w, err));
    if (mb_weights_from(a, g, id, csv.rows, ij, w, out, &reason) < 0)
        MB_FAIL(err, reason.code == MB_E_ARG ? MB_E_FORMAT : reason.code, "%s: %s", file,
                reason.msg);
    return MB_OK;
}

mb_status graph_weights(mb_arena *a, const char *text, const char *const *id, const mb_graph *g,
                        mb_weights *out, char *warning, size_t cap, mb_err *err)
{
    static const char *const rule[] = {
        [MB_NEAREST] = "nearest", [MB_METROPOLIS] = "metropolis", [MB_LAPLACIAN] = "laplacian"};
    double error;

    warning[0] = 0;
    for (int r = MB_NEAREST; r <= MB_LAPLACIAN; r++)
        if (!strcmp(text, rule[r]))
            return mb_weights_make(a, g, (mb_rule)r, out, err);
    if (strncmp(text, "file:", 5) != 0 || !text[5])
        MB_FAIL(err, MB_E_ARG,
                "--weights: \"%.60s\" is not known, accepted: nearest, metropolis, laplacian or "
                "file:F.csv",
                text);
    MB_TRY(from_file(a, text + 5, id, g, out, err));
    error = mb_weights_column_error(g, out);
    if (error > GRAPH_COLUMN_TOLERANCE)
        snprintf(warning, cap,
                 "%s: columns of the weights do not sum to 1 (by up to %.3g): the nodes agree on a "
                 "weighted mean, not on the mean of the network",
                 text + 5, error);
    return MB_OK;
}
