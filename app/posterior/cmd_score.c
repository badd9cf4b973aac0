/* cmd_score.c - `meshbayes score`: how well a posterior predicts rows, read in batches. */
#include "model/kind.h"
#include "posterior/posterior_cmd.h"
#include "posterior/turns.h"

#include <math.h>
#include <string.h>

typedef struct score_opt {
    ranks       job; /* first */
    const char *posterior, *data, *out;
    int32_t     density, samples, json;
    int64_t     threads;
    mb_data_opt read;
} score_opt;

#define AT(field) offsetof(score_opt, field)
static const mb_opt options[] = {
    {POSTERIOR_INPUT(AT(posterior))},
    {POSTERIOR_ROWS(AT(data))},
    {"weight-column", MB_OPT_TEXT, AT(read.weight_column), .choices = "NAME",
     .sklearn = "sample_weight",
     .help = "column with row weights, for the mean; without it every row counts once"},
    POSTERIOR_READING(score_opt, read),
    {POSTERIOR_THREADS(AT(threads))},
    {"density", MB_OPT_CHOICE, AT(density), "predictive", .choices = "predictive|expected",
     .help = "predictive: parameters integrated out; expected: the E-step's, scikit-learn's score"},
    {"samples", MB_OPT_FLAG, AT(samples), .sklearn = "score_samples",
     .help = "every row's log density instead of the mean"},
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv|FILE.npy",
     .help = "of --samples: where to; without it CSV on standard output, and no mean"},
    {"json", MB_OPT_FLAG, AT(json), .help = "print the mean as JSON"},
    {.name = NULL}};

typedef struct job {
    const score_opt  *o;
    posterior_files   files;
    mb_posterior      p;
    mb_posterior_rows rows;
    posterior_turns   turns;
    mb_score          sum;
    mb_classification levels; /* of a target that has them, by the process that writes */
    double           *probability;
    double           *each; /* batch + 1: mb_score_rows */
} job;

/* The batch of rows. */
static mb_status make(void *self, double *x, mb_err *err)
{
    job *j = self;

    return mb_posterior_rows_score(&j->rows, (mb_density)j->o->density, x, err);
}

/* The process that writes adds up all batches in their order, as one process does. */
static mb_status next(void *self, double *x, int64_t *n, mb_err *err)
{
    job *j = self;

    MB_TRY(posterior_turns_next(&j->turns, j->each, n, err));
    if (!j->files.writes || !*n)
        return MB_OK;
    mb_score_add(&j->sum, &j->p, &j->rows.rows, (mb_density)j->o->density, j->each);
    if (j->probability)
        MB_TRY(posterior_levels(&j->rows, j->probability, &j->levels, err));
    memcpy(x, j->each, (size_t)*n * sizeof *x);
    return MB_OK;
}

/* The sums of parts, in the order of the processes. */
static mb_status add_parts(job *j, mb_err *err)
{
    const mb_score own = j->sum;

    if (!j->files.own_part)
        return MB_OK;
    j->sum = (mb_score){0};
    for (int32_t q = 0; q < j->o->job.size; q++) {
        mb_score part = own;

        MB_TRY(ranks_share(&j->o->job, q, &part, sizeof part, err));
        j->sum.sum += part.sum;
        j->sum.weight += part.weight;
        j->sum.rows += part.rows;
        j->sum.words += part.words;
    }
    return MB_OK;
}

static mb_status tell(const job *j, mb_err *err)
{
    const char     *of = j->o->density == MB_EXPECTED ? "expected" : "predictive";
    const double    mean = j->sum.sum / j->sum.weight;
    const long long rows = (long long)j->sum.rows;

    if (j->o->samples && !j->o->out) /* the rows went there */
        return MB_OK;
    if (!(j->sum.weight > 0))
        MB_FAIL(err, MB_E_FORMAT, "%s: the weights are all 0", j->o->data);
    if (j->o->json)
        printf("{\"mean_log_density\": %.17g, \"density\": \"%s\", \"unit\": \"nats a row\", "
               "\"rows\": %lld, \"weight\": %.17g",
               mean, of, rows, j->sum.weight);
    else
        printf("mean log %s density %.6f nats a row (%lld row%s)\n", of, mb_shown_(mean, 6), rows,
               app_plural(rows));
    if (j->sum.words > 0)
        printf(j->o->json ? ", \"perplexity\": %.17g, \"words\": %.17g"
                          : "perplexity %.6g a word (%.15g words)\n",
               exp(-j->sum.sum / j->sum.words), j->sum.words);
    if (j->o->json)
        fputs("}\n", stdout);
    if (!j->o->json && j->probability)
        app_print_levels(&j->levels, mb_kind_levels(j->p.kind, &j->p.size));
    return MB_OK;
}

static mb_status check(mb_arena *a, job *j, mb_err *err)
{
    const score_opt *o = j->o;

    if (!o->posterior || !o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    if (o->out && !o->samples)
        MB_FAIL(err, MB_E_ARG, "--out needs --samples");
    j->files = (posterior_files){.data = o->data, .out = o->out};
    return posterior_files_find(a, &o->job, o->samples, &o->read, &j->files, err);
}

static mb_status score(mb_arena *a, job *j, mb_err *err)
{
    static const char *const name[] = {"log_density"};
    const score_opt         *o = j->o;
    mb_writer t = {.columns = 1, .name = name, .ndim = 1, .shape = {-1}, .next = next, .self = j};

    j->turns = (posterior_turns){&o->job, &j->rows, .make = make, .self = j, .width = 1, .more = 1};
    j->turns.own_part = j->files.own_part;
    t.batch = j->rows.batch;
    MB_NEW(j->each, a, t.batch + 1, err);
    if (j->files.writes && !j->files.own_part)
        MB_TRY(posterior_levels_new(a, &j->rows, &j->levels, &j->probability, err));
    if (o->samples && j->files.writes)
        t.path = j->files.out ? j->files.out : "/dev/stdout";
    return mb_writer_run(a, &t, err);
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const score_opt *o = opt;
    mb_data_opt     *read = &((score_opt *)opt)->read;
    job              j = {.o = o};
    mb_status        st;

    MB_TRY(check(a, &j, err));
    MB_TRY(mb_posterior_read(a, o->posterior, NULL, &j.p, NULL, err));
    if (o->samples && o->density == MB_EXPECTED && mb_kind_grouped(j.p.kind, &j.p.size))
        MB_FAIL(err, MB_E_ARG,
                "--samples: got --density expected, which a row in a group has not; expected "
                "predictive");
    MB_TRY(app_missing(j.p.kind, read, err));
    MB_TRY(posterior_open(a, &j.p, j.files.data, 1, &o->job, o->threads, read, &j.rows, err));
    if (!o->job.rank)
        posterior_note("score", &j.rows);
    st = score(a, &j, err);
    if (j.files.writes)
        posterior_notes("score", &j.rows);
    posterior_close(&j.rows, read);
    MB_TRY(posterior_turns_end(&j.turns, st, err));
    MB_TRY(add_parts(&j, err));
    st = o->job.rank ? MB_OK : tell(&j, err);
    return ranks_agree(&o->job, st, err);
}

static int run(int argc, char **argv)
{
    return posterior_run(&app_cmd_score, argc, argv);
}

const app_command app_cmd_score = {
    .name = "score",
    .summary = "log predictive density of rows",
    .usage = "meshbayes score --posterior P.json --data FILE",
    .options = options,
    .size = sizeof(score_opt),
    .work = work,
    .run = run,
    .many = 1,
    .text =
        "\nThe log predictive density of a row, ln p(row | data), is exact: the uncertainty of the "
        "parameters is integrated out (Student's t), so no parameter is taken for certain. Higher "
        "is better; compare models on rows they were not fitted to. A regression scores its target "
        "given the inputs; of a flag or a category accuracy, log loss and the levels predicted of "
        "each observed one follow (not of rows in parts). Rows are read in batches: a file may be "
        "longer than memory; under "
        "mpirun "
        "-n P, P processes compute them in turn, and the output is the same; --data part-%r.npy is "
        "a file for each process, and the mean is that of all rows.\n"
        "\nExamples\n"
        "  meshbayes score --posterior result/posterior.json --data held-out.csv\n"
        "  meshbayes score --posterior result/posterior.json --data new.csv --samples --out d.csv\n"
        "      rows with a low density are unlike all that was seen: outliers\n"
        "\nscikit-learn's BayesianGaussianMixture.score takes Gaussians at the expected logarithms "
        "of the parameters in place of integrating them out, which gives a little less; that is "
        "--density expected, and with --samples its score_samples.\n"};
