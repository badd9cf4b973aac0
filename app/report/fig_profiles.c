/* fig_profiles.c - what each component is like, quantity by quantity: means against all rows, and
 * shares of categories and flags. */
#include "report/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME = 22 /* characters of a name */,
    MOST = 30,
    LINE = 20 /* height of a quantity */,
    KEYS = 10
};

/* A column of the answer. */
typedef struct quantity {
    int64_t at;
    double  mean, sd; /* of all rows; of a share, sd is between the components */
} quantity;

static int by_spread(const void *x, const void *y)
{
    const double a = ((const quantity *)x)->sd, b = ((const quantity *)y)->sd;

    return (a < b) - (a > b);
}

static int by_place(const void *x, const void *y)
{
    const int64_t a = ((const quantity *)x)->at, b = ((const quantity *)y)->at;

    return (a > b) - (a < b);
}

/* Mean of the mixture, and standard deviation of its rows or between its components. */
static quantity measure(const report_answer *a, int64_t column, int share)
{
    quantity q = {.at = column};
    double   total = 0, square = 0;

    for (int64_t k = 0; k < a->parts; k++) {
        if (!report_part_holds(a, k))
            continue;
        total += a->weight[k];
        q.mean += a->weight[k] * a->mean[k * a->columns + column];
    }
    q.mean /= total;
    for (int64_t k = 0; k < a->parts; k++) {
        const double gap = a->mean[k * a->columns + column] - q.mean;
        const double within = share ? 0 : a->sd[k * a->columns + column];

        if (report_part_holds(a, k))
            square += a->weight[k] * (gap * gap + within * within);
    }
    q.sd = sqrt(square / total);
    return q;
}

/* The quantities of one panel in the order of the table; of many those that differ most. */
static mb_status choose(const report *r, int share, quantity **out, int64_t *n, int64_t *all,
                        mb_err *err)
{
    const report_answer *a = r->answer;

    MB_NEW(*out, r->page.a, a->columns + 1, err);
    *n = 0;
    for (int64_t c = 0; c < a->columns; c++) {
        const quantity q = measure(a, c, share);

        if (report_is_share(a, c) == share && isfinite(q.mean) && (share || q.sd > 0))
            (*out)[(*n)++] = q;
    }
    *all = *n;
    if (*n <= MOST)
        return MB_OK;
    for (int64_t i = 0; i < *n && !share; i++) { /* by the spread between components */
        quantity *q = &(*out)[i];

        q->sd = measure(a, q->at, 1).sd / q->sd;
    }
    qsort(*out, (size_t)*n, sizeof **out, by_spread);
    *n = MOST;
    for (int64_t i = 0; i < *n; i++)
        (*out)[i] = measure(a, (*out)[i].at, share);
    qsort(*out, (size_t)*n, sizeof **out, by_place);
    return MB_OK;
}

static void names(FILE *out, const report_answer *a, const quantity *q, int64_t n)
{
    fputs("set ytics (", out);
    for (int64_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        page_plot_short(out, a->column[q[i].at], NAME);
        fprintf(out, " %lld", (long long)(n - i));
    }
    fprintf(out, ") noenhanced\nset yrange [0.4:%lld.6]\nset rmargin 3\n", (long long)n);
}

/* The block $p<k>: where component k is. */
static void profile(FILE *out, const report_answer *a, int64_t k, const quantity *q, int64_t n,
                    int share)
{
    fprintf(out, "$p%lld << EOD\n", (long long)k);
    for (int64_t i = 0; i < n; i++) {
        const double x = a->mean[k * a->columns + q[i].at];

        fprintf(out, "%.6g %lld\n", share ? x : (x - q[i].mean) / q[i].sd, (long long)(n - i));
    }
    fputs("EOD\n", out);
}

static void plot(FILE *out, const report_answer *a)
{
    int begun = 0;

    for (int64_t k = 0; k < a->parts; k++) {
        if (!report_part_holds(a, k))
            continue;
        fprintf(out, "%s$p%lld using 1:2 with linespoints pt 7 ps 0.6 lw 1 lc '%s' ",
                begun ? ", " : "plot ", (long long)k, page_component_colour(k));
        if (a->parts > KEYS)
            fputs("notitle", out);
        else
            fprintf(out, "title '%lld'", (long long)k);
        begun = 1;
    }
    fputc('\n', out);
}

static mb_status panel(report *r, page_figure *fig, int share, mb_err *err)
{
    const report_answer *a = r->answer;
    FILE                *out = r->page.script;
    quantity            *q;
    int64_t              n = 0, all = 0;

    MB_TRY(choose(r, share, &q, &n, &all, err));
    if (!n)
        return MB_OK;
    MB_TRY(page_plot_panel(
        &r->page, fig, share ? "profile-shares" : "profile-means",
        all > n ? (share ? "shares (the 30 that differ most)" : "means (the 30 that differ most)")
                : (share ? "shares" : "means"),
        (int)(130 + LINE * (n < 6 ? 6 : n)), err));
    page_plot_labels(out, share ? "probability" : "sd from the mean of all rows", "");
    fputs(share ? "set xrange [-0.03:1.03]\n"
                : "set arrow from 0, graph 0 to 0, graph 1 nohead lc "
                  "'#888888' dt 2\n",
          out);
    names(out, a, q, n);
    page_plot_key(out, page_key_lines(&(page_key){(int)(a->parts > KEYS ? 0 : a->parts), 2}));
    for (int64_t k = 0; k < a->parts; k++)
        if (report_part_holds(a, k))
            profile(out, a, k, q, n, share);
    plot(out, a);
    return MB_OK;
}

mb_status report_fig_profiles(report *r, mb_err *err)
{
    const report_answer *a = r->answer;
    page_figure         *fig;
    int64_t              shares = 0;

    if (!a->weight || !a->mean || !a->sd || a->ranked || report_effects(a) || report_lines(a) ||
        a->parts < 2 || a->parts > 24)
        return MB_OK;
    for (int64_t c = 0; c < a->columns; c++)
        shares += report_is_share(a, c);
    if (a->columns < 3 && !shares)
        return MB_OK;
    fig = page_figure_new(&r->page, "profiles", "Profiles of the components");
    fig->within = 1;
    fig->wide = 1;
    fig->caption = shares
                       ? "One line for each component. Means: by how many standard deviations of "
                         "all rows its mean is above or below theirs. Shares: the probability of "
                         "a level, or that a flag is 1."
                       : "One line for each component: by how many standard deviations of all "
                         "rows its mean is above or below theirs.";
    MB_TRY(panel(r, fig, 0, err));
    return panel(r, fig, 1, err);
}
