/* sim_table.c - the table of algorithms of `sim` on standard output, in blocks that fit a terminal. */
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum which {
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
    SECONDS
} which;

/* digits < 0: in scientific notation. */
static const struct {
    const char *heading;
    int         width, digits;
} column[] = {
    [ROUNDS] = {"rounds", 6, 0},         [VERDICT] = {"verdict", 11, 0},
    [BOUND] = {"lower bound", 13, 3},    [APART] = {"apart", 9, -1},
    [MOVED] = {"moved", 9, -1},          [KL_CVB] = {"KL to cVB", 10, -1},
    [KL_TRUTH] = {"KL to true", 10, -1}, [ACCURACY] = {"accuracy", 8, 1},
    [EVENTS] = {"events", 9, 0},         [OUTSIDE] = {"outside", 7, 0},
    [SENT] = {"MB sent", 9, 2},          [SECONDS] = {"seconds", 7, 2},
};
enum { COLUMNS = sizeof column / sizeof *column };

static int has(const sim *s, which c)
{
    if (c == KL_CVB || c == KL_TRUTH)
        return s->asked.metrics >> (c == KL_CVB ? MB_M_KL_CVB : MB_M_KL_TRUTH) & 1;
    return c != ACCURACY || s->rows.data.label;
}

/* 0 for what is rounding beside `size`. */
static double above(double x, double size)
{
    return fabs(x) < size ? 0 : x;
}

static double value(const sim_result *r, which c)
{
    const mb_stat *m = r->final.value;
    /* a divergence is a difference of sums as large as the bound, as in the report */
    const double rounding = 1e-12 * (isfinite(r->out.bound) ? fmax(1, fabs(r->out.bound)) : 1);

    switch (c) {
    case ROUNDS:
        return (double)r->out.rounds;
    case BOUND:
        return r->out.bound;
    case APART:
        return above(r->out.disagreement, DBL_EPSILON);
    case MOVED:
        return above(r->out.moved, DBL_EPSILON);
    case KL_CVB:
        return above(m[MB_M_KL_CVB].mean, rounding);
    case KL_TRUTH:
        return above(m[MB_M_KL_TRUTH].mean, rounding);
    case ACCURACY:
        return 100 * m[MB_M_ACCURACY].mean;
    case EVENTS:
        return m[MB_M_FROZEN].total + m[MB_M_PROJECTED].total;
    case OUTSIDE:
        return m[MB_M_FROZEN].outside;
    case SENT:
        return m[MB_M_BYTES].total * 1e-6;
    case SECONDS:
        return r->seconds;
    case VERDICT:
        break;
    }
    return (double)NAN;
}

static void cell(const sim_result *r, which c)
{
    const int    width = column[c].width, digits = column[c].digits;
    const double x = value(r, c);

    if (c == VERDICT)
        printf(" %-*s", width, mb_verdict_text(sim_verdict(r)));
    else if (!isfinite(x))
        printf(" %*s", width, "-");
    else if (digits < 0 && fabs(x) <= 0)
        printf(" %*s", width, "0");
    else if (digits < 0)
        printf(" %*.1e", width, x);
    else
        printf(" %*.*f", width, digits, app_shown(x, digits));
}

/* The longest name of an algorithm, at least 8. */
static int name_width(const sim *s)
{
    size_t width = 8;

    for (int32_t k = 0; k < s->asked.nchoice; k++)
        width = strlen(s->asked.choice[k].name) > width ? strlen(s->asked.choice[k].name) : width;
    return (int)width;
}

/* The columns first .. last - 1 of all algorithms. */
static void block(const sim *s, const sim_result *r, int first, int last)
{
    printf("%-*s", name_width(s), "");
    for (int c = first; c < last; c++)
        if (has(s, (which)c))
            printf(c == VERDICT ? " %-*s" : " %*s", column[c].width, column[c].heading);
    putchar('\n');
    for (int32_t k = 0; k < s->nran; k++) {
        if (r[k].failed && first)
            continue;
        printf("%-*s", name_width(s), r[k].choice->name);
        if (r[k].failed)
            printf(" failed: %s", r[k].err.msg);
        for (int c = first; c < last && !r[k].failed; c++)
            if (has(s, (which)c))
                cell(&r[k], (which)c);
        putchar('\n');
    }
}

void sim_table_print(const sim *s, const sim_result *r)
{
    const int line = app_line();

    for (int first = 0, last; first < COLUMNS; first = last) {
        int wide = name_width(s);

        for (last = first; last < COLUMNS; last++) {
            wide += has(s, (which)last) ? 1 + column[last].width : 0;
            if (line && wide > line && last > first)
                break;
        }
        if (first)
            putchar('\n');
        block(s, r, first, last);
    }
    puts("\nlower bound: nats, at the network mean; apart: farthest node from the mean\n"
         "(relative); moved: what one centralised step from the mean changes (relative);\n"
         "events: freezes and projections at the border of the domain; outside: nodes\n"
         "there at the end.");
}
