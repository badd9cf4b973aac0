/* cmd_predict.c - `meshbayes predict`: what a posterior says of rows, read in batches. */
#include "base/table_out.h"
#include "posterior/posterior_cmd.h"

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
    mb_posterior       p;
    mb_posterior_rows  rows;
    mb_want            want;
    int32_t            columns; /* that are written */
    const char *const *name;
    double            *x;
    table_out          to;
    int                open;
} job;

static mb_status choose(job *j, mb_err *err)
{
    const mb_kind *kind = j->p.kind;
    const char    *what = j->o->what;
    char           list[80] = "";

    for (int32_t k = 0; k < kind->nwants; k++) {
        const char *name = mb_want_text(kind->wants[k]);

        if (!what || !strcmp(what, name)) {
            j->want = kind->wants[k];
            return MB_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? " or " : "",
                 name);
    }
    if (!kind->nwants)
        MB_FAIL(err, MB_E_NOSUP, "model %s predicts nothing of rows", kind->name);
    MB_FAIL(err, MB_E_ARG, "--what: \"%s\" is not what model %s predicts, accepted: %s", what,
            kind->name, list);
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
        MB_TRY(mb_posterior_rows_next(&j->rows, err));
        if (!j->rows.rows.n)
            return MB_OK;
        MB_TRY(mb_posterior_rows_predict(&j->rows, j->want, j->o->level, j->x, err));
        if (!j->open)
            MB_TRY(open_out(a, j, err));
        MB_TRY(table_out_put(&j->to, j->rows.rows.n, j->x, err));
    }
}

static mb_status prepare(mb_arena *a, job *j, mb_err *err)
{
    if (!j->o->posterior || !j->o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    MB_TRY(posterior_open(a, j->o->posterior, &j->p, NULL, err));
    MB_TRY(choose(j, err));
    MB_TRY(mb_posterior_says(a, &j->p, j->want, &j->name, &j->columns, err));
    MB_TRY(posterior_rows(a, &j->p, "predict", j->o->data, 0, NULL, &j->rows, err));
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
    mb_posterior_rows_close(&j.rows);
    return st;
}

static int run(int argc, char **argv)
{
    predict o;

    return posterior_command("predict", options, &o, work, argc, argv, NULL, 0);
}

static void help(FILE *out)
{
    app_print_help(
        out,
        "\nWrites one line for every row, in the order of the data. Rows are read in batches, so "
        "a\n"
        "file may be longer than memory. Labels count components from 0, as scikit-learn does;\n"
        "label k belongs to entry k of the lists in the posterior file.\n"
        "\nExample\n"
        "  meshbayes predict --posterior result/posterior.json --data new.csv --out labels.csv\n");
    app_print_options(out, "Options", options);
}

const app_command app_cmd_predict = {.name = "predict",
                                     .summary = "labels, responsibilities or means of rows",
                                     .usage = "meshbayes predict --posterior P.json --data FILE",
                                     .run = run,
                                     .help = help};
