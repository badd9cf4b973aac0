/* loadings.c - what factors say of the columns: a table of their correlations, shaded by size, and how
 * much of each column is noise. */
#include "report/answer.h"

#include <math.h>

enum { LINES = 60 };

static const double FADED = 1e-3; /* the share below which a factor explains nothing */

/* The variance of column d. */
static double variance(const report_answer *a, int64_t d)
{
    double sum = a->rest[d] * a->rest[d];

    for (int64_t k = 0; k < a->parts; k++)
        sum += a->mean[k * a->columns + d] * a->mean[k * a->columns + d];
    return sum;
}

/* The correlation of factor k and column d. */
static double correlation(const report_answer *a, int64_t k, int64_t d)
{
    return a->mean[k * a->columns + d] / sqrt(variance(a, d));
}

/* The share of factor k of the variance of a column, mean over the columns. */
static double share(const report_answer *a, int64_t k)
{
    double sum = 0;

    for (int64_t d = 0; d < a->columns; d++)
        sum += correlation(a, k, d) * correlation(a, k, d);
    return sum / (double)a->columns;
}

/* Blue above 0, red below, pale near it; the text stays dark on all of them. */
static void cell(FILE *out, double r)
{
    const double shown = fabs(r) < 0.005 ? 0 : r; /* no "-0.00" */

    fprintf(out, "<td class=\"n\" style=\"background:rgba(%s,%.2f)\">%s</td>",
            r < 0 ? "202,72,56" : "46,118,200", 0.55 * fmin(1, fabs(r)), page_fixed(shown, 2).s);
}

static void head(FILE *out, const report_answer *a)
{
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"text\">column</th>",
          out);
    for (int64_t k = 0; k < a->parts; k++)
        if (share(a, k) > FADED)
            fprintf(out, "<th scope=\"col\">factor %lld<br>%.1f&nbsp;%%</th>", (long long)k + 1,
                    100 * share(a, k));
    fputs("<th scope=\"col\">noise, sd</th><th scope=\"col\">noise, %</th></tr></thead>\n<tbody>\n",
          out);
}

static void line(FILE *out, const report_answer *a, int64_t d)
{
    fputs("<tr><th scope=\"row\" class=\"name\">", out);
    page_esc(out, a->column[d]);
    fputs("</th>", out);
    for (int64_t k = 0; k < a->parts; k++)
        if (share(a, k) > FADED)
            cell(out, correlation(a, k, d));
    fprintf(out, "<td class=\"n\">%s</td><td class=\"n\">%.0f</td></tr>\n",
            page_figures_of(a->rest[d], 3).s, 100 * a->rest[d] * a->rest[d] / variance(a, d));
}

void report_loadings_section(FILE *out, const report *r)
{
    const report_answer *a = r->answer;

    if (!a || !a->rest)
        return;
    fputs(
        "<section id=\"loadings\"><h2>Factors and columns</h2>\n<p>The correlation of each column "
        "with each factor that explains something: near 1 or -1 the column follows the factor, "
        "near 0 it says nothing of it. Under each factor is the share of the columns' variance "
        "that it explains, on average; noise is what no factor explains of a column.</p>\n",
        out);
    head(out, a);
    for (int64_t d = 0; d < a->columns && d < LINES; d++)
        line(out, a, d);
    fputs("</tbody></table></div>\n", out);
    if (a->columns > LINES)
        fprintf(out, "<p>The first %d of %lld columns; <code>answer.json</code> has all.</p>\n",
                LINES, (long long)a->columns);
    fputs("</section>\n", out);
}
