/* cmd_score.c - `meshbayes score`: how well a posterior predicts rows, read in batches. */
#include "posterior_cmd.h"

#include <math.h>

typedef struct score {
    const char *posterior, *data, *weight_column, *out;
    int32_t     samples, json;
} score;

#define AT(field) offsetof(score, field)
static const mb_opt options[] = {
    {"posterior", MB_OPT_TEXT, AT(posterior), NULL, 0, 0, "FILE.json", "", "", "",
     "a posterior written by `meshbayes fit` or `meshbayes sim`"},
    {"data", MB_OPT_TEXT, AT(data), NULL, 0, 0, "FILE", "", "", "X",
     "the rows: CSV (columns found by name) or NPY (columns in the posterior's order)"},
    {"weight-column", MB_OPT_TEXT, AT(weight_column), NULL, 0, 0, "NAME", "", "", "sample_weight",
     "weights of the mean"},
    {"samples", MB_OPT_FLAG, AT(samples), NULL, 0, 0, NULL, "", "", "score_samples",
     "every row's log predictive density instead of the mean"},
    {"out", MB_OPT_TEXT, AT(out), NULL, 0, 0, "FILE.csv", "", "", "",
     "of --samples: file to write; without it standard output"},
    {"json", MB_OPT_FLAG, AT(json), NULL, 0, 0, NULL, "", "", "", "print the mean as JSON"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

typedef struct job {
    const score   *o;
    posterior      p;
    posterior_rows rows;
    lines          to;
    double        *out, *scratch;
    double         sum, lost, weight; /* lost: what rounding took from sum */
} job;

/* Compensated: 1e9 rows must not wear the mean out. */
static void add(job *j, double w, double x)
{
    const double term = w * x - j->lost, sum = j->sum + term;

    j->lost = (sum - j->sum) - term;
    j->sum = sum;
    j->weight += w;
}

static mb_status all_rows(job *j, mb_err *err)
{
    int begun = 0; /* nothing is written before the first rows have been read */

    for (;;) {
        mb_rows rows;

        MB_TRY(posterior_rows_next(&j->rows, err));
        if (begun++ == 0 && j->o->samples)
            MB_TRY(lines_put(&j->to, err, "log_density\n"));
        if (!j->rows.n)
            return lines_commit(&j->to, err);
        rows = posterior_batch(&j->rows);
        MB_TRY(j->p.model.ops->predict(&j->p.model, j->p.phi, &rows, MB_WANT_LOGPDF, j->out,
                                       j->scratch, err));
        for (int64_t k = 0; k < rows.n; k++) {
            const double log_density = j->out[k] - j->p.log_jacobian;

            add(j, j->rows.w ? j->rows.w[k] : 1, log_density);
            if (j->o->samples)
                MB_TRY(lines_put(&j->to, err, "%.17g\n", log_density));
        }
    }
}

static mb_status tell(const job *j, mb_err *err)
{
    const double mean = j->sum / j->weight;

    if (!(j->weight > 0))
        MB_FAIL(err, MB_E_FORMAT, "%s: no rows (or no weight) to score", j->o->data);
    if (j->o->json)
        printf("{\"mean_log_density\": %.17g, \"unit\": \"nats a row\", \"rows\": %lld, "
               "\"weight\": %.17g}\n",
               mean, (long long)j->rows.first, j->weight);
    else if (!j->o->samples)
        printf("mean log predictive density %.6f nats a row (%lld rows)\n", mean,
               (long long)j->rows.first);
    return MB_OK;
}

static mb_status prepare(mb_arena *a, job *j, mb_err *err)
{
    char unused[300];

    if (!j->o->posterior || !j->o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    if (j->o->out && !j->o->samples)
        MB_FAIL(err, MB_E_ARG, "--out needs --samples");
    MB_TRY(posterior_read(a, j->o->posterior, &j->p, err));
    MB_TRY(posterior_rows_open(a, &j->p, j->o->data, 1, j->o->weight_column, &j->rows, unused,
                               sizeof unused, err));
    if (*unused)
        app_warn("score", "%s: columns not used: %s", j->o->data, unused);
    MB_NEW(j->out, a, POSTERIOR_BATCH, err);
    MB_NEW(j->scratch, a, mb_local_scratch(&j->p.model), err);
    return j->o->samples ? lines_open(a, j->o->out, &j->to, err) : MB_OK;
}

static mb_status work(mb_arena *a, void *self, mb_err *err)
{
    job       j = {.o = self};
    mb_status st = prepare(a, &j, err);

    if (st >= 0)
        st = all_rows(&j, err);
    if (st >= 0)
        st = tell(&j, err);
    lines_abort(&j.to);
    posterior_rows_close(&j.rows);
    posterior_close(&j.p);
    return st;
}

static int run(int argc, char **argv)
{
    score o;

    return posterior_command("score", options, &o, work, argc, argv, NULL, 0);
}

static void help(FILE *out)
{
    fputs(
        "\nThe log predictive density of a row, ln p(row | data), is exact: the uncertainty of "
        "the\n"
        "parameters is integrated out (Student's t), so no parameter is taken for certain. Higher\n"
        "is better; compare models on rows they were not fitted to. A regression scores its "
        "target\n"
        "given the inputs. Rows are read in batches: a file may be longer than memory.\n"
        "\nExample\n"
        "  meshbayes score --posterior result/posterior.json --data held-out.csv\n",
        out);
    app_print_options(out, "Options", options);
}

const app_command app_cmd_score = {.name = "score",
                                   .summary = "log predictive density of rows",
                                   .usage = "meshbayes score --posterior P.json --data FILE",
                                   .run = run,
                                   .help = help};
