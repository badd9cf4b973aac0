/* fig_sweep.c - the lower bound over the number of components, when several were tried. */
#include "report/answer.h"

#include <math.h>
#include <string.h>

enum { HEIGHT = 285 };

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

/* One curve: of an algorithm, or of a form of the covariance. */
typedef struct line {
    const report_algo *algo;
    const char        *form; /* NULL: one was asked for */
    const char        *label, *colour;
    int64_t            points; /* with a bound */
} line;

static int is_of(const mb_json *v, const line *l)
{
    const char *name = mb_json_at(v, "algorithm")->text;
    const char *form = mb_json_at(v, "covariance_type")->text;

    return name && !strcmp(name, l->algo->name) && !form == !l->form &&
           (!form || !strcmp(form, l->form));
}

/* The curves in the order of the algorithms, then of the records; returns how many. all: room for
 * as many as there are records. */
static int32_t lines_of(const report *r, line *all)
{
    const mb_json *c = curve(r);
    int32_t        n = 0;

    for (int32_t k = 0; k < r->nalgo; k++)
        for (size_t i = 0; i < c->n; i++) {
            const char *form = mb_json_at(&c->item[i], "covariance_type")->text;
            line        l = {.algo = &r->algo[k], .form = form};
            int32_t     at = 0;

            while (at < n && !is_of(&c->item[i], &all[at]))
                at++;
            if (at < n || !is_of(&c->item[i], &l))
                continue;
            l.label = form ? form : r->algo[k].label;
            l.colour = form ? page_component_colour(n) : r->algo[k].colour;
            all[n++] = l;
        }
    return n;
}

/* The points of a curve as the block $b<k>. */
static void block(const report *r, int32_t k, line *l)
{
    const mb_json *c = curve(r);

    fprintf(r->page.script, "$b%d << EOD\n", (int)k);
    for (size_t i = 0; i < c->n; i++) {
        const double bound = number(&c->item[i], "bound");

        if (!is_of(&c->item[i], l) || !isfinite(bound))
            continue;
        fprintf(r->page.script, "%.0f %.12g\n", number(&c->item[i], "components"), bound);
        l->points++;
    }
    fputs("EOD\n", r->page.script);
}

/* Room for every point, and ticks at whole numbers of components. */
static void frame_of(const report *r)
{
    const mb_json *c = curve(r);
    double         x[2] = {PAGE_INF, -PAGE_INF}, y[2] = {PAGE_INF, -PAGE_INF};

    for (size_t i = 0; i < c->n; i++) {
        const double K = number(&c->item[i], "components"), bound = number(&c->item[i], "bound");

        x[0] = fmin(x[0], K - 0.3);
        x[1] = fmax(x[1], K + 0.3);
        y[0] = isfinite(bound) ? fmin(y[0], bound) : y[0];
        y[1] = isfinite(bound) ? fmax(y[1], bound) : y[1];
    }
    const double margin = y[1] > y[0] ? 0.06 * (y[1] - y[0]) : 1;

    y[0] -= margin;
    y[1] += margin;
    page_plot_frame(r->page.script, x, isfinite(y[0]) ? y : NULL);
    if (x[1] - x[0] < 9) /* of few, every one has its tick */
        fputs("set xtics 1\n", r->page.script);
}

static int key_lines(const line *all, int32_t n)
{
    page_key key = {0};

    for (int32_t k = 0; k < n; k++)
        page_key_add(&key, all[k].label);
    return page_key_lines(&key);
}

static void draw(const report *r, int32_t k, const line *l)
{
    FILE *out = r->page.script;

    fprintf(out, ", $b%d using 1:2 with linespoints %s lc '%s' ", (int)k,
            l->algo->central && r->nalgo > 1 ? "pt 7 ps 0.35 lw 1.8 dt 2" : "pt 7 ps 0.7 lw 2.2",
            l->colour);
    if (r->alone && !l->form) {
        fputs("notitle", out);
        return;
    }
    fputs("title ", out);
    page_plot_quote(out, l->label);
}

mb_status report_fig_sweep(report *r, mb_err *err)
{
    FILE        *out = r->page.script;
    page_figure *fig;
    line        *all;

    if (!curve(r))
        return MB_OK;
    MB_NEW(all, r->page.a, curve(r)->n, err);
    const int32_t n = lines_of(r, all);
    const int     lines = key_lines(all, n);

    fig = page_figure_new(&r->page, "components", "The number of components");
    fig->within = 1;
    fig->wide = 1;
    fig->caption = "The lower bound that each number of components reached; the dashed line is the "
                   "number chosen. Higher is better.";
    MB_TRY(page_plot_panel(&r->page, fig, "components", "lower bound over K",
                           HEIGHT + PAGE_KEY_LINE * lines, err));
    page_plot_labels(out, "components K", "lower bound (nats)");
    for (int32_t k = 0; k < n; k++)
        block(r, k, &all[k]);
    const double chosen = number(mb_json_at(r->summary, "components"), "chosen");

    frame_of(r);
    page_plot_key(out, lines);
    fputs("set rmargin 2\n", out);
    if (isfinite(chosen))
        fprintf(out, "set arrow from %g, graph 0 to %g, graph 1 nohead lc '#888888' dt 2\n", chosen,
                chosen);
    fputs("plot 1/0 notitle", out);
    for (int above = 0; above < 2; above++) /* central VB, which others often equal */
        for (int32_t k = 0; k < n; k++)
            if (all[k].points && all[k].algo->central == above)
                draw(r, k, &all[k]);
    fputc('\n', out);
    return MB_OK;
}

static void row(FILE *out, const report *r, const mb_json *v, double chosen)
{
    const char  *form = mb_json_at(v, "covariance_type")->text;
    const char  *best = mb_json_at(mb_json_at(r->summary, "components"), "covariance_type")->text;
    const int    hit = !form || !best || !strcmp(form, best);
    const double K = number(v, "components"), left = number(v, "left");
    const char  *name = mb_json_at(v, "algorithm")->text, *verdict = mb_json_at(v, "verdict")->text;
    const char  *label = name ? name : "", *colour = "#000000";

    if (name)
        page_look(name, &label, &colour);
    fputs("<tr>", out);
    if (!r->alone) {
        fprintf(out, "<th scope=\"row\"><span class=\"dot\" style=\"--c:%s\"></span>", colour);
        page_wrap(out, "", label, "</th>");
    }
    if (form)
        page_wrap(out, "<th scope=\"row\">", form, "</th>");
    fprintf(out, "<td%s>%.0f</td><td>%s</td><td>%s</td><td>%s</td>",
            hit && K >= chosen && K <= chosen ? " class=\"hit\"" : "", K, page_num(left, 6).s,
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
    fputs("<div class=\"scroll\"><table class=\"cross\">\n<thead><tr>", out);
    if (!r->alone)
        fputs("<th scope=\"col\" class=\"text\">algorithm</th>", out);
    if (mb_json_at(&c->item[0], "covariance_type")->text)
        fputs("<th scope=\"col\" class=\"text\">covariance</th>", out);
    fputs("<th scope=\"col\">K</th><th scope=\"col\">left</th><th scope=\"col\">lower bound</th>"
          "<th scope=\"col\">smallest weight</th><th scope=\"col\">starts that agree</th>"
          "<th scope=\"col\">rounds</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < c->n; i++)
        row(out, r, &c->item[i], number(mb_json_at(r->summary, "components"), "chosen"));
    fputs("</tbody></table></div>\n", out);
}
