/* sim_main.c - from the command line to the output, for `sim`, `fit` and `plan`. */
#include "base/folder.h"
#include "run/answer.h"
#include "run/checkpoint.h"
#include "run/fit_update.h"
#include "run/genesis.h"
#include "run/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One of the algorithms; its own failure is noted in its result, and the others still run. */
static mb_status run_one(sim_job *job, sim_results *all, int *failures, mb_err *err)
{
    const sim_args *args = all->cs->args;
    sim_result     *r = &all->r[all->n];
    mb_status       st;

    *r = (sim_result){.job = job,
                      .cs = all->cs,
                      .ref = all->ref,
                      .choice = &args->choice[all->n],
                      .began = app_now()};
    st = (args->command->fit ? args->command->fit : sim_algorithm)(r, &r->err);
    r->failed = st < 0;
    all->n += r->failed || !r->signal || r->out.rounds; /* else a signal came before it ran */
    if (st >= 0)
        return MB_OK;
    ++*failures;
    if (st == MB_E_IO || st == MB_E_NOMEM || args->command->fit) {
        *err = r->err; /* not the algorithm's doing: ends the command */
        return st;
    }
    if (!job->ranks.rank && !job->quiet)
        fprintf(stderr, "meshbayes %s: error: %s: %s\n", job->name, r->choice->name, r->err.msg);
    return MB_OK;
}

/* Runs every algorithm until a signal comes. */
static mb_status run_all(sim_job *job, sim_results *all, int *failures, mb_err *err)
{
    const int fits = all->cs->args->command->fit != NULL;
    mb_status st = fits ? MB_OK : sim_trace(job, all->cs, err);

    /* A signal ends rounds; what comes before and after them is made all the same. */
    if (!fits)
        all->cs->fit->stages->place.tp.cancel = &sim_signal_cancel;
    while (st >= 0) {
        st = sim_signal_agree(job, err);
        if (st < 0 || job->signal || all->n == all->cs->args->nchoice)
            break;
        st = run_one(job, all, failures, err);
    }
    if (!fits)
        all->cs->fit->stages->place.tp.cancel = NULL;
    if (st >= 0 && job->signal)
        sim_signal_tell(job, all);
    if (st >= 0 && sim_to_folder(job) && !job->ranks.rank && *failures < all->n)
        st = folder_begin(job->out, err);
    if (st >= 0 && sim_trace_file(job, all->cs) && *failures < all->n)
        return mb_file_close(&job->trace, MB_OK, err);
    mb_file_abort(&job->trace);
    return st;
}

/* Posteriors of nodes are collected from all processes; process 0 writes. */
static mb_status tell(sim_job *job, sim_results *all, int failures, mb_err *err)
{
    char *summary;

    if (failures == all->n)
        return MB_OK;
    MB_TRY(sim_start_sent(all->cs, &all->sent, err));
    for (int32_t k = 0; k < all->n; k++)
        if (sim_to_folder(job) && !all->r[k].failed)
            MB_TRY(sim_posteriors_write(&all->r[k], err));
    if (job->ranks.rank)
        return MB_OK;
    if (sim_to_folder(job) || !all->cs->args->opt.json)
        MB_TRY(sim_answer_find(job, all, err));
    MB_TRY(genesis_write(job, all, err));
    MB_TRY(sim_output(job, all, &summary, err));
    if (all->cs->args->opt.json) {
        fputs(summary, stdout);
        return MB_OK;
    }
    MB_TRY(all->cs->args->command->print(job, all, err));
    if (job->many)
        job->many->print(job->many->self);
    return MB_OK;
}

/* Rows, network and case, and where a checkpoint of them is. */
static mb_status set_up(sim *s, mb_err *err)
{
    sim_job *job = &s->job;

    if (!s->args.opt.data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV or NPY file with the rows");
    MB_TRY(sim_rows_read(job, &s->args, &s->rows, err));
    MB_TRY(sim_setup(s, err));
    return checkpoints_open(job, &s->cs, err);
}

int sim_fail(sim_job *job, const mb_err *err, int use)
{
    if (ranks_speak(&job->ranks))
        return app_fail(job->name, err, use);
    return use && err->code == MB_E_ARG ? APP_WRONG_USE : APP_FAILED;
}

mb_status sim_results_begin(sim *s, mb_err *err)
{
    s->results = (sim_results){.cs = &s->cs};
    MB_NEW(s->results.r, s->job.a, SIM_MAX_ALGOS, err);
    return MB_OK;
}

mb_status sim_run_case(sim *s, int *failures, mb_err *err)
{
    MB_TRY(set_up(s, err));
    MB_TRY(sim_results_begin(s, err));
    MB_TRY(sim_references_find(&s->job, s->results.cs, &s->results.ref, err));
    return run_all(&s->job, &s->results, failures, err);
}

/* `fit` makes its folder later, when mb_fit_run has accepted rows and prior. */
static mb_status carry_out(sim *s, int *failures, mb_err *err)
{
    const int fits = s->args.command->fit != NULL;

    if (!fits)
        MB_TRY(ranks_agree(&s->job.ranks, sim_folder(&s->job, err), err));
    if (s->args.sweep) /* after a signal run_all runs nothing */
        MB_TRY(sweep_run(&s->job, &s->results, err));
    if (!fits)
        MB_TRY(sim_references_find(&s->job, s->results.cs, &s->results.ref, err));
    MB_TRY(run_all(&s->job, &s->results, failures, err));
    return tell(&s->job, &s->results, *failures, err);
}

/* The exit status of runs that came to their end. One that failed although others did not has its
 * warning; central VB decides only when it runs alone. */
static int judged(const sim_results *all)
{
    int32_t ran = 0, failed = 0, settled = 0;

    for (int32_t k = 0; k < all->n; k++) {
        const mb_verdict verdict = sim_verdict(&all->r[k]);

        settled += verdict == MB_ENDED_SETTLED;
        if (all->r[k].choice->cvb && all->n > 1)
            continue;
        ran++;
        failed += verdict == MB_ENDED_FAILED;
    }
    if (ran && failed == ran)
        return APP_NO_ANSWER;
    return all->cs->args->opt.require_settled && settled < all->n ? APP_UNSETTLED : APP_DONE;
}

int sim_simulate(sim *s, mb_err *err)
{
    sim_job *job = &s->job;
    int      failures = 0;

    job->tty = isatty(STDERR_FILENO);
    if (set_up(s, err) < 0 || sim_results_begin(s, err) < 0)
        return sim_fail(job, err, 1);
    sim_signal_catch();
    if (carry_out(s, &failures, err) < 0)
        return sim_fail(job, err, s->args.command->fit != NULL);
    if (job->ranks.size == 1 && sim_signal_agree(job, err) < 0)
        return APP_FAILED;
    if (job->signal)
        return APP_SIGNAL + job->signal;
    return failures ? APP_FAILED : judged(&s->results);
}

static int run(sim *s, int argc, char **argv, mb_err *err)
{
    sim_args *args = &s->args;

    if (ranks_open(s->job.a, &s->job.ranks, err) < 0 ||
        sim_update_words(&s->job, args, &argc, &argv, err) < 0 ||
        sim_formula_words(&s->job, args, &argc, &argv, err) < 0)
        return sim_fail(&s->job, err, 1);
    args->argc = argc; /* with what files and formula say: the words of every run */
    args->argv = argv;
    if (sim_parse(&s->job, args, argc, argv, err) < 0)
        return sim_fail(&s->job, err, 1);
    return (args->command->run ? args->command->run : sim_simulate)(s, err);
}

sim *sim_new(const sim_command *command)
{
    mb_arena *a = mb_arena_new(1 << 20);
    sim      *s = a ? mb_alloc(a, 1, sizeof *s) : NULL;

    if (!s) {
        mb_arena_free(a);
        return NULL;
    }
    s->job.a = a;
    s->job.name = command->name;
    s->args.command = command;
    return s;
}

void sim_close(sim *s)
{
    for (int k = 0; s->results.r && k < SIM_MAX_ALGOS; k++)
        mb_session_close(&s->results.r[k].session);
    checkpoints_close(s->job.checkpoints);
    if (s->rows.mapped)
        mb_npy_unmap(s->rows.mapped);
    if (s->cs.fit)
        mb_fit_close(s->cs.fit);
    mb_arena_free(s->job.a);
}

int sim_main(const sim_command *command, int argc, char **argv)
{
    mb_err err = {0};
    sim   *s = sim_new(command);
    int    status;

    if (!s) {
        fprintf(stderr, "meshbayes %s: error: out of memory\n", command->name);
        return APP_FAILED;
    }
    status = ranks_close(&s->job.ranks, run(s, argc, argv, &err));
    if (s->job.ranks.size > 1 && s->cs.fit && s->cs.fit->stages) /* the fit may be closed */
        s->cs.fit->stages->place.tp.ops = NULL;                  /* went with MPI */
    sim_close(s);
    return status;
}
