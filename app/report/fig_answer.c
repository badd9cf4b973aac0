/* fig_answer.c - rows and components on the columns that separate them, and on two principal
 * components of the rows. */
#include "base/text.h"
#include "report/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    HEIGHT = 340,
    POINTS = 900,
    FEW_POINTS = 2400,
    SAMPLES = 161,
    BINS = 40,
    RING = 49,
    KEYS = 10,
    NAME = 14 /* characters of a class in the key */
};

/* What one panel shows: columns x and y of the pairs plot, or the principal components. */
typedef struct plane {
    const char *name, *title;
    int         x, y;     /* columns; y -1: one column, as bars */
    int         pc;       /* 1: principal components instead    */
    int         by_class; /* 1: rows have the colours of classes */
    int64_t     most;     /* rows drawn                          */
} plane;

static double at(const plane *p, const report_seen *s, int axis)
{
    return p->pc ? s->pc[axis] : s->x[axis ? p->y : p->x];
}

/* Colours are numbered as components are. */
static int64_t colour(const report_answer *a, const plane *p, const report_seen *s)
{
    if (!p->by_class)
        return s->component;
    return s->cls < 0 ? -1 : a->class_part[s->cls];
}

static int64_t colours(const report_answer *a, const plane *p)
{
    return p->by_class ? a->parts + a->classes : a->parts;
}

/* Mean and covariance of component k in this panel. */
static void shape(const report_answer *a, const plane *p, int64_t k, double mean[2], double cov[3])
{
    const int64_t n = a->ncol, len = n * (n + 1) / 2;
    const int     x = p->x, y = p->y, hi = x > y ? x : y, lo = x > y ? y : x;

    for (int i = 0; i < 2; i++)
        mean[i] =
            p->pc ? a->plane_mean[2 * k + i] : a->pair_mean[k * n + (i ? (y < 0 ? x : y) : x)];
    if (p->pc) {
        memcpy(cov, a->plane_cov + 3 * k, 3 * sizeof *cov);
        return;
    }
    cov[0] = a->pair_cov[k * len + x * (x + 1) / 2 + x];
    cov[1] = y < 0 ? cov[0] : a->pair_cov[k * len + hi * (hi + 1) / 2 + lo];
    cov[2] = y < 0 ? cov[0] : a->pair_cov[k * len + y * (y + 1) / 2 + y];
}

/* Range of an axis: all rows, and the ellipses up to half the rows' range beyond. */
static void range(const report_answer *a, const plane *p, int axis, double out[2])
{
    double lo = PAGE_INF, hi = -PAGE_INF;

    for (int64_t j = 0; j < a->nseen; j++) {
        lo = fmin(lo, at(p, &a->seen[j], axis));
        hi = fmax(hi, at(p, &a->seen[j], axis));
    }
    const double size = hi - lo;

    out[0] = lo;
    out[1] = hi;
    for (int64_t k = 0; k < a->parts; k++) {
        double mean[2], cov[3];

        if (!report_part_holds(a, k))
            continue;
        shape(a, p, k, mean, cov);
        const double reach = 2 * sqrt(fmax(cov[2 * axis], 0));

        out[0] = fmin(out[0], fmax(mean[axis] - reach, lo - size / 2));
        out[1] = fmax(out[1], fmin(mean[axis] + reach, hi + size / 2));
    }
    const double margin = out[1] > out[0] ? 0.04 * (out[1] - out[0]) : 1;

    out[0] -= margin;
    out[1] += margin;
}

/* The block $c<colour>: points. Returns how many. */
static int64_t points(FILE *out, const report_answer *a, const plane *p, int64_t which)
{
    const int64_t n = a->nseen < p->most ? a->nseen : p->most;
    int64_t       count = 0;

    fprintf(out, "$c%lld << EOD\n", (long long)which);
    for (int64_t i = 0; i < n; i++) {
        const report_seen *s = &a->seen[i * a->nseen / n];

        if (colour(a, p, s) == which) {
            fprintf(out, "%.5g %.5g\n", at(p, s, 0), at(p, s, 1));
            count++;
        }
    }
    fputs("EOD\n", out);
    return count;
}

/* The same as bars whose areas are the shares of the rows. */
static int64_t bars(FILE *out, const report_answer *a, const plane *p, int64_t which,
                    const double frame[2])
{
    const double width = (frame[1] - frame[0]) / BINS;
    int64_t      count[BINS] = {0}, n = 0;

    for (int64_t j = 0; j < a->nseen; j++)
        if (colour(a, p, &a->seen[j]) == which) {
            const int b = (int)((a->seen[j].x[p->x] - frame[0]) / width);

            count[b < 0 ? 0 : b >= BINS ? BINS - 1 : b]++;
            n++;
        }
    fprintf(out, "$c%lld << EOD\n", (long long)which);
    for (int b = 0; b < BINS; b++)
        fprintf(out, "%.6g %.6g %.6g\n", frame[0] + (b + 0.5) * width,
                (double)count[b] / ((double)a->nseen * width), 0.94 * width);
    fputs("EOD\n", out);
    return n;
}

/* The block $e<k>: two standard deviations, or the density on one column. */
static void outline(FILE *out, const report_answer *a, const plane *p, int64_t k,
                    const double frame[2])
{
    double mean[2], cov[3], xy[2 * RING];

    shape(a, p, k, mean, cov);
    fprintf(out, "$e%lld << EOD\n", (long long)k);
    if (report_lines(a)) { /* of the target on this column, among the rows of the component */
        for (int j = -1; j < 2; j += 2) {
            const double step = j * 2 * sqrt(fmax(cov[0], 0));

            fprintf(out, "%.5g %.5g\n", mean[0] + step,
                    mean[1] + (cov[0] > 0 ? step * cov[1] / cov[0] : 0));
        }
    } else if (p->y < 0 && !p->pc) {
        for (int j = 0; j < SAMPLES && cov[0] > 0; j++) {
            const double x = frame[0] + (frame[1] - frame[0]) * j / (SAMPLES - 1);

            fprintf(out, "%.5g %.5g\n", x, a->weight[k] * page_density(x, mean[0], cov[0]));
        }
    } else {
        page_ellipse(mean, cov, 2, RING, xy);
        for (int j = 0; j < RING; j++)
            fprintf(out, "%.5g %.5g\n", xy[2 * j], xy[2 * j + 1]);
    }
    fputs("EOD\n", out);
}

/* One line where there is no key, so that the panels of a figure are alike. */
static int key_lines(const report_answer *a, const plane *p)
{
    const int64_t names = p->by_class ? a->classes : a->parts;
    page_key      key = {0};

    for (int64_t k = 0; k < names; k++)
        page_key_add(&key, p->by_class ? a->class_name[k] : "10");
    if (key.widest > NAME)
        key.widest = NAME + 1;
    return names > KEYS ? 1 : page_key_lines(&key);
}

static void axes(FILE *out, const report_answer *a, const plane *p, const double x[2],
                 const double y[2])
{
    char label[2][80];

    for (int i = 0; i < 2 && p->pc; i++)
        snprintf(label[i], sizeof label[i], "PC %d (%.0f %% of variance)", i + 1,
                 100 * a->share[i]);
    page_plot_labels(out, p->pc ? label[0] : a->col[p->x],
                     p->pc      ? label[1]
                     : p->y < 0 ? "density"
                                : a->col[p->y]);
    page_plot_frame(out, x, p->y < 0 && !p->pc ? NULL : y);
    page_plot_key(out, key_lines(a, p));
    fputs("set rmargin 1.5\nset tmargin 0.8\nset style fill solid 0.45 noborder\n", out);
}

/* Names in the key; no key where there are too many colours for one. */
static void keys(FILE *out, const report_answer *a, const plane *p)
{
    const int64_t n = p->by_class ? a->classes : a->parts;

    if (n > KEYS) {
        fputs("unset key\n", out);
        return;
    }
    fputs("plot 1/0 notitle", out);
    for (int64_t k = 0; k < n; k++) {
        if (!p->by_class && !report_part_holds(a, k))
            continue;
        fprintf(out, ", 1/0 with points pt 7 ps 0.7 lc '%s' title ",
                page_component_colour(p->by_class ? a->class_part[k] : k));
        if (p->by_class)
            page_plot_short(out, a->class_name[k], NAME);
        else
            fprintf(out, "'%lld'", (long long)k);
    }
}

/* Blocks, then one plot command over them. */
static mb_status panel(report *r, page_figure *fig, const plane *p, mb_err *err)
{
    const report_answer *a = r->answer;
    const int            line = p->y < 0 && !p->pc;
    const double         size = p->most > POINTS ? 0.26 : 0.3;
    FILE                *out = r->page.script;
    double               x[2], y[2] = {0, 1};
    int64_t             *count;
    const int64_t        n = colours(a, p);
    int                  begun = (p->by_class ? a->classes : a->parts) <= KEYS;

    MB_NEW(count, r->page.a, n, err);
    MB_TRY(page_plot_panel(&r->page, fig, p->name, p->title,
                           HEIGHT + PAGE_KEY_LINE * (key_lines(a, p) - 1), err));
    range(a, p, 0, x);
    if (!line)
        range(a, p, 1, y);
    axes(out, a, p, x, y);
    for (int64_t k = 0; k < n; k++)
        count[k] = line ? bars(out, a, p, k, x) : points(out, a, p, k);
    for (int64_t k = 0; k < a->parts && !p->by_class; k++)
        outline(out, a, p, k, x);
    keys(out, a, p);
    for (int64_t k = 0; k < n; k++)
        if (count[k]) {
            fprintf(out, "%s$c%lld using %s", begun ? ", " : "plot ", (long long)k,
                    line ? "1:2:3 with boxes" : "1:2 with points pt 7");
            if (!line)
                fprintf(out, " ps %g", size);
            fprintf(out, " lc '%s' notitle", page_component_colour(k));
            begun = 1;
        }
    for (int64_t k = 0; k < a->parts && !p->by_class; k++)
        if (report_part_holds(a, k))
            fprintf(out,
                    ", $e%lld using 1:2 with lines lw 3 lc '#ffffff' notitle, $e%lld using 1:2 "
                    "with lines lw 1.8 lc '%s' notitle",
                    (long long)k, (long long)k, page_component_colour(k));
    fputc('\n', out);
    return MB_OK;
}

/* "y against x". */
static const char *pair_title(const report *r, int x, int y, mb_err *err)
{
    return mb_text(r->page.a, err, "%s against %s", r->answer->col[y], r->answer->col[x]);
}

/* The first pair by component and by class, then the others. */
static mb_status pairs(report *r, mb_err *err)
{
    const report_answer *a = r->answer;
    page_figure         *fig = page_figure_new(&r->page, "pairs", "The components over the data");
    const int            n = (int)a->ncol;
    plane                p = {.name = "data-components", .title = "rows by component found"};

    p.y = n > 1 ? 1 : -1;
    p.most = n > 2 ? POINTS : FEW_POINTS;
    fig->within = 1;
    fig->wide = n < 3;
    fig->caption = report_caption(
        r,
        n > 1 ? "Rows on the columns that separate the components best; ellipses of two standard "
                "deviations around the means."
              : "Bars are rows, curves the density of each component times its weight.",
        err);
    if (!fig->caption)
        return MB_E_NOMEM;
    MB_TRY(panel(r, fig, &p, err));
    p.by_class = 1;
    p.name = "data-labels";
    p.title = "rows by true class";
    MB_TRY(a->classes ? panel(r, fig, &p, err) : MB_OK);
    p.by_class = 0;
    for (p.y = 2; p.y < n; p.y++)
        for (p.x = 0; p.x < p.y; p.x++) {
            p.name = mb_text(r->page.a, err, "data-pair-%d-%d", p.x, p.y);
            p.title = pair_title(r, p.x, p.y, err);
            MB_TRY(panel(r, fig, &p, err));
        }
    return MB_OK;
}

/* The target against each of the inputs that are shown. */
static mb_status segments(report *r, mb_err *err)
{
    const int    n = (int)r->answer->ncol;
    page_figure *fig = page_figure_new(&r->page, "pairs", "The lines over the data");
    plane        p = {.y = 1, .most = n > 2 ? POINTS : FEW_POINTS};

    fig->within = 1;
    fig->wide = n < 3;
    fig->caption = report_caption(r,
                                  "Rows have the colour of their component; its line is that of "
                                  "the target on this input alone, among its rows, and reaches two "
                                  "standard deviations of them.",
                                  err);
    if (!fig->caption)
        return MB_E_NOMEM;
    for (p.x = 0; p.x < n; p.x += p.x ? 1 : 2) { /* 1 is the target */
        p.name = mb_text(r->page.a, err, "data-line-%d", p.x);
        p.title = pair_title(r, p.x, p.y, err);
        if (!p.name || !p.title)
            return MB_E_NOMEM;
        MB_TRY(panel(r, fig, &p, err));
    }
    return MB_OK;
}

static mb_status principal(report *r, mb_err *err)
{
    const report_answer *a = r->answer;
    page_figure *fig = page_figure_new(&r->page, "principal", "On two principal components");
    plane p = {.name = "data-pca", .title = "rows by component found", .pc = 1, .most = FEW_POINTS};

    fig->within = 1;
    fig->wide = 1;
    fig->caption = report_caption(r,
                                  "The plane in which the rows spread most, columns in units of "
                                  "their standard deviation; the components are projected onto it.",
                                  err);
    if (!fig->caption)
        return MB_E_NOMEM;
    MB_TRY(panel(r, fig, &p, err));
    if (!a->classes)
        return MB_OK;
    p.name = "data-pca-labels";
    p.title = "rows by true class";
    p.by_class = 1;
    return panel(r, fig, &p, err);
}

mb_status report_fig_answer(report *r, mb_err *err)
{
    const report_answer *a = r->answer;

    if (!a)
        return MB_OK;
    if (a->ncol && a->nseen && a->pair_mean && a->pair_cov && a->weight)
        MB_TRY(report_lines(a) && a->ncol > 1 ? segments(r, err) : pairs(r, err));
    if (a->nseen && a->plane_mean && a->plane_cov && a->share && a->weight && !report_lines(a))
        MB_TRY(principal(r, err));
    MB_TRY(report_fig_profiles(r, err));
    MB_TRY(report_fig_sweep(r, err));
    if (report_effects(a))
        MB_TRY(report_fig_regression(r, err));
    return report_fig_calibration(r, err);
}
