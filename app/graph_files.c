/* graph_files.c - networks and weights from files. */
#include "graph_files.h"

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

mb_status graph_edges_file(mb_arena *a, const char *file, const char *const *extra, int32_t nextra,
                           const char ***id, int32_t *count, mb_graph *out, mb_err *err)
{
    mb_edges list;
    book     b = {0};
    int32_t *pair;

    MB_TRY(mb_edges_read(a, file, &list, err));
    if (list.m > (INT32_MAX - nextra) / 2)
        MB_FAIL(err, MB_E_NOSUP, "%s: %lld links, accepted: up to %d", file, (long long)list.m,
                (INT32_MAX - nextra) / 2);
    if (!list.m && !nextra)
        MB_FAIL(err, MB_E_FORMAT, "%s: no links below the header line", file);
    *count = (int32_t)(2 * list.m) + nextra;
    MB_NEW(*id, a, *count, err);
    for (int64_t e = 0; e < 2 * list.m; e++)
        (*id)[e] = list.end[e];
    for (int32_t i = 0; i < nextra; i++)
        (*id)[2 * list.m + i] = extra[i];
    mb_ids_sort(*id, count);
    MB_TRY(make_book(a, *id, *count, &b, err));
    MB_NEW(pair, a, 2 * list.m, err);
    for (int64_t e = 0; e < 2 * list.m; e++)
        pair[e] = find(&b, list.end[e]);
    return mb_graph_from_edges(a, *count, list.m, pair, out, err);
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

static mb_status columns(const mb_csv *csv, int32_t col[3], mb_err *err)
{
    static const char *const name[3] = {"i", "j", "w"};

    for (int k = 0; k < 3; k++) {
        col[k] = mb_csv_find(csv, name[k]);
        if (col[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:1: no column \"%s\", accepted: i, j and w", csv->file,
                    name[k]);
    }
    return MB_OK;
}

static mb_status triples(const mb_csv *csv, const book *b, int32_t *ij, double *w, mb_err *err)
{
    int32_t col[3];

    MB_TRY(columns(csv, col, err));
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
