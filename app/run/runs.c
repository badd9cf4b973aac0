/* runs.c - `sim --runs R`: the runs with the further seeds, each with an arena of its own, and then the
 * first one, which has the folder. */
#include "run/runs.h"

#include <string.h>
#include <unistd.h>

static mb_status check(const sim *s, mb_err *err)
{
    static const char *const alone[] = {"checkpoint", "resume", "dump-phi"};

    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        if (sim_option_given(mb_opt_find(s->args.table, alone[k]), &s->args.opt))
            MB_FAIL(err, MB_E_ARG,
                    "--%s: got it with --runs %lld; expected --runs 1: it belongs to one run",
                    alone[k], (long long)s->args.opt.runs);
    if (s->args.opt.seed > 9007199254740992 - s->args.opt.runs)
        MB_FAIL(err, MB_E_ARG,
                "--seed: got %lld with --runs %lld; expected the last seed to be at "
                "most 9007199254740992",
                (long long)s->args.opt.seed, (long long)s->args.opt.runs);
    return MB_OK;
}

/* The options of the first run with another seed, and no output. */
static mb_status another(runs *all, sim *one, sim_result *r, int *failures, mb_err *err)
{
    const sim *s = all->s;

    one->job.ranks = s->job.ranks;
    one->job.quiet = 1;
    one->job.many = &all->hook;
    MB_TRY(sim_parse(one, s->args.argc, s->args.argv, err));
    one->args.opt.seed += all->now;
    one->args.opt.out = one->args.opt.trace = NULL;
    return sim_run_case(one, r, failures, err);
}

static mb_status run_another(runs *all, mb_err *err)
{
    sim_result *r;
    sim        *one = sim_new(all->s->args.command, &r);
    int         failures = 0;
    mb_status   st;

    if (!one)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for run %lld", (long long)all->now + 1);
    st = another(all, one, r, &failures, err);
    all->ended_badly += failures > 0;
    all->s->job.signal = one->job.signal;
    sim_close(one, r);
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
    const int tty = !all->s->job.ranks.rank && isatty(STDERR_FILENO);
    mb_status st = MB_OK;

    sim_signal_catch();
    for (all->now = 1; st >= 0 && all->now < all->count && !all->s->job.signal; all->now++) {
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
    const sim *s = all->s;
    int64_t    failed = 0, settled = 0, ran = 0;

    if (status != APP_DONE && status != APP_NO_ANSWER && status != APP_UNSETTLED)
        return status;
    for (int64_t k = 0; k < all->count; k++)
        for (int32_t c = 0; c < s->args.nchoice; c++) {
            const runs_one *o = runs_of(all, k, c);

            settled += o->ended && o->verdict == MB_ENDED_SETTLED;
            if (s->args.choice[c].cvb && s->args.nchoice > 1)
                continue;
            ran++;
            failed += !o->ended || o->verdict == MB_ENDED_FAILED;
        }
    if (failed == ran)
        return APP_NO_ANSWER;
    if (all->ended_badly)
        return APP_FAILED;
    return s->args.opt.require_settled && settled < all->count * s->args.nchoice ? APP_UNSETTLED
                                                                                 : APP_DONE;
}

static mb_status begin(runs *all, sim *s, mb_err *err)
{
    *all = (runs){.s = s, .count = s->args.opt.runs};
    all->hook = (sim_many){.self = all,
                           .watch = runs_watch,
                           .ended = runs_ended,
                           .write = runs_write,
                           .print = runs_print,
                           .summary = runs_summary};
    MB_TRY(check(s, err));
    MB_NEW(all->all, s->job.a, all->count * s->args.nchoice, err);
    return MB_OK;
}

int runs_simulate(sim *s, sim_result *r, mb_err *err)
{
    runs all;

    if (s->args.opt.runs < 2)
        return sim_simulate(s, r, err);
    if (begin(&all, s, err) < 0 || run_others(&all, err) < 0)
        return sim_fail(s, err, 1);
    s->job.many = &all.hook;
    return status_of(&all, sim_simulate(s, r, err));
}
