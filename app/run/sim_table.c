/* sim_table.c - how the runs of `sim` ended: a line for each algorithm, within 100 columns, and
 * within those of the terminal. */
#include "run/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
} table;

/* digits < 0: in scientific notation. */
static void number(char *to, int digits, double x)
{
    if (!isfinite(x))
        snprintf(to, CELL, "-");
    else if (digits < 0)
        snprintf(to, CELL, "%.1e", x);
    else
        snprintf(to, CELL, "%.*f", digits, app_shown(x, digits));
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
static void fit_line(const sim_case *cs, table *t)
{
    const int most = app_line() < APP_LINE ? app_line() : APP_LINE;

    for (int c = 0; c < COLUMNS; c++)
        for (int k = 0; k < t->lines; k++) {
            const int n = (int)strlen(t->cell[k][c]);

            t->width[c] = n > t->width[c] ? n : t->width[c];
        }
    if (!(cs->metrics & 1u << MB_M_KL_CVB))
        t->width[KL_CVB] = 0;
    if (!(cs->metrics & 1u << MB_M_KL_TRUTH))
        t->width[KL_TRUTH] = 0;
    if (!cs->rows->data.label)
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
    puts("\nlower bound: nats, at the network mean");
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
    fit_line(all->cs, &t);
    line(&t, 0);
    for (int32_t k = 0; k < all->n; k++)
        if (all->r[k].failed)
            printf("%-*s failed: %s\n", t.width[NAME], all->r[k].choice->name, all->r[k].err.msg);
        else
            line(&t, k + 1);
    legend(&t);
    return MB_OK;
}
