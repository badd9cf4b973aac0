/* file_parts.c - positions and weights of a network from files. */
#include "base/format.h"
#include "network/file.h"
#include "network/graph.h"
#include "network/network.h"

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

/* -1: absent. */
static int32_t find(const book *b, const char *name)
{
    const entry  wanted = {name, 0};
    const entry *found = bsearch(&wanted, b->entry, (size_t)b->count, sizeof wanted, by_name);

    return found ? found->index : -1;
}

/* Columns by name; all are required. */
static mb_status columns(const mb_csv *csv, const char *const name[3], int32_t col[3], mb_err *err)
{
    for (int k = 0; k < 3; k++) {
        col[k] = mb_csv_find(csv, name[k]);
        if (col[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:1: no column \"%s\"; expected %s, %s and %s", csv->file,
                    name[k], name[0], name[1], name[2]);
    }
    return MB_OK;
}

mb_status mb_no_positions_(mb_arena *a, int32_t n, double **xy, mb_err *err)
{
    MB_NEW(*xy, a, 2 * (size_t)n, err);
    for (size_t k = 0; k < 2 * (size_t)n; k++)
        (*xy)[k] = (double)NAN;
    return MB_OK;
}

int32_t mb_position_missing_(const double *xy, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (isnan(xy[2 * i]) || isnan(xy[2 * i + 1]))
            return i;
    return -1;
}

static mb_status positions_csv(mb_arena *a, const char *file, const book *b, double *xy,
                               mb_err *err)
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
        for (int k = 0; k < 2; k++)
            MB_TRY(mb_csv_number(&csv, r, col[k + 1], &xy[2 * i + k], err));
    }
    return MB_OK;
}

static mb_status positions_graphml(mb_arena *a, const char *file, const book *b, double *xy,
                                   mb_err *err)
{
    mb_edges list;

    MB_TRY(mb_edges_read(a, file, &list, err));
    for (int32_t k = 0; list.xy && k < list.nodes; k++) {
        const int32_t i = find(b, list.node[k]);

        if (i < 0 || isnan(list.xy[2 * k]) || isnan(list.xy[2 * k + 1]))
            continue;
        memcpy(xy + 2 * i, list.xy + 2 * k, 2 * sizeof *xy);
    }
    return MB_OK;
}

mb_status mb_network_positions_(mb_arena *a, const char *file, const mb_network *net, double **out,
                                mb_err *err)
{
    book    b = {0};
    int32_t without;

    MB_TRY(make_book(a, net->id, net->n, &b, err));
    MB_TRY(mb_no_positions_(a, net->n, out, err));
    if (mb_path_ends(file, ".graphml"))
        MB_TRY(positions_graphml(a, file, &b, *out, err));
    else
        MB_TRY(positions_csv(a, file, &b, *out, err));
    without = mb_position_missing_(*out, net->n);
    if (without >= 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: node \"%.60s\" has no position; expected x and y of each",
                file, net->id[without]);
    return MB_OK;
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

/* Weights whose columns do not sum to 1 move the mean. */
static mb_status warn(mb_arena *a, const char *file, mb_network *net, mb_err *err)
{
    enum { ROOM = 256 };
    const double error = mb_weights_column_error(&net->g, &net->w);
    char        *line;

    if (!(error > MB_COLUMN_TOLERANCE))
        return MB_OK;
    MB_NEW(line, a, ROOM, err);
    mb_format_(line, ROOM,
               "%s: columns of the weights do not sum to 1 (by up to %.3g): the nodes agree on a "
               "weighted mean, not on the mean of the network",
               file, error);
    net->warning = line;
    return MB_OK;
}

mb_status mb_network_weights_(mb_arena *a, const char *file, mb_network *net, mb_err *err)
{
    mb_csv   csv;
    mb_err   reason = {0};
    book     b = {0};
    int32_t *ij;
    double  *w;

    MB_TRY(mb_csv_read(a, file, &csv, err));
    MB_TRY(make_book(a, net->id, net->n, &b, err));
    MB_NEW(ij, a, 2 * csv.rows, err);
    MB_NEW(w, a, csv.rows, err);
    MB_TRY(triples(&csv, &b, ij, w, err));
    if (mb_weights_from(a, &net->g, net->id, csv.rows, ij, w, &net->w, &reason) < 0)
        MB_FAIL(err, reason.code == MB_E_ARG ? MB_E_FORMAT : reason.code, "%s: %s", file,
                reason.msg);
    return warn(a, file, net, err);
}
