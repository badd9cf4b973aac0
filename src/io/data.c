/* data.c - a data set: features, and the node, label and weight columns beside them. */
#include "base/format.h"
#include "io/npy.h"
#include "io/parse.h"

#include <stdio.h>
#include <string.h>

/* What each column of the file is for; -1 when absent. */
typedef struct roles {
    int32_t  node, label, weight;
    int32_t *feature; /* d columns */
} roles;

mb_status mb_data_number_columns(mb_arena *a, int32_t d, const char ***out, mb_err *err)
{
    return mb_numbered_(a, "x", d, out, err);
}

/* An array of two dimensions as finite n x d numbers. */
static mb_status as_rows(const mb_npy *npy, const char *file, int64_t *n, int32_t *d, mb_err *err)
{
    MB_TRY(mb_npy_shape_(file, npy->ndim, npy->shape, n, d, err));
    for (int64_t k = 0; k < *n * *d; k++)
        if (!mb_npy_is_value_(npy->x[k]))
            return mb_npy_no_value_(file, k / *d, k % *d, npy->x[k], err);
    return MB_OK;
}

static mb_status from_npy(mb_arena *a, const char *file, const char *bytes, size_t n,
                          const mb_data_opt *opt, mb_data *out, mb_err *err)
{
    mb_npy npy;

    if (opt->node_column || opt->label_column || opt->weight_column)
        MB_FAIL(err, MB_E_ARG,
                "%s: an NPY file has no column names, so no node, label or weight column; "
                "accepted: a CSV file",
                file);
    MB_TRY(mb_npy_parse_(a, file, bytes, n, &npy, err));
    MB_TRY(as_rows(&npy, file, &out->n, &out->d, err));
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
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": weight %.9g, accepted: 0 or more",
                    csv->file, (long long)csv->line[r], csv->name[col], out->w[r]);
        largest = out->w[r] > largest ? out->w[r] : largest;
    }
    if (!(largest > 0))
        MB_FAIL(err, MB_E_FORMAT, "%s: column \"%.60s\": every weight is 0, accepted: some above 0",
                csv->file, csv->name[col]);
    return MB_OK;
}

/* The distinct texts of a column, and which of them every row has. */
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

static mb_status from_csv(mb_arena *a, mb_arena *draft, const mb_csv *csv, const mb_data_opt *opt,
                          mb_data *out, mb_err *err)
{
    roles        role;
    const char **name;
    int32_t     *node, N;

    if (!csv->rows)
        return mb_no_rows_(csv->file, err);
    out->n = csv->rows;
    MB_TRY(find_roles(draft, csv, opt, &role, &out->d, err));
    MB_NEW(name, draft, out->d, err);
    for (int32_t k = 0; k < out->d; k++)
        name[k] = csv->name[role.feature[k]];
    MB_TRY(mb_texts_copy_(a, out->d, name, &out->name, err));
    MB_TRY(read_features(a, csv, &role, out, err));
    MB_NEW(out->file_row, a, out->n, err);
    for (int64_t r = 0; r < out->n; r++)
        out->file_row[r] = r;
    if (role.weight >= 0)
        MB_TRY(read_weights(a, csv, role.weight, out, err));
    if (role.label >= 0) {
        MB_NEW(out->label, a, out->n, err);
        MB_TRY(read_classes(a, draft, csv, role.label, out->label, &out->label_name, &out->nlabel,
                            err));
    }
    if (role.node < 0)
        return MB_OK;
    MB_NEW(node, draft, out->n, err);
    MB_TRY(read_classes(a, draft, csv, role.node, node, &out->node_id, &N, err));
    return mb_data_group_(a, out, N, node, err);
}

/* The file's bytes and cells live in `draft` and die with it. */
static mb_status read_any(mb_arena *a, mb_arena *draft, const char *file, const mb_data_opt *opt,
                          mb_data *out, mb_err *err)
{
    mb_csv csv;
    char  *bytes;
    size_t n;

    MB_TRY(mb_file_read(draft, file, &bytes, &n, err));
    out->hash = mb_bytes_hash(bytes, n);
    if (!mb_path_ends(file, ".npy")) {
        MB_TRY(mb_csv_parse_(draft, file, bytes, n, &csv, err));
        return from_csv(a, draft, &csv, opt, out, err);
    }
    MB_TRY(from_npy(a, file, bytes, n, opt, out, err));
    MB_NEW(out->file_row, a, out->n, err);
    for (int64_t r = 0; r < out->n; r++)
        out->file_row[r] = r;
    return MB_OK;
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
