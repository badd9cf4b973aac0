/* fig_curves.c - the metrics of the trace against rounds and against bytes. */
#include "report/parts.h"

#include <math.h>

enum { BUCKETS = 110, HEIGHT = 285, KEY_LINE = 18 };

typedef struct curve {
    report_metric metric;
    const char   *id, *heading, *axis, *about, *without;
    double        floor; /* > 0: logarithmic, values are drawn no lower; 0: linear */
} curve;

/* What was done to the data to draw it; the caption says so. */
typedef struct done {
    int    floored, early, below, thinned, gaps, still;
    double lowest;
} done;

/* One curve's points, ascending in x; n = 0: nothing to draw. */
typedef struct track {
    int64_t     n;
    int         level; /* 1: it sends nothing, its last value is a level line */
    page_point *point;
} track;

static double floored(double y, double floor, done *d)
{
    if (floor <= 0 || !isfinite(y))
        return y;
    if (y < floor)
        d->floored = 1;
    return fmax(y, floor);
}

/* Bytes sent until round t; *at moves along the series of bytes. */
static double bytes_at(const report_series *b, int64_t *at, double t)
{
    while (*at + 1 < b->n && b->t[*at + 1] <= t)
        ++*at;
    return *at < b->n && b->t[*at] <= t ? b->mean[*at] : PAGE_NAN;
}

/* Collects and thins one algorithm's points. x that can not stand on a log axis is left out. */
static mb_status collect(report *r, const report_algo *a, const curve *c, int bytes, int logx,
                         track *out, done *d, mb_err *err)
{
    const report_series *s = &a->series[c->metric], *b = &a->series[REPORT_BYTES];
    page_point          *all;
    int64_t              n = 0, at = 0;

    *out = (track){0};
    /* central VB is one node at its own answer: it has no distance to show there */
    if (a->central && (c->metric == REPORT_DISAGREEMENT || (bytes && c->metric == REPORT_KL_CVB)))
        return MB_OK;
    if (s->n == 0 || (bytes && b->n == 0))
        return MB_OK;
    MB_NEW(all, r->page.a, s->n, err);
    MB_NEW(out->point, r->page.a, s->n, err);
    out->level = bytes && !(b->mean[b->n - 1] > 0);
    for (int64_t j = 0; j < s->n; j++) {
        const double x = bytes ? bytes_at(b, &at, s->t[j]) : s->t[j];

        if (out->level && j + 1 < s->n)
            continue;
        if (!out->level && (!isfinite(x) || (logx && x <= 0))) {
            d->early = 1;
            continue;
        }
        d->gaps |= !isfinite(s->mean[j]);
        all[n++] =
            (page_point){x, floored(s->mean[j], c->floor, d), floored(s->max[j], c->floor, d)};
    }
    d->still |= out->level;
    d->thinned |= n > 2 * BUCKETS;
    out->n = n ? page_thin(n, all, BUCKETS, logx, out->point) : 0;
    return MB_OK;
}

static void number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, " %.9g", x);
    else
        fputs(" NaN", out);
}

static void block(FILE *out, int32_t k, const track *tr)
{
    fprintf(out, "$c%d << EOD\n", (int)k);
    for (int64_t j = 0; j < tr->n; j++) {
        number(out, tr->point[j].x);
        number(out, tr->point[j].y);
        number(out, tr->point[j].top);
        fputc('\n', out);
    }
    fputs("EOD\n", out);
}

/* Linear axes: the lowest tenth of the points (the first rounds) may leave the picture. */
static mb_status focus(report *r, const track *tr, done *d, mb_err *err)
{
    int64_t n = 0, count = 0;
    double *y;

    for (int32_t k = 0; k < r->nalgo; k++)
        n += tr[k].n;
    MB_NEW(y, r->page.a, n + 1, err);
    for (int32_t k = 0; k < r->nalgo; k++)
        for (int64_t j = 0; j < tr[k].n; j++)
            if (isfinite(tr[k].point[j].y))
                y[count++] = tr[k].point[j].y;
    if (count == 0)
        return MB_OK;
    const double from = page_quantile(y, count, 0.1), top = y[count - 1];
    const double span = top > from ? top - from : fmax(1, fabs(top) * 1e-3);

    if (y[0] < from - 0.06 * span) {
        d->below = 1;
        d->lowest = fmin(d->lowest, y[0]);
        fprintf(r->page.script, "set yrange [%.12g:%.12g]\n", from - 0.06 * span,
                top + 0.06 * span);
    } else {
        fprintf(r->page.script, "set yrange [%.12g:%.12g]\n", y[0] - 0.06 * span,
                top + 0.06 * span);
    }
    return MB_OK;
}

static void axes(FILE *out, const curve *c, int bytes, int logx, int drawn)
{
    fprintf(out, "set xlabel '%s'\nset ylabel '%s'\n", bytes ? "bytes sent, all links" : "rounds",
            c->axis);
    fprintf(out,
            "set key bmargin center horizontal Left reverse maxcols 2 width -1 height 0.6 "
            "samplen 1.6\nset lmargin 9\nset rmargin 3.5\nset tmargin 0.8\nset bmargin %g\n",
            3.9 + 1.15 * ((drawn + 1) / 2)); /* the key has two columns */
    if (logx)
        fputs("set logscale x\n", out);
    if (bytes)
        fputs("set format x '%.0s %cB'\n", out);
    if (!bytes)
        fputs("set format x '%g'\n", out);
    if (c->floor > 0)
        fputs("set logscale y\nset format y '10^{%T}'\n", out);
    else
        fputs("set format y '%g'\n", out);
}

static void draw(report *r, const curve *c, const track *tr)
{
    const char *separator = "";

    fputs("plot ", r->page.script);
    for (int32_t k = 0; k < r->nalgo; k++) { /* thin lines first: they lie underneath */
        if (!tr[k].n || tr[k].level || c->floor <= 0 || r->algo[k].central)
            continue;
        fprintf(r->page.script, "%s$c%d using 1:3 with lines lw 0.7 lc '%s' notitle", separator,
                (int)k, r->algo[k].colour);
        separator = ", ";
    }
    for (int32_t k = 0; k < r->nalgo; k++) {
        const report_algo *a = &r->algo[k];

        if (!tr[k].n)
            continue;
        if (tr[k].level)
            fprintf(r->page.script, "%s%.12g with lines dt 2 lw 1.8 lc '%s' title ", separator,
                    tr[k].point[tr[k].n - 1].y, a->colour);
        else
            fprintf(r->page.script, "%s$c%d using 1:2 with lines%s lw 2.2 lc '%s' title ",
                    separator, (int)k, a->central ? " dt 2" : "", a->colour);
        page_plot_quote(r->page.script, a->central ? "central VB" : a->label);
        separator = ", ";
    }
    fputc('\n', r->page.script);
}

/* Log x where x spans more than 1.5 decades. */
static int wants_log(const report *r, const curve *c, int bytes)
{
    double lo = PAGE_INF, hi = 0;

    for (int32_t k = 0; k < r->nalgo; k++) {
        const report_series *s = &r->algo[k].series[bytes ? REPORT_BYTES : c->metric];
        const double        *x = bytes ? s->mean : s->t;

        for (int64_t j = 0; j < s->n; j++)
            if (x[j] > 0) {
                lo = fmin(lo, x[j]);
                hi = fmax(hi, x[j]);
            }
    }
    return hi > 30 * lo;
}

static mb_status panel(report *r, page_figure *f, const curve *c, int bytes, done *d, mb_err *err)
{
    const int logx = wants_log(r, c, bytes);
    track    *tr;
    int       moving = 0, drawn = 0;

    MB_NEW(tr, r->page.a, r->nalgo, err);
    for (int32_t k = 0; k < r->nalgo; k++) {
        int finite = 0;

        MB_TRY(collect(r, &r->algo[k], c, bytes, logx, &tr[k], d, err));
        for (int64_t j = 0; j < tr[k].n; j++)
            finite += isfinite(tr[k].point[j].y);
        if (!finite)
            tr[k].n = 0;
        drawn += tr[k].n > 0;
        moving += tr[k].n > 0 && !tr[k].level;
    }
    if (!moving)
        return MB_OK;
    const char *by = bytes ? "bytes" : "rounds";

    MB_TRY(page_plot_panel(&r->page, f, mb_text(r->page.a, err, "%s-%s", c->id, by),
                           mb_text(r->page.a, err, "against %s", by),
                           HEIGHT + KEY_LINE * ((drawn + 1) / 2), err));
    axes(r->page.script, c, bytes, logx, drawn);
    if (c->floor <= 0)
        MB_TRY(focus(r, tr, d, err));
    for (int32_t k = 0; k < r->nalgo; k++)
        if (tr[k].n && !tr[k].level)
            block(r->page.script, k, &tr[k]);
    draw(r, c, tr);
    return MB_OK;
}

static const char *caption(report *r, const curve *c, const done *d, mb_err *err)
{
    char low[160] = "", floor[128] = "", at[32];

    if (d->below)
        snprintf(low, sizeof low, " Some points lie below the picture; the lowest is at %.6g nats.",
                 d->lowest);
    page_power(at, sizeof at, c->floor);
    if (d->floored)
        snprintf(floor, sizeof floor, " Values below %s are drawn at %s.", at, at);
    return mb_text(
        r->page.a, err, "%s%s%s%s%s%s%s Bytes do not include the messages of the common start.",
        c->about, floor, low,
        d->early ? " Rounds before the first byte (or round 0) have no place on a logarithmic axis."
                 : "",
        d->still ? " An algorithm that sends nothing is a level dashed line at its last value."
                 : "",
        d->gaps ? " A gap is a round in which no node had a value." : "",
        d->thinned ? " Long traces are thinned; the highest and the lowest value of every stretch "
                     "are kept."
                   : "");
}

static mb_status one(report *r, const curve *c, mb_err *err)
{
    page_figure *f = page_figure_new(&r->page, c->id, c->heading);
    done         d = {.lowest = PAGE_INF};

    f->wide = 1;
    MB_TRY(panel(r, f, c, 0, &d, err));
    MB_TRY(panel(r, f, c, 1, &d, err));
    if (!f->npanel)
        f->absent = !r->traced ? "There is no trace of the rounds in this folder: run "
                                 "<code>meshbayes sim</code> with <code>--metrics all</code>."
                               : c->without;
    f->caption = caption(r, c, &d, err);
    return f->caption ? MB_OK : MB_E_NOMEM;
}

mb_status report_fig_curves(report *r, mb_err *err)
{
    static const curve all[] = {
        {REPORT_KL_CVB, "kl-cvb", "Distance to central VB", "KL (nats)",
         "How far the nodes' answers are from that of central VB, which sees all rows: the "
         "Kullback-Leibler divergence in nats, 0 when they are equal. Thick: mean over the nodes; "
         "thin: the worst node.",
         "The trace has no distance to central VB: run <code>meshbayes sim</code> with "
         "<code>--metrics all</code>.",
         1e-10},
        {REPORT_KL_TRUTH, "kl-truth", "Distance to the posterior of the true classes", "KL (nats)",
         "How far the nodes' answers are from the posterior that knows every row's true class. No "
         "algorithm can know it, so even central VB keeps a distance. Thick: mean over the "
         "nodes; thin: the worst node.",
         "The trace has no distance to the truth, which needs the true classes: run "
         "<code>meshbayes sim</code> with <code>--label-column NAME --metrics all</code>.",
         1e-10},
        {REPORT_BOUND, "bound", "Lower bound", "lower bound (nats)",
         "The quantity that variational Bayes raises; higher is better. Mean over the nodes of "
         "each node's own bound, in which its rows stand for the whole network's: while nodes "
         "differ it can lie above central VB's.",
         "The trace has no lower bound: run <code>meshbayes sim</code> with <code>--metrics "
         "all</code>.",
         0},
        {REPORT_DISAGREEMENT, "agreement", "Disagreement between the nodes",
         "relative disagreement",
         "How far the nodes' answers are from their common mean, |φᵢ − mean| / |mean|. Thick: "
         "mean over the nodes; thin: the worst node.",
         "The trace has no disagreement: run <code>meshbayes sim</code> with <code>--metrics "
         "all</code>.",
         1e-16},
    };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        MB_TRY(one(r, &all[k], err));
    return MB_OK;
}
