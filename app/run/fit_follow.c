/* fit_follow.c - `fit --follow FILE|-`: rows are taken as they come, the answer is written every interval,
 * and again at the end of standard input or after a signal. */
#include "run/fit_follow.h"
#include "base/rows.h"
#include "base/span.h"
#include "model/kind.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

enum {
    BATCH = 65536, /* rows between two updates, at most       */
    MOST = 100000, /* rows of a window of time, at most       */
    LOOK_MS = 100, /* between two looks at a file             */
    LINES = 20,    /* about rows left out, between two updates */
    DAYS = 366     /* of the longest window                   */
};

/* Reads "rows=N" or "time=10min". */
static mb_status read_span(const char *option, const char *text, int64_t most, int64_t *rows,
                           double *seconds, mb_err *err)
{
    double n;

    if (!strncmp(text, "time=", 5))
        return span_duration(option, text + 5, 1e-3, 86400.0 * DAYS, seconds, err);
    if (strncmp(text, "rows=", 5) != 0)
        MB_FAIL(err, MB_E_ARG, "--%s: got \"%s\"; expected rows=N or time=T, such as 10s", option,
                text);
    if (mb_parse_double(text + 5, &n) || n < 1 || n > (double)most || n != (double)(int64_t)n)
        MB_FAIL(err, MB_E_ARG, "--%s: got \"%s\"; expected rows=1 to rows=%lld", option, text,
                (long long)most);
    *rows = (int64_t)n;
    return MB_OK;
}

static mb_status read_spans(follow *f, mb_err *err)
{
    double window = 0;

    f->often = BATCH;
    MB_TRY(read_span("every", f->o->every ? f->o->every : "time=10s", BATCH, &f->often, &f->every,
                     err));
    f->most = f->p.kind || f->often > FOLLOW_FIRST ? f->often : FOLLOW_FIRST;
    if (!f->o->window)
        return MB_OK;
    if (f->o->forget < 1)
        MB_FAIL(err, MB_E_ARG,
                "--forget and --window exclude each other: rows count in full until they leave");
    f->window_rows = MOST;
    MB_TRY(read_span("window", f->o->window, 100 * MOST, &f->window_rows, &window, err));
    f->window_ms = (int64_t)(1e3 * window);
    return MB_OK;
}

mb_status follow_take(sim_args *args, mb_err *err)
{
    static const char *const with[] = {"model", "weight-column", "n-init", "rounds", "tol",
                                       "seed",  "threads",       "out",    NULL};

    for (const mb_opt *o = args->table; o->name; o++) {
        const char *const *known = with;

        while (*known && strcmp(*known, o->name) != 0)
            known++;
        if (!*known && sim_option_given(o, &args->opt))
            MB_FAIL(err, MB_E_ARG, "--%s and --follow exclude each other", o->name);
    }
    args->opt.data = ((const fit_opt *)args->own)->follow;
    return MB_OK;
}

static mb_status check(const follow *f, mb_err *err)
{
    sim_job        *job = f->job;
    const sim_case *cs = f->cs;
    mb_sizes        size;

    cs->args->kind->sizes(cs->args->model_opt, 1, &size);
    if (!f->update && mb_kind_mixed(cs->args->kind, &size))
        MB_FAIL(err, MB_E_ARG,
                "--follow: model %s needs --update FILE.json, an answer that knows the kinds of "
                "columns: fit the first rows",
                cs->args->kind->name);
    if (!job->out || sim_to_folder(job))
        MB_FAIL(err, MB_E_ARG,
                "--follow needs --out FILE.json, the answer that is replaced after every update");
    MB_TRY(app_apart("--out", job->out, "--follow", f->o->follow, err));
    if (mb_path_ends(f->o->follow, ".npy") || mb_path_ends(f->o->follow, ".gz") ||
        strstr(f->o->follow, ".npz"))
        MB_FAIL(err, MB_E_ARG, "--follow: got \"%s\"; expected a CSV file that grows, or -",
                f->o->follow);
    if (job->ranks.size > 1)
        MB_FAIL(err, MB_E_ARG, "--follow: rows come to one process; got %d", job->ranks.size);
    if (f->p.kind && mb_kind_grouped(f->p.kind, &f->p.size))
        MB_FAIL(err, MB_E_NOSUP, "--follow: rows in groups are read from files that are complete");
    return MB_OK;
}

/* One line; of a line that was parsed after the names alone, "FILE:2:" becomes its own number. */
static mb_status refused(void *self, int64_t line, const char *why, mb_err *err)
{
    follow      *f = self;
    const char  *file = f->cs->args->opt.data;
    const size_t n = strlen(file);

    if (!strncmp(why, file, n) && !strncmp(why + n, ":2: ", 4))
        why += n + 4;
    if (f->o->on_bad_row == FOLLOW_STOP)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: %s", file, (long long)line, why);
    f->refused++;
    if (f->told++ < LINES)
        app_warn("fit", "%s:%lld: %s; the row is left out", file, (long long)line, why);
    return MB_OK;
}

static void replaced(void *self)
{
    const follow *f = self;

    app_note("fit", "%s was replaced or has become shorter: it is read from its beginning",
             f->cs->args->opt.data);
}

static mb_status write(follow *f, mb_err *err)
{
    MB_TRY(follow_write(f, err));
    printf("%s: %lld row%s, %lld of them new, %lld left out\n", f->job->out,
           (long long)f->learnt.rows, app_plural(f->learnt.rows), (long long)f->untold,
           (long long)f->refused);
    fflush(stdout);
    f->changed = 0;
    f->untold = 0;
    return MB_OK;
}

/* An update, and the file. A disk that is full may have room again at the next; a window may hold too
 * few rows. */
static mb_status refresh(follow *f, mb_err *err)
{
    const int64_t rows = f->waiting;
    mb_status     st;

    if (f->told > LINES)
        app_warn("fit", "%s: %lld more rows are left out", f->cs->args->opt.data,
                 (long long)(f->told - LINES));
    f->told = 0;
    MB_TRY(follow_learn(f, err));
    f->untold += rows - f->waiting;
    if (!f->changed)
        return MB_OK;
    st = write(f, err);
    if (st == MB_E_IO)
        app_warn("fit", "%s; it is tried again", err->msg);
    if (st == MB_E_DOMAIN)
        app_warn("fit", "%s", err->msg);
    return st == MB_E_IO || st == MB_E_DOMAIN ? MB_OK : st;
}

/* An update that fails is no fault of the lines: it is remembered and ends the run. */
static void take_rows(follow *f, const mb_rows *rows)
{
    for (int64_t at = 0; at < rows->n && f->st >= 0;) {
        const int64_t left = f->most - f->waiting, n = left < rows->n - at ? left : rows->n - at;
        const mb_rows part = mb_rows_part(rows, at, n);

        f->st = follow_add(f, &part, &f->err);
        at += n;
        if (f->st >= 0 && f->waiting == f->most)
            f->st = refresh(f, &f->err);
    }
}

/* Without one of its columns no row of a file can be taken: that ends the run. */
static mb_status check_names(const follow *f, const mb_csv *csv, mb_err *err)
{
    const csv_want *w = &f->want;

    for (int32_t d = 0; d <= w->columns; d++) {
        const char *name = d < w->columns ? w->name[d] : w->weight;

        if (name && mb_csv_find(csv, name) < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\" in its line of names", csv->file, name);
    }
    return MB_OK;
}

static mb_status take(void *self, mb_arena *draft, char *text, size_t n, mb_err *err)
{
    follow *f = self;
    mb_csv  csv;
    mb_rows rows;

    MB_TRY(mb_csv_parse(draft, f->cs->args->opt.data, text, n, &csv, err));
    if (!f->want.columns)
        f->names = follow_names(f, &csv, &f->err);
    if (f->names >= 0)
        f->names = check_names(f, &csv, &f->err);
    if (f->names < 0)
        return MB_OK;
    MB_TRY(csv_rows(draft, &csv, &f->want, &rows, err));
    if (f->p.kind)
        MB_TRY(follow_look(f, &rows, err));
    take_rows(f, &rows);
    return MB_OK;
}

/* Columns and learner of the answer to begin with. */
static mb_status know(follow *f, mb_err *err)
{
    const int32_t D = f->p.size.D, d = mb_posterior_columns(&f->p);
    const char  **name;

    MB_NEW(name, f->job->a, d, err);
    memcpy(name, f->p.column, (size_t)D * sizeof *name);
    for (int32_t t = D; t < d; t++)
        name[t] = f->p.target[t - D];
    MB_TRY(follow_columns(f, d, name, err));
    return follow_learner(f, err);
}

static mb_status begin(follow *f, mb_err *err)
{
    MB_TRY(read_spans(f, err));
    if (f->p.kind)
        MB_TRY(know(f, err));
    f->tail = (tail){.file = strcmp(f->cs->args->opt.data, "-") ? f->cs->args->opt.data : NULL,
                     .take = take,
                     .refused = refused,
                     .replaced = replaced,
                     .self = f};
    return tail_open(f->job->a, &f->tail, err);
}

/* Until there may be more rows, or it is time for an update. */
static void rest(const follow *f, double due)
{
    struct pollfd in = {.fd = f->tail.fd, .events = POLLIN};
    const double  left = f->every > 0 ? 1e3 * (due - app_now()) : 1e3;
    const double  most = f->tail.file ? LOOK_MS : 1e3;
    const int     ms = left < 0 ? 0 : (int)(left < most ? left + 1 : most);

    poll(&in, f->tail.file ? 0 : 1, ms);
}

static mb_status go_on(follow *f, mb_err *err)
{
    double due = app_now() + f->every;

    while (!f->tail.ended) {
        MB_TRY(tail_more(&f->tail, err));
        if (f->st < 0 || f->names < 0)
            break;
        MB_TRY(sim_signal_agree(f->job, err));
        if (f->job->signal)
            break;
        if (f->every > 0 && app_now() >= due) {
            MB_TRY(refresh(f, err));
            due = app_now() + f->every;
        }
        if (!f->tail.ended)
            rest(f, due);
    }
    if (f->st < 0 || f->names < 0)
        *err = f->err;
    return f->st < 0 ? f->st : f->names;
}

/* Rows before a bad one that ends the run are learnt. */
static mb_status end(follow *f, mb_status st, mb_err *err)
{
    mb_err    last = {0};
    mb_status at_last = MB_OK;

    f->ending = 1;
    if (f->st >= 0)
        at_last = refresh(f, &last);
    if (at_last >= 0 && f->changed)
        at_last = write(f, &last);
    if (st < 0 || at_last >= 0)
        return st;
    *err = last;
    return at_last;
}

/* Checks, and what is there before the first row. */
static mb_status prepare(sim *s, follow *f, mb_err *err)
{
    s->rows.args = s->network.args = &s->args;
    s->network.rows = &s->rows;
    MB_TRY(sim_case_empty(f->job, &s->network, &s->cs, err));
    MB_TRY(check(f, err));
    return begin(f, err);
}

int follow_run(sim *s, mb_err *err)
{
    follow    f = {.job = &s->job,
                   .cs = &s->cs,
                   .o = s->args.own,
                   .update = s->args.update,
                   .tail = {.fd = -1}};
    mb_status st;

    if (f.update)
        f.p = f.update->p, f.learnt = f.update->learnt;
    sim_signal_catch();
    if (prepare(s, &f, err) < 0)
        return sim_fail(f.job, err, 1);
    st = go_on(&f, err);
    st = end(&f, st, err);
    tail_close(&f.tail);
    mb_arena_free(f.own);
    if (st < 0)
        return sim_fail(f.job, err, 0);
    return f.job->signal ? APP_SIGNAL + f.job->signal : APP_DONE;
}
