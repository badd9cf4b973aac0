/* cmd_score.c - `meshbayes score`: how well a posterior predicts rows, read in batches. */
#include "base/table_out.h"
#include "posterior/posterior_cmd.h"

typedef struct score {
    const char *posterior, *data, *weight_column, *out;
    int32_t     density, samples, json;
} score;

#define AT(field) offsetof(score, field)
static const mb_opt options[] = {
    {"posterior", MB_OPT_INPUT, AT(posterior), NULL, 0, 0, "FILE.json", "", "", "",
     "a posterior written by `meshbayes fit` or `meshbayes sim`"},
    {"data", MB_OPT_INPUT, AT(data), NULL, 0, 0, "FILE", "", "", "X",
     "the rows: CSV (columns found by name) or NPY (columns in the posterior's order)"},
    {"weight-column", MB_OPT_TEXT, AT(weight_column), NULL, 0, 0, "NAME", "", "", "sample_weight",
     "weights of the mean"},
    {"density", MB_OPT_CHOICE, AT(density), "predictive", 0, 0, "predictive|expected", "", "", "",
     "predictive: parameters integrated out; expected: the E-step's, scikit-learn's score"},
    {"samples", MB_OPT_FLAG, AT(samples), NULL, 0, 0, NULL, "", "", "score_samples",
     "every row's log predictive density instead of the mean"},
    {"out", MB_OPT_OUTPUT, AT(out), NULL, 0, 0, "FILE.csv|FILE.npy", "", "", "",
     "of --samples: where to; without it CSV on standard output, and no mean"},
    {"json", MB_OPT_FLAG, AT(json), NULL, 0, 0, NULL, "", "", "", "print the mean as JSON"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

typedef struct job {
    const score      *o;
    mb_posterior      p;
    mb_posterior_rows rows;
    table_out         to;
    int               open;
    double           *each;
    mb_score          sum;
} job;

static mb_status put(mb_arena *a, job *j, mb_err *err)
{
    static const char *const name[] = {"log_density"};
    const int64_t            shape[1] = {-1};

    if (!j->open)
        MB_TRY(table_out_open(a, j->o->out ? j->o->out : "/dev/stdout", 1, name, 1, shape, &j->to,
                              err));
    j->open = 1;
    return table_out_put(&j->to, j->rows.rows.n, j->each, err);
}

static mb_status all_rows(mb_arena *a, job *j, mb_err *err)
{
    for (;;) {
        MB_TRY(mb_posterior_rows_next(&j->rows, err));
        if (!j->rows.rows.n)
            return MB_OK;
        MB_TRY(mb_posterior_rows_score(&j->rows, (mb_density)j->o->density, j->each, &j->sum, err));
        if (j->o->samples)
            MB_TRY(put(a, j, err));
    }
}

static mb_status tell(const job *j, mb_err *err)
{
    const char     *of = j->o->density == MB_EXPECTED ? "expected" : "predictive";
    const double    mean = j->sum.sum / j->sum.weight;
    const long long rows = (long long)j->sum.rows;

    if (j->o->samples && !j->o->out) /* they went there */
        return MB_OK;
    if (!(j->sum.weight > 0))
        MB_FAIL(err, MB_E_FORMAT, "%s: the weights are all 0", j->o->data);
    if (j->o->json)
        printf("{\"mean_log_density\": %.17g, \"density\": \"%s\", \"unit\": \"nats a row\", "
               "\"rows\": %lld, \"weight\": %.17g}\n",
               mean, of, rows, j->sum.weight);
    else
        printf("mean log %s density %.6f nats a row (%lld rows)\n", of, app_shown(mean, 6), rows);
    return MB_OK;
}

static mb_status prepare(mb_arena *a, job *j, mb_err *err)
{
    if (!j->o->posterior || !j->o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    if (j->o->out && !j->o->samples)
        MB_FAIL(err, MB_E_ARG, "--out needs --samples");
    if (j->o->samples && j->o->density == MB_EXPECTED)
        MB_FAIL(err, MB_E_ARG, "--samples goes with --density predictive");
    MB_TRY(posterior_open(a, j->o->posterior, &j->p, NULL, err));
    MB_TRY(posterior_rows(a, &j->p, "score", j->o->data, 1, j->o->weight_column, &j->rows, err));
    MB_NEW(j->each, a, j->rows.batch, err);
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
    if (st >= 0)
        st = tell(&j, err);
    mb_posterior_rows_close(&j.rows);
    return st;
}

static int run(int argc, char **argv)
{
    score o;

    return posterior_command("score", options, &o, work, argc, argv, NULL, 0);
}

static void help(FILE *out)
{
    app_print_help(
        out,
        "\nThe log predictive density of a row, ln p(row | data), is exact: the uncertainty of "
        "the\n"
        "parameters is integrated out (Student's t), so no parameter is taken for certain. Higher\n"
        "is better; compare models on rows they were not fitted to. A regression scores its "
        "target\n"
        "given the inputs. Rows are read in batches: a file may be longer than memory.\n"
        "\nExamples\n"
        "  meshbayes score --posterior result/posterior.json --data held-out.csv\n"
        "  meshbayes score --posterior result/posterior.json --data new.csv --samples --out d.csv\n"
        "      rows with a low density are unlike all that was seen: outliers\n"
        "\nscikit-learn's BayesianGaussianMixture.score takes Gaussians at the expected "
        "logarithms\n"
        "of the parameters in place of integrating them out, which gives a little less; that is\n"
        "--density expected.\n");
    app_print_options(out, "Options", options);
}

const app_command app_cmd_score = {.name = "score",
                                   .summary = "log predictive density of rows",
                                   .usage = "meshbayes score --posterior P.json --data FILE",
                                   .run = run,
                                   .help = help};
