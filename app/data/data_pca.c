/* data_pca.c - `meshbayes data pca`: rows in their principal components. */
#include "base/rows_opt.h"
#include "base/text.h"
#include "data/data_cmd.h"
#include "data/pca.h"

#include <string.h>

typedef struct pca_opt {
    const char *file, *out, *keep;
    double      variance;
    int64_t     components;
    int32_t     normalise;
    mb_data_opt read;
} pca_opt;

enum { AS_THEY_ARE, UNIT_ROWS };
#define AT(field) offsetof(pca_opt, field)
static const mb_opt options[] = {
    {"variance", MB_OPT_REAL, AT(variance), "0.9", 0, 1, .eq = "section V-D",
     .sklearn = "n_components",
     .help = "keep the first number of components that hold more than this share of the variance"},
    {"components", MB_OPT_INT, AT(components), "0", 0, 100000, .eq = "section V-D",
     .sklearn = "n_components", .help = "number of components to keep; 0: as --variance says"},
    {"normalise", MB_OPT_CHOICE, AT(normalise), "none", .choices = "none|rows",
     .help = "rows: every row is first scaled to length 1"},
    {"keep", MB_OPT_TEXT, AT(keep), .choices = "COLUMN",
     .help = "a column of a CSV file, such as the label, that is not a feature and is written "
             "unchanged"},
    {"node-column", MB_OPT_TEXT, AT(read.node_column), .choices = "NAME",
     .help = "a column that is not a feature"},
    {"label-column", MB_OPT_TEXT, AT(read.label_column), .choices = "NAME",
     .help = "the same; --keep writes it"},
    {"weight-column", MB_OPT_TEXT, AT(read.weight_column), .choices = "NAME",
     .help = "the same: weights are not used here"},
    ROWS_WHOLE_OPTIONS(pca_opt, read),
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv|FILE.npy",
     .help = "the file to write: columns pc1, pc2, .."},
    {.name = NULL}};

static mb_status check(const pca_opt *o, mb_err *err)
{
    if (!o->file)
        MB_FAIL(err, MB_E_ARG, "pca needs a file: meshbayes data pca ROWS.csv|ROWS.npy --out FILE");
    if (!o->out)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the file to write");
    if (o->keep && mb_path_ends(o->out, ".npy"))
        MB_FAIL(err, MB_E_ARG, "--keep: %s has no named columns; expected an --out file in CSV",
                o->out);
    return MB_OK;
}

static mb_status write_csv(const pca_opt *o, const mb_data *data, int32_t k, const double *y,
                           mb_file *f, mb_err *err)
{
    for (int32_t j = 0; j < k; j++)
        MB_TRY(mb_file_printf(f, err, "%spc%d", j ? "," : "", j + 1));
    if (o->keep) {
        MB_TRY(mb_file_write(f, ",", 1, err));
        MB_TRY(mb_csv_put(f, o->keep, err));
    }
    for (int64_t r = 0; r < data->n; r++) {
        for (int32_t j = 0; j < k; j++)
            MB_TRY(mb_file_printf(f, err, "%s%.17g", j ? "," : "\n", y[r * k + j]));
        if (o->keep) {
            MB_TRY(mb_file_write(f, ",", 1, err));
            MB_TRY(mb_csv_put(f, data->label_name[data->label[r]], err));
        }
    }
    return mb_file_write(f, "\n", 1, err);
}

static mb_status write(mb_arena *a, const pca_opt *o, const mb_data *data, int32_t k,
                       const double *y, mb_err *err)
{
    const int64_t shape[2] = {data->n, k};
    mb_file       f;

    if (mb_path_ends(o->out, ".npy"))
        return mb_npy_write(a, o->out, 2, shape, y, err);
    MB_TRY(mb_file_open(a, o->out, &f, err));
    return mb_file_close(&f, write_csv(o, data, k, y, &f, err), err);
}

/* The column of --keep is read as the label; a label column of another name is left out. */
static mb_status beside(mb_arena *a, const pca_opt *o, mb_data_opt *read, mb_err *err)
{
    const char *label = read->label_column;

    if (!o->keep)
        return MB_OK;
    read->label_column = o->keep;
    if (!label || !strcmp(label, o->keep) || o->read.columns)
        return MB_OK;
    read->drop = read->drop ? mb_text(a, err, "%s,%s", read->drop, label) : label;
    return read->drop ? MB_OK : MB_E_NOMEM;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const pca_opt *o = opt;
    mb_data        data;
    pca            p;
    double        *y, explained = 0;
    mb_data_opt    read = o->read;

    MB_TRY(check(o, err));
    MB_TRY(beside(a, o, &read, err));
    MB_TRY(mb_data_read(a, o->file, &read, &data, err));
    for (int32_t k = 0; k < data.nnotes; k++)
        app_note("data", "%s", data.note[k]);
    if (o->normalise == UNIT_ROWS)
        pca_unit_rows(data.n, data.d, data.x);
    MB_TRY(pca_fit(a, data.n, data.d, data.x, (int32_t)o->components, o->variance, &p, err));
    MB_NEW(y, a, (size_t)data.n * (size_t)p.k, err);
    pca_apply(&p, data.n, data.x, y);
    MB_TRY(write(a, o, &data, p.k, y, err));
    for (int32_t j = 0; j < p.k; j++)
        explained += p.variance[j];
    data_tell(o->out, "%lld row%s, %d of %d components hold %.2f %% of the variance",
              (long long)data.n, app_plural(data.n), p.k, p.d, 100 * explained / p.total);
    return MB_OK;
}

const app_command data_pca = {
    .name = "pca",
    .summary = "rows in their principal components",
    .options = options,
    .size = sizeof(pca_opt),
    .most_words = 1,
    .words_at = AT(file),
    .work = work,
    .text =
        "Columns are centred; the components are those of the covariance of the rows (sums of "
        "squares divided by n - 1). The entry of largest modulus of each axis is positive, so the "
        "same rows always give the same components.\n"
        "  meshbayes data pca rows.csv --variance 0.9 --keep label --out components.csv\n"
        "  meshbayes data pca meshbayes-data/coil20/coil20.npy --normalise rows \\\n"
        "      --components 52 --out coil52.npy\n"};
