/* sim_messages.c - warnings, progress, and the verdict on a run. */
#include "base/text.h"
#include "run/sim.h"

#include <math.h>
#include <stdarg.h>

/* Prints a line, and keeps it for the summary. */
static void say(sim_job     *job, void (*print)(const char *cmd, const char *fmt, ...),
                const char **list, int32_t *n, const char *fmt, va_list ap) MB_PRINTF(5, 0);
static void say(sim_job     *job, void (*print)(const char *cmd, const char *fmt, ...),
                const char **list, int32_t *n, const char *fmt, va_list ap)
{
    char        line[512];
    const char *copy;

    vsnprintf(line, sizeof line, fmt, ap);
    if (!job->ranks.rank && !job->quiet)
        print(job->name, "%s", line);
    copy = *n < SIM_MAX_WARNINGS ? mb_text(job->a, NULL, "%s", line) : NULL;
    if (copy)
        list[(*n)++] = copy;
}

void sim_warn(sim_job *job, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(job, app_warn, job->warning, &job->nwarning, fmt, ap);
    va_end(ap);
}

void sim_note(sim_job *job, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(job, app_note, job->note, &job->nnotes, fmt, ap);
    va_end(ap);
}

/* The time left is an upper bound: runs may stop by --tol. */
void sim_progress_show(void *to, int64_t t, int64_t rounds)
{
    sim_result  *r = to;
    const double spent = app_now() - r->began;

    if (!r->first)
        r->first = t;
    if (spent < 0.5)
        return;
    r->shown_progress = 1;
    fprintf(stderr, "\r%-11s round %lld of at most %lld (%.0f %%), at most %.0f s left  ",
            r->choice->name, (long long)t, (long long)rounds, 100.0 * (double)t / (double)rounds,
            spent / (double)(t - r->first + 1) * (double)(rounds - t));
    fflush(stderr);
}

void sim_progress_end(const sim_result *r)
{
    if (r->shown_progress)
        fprintf(stderr, "\r%78s\r", "");
}

mb_verdict sim_verdict(const sim_result *r)
{
    if (r->failed)
        return MB_ENDED_FAILED;
    return r->signal ? MB_ENDED_INTERRUPTED : r->out.verdict;
}

/* The distance from agreement and the centralised step. */
static void where(const sim_result *r, char *text, size_t cap)
{
    if (r->choice->cvb)
        snprintf(text, cap, "one more step moves %.1e", r->out.moved);
    else
        snprintf(text, cap,
                 "the farthest node is %.1e from the mean, one centralised step moves %.1e",
                 r->out.disagreement, r->out.moved);
}

double sim_two_digits(double x)
{
    const double unit = pow(10, fmax(0, floor(log10(x)) - 1));

    return unit * ceil(x / unit);
}

/* "; about 400 more rounds: --rounds 1400", to two digits; that it does not converge where that would be
 * a hundred times the rounds made; "" when it is not known. */
static const char *more_rounds(const sim_result *r, char text[80])
{
    enum { HOPELESS = 100 };
    const double rounds = (double)r->cs->args->opt.rounds, more = (double)r->session.stand.more;
    const double about = more > 0 ? fmax(10, sim_two_digits(more)) : 0;

    *text = 0;
    if (r->cs->args->opt.tol <= 0 || about <= 0)
        return text;
    if (about > HOPELESS * rounds)
        snprintf(text, 80, "; it does not converge: more than %d times as many rounds", HOPELESS);
    else if (rounds + about <= 1e9)
        snprintf(text, 80, "; about %.0f more rounds: --rounds %.0f", about, rounds + about);
    return text;
}

/* Two components that share a cluster are what makes central VB crawl. */
static const char *merge_hint(const sim_result *r)
{
    const mb_case *c = &r->cs->fit->stages->nodes;

    return r->choice->cvb && r->cs->args->opt.prune != SIM_PRUNE_ON && c->model.K > 1 &&
                   r->cs->args->command->fit
               ? "; or --prune on, which merges components that share a cluster"
               : "";
}

void sim_verdict_warn(const sim_result *r)
{
    sim_job        *job = r->job;
    const sim_case *cs = r->cs;
    const char     *name = r->choice->name;
    char            text[160], more[80];

    if (!r->choice->cvb && !r->choice->algo->consensus)
        return;
    where(r, text, sizeof text);
    switch (sim_verdict(r)) {
    case MB_ENDED_SETTLED:
        if (r->session.stand.rounding)
            sim_warn(job,
                     "%s: settled at the limit of rounding: a node stays %.1e posterior standard "
                     "deviations from its target (--tol %g); %s",
                     name, r->session.stand.level, cs->args->opt.tol, text);
        break;
    case MB_ENDED_ELSEWHERE:
        sim_warn(job, "%s: elsewhere: it stands still, but not at the answer: %s", name, text);
        break;
    case MB_ENDED_FAILED:
        sim_warn(job, "%s: failed: %d node%s ended outside the domain", name, r->out.outside,
                 r->out.outside == 1 ? "" : "s");
        break;
    case MB_ENDED_INTERRUPTED: /* sim_signal_tell */
        break;
    default:
        sim_warn(job, "%s: moving: --rounds %lld used up%s: %s%s%s", name,
                 (long long)cs->args->opt.rounds,
                 cs->args->opt.tol > 0 ? "" : " without a stopping rule (--tol 0)", text,
                 more_rounds(r, more), merge_hint(r));
        break;
    }
}

void sim_print_sizes(const sim_case *cs, int64_t rows)
{
    const int32_t inputs = sim_inputs(cs->rows), K = cs->fit->stages->nodes.model.K;

    printf("%lld row%s, %d feature%s", (long long)rows, app_plural(rows), inputs,
           app_plural(inputs));
    if (K)
        printf(", %d component%s", K, app_plural(K));
}

void sim_print_network(const sim_case *cs, int64_t rows)
{
    const int64_t links = cs->network->net.facts.edges;

    sim_print_sizes(cs, rows);
    printf(", %d node%s, %lld link%s", cs->network->net.n, app_plural(cs->network->net.n),
           (long long)links, app_plural(links));
}

/* 1: it was drawn, and another would differ. */
static int is_drawn(const sim_case *cs)
{
    return cs->args->kind->latent && sim_components(cs->args) > 1 &&
           cs->start.how < MB_INIT_CENTRES;
}

/* --prefer held-out. */
static void print_held_out(const mb_search_result *f)
{
    printf("of %d optima this one predicts rows held out best: %.4f nats a row", f->optima,
           app_shown(f->held_out, 4));
    if (f->below > 0)
        printf("; the one with the highest lower bound, by %.4g nats, %.4f", f->below,
               app_shown(f->of_best, 4));
    putchar('\n');
}

void sim_print_starts(const sim_case *cs, const sim_result *r, int safe)
{
    const mb_search_result *f = &r->found;
    const char             *more = f->moves ? "another --seed may find a better answer"
                                            : "another run may find a better answer; raise --n-init";

    if (!r->failed && cs->n_init == 1 && !cs->args->command->run && is_drawn(cs))
        puts("1 initialisation; --n-init 10 tries more");
    if (f->sampled && !r->failed)
        printf("%s initialisation is the best answer for a sample of %lld rows\n",
               f->n_init > 1 ? "one" : "the", (long long)f->sampled);
    if (r->failed || f->n_init < 2)
        return;
    if (f->optima > 1)
        print_held_out(f);
    if (f->below > 0)
        return;
    if (f->improved) {
        printf("%d of %d moves from the best of %d initialisations (components split, merged "
               "or redrawn) improved it; %s\n",
               f->improved, f->moves, f->n_init, more);
        return;
    }
    printf("%d of %d initialisations reached this bound", f->at_best, f->n_init);
    if (f->moves)
        printf(", and none of %d moves from it (components split, merged or redrawn) improved it",
               f->moves);
    if (safe)
        printf(": a safe answer");
    else if (f->at_best < 2)
        printf(": %s", more);
    putchar('\n');
}

void sim_print_pruned(const sim_result *r)
{
    const mb_pruned *p = &r->pruned;

    if (p->left < p->first)
        printf("%d of %d components are left: merging did not lower the bound\n", p->left,
               p->first);
}
