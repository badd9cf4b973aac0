/* ranked.c - parts whose quantities are many shares, such as topics of words: of each the largest. */
#include "base/app.h"
#include "report/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 /* shares of a part */, MOST = 60 /* parts */ };

const char *report_counted(const report_answer *a)
{
    static const char *const words[] = {"groups", "words"};
    int                      k = 0;

    while (k < 2 && !(a->counted && !strcmp(a->counted, words[k])))
        k++;
    return k < 2 ? words[k] : "rows";
}

/* The place of the largest of n numbers that is below `below`, or equal and after place `last`; -1:
 * there is none. */
static int64_t next(int64_t n, const double *x, double below, int64_t last)
{
    int64_t best = -1;

    for (int64_t d = 0; d < n; d++)
        if ((x[d] < below || (x[d] <= below && d > last)) && (best < 0 || x[d] > x[best]))
            best = d;
    return best;
}

static void share(FILE *out, const report_answer *a, int64_t k, int64_t d, double top)
{
    const int64_t at = k * a->columns + d;

    page_wrap(out, "<tr><th scope=\"row\" class=\"name\">", a->column[d], "</th>");
    fprintf(out,
            "<td class=\"n\">%s&nbsp;%%</td><td style=\"width:45%%\"><span style=\"display:block;"
            "height:.8em;width:%.1f%%;background:%s\"></span></td></tr>\n",
            page_figures_of(100 * a->mean[at], 3).s, top > 0 ? 100 * a->mean[at] / top : 0,
            page_component_colour(k));
}

static void part(FILE *out, const report_answer *a, int64_t k)
{
    const double *x = a->mean + k * a->columns;
    double        below = PAGE_INF, top = 0;
    int64_t       d = -1;

    fprintf(out, "<li><span class=\"dot\" style=\"--c:%s\"></span>", page_component_colour(k));
    page_wrap(out, "<b>", a->name ? a->name[k] : "", "</b>");
    if (a->weight)
        fprintf(out, "<br>%s&nbsp;%%", page_figures_of(100 * a->weight[k], 3).s);
    if (a->rows && isfinite(a->rows[k]))
        fprintf(out, ", %s %s", page_fixed(a->rows[k], 0).s, report_counted(a));
    fputs("<table style=\"width:100%\">\n", out);
    for (int i = 0; i < SHOWN && (d = next(a->columns, x, below, d)) >= 0; i++) {
        top = i ? top : x[d];
        share(out, a, k, d, top);
        below = x[d];
    }
    fputs("</table></li>\n", out);
}

void report_ranked(FILE *out, const report_answer *a)
{
    double  below = PAGE_INF;
    int64_t k = -1, shown = 0;

    fputs("<ul class=\"panels\" style=\"list-style:none;padding:0\">\n", out);
    for (; shown < MOST && (k = next(a->parts, a->weight, below, k)) >= 0; shown++) {
        part(out, a, k);
        below = a->weight[k];
    }
    fputs("</ul>\n", out);
    if (shown < a->parts)
        fprintf(out, "<p>The %lld of %lld of largest weight; all are in the posterior file.</p>\n",
                (long long)shown, (long long)a->parts);
    page_wrap(out, "<p>Of each ", a->part, " the largest expected shares, largest first.");
    if (a->groups_seen > 0)
        fprintf(out,
                " Local iterations of %lld groups of rows: mean %.1f, most %lld; %lld reached the "
                "limit of %lld.",
                (long long)a->groups_seen, a->iterations, (long long)a->most_iterations,
                (long long)a->capped, (long long)a->iteration_limit);
    fputs("</p>\n", out);
}
