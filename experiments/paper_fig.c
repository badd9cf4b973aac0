/* paper_fig.c - what the figures of the experiments have in common. */
#include "paper_fig.h"
#include "base/text.h"

#include <string.h>

const char *const paper_names[PAPER_NAMES] = {
    [CVB] = "cvb",   [NONCOOP] = "noncoop", [NSG] = "nsg",  [DSVB] = "dsvb",
    [ADMM] = "admm", [EDGE] = "edge",       [FLOW] = "flow"};

paper_line paper_line_of(const char *algorithm)
{
    const char *label, *colour;

    page_look(algorithm, &label, &colour);
    return (paper_line){algorithm, "", label, colour, !strcmp(algorithm, "cvb")};
}

mb_status paper_figure(paper_figures *f, const paper_table *t, const char *id, const char *heading,
                       const char *caption, mb_err *err)
{
    const char *unique = mb_text(f->r->a, err, "%s-%s", t->row->name, id);

    if (!unique)
        return MB_E_NOMEM;
    f->f = page_figure_new(f->r, unique, heading);
    f->f->wide = 1;
    f->f->caption =
        mb_text(f->r->a, err, "%s %s%s %lld run%s, seeds %lld to %lld.", caption, t->row->setup,
                paper_networks_words(t->set), (long long)t->runs, t->runs == 1 ? "" : "s",
                (long long)t->set->seed, (long long)(t->set->seed + t->runs - 1));
    return f->f->caption ? MB_OK : MB_E_NOMEM;
}

mb_status paper_panel(paper_figures *f, const paper_table *t, const char *name, const char *title,
                      int height, mb_err *err)
{
    const char *unique = mb_text(f->r->a, err, "%s-%s", t->row->name, name);

    return unique ? page_plot_panel(f->r, f->f, unique, title, height, err) : MB_E_NOMEM;
}

mb_status paper_panel_of(paper_figures *f, const paper_table *t, paper_protocol p, const char *name,
                         const char *title, int height, mb_err *err)
{
    const char *full = mb_text(f->r->a, err, "%s-%s", name, paper_protocol_name[p]);
    const char *head = mb_text(f->r->a, err, "%s (protocol %s)", title, paper_protocol_name[p]);

    return full && head ? paper_panel(f, t, full, head, height, err) : MB_E_NOMEM;
}

static void number(FILE *out, double x)
{
    fprintf(out, isfinite(x) ? " %.9g" : " NaN", x);
}

static int is_point(const paper_group *g, paper_protocol p, const char *quantity,
                    const paper_line *line)
{
    return g->protocol == p && !isnan(g->key.x) && !strcmp(g->key.algorithm, line->algorithm) &&
           !strcmp(g->key.quantity, quantity) && !strcmp(g->key.part, line->part);
}

/* The block of a line: x, median, quartiles. Returns how many points have a value. */
static int block(FILE *out, const paper_table *t, paper_protocol p, const paper_axes *axes,
                 const paper_line *line, int k)
{
    int points = 0;

    fprintf(out, "$l%d << EOD\n", k);
    for (int64_t j = 0; j < t->count; j++) {
        const paper_group  *g = &t->group[j];
        const paper_number *n = &g->key;
        double              x = n->x;

        if (!is_point(g, p, axes->quantity, line))
            continue;
        if (axes->xof)
            x = paper_stat_at(t, p, n->algorithm, axes->xof, n->part, n->x).median;
        if (!isfinite(x) || x <= 0)
            continue;
        number(out, x);
        number(out, fmax(g->stat.median, axes->floor));
        number(out, fmax(g->stat.low, axes->floor));
        number(out, fmax(g->stat.high, axes->floor));
        fputc('\n', out);
        points += isfinite(g->stat.median);
    }
    fputs("EOD\n", out);
    return points;
}

/* Does the line have numbers under the protocol? */
static int drawn(const paper_table *t, paper_protocol p, const char *quantity,
                 const paper_line *line)
{
    for (int64_t j = 0; j < t->count; j++)
        if (is_point(&t->group[j], p, quantity, line))
            return 1;
    return 0;
}

/* Lines of the key under the picture; 0: nothing is drawn. */
static int key_lines(const paper_table *t, paper_protocol p, const char *quantity,
                     const paper_line *line, int count)
{
    page_key key = {0};

    for (int k = 0; k < count; k++)
        if (drawn(t, p, quantity, &line[k]))
            page_key_add(&key, line[k].label);
    return page_key_lines(&key);
}

static void set_axes(FILE *out, const paper_axes *a, int keys)
{
    fputs("set xlabel ", out);
    page_plot_quote(out, a->x);
    fputs("\nset ylabel ", out);
    page_plot_quote(out, a->y);
    fputc('\n', out);
    page_plot_key(out, keys);
    fputs("set lmargin 9\nset rmargin 3.5\nset tmargin 0.8\nset logscale xy\nset format y "
          "'10^{%T}'\n",
          out);
    if (a->more)
        fprintf(out, "%s\n", a->more);
}

/* Bands first: they lie underneath. */
static void plot(FILE *out, const paper_line *line, int count, const int *points)
{
    const char *separator = "plot ";

    for (int k = 0; k < count; k++)
        if (points[k] > 1) {
            fprintf(out,
                    "%s$l%d using 1:3:4 with filledcurves fc rgb '%s' fs transparent solid 0.16 "
                    "noborder notitle",
                    separator, k, line[k].colour);
            separator = ", ";
        }
    for (int k = 0; k < count; k++)
        if (points[k]) {
            fprintf(out, "%s$l%d using 1:2 with lines lw 2.2 dt %d lc '%s' title ", separator, k,
                    line[k].dash + 1, line[k].colour);
            page_plot_quote(out, line[k].label);
            separator = ", ";
        }
    fputs(*separator == 'p' ? "plot [1:2][1:2] NaN title 'no run has a value'\n" : "\n", out);
}

mb_status paper_panel_lines(paper_figures *f, const paper_table *t, paper_protocol p,
                            const char *name, const char *title, const paper_axes *axes,
                            const paper_line *line, int count, mb_err *err)
{
    int       points[16];
    const int keys = key_lines(t, p, axes->quantity, line, count);

    if (!keys)
        return MB_OK;
    MB_TRY(paper_panel_of(f, t, p, name, title, axes->height + PAGE_KEY_LINE * keys, err));
    set_axes(f->r->script, axes, keys);
    for (int k = 0; k < count; k++)
        points[k] = block(f->r->script, t, p, axes, &line[k], k);
    plot(f->r->script, line, count, points);
    return MB_OK;
}
