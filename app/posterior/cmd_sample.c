/* cmd_sample.c - `meshbayes sample`: new rows or parameters, sampled from a posterior file. */
#include "model/kind.h"
#include "posterior/posterior_cmd.h"

#include <string.h>

typedef struct sample_opt {
    const char *posterior, *component_column, *out;
    int32_t     what;
    int64_t     rows, seed, threads;
} sample_opt;

enum { ROWS, PARAMETERS };
enum { BATCH = 8192 };

#define AT(field) offsetof(sample_opt, field)
static const mb_opt options[] = {
    {POSTERIOR_INPUT(AT(posterior))},
    {"rows", MB_OPT_INT, AT(rows), "1000", 1, 1e12, .sklearn = "n_samples",
     .help = "how many rows, or draws of the parameters"},
    {"what", MB_OPT_CHOICE, AT(what), "rows", .choices = "rows|parameters",
     .help = "rows: new data from the predictive distribution; parameters: from the posterior "
             "itself"},
    {"component-column", MB_OPT_TEXT, AT(component_column), .choices = "NAME",
     .help = "rows: a last column with the component each row came from, counted from 0"},
    {"seed", MB_OPT_INT, AT(seed), "0", 0, 9007199254740992.0, .sklearn = "random_state",
     .help = "same seed, same bits; row j depends on the seed and j alone"},
    {"threads", MB_OPT_INT, AT(threads), "0", 0, 4096, .sklearn = "n_jobs",
     .help = "that draw rows; 0: one for each processor; results do not depend on it"},
    {POSTERIOR_OUTPUT(AT(out))},
    {.name = NULL}};

typedef struct job {
    const sample_opt *o;
    mb_posterior      p;
    int64_t           done;      /* rows or draws written */
    int32_t           lines;     /* of a draw of the parameters */
    int32_t          *component; /* BATCH; NULL: not requested */
    double           *scratch;   /* of a draw of the parameters */
    mb_pool          *pool;      /* for rows */
} job;

/* Makes the component the last column of x, which has room for it. */
static void widen(double *x, int64_t n, int32_t columns, const int32_t *component)
{
    for (int64_t r = n - 1; component && r >= 0; r--) {
        memmove(x + r * (columns + 1), x + r * columns, (size_t)columns * sizeof *x);
        x[r * (columns + 1) + columns] = component[r];
    }
}

static mb_status next_rows(void *self, double *x, int64_t *n, mb_err *err)
{
    job          *j = self;
    const int64_t left = j->o->rows - j->done;

    *n = left < BATCH ? left : BATCH;
    MB_TRY(mb_posterior_sample_on(&j->p, (uint64_t)j->o->seed, j->done, *n, j->pool, x,
                                  j->component, err));
    widen(x, *n, j->p.size.D, j->component);
    j->done += *n;
    return MB_OK;
}

/* Categories are written by their names. */
static const char *name_of(void *self, int32_t column, double x)
{
    const job        *j = self;
    const mb_columns *c = j->p.size.columns;

    if (!c || column >= c->d || c->of[column].kind != MB_COLUMN_CATEGORY)
        return NULL;
    return c->of[column].level[(int32_t)x];
}

static mb_status rows(mb_arena *a, job *j, mb_err *err)
{
    const mb_posterior *p = &j->p;
    const sample_opt   *o = j->o;
    const int32_t       D = p->size.D, width = D + (o->component_column != NULL);
    const char        **name;
    mb_status           st;

    if (!p->model->ops->sample)
        MB_FAIL(err, MB_E_ARG,
                "--what rows: a %s has no distribution of its inputs; expected --what parameters",
                p->kind->name);
    for (int32_t d = 0; o->component_column && d < D; d++)
        if (!strcmp(p->column[d], o->component_column))
            MB_FAIL(err, MB_E_ARG,
                    "--component-column: %s has a column \"%.60s\" already; expected another name",
                    p->name, o->component_column);
    MB_NEW(name, a, width, err);
    memcpy(name, p->column, (size_t)D * sizeof *name);
    if (o->component_column) {
        name[D] = o->component_column;
        MB_NEW(j->component, a, BATCH, err);
    }
    MB_TRY(mb_pool_open(a, (int32_t)o->threads, &j->pool, err));
    st = mb_writer_run(a,
                       &(mb_writer){.path = o->out,
                                    .columns = width,
                                    .name = name,
                                    .ndim = 2,
                                    .shape = {o->rows, width},
                                    .batch = BATCH,
                                    .next = next_rows,
                                    .text = name_of,
                                    .self = j},
                       err);
    mb_pool_close(j->pool);
    return st;
}

static mb_status next_draw(void *self, double *x, int64_t *n, mb_err *err)
{
    job *j = self;

    *n = j->done < j->o->rows ? j->lines : 0;
    return *n ? mb_posterior_draw(&j->p, (uint64_t)j->o->seed, j->done++, x, j->scratch, err)
              : MB_OK;
}

/* A mixture's draws are tables of K lines. */
static mb_status parameters(mb_arena *a, job *j, mb_err *err)
{
    mb_writer t = {.path = j->o->out, .shape = {j->o->rows}, .next = next_draw, .self = j};
    mb_draws  c;

    if (j->o->component_column)
        MB_FAIL(err, MB_E_ARG,
                "--component-column is for --what rows; parameters have a component "
                "column of their own");
    MB_TRY(mb_posterior_draws(a, &j->p, &c, err));
    MB_NEW(j->scratch, a, mb_posterior_draw_scratch(&j->p), err);
    j->lines = c.rows;
    t.batch = c.rows;
    t.columns = c.columns;
    t.name = c.name;
    t.ndim = j->p.size.K ? 3 : 2;
    t.shape[1] = j->p.size.K ? c.rows : c.columns;
    t.shape[2] = c.columns;
    return mb_writer_run(a, &t, err);
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    job      j = {.o = opt};
    mb_field drawn[MB_FIELDS_MAX];

    if (!j.o->posterior)
        MB_FAIL(err, MB_E_ARG, "--posterior is missing: a file written by fit or sim");
    MB_TRY(mb_posterior_read(a, j.o->posterior, NULL, &j.p, NULL, err));
    if (!j.p.model->ops->sample && !mb_kind_drawn(j.p.kind, &j.p.size, drawn))
        MB_FAIL(err, MB_E_NOSUP,
                "--posterior: rows and parameters of a %s posterior cannot be sampled; meshbayes "
                "predict says what is known",
                j.p.kind->name);
    return j.o->what == ROWS ? rows(a, &j, err) : parameters(a, &j, err);
}

const app_command app_cmd_sample = {
    .name = "sample",
    .summary = "draw rows or parameters from a posterior",
    .usage = "meshbayes sample --posterior P.json --rows N [--what rows|parameters] ..",
    .options = options,
    .size = sizeof(sample_opt),
    .work = work,
    .text =
        "\nDraws from a posterior. Rows are new data: a component by the mean weights, then its "
        "Student-t, which is the normal with mean and covariance averaged over what the data leave "
        "open; so rows are independent draws from exactly the density that `meshbayes score` "
        "reports, and vary more than a plug-in normal when data were few. Parameters are weights, "
        "means and covariances (of a regression: coefficients and noise) as probable as the "
        "posterior says: put them through any formula and the spread of the results is the "
        "uncertainty of the answer.\n"
        "\nExamples\n"
        "  meshbayes sample --posterior posterior.json --rows 500 --seed 1 --out new.csv\n"
        "  meshbayes sample --posterior posterior.json --what parameters --rows 2000 \\\n"
        "      --out draws.csv\n"
        "\nA mixture's draw is K lines: draw, component, weight, mean.NAME for each column, and "
        "covariance.NAME.NAME of its lower triangle (tied: the same in each; diag: "
        "covariance.NAME, spherical: covariance); in NPY the shape is draws x K x columns. A "
        "regression's is one: draw, intercept, coef.NAME, noise_variance.\n"};
