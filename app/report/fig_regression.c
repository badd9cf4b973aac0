/* fig_regression.c - figures of a regression: coefficients with their intervals, the fitted
 * target against the observed, and of a target with two levels how often the second is observed
 * where it has which probability. */
#include "base/text.h"
#include "report/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 340, WIDE = 5 /* numbers of a bin */ };

/* How many rows each bin has. */
static mb_status rows(report *r, page_figure *fig, const char *label, mb_err *err)
{
    const report_answer *a = r->answer;
    FILE                *out = r->page.script;

    MB_TRY(page_plot_panel(&r->page, fig, "calibration-rows", "rows by predicted probability",
                           HEIGHT, err));
    page_plot_labels(out, label, "rows");
    page_plot_frame(out, (const double[]){0, 1}, NULL);
    fputs("set rmargin 3\nunset key\nset boxwidth 0.09\nset style fill solid 0.6 noborder\n"
          "$n << EOD\n",
          out);
    for (int64_t k = 0; k < a->bins; k++)
        fprintf(out, "%.4g %.6g\n", ((double)k + 0.5) / (double)a->bins, a->bin[WIDE * k + 4]);
    fputs("EOD\nplot $n using 1:2 with boxes lc '#0072b2' notitle\n", out);
    return MB_OK;
}

mb_status report_fig_calibration(report *r, mb_err *err)
{
    const report_answer *a = r->answer;
    FILE                *out = r->page.script;
    page_figure         *fig;
    const char          *share, *label;

    if (!a->bins)
        return MB_OK;
    fig = page_figure_new(&r->page, "calibration", "Calibration");
    fig->within = fig->wide = 1;
    fig->caption =
        "Points: rows whose predicted probability is in one tenth of the scale, at their "
        "mean; how often the level was observed among them, with the 95 % interval of "
        "such a share (Wilson's). On the dashed line both are equal. The rows are those "
        "that were fitted.";
    share = mb_text(r->page.a, err, "observed share of %s", report_level(a, 1));
    label = mb_text(r->page.a, err, "predicted probability of %s", report_level(a, 1));
    if (!share || !label)
        return MB_E_NOMEM;
    MB_TRY(page_plot_panel(&r->page, fig, "calibration", "observed share by predicted probability",
                           HEIGHT, err));
    page_plot_labels(out, label, share);
    page_plot_frame(out, (const double[]){0, 1}, (const double[]){-0.03, 1.03});
    fputs("set rmargin 3\nunset key\n$c << EOD\n", out);
    for (int64_t k = 0; k < a->bins; k++) {
        const double *bin = a->bin + WIDE * k;

        if (bin[4] > 0)
            fprintf(out, "%.5g %.5g %.5g %.5g\n", bin[0], bin[1], bin[2], bin[3]);
    }
    fputs("EOD\nplot x with lines lw 1.4 dt 2 lc '#222222' notitle, $c using 1:2:3:4 with "
          "yerrorbars pt 7 ps 0.6 lw 1.6 lc '#0072b2' notitle\n",
          out);
    return rows(r, fig, label, err);
}

enum {
    NAME = 22 /* characters of a name */,
    ROOM = 24 /* characters of a label that stay below the axis; more begin to its left */,
    MOST = 30,
    LINE = 20 /* height of a coefficient */,
    POINTS = 2000,
    MOST_FITTED = 4 /* targets, each a panel */
};

/* The effect of a coefficient: what one standard deviation of its column changes. */
typedef struct effect {
    const char *name;
    double      mean, low, high;
} effect;

static int by_size(const void *x, const void *y)
{
    const double a = fabs(((const effect *)x)->mean), b = fabs(((const effect *)y)->mean);

    return (a < b) - (a > b);
}

/* How many coefficients each input has: one of each target, or of each level but the first. */
static int64_t sets_of(const report_answer *a)
{
    return a->targets > 1 ? a->targets : a->levels > 1 ? a->levels - 1 : 1;
}

/* Of all inputs, the largest first; of several targets in their standard deviations. */
static mb_status effects(const report *r, effect **out, int64_t *n, mb_err *err)
{
    const report_answer *a = r->answer;
    const int64_t        T = sets_of(a), each = a->parts / T;
    const int64_t        first = each - a->inputs; /* 1: there is an intercept */

    *n = a->column_sd && a->name && a->high && (first == 0 || first == 1) ? T * a->inputs : 0;
    MB_NEW(*out, r->page.a, *n + 1, err);
    for (int64_t k = 0; k < *n; k++) {
        const int64_t t = k / a->inputs, j = k % a->inputs, at = t * each + first + j;
        const double  unit = a->targets > 1 ? a->column_sd[a->inputs + t] : 1;
        const double  sd = unit > 0 ? a->column_sd[j] / unit : 0;

        (*out)[k] = (effect){a->name[at], sd * a->mean[at], sd * a->low[at], sd * a->high[at]};
    }
    qsort(*out, (size_t)*n, sizeof **out, by_size);
    return MB_OK;
}

/* Ticks of the effects beside their names. */
static void effect_ticks(FILE *out, const effect *e, int64_t n)
{
    double lo = 0, hi = 0;
    size_t longest = 0;

    for (int64_t k = 0; k < n; k++) {
        lo = fmin(lo, e[k].low);
        hi = fmax(hi, e[k].high);
        longest = strlen(e[k].name) > longest ? strlen(e[k].name) : longest;
    }
    page_plot_ticks(out, lo, hi, longest < NAME ? 40 - (int)longest : 40 - NAME);
}

/* Ticks of the other axis. */
static void names(FILE *out, const effect *e, int64_t n)
{
    fputs("set ytics (", out);
    for (int64_t k = 0; k < n; k++) {
        fputs(k ? ", " : "", out);
        page_plot_short(out, e[k].name, NAME);
        fprintf(out, " %lld", (long long)(n - k));
    }
}

/* Mean, line, ends, and 1 where 0 is between them. */
static void intervals(FILE *out, const effect *e, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        fprintf(out, "%.6g %lld %.6g %.6g %d\n", e[k].mean, (long long)(n - k), e[k].low, e[k].high,
                e[k].low <= 0 && e[k].high >= 0);
}

static mb_status forest(report *r, page_figure *fig, mb_err *err)
{
    FILE       *out = r->page.script;
    const char *label;
    effect     *e;
    int64_t     all, n;

    MB_TRY(effects(r, &e, &all, err));
    n = all < MOST ? all : MOST;
    if (!n)
        return MB_OK;
    MB_TRY(page_plot_panel(&r->page, fig, "coefficients",
                           all > n ? "change for one sd of a column (the 30 largest)"
                                   : "change for one sd of a column, 95 % intervals",
                           (int)(110 + LINE * (n < 10 ? 11 : n)), err));
    label = mb_text(r->page.a, err, "change of %s%s", *r->answer->column,
                    r->answer->targets > 1 ? ", in its standard deviations" : "");
    if (!label)
        return MB_E_NOMEM;
    page_plot_labels(out, label, "");
    fprintf(out, "set xlabel offset %d\n", strlen(label) > ROOM ? ROOM - (int)strlen(label) : 0);
    effect_ticks(out, e, n);
    names(out, e, n);
    fprintf(out,
            ") noenhanced\nset yrange [0.4:%lld.6]\nset rmargin 3\nset xzeroaxis\nset arrow from "
            "0, graph 0 to 0, graph 1 nohead lc '#888888' "
            "dt 2\n"
            "unset key\n$e << EOD\n",
            (long long)n);
    intervals(out, e, n);
    fputs("EOD\nplot $e using ($5 > 0 ? 1/0 : $1):2:3:4 with xerrorbars pt 7 ps 0.6 lw 1.6 lc "
          "'#0072b2' "
          "notitle, $e using ($5 > 0 ? $1 : 1/0):2:3:4 with xerrorbars pt 6 ps 0.6 lw 1.6 lc "
          "'#8a8a8a' "
          "notitle\n",
          out);
    return MB_OK;
}

/* 1 for a row of target t. */
static int shows(const report_fitted *f, int64_t t)
{
    return isnan(f->target) ? t == 0 : fabs(f->target - (double)t) < 0.5;
}

/* Both axes with all rows and a margin. */
static void fitted_frame(FILE *out, const report_answer *a, int64_t t)
{
    double end[2][2] = {{PAGE_INF, -PAGE_INF}, {PAGE_INF, -PAGE_INF}};

    for (int64_t k = 0; k < a->nfitted; k++) {
        if (!shows(&a->fitted[k], t))
            continue;
        const double at[2] = {a->fitted[k].fitted, a->fitted[k].observed};

        for (int d = 0; d < 2; d++) {
            end[d][0] = fmin(end[d][0], at[d]);
            end[d][1] = fmax(end[d][1], at[d]);
        }
    }
    for (int d = 0; d < 2; d++) {
        const double margin = end[d][1] > end[d][0] ? 0.04 * (end[d][1] - end[d][0]) : 1;

        end[d][0] -= margin;
        end[d][1] += margin;
    }
    page_plot_frame(out, end[0], end[1]);
}

static mb_status fitted_target(report *r, page_figure *fig, int64_t t, mb_err *err)
{
    const report_answer *a = r->answer;
    const int64_t        T = a->targets > 1 ? a->targets : 1, all = a->nfitted / T;
    const int64_t        n = all < POINTS ? all : POINTS;
    FILE                *out = r->page.script;
    const char          *name = t ? mb_text(r->page.a, err, "fitted%d", (int)t + 1) : "fitted";

    if (!name)
        return MB_E_NOMEM;
    MB_TRY(page_plot_panel(&r->page, fig, name, "observed against fitted", HEIGHT, err));
    page_plot_labels(out, "fitted", t < a->targets ? a->target[t] : "observed");
    fitted_frame(out, a, t);
    fputs("set rmargin 2\nunset key\n$f << EOD\n", out);
    for (int64_t k = 0; k < n; k++) {
        const report_fitted *f = &a->fitted[k * all / n * T + t];

        fprintf(out, "%.5g %.5g\n", f->fitted, f->observed);
    }
    fputs("EOD\nplot $f using 1:2 with points pt 7 ps 0.3 lc '#0072b2' notitle, x with lines lw "
          "1.4 dt 2 "
          "lc '#222222' notitle\n",
          out);
    return MB_OK;
}

static mb_status fitted(report *r, page_figure *fig, mb_err *err)
{
    const int64_t T = r->answer->targets > 1 ? r->answer->targets : 1;

    for (int64_t t = 0; t < T && t < MOST_FITTED && r->answer->nfitted; t++)
        MB_TRY(fitted_target(r, fig, t, err));
    return MB_OK;
}

mb_status report_fig_regression(report *r, mb_err *err)
{
    page_figure *fig = page_figure_new(&r->page, "coefficients", "Coefficients and fit");

    fig->within = 1;
    fig->wide = 1;
    fig->caption =
        "Intervals: by what a standard deviation of each column changes what is named below, with "
        "probability 95 %; grey and hollow where they include 0.";
    if (r->answer->nfitted)
        fig->caption = mb_text(r->page.a, err,
                               "%s Points: rows; on the dashed line fitted and observed values are "
                               "equal.",
                               fig->caption);
    if (!fig->caption)
        return MB_E_NOMEM;
    MB_TRY(forest(r, fig, err));
    return fitted(r, fig, err);
}
