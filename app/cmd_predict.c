/* cmd_predict.c - `meshbayes predict`: what a posterior says of rows, read in batches. */
#include "posterior_cmd.h"

#include <math.h>
#include <string.h>

typedef struct predict {
    const char *posterior, *data, *out, *what;
    double      level;
} predict;

#define AT(field) offsetof(predict, field)
static const mb_opt options[] = {
    {"posterior", MB_OPT_TEXT, AT(posterior), NULL, 0, 0, "FILE.json", "", "", "",
     "a posterior written by `meshbayes fit` or `meshbayes sim`"},
    {"data", MB_OPT_TEXT, AT(data), NULL, 0, 0, "FILE", "", "", "X",
     "the rows: CSV (columns found by name) or NPY (columns in the posterior's order)"},
    {"what", MB_OPT_TEXT, AT(what), NULL, 0, 0, "labels|responsibilities|mean|interval", "", "",
     "predict, predict_proba",
     "mixture: labels (default) or responsibilities; regression: mean (default) or interval"},
    {"level", MB_OPT_REAL, AT(level), "0.95", 1e-6, 0.999999, NULL, "probability", "", "",
     "of --what interval: Student's t around the predicted mean"},
    {"out", MB_OPT_TEXT, AT(out), NULL, 0, 0, "FILE.csv", "", "", "",
     "file to write; without it standard output"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

typedef struct job {
    const predict *o;
    posterior      p;
    posterior_rows rows;
    lines          to;
    mb_want        want;
    int32_t        width;
    double        *out, *scratch;
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

static mb_status header(job *j, mb_err *err)
{
    if (j->want == MB_WANT_LABEL)
        return lines_put(&j->to, err, "label\n");
    if (j->want == MB_WANT_MEAN_VAR)
        return lines_put(&j->to, err, "mean,variance\n");
    if (j->want == MB_WANT_INTERVAL)
        return lines_put(&j->to, err, "mean,lower,upper,scale,degrees_of_freedom\n");
    for (int32_t k = 0; k < j->p.K; k++)
        MB_TRY(lines_put(&j->to, err, "%sr%d", k ? "," : "", k));
    return lines_put(&j->to, err, "\n");
}

/* Back to data units; a regression's numbers are those of its target. */
static mb_status line(job *j, const double *v, mb_err *err)
{
    const double o = j->p.origin[posterior_columns(&j->p) - 1];
    const double s = j->p.scale[posterior_columns(&j->p) - 1];

    if (j->want == MB_WANT_LABEL)
        return lines_put(&j->to, err, "%d\n", (int)v[0]);
    if (j->want == MB_WANT_MEAN_VAR)
        return lines_put(&j->to, err, "%.17g,%.17g\n", o + s * v[0], s * s * v[1]);
    if (j->want == MB_WANT_INTERVAL) {
        const double half = v[1] * mb_student_quantile(v[2], (1 + j->o->level) / 2);

        return lines_put(&j->to, err, "%.17g,%.17g,%.17g,%.17g,%.17g\n", o + s * v[0],
                         o + s * (v[0] - half), o + s * (v[0] + half), s * v[1], v[2]);
    }
    for (int32_t k = 0; k < j->width; k++)
        MB_TRY(lines_put(&j->to, err, "%s%.17g", k ? "," : "", v[k]));
    return lines_put(&j->to, err, "\n");
}

static mb_status all_rows(job *j, mb_err *err)
{
    int begun = 0; /* nothing is written before the first rows have been read */

    for (;;) {
        mb_rows rows;

        MB_TRY(posterior_rows_next(&j->rows, err));
        if (begun++ == 0)
            MB_TRY(header(j, err));
        if (!j->rows.n)
            return lines_commit(&j->to, err);
        rows = posterior_batch(&j->rows);
        MB_TRY(j->p.model.ops->predict(&j->p.model, j->p.phi, &rows, j->want, j->out, j->scratch,
                                       err));
        for (int64_t k = 0; k < rows.n; k++)
            MB_TRY(line(j, j->out + k * j->width, err));
    }
}

static mb_status prepare(mb_arena *a, job *j, mb_err *err)
{
    char unused[300];

    if (!j->o->posterior || !j->o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    MB_TRY(posterior_read(a, j->o->posterior, &j->p, err));
    MB_TRY(choose(j, err));
    MB_TRY(
        posterior_rows_open(a, &j->p, j->o->data, 0, NULL, &j->rows, unused, sizeof unused, err));
    if (*unused)
        app_warn("predict", "%s: columns not used: %s", j->o->data, unused);
    MB_NEW(j->out, a, (size_t)POSTERIOR_BATCH * (size_t)j->width, err);
    MB_NEW(j->scratch, a, mb_local_scratch(&j->p.model), err);
    return lines_open(a, j->o->out, &j->to, err);
}

static mb_status work(mb_arena *a, void *self, mb_err *err)
{
    job       j = {.o = self};
    mb_status st = prepare(a, &j, err);

    if (st >= 0)
        st = all_rows(&j, err);
    lines_abort(&j.to);
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
