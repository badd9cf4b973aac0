/* fig_time.c - figures of a run in time: distance, disagreement and N, with the events of the
 * schedule, and a strip for every node: what it did when. */
#include "base/text.h"
#include "report/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 200, MOST_NAMES = 40, TOP = 145, NAMED = 14, BARE = 4 };

/* The states of life.csv in the order of the key; those without a colour are not drawn. */
static const struct state {
    const char *name, *colour;
} states[] = {{"waiting", "#d9d9d9"}, {"greeting", "#9ecae1"}, {"moving", "#fdae61"},
              {"settled", "#4daf4a"}, {"alone", "#b39ddb"},    {"paused", "#6baed6"},
              {"down", "#444444"},    {"failed", "#e41a1c"},   {"left", "#f4f4f4"}};
enum { STATES = sizeof states / sizeof *states };

static int state_of(const char *name)
{
    for (int k = 0; k < STATES; k++)
        if (!strcmp(states[k].name, name))
            return k;
    return -1;
}

static void box(FILE *out, int64_t row, double from, double to, int state, int *seen)
{
    if (state < 0 || to <= from)
        return;
    seen[state] = 1;
    fprintf(out, "%.9g %lld %.9g %.9g %.9g %.9g %ld\n", from, (long long)row + 1, from, to,
            (double)row + 0.55, (double)row + 1.45, strtol(states[state].colour + 1, NULL, 16));
}

/* The strip of one node. */
static void strip(const report *r, int64_t row, int *seen)
{
    const struct report_time *t = r->time;
    double                    from = 0;
    int                       state = -1;

    for (int64_t k = 0; k < t->nchange; k++) {
        const report_change *c = &t->change[k];

        if (strcmp(c->node, r->node[row].id) != 0)
            continue;
        box(r->page.script, row, from, c->time, state, seen);
        from = c->time;
        state = state_of(c->state);
    }
    box(r->page.script, row, from, t->end, state, seen);
}

/* What the panel shows, which the figure says where it is not all. */
static const char *title_of(const report *r, int64_t n, mb_err *err)
{
    if (n == r->nnode)
        return "nodes";
    return mb_text(r->page.a, err, "the first %lld of %lld nodes, in the order of the data",
                   (long long)n, (long long)r->nnode);
}

static void names(FILE *out, const report *r, int64_t n)
{
    if (n > MOST_NAMES) {
        fputs("unset ytics\n", out);
        return;
    }
    fputs("set ytics (", out);
    for (int64_t i = 0; i < n; i++) {
        char word[24];

        snprintf(word, sizeof word, "%.16s", r->node[i].id);
        fputs(i ? ", " : "", out);
        page_plot_quote(out, word);
        fprintf(out, " %lld", (long long)i + 1);
    }
    fputs(") noenhanced font ',9'\n", out);
}

static int key_lines(const int *seen)
{
    page_key key = {0};

    for (int k = 0; k < STATES; k++)
        if (seen[k])
            page_key_add(&key, states[k].name);
    return page_key_lines(&key);
}

mb_status report_fig_life(report *r, mb_err *err)
{
    const int64_t n = r->nnode < MOST_NODES ? r->nnode : MOST_NODES;
    FILE         *out = r->page.script;
    page_figure  *f;
    int           seen[STATES] = {0};

    if (!r->time->nchange || !n)
        return MB_OK;
    f = page_figure_new(&r->page, "life", "The life of every node");
    f->wide = 1;
    f->caption = n < r->nnode
                     ? "One strip for each of the first 200 nodes; life.csv has all. Without a "
                       "block (waiting), finding its neighbours (greeting), on the way (moving), "
                       "at rest (settled), without a live neighbour (alone), or not there."
                     : "One strip for each node: without a block (waiting), finding its "
                       "neighbours (greeting), on the way (moving), at rest (settled), "
                       "without a live neighbour (alone), or not there.";
    MB_TRY(page_plot_panel(&r->page, f, "time-life", title_of(r, n, err),
                           TOP + (int)n * (n > MOST_NAMES ? BARE : NAMED), err));
    fputs("$d << EOD\n", out);
    for (int64_t i = 0; i < n; i++)
        strip(r, i, seen);
    fputs("EOD\n", out);
    page_plot_labels(out, report_time_axis(r), "");
    names(out, r, n);
    fprintf(out,
            "set lmargin %d\nset rmargin 3.5\nset tmargin 0.8\nunset grid\nset format x '%%g'\n"
            "set xrange [0:%.9g]\nset yrange [%lld.5:0.5]\n",
            n > MOST_NAMES ? 3 : 9, r->time->end, (long long)n);
    page_plot_key(out, key_lines(seen));
    fputs("plot $d using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder fc rgb variable notitle",
          out);
    for (int k = 0; k < STATES; k++)
        if (seen[k])
            fprintf(out, ", 1/0 with points pt 5 ps 1.4 lc rgb '%s' title \"%s\"", states[k].colour,
                    states[k].name);
    fputc('\n', out);
    return MB_OK;
}

enum { HEIGHT = 300, BUCKETS = 150, MOST_WORDS = 10, MOST_MARKS = 60, LABEL = 40 };

/* 1 for what a schedule says, 0 for what the network reports. */
static int is_scheduled(const report_event *e)
{
    static const char *const reported[] = {"failed", "settled", "moving"};

    for (size_t k = 0; k < sizeof reported / sizeof *reported; k++)
        if (!strcmp(e->event, reported[k]))
            return 0;
    return 1;
}

/* Vertical lines at the events of the schedule; few enough have their words. */
static void mark_events(FILE *out, const struct report_time *t)
{
    int64_t scheduled = 0, shown = 0;

    for (int64_t k = 0; k < t->nevent; k++)
        scheduled += is_scheduled(&t->event[k]);
    for (int64_t k = 0; k < t->nevent && shown < MOST_MARKS; k++) {
        const report_event *e = &t->event[k];
        char                words[LABEL];

        if (!is_scheduled(e))
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
    mark_events(out, r->time);
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
static mb_status agreement(report *r, mb_err *err)
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
    MB_TRY(r->time->processes ? agreement(r, err) : distances(r, err));
    MB_TRY(sizes(r, err));
    return report_fig_life(r, err);
}
