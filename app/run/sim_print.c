/* sim_print.c - what a run prints: warnings, progress, its verdict, and of `sim` a line for each
 * algorithm, within 100 columns and those of the terminal. */
#include "base/text.h"
#include "model/kind.h"
#include "run/sim.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

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
    else if (isnan(r->out.moved)) /* a mean outside the domain */
        snprintf(text, cap,
                 "the farthest node is %.1e from the mean, of which there is no centralised step",
                 r->out.disagreement);
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

/* "; about 400 more rounds: --rounds 1400", to two digits; that it does not converge where that
 * would be a hundred times the rounds made; "" when it is not known. */
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
        sim_warn(job, "%s: %s: %s", name, app_verdict(MB_ENDED_ELSEWHERE), text);
        break;
    case MB_ENDED_FAILED:
        sim_warn(job, "%s: failed: %d node%s ended outside the domain%s%s", name, r->out.outside,
                 r->out.outside == 1 ? "" : "s", r->reason ? ": " : "", r->reason ? r->reason : "");
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
    const mb_kind *kind = cs->args->kind;

    return mb_kind_has_components(kind)
               ? sim_components(cs->args) > 1 && cs->start.how < MB_INIT_CENTRES
               : kind->phi0 != NULL;
}

/* --prefer held-out. */
static void print_held_out(const mb_search_result *f)
{
    printf("of %d optima this one predicts rows held out best: %.4f nats a row", f->optima,
           mb_shown_(f->held_out, 4));
    if (f->below > 0)
        printf("; the one with the highest lower bound, by %.4g nats, %.4f", f->below,
               mb_shown_(f->of_best, 4));
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

enum { CELL = 40 };
enum {
    NAME,
    ROUNDS,
    VERDICT,
    BOUND,
    APART,
    MOVED,
    KL_CVB,
    KL_TRUTH,
    ACCURACY,
    EVENTS,
    OUTSIDE,
    SENT,
    SECONDS,
    COLUMNS
};

static const char *const heading[COLUMNS] = {[NAME] = "",
                                             [ROUNDS] = "rounds",
                                             [VERDICT] = "verdict",
                                             [BOUND] = "lower bound",
                                             [APART] = "apart",
                                             [MOVED] = "moved",
                                             [KL_CVB] = "KL to cVB",
                                             [KL_TRUTH] = "KL to true",
                                             [ACCURACY] = "accuracy",
                                             [EVENTS] = "events",
                                             [OUTSIDE] = "outside",
                                             [SENT] = "MB sent",
                                             [SECONDS] = "seconds"};

/* Columns that a table too wide for a line goes without, the first ones first; nodes outside the
 * domain are always shown. */
static const int spare[] = {EVENTS, OUTSIDE, SECONDS, SENT, MOVED, KL_TRUTH};

typedef struct table {
    char (*cell)[COLUMNS][CELL]; /* runs + 1; the first line has the headings */
    int width[COLUMNS];          /* 0: the column is not shown                */
    int lines;
    int elsewhere; /* 1: a verdict is this word */
} table;

/* digits < 0: in scientific notation. */
static void number(char *to, int digits, double x)
{
    if (!isfinite(x))
        snprintf(to, CELL, "-");
    else if (digits < 0)
        snprintf(to, CELL, "%.1e", x);
    else
        snprintf(to, CELL, "%.*f", digits, mb_shown_(x, digits));
}

/* A relative change below rounding is shown as 0. */
static double changed(double x)
{
    return fabs(x) < DBL_EPSILON ? 0 : x;
}

/* The best bound of the runs, NaN without one. */
static double best_bound(const sim_results *all)
{
    double best = (double)NAN;

    for (int32_t k = 0; k < all->n; k++)
        if (!all->r[k].failed)
            best = fmax(best, all->r[k].out.bound); /* fmax leaves NaN out */
    return best;
}

static void fill(const sim_result *r, double best, char (*cell)[CELL])
{
    const mb_metrics *m = &r->final;

    snprintf(cell[NAME], CELL, "%.*s", CELL - 1, r->choice->name);
    if (r->failed)
        return;
    snprintf(cell[ROUNDS], CELL, "%lld", (long long)r->out.rounds);
    snprintf(cell[VERDICT], CELL, "%s", mb_verdict_text(sim_verdict(r)));
    number(cell[BOUND], 3, r->out.bound);
    number(cell[APART], -1, changed(r->out.disagreement));
    number(cell[MOVED], -1, changed(r->out.moved));
    number(cell[KL_CVB], -1, app_divergence(m->value[MB_M_KL_CVB].mean, best));
    number(cell[KL_TRUTH], -1, app_divergence(m->value[MB_M_KL_TRUTH].mean, best));
    number(cell[ACCURACY], 1, 100 * m->value[MB_M_ACCURACY].mean);
    number(cell[EVENTS], 0, m->value[MB_M_FROZEN].total + m->value[MB_M_PROJECTED].total);
    snprintf(cell[OUTSIDE], CELL, "%d", m->value[MB_M_FROZEN].outside);
    number(cell[SENT], 2, m->value[MB_M_BYTES].total * 1e-6);
    number(cell[SECONDS], 2, r->seconds);
}

/* 1: no node of any run is outside. */
static int all_inside(const table *t)
{
    int inside = 1;

    for (int k = 1; k < t->lines; k++)
        inside &= !*t->cell[k][OUTSIDE] || !strcmp(t->cell[k][OUTSIDE], "0");
    return inside;
}

static int total(const table *t)
{
    int sum = -1;

    for (int c = 0; c < COLUMNS; c++)
        sum += t->width[c] ? t->width[c] + 1 : 0;
    return sum;
}

/* The columns that were asked for, as wide as their cells, as many as fit a line. */
static void fit_line(const sim_results *all, table *t)
{
    const int most = app_line() < APP_LINE ? app_line() : APP_LINE;

    for (int c = 0; c < COLUMNS; c++)
        for (int k = 0; k < t->lines; k++) {
            const int n = (int)strlen(t->cell[k][c]);

            t->width[c] = n > t->width[c] ? n : t->width[c];
        }
    if (!all->ref.cvb)
        t->width[KL_CVB] = 0;
    if (!all->ref.truth)
        t->width[KL_TRUTH] = 0;
    if (!all->cs->rows->data.label)
        t->width[ACCURACY] = 0;
    for (size_t k = 0; k < sizeof spare / sizeof *spare && total(t) > most; k++)
        if (spare[k] != OUTSIDE || all_inside(t))
            t->width[spare[k]] = 0;
}

static void line(const table *t, int k)
{
    printf("%-*s", t->width[NAME], t->cell[k][NAME]);
    for (int c = NAME + 1; c < COLUMNS; c++)
        if (t->width[c])
            printf(" %*s", c == VERDICT ? -t->width[c] : t->width[c], t->cell[k][c]);
    putchar('\n');
}

/* What the headings mean. */
static void legend(const table *t)
{
    fputs("\nlower bound: nats, at the network mean", stdout);
    if (t->elsewhere)
        app_print_elsewhere("; ");
    putchar('\n');
    puts("apart: farthest node from the mean (relative)");
    if (t->width[MOVED])
        puts("moved: what one centralised step from the mean changes (relative)");
    if (t->width[EVENTS])
        puts("events: freezes and projections at the border of the domain");
    if (t->width[OUTSIDE])
        puts("outside: nodes outside the domain at the end");
}

mb_status sim_table_print(const sim_job *job, const sim_results *all, mb_err *err)
{
    const double best = best_bound(all);
    table        t = {.lines = all->n + 1};

    MB_NEW(t.cell, job->a, t.lines, err);
    for (int c = 0; c < COLUMNS; c++)
        snprintf(t.cell[0][c], CELL, "%s", heading[c]);
    for (int32_t k = 0; k < all->n; k++)
        fill(&all->r[k], best, t.cell[k + 1]);
    fit_line(all, &t);
    line(&t, 0);
    for (int32_t k = 0; k < all->n; k++) {
        t.elsewhere |= !all->r[k].failed && sim_verdict(&all->r[k]) == MB_ENDED_ELSEWHERE;
        if (all->r[k].failed)
            printf("%-*s failed: %s\n", t.width[NAME], all->r[k].choice->name, all->r[k].err.msg);
        else
            line(&t, k + 1);
    }
    legend(&t);
    return MB_OK;
}
