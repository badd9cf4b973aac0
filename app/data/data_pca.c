/* data_pca.c - `meshbayes data pca`: rows in their principal components. */
#include "base/table_out.h"
#include "data/data_cmd.h"
#include "data/pca.h"

#include <math.h>
#include <string.h>

typedef struct pca_opt {
    const char *out, *keep;
    double      variance;
    int64_t     components;
    int32_t     normalise;
} pca_opt;

enum { AS_THEY_ARE, UNIT_ROWS };
#define AT(field) offsetof(pca_opt, field)

static const mb_opt options[] = {
    {"variance", MB_OPT_REAL, AT(variance), "0.9", 0, 1, NULL, "", "section V-D", "n_components",
     "keep the first number of components that hold more than this share of the variance"},
    {"components", MB_OPT_INT, AT(components), "0", 0, 100000, NULL, "", "section V-D",
     "n_components", "number of components to keep; 0: as --variance says"},
    {"normalise", MB_OPT_CHOICE, AT(normalise), "none", 0, 0, "none|rows", "", "", "",
     "rows: every row is first scaled to length 1"},
    {"keep", MB_OPT_TEXT, AT(keep), NULL, 0, 0, "COLUMN", "", "", "",
     "a column of a CSV file, such as the label, that is not a feature and is written unchanged"},
    {"out", MB_OPT_OUTPUT, AT(out), NULL, 0, 0, "FILE.csv|FILE.npy", "", "", "",
     "the file to write: columns pc1, pc2, .."},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status check(const pca_opt *o, const char *file, mb_err *err)
{
    if (!file)
        MB_FAIL(err, MB_E_ARG, "pca needs a file: meshbayes data pca ROWS.csv|ROWS.npy --out FILE");
    if (!o->out)
        MB_FAIL(err, MB_E_ARG, "--out is missing: the file to write");
    if (o->keep && table_is_npy(o->out))
        MB_FAIL(err, MB_E_ARG, "--keep: %s has no named columns, accepted: an --out file in CSV",
                o->out);
    return MB_OK;
}

static mb_status names(mb_arena *a, int32_t k, const char *kept, const char ***out, mb_err *err)
{
    enum { WIDTH = 16 };
    char *block;

    MB_NEW(*out, a, k + 1, err);
    MB_NEW(block, a, (size_t)k * WIDTH, err);
    for (int32_t j = 0; j < k; j++) {
        snprintf(block + (size_t)j * WIDTH, WIDTH, "pc%d", j + 1);
        (*out)[j] = block + (size_t)j * WIDTH;
    }
    (*out)[k] = kept;
    return MB_OK;
}

static mb_status write_csv(mb_arena *a, const pca_opt *o, const mb_data *data, int32_t k,
                           const double *y, mb_file *f, mb_err *err)
{
    const char **name;

    MB_TRY(names(a, k, o->keep, &name, err));
    for (int32_t j = 0; j < k + (o->keep != NULL); j++) {
        MB_TRY(mb_file_write(f, ",", j > 0, err));
        MB_TRY(mb_csv_put(f, name[j], err));
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
    mb_file       f = {0};
    mb_status     st;

    if (table_is_npy(o->out))
        return mb_npy_write(a, o->out, 2, shape, y, err);
    MB_TRY(mb_file_open(a, o->out, &f, err));
    st = write_csv(a, o, data, k, y, &f, err);
    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}

static void tell(const pca_opt *o, const mb_data *data, const pca *p)
{
    double kept = 0;

    if (!strncmp(o->out, "/dev/", 5)) /* the rows themselves went to the terminal or a pipe */
        return;
    for (int32_t j = 0; j < p->k; j++)
        kept += p->variance[j];
    printf("%s: %lld rows, %d of %d components hold %.2f %% of the variance\n", o->out,
           (long long)data->n, p->k, p->d, 100 * kept / p->total);
}

static mb_status run(mb_arena *a, int argc, char **argv, mb_err *err)
{
    pca_opt         o = {0};
    const app_group group = {options, &o};
    const char     *file = NULL;
    int             words = 0;
    mb_data         data;
    pca             p;
    double         *y;

    MB_TRY(app_parse(argc, argv, &group, 1, &file, 1, &words, err));
    MB_TRY(check(&o, file, err));
    MB_TRY(mb_data_read(a, file, &(mb_data_opt){.label_column = o.keep}, &data, err));
    if (o.normalise == UNIT_ROWS)
        pca_unit_rows(data.n, data.d, data.x);
    MB_TRY(pca_fit(a, data.n, data.d, data.x, (int32_t)o.components, o.variance, &p, err));
    MB_NEW(y, a, (size_t)data.n * (size_t)p.k, err);
    pca_apply(&p, data.n, data.x, y);
    MB_TRY(write(a, &o, &data, p.k, y, err));
    tell(&o, &data, &p);
    return MB_OK;
}

const data_verb data_pca = {
    .name = "pca",
    .summary = "rows in their principal components",
    .options = options,
    .run = run,
    .text =
        "Columns are centred; the components are those of the covariance of the rows (sums of "
        "squares divided by n - 1). The entry of largest modulus of each axis is positive, so the "
        "same rows always give the same components.\n"
        "  meshbayes data pca rows.csv --variance 0.9 --keep label --out components.csv\n"
        "  meshbayes data pca meshbayes-data/coil20/coil20.npy --normalise rows \\\n"
        "      --components 52 --out coil52.npy\n"};
