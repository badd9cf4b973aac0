/* fig_sweep.c - the lower bound over the number of components, when several were tried. */
#include "report/answer.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = 300 };

static double number(const mb_json *o, const char *key)
{
    const mb_json *v = mb_json_at(o, key);

    return v->type == MB_JSON_REAL || v->type == MB_JSON_INTEGER ? v->number : PAGE_NAN;
}

static const mb_json *curve(const report *r)
{
    const mb_json *c = mb_json_at(mb_json_at(r->summary, "components"), "curve");

    return c->type == MB_JSON_LIST && c->n > 1 ? c : NULL;
}

/* The points of one algorithm as the block $b<k>; returns how many have a bound. */
static int64_t block(const report *r, int32_t k)
{
    const mb_json *c = curve(r);
    int64_t        n = 0;

    fprintf(r->page.script, "$b%d << EOD\n", (int)k);
    for (size_t i = 0; i < c->n; i++) {
        const char  *name = mb_json_at(&c->item[i], "algorithm")->text;
        const double bound = number(&c->item[i], "bound");

        if (!name || strcmp(name, r->algo[k].name) != 0 || !isfinite(bound))
            continue;
        fprintf(r->page.script, "%.0f %.12g\n", number(&c->item[i], "components"), bound);
        n++;
    }
    fputs("EOD\n", r->page.script);
    return n;
}

mb_status report_fig_sweep(report *r, mb_err *err)
{
    FILE        *out = r->page.script;
    page_figure *fig;
    int64_t     *count;

    if (!curve(r))
        return MB_OK;
    MB_NEW(count, r->page.a, r->nalgo, err);
    fig = page_figure_new(&r->page, "components", "The number of components");
    fig->within = 1;
    fig->wide = 1;
    fig->caption = "The lower bound that each number of components reached; the dashed line is the "
                   "number chosen. Higher is better.";
    MB_TRY(page_plot_panel(&r->page, fig, "components", "lower bound over K", HEIGHT, err));
    page_plot_labels(out, "components K", "lower bound (nats)");
    for (int32_t k = 0; k < r->nalgo; k++)
        count[k] = block(r, k);
    const double chosen = number(mb_json_at(r->summary, "components"), "chosen");

    fputs("set lmargin 11\nset rmargin 2\nset bmargin 5.5\nset ylabel offset -1.2,0\nset format "
          "'%g'\n"
          "set xtics 1\nset autoscale xfixmin\nset autoscale xfixmax\nset offsets 0.3,0.3,0,0\n"
          "set key bmargin center horizontal Left reverse samplen 2\n",
          out);
    if (mb_json_at(mb_json_at(r->summary, "components"), "curve")->n > 12)
        fputs("set xtics autofreq\n", out);
    if (isfinite(chosen))
        fprintf(out, "set arrow from %g, graph 0 to %g, graph 1 nohead lc '#888888' dt 2\n", chosen,
                chosen);
    fputs("plot 1/0 notitle", out);
    for (int32_t k = 0; k < r->nalgo; k++)
        if (count[k]) {
            fprintf(out, ", $b%d using 1:2 with linespoints pt 7 ps 0.6 lw 1.8 lc '%s' title ",
                    (int)k, r->algo[k].colour);
            page_plot_quote(out, r->algo[k].label);
        }
    fputc('\n', out);
    return MB_OK;
}

static void row(FILE *out, const mb_json *v, double chosen)
{
    const double K = number(v, "components"), left = number(v, "left");
    const char  *name = mb_json_at(v, "algorithm")->text, *verdict = mb_json_at(v, "verdict")->text;

    page_wrap(out, "<tr><th scope=\"row\">", name ? name : "", "</th>");
    fprintf(out, "<td%s>%.0f</td><td>%s</td><td>%s</td><td>%s</td>",
            K >= chosen && K <= chosen ? " class=\"hit\"" : "", K, page_num(left, 6).s,
            page_fixed(number(v, "bound"), 3).s, page_num(number(v, "smallest_weight"), 3).s);
    fprintf(out, "<td>%s of %s</td><td>%s</td>", page_num(number(v, "at_best"), 6).s,
            page_num(number(v, "attempts"), 6).s, page_num(number(v, "rounds"), 9).s);
    page_wrap(out, "<td class=\"w\">", verdict ? verdict : "", "</td></tr>\n");
}

void report_sweep_table(FILE *out, const report *r)
{
    const mb_json *c = curve(r);

    if (!c)
        return;
    fputs(
        "<div class=\"scroll\"><table class=\"cross\">\n<thead><tr><th scope=\"col\" "
        "class=\"text\">"
        "algorithm</th><th scope=\"col\">K</th><th scope=\"col\">left</th><th scope=\"col\">lower "
        "bound</th><th scope=\"col\">smallest weight</th><th scope=\"col\">starts that agree</th>"
        "<th scope=\"col\">rounds</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t i = 0; i < c->n; i++)
        row(out, &c->item[i], number(mb_json_at(r->summary, "components"), "chosen"));
    fputs("</tbody></table></div>\n", out);
}
