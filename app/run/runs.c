/* runs.c - `sim --runs R`: the runs with the further seeds, each with an arena of its own, and then the
 * first one, which has the folder. */
#include "run/runs.h"

#include <string.h>
#include <unistd.h>

static mb_status check(const sim_args *args, mb_err *err)
{
    static const char *const alone[] = {"checkpoint", "resume", "dump-phi"};

    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        if (sim_option_given(mb_opt_find(args->table, alone[k]), &args->opt))
            MB_FAIL(err, MB_E_ARG,
                    "--%s: got it with --runs %lld; expected --runs 1: it belongs to one run",
                    alone[k], (long long)args->opt.runs);
    if (args->opt.seed > 9007199254740992 - args->opt.runs)
        MB_FAIL(err, MB_E_ARG,
                "--seed: got %lld with --runs %lld; expected the last seed to be at "
                "most 9007199254740992",
                (long long)args->opt.seed, (long long)args->opt.runs);
    return MB_OK;
}

/* The options of the first run with another seed, and no output. */
static mb_status another(runs *all, sim *one, int *failures, mb_err *err)
{
    one->job.ranks = all->job->ranks;
    one->job.quiet = 1;
    one->job.many = &all->hook;
    MB_TRY(sim_parse(&one->job, &one->args, all->args->argc, all->args->argv, err));
    one->args.opt.seed += all->now;
    one->args.opt.out = one->args.opt.trace = one->job.out = NULL;
    return sim_run_case(one, failures, err);
}

static mb_status run_another(runs *all, mb_err *err)
{
    sim      *one = sim_new(all->args->command);
    int       failures = 0;
    mb_status st;

    if (!one)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for run %lld", (long long)all->now + 1);
    st = another(all, one, &failures, err);
    all->ended_badly += failures > 0;
    all->job->signal = one->job.signal;
    sim_close(one);
    return st;
}

static void show(const runs *all, int tty)
{
    if (tty)
        fprintf(stderr, "\rrun %lld of %lld  ", (long long)all->now + 1, (long long)all->count);
}

/* Runs 2 .. R; until a signal comes. */
static mb_status run_others(runs *all, mb_err *err)
{
    const int tty = !all->job->ranks.rank && isatty(STDERR_FILENO);
    mb_status st = MB_OK;

    sim_signal_catch();
    for (all->now = 1; st >= 0 && all->now < all->count && !all->job->signal; all->now++) {
        show(all, tty);
        st = run_another(all, err);
    }
    all->now = 0;
    if (tty)
        fprintf(stderr, "\r%40s\r", "");
    return st;
}

/* The status of a run by itself, over all runs: failed only if all have. */
static int status_of(const runs *all, int status)
{
    const sim_args *args = all->args;
    int64_t         failed = 0, settled = 0, ran = 0;

    if (status != APP_DONE && status != APP_NO_ANSWER && status != APP_UNSETTLED)
        return status;
    for (int64_t k = 0; k < all->count; k++)
        for (int32_t c = 0; c < args->nchoice; c++) {
            const runs_one *o = runs_of(all, k, c);

            settled += o->ended && o->verdict == MB_ENDED_SETTLED;
            if (args->choice[c].cvb && args->nchoice > 1)
                continue;
            ran++;
            failed += !o->ended || o->verdict == MB_ENDED_FAILED;
        }
    if (failed == ran)
        return APP_NO_ANSWER;
    if (all->ended_badly)
        return APP_FAILED;
    return args->opt.require_settled && settled < all->count * args->nchoice ? APP_UNSETTLED
                                                                             : APP_DONE;
}

static mb_status begin(runs *all, sim_job *job, const sim_args *args, mb_err *err)
{
    *all = (runs){.job = job, .args = args, .count = args->opt.runs};
    all->hook = (sim_many){.self = all,
                           .watch = runs_watch,
                           .ended = runs_ended,
                           .write = runs_write,
                           .print = runs_print,
                           .summary = runs_summary};
    MB_TRY(check(args, err));
    MB_NEW(all->all, job->a, all->count * args->nchoice, err);
    return MB_OK;
}

int runs_simulate(sim *s, mb_err *err)
{
    runs all;

    if (s->args.opt.runs < 2)
        return sim_simulate(s, err);
    if (begin(&all, &s->job, &s->args, err) < 0 || run_others(&all, err) < 0)
        return sim_fail(&s->job, err, 1);
    s->job.many = &all.hook;
    return status_of(&all, sim_simulate(s, err));
}
