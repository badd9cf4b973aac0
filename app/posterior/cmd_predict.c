/* cmd_predict.c - `meshbayes predict`: what a posterior says of rows, read in batches. */
#include "base/table_out.h"
#include "posterior/posterior_cmd.h"

#include <math.h>
#include <string.h>

typedef struct predict {
    const char *posterior, *data, *out, *what;
    double      level;
} predict;

#define AT(field) offsetof(predict, field)
static const mb_opt options[] = {
    {"posterior", MB_OPT_INPUT, AT(posterior), NULL, 0, 0, "FILE.json", "", "", "",
     "a posterior written by `meshbayes fit` or `meshbayes sim`"},
    {"data", MB_OPT_INPUT, AT(data), NULL, 0, 0, "FILE", "", "", "X",
     "the rows: CSV (columns found by name) or NPY (columns in the posterior's order)"},
    {"what", MB_OPT_TEXT, AT(what), NULL, 0, 0, "labels|responsibilities|mean|interval", "", "",
     "predict, predict_proba",
     "mixture: labels (default) or responsibilities; regression: mean (default) or interval"},
    {"level", MB_OPT_REAL, AT(level), "0.95", 1e-6, 0.999999, NULL, "probability", "", "",
     "of --what interval: Student's t around the predicted mean"},
    {"out", MB_OPT_OUTPUT, AT(out), "/dev/stdout", 0, 0, "FILE.csv|FILE.npy", "", "", "",
     "where to; without it CSV on standard output"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

typedef struct job {
    const predict     *o;
    posterior          p;
    posterior_rows     rows;
    mb_want            want;
    int32_t            width; /* of what the model says */
    double            *out;
    int32_t            columns; /* of what is written     */
    double            *x;
    table_out          to;
    int                open;
    const char *const *name;
} job;

static const struct {
    const char *name;
    mb_want     want;
} wants[] = {{"labels", MB_WANT_LABEL},
             {"responsibilities", MB_WANT_RESP},
             {"mean", MB_WANT_MEAN_VAR},
             {"interval", MB_WANT_INTERVAL}};

static mb_status choose(job *j, mb_err *err)
{
    const char *what = j->o->what;
    char        list[80] = "";

    for (size_t k = 0; k < sizeof wants / sizeof *wants; k++) {
        if (!(j->p.kind->predicts >> wants[k].want & 1))
            continue;
        if (!what || !strcmp(what, wants[k].name)) {
            j->want = wants[k].want;
            j->width = j->want == MB_WANT_RESP       ? j->p.K
                       : j->want == MB_WANT_LABEL    ? 1
                       : j->want == MB_WANT_MEAN_VAR ? 2
                                                     : 3;
            return MB_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? " or " : "",
                 wants[k].name);
    }
    MB_FAIL(err, MB_E_ARG, "--what: \"%s\" is not what model %s predicts, accepted: %s", what,
            j->p.kind->name, list);
}

/* The columns that are written: names, and how many. */
static mb_status name_columns(mb_arena *a, job *j, mb_err *err)
{
    static const char *const label[] = {"label"}, *const mean[] = {"mean", "variance"};
    static const char *const interval[] = {"mean", "lower", "upper", "scale", "degrees_of_freedom"};
    char                    *name;

    if (j->want != MB_WANT_RESP) {
        j->columns = j->want == MB_WANT_LABEL ? 1 : j->want == MB_WANT_MEAN_VAR ? 2 : 5;
        j->name = j->want == MB_WANT_LABEL ? label : j->want == MB_WANT_MEAN_VAR ? mean : interval;
        return MB_OK;
    }
    const char **list;

    j->columns = j->p.K;
    MB_NEW(list, a, j->p.K, err);
    for (int32_t k = 0; k < j->p.K; k++) {
        MB_NEW(name, a, 16, err);
        snprintf(name, 16, "r%d", k);
        list[k] = name;
    }
    j->name = list;
    return MB_OK;
}

/* Back to data units; a regression's numbers are those of its target. v: width, x: columns. */
static void line(const job *j, const double *v, double *x)
{
    const double o = j->p.origin[posterior_columns(&j->p) - 1];
    const double s = j->p.scale[posterior_columns(&j->p) - 1];

    if (j->want == MB_WANT_LABEL || j->want == MB_WANT_RESP) {
        memcpy(x, v, (size_t)j->columns * sizeof *x);
        return;
    }
    x[0] = o + s * v[0];
    if (j->want == MB_WANT_MEAN_VAR) {
        x[1] = s * s * v[1];
        return;
    }
    const double half = v[1] * mb_student_quantile(v[2], (1 + j->o->level) / 2);

    x[1] = o + s * (v[0] - half);
    x[2] = o + s * (v[0] + half);
    x[3] = s * v[1];
    x[4] = v[2];
}

/* Labels are a vector, as NumPy has them. */
static mb_status open_out(mb_arena *a, job *j, mb_err *err)
{
    const int64_t shape[2] = {-1, j->columns};

    MB_TRY(table_out_open(a, j->o->out, j->columns, j->name, j->columns > 1 ? 2 : 1, shape, &j->to,
                          err));
    j->open = 1;
    return MB_OK;
}

/* Nothing is written before the first rows have been judged. */
static mb_status all_rows(mb_arena *a, job *j, mb_err *err)
{
    for (;;) {
        MB_TRY(posterior_rows_next(&j->rows, err));
        if (!j->rows.n)
            return MB_OK;
        MB_TRY(posterior_rows_predict(&j->rows, j->want, j->out, err));
        if (!j->open)
            MB_TRY(open_out(a, j, err));
        for (int64_t k = 0; k < j->rows.n; k++)
            line(j, j->out + k * j->width, j->x + k * j->columns);
        MB_TRY(table_out_put(&j->to, j->rows.n, j->x, err));
    }
}

static mb_status prepare(mb_arena *a, job *j, mb_err *err)
{
    if (!j->o->posterior || !j->o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    MB_TRY(posterior_read(a, j->o->posterior, &j->p, err));
    MB_TRY(choose(j, err));
    MB_TRY(name_columns(a, j, err));
    MB_TRY(posterior_rows_open(a, &j->p, "predict", j->o->data, 0, NULL, &j->rows, err));
    MB_NEW(j->out, a, (size_t)j->rows.batch * (size_t)j->width, err);
    MB_NEW(j->x, a, (size_t)j->rows.batch * (size_t)j->columns, err);
    return MB_OK;
}

static mb_status work(mb_arena *a, void *self, mb_err *err)
{
    job       j = {.o = self};
    mb_status st = prepare(a, &j, err);

    if (st >= 0)
        st = all_rows(a, &j, err);
    if (j.open)
        st = table_out_close(&j.to, st, err);
    posterior_rows_close(&j.rows);
    posterior_close(&j.p);
    return st;
}

static int run(int argc, char **argv)
{
    predict o;

    return posterior_command("predict", options, &o, work, argc, argv, NULL, 0);
}

static void help(FILE *out)
{
    fputs("\nWrites one line for every row, in the order of the data. Rows are read in batches, so "
          "a\n"
          "file may be longer than memory. Labels count components from 0, as scikit-learn does;\n"
          "label k belongs to entry k of the lists in the posterior file.\n"
          "\nExample\n"
          "  meshbayes predict --posterior result/posterior.json --data new.csv --out labels.csv\n",
          out);
    app_print_options(out, "Options", options);
}

const app_command app_cmd_predict = {.name = "predict",
                                     .summary = "labels, responsibilities or means of rows",
                                     .usage = "meshbayes predict --posterior P.json --data FILE",
                                     .run = run,
                                     .help = help};
