/* cmd_predict.c - `meshbayes predict`: predictions of a posterior for rows, read in batches. */
#include "base/text.h"
#include "data/parse.h"
#include "model/kind.h"
#include "num/num.h"
#include "posterior/posterior.h"
#include "posterior/posterior_cmd.h"
#include "posterior/turns.h"

#include <math.h>
#include <string.h>

typedef struct predict_opt {
    ranks       job; /* first */
    const char *posterior, *data, *out, *what, *keep;
    double      level;
    int64_t     threads, steps;
    mb_data_opt read;
} predict_opt;

#define AT(field) offsetof(predict_opt, field)
static const mb_opt options[] = {
    {POSTERIOR_INPUT(AT(posterior))},
    {POSTERIOR_ROWS(AT(data))},
    {"what", MB_OPT_TEXT, AT(what),
     .choices = "labels|responsibilities|probabilities|mean|interval|states|smoothed|filtered|"
                "group-density|forecast|states-ahead|scores|filled|topics",
     .sklearn = "predict, predict_proba, transform",
     .help = "one thing alone: labels or responsibilities of a mixture, mean or interval of a "
             "regression, all four of a mixture of regressions, labels, probabilities or interval "
             "of a category or flag, log density of "
             "each group of rows, scores of factors, rows with their gaps filled, shares of topics "
             "of each document; of sequences the "
             "likeliest states, what all rows (smoothed) or "
             "those up to each (filtered) say of its state, or the rows that follow (forecast); "
             "without it a "
             "table with the row's "
             "number, see above (NPY: the first of these)"},
    {"steps", MB_OPT_INT, AT(steps), "0", 0, 10000, .unit = "rows",
     .help = "that a forecast has after the last of each sequence; 0: 1"},
    {"keep", MB_OPT_TEXT, AT(keep), .choices = "A,B,..",
     .help = "columns of the data, texts too, that are copied to the front of each line, CSV only; "
             "without it the row's number"},
    {"level", MB_OPT_REAL, AT(level), "0.95", 1e-6, 0.999999, .unit = "probability",
     .help =
         "of intervals: linear regression: of the target (Student's t), of mixtures of them too; "
         "glm: of its mean or of the label's probability; forecast: of the row's value (normal)"},
    POSTERIOR_READING(predict_opt, read),
    {POSTERIOR_THREADS(AT(threads))},
    {POSTERIOR_OUTPUT(AT(out))},
    {.name = NULL}};

enum { MOST_COLUMNS = 64, WIDE = 5 /* numbers of an interval */ };

typedef struct job {
    const predict_opt *o;
    posterior_files    files;
    mb_posterior       p;
    mb_posterior_rows  rows;
    posterior_turns    turns;
    mb_want            want;
    int                levelled; /* 1: the target is a category or a flag                */
    int32_t            whole;    /* 1: the table of all that is known of a row            */
    const char        *keep[MOST_COLUMNS];
    int32_t            keeps;
    int64_t            steps;       /* of a forecast, else 1 */
    char               number[24];  /* of a row, as text                                */
    mb_classification  fit;         /* of a target that the rows have */
    double            *probability; /* room for it; NULL: they have none */
    double            *states;      /* of the rows of a forecast; NULL: they have none */
    double            *part;        /* batch x max(K, levels, WIDE): a prediction of each row */
    const mb_column   *levels;      /* of a target that is a category; NULL: it is none    */
} job;

/* 1 when a line is of a row that follows. */
static int is_ahead(const job *j)
{
    return j->want == MB_WANT_AHEAD || j->want == MB_WANT_STATES_AHEAD;
}

static mb_status choose(job *j, mb_err *err)
{
    const mb_kind *kind = j->p.kind;
    const char    *what = j->o->what;
    char           list[160] = "";
    int32_t        n;
    const mb_want *wants = mb_kind_wants(kind, &j->p.size, &n);

    if (!n)
        MB_FAIL(err, MB_E_NOSUP, "model %s predicts nothing of rows", kind->name);
    j->levels = mb_kind_levels(kind, &j->p.size);
    j->levelled = mb_kind_takes_levels(kind, &j->p.size);
    if (mb_want_named_(kind, &j->p.size, what ? what : mb_want_text(*wants), &j->want)) {
        j->whole = !what && !mb_path_ends(j->files.out, ".npy") &&
                   (j->want == MB_WANT_LABEL || j->want == MB_WANT_MEAN_VAR);
        if (j->o->steps && !is_ahead(j))
            MB_FAIL(err, MB_E_ARG, "--steps: got %lld; expected it with --what %s only",
                    (long long)j->o->steps, mb_want_text(MB_WANT_AHEAD));
        j->steps = j->o->steps ? j->o->steps : 1;
        return MB_OK;
    }
    for (int32_t k = 0; k < n; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? " or " : "",
                 mb_want_text(wants[k]));
    MB_FAIL(err, MB_E_ARG, "--what: got \"%s\", which model %s does not predict; expected %s", what,
            kind->name, list);
}

/* --keep into names; those of the output are taken. */
static mb_status split(mb_arena *a, job *j, const mb_writer *t, mb_err *err)
{
    char *text, *end;

    if (!j->o->keep)
        return MB_OK;
    if (mb_path_ends(j->files.out, ".npy"))
        MB_FAIL(err, MB_E_ARG, "--keep: NPY has no texts; expected --out FILE.csv");
    MB_NEW(text, a, strlen(j->o->keep) + 1, err);
    strcpy(text, j->o->keep);
    for (; text; text = end) {
        end = strchr(text, ',');
        if (end)
            *end++ = 0;
        if (j->keeps == MOST_COLUMNS)
            MB_FAIL(err, MB_E_ARG, "--keep: got more than %d columns", MOST_COLUMNS);
        for (int32_t k = 0; k < j->keeps + t->columns; k++)
            if (!strcmp(text, k < j->keeps ? j->keep[k] : t->name[k - j->keeps]))
                MB_FAIL(err, MB_E_ARG,
                        "--keep: got \"%.60s\", a column that the output has already; expected "
                        "others",
                        text);
        j->keep[j->keeps++] = text;
    }
    return MB_OK;
}

/* label, probability, log_density. */
static mb_status mixture(job *j, double *x, mb_err *err)
{
    const int64_t n = j->rows.rows.n;
    const int32_t K = j->p.size.K;

    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_LABEL, j->o->level, j->part, err));
    for (int64_t r = 0; r < n; r++)
        x[3 * r] = j->part[r];
    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_RESP, j->o->level, j->part, err));
    for (int64_t r = 0; r < n; r++)
        x[3 * r + 1] = j->part[r * K + (int64_t)x[3 * r]];
    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_LOGPDF, j->o->level, j->part, err));
    for (int64_t r = 0; r < n; r++)
        x[3 * r + 2] = j->part[r];
    return MB_OK;
}

/* label, probability, lower, upper. */
static mb_status category(job *j, double *x, mb_err *err)
{
    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_LABEL, j->o->level, j->part, err));
    for (int64_t r = 0; r < j->rows.rows.n; r++)
        x[4 * r] = j->part[r];
    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_RANGE, j->o->level, j->part, err));
    for (int64_t r = 0; r < j->rows.rows.n; r++)
        memcpy(x + 4 * r + 1, j->part + 3 * r, 3 * sizeof *x);
    return MB_OK;
}

/* The name of a level. */
static const char *name_of(void *self, int32_t column, double x)
{
    const job *j = self;

    return j->levels && column == 0 ? j->levels->level[(int32_t)x] : NULL;
}

/* What gives the intervals of `regression`: of the target (linear regression), or of its mean. */
static mb_want interval_of(const job *j)
{
    int32_t        n;
    const mb_want *wants = mb_kind_wants(j->p.kind, &j->p.size, &n);

    while (n && wants[n - 1] != MB_WANT_RANGE)
        n--;
    return n ? MB_WANT_RANGE : MB_WANT_INTERVAL;
}

/* 1 for what is said of a target that the rows have. */
static int needs_target(const job *j)
{
    return j->p.kind->targets &&
           (j->want == MB_WANT_GROUP ||
            (j->p.size.K && (j->want == MB_WANT_LABEL || j->want == MB_WANT_RESP)));
}

/* Of each target mean, sd, lower, upper. */
static mb_status regression(job *j, double *x, mb_err *err)
{
    const int64_t n = j->rows.rows.n * mb_kind_targets(j->p.kind, &j->p.size);
    const mb_want want = interval_of(j);
    const int32_t wide = want == MB_WANT_RANGE ? 3 : WIDE;

    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_MEAN_VAR, j->o->level, j->part, err));
    for (int64_t r = 0; r < n; r++) {
        x[4 * r] = j->part[2 * r];
        x[4 * r + 1] = sqrt(j->part[2 * r + 1]);
    }
    MB_TRY(mb_posterior_rows_predict(&j->rows, want, j->o->level, j->part, err));
    for (int64_t r = 0; r < n; r++)
        memcpy(x + 4 * r + 2, j->part + wide * r + 1, 2 * sizeof *x);
    return MB_OK;
}

/* Columns that a forecast has, or targets. */
static int32_t ahead_of(const mb_posterior *p)
{
    return p->kind->targets ? mb_kind_targets(p->kind, &p->size) : p->size.D;
}

/* Where rows have states, the ends of intervals under these into ends (n x T x 2); else normal ones. */
static mb_status find_ends(job *j, int64_t n, int32_t T, const double *of, double *ends,
                           mb_err *err)
{
    const double reach = mb_student_quantile((double)INFINITY, (1 + j->o->level) / 2);
    mb_arena    *a;
    mb_status    st;

    for (int64_t e = 0; e < n * T; e++) {
        ends[2 * e] = of[2 * e] - reach * sqrt(of[2 * e + 1]);
        ends[2 * e + 1] = of[2 * e] + reach * sqrt(of[2 * e + 1]);
    }
    if (!j->states)
        return MB_OK;
    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_STATES_AHEAD, 0, j->states, err));
    a = mb_arena_new(1 << 14);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for intervals");
    st = mb_ahead_intervals_(a, &j->p, n, j->states, j->o->level, ends, err);
    mb_arena_free(a);
    return st;
}

/* step, then of each column mean, sd, lower, upper. */
static mb_status forecast(job *j, double *x, mb_err *err)
{
    const int32_t T = ahead_of(&j->p);
    const int64_t n = mb_want_lines_(&j->p, &j->rows.rows, MB_WANT_AHEAD);
    const double *of = j->part, *end = j->part + 2 * n * T;

    MB_TRY(mb_posterior_rows_predict(&j->rows, MB_WANT_AHEAD, j->o->level, j->part, err));
    MB_TRY(find_ends(j, n, T, j->part, j->part + 2 * n * T, err));
    for (int64_t r = 0; r < n; r++) {
        *x++ = (double)(r % j->steps + 1);
        for (int32_t t = 0; t < T; t++, of += 2, end += 2, x += 4) {
            x[0] = of[0];
            x[1] = sqrt(of[1]);
            x[2] = end[0];
            x[3] = end[1];
        }
    }
    return MB_OK;
}

/* The batch of rows. */
static mb_status make(void *self, double *x, mb_err *err)
{
    job *j = self;

    if (j->want == MB_WANT_AHEAD)
        return forecast(j, x, err);
    if (j->whole)
        return j->levelled                ? category(j, x, err)
               : j->want == MB_WANT_LABEL ? mixture(j, x, err)
                                          : regression(j, x, err);
    return mb_posterior_rows_predict(&j->rows, j->want, j->o->level, x, err);
}

static mb_status next(void *self, double *x, int64_t *n, mb_err *err)
{
    job *j = self;

    MB_TRY(posterior_turns_next(&j->turns, x, n, err));
    return *n && j->probability ? posterior_levels(&j->rows, j->probability, &j->fit, err) : MB_OK;
}

/* 1 when a line is of a group of rows. */
static int of_groups(const job *j)
{
    return j->want == MB_WANT_GROUP || is_ahead(j);
}

/* Of a group of rows: the texts of its first row, or its name. */
static const char *lead(void *self, int64_t r, int32_t k)
{
    job *j = self;

    if (of_groups(j))
        r = j->rows.rows.first[r / j->steps];
    if (j->keeps)
        return mb_reader_extra(j->rows.reader, r, k);
    if (of_groups(j))
        return mb_reader_group_name_(j->rows.reader, r);
    snprintf(j->number, sizeof j->number, "%lld", (long long)mb_reader_rows(j->rows.reader)[r] + 1);
    return j->number;
}

/* mean, sd, lower and upper of each of T columns, with their names unless there is one, after the
 * step of a forecast. */
static mb_status of_intervals(mb_arena *a, int32_t T, const char *const *of, int step, mb_writer *t,
                              mb_err *err)
{
    static const char *const each[] = {"step", "mean", "sd", "lower", "upper"};
    const int32_t            n = 4;
    const char             **name;

    t->name = each + !step;
    t->columns = n * T + step;
    if (T == 1)
        return MB_OK;
    MB_NEW(name, a, t->columns, err);
    t->name = name;
    for (int32_t k = 0; k < t->columns; k++) {
        name[k] = k < step ? *each
                           : mb_text(a, err, "%s.%s", each[1 + (k - step) % n], of[(k - step) / n]);
        if (!name[k])
            return MB_E_NOMEM;
    }
    return MB_OK;
}

/* The columns of numbers, then those before them. */
static mb_status columns(mb_arena *a, job *j, mb_writer *t, mb_err *err)
{
    static const char *const of_mixture[] = {"label", "probability", "log_density"};
    static const char *const of_levels[] = {"label", "probability", "lower", "upper"};
    static const char *const row[] = {"row"}, *const group[] = {"group"};
    const int groups = of_groups(j), ahead = j->want == MB_WANT_AHEAD;
    const int labels = j->want == MB_WANT_LABEL;

    MB_TRY(mb_posterior_predict_columns(a, &j->p, j->want, &t->name, &t->columns, err));
    if (j->whole && j->levelled) {
        t->name = of_levels;
        t->columns = 4;
    } else if (j->whole && labels) {
        t->name = of_mixture;
        t->columns = 3;
    } else if (j->whole || ahead)
        MB_TRY(of_intervals(a, ahead ? ahead_of(&j->p) : mb_kind_targets(j->p.kind, &j->p.size),
                            j->p.kind->targets ? j->p.target : j->p.column, ahead, t, err));
    t->text = j->levels && labels ? name_of : NULL;
    MB_TRY(split(a, j, t, err));
    t->leads = j->keeps ? j->keeps : j->whole || (groups && !mb_path_ends(j->files.out, ".npy"));
    t->lead_name = j->keeps ? j->keep : groups ? group : row;
    t->lead = lead;
    t->ndim = t->columns > 1 ? 2 : 1; /* labels are a vector, as NumPy has them */
    t->shape[0] = -1;
    t->shape[1] = t->columns;
    return MB_OK;
}

static mb_status predict(mb_arena *a, job *j, mb_writer *t, mb_err *err)
{
    const int32_t wide = WIDE * (j->want == MB_WANT_AHEAD ? ahead_of(&j->p)
                                                          : mb_kind_targets(j->p.kind, &j->p.size));
    const int32_t parts = j->levels ? j->levels->levels : j->p.size.K;
    const int32_t most = parts > wide ? parts : wide > WIDE ? wide : WIDE;

    if (j->keeps)
        MB_TRY(mb_posterior_rows_keep(a, &j->rows, j->keeps, j->keep, err));
    if (!j->o->job.rank)
        posterior_note("predict", &j->rows);
    t->batch = is_ahead(j) ? j->rows.groups * j->steps : j->rows.batch;
    j->rows.rows.ahead = is_ahead(j) ? (int32_t)j->steps : 0;
    if (j->want == MB_WANT_AHEAD && !j->p.kind->targets && mb_kind_has_components(j->p.kind))
        MB_NEW(j->states, a, (size_t)t->batch * (size_t)parts, err);
    j->turns = (posterior_turns){&j->o->job, &j->rows,      .make = make,
                                 .self = j,  .of = j->want, .width = t->columns};
    j->turns.own_part = j->files.own_part;
    MB_NEW(j->part, a, (size_t)t->batch * (size_t)most, err);
    if (j->whole && j->files.writes && !j->files.own_part &&
        strcmp(j->files.out, "/dev/stdout") != 0)
        MB_TRY(posterior_levels_new(a, &j->rows, &j->fit, &j->probability, err));
    MB_TRY(mb_writer_run(a, t, err));
    if (j->probability)
        app_print_levels(&j->fit, j->levels);
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    mb_data_opt *read = &((predict_opt *)opt)->read;
    job          j = {.o = opt};
    mb_writer    t = {.next = next, .self = &j};
    mb_status    st;

    if (!j.o->posterior || !j.o->data)
        MB_FAIL(err, MB_E_ARG, "--posterior FILE.json and --data FILE are needed");
    j.files = (posterior_files){.data = j.o->data, .out = j.o->out};
    MB_TRY(posterior_files_find(a, &j.o->job, 1, read, &j.files, err));
    t.path = j.files.writes ? j.files.out : NULL;
    MB_TRY(mb_posterior_read(a, j.o->posterior, NULL, &j.p, NULL, err));
    MB_TRY(app_missing(j.p.kind, read, err));
    MB_TRY(choose(&j, err));
    MB_TRY(columns(a, &j, &t, err));
    MB_TRY(posterior_open(a, &j.p, j.files.data, needs_target(&j), &j.o->job, j.o->threads, read,
                          &j.rows, err));
    st = predict(a, &j, &t, err);
    if (j.files.writes)
        posterior_notes("predict", &j.rows);
    posterior_close(&j.rows, read);
    return posterior_turns_end(&j.turns, st, err);
}

static int run(int argc, char **argv)
{
    return posterior_run(&app_cmd_predict, argc, argv);
}

const app_command app_cmd_predict = {
    .name = "predict",
    .summary = "labels, responsibilities or means of rows",
    .usage = "meshbayes predict --posterior P.json --data FILE",
    .options = options,
    .size = sizeof(predict_opt),
    .work = work,
    .run = run,
    .many = 1,
    .text =
        "\nWrites one line for every row, in the order of the data. Of a mixture: row (its number, "
        "from 1), label, probability (of that label), log_density (predictive, nats: low where a "
        "row is unlike all that was seen). Of a regression: row, mean, sd, lower, upper (an "
        "interval of the target; of a count an interval of its mean; sd is infinite where a "
        "component "
        "has no rows); of several "
        "targets mean.NAME and so on, target by target. Of a category or a flag: row, label (the "
        "likeliest: its name, or its number from 0), probability (of that label), lower, upper "
        "(an interval of this probability); where the rows have the target, and --out is a file, "
        "accuracy, log loss and the levels predicted of each observed one are printed. --keep "
        "puts columns of the data, such as an id, in place of the number. A forecast has a line "
        "for each row that would follow a sequence: group, step, and of each column mean, sd, "
        "lower, upper. Rows are read in "
        "batches, so a file may be longer than memory; under mpirun -n P, P processes compute "
        "them in turn, and the output is the same; or, with --data part-%r.npy --out out-%r.npy, "
        "process 0 reads part-0.npy and writes out-0.npy, and so on. Labels count components from "
        "0, as "
        "scikit-learn does; label k belongs to entry k of the lists in the posterior file.\n"
        "\nExamples\n"
        "  meshbayes predict --posterior result/posterior.json --data new.csv --out labels.csv\n"
        "  meshbayes predict --posterior result/posterior.json --data new.csv --keep id,site\n"
        "  meshbayes predict --posterior result/posterior.json --data new.csv --what labels\n"};
