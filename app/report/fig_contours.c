/* fig_contours.c - the data on two columns (or one) and every node's components over it. */
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 350, FAINT_ROWS = 450, DRAWN_NODES = 40, LEGEND = 8, SAMPLES = 121, BINS = 40 };
#define LIGHT 0.01 /* a component lighter than this has no rows: its shape is the prior's */

typedef struct frame {
    double lo[2], hi[2];
} frame;

static int is_mean(const report_shape *s)
{
    return s->algo->central || !strcmp(s->node, "mean");
}

/* Room for the ellipses of the means, up to the size of the data on each side. */
static void widen(const report *r, frame *f)
{
    const frame rows = *f;

    for (int64_t k = 0; k < r->nshape; k++) {
        const report_shape *s = &r->shape[k];
        const double        mid[2] = {s->mx, s->my}, var[2] = {s->sxx, s->syy};

        if (!is_mean(s) || s->weight < LIGHT)
            continue;
        for (int d = 0; d < r->ncol; d++) {
            const double size = rows.hi[d] - rows.lo[d], reach = 2 * sqrt(fmax(var[d], 0));

            f->lo[d] = fmin(f->lo[d], fmax(mid[d] - reach, rows.lo[d] - size));
            f->hi[d] = fmax(f->hi[d], fmin(mid[d] + reach, rows.hi[d] + size));
        }
    }
}

static frame bounds(const report *r)
{
    frame f = {{PAGE_INF, PAGE_INF}, {-PAGE_INF, -PAGE_INF}};

    for (int64_t j = 0; j < r->nrow; j++)
        for (int d = 0; d < 2; d++) {
            f.lo[d] = fmin(f.lo[d], r->row[2 * j + d]);
            f.hi[d] = fmax(f.hi[d], r->row[2 * j + d]);
        }
    widen(r, &f);
    for (int d = 0; d < 2; d++) {
        const double size = f.hi[d] - f.lo[d];
        const double margin = size > 0 ? 0.05 * size : 1;

        f.lo[d] -= margin;
        f.hi[d] += margin;
    }
    return f;
}

static void axes(const report *r, const frame *f)
{
    FILE *out = r->page.script;

    fputs("set xlabel ", out);
    page_plot_quote(out, r->col[0]);
    fputs("\nset ylabel ", out);
    page_plot_quote(out, r->ncol > 1 ? r->col[1] : "density");
    fprintf(out, "\nset xrange [%.9g:%.9g]\nset format '%%g'\n", f->lo[0], f->hi[0]);
    if (r->ncol > 1)
        fprintf(out, "set yrange [%.9g:%.9g]\n", f->lo[1], f->hi[1]);
    else
        fputs("set yrange [0:*]\n", out);
    fputs("set lmargin 8\nset rmargin 1.5\nset tmargin 0.8\nset bmargin 6\n"
          "set key bmargin center horizontal Left reverse samplen 1 height 0.6\n"
          "set style fill solid 0.5 noborder\n",
          out);
}

/* At most `most` rows, evenly taken, as the block `name`; group >= 0: only rows of that group. */
static void rows(const report *r, const char *name, const int32_t *of, int32_t group, int64_t most)
{
    const int64_t n = r->nrow < most ? r->nrow : most;

    fprintf(r->page.script, "$%s << EOD\n", name);
    for (int64_t k = 0; k < n; k++) {
        const int64_t j = k * r->nrow / n;

        if (!of || of[j] == group)
            fprintf(r->page.script, "%.6g %.6g\n", r->row[2 * j], r->row[2 * j + 1]);
    }
    fputs("EOD\n", r->page.script);
}

/* Heights of bars whose areas add up to the group's share of the rows. */
static void bars(const report *r, const char *name, const int32_t *of, int32_t group,
                 const frame *f)
{
    const double width = (f->hi[0] - f->lo[0]) / BINS;
    int64_t      count[BINS] = {0};

    for (int64_t j = 0; j < r->nrow; j++)
        if (!of || of[j] == group) {
            const int b = (int)((r->row[2 * j] - f->lo[0]) / width);

            count[b < 0 ? 0 : b >= BINS ? BINS - 1 : b]++;
        }
    fprintf(r->page.script, "$%s << EOD\n", name);
    for (int b = 0; b < BINS; b++)
        fprintf(r->page.script, "%.9g %.9g %.9g\n", f->lo[0] + (b + 0.5) * width,
                (double)count[b] / ((double)r->nrow * width), 0.94 * width);
    fputs("EOD\n", r->page.script);
}

/* The rows in colours of the groups 0 .. count-1; text: their names. */
static mb_status data_panel(report *r, page_figure *fig, const char *name, const char *title,
                            const int32_t *of, int32_t count, const char *const *text,
                            const frame *f, mb_err *err)
{
    const double size = r->nrow > 1000 ? 0.22 : r->nrow > 300 ? 0.32 : 0.42;
    char         block[24];

    MB_TRY(page_plot_panel(&r->page, fig, name, title, HEIGHT, err));
    axes(r, f);
    for (int32_t g = 0; g < count; g++) {
        snprintf(block, sizeof block, "g%d", (int)g);
        if (r->ncol > 1)
            rows(r, block, of, g, INT64_MAX);
        else
            bars(r, block, of, g, f);
    }
    fputs("plot ", r->page.script);
    for (int32_t g = 0; g < count; g++) {
        fprintf(r->page.script, "%s1/0 with points pt 7 ps 0.7 lc '%s' title ", g ? ", " : "",
                page_component_colour(g));
        page_plot_quote(r->page.script, text[g]);
        fprintf(r->page.script,
                r->ncol > 1 ? ", $g%d using 1:2 with points pt 7 ps %g lc '%s' notitle"
                            : ", $g%d using 1:2:3 with boxes lw %g lc '%s' notitle",
                (int)g, size, page_component_colour(g));
    }
    fputc('\n', r->page.script);
    return MB_OK;
}

static mb_status by_component(report *r, page_figure *fig, const frame *f, mb_err *err)
{
    const char **text;
    int32_t     *of, count = 0;

    MB_NEW(of, r->page.a, r->nrow + 1, err);
    for (int64_t j = 0; j < r->nrow; j++) { /* components count from 1 */
        of[j] = (r->component[j] > 0 ? r->component[j] - 1 : 0) % 64;
        if (of[j] >= count)
            count = of[j] + 1;
    }
    MB_NEW(text, r->page.a, count + 1, err);
    for (int32_t g = 0; g < count; g++) {
        text[g] = mb_text(r->page.a, err, "%d", (int)g + 1);
        if (!text[g])
            return MB_E_NOMEM;
    }
    return data_panel(r, fig, "data-components", "data, by component found", of, count, text, f,
                      err);
}

/* Only with labels, and not more of them than colours. */
static mb_status by_label(report *r, page_figure *fig, const frame *f, mb_err *err)
{
    const char *text[LEGEND];
    int32_t    *of, count = 0, g;

    MB_NEW(of, r->page.a, r->nrow + 1, err);
    for (int64_t j = 0; j < r->nrow; j++) {
        if (!*r->label[j])
            return MB_OK;
        for (g = 0; g < count && strcmp(text[g], r->label[j]) != 0; g++)
            ;
        if (g == LEGEND)
            return MB_OK;
        if (g == count)
            text[count++] = r->label[j];
        of[j] = g;
    }
    return data_panel(r, fig, "data-labels", "data, by true class", of, count, text, f, err);
}

/* One closed curve of 2 standard deviations. */
static void ring(FILE *out, const report_shape *s, int32_t count)
{
    const double mean[2] = {s->mx, s->my}, cov[3] = {s->sxx, s->sxy, s->syy};
    double       xy[2 * 64];

    page_ellipse(mean, cov, 2, count, xy);
    for (int32_t j = 0; j < count; j++)
        fprintf(out, "%.5g %.5g\n", xy[2 * j], xy[2 * j + 1]);
    fputc('\n', out);
}

/* The density on one column of the posterior that begins at shape `first`. */
static int64_t hill(const report *r, int64_t first, const frame *f)
{
    int64_t last = first;

    while (last < r->nshape && r->shape[last].algo == r->shape[first].algo &&
           !strcmp(r->shape[last].node, r->shape[first].node))
        last++;
    for (int j = 0; j < SAMPLES; j++) {
        const double x = f->lo[0] + (f->hi[0] - f->lo[0]) * j / (SAMPLES - 1);
        double       y = 0;

        for (int64_t k = first; k < last; k++)
            if (r->shape[k].sxx > 0)
                y += r->shape[k].weight * page_density(x, r->shape[k].mx, r->shape[k].sxx);
        fprintf(r->page.script, "%.5g %.5g\n", x, y);
    }
    fputc('\n', r->page.script);
    return last;
}

/* How many nodes' shapes an algorithm has. */
static int64_t nodes_of(const report *r, const report_algo *a)
{
    int64_t     count = 0;
    const char *node = "";

    for (int64_t k = 0; k < r->nshape; k++)
        if (r->shape[k].algo == a && !is_mean(&r->shape[k]) && strcmp(r->shape[k].node, node)) {
            node = r->shape[k].node;
            count++;
        }
    return count;
}

/* Blocks: `name` then a component's number for ellipses (K of them), or `name` 0 for densities.
 * Every `step`-th node is drawn. Returns how many shapes were drawn. */
static int64_t shapes(const report *r, const char *name, const report_algo *a, int mean,
                      int32_t component, int64_t step, const frame *f)
{
    const int32_t count = nodes_of(r, a) > 12 && !mean ? 33 : 49;
    const char   *node = "";
    int64_t       seen = -1, drawn = 0;

    fprintf(r->page.script, "$%s%d << EOD\n", name, (int)component);
    for (int64_t k = 0; k < r->nshape; k++) {
        const report_shape *s = &r->shape[k];
        const int           new_node = strcmp(s->node, node) != 0;

        if (s->algo != a || is_mean(s) != mean)
            continue;
        seen += new_node || seen < 0;
        node = s->node;
        if (seen % step)
            continue;
        if (r->ncol < 2) {
            k = hill(r, k, f) - 1;
            drawn++;
        } else if (s->component == component && s->weight >= LIGHT) {
            ring(r->page.script, s, count);
            drawn++;
        }
    }
    fputs("EOD\n", r->page.script);
    return drawn;
}

static int32_t components(const report *r)
{
    int32_t K = 0;

    for (int64_t k = 0; k < r->nshape && r->ncol > 1; k++)
        if (r->shape[k].component > K && r->shape[k].component < 4096)
            K = r->shape[k].component;
    return K;
}

static const report_algo *central(const report *r)
{
    for (int64_t k = 0; k < r->nshape; k++)
        if (r->shape[k].algo->central)
            return r->shape[k].algo;
    return NULL;
}

/* Blocks first, then one plot command over those that are not empty. */
static mb_status overlay(report *r, const report_algo *a, int64_t step, const frame *f, mb_err *err)
{
    static const char *const block[] = {"n", "m", "v"};
    static const char *const style[] = {"lw 0.6 lc", "lw 2.6 lc", "lw 1.6 dt 2 lc"};
    const report_algo       *cvb = central(r), *of[] = {a, a, cvb};
    const int32_t            K = components(r), first = K ? 1 : 0;
    char                    *text = NULL;
    size_t                   len;
    FILE                    *plot = open_memstream(&text, &len);

    if (!plot)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the figure of %s", a->name);
    for (int what = 0; what < 3; what++)
        for (int32_t k = first; k <= K && of[what]; k++)
            if (shapes(r, block[what], of[what], what > 0, k, what ? 1 : step, f))
                fprintf(plot, ", $%s%d using 1:2 with lines %s '%s' notitle", block[what], (int)k,
                        style[what],
                        what == 2 ? "#000000"
                        : K       ? page_component_colour(k - 1)
                                  : a->colour);
    if (ferror(plot) | fclose(plot)) {
        free(text);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the figure of %s", a->name);
    }
    fputs(r->ncol > 1 ? "plot $all using 1:2 with points pt 7 ps 0.22 lc '#c9ced6' notitle"
                      : "plot $all using 1:2:3 with boxes lc '#dfe3e8' notitle",
          r->page.script);
    fputs(text, r->page.script);
    fprintf(r->page.script,
            ", 1/0 with lines lw 0.8 lc '#666666' title 'nodes', 1/0 with lines lw 2.6 "
            "lc '#666666' title 'network mean'");
    if (cvb)
        fputs(", 1/0 with lines lw 1.6 dt 2 lc '#000000' title 'central VB'", r->page.script);
    fputc('\n', r->page.script);
    free(text);
    return MB_OK;
}

static mb_status algo_panel(report *r, page_figure *fig, const report_algo *a, const frame *f,
                            mb_err *err)
{
    const int64_t n = nodes_of(r, a);
    const int64_t step = n > DRAWN_NODES ? (n + DRAWN_NODES - 1) / DRAWN_NODES : 1;

    MB_TRY(page_plot_panel(&r->page, fig, mb_text(r->page.a, err, "contours-%s", a->name), a->label,
                           HEIGHT, err));
    axes(r, f);
    fputs("set key maxcols 2 width -1\n", r->page.script);
    if (r->ncol > 1)
        rows(r, "all", NULL, -1, FAINT_ROWS);
    else
        bars(r, "all", NULL, -1, f);
    return overlay(r, a, step, f, err);
}

mb_status report_fig_contours(report *r, mb_err *err)
{
    page_figure *fig = page_figure_new(&r->page, "contours", "Components over the data");
    int          thinned = 0;

    if (!r->nrow || !r->ncol) {
        fig->absent = "There is no view of the data in this folder (<code>view_rows.csv</code>): "
                      "no algorithm ended with a valid answer, or the file was removed. Run "
                      "<code>meshbayes sim</code> again.";
        return MB_OK;
    }
    const frame f = bounds(r);

    MB_TRY(by_component(r, fig, &f, err));
    MB_TRY(by_label(r, fig, &f, err));
    for (int32_t k = 0; k < r->nalgo && fig->npanel < PAGE_PANELS; k++)
        if (!r->algo[k].central && nodes_of(r, &r->algo[k])) {
            thinned |= nodes_of(r, &r->algo[k]) > DRAWN_NODES;
            MB_TRY(algo_panel(r, fig, &r->algo[k], &f, err));
        }
    fig->caption = mb_text(
        r->page.a, err,
        "%s Thin: every node; thick: the network mean; dashed: central VB. %s%s Curves that "
        "leave the picture are cut at its frame.",
        r->ncol > 1
            ? "Each component is drawn as the ellipse of two standard deviations around its "
              "mean, on the two columns named at the axes; grey dots are rows."
            : "The density each answer gives to the column named at the axis; bars are the "
              "rows.",
        r->ncol > 1 ? "Components that hold less than 1 % of the rows are left out." : "",
        thinned ? " Of many nodes, at most 40 evenly chosen ones are drawn." : "");
    return fig->caption ? MB_OK : MB_E_NOMEM;
}
