/* sim_verdict.c - the word for how a run ended, and the line for whoever did not settle. */
#include "sim/sim.h"

#include <math.h>

mb_verdict sim_verdict(const sim_result *r)
{
    if (r->failed)
        return MB_ENDED_FAILED;
    return r->signal ? MB_ENDED_INTERRUPTED : r->out.verdict;
}

const char *sim_stopped(const sim_result *r)
{
    return r->signal ? "signal" : r->session.stopped ? "tol" : "rounds";
}

/* Where it stands: the distance from agreement and the centralised step. */
static void where(const sim_result *r, char *text, size_t cap)
{
    if (r->choice->cvb)
        snprintf(text, cap, "one more step moves %.1e", r->out.moved);
    else
        snprintf(text, cap,
                 "the farthest node is %.1e from the mean, one centralised step moves %.1e",
                 r->out.disagreement, r->out.moved);
}

void sim_verdict_warn(sim *s, const sim_result *r)
{
    const char *name = r->choice->name;
    char        text[160];

    if (!r->choice->cvb && !r->choice->algo->consensus)
        return;
    where(r, text, sizeof text);
    switch (sim_verdict(r)) {
    case MB_ENDED_SETTLED:
        if (r->session.stand.rounding)
            sim_warn(s,
                     "%s: settled at the limit of rounding: a node stays %.1e posterior standard "
                     "deviations from its target (--tol %g); %s",
                     name, r->session.stand.level, s->opt.tol, text);
        break;
    case MB_ENDED_ELSEWHERE:
        sim_warn(s, "%s: elsewhere: it stands still, but not at the answer: %s", name, text);
        break;
    case MB_ENDED_FAILED:
        sim_warn(s, "%s: failed: %d node%s ended outside the domain", name, r->out.outside,
                 r->out.outside == 1 ? "" : "s");
        break;
    case MB_ENDED_INTERRUPTED: /* sim_signal_tell */
        break;
    default:
        sim_warn(s, "%s: moving: --rounds %lld used up%s: %s", name, (long long)s->opt.rounds,
                 s->opt.tol > 0 ? "" : " without a stop rule (--tol 0)", text);
        break;
    }
}
