/* data.c - a data set: features, and the node, label and weight columns beside them; which node
 * holds which rows. */
#include "base/format.h"
#include "io/parse.h"

#include <stdio.h>
#include <string.h>

/* What each column of the file is for; -1 when absent. */
typedef struct roles {
    int32_t  node, label, weight;
    int32_t *feature; /* d columns */
} roles;

/* An array of n rows of `width` bytes with every row at its place; NULL when there is none, or when
 * there is no memory, which *st says. */
static void *moved(mb_arena *a, const mb_data *d, const int64_t *place, const void *from,
                   size_t width, mb_status *st, mb_err *err)
{
    const char *source = from;
    char       *to = NULL;

    if (from && *st >= 0) {
        to = mb_larger_(a, NULL, 0, (size_t)d->n + 1, width, err);
        *st = to ? MB_OK : MB_E_NOMEM;
    }
    for (int64_t r = 0; to && r < d->n; r++)
        memcpy(to + (size_t)place[r] * width, source + (size_t)r * width, width);
    return to;
}

static mb_status move_all(mb_arena *a, mb_data *d, const int64_t *place, mb_err *err)
{
    mb_status st = MB_OK;

    d->x = moved(a, d, place, d->d ? d->x : NULL, (size_t)d->d * sizeof *d->x, &st, err);
    d->w = moved(a, d, place, d->w, sizeof *d->w, &st, err);
    d->label = moved(a, d, place, d->label, sizeof *d->label, &st, err);
    d->file_row = moved(a, d, place, d->file_row, sizeof *d->file_row, &st, err);
    return st;
}

/* Groups the rows of x, w, label and file_row by node[0..n) (0..N-1), keeping their order within a
 * node, and sets N and first. Arrays in order already are not copied. */
static mb_status group(mb_arena *a, mb_data *d, int32_t N, const int32_t *node, mb_err *err)
{
    int64_t *next, *place;
    int      moved = 0;

    MB_NEW(d->first, a, (size_t)N + 1, err);
    MB_NEW(next, a, (size_t)N + 1, err);
    MB_NEW(place, a, d->n + 1, err);
    for (int64_t r = 0; r < d->n; r++)
        d->first[node[r] + 1]++;
    for (int32_t i = 0; i < N; i++)
        d->first[i + 1] += d->first[i];
    memcpy(next, d->first, ((size_t)N + 1) * sizeof *next);
    for (int64_t r = 0; r < d->n; r++) {
        place[r] = next[node[r]]++;
        moved |= place[r] != r;
    }
    d->N = N;
    return moved ? move_all(a, d, place, err) : MB_OK;
}

mb_status mb_data_number_columns(mb_arena *a, int32_t d, const char ***out, mb_err *err)
{
    return mb_numbered_(a, "x", d, out, err);
}

static mb_status from_npy(mb_arena *a, const char *file, const char *bytes, size_t n,
                          const mb_data_opt *opt, mb_data *out, mb_err *err)
{
    mb_npy      npy;
    mb_npy_rows rows = {.n = 0};

    if (opt->node_column || opt->label_column || opt->weight_column)
        MB_FAIL(err, MB_E_ARG,
                "%s: an NPY file has no column names, so no node, label or weight column; "
                "expected a CSV file",
                file);
    MB_TRY(mb_npy_parse_(a, file, bytes, n, &npy, err));
    MB_TRY(mb_npy_shape_(file, npy.ndim, npy.shape, &rows.n, &rows.d, err));
    rows.x = npy.x;
    MB_TRY(mb_npy_check(file, &rows, 0, rows.n, err));
    out->n = rows.n;
    out->d = rows.d;
    out->x = npy.x;
    return mb_data_number_columns(a, out->d, &out->name, err);
}

static mb_status find_roles(mb_arena *draft, const mb_csv *csv, const mb_data_opt *opt, roles *out,
                            int32_t *d, mb_err *err)
{
    *out = (roles){-1, -1, -1, NULL};
    if (opt->node_column)
        MB_TRY(mb_csv_need_(csv, MB_E_ARG, "node column", opt->node_column, &out->node, err));
    if (opt->label_column)
        MB_TRY(mb_csv_need_(csv, MB_E_ARG, "label column", opt->label_column, &out->label, err));
    if (opt->weight_column)
        MB_TRY(mb_csv_need_(csv, MB_E_ARG, "weight column", opt->weight_column, &out->weight, err));
    MB_NEW(out->feature, draft, csv->cols, err);
    for (int32_t c = 0; c < csv->cols; c++)
        if (c != out->node && c != out->label && c != out->weight)
            out->feature[(*d)++] = c;
    if (!*d)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: no feature column is left beside the node, label and weight columns",
                csv->file);
    return MB_OK;
}

static mb_status read_features(mb_arena *a, const mb_csv *csv, const roles *role, mb_data *out,
                               mb_err *err)
{
    MB_NEW(out->x, a, (size_t)out->n * (size_t)out->d, err);
    for (int64_t r = 0; r < out->n; r++)
        for (int32_t k = 0; k < out->d; k++)
            MB_TRY(mb_csv_bounded(csv, r, role->feature[k], MB_VALUE_MAX, &out->x[r * out->d + k],
                                  err));
    return MB_OK;
}

static mb_status read_weights(mb_arena *a, const mb_csv *csv, int32_t col, mb_data *out,
                              mb_err *err)
{
    double largest = 0;

    MB_NEW(out->w, a, out->n, err);
    for (int64_t r = 0; r < out->n; r++) {
        MB_TRY(mb_csv_bounded(csv, r, col, MB_WEIGHT_MAX, &out->w[r], err));
        if (out->w[r] < 0)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s:%lld: column \"%.60s\": got weight %.9g; expected 0 or more", csv->file,
                    (long long)csv->line[r], csv->name[col], out->w[r]);
        largest = out->w[r] > largest ? out->w[r] : largest;
    }
    if (!(largest > 0))
        MB_FAIL(err, MB_E_FORMAT, "%s: column \"%.60s\": every weight is 0; expected some above 0",
                csv->file, csv->name[col]);
    return MB_OK;
}

/* The distinct texts of a column, and the index of each row's text among them. */
static mb_status read_classes(mb_arena *a, mb_arena *draft, const mb_csv *csv, int32_t col,
                              int32_t *index, const char ***list, int32_t *count, mb_err *err)
{
    const char **text, **borrowed;
    char         where[300];

    MB_NEW(text, draft, csv->rows, err);
    for (int64_t r = 0; r < csv->rows; r++) {
        MB_TRY(mb_csv_filled_(csv, r, col, err));
        text[r] = csv->cell[r * csv->cols + col];
    }
    snprintf(where, sizeof where, "%.200s: column \"%.60s\"", csv->file, csv->name[col]);
    MB_TRY(mb_ids_index(draft, where, csv->rows, text, index, &borrowed, count, err));
    return mb_texts_copy_(a, *count, borrowed, list, err);
}

/* node: out->n indices below N; NULL: the file has no node column. */
static mb_status from_csv(mb_arena *a, mb_arena *draft, const mb_csv *csv, const mb_data_opt *opt,
                          mb_data *out, int32_t **node, int32_t *N, mb_err *err)
{
    roles        role;
    const char **name;

    if (!csv->rows)
        return mb_no_rows_(csv->file, err);
    out->n = csv->rows;
    MB_TRY(find_roles(draft, csv, opt, &role, &out->d, err));
    MB_NEW(name, draft, out->d, err);
    for (int32_t k = 0; k < out->d; k++)
        name[k] = csv->name[role.feature[k]];
    MB_TRY(mb_texts_copy_(a, out->d, name, &out->name, err));
    MB_TRY(read_features(a, csv, &role, out, err));
    if (role.weight >= 0)
        MB_TRY(read_weights(a, csv, role.weight, out, err));
    if (role.label >= 0) {
        MB_NEW(out->label, a, out->n, err);
        MB_TRY(read_classes(a, draft, csv, role.label, out->label, &out->label_name, &out->nlabel,
                            err));
    }
    if (role.node < 0)
        return MB_OK;
    MB_NEW(*node, draft, out->n, err);
    return read_classes(a, draft, csv, role.node, *node, &out->node_id, N, err);
}

/* The file's bytes and cells are in `draft`. */
static mb_status read_any(mb_arena *a, mb_arena *draft, const char *file, const mb_data_opt *opt,
                          mb_data *out, mb_err *err)
{
    mb_csv   csv;
    char    *bytes;
    size_t   n;
    int32_t *node = NULL, N;

    MB_TRY(mb_file_read(draft, file, &bytes, &n, err));
    out->hash = mb_bytes_hash(bytes, n);
    if (mb_path_ends(file, ".npy")) {
        MB_TRY(from_npy(a, file, bytes, n, opt, out, err));
    } else {
        MB_TRY(mb_csv_parse_(draft, file, bytes, n, &csv, err));
        MB_TRY(from_csv(a, draft, &csv, opt, out, &node, &N, err));
    }
    MB_NEW(out->file_row, a, out->n, err);
    for (int64_t r = 0; r < out->n; r++)
        out->file_row[r] = r;
    return node ? group(a, out, N, node, err) : MB_OK;
}

mb_status mb_data_read(mb_arena *a, const char *file, const mb_data_opt *opt, mb_data *out,
                       mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 20);
    mb_status st;

    memset(out, 0, sizeof *out);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its cells", file);
    st = read_any(a, draft, file, opt, out, err);
    mb_arena_free(draft);
    return st;
}

void mb_random_order(mb_rng *rng, int64_t n, int64_t *order)
{
    for (int64_t r = 0; r < n; r++)
        order[r] = r;
    for (int64_t r = n - 1; r > 0; r--) {
        int64_t other = (int64_t)mb_rng_below(rng, (uint64_t)r + 1);
        int64_t kept = order[r];

        order[r] = order[other];
        order[other] = kept;
    }
}

/* Ids "1".."N" for rows without nodes. */
static mb_status number_nodes(mb_arena *a, mb_data *d, int32_t N, mb_err *err)
{
    if (N < 1 || d->N)
        MB_FAIL(err, MB_E_ARG, "rows that have nodes already, or %d nodes, cannot be dealt", N);
    return mb_numbered_(a, "", N, &d->node_id, err);
}

mb_status mb_data_deal_blocks(mb_arena *a, mb_data *d, int32_t N, mb_err *err)
{
    MB_TRY(number_nodes(a, d, N, err));
    MB_NEW(d->first, a, (size_t)N + 1, err);
    for (int32_t i = 0; i < N; i++)
        d->first[i + 1] = d->first[i] + d->n / N + (i < d->n % N);
    d->N = N;
    return MB_OK;
}

mb_status mb_data_deal(mb_arena *a, mb_data *d, int32_t N, uint64_t seed, mb_err *err)
{
    mb_rng   rng = mb_rng_at(seed, MB_STREAM_DEAL, 0, 0);
    int64_t *order;
    int32_t *node;

    MB_TRY(number_nodes(a, d, N, err));
    MB_NEW(order, a, d->n + 1, err);
    MB_NEW(node, a, d->n + 1, err);
    mb_random_order(&rng, d->n, order);
    for (int64_t k = 0; k < d->n; k++)
        node[order[k]] = (int32_t)(k % N);
    return group(a, d, N, node, err);
}

/* to[i]: position of the data's node i in the new list. */
static mb_status find_nodes(mb_arena *draft, const mb_data *d, int32_t N, const char *const *id,
                            int32_t *to, mb_err *err)
{
    const char **both, **list;
    int32_t     *index, *back, count;

    MB_NEW(both, draft, (size_t)N + (size_t)d->N, err);
    MB_NEW(index, draft, (size_t)N + (size_t)d->N, err);
    memcpy(both, id, (size_t)N * sizeof *both);
    memcpy(both + N, d->node_id, (size_t)d->N * sizeof *both);
    MB_TRY(mb_ids_index(draft, "node ids of the data and the network", (int64_t)N + d->N, both,
                        index, &list, &count, err));
    MB_NEW(back, draft, count, err);
    for (int32_t i = 0; i < N; i++)
        back[index[i]] = i + 1;
    for (int32_t i = 0; i < d->N; i++) {
        to[i] = back[index[N + i]] - 1;
        if (to[i] < 0)
            MB_FAIL(err, MB_E_ARG, "node \"%.60s\" has rows but is not in the network",
                    d->node_id[i]);
    }
    return MB_OK;
}

mb_status mb_data_regroup(mb_arena *a, mb_data *d, int32_t N, const char *const *id, mb_err *err)
{
    mb_arena *draft;
    mb_status st;
    int32_t  *to, *node;

    if (!d->N)
        MB_FAIL(err, MB_E_ARG, "rows without nodes cannot be regrouped, they must be dealt");
    MB_NEW(to, a, d->N, err);
    MB_NEW(node, a, d->n + 1, err);
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %d node ids", N);
    st = find_nodes(draft, d, N, id, to, err);
    mb_arena_free(draft);
    MB_TRY(st);
    for (int32_t i = 0; i < d->N; i++)
        for (int64_t r = d->first[i]; r < d->first[i + 1]; r++)
            node[r] = to[i];
    MB_TRY(mb_texts_copy_(a, N, id, &d->node_id, err));
    return group(a, d, N, node, err);
}
