/* cmd_sample.c - `meshbayes sample`: new rows, or parameters, drawn from a posterior file. */
#include "base/table_out.h"
#include "posterior/posterior_cmd.h"

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

/* x: room for n rows with one column more. A component, counted from 1, becomes the last column. */
static void widen(double *x, int64_t n, int32_t columns, const int32_t *component)
{
    for (int64_t r = n - 1; component && r >= 0; r--) {
        memmove(x + r * (columns + 1), x + r * columns, (size_t)columns * sizeof *x);
        x[r * (columns + 1) + columns] = component[r] + 1;
    }
}

static mb_status put_rows(const mb_posterior *p, const sample_opt *o, table_out *t, double *x,
                          int32_t *component, double *scratch, mb_err *err)
{
    for (int64_t done = 0; done < o->rows; done += BATCH) {
        const int64_t n = o->rows - done < BATCH ? o->rows - done : BATCH;

        MB_TRY(mb_posterior_sample(p, (uint64_t)o->seed, done, n, x, component, scratch, err));
        widen(x, n, p->size.D, component);
        MB_TRY(table_out_put(t, n, x, err));
    }
    return MB_OK;
}

static mb_status rows(mb_arena *a, const mb_posterior *p, const sample_opt *o, mb_err *err)
{
    const int32_t D = p->size.D, width = D + (o->component_column != NULL);
    const int64_t shape[2] = {o->rows, width};
    const char  **name;
    double       *x, *scratch;
    int32_t      *component = NULL;
    table_out     t;

    if (!p->model.ops->sample)
        MB_FAIL(err, MB_E_ARG,
                "--what rows: a %s has no distribution of its inputs, accepted: --what parameters",
                p->kind->name);
    for (int32_t d = 0; o->component_column && d < D; d++)
        if (!strcmp(p->column[d], o->component_column))
            MB_FAIL(err, MB_E_ARG,
                    "--component-column: %s has a column \"%.60s\" already, accepted: another name",
                    p->name, o->component_column);
    MB_NEW(name, a, width, err);
    memcpy(name, p->column, (size_t)D * sizeof *name);
    if (o->component_column) {
        name[D] = o->component_column;
        MB_NEW(component, a, BATCH, err);
    }
    MB_NEW(x, a, (size_t)BATCH * ((size_t)D + 1), err);
    MB_NEW(scratch, a, mb_posterior_scratch(p, BATCH), err);
    MB_TRY(table_out_open(a, o->out, width, name, 2, shape, &t, err));
    return table_out_close(&t, put_rows(p, o, &t, x, component, scratch, err), err);
}

static mb_status put_draws(const mb_posterior *p, const sample_opt *o, int32_t lines, table_out *t,
                           double *x, double *scratch, mb_err *err)
{
    for (int64_t j = 0; j < o->rows; j++) {
        MB_TRY(mb_posterior_draw(p, (uint64_t)o->seed, j, x, scratch, err));
        MB_TRY(table_out_put(t, lines, x, err));
    }
    return MB_OK;
}

static mb_status parameters(mb_arena *a, const mb_posterior *p, const sample_opt *o, mb_err *err)
{
    mb_draws  c;
    double   *x, *scratch;
    table_out t;

    if (o->component_column)
        MB_FAIL(err, MB_E_ARG,
                "--component-column is for --what rows; parameters have a component "
                "column of their own");
    MB_TRY(mb_posterior_draws(a, p, &c, err));
    const int64_t mixture[3] = {o->rows, c.rows, c.columns}, plain[2] = {o->rows, c.columns};
    const int32_t K = p->size.K;

    MB_NEW(x, a, (size_t)c.rows * (size_t)c.columns, err);
    MB_NEW(scratch, a, mb_posterior_draw_scratch(p), err);
    MB_TRY(table_out_open(a, o->out, c.columns, c.name, K ? 3 : 2, K ? mixture : plain, &t, err));
    return table_out_close(&t, put_draws(p, o, c.rows, &t, x, scratch, err), err);
}

static mb_status draw(mb_arena *a, void *self, mb_err *err)
{
    const sample_opt *o = self;
    mb_posterior      p;

    if (!o->posterior)
        MB_FAIL(err, MB_E_ARG, "--posterior is missing: a file written by fit or sim");
    MB_TRY(posterior_open(a, o->posterior, &p, NULL, err));
    return o->what == ROWS ? rows(a, &p, o, err) : parameters(a, &p, o, err);
}

static int run(int argc, char **argv)
{
    sample_opt o = {0};

    return posterior_command("sample", options, &o, draw, argc, argv, NULL, 0);
}

static void help(FILE *out)
{
    app_print_help(
        out,
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
        "regression's is one: draw, intercept, coef.NAME, noise_variance.\n");
    app_print_options(out, "Options", options);
}

const app_command app_cmd_sample = {.name = "sample",
                                    .summary = "draw rows or parameters from a posterior",
                                    .usage = "meshbayes sample --posterior P.json --rows N "
                                             "[--what rows|parameters] ..",
                                    .run = run,
                                    .help = help};
