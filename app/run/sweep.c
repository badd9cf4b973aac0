/* sweep.c - the run of every number of components and form of their covariance, and the curves
 * over them: table, components.csv, summary.json. */
#include "run/sweep.h"
#include "model/components.h"
#include "model/kind.h"
#include "run/checkpoint.h"
#include "run/fit_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 3 /* numbers without a better bound, after which auto ends */ };

/* The smallest weight of a component at the mean; NaN: not known. */
static mb_status smallest(mb_arena *a, const mb_case *c, const mb_outcome *out, double *least,
                          mb_err *err)
{
    mb_components part;
    double       *par;
    mb_status     st;

    *least = (double)NAN;
    if (!mb_kind_has_components(c->kind) || !out->ordered)
        return MB_OK;
    st = mb_case_textbook(c, a, out->mean, &par, err);
    if (st < 0)
        return st == MB_E_DOMAIN ? MB_OK : st;
    MB_TRY(mb_components_make(a, c->kind, &c->size, par, &part, err));
    for (int32_t k = 0; k < c->size.K; k++)
        *least = fmin(*least, part.share[k]); /* of NaN and a number: the number */
    return MB_OK;
}

static mb_status note(sweep_row *row, mb_arena *a, const sweep_at *at, const sim_result *r,
                      const mb_session *from, mb_err *err)
{
    *row = (sweep_row){.choice = r->choice,
                       .form = at->form,
                       .K = at->K,
                       .left = r->failed ? at->K : from->c->model.K,
                       .bound = r->failed ? (double)NAN : r->out.bound,
                       .least = (double)NAN,
                       .seconds = app_now() - r->began,
                       .rounds = r->out.rounds,
                       .verdict = sim_verdict(r),
                       .attempts = r->found.n_init,
                       .at_best = r->found.at_best};
    return r->failed ? MB_OK : smallest(a, from->c, &r->out, &row->least, err);
}

/* The start of the run, with centres of its own. */
static mb_status start_of(const sim_case *cs, mb_arena *a, int32_t K, mb_centres *drawn,
                          mb_start *out, mb_err *err)
{
    *out = cs->start;
    if (!out->drawn)
        return MB_OK;
    MB_NEW(drawn->centres, a, (size_t)K * sim_centre(cs->rows), err);
    out->drawn = drawn;
    return MB_OK;
}

/* A run that other processes do not make. */
static mb_status watch_alone(void *self, mb_session *session, int32_t attempt, mb_err *err)
{
    (void)attempt;
    return sim_watch_attempt(self, session, 0, err);
}

/* One number in `fit`: alone, or all processes together, which then share its initialisations. */
static mb_status fit_one(sim_job *job, const sim_case *cs, mb_arena *a, const sweep_at *at,
                         int alone, sweep_row *row, mb_err *err)
{
    sim_result r = {.job = job, .cs = cs, .choice = cs->args->choice, .began = app_now()};
    mb_fit_opt o = sim_fit_opt(job, cs);
    mb_centres drawn = {0};
    mb_fit     fit;
    mb_status  st;

    MB_TRY(start_of(cs, a, at->K, &drawn, &o.start, err));
    o.how.comm = alone ? NULL : o.how.comm;
    o.watch = alone ? watch_alone : sim_watch_attempt;
    o.self = &r;
    r.apart = alone || o.how.comm;
    st = mb_fit_run(a, &cs->network->net, &cs->table, &o, &fit, err);
    if (st == MB_OK) {
        r.out = fit.out;
        r.found = fit.found;
        st = r.signal ? MB_STOP : note(row, a, at, &r, &fit.stages->session, err);
    }
    mb_fit_close(&fit);
    return st;
}

/* One algorithm in a network; its own failure is a row of the curve. */
static mb_status sim_algorithm_one(sim_job *job, const sim_case *cs, mb_arena *a,
                                   const sweep_at *at, const sim_choice *choice, const mb_case *c,
                                   const mb_start *start, sweep_row *row, mb_err *err)
{
    sim_result      r = {.job = job, .cs = cs, .choice = choice, .began = app_now()};
    const mb_method how = sim_method(cs, choice);
    mb_status st = sim_run_best(&r, c, &how, start, cs->args->opt.rounds, cs->args->opt.tol, err);

    if (st == MB_OK)
        st = mb_session_end(&r.session, &r.out, err);
    r.failed = st < 0 && st != MB_E_IO && st != MB_E_NOMEM;
    if (st == MB_OK || r.failed)
        st = note(row, a, at, &r, &r.session, err);
    mb_session_close(&r.session);
    return st;
}

/* One number in `sim`: a case of its own, and every algorithm on it. */
static mb_status sim_one(sim_job *job, const sim_case *cs, mb_arena *a, const sweep_at *at,
                         sweep_row *row, mb_err *err)
{
    const mb_case_opt opt = sim_case_opt(cs);
    mb_fit           *fit = cs->fit;
    mb_centres        drawn = {0};
    mb_start          start;
    mb_case           nodes, central = {0};
    mb_status         st;

    st = mb_case_make(a, &fit->stages->place, &cs->table, cs->args->kind, cs->args->model_opt, &opt,
                      &nodes, err);
    if (st != MB_OK)
        return st == MB_E_STOPPED ? MB_STOP : st;
    MB_TRY(start_of(cs, a, at->K, &drawn, &start, err));
    for (int32_t k = 0; k < cs->args->nchoice; k++) {
        const sim_choice *choice = &cs->args->choice[k];

        if (choice->cvb)
            MB_TRY(mb_case_central(a, &nodes, fit->stages->pool, (int32_t)cs->args->opt.threads,
                                   &central, err));
        st = sim_algorithm_one(job, cs, a, at, choice, choice->cvb ? &central : &nodes, &start,
                               row + k, err);
        if (st != MB_OK)
            return st;
    }
    return MB_OK;
}

/* A row as it is stored. */
enum { LEFT, BOUND, LEAST, SECONDS, ROUNDS, VERDICT, ATTEMPTS, AT_BEST, UNIT };

static void to_unit(const sweep_row *r, double x[UNIT])
{
    x[LEFT] = r->left;
    x[BOUND] = r->bound;
    x[LEAST] = r->least;
    x[SECONDS] = r->seconds;
    x[ROUNDS] = (double)r->rounds;
    x[VERDICT] = (double)r->verdict;
    x[ATTEMPTS] = r->attempts;
    x[AT_BEST] = r->at_best;
}

static void of_unit(const double x[UNIT], sweep_row *r)
{
    r->left = (int32_t)x[LEFT];
    r->bound = x[BOUND];
    r->least = x[LEAST];
    r->seconds = x[SECONDS];
    r->rounds = (int64_t)x[ROUNDS];
    r->verdict = (mb_verdict)(int32_t)x[VERDICT];
    r->attempts = (int32_t)x[ATTEMPTS];
    r->at_best = (int32_t)x[AT_BEST];
}

/* The same, unless it was tried before an interruption. */
static mb_status fit_or_know(sim_job *job, const sim_case *cs, mb_arena *a, const sweep_at *at,
                             int alone, sweep_row *row, mb_err *err)
{
    const mb_store *store = checkpoints_store(job);
    double          x[UNIT];
    char            name[32];
    mb_status       st = MB_QUIET;

    snprintf(name, sizeof name, at->form ? "of-%d-%s" : "of-%d", at->K, at->form);
    checkpoints_try(job, cs, NULL, alone);
    if (store)
        st = store->get(store->self, name, x, UNIT, err);
    if (st == MB_OK) {
        *row = (sweep_row){.choice = cs->args->choice, .form = at->form, .K = at->K};
        of_unit(x, row);
    } else if (st == MB_QUIET) {
        checkpoints_try(job, cs, name, alone);
        st = fit_one(job, cs, a, at, alone, row, err);
        checkpoints_try(job, cs, NULL, alone);
        to_unit(row, x);
        if (st == MB_OK && store)
            st = store->put(store->self, name, x, UNIT, err);
    }
    return st;
}

static mb_status run_one(sim_job *job, const sim_case *cs, const sweep_at *at, int alone,
                         sweep_row *row, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 20);
    sim_args  args;
    sim_case  one = *cs;
    mb_status st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a run with %d components", at->K);
    one.args = &args;
    st = sweep_args(a, cs->args, at, &args, err);
    if (st >= 0)
        st = args.command->fit ? fit_or_know(job, &one, a, at, alone, row, err)
                               : sim_one(job, &one, a, at, row, err);
    checkpoints_try(job, cs, NULL, 0);
    mb_arena_free(a);
    return st;
}

/* Central VB decides where it runs, else the first algorithm. */
static const sim_choice *decides(const sim_args *args)
{
    for (int32_t k = 0; k < args->nchoice; k++)
        if (args->choice[k].cvb)
            return &args->choice[k];
    return args->choice;
}

/* The row with the best bound of those from `first` on; NULL: none has one. */
static const sweep_row *best_of(const sweep *w, const sweep_row *first)
{
    const sweep_row *best = NULL;

    for (const sweep_row *r = first; r < w->row + w->nrow; r++)
        if (r->choice == w->by && isfinite(r->bound) && (!best || r->bound > best->bound))
            best = r;
    return best;
}

/* Who runs numbers from..end-1: from the largest, which takes longest, each goes to the process that
 * has the least to do; work is taken as proportional to K. */
static void deal(const sim_job *job, sweep *w, int32_t from, int32_t end)
{
    int64_t load[SWEEP_MOST] = {0};

    for (int32_t k = end; k-- > from;) {
        int32_t least = 0;

        for (int32_t q = 1; q < job->ranks.size && q < SWEEP_MOST; q++)
            least = load[q] < load[least] ? q : least;
        load[least] += w->at[k].K;
        w->made[k].owner = least;
    }
}

/* Runs numbers from..end-1, each in one process, and tells all how they ended. A process leaves out
 * what comes after a number that ends the sweep. */
static mb_status ahead(sim_job *job, const sim_case *cs, sweep *w, int32_t from, int32_t end,
                       mb_err *own, mb_err *err)
{
    mb_status st = MB_OK;

    deal(job, w, from, end);
    for (int32_t k = from; k < end; k++) {
        sweep_row *row = &w->made[k];

        if (row->owner != job->ranks.rank || st != MB_OK)
            continue;
        st = run_one(job, cs, &w->at[k], 1, row, own);
        row->owner = job->ranks.rank;
        row->st = st;
    }
    for (int32_t k = from; k < end; k++) {
        MB_TRY(ranks_share(&job->ranks, w->made[k].owner, &w->made[k], sizeof w->made[k], err));
        w->made[k].choice = cs->args->choice;
        w->made[k].form = w->at[k].form;
    }
    return MB_OK;
}

/* The numbers, in their order: all processes run each together, or several apart (ahead). */
static mb_status next(sim_job *job, const sim_case *cs, sweep *w, int32_t k, int32_t *end,
                      mb_err *own, mb_err *err)
{
    const int32_t size = job->ranks.size;

    if (!cs->args->command->fit || !sim_shares_starts(job, cs) || w->count < size)
        return run_one(job, cs, &w->at[k], 0, &w->row[w->nrow], err);
    if (k >= *end) {
        *end = w->automatic && k + size < w->count ? k + size : w->count;
        MB_TRY(ahead(job, cs, w, k, *end, own, err));
    }
    w->row[w->nrow] = w->made[k];
    if (w->made[k].st >= 0)
        return w->made[k].st;
    MB_TRY(ranks_share(&job->ranks, w->made[k].owner, own, sizeof *own, err));
    *err = *own;
    err->file = "a process";
    return w->made[k].st;
}

/* 1 when more components of a form, whose rows begin with `first`, have not had a better bound for a
 * while. */
static int is_over(const sweep *w, const sweep_row *first, int32_t k)
{
    const sweep_row *best = w->automatic ? best_of(w, first) : NULL;

    return best && w->at[k].K >= best->K + PATIENCE;
}

/* Form by form; auto leaves out the numbers after one that is over. */
static mb_status run_all(sim_job *job, const sim_case *cs, sweep *w, mb_err *err)
{
    const int32_t each = w->count / w->nform;
    int32_t       end = 0;
    mb_err        own = {0};

    for (int32_t f = 0; f < w->nform; f++) {
        const int32_t from = w->nrow;
        int           over = 0;

        for (int32_t k = f * each; k < (f + 1) * each && !over; k++) {
            const mb_status st = next(job, cs, w, k, &end, &own, err);

            if (st != MB_OK)
                return st;
            w->nrow += cs->args->nchoice;
            w->best = best_of(w, w->row);
            over = is_over(w, w->row + from, k);
        }
    }
    return MB_OK;
}

/* The case of the best row, in `sim` with its stages. */
static mb_status best_case(sim_job *job, const sim_case *cs, const sweep_row *best,
                           const sim_case **out, mb_err *err)
{
    const mb_case_opt how = sim_case_opt(cs);
    mb_fit_stages    *stages = cs->fit->stages;
    sim_args         *args;
    sim_case         *own;

    MB_NEW(args, job->a, 1, err);
    MB_NEW(own, job->a, 1, err);
    *own = *cs;
    own->args = args;
    MB_TRY(start_of(cs, job->a, best->K, cs->drawn, &own->start, err));
    MB_TRY(sweep_args(job->a, cs->args, &(sweep_at){best->K, best->form}, args, err));
    checkpoints_try(job, own, NULL, 0);
    *out = own;
    if (args->command->fit)
        return MB_OK;
    return mb_case_make(job->a, &stages->place, &own->table, args->kind, args->model_opt, &how,
                        &stages->nodes, err);
}

mb_status sweep_run(sim_job *job, sim_results *to, mb_err *err)
{
    const sim_case *cs = to->cs;
    sweep          *w;
    mb_status       st;

    MB_NEW(w, job->a, 1, err);
    *w = *cs->args->sweep;
    w->by = decides(cs->args);
    if (w->automatic) /* at most */
        sweep_grow(w, (int32_t)fmin(20, floor(sqrt((double)cs->rows->data.n))));
    MB_NEW(w->row, job->a, w->count * cs->args->nchoice, err);
    MB_NEW(w->made, job->a, w->count, err);
    to->sweep = w;
    st = run_all(job, cs, w, err);
    if (st != MB_OK)
        return st;
    if (!w->best)
        MB_FAIL(err, MB_E_DOMAIN, "--n-components %s: no run of %s ended inside the domain",
                cs->args->opt.components, w->by->name);
    return best_case(job, cs, w->best, &to->cs, err);
}

/* What tells the curves apart: the form, or the algorithm; "" where there is one. */
static const char *curve_of(const sim_args *args, const sweep_row *r)
{
    return r->form ? r->form : args->nchoice > 1 ? r->choice->name : "";
}

/* The longest name of a curve; 0: there is one, which needs no column. */
static int name_width(const sim_args *args, const sweep *w)
{
    size_t width = 0;

    for (const sweep_row *r = w->row; r < w->row + w->nrow; r++)
        width = strlen(curve_of(args, r)) > width ? strlen(curve_of(args, r)) : width;
    return (int)width + (width > 0);
}

static void number(int width, int digits, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, digits, mb_shown_(x, digits));
    else
        printf(" %*s", width, "-");
}

void sweep_print(const sim_results *all)
{
    const sweep    *w = all->sweep;
    const sim_args *args = all->cs->args;
    const int       width = w ? name_width(args, w) : 0;
    char            share[32];
    int             elsewhere = 0;

    if (!w)
        return;
    printf("%-*s%10s %5s %14s %7s %9s %15s %s\n", width, "", "components", "left", "lower bound",
           "rounds", "smallest", "initialisations", "verdict");
    for (const sweep_row *r = w->row; r < w->row + w->nrow; r++) {
        elsewhere |= r->verdict == MB_ENDED_ELSEWHERE;
        snprintf(share, sizeof share, "%d of %d", r->at_best, r->attempts);
        printf("%-*s%10d %5d", width, curve_of(args, r), r->K, r->left);
        number(14, 3, r->bound);
        printf(" %7lld", (long long)r->rounds);
        number(9, 4, r->least);
        printf(" %15s %s%s\n", share, mb_verdict_text(r->verdict), r == w->best ? "  best" : "");
    }
    if (elsewhere)
        app_print_elsewhere("");
    puts(elsewhere ? "\n" : "");
}

/* Empty if there is none. */
static mb_status cell(mb_file *f, double x, mb_err *err)
{
    return isfinite(x) ? mb_file_printf(f, err, "%.17g,", x) : mb_file_printf(f, err, ",");
}

static mb_status lines(void *self, mb_file *f, mb_err *err)
{
    const sweep *w = self;

    for (const sweep_row *r = w->row; r < w->row + w->nrow; r++) {
        MB_TRY(mb_file_printf(f, err, "%s,%d,%d,", r->choice->name, r->K, r->left));
        MB_TRY(cell(f, r->bound, err));
        MB_TRY(
            mb_file_printf(f, err, "%lld,%s,", (long long)r->rounds, mb_verdict_text(r->verdict)));
        MB_TRY(cell(f, r->least, err));
        MB_TRY(mb_file_printf(f, err, "%d,%d,%.3f", r->attempts, r->at_best, r->seconds));
        MB_TRY(mb_file_printf(f, err, r->form ? ",%s\n" : "\n", r->form));
    }
    return MB_OK;
}

#define HEADER                                                                                     \
    "algorithm,components,left,bound,rounds,verdict,smallest_weight,attempts,at_best,seconds"

mb_status sweep_file(sim_job *job, const sim_results *all, mb_err *err)
{
    if (!all->sweep)
        return MB_OK;
    return sim_file(job, "components.csv",
                    all->sweep->nform > 1 ? HEADER ",covariance_type\n" : HEADER "\n", lines,
                    (void *)(uintptr_t)all->sweep, err);
}

static void record(const sweep_row *r, mb_json_out *j)
{
    mb_json_object(j, NULL);
    mb_json_text(j, "algorithm", r->choice->name);
    if (r->form)
        mb_json_text(j, "covariance_type", r->form);
    mb_json_integer(j, "components", r->K);
    mb_json_integer(j, "left", r->left);
    mb_json_number(j, "bound", r->bound);
    mb_json_integer(j, "rounds", r->rounds);
    mb_json_text(j, "verdict", mb_verdict_text(r->verdict));
    mb_json_number(j, "smallest_weight", r->least);
    mb_json_integer(j, "attempts", r->attempts);
    mb_json_integer(j, "at_best", r->at_best);
    mb_json_number(j, "seconds", r->seconds);
    mb_json_close(j);
}

void sweep_summary(const sim_results *all, mb_json_out *j)
{
    const sweep   *w = all->sweep;
    const sim_opt *o = &all->cs->args->opt;

    if (!w) {
        mb_json_null(j, "components");
        return;
    }
    mb_json_object(j, "components");
    if (o->components)
        mb_json_text(j, "asked", o->components);
    else
        mb_json_integer(j, "asked", w->best->K);
    mb_json_integer(j, "chosen", w->best->K);
    if (w->best->form)
        mb_json_text(j, "covariance_type", w->best->form);
    mb_json_text(j, "by", w->by->name);
    mb_json_list(j, "curve");
    for (int32_t k = 0; k < w->nrow; k++)
        record(&w->row[k], j);
    mb_json_close(j);
    mb_json_close(j);
}
