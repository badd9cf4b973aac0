/* fit_private.c - `fit --privacy`: what is stated of the columns, the sums of the clipped rows, the
 * release in the ledger, and only then noise, posterior and output. Nothing that is printed or written
 * follows from the rows but by the noisy sums and the number of rows. */
#include "run/fit_private.h"
#include "base/text.h"
#include "data/data.h"
#include "fit/private.h"
#include "model/kind.h"
#include "run/answer.h"
#include "run/fit_follow.h"
#include "run/ledger.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>

/* What a release goes through. */
typedef struct private_fit {
    sim           *s;
    const fit_opt *o;
    double         epsilon, delta;
    mb_rng         rng; /* of --seed    */
    int            simulated;
    mb_entropy     entropy;
    mb_sizes       size;
    mb_privacy     privacy;
    mb_bounds      bounds;
    int64_t        rows, *sums;
    int32_t        raised;
    const char    *ledger;
    ledger_sum     spent;
    mb_posterior   p;
} private_fit;

/* What plan assumes of rows: the bounds are three standard deviations from the middle. */
static const double FORESEEN_SPREAD = 1.0 / 3, FORESEEN_R2 = 0.5;

static mb_status fill_random(void *self, void *to, size_t n, mb_err *err)
{
    char *at = to;

    (void)self;
    while (n) {
        const ssize_t got = getrandom(at, n, 0);

        if (got < 0 && errno != EINTR)
            MB_FAIL(err, MB_E_IO, "--privacy: no random bytes of the system: %s", strerror(errno));
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return MB_OK;
}

static const mb_entropy of_system = {fill_random, NULL};

static mb_status fill_seeded(void *self, void *to, size_t n, mb_err *err)
{
    unsigned char *at = to;

    (void)err;
    for (size_t k = 0; k < n; k++)
        at[k] = (unsigned char)mb_rng_u32(self);
    return MB_OK;
}

static mb_status words(const char *text, double *epsilon, double *delta, mb_err *err)
{
    const char *end = strchr(text, ',');
    char        first[64];

    snprintf(first, sizeof first, "%.*s", end ? (int)(end - text) : 0, text);
    if (!end || strncmp(first, "epsilon=", 8) != 0 || strncmp(end + 1, "delta=", 6) != 0 ||
        mb_parse_double(first + 8, epsilon) || mb_parse_double(end + 7, delta))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got \"%s\"; expected epsilon=E,delta=D, such as "
                "epsilon=1,delta=1e-5",
                text);
    return MB_OK;
}

static mb_status refuse(const mb_opt *o, const void *obj, mb_err *err)
{
    if (sim_option_given(o, obj))
        MB_FAIL(err, MB_E_ARG, "--%s and --privacy exclude each other", o->name);
    return MB_OK;
}

/* Options of the command that are not for private releases. */
static mb_status refuse_rows(const sim_args *args, const sim_row *row, const void *obj, mb_err *err)
{
    for (; row && row->opt.name; row++)
        if (row->commands & args->command->bit && !(row->commands & SIM_PRIVATE))
            MB_TRY(refuse(&row->opt, obj, err));
    return MB_OK;
}

mb_status private_options(const sim_args *args, mb_err *err)
{
    MB_TRY(refuse_rows(args, args->command->more, args->own, err));
    MB_TRY(refuse_rows(args, sim_rows_shared(), &args->opt, err));
    for (const mb_opt *o = args->kind->noisy ? args->kind->opts : NULL; o && o->name; o++)
        if (strcmp(o->name, "target-column") != 0 && strcmp(o->name, "intercept") != 0)
            MB_TRY(refuse(o, args->model_opt, err));
    return MB_OK;
}

mb_status private_check(const sim_job *job, const sim_args *args, mb_err *err)
{
    const fit_opt *o = args->own;

    if (!o->privacy && (o->bounds || o->ledger || !isnan(o->budget)))
        MB_FAIL(err, MB_E_ARG, "--bounds, --ledger and --privacy.budget require --privacy");
    if (!o->privacy)
        return MB_OK;
    if (!o->bounds)
        MB_FAIL(err, MB_E_ARG, "--privacy requires --bounds FILE.csv: column,low,high");
    if (job->ranks.size > 1)
        MB_FAIL(err, MB_E_ARG, "--privacy: got %d processes; expected one", job->ranks.size);
    if (args->opt.data && !strcmp(args->opt.data, "-"))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got standard input; expected a file, whose releases a ledger can "
                "count");
    if (job->out && sim_to_folder(job))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got --out %s; expected FILE.json or FILE.npz: a folder has figures of "
                "the rows",
                job->out);
    return private_options(args, err);
}

/* What the ledger cannot undo is tried before it: the place of the answer. */
static mb_status try_out(private_fit *f, mb_err *err)
{
    sim_job *job = &f->s->job;
    mb_file  file;

    if (!job->out)
        return MB_OK;
    MB_TRY(app_refuse_overwrite("--out", job->out, "--ledger", f->ledger, err));
    MB_TRY(app_refuse_overwrite("--out", job->out, "--bounds", f->o->bounds, err));
    MB_TRY(mb_file_open(job->a, job->out, &file, err));
    mb_file_abort(&file);
    return MB_OK;
}

/* All that is known without rows. */
static mb_status begin(private_fit *f, mb_err *err)
{
    const sim_args *args = &f->s->args;
    sim_job        *job = &f->s->job;

    f->entropy = of_system;
    if (app_option_value(args->argc, args->argv, "seed")) {
        f->simulated = 1;
        f->rng = mb_rng_at((uint64_t)args->opt.seed, MB_STREAM_NOISE, 0, 0);
        f->entropy = (mb_entropy){fill_seeded, &f->rng};
    }
    MB_TRY(words(f->o->privacy, &f->epsilon, &f->delta, err));
    mb_kind_sizes(args->kind, args->model_opt, 2, NULL, &f->size);
    MB_TRY(mb_privacy_make(args->kind, &f->size, f->epsilon, f->delta, &f->privacy, err));
    f->ledger = f->o->ledger;
    if (!f->ledger)
        MB_TRY(ledger_default(job->a, args->opt.data, &f->ledger, err));
    return try_out(f, err);
}

static mb_status read_bounds(private_fit *f, const mb_table *t, mb_err *err)
{
    const int32_t d = t->rows.d;
    double       *low, *high;

    MB_NEW(low, f->s->job.a, d, err);
    MB_NEW(high, f->s->job.a, d, err);
    MB_TRY(mb_bounds_read(f->s->job.a, f->o->bounds, d, t->column, low, high, err));
    f->bounds = (mb_bounds){d, low, high};
    return MB_OK;
}

/* The sums of rows t. What the posterior would refuse afterwards, as too few rows, is refused now, when
 * nothing is spent. */
static mb_status sum_rows(private_fit *f, const mb_table *t, mb_err *err)
{
    const sim_args *args = &f->s->args;
    mb_arena       *a = f->s->job.a;
    mb_foreseen     seen;

    f->rows = t->rows.n;
    mb_kind_sizes(args->kind, args->model_opt, t->rows.d, NULL, &f->size);
    MB_TRY(mb_privacy_make(args->kind, &f->size, f->epsilon, f->delta, &f->privacy, err));
    MB_TRY(mb_privacy_foresee(a, args->kind, &f->size, &f->privacy, f->rows, FORESEEN_SPREAD,
                              FORESEEN_R2, &seen, err));
    MB_NEW(f->sums, a, (size_t)f->privacy.n * ((size_t)f->privacy.n + 1) / 2, err);
    return mb_privacy_sums(a, &f->privacy, &t->rows, &f->bounds, f->sums, err);
}

/* Readers of rows suggest options that are refused here. */
static mb_status without_hints(mb_status st, mb_err *err)
{
    static const char *const hints[] = {"; --missing drop", " (--missing drop", ", --label-column",
                                        ", or a formula without it"};

    for (size_t k = 0; st < 0 && k < sizeof hints / sizeof *hints; k++) {
        char *at = strstr(err->msg, hints[k]);

        if (at)
            *at = '\0';
    }
    return st;
}

/* Notes about what columns look like would show rows. */
static mb_status read_rows(private_fit *f, mb_err *err)
{
    sim            *s = f->s;
    const sim_args *args = &s->args;
    mb_table        t;

    s->job.quiet = 1;
    MB_TRY(without_hints(sim_rows_read(&s->job, args, &s->rows, err), err));
    if (s->rows.design || s->rows.data.columns)
        MB_FAIL(
            err, MB_E_ARG,
            "%s: a column is not a number; expected numbers with --privacy (--drop NAME leaves a "
            "column out)",
            args->opt.data);
    if (!s->rows.data.name)
        MB_TRY(mb_data_number_columns(s->job.a, s->rows.data.d, &s->rows.data.name, err));
    t = mb_table_of(&s->rows.data, args->opt.data);
    MB_TRY(read_bounds(f, &t, err));
    return sum_rows(f, &t, err);
}

static mb_status release(private_fit *f, mb_err *err)
{
    const sim_args      *args = &f->s->args;
    mb_arena            *a = f->s->job.a;
    const ledger_release r = {f->epsilon,       f->delta, f->privacy.mu,
                              args->kind->name, f->rows,  f->simulated};

    MB_TRY(ledger_book(a, f->ledger, args->opt.data, f->o->budget, &r, &of_system, &f->spent, err));
    MB_TRY(mb_privacy_add_noise(a, &f->privacy, &f->entropy, f->sums, err));
    MB_TRY(mb_privacy_posterior(a, args->kind, &f->size, &f->privacy, &f->bounds, f->rows, f->sums,
                                &f->p, &f->raised, err));
    f->p.column = f->s->rows.data.name;
    f->p.target = f->s->rows.data.name + f->size.D;
    return MB_OK;
}

/* "privacy", a member of the posterior file. */
static mb_status describe(private_fit *f, const mb_json **out, mb_err *err)
{
    const int64_t d = f->bounds.d;
    mb_json_out   j;
    char         *text;
    size_t        n;

    mb_json_begin(&j, f->s->job.a, err);
    mb_json_object(&j, NULL);
    mb_json_object(&j, "privacy");
    mb_json_number(&j, "epsilon", f->epsilon);
    mb_json_number(&j, "delta", f->delta);
    mb_json_text(&j, "neighbours", "one row replaced");
    mb_json_text(&j, "noise", f->simulated ? "simulated" : "random");
    mb_json_number(&j, "noise_sd", f->privacy.sd);
    mb_json_number(&j, "sensitivity", f->privacy.sensitivity);
    mb_json_integer(&j, "raised", f->raised);
    mb_json_numbers(&j, "low", 1, &d, f->bounds.low);
    mb_json_numbers(&j, "high", 1, &d, f->bounds.high);
    mb_json_close(&j);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, &n));
    MB_TRY(mb_json_parse(f->s->job.a, "privacy", text, n, out, err));
    *out = mb_json_at(*out, "privacy");
    return MB_OK;
}

static mb_status write(private_fit *f, mb_err *err)
{
    sim             *s = f->s;
    const sim_result r = {.job = &s->job, .cs = &s->cs, .choice = s->args.choice};
    mb_provenance    from;

    if (!s->job.out)
        return MB_OK;
    s->rows.data.hash = 0;
    s->network.args = &s->args;
    s->network.rows = &s->rows;
    MB_TRY(sim_case_empty(&s->job, &s->network, &s->cs, err));
    MB_TRY(sim_provenance(&r, &from, err));
    from.verdict = NULL;
    from.data_rows = f->rows;
    from.weight_total = (double)f->rows;
    from.bound = (double)NAN;
    from.nmore = 1;
    MB_TRY(describe(f, &from.more, err));
    return sim_write_posterior(s->job.a, &f->p, &from, s->job.out, err);
}

static mb_status print(private_fit *f, mb_err *err)
{
    const sim_job *job = &f->s->job;
    mb_summary     u;

    MB_TRY(mb_posterior_summary(job->a, &f->p, &u, err));
    printf("%lld rows, %d inputs\n\n", (long long)f->rows, f->size.D);
    MB_TRY(sim_summary_print(job, &u, err));
    printf("target %s; %s\n", f->p.target[0], u.note);
    printf("\nprivate: epsilon %g, delta %g, neighbours differ in one row replaced; the sums have "
           "noise of sd %.4g, in columns scaled to -1 .. 1, which the intervals know\n",
           f->epsilon, f->delta, f->privacy.sd);
    if (f->simulated)
        puts("simulated: the noise is of --seed, so that the answer is not private");
    if (f->raised)
        printf("%d of %d eigenvalues of the noisy sums were below the noise and raised to it: the "
               "rows hardly determine a coefficient or the residuals, and intervals are rather too "
               "wide\n",
               f->raised, f->privacy.n);
    printf("%s: %lld release%s, epsilon %.4g of %.4g at delta %g\n", f->ledger,
           (long long)f->spent.releases, app_plural(f->spent.releases), f->spent.epsilon,
           f->spent.budget, f->spent.delta);
    if (job->out)
        printf("posterior: %s\n", job->out);
    return MB_OK;
}

int private_run(sim *s, mb_err *err)
{
    private_fit f = {.s = s, .o = s->args.own};

    if (!s->args.opt.data)
        mb_fail_(err, MB_E_ARG, __FILE__, __LINE__,
                 "--data is missing: the CSV or NPY file with the rows");
    if (!s->args.opt.data || begin(&f, err) < 0 || read_rows(&f, err) < 0 || release(&f, err) < 0)
        return sim_fail(&s->job, err, 1);
    if (write(&f, err) < 0 || print(&f, err) < 0)
        return sim_fail(&s->job, err, 0);
    return APP_DONE;
}

static mb_status print_plan(sim *s, const mb_privacy *p, int64_t rows, int32_t inputs, mb_err *err)
{
    mb_sizes    size;
    mb_foreseen seen;
    mb_json_out j;

    mb_kind_sizes(s->args.kind, s->args.model_opt, inputs + 1, NULL, &size);
    MB_TRY(mb_privacy_foresee(s->job.a, s->args.kind, &size, p, rows, FORESEEN_SPREAD, FORESEEN_R2,
                              &seen, err));
    if (s->args.opt.json) {
        mb_json_begin(&j, s->job.a, err);
        mb_json_object(&j, NULL);
        mb_json_integer(&j, "rows", rows);
        mb_json_integer(&j, "inputs", inputs);
        mb_json_number(&j, "epsilon", p->epsilon);
        mb_json_number(&j, "delta", p->delta);
        mb_json_number(&j, "noise_sd", p->sd);
        mb_json_number(&j, "sd_without_noise", seen.without);
        mb_json_number(&j, "sd", seen.with);
        mb_json_integer(&j, "raised", seen.raised);
        mb_json_close(&j);
        return app_print_json(&j);
    }
    printf("%lld rows, %d inputs: epsilon %g, delta %g\n\n"
           "noise of the sums: sd %.4g, in columns scaled to -1 .. 1\n"
           "sd of a coefficient: %.3g without noise, %.3g with it, in half ranges of the target a "
           "half range of the input; where inputs are independent, three standard deviations reach "
           "the bounds, and R2 is %g\n",
           (long long)rows, inputs, p->epsilon, p->delta, p->sd, seen.without, seen.with,
           FORESEEN_R2);
    if (seen.raised)
        puts("too few rows: the noise hides what they say, and intervals will be rather too wide");
    return MB_OK;
}

int private_plan(sim *s, const char *text, int64_t rows, int32_t inputs, mb_err *err)
{
    double     epsilon, delta;
    mb_sizes   size;
    mb_privacy p;

    mb_kind_sizes(s->args.kind, s->args.model_opt, inputs + 1, NULL, &size);
    if (private_options(&s->args, err) < 0 || words(text, &epsilon, &delta, err) < 0 ||
        mb_privacy_make(s->args.kind, &size, epsilon, delta, &p, err) < 0)
        return app_fail("plan", err, 1);
    return print_plan(s, &p, rows, inputs, err) < 0 ? app_fail("plan", err, 1) : APP_DONE;
}
