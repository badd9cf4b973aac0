/* groups.c - the effects in each group of rows, of a model in which they vary: a table, with the mean of
 * the target in the group beside. */
#include "report/answer.h"

enum { LINES = 48 };

static void interval(FILE *out, double mean, double low, double high)
{
    fprintf(out, "<td class=\"n pm\">%s (%s&nbsp;to&nbsp;%s)</td>", page_figures_of(mean, 3).s,
            page_figures_of(low, 3).s, page_figures_of(high, 3).s);
}

static void head(FILE *out, const report_groups *g, const char *target)
{
    fputs(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"text\">group</th><th "
        "scope=\"col\">rows</th>",
        out);
    page_wrap(out, "<th scope=\"col\">mean of ", target, "</th>");
    for (int64_t i = 0; i < g->effects; i++)
        if (g->input[i])
            page_wrap(out, "<th scope=\"col\">effect of ", g->effect[i], "</th>");
        else
            page_wrap(out, "<th scope=\"col\">", target,
                      g->centred ? " near the mean of the inputs</th>"
                                 : " where inputs are 0</th>");
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void line(FILE *out, const report_groups *g, int64_t k)
{
    fputs("<tr><th scope=\"row\" class=\"name\">", out);
    if (g->name && g->name[k])
        page_esc(out, g->name[k]);
    else
        fprintf(out, "%lld", (long long)k + 1);
    fprintf(out, "</th><td class=\"n\">%.0f</td><td class=\"n\">%s</td>", g->rows[k],
            page_figures_of(g->target_mean[k], 3).s);
    for (int64_t i = k * g->effects; i < (k + 1) * g->effects; i++)
        interval(out, g->mean[i], g->low[i], g->high[i]);
    fputs("</tr>\n", out);
}

void report_groups_section(FILE *out, const report *r)
{
    const report_groups *g = r->answer ? r->answer->groups : NULL;

    if (!g)
        return;
    fputs(
        "<section id=\"groups\"><h2>Groups</h2>\n<p>What varies in each group, with 95&nbsp;% "
        "intervals. The less the rows of a group say, the nearer its effects are to the mean over "
        "all groups; the mean of the rows themselves, at their own inputs, stands beside.</p>\n",
        out);
    head(out, g, r->answer->target[0]);
    for (int64_t k = 0; k < g->shown && k < LINES; k++)
        line(out, g, k);
    fputs("<tr><th scope=\"row\"><i>a new group</i></th><td></td><td></td>", out);
    for (int64_t i = 0; i < g->effects; i++)
        interval(out, g->new_mean[i], g->new_low[i], g->new_high[i]);
    fputs("</tr>\n</tbody></table></div>\n", out);
    if (g->count > LINES)
        fprintf(out, "<p>The first %d of %lld groups; <code>answer.json</code> has %lld.</p>\n",
                LINES, (long long)g->count, (long long)g->shown);
    fputs("</section>\n", out);
}
