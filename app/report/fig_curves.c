/* fig_curves.c - the metrics of the trace against rounds and against bytes. */
#include "base/text.h"
#include "report/parts.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 110, HEIGHT = 285 };

typedef struct curve {
    report_metric metric;
    const char   *id, *heading, *axis, *about;
    const char   *quantity, *option; /* option: what a run needs besides --metrics all */
    int           worst;             /* 1: the worst node has a curve of its own     */
    double        floor;             /* values are plotted no lower; 0: no lower than rounding */
} curve;

/* What was done to the data to plot it; the caption says so. */
typedef struct done {
    int floored, above, early, thinned, gaps, still; /* above: a value is above the floor */
    int bytes;                                       /* what bytes hold was said          */
} done;

/* The points of one algorithm, ascending in x. */
typedef struct track {
    const report_algo *algo;
    int64_t            n;
    int                level;  /* 1: it sends nothing, its last value is a level line */
    int                finite; /* 1: there is a value to plot */
    page_point        *point;
    int64_t            nband;
    page_point        *band; /* of many runs; NULL: of one */
} track;

typedef struct chart {
    const curve *c;
    double       floor, best;          /* the bound is drawn as best - bound */
    int          alone;                /* 1: the one curve of a fit */
    int          bytes, logx;          /* bytes: the axis has bytes, else rounds */
    double       decades, least, most; /* of the horizontal axis: how many, its ends */
    int          n;
    track       *track; /* n */
    done        *done;
} chart;

static double floored(double y, const chart *p)
{
    if (p->c->metric == REPORT_BOUND)
        y = p->best - y;
    if (!isfinite(y))
        return y;
    p->done->floored |= y < p->floor;
    p->done->above |= y > p->floor;
    return fmax(y, p->floor);
}

/* A power of ten. */
static double floor_of(const report *r, const curve *c)
{
    return c->floor > 0 ? c->floor : pow(10, ceil(log10(r->rounding) - 1e-9));
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

/* The band between the quartiles of many runs; of the bound, which is drawn as what it lacks, the
 * larger quartile is the lower edge. */
static mb_status collect_band(report *r, const chart *p, const report_algo *a, track *out,
                              mb_err *err)
{
    const report_series *s = &a->series[p->c->metric], *b = &a->series[REPORT_BYTES];
    int64_t              at = 0;

    if (!s->band || out->level)
        return MB_OK;
    MB_NEW(out->band, r->page.a, s->n, err);
    for (int64_t j = 0; j < s->n; j++) {
        const page_point *q = &s->band[j];
        const double      x = p->bytes ? bytes_at(b, &at, q->x) : q->x;

        if (isfinite(x) && isfinite(q->y) && !(p->logx && x <= 0))
            out->band[out->nband++] = (page_point){x, floored(q->y, p), floored(q->top, p)};
    }
    return MB_OK;
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

/* At most six ticks of bytes, in one unit, with the decimals that they need. */
static void ticks(FILE *out, double most)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    const int                k = most < 1000 ? 0 : (int)fmin(5, log10(most) / 3);
    const double             size = pow(1000, k), power = pow(10, floor(log10(most / 5)));
    const double             at = most / 5 / power;
    const double             step = power * (at <= 1 ? 1 : at <= 2 ? 2 : at <= 5 ? 5 : 10);

    fputs("set xtics (", out);
    for (int j = 0; j * step <= 1.001 * most; j++)
        fprintf(out, "%s\"%.6g %s\" %.9g", j ? ", " : "", j * step / size, unit[k], j * step);
    fputs(")\n", out);
}

static int key_lines(const chart *p)
{
    page_key key = {0};

    for (int k = 0; k < p->n; k++)
        page_key_add(&key, p->track[k].algo->label);
    return page_key_lines(&key);
}

static void axes(FILE *out, const chart *p)
{
    page_plot_labels(out, p->bytes ? "bytes sent, all links" : "rounds", p->c->axis);
    page_plot_key(out, key_lines(p));
    fputs("set lmargin 9\nset rmargin 3.5\nset tmargin 0.8\n", out);
    if (p->logx)
        fprintf(out, "set logscale x\nset xrange [%.9g:%.9g]\n", p->least, p->most);
    if (p->logx && p->decades > 4) /* labels such as "100 MB" are wide */
        fputs("set xtics 100\n", out);
    fputs(p->bytes ? "set format x '%.0s %cB'\n" : "set format x '%g'\n", out);
    if (p->bytes && !p->logx)
        ticks(out, p->most);
    fputs("set logscale y\nset format y '10^{%T}'\n", out);
}

/* Thin lines first: later ones cover them. */
static void plot(FILE *out, const chart *p)
{
    const char *separator = "plot ";

    for (int k = 0; k < p->n; k++)
        if (p->track[k].nband) {
            fprintf(out,
                    "%s$q%d using 1:2:3 with filledcurves fc rgb '%s' fs transparent solid 0.2 "
                    "noborder notitle",
                    separator, k, p->track[k].algo->colour);
            separator = ", ";
        }
    for (int k = 0; k < p->n && p->c->worst; k++) {
        const track *tr = &p->track[k];

        if (tr->level || tr->algo->central || tr->band)
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
                    tr->algo->central && !p->alone ? " dt 2" : "");
        fprintf(out, " lc '%s' ", tr->algo->colour);
        if (p->alone) {
            fputs("notitle", out);
            break;
        }
        fputs("title ", out);
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
        fprintf(out, "$q%d << EOD\n", k);
        for (int64_t j = 0; j < tr->nband; j++)
            fprintf(out, "%.9g %.9g %.9g\n", tr->band[j].x, tr->band[j].y, tr->band[j].top);
        fputs("EOD\n", out);
    }
    plot(out, p);
}

/* Sets the range of the horizontal axis. */
static void span(const report *r, chart *p)
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
    p->least = hi > lo ? pow(10, floor(log10(lo) + 1e-9)) : lo; /* where ticks begin */
    p->most = hi;
    p->decades = hi > lo ? log10(hi / lo) : 0;
    p->logx = p->decades > 1.5;
}

static mb_status panel(report *r, page_figure *f, const curve *c, int bytes, done *d, mb_err *err)
{
    const char *by = bytes ? "bytes" : "rounds";
    chart       p = {.c = c,
                     .floor = floor_of(r, c),
                     .best = r->best,
                     .alone = r->alone,
                     .bytes = bytes,
                     .done = d};
    int         moving = 0;

    span(r, &p);
    MB_NEW(p.track, r->page.a, r->nalgo, err);
    for (int32_t k = 0; k < r->nalgo; k++) {
        track *tr = &p.track[p.n];

        if (!is_shown(&p, &r->algo[k]))
            continue;
        MB_TRY(collect(r, &p, &r->algo[k], tr, err));
        MB_TRY(collect_band(r, &p, &r->algo[k], tr, err));
        p.n += tr->finite;
        moving |= tr->finite && !tr->level;
    }
    if (!moving || (r->alone && !d->above)) /* a fit that is exact from the first round */
        return MB_OK;
    MB_TRY(page_plot_panel(&r->page, f, mb_text(r->page.a, err, "%s-%s", c->id, by),
                           mb_text(r->page.a, err, "against %s", by),
                           HEIGHT + PAGE_KEY_LINE * key_lines(&p), err));
    axes(r->page.script, &p);
    draw(r->page.script, &p);
    return MB_OK;
}

static const char *about(const report *r, const curve *c)
{
    if (r->alone && c->metric == REPORT_BOUND)
        return "The lower bound is the quantity that variational Bayes raises. The curve is what "
               "it lacks to the highest value of this fit: it falls until the fit has settled.";
    return c->about;
}

/* A best bound that may still rise. */
static const char *unsettled(const report *r, const curve *c)
{
    if (c->metric != REPORT_BOUND || r->runs > 1)
        return "";
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++)
        if (!a->failed && a->verdict && !strcmp(a->verdict, mb_verdict_text(MB_ENDED_SETTLED)))
            return "";
    return " No run has settled: the best bound is that of the end of one of them, whose curve "
           "therefore falls to the bottom there.";
}

/* What was done to all curves is said once, below the first of them; *said: which of it was. */
static const char *once(int now, int *noted, const char *text)
{
    if (!now || *noted)
        return "";
    *noted = 1;
    return text;
}

static const char *common(report *r, const done *d, done *noted, mb_err *err)
{
    const char *early =
        once(d->early, &noted->early,
             " Rounds before the first byte (or round 0) are not on a logarithmic axis.");
    const char *still =
        once(d->still, &noted->still,
             " An algorithm that sends nothing is a level dashed line at its last value.");
    const char *thinned = once(d->thinned, &noted->thinned,
                               " Long traces are thinned; the highest and the lowest value of "
                               "every stretch remain.");
    const char *bytes = once(!r->alone, &noted->bytes,
                             " Bytes do not include the messages of the common initialisation.");
    const int   any = *early || *still || *thinned || *bytes;

    return mb_text(r->page.a, err, "%s%s%s%s%s", early, still, thinned, bytes,
                   any && !r->alone ? " The same holds for all curves below." : "");
}

/* What the lines are. */
static const char *lines(report *r, const curve *c, mb_err *err)
{
    if (r->runs > 1)
        return mb_text(
            r->page.a, err,
            " Lines are the median of %lld runs with different seeds%s, bands reach from "
            "quartile to quartile; a run that has ended holds its last value.",
            (long long)r->runs, c->worst ? ", each the mean over its nodes" : "");
    return c->worst ? " Thick: mean over the nodes; thin: the worst node." : "";
}

static const char *caption(report *r, const curve *c, const done *d, done *noted, mb_err *err)
{
    const char *floor = "", *line = lines(r, c, err), *shared = common(r, d, noted, err);

    if (d->floored)
        floor = mb_text(r->page.a, err, " Values below %s%s are plotted at %s.",
                        page_power(floor_of(r, c)).s, c->floor > 0 ? "" : " (rounding)",
                        page_power(floor_of(r, c)).s);
    if (!floor || !line || !shared)
        return NULL;
    return mb_text(r->page.a, err, "%s%s%s%s%s%s", about(r, c), line, unsettled(r, c), floor,
                   d->gaps ? " A gap is a round in which no node had a value." : "", shared);
}

static mb_status one(report *r, const curve *c, done *noted, mb_err *err)
{
    page_figure *f = page_figure_new(&r->page, c->id, c->heading);
    done         d = {0};

    f->wide = 1;
    for (int bytes = 0; bytes < 2; bytes++)
        MB_TRY(panel(r, f, c, bytes, &d, err));
    f->caption = f->npanel ? caption(r, c, &d, noted, err) : "";
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
         "Kullback-Leibler divergence in nats, 0 when they are equal.",
         "distance to central VB", "", 1, 0},
        {REPORT_KL_TRUTH, "kl-truth", "Distance to the posterior of the true classes", "KL (nats)",
         "The distance of the nodes' answers from the posterior that knows every row's true class. "
         "No algorithm can know it: even central VB has a distance.",
         "distance to the truth, which needs the true classes", "--label-column NAME ", 1, 0},
        {REPORT_BOUND, "bound", "Shortfall of the lower bound", "best bound - bound (nats)",
         "The lower bound of all rows at the network mean is the quantity that variational Bayes "
         "raises. The curve is what it lacks to the best bound that any algorithm of this run "
         "reached: lower is better, and a curve that stays high has found another answer.",
         "lower bound at the network mean", "", 0, 0},
        {REPORT_DISAGREEMENT, "agreement", "Disagreement between the nodes",
         "relative disagreement",
         "The distance of the nodes' answers from their common mean, |φᵢ − mean| / |mean|.",
         "disagreement", "", 1, 1e-12},
    };

    done noted = {0};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        MB_TRY(one(r, &all[k], &noted, err));
    return MB_OK;
}
