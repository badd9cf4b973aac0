/* fit_follow.c - `fit --follow FILE|-`: rows are taken as they come, the answer is written every
 * interval, and again at the end of standard input or after a signal. Without --update the first
 * answer is a fit of the rows that have come by then; it learns batch by batch (mb_fit_partial),
 * or with a window as a node of a mesh that is alone (mb_peer). */
#include "run/fit_follow.h"
#include "base/csv_rows.h"
#include "base/rows.h"
#include "base/span.h"
#include "base/tail.h"
#include "base/text.h"
#include "model/kind.h"
#include "posterior/file.h"
#include "posterior/posterior.h"
#include "run/fit_update.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

enum { FOLLOW_FIRST = 100 /* rows of the first answer, where none is given */ };

/* A run. Rows wait in x and w until the next update; with a window a node holds them instead. */
typedef struct follow {
    sim_job           *job;
    const sim_case    *cs;
    const fit_opt     *o;
    sim_update        *update; /* of --update, or the first answer               */
    mb_update_totals   learnt; /* by the answer                                  */
    tail               tail;
    int64_t            often;                  /* rows between two updates, at most              */
    int64_t            most;                   /* the same now: the first answer needs more      */
    double             every;                  /* seconds between them, at most; 0: any          */
    int64_t            waiting;                /* rows since the last update                     */
    int64_t            refused;                /* rows that were left out, of all                */
    int64_t            warned;                 /* of them, lines since the last update           */
    int32_t            changed;                /* 1: the answer is not in the file yet           */
    int64_t            unwritten;              /* rows learnt since the file was last written    */
    int32_t            ending;                 /* 1: no more rows will come                      */
    mb_status          st;                     /* below 0: an update failed, err says why        */
    mb_status          names;                  /* below 0: columns are not there, err says which */
    mb_err             err;                    /* of st or names                                 */
    mb_posterior       p;                      /* the answer; kind NULL: there is none yet       */
    double            *scratch;                /* to look at one row by it                       */
    mb_arena          *own;                    /* memory of p; NULL: the run's                   */
    csv_want           want;                   /* columns, targets last; 0: not known yet        */
    const char *const *column;                 /* of rows that wait, targets last                */
    double            *x, *w;                  /* most rows of these, and their weights          */
    mb_outcome         out;                    /* of the last update                             */
    mb_provenance      from;                   /* of the file                                    */
    mb_plan            plan;                   /* of the node                                    */
    mb_peer           *node;                   /* NULL: no window, or no answer yet              */
    int64_t            window_rows, window_ms; /* 0: no window                    */
} follow;

/* Room for rows of d columns, which are made of these of the stream. */
static mb_status follow_columns(follow *f, int32_t d, const char *const *column, int32_t columns,
                                const char *const *name, const mb_columns *kinds, mb_err *err)
{
    const size_t most = (size_t)f->most;

    f->column = column;
    f->want = (csv_want){
        .columns = columns, .name = name, .kinds = kinds, .weight = f->cs->args->opt.weight_column};
    MB_NEW(f->x, f->job->a, most * (size_t)d, err);
    if (f->want.weight)
        MB_NEW(f->w, f->job->a, most, err);
    return MB_OK;
}

/* All columns but the weights', targets last. */
static mb_status follow_names(follow *f, const mb_csv *csv, mb_err *err)
{
    sim_job        *job = f->job;
    const sim_case *cs = f->cs;
    const char    **name, **ordered;
    int32_t        *order;
    mb_table        t = {.name = cs->args->opt.data};
    mb_sizes        size;

    MB_NEW(name, job->a, csv->cols, err);
    MB_NEW(ordered, job->a, csv->cols, err);
    MB_NEW(order, job->a, csv->cols, err);
    for (int32_t d = 0; d < csv->cols; d++)
        if (!cs->args->opt.weight_column ||
            strcmp(csv->name[d], cs->args->opt.weight_column) != 0) {
            name[t.rows.d] = mb_text(job->a, err, "%s", csv->name[d]);
            if (!name[t.rows.d++])
                return MB_E_NOMEM;
        }
    t.column = name;
    MB_TRY(mb_table_order(&t, cs->args->kind, cs->args->model_opt, order, err));
    mb_kind_sizes(cs->args->kind, cs->args->model_opt, t.rows.d, NULL, &size);
    if (size.D < mb_kind_least_inputs(cs->args->kind, &size))
        MB_FAIL(err, MB_E_FORMAT, "%s: got %d columns; expected inputs beside the target",
                cs->args->opt.data, t.rows.d);
    for (int32_t d = 0; d < t.rows.d; d++)
        ordered[d] = name[order[d]];
    return follow_columns(f, t.rows.d, ordered, t.rows.d, ordered, NULL, err);
}

static mb_status check_first(const follow *f, const mb_fit *fit, mb_err *err)
{
    if (!fit->posterior.kind)
        MB_FAIL(err, MB_E_DOMAIN, "%s: the first answer is outside the domain",
                f->cs->args->opt.data);
    if (!f->window_rows && fit->stages->nodes.model.ops->prior_at)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: parts of this model's prior depend on each other, so that its answer cannot "
                "be updated; expected --window, or another model",
                f->cs->args->opt.data);
    return MB_OK;
}

/* A signal ends no fit: rows that have come are learnt. */
static mb_fit_opt unstopped(const follow *f)
{
    mb_fit_opt opt = sim_fit_opt(f->job, f->cs);

    opt.cancel = NULL;
    return opt;
}

/* The first answer, of the rows that wait, into p and update. */
static mb_status follow_first(follow *f, mb_err *err)
{
    const int32_t  d = f->want.columns, K = sim_components(f->cs->args);
    const mb_rows  rows = {.x = f->x, .w = f->w, .n = f->waiting, .d = d, .ld = (size_t)d};
    const mb_table table = {
        .rows = rows, .column = f->want.name, .name = f->cs->args->opt.data, .last_is_target = 1};
    mb_fit_opt  opt = unstopped(f);
    sim_update *u;
    mb_fit      fit;
    mb_status   st;

    if (f->waiting < K)
        MB_FAIL(err, MB_E_ARG,
                "--n-components: got %d components for %lld rows; expected 1 to %lld", K,
                (long long)f->waiting, (long long)f->waiting);
    MB_NEW(u, f->job->a, 1, err);
    *u = (sim_update){.file = f->cs->args->opt.data, .forget = f->o->forget};
    opt.start.seed = (uint64_t)f->cs->args->opt.seed;
    MB_TRY(mb_fit_run(f->job->a, NULL, &table, &opt, &fit, err));
    st = check_first(f, &fit, err);
    f->p = fit.posterior;
    f->out = (mb_outcome){.rounds = fit.out.rounds, .verdict = fit.out.verdict};
    f->learnt = (mb_update_totals){rows.n, fit.stages->nodes.weight_total, fit.out.bound};
    mb_fit_close(&fit);
    MB_TRY(st);
    u->p = f->p;
    f->changed = 1;
    f->update = u;
    return mb_posterior_options(f->job->a, &f->p, &u->opt, err);
}

static int64_t now_ms(void)
{
    return (int64_t)(1e3 * app_now());
}

static mb_status node_new(follow *f, mb_err *err)
{
    const sim_update *u = f->update;
    mb_genesis        g;
    mb_peer_opt       opt = {.incarnation = 1,
                             .name = "fit",
                             .plan = &f->plan,
                             .rows = f->window_rows,
                             .window_rows = f->window_rows,
                             .window_ms = f->window_ms,
                             .n_nodes = 1,
                             .tol = f->cs->args->opt.tol};

    MB_TRY(mb_genesis_of_posterior(f->job->a, &u->p, &g, err));
    f->plan = (mb_plan){.kind = u->p.kind,
                        .kind_opt = u->opt,
                        .columns = g.columns,
                        .column = g.column,
                        .from = MB_GENESIS_GIVEN,
                        .kinds = u->p.size.columns};
    MB_TRY(mb_peer_new(f->job->a, &opt, &f->node, err));
    return mb_peer_genesis(f->node, &g, err);
}

/* Once there is an answer: what looks at rows, and the node of a window. */
static mb_status follow_learner(follow *f, mb_err *err)
{
    const sim_result r = {.job = f->job, .cs = f->cs, .choice = f->cs->args->choice};

    MB_TRY(sim_provenance(&r, &f->from, err)); /* what stays as it is */
    MB_NEW(f->scratch, f->job->a, mb_posterior_scratch(&f->p, 1), err);
    return f->window_rows ? node_new(f, err) : MB_OK;
}

/* MB_E_FORMAT and such for a row that the model cannot have. */
static mb_status follow_look(const follow *f, const mb_rows *rows, mb_err *err)
{
    double density;

    for (int64_t j = 0; j < rows->n; j++) {
        const mb_rows one = mb_rows_part(rows, j, 1);

        MB_TRY(mb_posterior_predict(&f->p, &one, MB_WANT_LOGPDF, 0, &density, f->scratch, err));
    }
    return MB_OK;
}

/* Rows more, at most f->most - f->waiting. */
static mb_status follow_add(follow *f, const mb_rows *rows, mb_err *err)
{
    const size_t d = (size_t)rows->d;

    if (f->node)
        MB_TRY(mb_peer_append(f->node, now_ms(), rows, NULL, err));
    else
        memcpy(f->x + (size_t)f->waiting * d, rows->x, (size_t)rows->n * d * sizeof *f->x);
    if (f->w)
        memcpy(f->w + f->waiting, rows->w, (size_t)rows->n * sizeof *f->w);
    f->waiting += rows->n;
    return MB_OK;
}

/* The node ticks until it is at rest. */
static mb_status settle(follow *f, mb_err *err)
{
    enum { SOON = 100 /* ms: less than a rest, more than a tick */ };
    mb_peer_status status;
    int64_t        before, now;
    int            rests = 0;

    mb_peer_look(f->node, now_ms(), &status);
    before = status.rows;
    for (int64_t t = 0; !rests && t < f->cs->args->opt.rounds; t++) {
        now = now_ms();
        MB_TRY(mb_peer_tick(f->node, now, err));
        rests = mb_peer_due(f->node) > now + SOON;
    }
    mb_peer_look(f->node, now_ms(), &status);
    f->changed |= f->waiting > 0 || status.rows != before;
    f->out = (mb_outcome){.rounds = status.rounds, .bound = status.bound, .ordered = 1};
    f->out.verdict = rests ? MB_ENDED_SETTLED : MB_ENDED_MOVING;
    f->learnt = (mb_update_totals){
        status.rows, f->cs->args->opt.weight_column ? 0 : (double)status.rows, status.bound};
    return MB_OK;
}

/* The answer of the batch takes the place of the one before, with its memory. */
static mb_status update(follow *f, mb_err *err)
{
    sim_update    *u = f->update;
    const int32_t  d = mb_posterior_columns(&f->p);
    const mb_table rows = {.rows = {.x = f->x, .w = f->w, .n = f->waiting, .d = d, .ld = (size_t)d},
                           .column = f->column,
                           .kinds = f->p.size.columns,
                           .name = f->cs->args->opt.data,
                           .last_is_target = 1,
                           .design = f->p.design};
    mb_fit_opt     opt = unstopped(f);
    mb_arena      *next = mb_arena_new(1 << 16);
    mb_fit         fit = {0};
    mb_status      st;

    if (!next)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for an update");
    st = mb_fit_partial(next, &f->p, f->o->forget, &rows, &opt, &f->learnt, &fit, err);
    if (st == MB_OK && !fit.posterior.kind)
        st = mb_fail_(
            err, MB_E_DOMAIN, __FILE__, __LINE__,
            "%s: the rows that count do not determine the answer%s", f->cs->args->opt.data,
            f->o->forget < 1 ? "; expected --forget nearer 1, or more rows in a batch (--every)"
                             : "");
    f->out = fit.out;
    if (st == MB_OK) {
        f->p = fit.posterior;
        f->p.name = u->file;
        mb_arena_free(f->own);
        f->own = next;
        f->changed = 1;
    }
    mb_fit_close(&fit);
    if (st != MB_OK)
        mb_arena_free(next);
    return st;
}

/* The rows of the first answer are the first of the window. */
static mb_status first(follow *f, mb_err *err)
{
    const int32_t d = f->want.columns;
    const mb_rows rows = {.x = f->x, .w = f->w, .n = f->waiting, .d = d, .ld = (size_t)d};

    MB_TRY(follow_first(f, err));
    MB_TRY(follow_learner(f, err));
    f->most = f->often;
    if (!f->node)
        return MB_OK;
    MB_TRY(mb_peer_append(f->node, now_ms(), &rows, NULL, err));
    return settle(f, err);
}

/* Learns from the rows that wait, or settles on those of the window. The first answer is made of
 * FOLLOW_FIRST rows or, at the end, of what there is. */
static mb_status follow_learn(follow *f, mb_err *err)
{
    const int64_t enough = f->ending ? 1 : FOLLOW_FIRST;
    mb_status     st = MB_OK;

    if (!f->p.kind && f->waiting < enough)
        return MB_OK;
    if (!f->p.kind)
        st = first(f, err);
    else if (f->node)
        st = settle(f, err);
    else if (f->waiting)
        st = update(f, err);
    f->waiting = 0;
    return st;
}

static mb_status write_to(follow *f, mb_arena *scratch_arena, mb_err *err)
{
    const mb_update_totals *all = &f->learnt;
    mb_posterior            p = f->p;
    mb_status               st;

    st = f->node ? mb_peer_posterior(scratch_arena, f->node, &p, err) : MB_OK;
    if (st == MB_E_DOMAIN)
        MB_FAIL(err, MB_E_DOMAIN,
                "%s: the %lld rows of the window do not determine the answer; %s stays as it is",
                f->cs->args->opt.data, (long long)all->rows, f->job->out);
    MB_TRY(st);
    p.design = f->p.design;
    f->from.rounds = f->out.rounds;
    f->from.verdict = mb_verdict_text(f->out.verdict);
    f->from.data_rows = all->rows;
    f->from.weight_total = all->weight;
    f->from.bound = all->bound;
    return sim_write_posterior(scratch_arena, &p, &f->from, f->job->out, err);
}

/* Writes the answer. */
static mb_status follow_write(follow *f, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 16);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %s", f->job->out);
    st = write_to(f, scratch_arena, err);
    mb_arena_free(scratch_arena);
    return st;
}

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
    mb_opt with[SIM_MAX_OPTIONS];

    sim_rows_pick(sim_rows_shared(), SIM_FOLLOW, SIM_GROUPS, with);
    for (const mb_opt *o = args->table; o->name; o++)
        if (!mb_opt_find(with, o->name) && sim_option_given(o, &args->opt))
            MB_FAIL(err, MB_E_ARG, "--%s and --follow exclude each other", o->name);
    args->opt.data = ((const fit_opt *)args->own)->follow;
    return MB_OK;
}

static mb_status check(const follow *f, mb_err *err)
{
    sim_job        *job = f->job;
    const sim_case *cs = f->cs;
    mb_sizes        size;

    mb_kind_sizes(cs->args->kind, cs->args->model_opt, 1, NULL, &size);
    if (!f->update && mb_kind_takes_kinds(cs->args->kind, &size))
        MB_FAIL(err, MB_E_ARG,
                "--follow: model %s needs --update FILE.json, an answer that knows the kinds of "
                "columns: fit the first rows",
                cs->args->kind->name);
    if (!job->out || sim_to_folder(job))
        MB_FAIL(err, MB_E_ARG,
                "--follow needs --out FILE.json, the answer that is replaced after every update");
    MB_TRY(app_refuse_overwrite("--out", job->out, "--follow", f->o->follow, err));
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
    if (f->warned++ < LINES)
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
           (long long)f->learnt.rows, app_plural(f->learnt.rows), (long long)f->unwritten,
           (long long)f->refused);
    fflush(stdout);
    f->changed = 0;
    f->unwritten = 0;
    return MB_OK;
}

/* An update, and the file. A disk that is full may have room again at the next; a window may hold
 * too few rows. */
static mb_status refresh(follow *f, mb_err *err)
{
    const int64_t rows = f->waiting;
    mb_status     st;

    if (f->warned > LINES)
        app_warn("fit", "%s: %lld more rows are left out", f->cs->args->opt.data,
                 (long long)(f->warned - LINES));
    f->warned = 0;
    MB_TRY(follow_learn(f, err));
    f->unwritten += rows - f->waiting;
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

static mb_status take(void *self, mb_arena *scratch_arena, char *text, size_t n, mb_err *err)
{
    follow *f = self;
    mb_csv  csv;
    mb_rows rows;

    MB_TRY(mb_csv_parse(scratch_arena, f->cs->args->opt.data, text, n, &csv, err));
    if (!f->want.columns)
        f->names = follow_names(f, &csv, &f->err);
    if (f->names >= 0)
        f->names = check_names(f, &csv, &f->err);
    if (f->names < 0)
        return MB_OK;
    MB_TRY(csv_rows(scratch_arena, &csv, &f->want, &rows, err));
    if (f->p.kind)
        MB_TRY(follow_look(f, &rows, err));
    take_rows(f, &rows);
    return MB_OK;
}

/* Columns and learner of the answer to begin with. */
static mb_status know(follow *f, mb_err *err)
{
    const int32_t      d = mb_posterior_columns(&f->p);
    const mb_columns  *kinds;
    const char *const *name;
    const char       **column;
    int32_t            columns;

    MB_NEW(column, f->job->a, d, err);
    mb_posterior_names(&f->p, column);
    MB_TRY(mb_posterior_sources(f->job->a, &f->p, &columns, &name, &kinds, err));
    MB_TRY(follow_columns(f, d, column, columns, name, kinds, err));
    f->want.design = f->p.design;
    f->want.made = f->p.size.columns;
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
