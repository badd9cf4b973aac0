/* fig_time.c - distance, disagreement and N against time, with the events of the schedule. */
#include "report/time.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = 300, BUCKETS = 150, MOST_WORDS = 10, MOST_MARKS = 60, LABEL = 40 };

/* 1 for what a schedule says, 0 for what the network reports. */
static int report_is_scheduled(const report_event *e)
{
    static const char *const reported[] = {"failed", "settled", "moving"};

    for (size_t k = 0; k < sizeof reported / sizeof *reported; k++)
        if (!strcmp(e->event, reported[k]))
            return 0;
    return 1;
}

/* Vertical lines at the events of the schedule; few enough have their words. */
static void report_mark_events(FILE *out, const struct report_time *t)
{
    int64_t scheduled = 0, shown = 0;

    for (int64_t k = 0; k < t->nevent; k++)
        scheduled += report_is_scheduled(&t->event[k]);
    for (int64_t k = 0; k < t->nevent && shown < MOST_MARKS; k++) {
        const report_event *e = &t->event[k];
        char                words[LABEL];

        if (!report_is_scheduled(e))
            continue;
        shown++;
        fprintf(out, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead lc '#888888' dt 3\n",
                e->time, e->time);
        if (scheduled > MOST_WORDS)
            continue;
        snprintf(words, sizeof words, "%s %.16s", e->event, e->a);
        fputs("set label ", out);
        page_plot_quote(out, words);
        fprintf(out,
                " at %.9g, graph 0.98 right rotate by 90 offset 0.6,0 noenhanced font ',10' "
                "textcolor '#666666'\n",
                e->time);
    }
}

/* Which numbers of an instant a panel shows: mean and worst. */
typedef struct series {
    const char *name, *title, *axis;
    size_t      mean, worst;
} series;

static double field(const report_instant *at, size_t offset)
{
    double x;

    memcpy(&x, (const char *)at + offset, sizeof x);
    return x;
}

/* A block of the thinned curve; returns how many finite points it has. */
static mb_status block(report *r, const series *s, int64_t *finite, mb_err *err)
{
    const struct report_time *t = r->time;
    page_point               *all, *thin;
    int64_t                   n;

    *finite = 0;
    MB_NEW(all, r->page.a, t->ninstant + 1, err);
    MB_NEW(thin, r->page.a, t->ninstant + 1, err);
    for (int64_t k = 0; k < t->ninstant; k++) {
        const double mean = field(&t->instant[k], s->mean);

        all[k] = (page_point){t->instant[k].time, isfinite(mean) ? fmax(mean, 1e-16) : PAGE_NAN,
                              fmax(field(&t->instant[k], s->worst), 1e-16)};
    }
    n = page_thin(t->ninstant, all, BUCKETS, 0, thin);
    fprintf(r->page.script, "$d << EOD\n");
    for (int64_t k = 0; k < n; k++) {
        *finite += isfinite(thin[k].y);
        if (isfinite(thin[k].y))
            fprintf(r->page.script, "%.9g %.9g %.9g\n", thin[k].x, thin[k].y, thin[k].top);
        else
            fputs("\n", r->page.script); /* a gap */
    }
    fputs("EOD\n", r->page.script);
    return MB_OK;
}

static void axes(FILE *out, const report *r, const char *label)
{
    page_plot_labels(out, report_time_axis(r), label);
    page_plot_key(out, 1);
    fputs("set lmargin 9\nset rmargin 3.5\nset tmargin 0.8\nset format x '%g'\n", out);
    if (r->time->end > 0)
        fprintf(out, "set xrange [0:%.9g]\n", r->time->end);
    report_mark_events(out, r->time);
}

static mb_status curve(report *r, page_figure *f, const series *s, mb_err *err)
{
    FILE   *out = r->page.script;
    int64_t finite;

    MB_TRY(page_plot_panel(&r->page, f, s->name, s->title, HEIGHT, err));
    MB_TRY(block(r, s, &finite, err));
    axes(out, r, s->axis);
    if (!finite) {
        fputs("set yrange [1e-16:1]\n", out);
        fputs("plot 1/0 notitle\n", out);
        return MB_OK;
    }
    fprintf(out,
            "set logscale y\nset format y '10^{%%T}'\nplot $d using 1:3 with lines lw 0.7 lc "
            "'%s' title \"worst node\", $d using 1:2 with lines lw 2.2 lc '%s' title \"%s\"\n",
            r->algo->colour, r->algo->colour, r->time->processes ? "median" : "mean");
    return MB_OK;
}

static mb_status distances(report *r, mb_err *err)
{
    static const series all[] = {
        {"time-distance", "distance to the centralised answer", "relative distance",
         offsetof(report_instant, distance), offsetof(report_instant, distance_max)},
        {"time-agreement", "disagreement", "relative disagreement", offsetof(report_instant, apart),
         offsetof(report_instant, apart_max)}};
    page_figure *f = page_figure_new(&r->page, "time", "Against virtual time");

    f->wide = 1;
    f->caption =
        "Left: how far the nodes are from the centralised answer of the rows that are present: in "
        "each connected part of the live nodes, central VB over the rows of that part, run from "
        "where the part stood before the next change. Right: how far they are from the mean of "
        "their part. Dotted lines are the events of the schedule. A gap is a time at which no node "
        "had an answer.";
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        MB_TRY(curve(r, f, &all[k], err));
    return MB_OK;
}

/* What the processes said of themselves. */
static mb_status said(report *r, mb_err *err)
{
    static const series own = {"time-agreement", "disagreement", "posterior sd",
                               offsetof(report_instant, apart),
                               offsetof(report_instant, apart_max)};
    page_figure        *f = page_figure_new(&r->page, "time", "Against time");

    f->wide = 1;
    f->caption = "How far the nodes are from their own targets, as their status says: median and "
                 "worst node. Dotted lines are processes that died and were started again. A gap "
                 "is a time at which no node had an answer.";
    return curve(r, f, &own, err);
}

/* N as the nodes know it, between the smallest and the largest. */
static mb_status sizes(report *r, mb_err *err)
{
    page_figure *f = page_figure_new(&r->page, "seen", "Nodes that the nodes see");
    FILE        *out = r->page.script;
    int64_t      finite = 0;

    f->wide = 1;
    f->caption = "No node is given the number of nodes: each finds the number N from an average. "
                 "The line is the median over the nodes, the band reaches from the smallest to the "
                 "largest.";
    MB_TRY(page_plot_panel(&r->page, f, "time-nodes", "N", HEIGHT, err));
    fputs("$d << EOD\n", out);
    for (int64_t k = 0; k < r->time->ninstant; k++) {
        const report_instant *at = &r->time->instant[k];

        if (!isfinite(at->n_median))
            continue;
        finite++;
        fprintf(out, "%.9g %.9g %.9g %.9g\n", at->time, at->n_median, at->n_min, at->n_max);
    }
    fputs("EOD\n", out);
    axes(out, r, "N");
    fputs("set yrange [0:*]\n", out);
    if (!finite)
        fputs("set yrange [0:1]\nplot 1/0 notitle\n", out);
    else
        fprintf(out,
                "plot $d using 1:3:4 with filledcurves fc rgb '%s' fs transparent solid 0.25 "
                "noborder title \"smallest to largest\", $d using 1:2 with lines lw 2.2 lc '%s' "
                "title \"median\"\n",
                r->algo->colour, r->algo->colour);
    return MB_OK;
}

mb_status report_fig_time(report *r, mb_err *err)
{
    if (!r->time || !r->time->ninstant)
        return MB_OK;
    MB_TRY(r->time->processes ? said(r, err) : distances(r, err));
    MB_TRY(sizes(r, err));
    return report_fig_life(r, err);
}
