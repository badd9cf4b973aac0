/* sim_signal.c - SIGINT and SIGTERM: noted by a handler, read after each round by an observer on
 * which all processes agree. */
#include "base/ranks.h"
#include "run/checkpoint.h"

#include <signal.h>
#include <string.h>

enum { AGREE_EVERY = 10 /* rounds of several processes: agreeing costs a message to everyone */ };

/* The signal received: the only global variable, because a handler has no argument. */
static volatile sig_atomic_t came;

static void handle(int number, void (*how)(int))
{
    struct sigaction act = {.sa_handler = how, .sa_flags = SA_RESTART};

    sigemptyset(&act.sa_mask);
    sigaction(number, &act, NULL);
}

static void note(int number)
{
    ranks_last_words();
    came = number;
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
}

void sim_signal_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction before;

        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            handle(numbers[k], note);
    }
}

static int wanted(void *self)
{
    (void)self;
    return came != 0;
}

const mb_cancel sim_signal_cancel = {.wanted = wanted};

mb_status sim_signal_agree(sim_job *job, mb_err *err)
{
    double number = came;

    MB_TRY(ranks_most(&job->ranks, &number, err));
    job->signal = (int32_t)number;
    return MB_OK;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    sim_result       *r = self;
    const mb_session *session = r->checkpoint ? r->checkpoint->session : &r->session;

    (void)p, (void)st;
    if (r->apart)
        r->job->signal = (int32_t)came;
    else
        MB_TRY(sim_signal_agree(r->job, err));
    if (!r->job->signal || session->stopped)
        return MB_OK;
    r->signal = r->job->signal;
    if (r->checkpoint)
        MB_TRY(checkpoint_save(r->checkpoint, 0, err));
    return MB_STOP;
}

mb_status sim_signal_ends(sim_result *r, mb_status st, mb_err *err)
{
    if (st != MB_E_STOPPED)
        return st;
    MB_TRY(sim_signal_agree(r->job, err));
    r->signal = r->job->signal;
    return MB_STOP;
}

mb_status sim_signal_watch(sim_result *r, mb_session *session, mb_err *err)
{
    const int64_t every = r->job->ranks.size > 1 && !r->apart ? AGREE_EVERY : 1;

    return mb_session_watch(session, &(mb_observer){.self = r, .every = every, .see = see}, err);
}

void sim_signal_tell(sim_job *job, const sim_results *all)
{
    const char       *name = job->signal == SIGINT ? "SIGINT" : "SIGTERM";
    const sim_result *last = all->n && all->r[all->n - 1].signal ? &all->r[all->n - 1] : NULL;
    char              line[320] = "";

    for (int32_t k = all->n; k < all->cs->args->nchoice; k++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s %s",
                 k > all->n ? "," : "; not run:", all->cs->args->choice[k].name);
    if (!all->n)
        sim_warn(job, "ended by %s before the first round: nothing is written", name);
    else if (last)
        sim_warn(job, "%s was interrupted by %s after round %lld%s%s", last->choice->name, name,
                 (long long)last->out.rounds,
                 all->cs->args->opt.checkpoint ? ", from where --resume continues" : "", line);
    else if (*line)
        sim_warn(job, "interrupted by %s%s", name, line);
}
