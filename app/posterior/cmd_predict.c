/* cmd_predict.c - `meshbayes predict`: predictions of a posterior for rows, read in batches. */
#include "posterior/posterior_cmd.h"

#include <string.h>

typedef struct predict_opt {
    const char *posterior, *data, *out, *what;
    double      level;
    mb_data_opt read;
} predict_opt;

#define AT(field) offsetof(predict_opt, field)
static const mb_opt options[] = {
    {POSTERIOR_INPUT(AT(posterior))},
    {POSTERIOR_ROWS(AT(data))},
    {"what", MB_OPT_TEXT, AT(what), .choices = "labels|responsibilities|mean|interval",
     .sklearn = "predict, predict_proba",
     .help = "mixture: labels (default) or responsibilities; regression: mean (default) or "
             "interval"},
    {"level", MB_OPT_REAL, AT(level), "0.95", 1e-6, 0.999999, .unit = "probability",
     .help = "of --what interval: Student's t around the predicted mean"},
    POSTERIOR_READING(predict_opt, read),
    {POSTERIOR_OUTPUT(AT(out))},
    {.name = NULL}};

typedef struct job {
    const predict_opt *o;
    mb_posterior       p;
    mb_posterior_rows  rows;
    mb_want            want;
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
    MB_FAIL(err, MB_E_ARG, "--what: got \"%s\", which model %s does not predict; expected %s", what,
            kind->name, list);
}

static mb_status next(void *self, double *x, int64_t *n, mb_err *err)
{
    job *j = self;

    MB_TRY(mb_posterior_rows_next(&j->rows, err));
    *n = j->rows.rows.n;
    return *n ? mb_posterior_rows_predict(&j->rows, j->want, j->o->level, x, err) : MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    job       j = {.o = opt};
    mb_writer t = {.path = j.o->out, .next = next, .self = &j};
    mb_status st;

    if (!j.o->posterior || !j.o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    MB_TRY(mb_posterior_read(a, j.o->posterior, NULL, &j.p, NULL, err));
    MB_TRY(choose(&j, err));
    MB_TRY(mb_posterior_says(a, &j.p, j.want, &t.name, &t.columns, err));
    MB_TRY(posterior_rows(a, &j.p, "predict", j.o->data, 0, &j.o->read, &j.rows, err));
    t.batch = j.rows.batch;
    t.ndim = t.columns > 1 ? 2 : 1; /* labels are a vector, as NumPy has them */
    t.shape[0] = -1;
    t.shape[1] = t.columns;
    st = mb_writer_run(a, &t, err);
    posterior_notes("predict", &j.rows);
    mb_posterior_rows_close(&j.rows);
    return st;
}

const app_command app_cmd_predict = {
    .name = "predict",
    .summary = "labels, responsibilities or means of rows",
    .usage = "meshbayes predict --posterior P.json --data FILE",
    .options = options,
    .size = sizeof(predict_opt),
    .work = work,
    .text =
        "\nWrites one line for every row, in the order of the data. Rows are read in batches, so "
        "a file may be longer than memory. Labels count components from 0, as scikit-learn does; "
        "label k belongs to entry k of the lists in the posterior file.\n"
        "\nExample\n"
        "  meshbayes predict --posterior result/posterior.json --data new.csv --out labels.csv\n"};
