/* sim_main.c - from the command line to the output, for `sim`, `fit` and `plan`. */
#include "base/folder.h"
#include "run/fit_keep.h"
#include "run/fit_update.h"
#include "run/genesis.h"
#include "run/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One of the algorithms; its own failure is noted in its result, and the others still run. */
static mb_status run_one(sim *s, sim_result *r, int *failures, mb_err *err)
{
    mb_status st;

    *r = (sim_result){.s = s, .choice = &s->args.choice[s->results.n], .began = app_now()};
    st = (s->args.command->fit ? s->args.command->fit : sim_algorithm)(r, &r->err);
    r->failed = st < 0;
    s->results.n += r->failed || !r->signal || r->out.rounds; /* else a signal came before it ran */
    if (st >= 0)
        return MB_OK;
    ++*failures;
    if (st == MB_E_IO || st == MB_E_NOMEM || s->args.command->fit) {
        *err = r->err; /* not the algorithm's doing: ends the command */
        return st;
    }
    if (!s->job.ranks.rank && !s->job.quiet)
        fprintf(stderr, "meshbayes %s: error: %s: %s\n", s->args.command->name, r->choice->name,
                r->err.msg);
    return MB_OK;
}

/* Runs every algorithm until a signal comes. */
static mb_status run_all(sim *s, sim_result *r, int *failures, mb_err *err)
{
    mb_status st = s->args.command->fit ? MB_OK : sim_trace(s, err);

    while (st >= 0) {
        st = sim_signal_agree(s, err);
        if (st < 0 || s->job.signal || s->results.n == s->args.nchoice)
            break;
        st = run_one(s, &r[s->results.n], failures, err);
    }
    if (st >= 0 && s->job.signal)
        sim_signal_tell(s, r);
    if (st >= 0 && sim_to_folder(s) && !s->job.ranks.rank && *failures < s->results.n)
        st = folder_begin(s->args.opt.out, err);
    if (st >= 0 && sim_trace_file(s) && *failures < s->results.n)
        return mb_file_close(&s->job.trace, MB_OK, err);
    mb_file_abort(&s->job.trace);
    return st;
}

/* Posteriors of nodes are collected from all processes; process 0 writes. */
static mb_status tell(sim *s, sim_result *r, int failures, mb_err *err)
{
    char *summary;

    if (failures == s->results.n)
        return MB_OK;
    MB_TRY(sim_start_sent(s, &s->results.sent, err));
    if (s->args.opt.out)
        MB_TRY(sim_hash(s, err));
    for (int32_t k = 0; k < s->results.n; k++)
        if (sim_to_folder(s) && !r[k].failed)
            MB_TRY(sim_posteriors_write(&r[k], err));
    if (s->job.ranks.rank)
        return MB_OK;
    MB_TRY(genesis_write(s, r, err));
    MB_TRY(sim_output(s, r, &summary, err));
    if (s->args.opt.json) {
        fputs(summary, stdout);
        return MB_OK;
    }
    MB_TRY(s->args.command->print(s, r, err));
    if (s->job.many)
        s->job.many->print(s->job.many->self);
    return MB_OK;
}

static mb_status set_up(sim *s, mb_err *err)
{
    if (!s->args.opt.data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV or NPY file with the rows");
    MB_TRY(sim_data(s, err));
    if (s->args.command->fit) {
        MB_TRY(sim_ground(s, err));
        return fit_keep_open(s, err);
    }
    MB_TRY(sim_setup(s, err));
    return ranks_agree(&s->job.ranks, sim_keep_check(s, err), err);
}

int sim_fail(sim *s, const mb_err *err, int use)
{
    if (ranks_speak(&s->job.ranks))
        return app_fail(s->args.command->name, err, use);
    return use && err->code == MB_E_ARG ? APP_WRONG_USE : APP_FAILED;
}

mb_status sim_run_case(sim *s, sim_result *r, int *failures, mb_err *err)
{
    MB_TRY(set_up(s, err));
    MB_TRY(sim_references(s, err));
    return run_all(s, r, failures, err);
}

/* The best number of components, and in `sim` its case. After a signal run_all runs nothing. */
static mb_status choose_components(sim *s, mb_err *err)
{
    const mb_case_opt how = sim_case_opt(s);
    mb_fit           *fit = s->cs.fit;
    const mb_status   st = sweep_run(s, err);

    if (st != MB_OK || s->args.command->fit)
        return st;
    return mb_case_make(s->job.a, &fit->stages->place, &s->cs.table, s->args.kind,
                        s->args.model_opt, &how, &fit->stages->nodes, err);
}

/* `fit` makes its folder later, when mb_fit_run has accepted rows and prior. */
static mb_status carry_out(sim *s, sim_result *r, int *failures, mb_err *err)
{
    if (!s->args.command->fit)
        MB_TRY(ranks_agree(&s->job.ranks, sim_folder(s, err), err));
    if (s->args.sweep)
        MB_TRY(choose_components(s, err));
    if (!s->args.command->fit)
        MB_TRY(sim_references(s, err));
    MB_TRY(run_all(s, r, failures, err));
    return tell(s, r, *failures, err);
}

/* The exit status of runs that came to their end. One that failed although others did not has its
 * warning; central VB decides only when it runs alone. */
static int judged(const sim *s, const sim_result *r)
{
    int32_t ran = 0, failed = 0, settled = 0;

    for (int32_t k = 0; k < s->results.n; k++) {
        const mb_verdict verdict = sim_verdict(&r[k]);

        settled += verdict == MB_ENDED_SETTLED;
        if (r[k].choice->cvb && s->results.n > 1)
            continue;
        ran++;
        failed += verdict == MB_ENDED_FAILED;
    }
    if (ran && failed == ran)
        return APP_NO_ANSWER;
    return s->args.opt.require_settled && settled < s->results.n ? APP_UNSETTLED : APP_DONE;
}

int sim_simulate(sim *s, sim_result *r, mb_err *err)
{
    int failures = 0;

    s->job.tty = isatty(STDERR_FILENO);
    if (set_up(s, err) < 0)
        return sim_fail(s, err, 1);
    sim_signal_catch();
    if (carry_out(s, r, &failures, err) < 0)
        return sim_fail(s, err, s->args.command->fit != NULL);
    if (s->job.ranks.size == 1 && sim_signal_agree(s, err) < 0)
        return APP_FAILED;
    if (s->job.signal)
        return APP_SIGNAL + s->job.signal;
    return failures ? APP_FAILED : judged(s, r);
}

static int run(sim *s, sim_result *r, int argc, char **argv, mb_err *err)
{
    s->args.argc = argc;
    s->args.argv = argv;
    if (ranks_open(s->job.a, &s->job.ranks, err) < 0 ||
        sim_update_words(s, &argc, &argv, err) < 0 || sim_parse(s, argc, argv, err) < 0)
        return sim_fail(s, err, 1);
    return (s->args.command->run ? s->args.command->run : sim_simulate)(s, r, err);
}

sim *sim_new(const sim_command *command, sim_result **r)
{
    mb_arena *a = mb_arena_new(1 << 20);
    sim      *s = a ? mb_alloc(a, 1, sizeof *s) : NULL;

    *r = s ? mb_alloc(a, SIM_MAX_ALGOS, sizeof **r) : NULL;
    if (!*r) {
        mb_arena_free(a);
        return NULL;
    }
    s->job.a = a;
    s->args.command = command;
    s->fit.stages = &s->stages;
    s->cs.fit = &s->fit;
    return s;
}

void sim_close(sim *s, sim_result *r)
{
    for (int k = 0; k < SIM_MAX_ALGOS; k++)
        mb_session_close(&r[k].session);
    fit_keep_close(s);
    mb_npy_unmap(&s->rows.mapped);
    mb_fit_close(s->cs.fit);
    mb_arena_free(s->job.a);
}

int sim_main(const sim_command *command, int argc, char **argv)
{
    mb_err      err = {0};
    sim_result *r;
    sim        *s = sim_new(command, &r);
    int         status;

    if (!s) {
        fprintf(stderr, "meshbayes %s: error: out of memory\n", command->name);
        return APP_FAILED;
    }
    status = ranks_close(&s->job.ranks, run(s, r, argc, argv, &err));
    if (s->job.ranks.size > 1 && s->cs.fit->stages) /* none: the fit has failed and is closed */
        s->cs.fit->stages->place.tp.ops = NULL;     /* went with MPI */
    sim_close(s, r);
    return status;
}
