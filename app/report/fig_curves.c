/* fig_curves.c - the metrics of the trace against rounds and against bytes. */
#include "report/parts.h"

#include <math.h>

enum { BUCKETS = 110, HEIGHT = 285, KEY_LINE = 18 };

#define WORST " Thick: mean over the nodes; thin: the worst node."
typedef struct curve {
    report_metric metric;
    const char   *id, *heading, *axis, *about;
    const char   *quantity, *option; /* option: what a run needs besides --metrics all */
    double        floor;             /* > 0: logarithmic, values are plotted no lower; 0: linear */
} curve;

/* What was done to the data to plot it; the caption says so. */
typedef struct done {
    int    floored, early, thinned, gaps, still;
    double lowest; /* of the points below the picture; infinite: none */
} done;

/* The points of one algorithm, ascending in x. */
typedef struct track {
    const report_algo *algo;
    int64_t            n;
    int                level;  /* 1: it sends nothing, its last value is a level line */
    int                finite; /* 1: there is a value to plot */
    page_point        *point;
} track;

typedef struct chart {
    const curve *c;
    int          bytes, logx; /* bytes: the axis has bytes, else rounds */
    int          n;
    track       *track; /* n */
    done        *done;
} chart;

static double floored(double y, const chart *p)
{
    if (p->c->floor <= 0 || !isfinite(y))
        return y;
    p->done->floored |= y < p->c->floor;
    return fmax(y, p->c->floor);
}

/* Bytes sent until round t; *at moves along the series of bytes. */
static double bytes_at(const report_series *b, int64_t *at, double t)
{
    while (*at + 1 < b->n && b->point[*at + 1].x <= t)
        ++*at;
    return b->point[*at].x <= t ? b->point[*at].y : PAGE_NAN;
}

/* Central VB is one node at its own answer: it has no distance to show there. */
static int is_shown(const chart *p, const report_algo *a)
{
    const report_metric m = p->c->metric;

    if (a->central && (m == REPORT_DISAGREEMENT || (p->bytes && m == REPORT_KL_CVB)))
        return 0;
    return a->series[m].n && (!p->bytes || a->series[REPORT_BYTES].n);
}

/* An algorithm's points, thinned. x that cannot stand on a logarithmic axis is left out. */
static mb_status collect(report *r, const chart *p, const report_algo *a, track *out, mb_err *err)
{
    const report_series *s = &a->series[p->c->metric], *b = &a->series[REPORT_BYTES];
    page_point          *all;
    int64_t              n = 0, at = 0;

    *out = (track){.algo = a, .level = p->bytes && !(b->point[b->n - 1].y > 0)};
    MB_NEW(all, r->page.a, s->n, err);
    MB_NEW(out->point, r->page.a, s->n, err);
    for (int64_t j = out->level ? s->n - 1 : 0; j < s->n; j++) {
        const page_point *q = &s->point[j];
        const double      x = p->bytes ? bytes_at(b, &at, q->x) : q->x;

        if (!out->level && (!isfinite(x) || (p->logx && x <= 0))) {
            p->done->early = 1;
            continue;
        }
        p->done->gaps |= !isfinite(q->y);
        all[n++] = (page_point){x, floored(q->y, p), floored(q->top, p)};
    }
    p->done->still |= out->level;
    p->done->thinned |= n > 2 * BUCKETS;
    out->n = page_thin(n, all, BUCKETS, p->logx, out->point);
    for (int64_t j = 0; j < out->n; j++)
        out->finite |= isfinite(out->point[j].y);
    return MB_OK;
}

/* Linear axes: the lowest tenth of the points (the first rounds) may lie below the picture. */
static mb_status focus(report *r, const chart *p, mb_err *err)
{
    int64_t n = 0, count = 0;
    double *y;

    for (int k = 0; k < p->n; k++)
        n += p->track[k].n;
    MB_NEW(y, r->page.a, n, err);
    for (int k = 0; k < p->n; k++)
        for (int64_t j = 0; j < p->track[k].n; j++)
            if (isfinite(p->track[k].point[j].y))
                y[count++] = p->track[k].point[j].y;
    const double from = page_quantile(y, count, 0.1), top = y[count - 1];
    const double margin = 0.06 * (top > from ? top - from : fmax(1, fabs(top) * 1e-3));
    const int    below = y[0] < from - margin;

    if (below)
        p->done->lowest = fmin(p->done->lowest, y[0]);
    fprintf(r->page.script, "set yrange [%.12g:%.12g]\n", (below ? from : y[0]) - margin,
            top + margin);
    return MB_OK;
}

static void axes(FILE *out, const chart *p)
{
    page_plot_labels(out, p->bytes ? "bytes sent, all links" : "rounds", p->c->axis);
    fprintf(out,
            "set key bmargin center horizontal Left reverse maxcols 2 width -1 height 0.6 "
            "samplen 1.6\nset lmargin 9\nset rmargin 3.5\nset tmargin 0.8\nset bmargin %g\n",
            3.9 + 1.15 * ((p->n + 1) / 2)); /* the key has two columns */
    if (p->logx)
        fputs("set logscale x\n", out);
    fputs(p->bytes ? "set format x '%.0s %cB'\n" : "set format x '%g'\n", out);
    fputs(p->c->floor > 0 ? "set logscale y\nset format y '10^{%T}'\n" : "set format y '%g'\n",
          out);
}

/* Thin lines first: later ones cover them. */
static void plot(FILE *out, const chart *p)
{
    const char *separator = "plot ";

    for (int k = 0; k < p->n && p->c->floor > 0; k++) {
        const track *tr = &p->track[k];

        if (tr->level || tr->algo->central)
            continue;
        fprintf(out, "%s$c%d using 1:3 with lines lw 0.7 lc '%s' notitle", separator, k,
                tr->algo->colour);
        separator = ", ";
    }
    for (int k = 0; k < p->n; k++) {
        const track *tr = &p->track[k];

        if (tr->level)
            fprintf(out, "%s%.12g with lines dt 2 lw 1.8", separator, tr->point->y);
        else
            fprintf(out, "%s$c%d using 1:2 with lines%s lw 2.2", separator, k,
                    tr->algo->central ? " dt 2" : "");
        fprintf(out, " lc '%s' title ", tr->algo->colour);
        page_plot_quote(out, tr->algo->label);
        separator = ", ";
    }
    fputc('\n', out);
}

/* Blocks, then the plot command. */
static void draw(FILE *out, const chart *p)
{
    for (int k = 0; k < p->n; k++) {
        const track *tr = &p->track[k];

        if (tr->level)
            continue;
        fprintf(out, "$c%d << EOD\n", k);
        for (int64_t j = 0; j < tr->n; j++)
            fprintf(out, "%.9g %.9g %.9g\n", tr->point[j].x, tr->point[j].y, tr->point[j].top);
        fputs("EOD\n", out);
    }
    plot(out, p);
}

/* Logarithmic x where x spans more than 1.5 decades. */
static int wants_log(const report *r, const chart *p)
{
    double lo = PAGE_INF, hi = 0;

    for (int32_t k = 0; k < r->nalgo; k++) {
        const report_series *s = &r->algo[k].series[p->bytes ? REPORT_BYTES : p->c->metric];

        for (int64_t j = 0; j < s->n; j++) {
            const double x = p->bytes ? s->point[j].y : s->point[j].x;

            lo = x > 0 ? fmin(lo, x) : lo;
            hi = fmax(hi, x);
        }
    }
    return hi > 30 * lo;
}

static mb_status panel(report *r, page_figure *f, const curve *c, int bytes, done *d, mb_err *err)
{
    const char *by = bytes ? "bytes" : "rounds";
    chart       p = {.c = c, .bytes = bytes, .done = d};
    int         moving = 0;

    p.logx = wants_log(r, &p);
    MB_NEW(p.track, r->page.a, r->nalgo, err);
    for (int32_t k = 0; k < r->nalgo; k++) {
        track *tr = &p.track[p.n];

        if (!is_shown(&p, &r->algo[k]))
            continue;
        MB_TRY(collect(r, &p, &r->algo[k], tr, err));
        p.n += tr->finite;
        moving |= tr->finite && !tr->level;
    }
    if (!moving)
        return MB_OK;
    MB_TRY(page_plot_panel(&r->page, f, mb_text(r->page.a, err, "%s-%s", c->id, by),
                           mb_text(r->page.a, err, "against %s", by),
                           HEIGHT + KEY_LINE * ((p.n + 1) / 2), err));
    axes(r->page.script, &p);
    if (c->floor <= 0)
        MB_TRY(focus(r, &p, err));
    draw(r->page.script, &p);
    return MB_OK;
}

static const char *caption(report *r, const curve *c, const done *d, mb_err *err)
{
    const char *low = "", *floor = "";

    if (isfinite(d->lowest))
        low = mb_text(r->page.a, err,
                      " Some points lie below the picture; the lowest is at %.6g nats.", d->lowest);
    if (d->floored)
        floor = mb_text(r->page.a, err, " Values below %s are plotted at %s.",
                        page_power(c->floor).s, page_power(c->floor).s);
    if (!low || !floor)
        return NULL;
    return mb_text(
        r->page.a, err,
        "%s%s%s%s%s%s%s Bytes do not include the messages of the common initialisation.", c->about,
        floor, low,
        d->early ? " Rounds before the first byte (or round 0) are not on a logarithmic axis." : "",
        d->still ? " An algorithm that sends nothing is a level dashed line at its last value."
                 : "",
        d->gaps ? " A gap is a round in which no node had a value." : "",
        d->thinned ? " Long traces are thinned; the highest and the lowest value of every stretch "
                     "remain."
                   : "");
}

static mb_status one(report *r, const curve *c, mb_err *err)
{
    page_figure *f = page_figure_new(&r->page, c->id, c->heading);
    done         d = {.lowest = PAGE_INF};

    f->wide = 1;
    for (int bytes = 0; bytes < 2; bytes++)
        MB_TRY(panel(r, f, c, bytes, &d, err));
    f->caption = caption(r, c, &d, err);
    if (!f->npanel)
        f->absent = mb_text(r->page.a, err,
                            "%s%s: run <code>meshbayes sim</code> with <code>%s--metrics "
                            "all</code>.",
                            r->traced ? "The trace has no "
                                      : "There is no trace of the rounds in this folder",
                            r->traced ? c->quantity : "", r->traced ? c->option : "");
    return f->caption && (f->npanel || f->absent) ? MB_OK : MB_E_NOMEM;
}

mb_status report_fig_curves(report *r, mb_err *err)
{
    static const curve all[] = {
        {REPORT_KL_CVB, "kl-cvb", "Distance to central VB", "KL (nats)",
         "The distance of the nodes' answers from that of central VB, which sees all rows: the "
         "Kullback-Leibler divergence in nats, 0 when they are equal." WORST,
         "distance to central VB", "", 1e-10},
        {REPORT_KL_TRUTH, "kl-truth", "Distance to the posterior of the true classes", "KL (nats)",
         "The distance of the nodes' answers from the posterior that knows every row's true class. "
         "No algorithm can know it: even central VB has a distance." WORST,
         "distance to the truth, which needs the true classes", "--label-column NAME ", 1e-10},
        {REPORT_BOUND, "bound", "Lower bound", "lower bound (nats)",
         "The quantity that variational Bayes raises; higher is better. Mean over the nodes of "
         "each node's own bound, in which its rows stand for the whole network's: while nodes "
         "differ it can lie above central VB's.",
         "lower bound", "", 0},
        {REPORT_DISAGREEMENT, "agreement", "Disagreement between the nodes",
         "relative disagreement",
         "The distance of the nodes' answers from their common mean, |φᵢ − mean| / |mean|." WORST,
         "disagreement", "", 1e-16},
    };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        MB_TRY(one(r, &all[k], err));
    return MB_OK;
}
