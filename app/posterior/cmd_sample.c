/* cmd_sample.c - `meshbayes sample`: new rows, or parameters, drawn from a posterior file. */
#include "base/table_out.h"
#include "posterior/posterior_cmd.h"
#include "posterior/sample.h"

#include <string.h>

typedef struct sample_opt {
    const char *posterior, *component_column, *out;
    int32_t     what;
    int64_t     rows, seed;
} sample_opt;

enum { ROWS, PARAMETERS };
enum { BATCH = 1024 };

#define AT(field) offsetof(sample_opt, field)

static const mb_opt options[] = {
    {"posterior", MB_OPT_INPUT, AT(posterior), NULL, 0, 0, "FILE.json", "", "", "",
     "a posterior written by fit or sim"},
    {"rows", MB_OPT_INT, AT(rows), "1000", 1, 1e12, NULL, "", "", "n_samples",
     "how many rows, or draws of the parameters"},
    {"what", MB_OPT_CHOICE, AT(what), "rows", 0, 0, "rows|parameters", "", "", "",
     "rows: new data from the predictive distribution; parameters: from the posterior itself"},
    {"component-column", MB_OPT_TEXT, AT(component_column), NULL, 0, 0, "NAME", "", "", "",
     "rows: a last column with the component each row came from, counted from 1"},
    {"seed", MB_OPT_INT, AT(seed), "0", 0, 9007199254740992.0, NULL, "", "", "random_state",
     "same seed, same bits; row j depends on the seed and j alone"},
    {"out", MB_OPT_OUTPUT, AT(out), "/dev/stdout", 0, 0, "FILE.csv|FILE.npy", "", "", "",
     "where to; without it CSV on standard output"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* Rows of 1 + columns numbers, the component first -> the columns, and the component if asked. */
static void arrange(double *x, int64_t n, int32_t columns, int with_component)
{
    const size_t from = (size_t)columns + 1, to = (size_t)columns + (with_component != 0);

    for (int64_t r = 0; r < n; r++) {
        const double component = x[(size_t)r * from] + 1;

        memmove(x + (size_t)r * to, x + (size_t)r * from + 1, (size_t)columns * sizeof *x);
        if (with_component)
            x[(size_t)r * to + (size_t)columns] = component;
    }
}

static mb_status put_rows(const posterior *p, const sample_opt *o, table_out *t, double *x,
                          double *scratch, mb_err *err)
{
    for (int64_t done = 0; done < o->rows; done += BATCH) {
        const int64_t n = o->rows - done < BATCH ? o->rows - done : BATCH;

        MB_TRY(
            p->model.ops->sample(&p->model, p->par, (uint64_t)o->seed, done, n, x, scratch, err));
        arrange(x, n, p->D, o->component_column != NULL);
        MB_TRY(table_out_put(t, n, x, err));
    }
    return MB_OK;
}

static mb_status rows(mb_arena *a, const posterior *p, const sample_opt *o, mb_err *err)
{
    const int32_t width = p->D + (o->component_column != NULL);
    const int64_t shape[2] = {o->rows, width};
    const char  **name;
    double       *x, *scratch;
    table_out     t;

    if (!p->model.ops->sample)
        MB_FAIL(err, MB_E_ARG,
                "--what rows: a %s has no distribution of its inputs, accepted: --what parameters",
                p->model.ops->name);
    for (int32_t d = 0; o->component_column && d < p->D; d++)
        if (!strcmp(p->feature[d], o->component_column))
            MB_FAIL(err, MB_E_ARG,
                    "--component-column: %s has a column \"%.60s\" already, accepted: another name",
                    p->file, o->component_column);
    MB_NEW(name, a, width, err);
    memcpy(name, p->feature, (size_t)p->D * sizeof *name);
    if (o->component_column)
        name[p->D] = o->component_column;
    MB_NEW(x, a, (size_t)BATCH * ((size_t)p->D + 1), err);
    MB_NEW(scratch, a, p->model.scratch, err);
    MB_TRY(table_out_open(a, o->out, width, name, 2, shape, &t, err));
    return table_out_close(&t, put_rows(p, o, &t, x, scratch, err), err);
}

/* Draw j has its own place in the generator, beside the rows' (which are at node 0). */
static mb_status put_draws(const posterior *p, const sample_opt *o, const sample_columns *c,
                           table_out *t, double *theta, mb_err *err)
{
    double *scratch = theta + mb_random_len(&p->model.layout);
    double *x = scratch + p->model.layout.scratch;

    for (int64_t j = 0; j < o->rows; j++) {
        mb_rng rng = mb_rng_at((uint64_t)o->seed, MB_STREAM_SAMPLE, 1, (uint64_t)j);

        MB_TRY(mb_random(&p->model.layout, p->par, &rng, theta, scratch, err));
        sample_columns_fill(p, c, j + 1, theta, x);
        MB_TRY(table_out_put(t, c->rows, x, err));
    }
    return MB_OK;
}

static mb_status parameters(mb_arena *a, const posterior *p, const sample_opt *o, mb_err *err)
{
    const mb_layout *l = &p->model.layout;
    sample_columns   c;
    double          *work;
    table_out        t;

    if (o->component_column)
        MB_FAIL(err, MB_E_ARG,
                "--component-column is for --what rows; parameters have a component "
                "column of their own");
    MB_TRY(sample_columns_new(a, p, &c, err));
    c.shape[0] = o->rows;
    MB_NEW(work, a, mb_random_len(l) + l->scratch + (size_t)c.rows * (size_t)c.count, err);
    MB_TRY(table_out_open(a, o->out, c.count, c.name, c.ndim, c.shape, &t, err));
    return table_out_close(&t, put_draws(p, o, &c, &t, work, err), err);
}

static mb_status draw(mb_arena *a, void *self, mb_err *err)
{
    const sample_opt *o = self;
    posterior         p = {0};
    mb_status         st;

    if (!o->posterior)
        MB_FAIL(err, MB_E_ARG, "--posterior is missing: a file written by fit or sim");
    st = posterior_read(a, o->posterior, &p, err);
    if (st >= 0)
        st = o->what == ROWS ? rows(a, &p, o, err) : parameters(a, &p, o, err);
    posterior_close(&p);
    return st;
}

static int run(int argc, char **argv)
{
    sample_opt o = {0};

    return posterior_command("sample", options, &o, draw, argc, argv, NULL, 0);
}

static void help(FILE *out)
{
    fputs(
        "\nDraws from a posterior. Rows are new data: a component by the mean weights, then its\n"
        "Student-t, which is the normal with mean and covariance averaged over what the data\n"
        "leave open; so rows are independent draws from exactly the density that `meshbayes\n"
        "score` reports, and vary more than a plug-in normal when data were few. Parameters are\n"
        "weights, means and covariances (of a regression: coefficients and noise) as probable as\n"
        "the posterior says: put them through any formula and the spread of the results is the\n"
        "uncertainty of the answer.\n"
        "\nExamples\n"
        "  meshbayes sample --posterior posterior.json --rows 500 --seed 1 --out new.csv\n"
        "  meshbayes sample --posterior posterior.json --what parameters --rows 2000 \\\n"
        "      --out draws.csv\n"
        "\nA mixture's draw is K lines: draw, component, weight, mean.NAME for each column, and\n"
        "covariance.NAME.NAME of its lower triangle; in NPY the shape is draws x K x columns. A\n"
        "regression's is one: draw, intercept, coef.NAME, noise_variance.\n",
        out);
    app_print_options(out, "Options", options);
}

const app_command app_cmd_sample = {.name = "sample",
                                    .summary = "draw rows or parameters from a posterior",
                                    .usage = "meshbayes sample --posterior P.json --rows N "
                                             "[--what rows|parameters] ..",
                                    .run = run,
                                    .help = help};
