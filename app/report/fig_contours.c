/* fig_contours.c - the data on one or two columns, and every node's components over them. */
#include "base/text.h"
#include "report/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 350, FAINT_ROWS = 450, SHOWN_NODES = 40, SAMPLES = 121, BINS = 40 };
#define LIGHT 0.01 /* a component lighter than this has no rows: its shape is the prior's */

typedef struct frame {
    double lo[2], hi[2];
} frame;

/* Room for the ellipses of the means, up to the size of the data on each side. */
static void widen(const report *r, frame *f)
{
    const frame rows = *f;

    for (int64_t k = 0; k < r->nshape; k++) {
        const report_shape *s = &r->shape[k];

        for (int d = 0; d < r->ncol && s->place < 0 && s->weight >= LIGHT; d++) {
            const double size = rows.hi[d] - rows.lo[d], reach = 2 * sqrt(fmax(s->cov[2 * d], 0));

            f->lo[d] = fmin(f->lo[d], fmax(s->mean[d] - reach, rows.lo[d] - size));
            f->hi[d] = fmax(f->hi[d], fmin(s->mean[d] + reach, rows.hi[d] + size));
        }
    }
}

static frame bounds(const report *r)
{
    frame f = {{PAGE_INF, PAGE_INF}, {-PAGE_INF, -PAGE_INF}};

    for (int64_t j = 0; j < r->nrow; j++)
        for (int d = 0; d < 2; d++) {
            f.lo[d] = fmin(f.lo[d], r->row[j].x[d]);
            f.hi[d] = fmax(f.hi[d], r->row[j].x[d]);
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

    page_plot_labels(out, r->col[0], r->ncol > 1 ? r->col[1] : "density");
    page_plot_frame(out, (double[]){f->lo[0], f->hi[0]},
                    r->ncol > 1 ? (double[]){f->lo[1], f->hi[1]} : NULL);
    page_plot_key(out, 2);
    fputs("set rmargin 1.5\nset tmargin 0.8\nset style fill solid 0.5 noborder\n", out);
}

/* Heights of bars whose areas add up to 1. */
static void bars(const report *r, const frame *f)
{
    const double width = (f->hi[0] - f->lo[0]) / BINS;
    int64_t      count[BINS] = {0};

    for (int64_t j = 0; j < r->nrow; j++) {
        const int b = (int)((r->row[j].x[0] - f->lo[0]) / width);

        count[b < 0 ? 0 : b >= BINS ? BINS - 1 : b]++;
    }
    for (int b = 0; b < BINS; b++)
        fprintf(r->page.script, "%.9g %.9g %.9g\n", f->lo[0] + (b + 0.5) * width,
                (double)count[b] / ((double)r->nrow * width), 0.94 * width);
}

/* The block $rows0: points, thinned evenly, or bars on one column. */
static void rows(const report *r, const frame *f)
{
    const int64_t n = r->nrow < FAINT_ROWS ? r->nrow : FAINT_ROWS;

    fputs("$rows0 << EOD\n", r->page.script);
    if (r->ncol < 2)
        bars(r, f);
    for (int64_t k = 0; k < n && r->ncol > 1; k++)
        fprintf(r->page.script, "%.6g %.6g\n", r->row[k * r->nrow / n].x[0],
                r->row[k * r->nrow / n].x[1]);
    fputs("EOD\n", r->page.script);
}

/* One closed curve of 2 standard deviations. */
static void ring(FILE *out, const report_shape *s, int32_t count)
{
    double xy[2 * 64];

    page_ellipse(s->mean, s->cov, 2, count, xy);
    for (int32_t j = 0; j < count; j++)
        fprintf(out, "%.5g %.5g\n", xy[2 * j], xy[2 * j + 1]);
    fputc('\n', out);
}

/* The density on one column of the posterior that begins at a shape; returns its last shape. */
static int64_t hill(const report *r, int64_t first, const frame *f)
{
    const report_shape *s = r->shape;
    int64_t             last = first;

    while (last + 1 < r->nshape && s[last + 1].algo == s[first].algo &&
           s[last + 1].place == s[first].place)
        last++;
    for (int j = 0; j < SAMPLES; j++) {
        const double x = f->lo[0] + (f->hi[0] - f->lo[0]) * j / (SAMPLES - 1);
        double       y = 0;

        for (int64_t k = first; k <= last; k++)
            if (s[k].cov[0] > 0)
                y += s[k].weight * page_density(x, s[k].mean[0], s[k].cov[0]);
        fprintf(r->page.script, "%.5g %.5g\n", x, y);
    }
    fputc('\n', r->page.script);
    return last;
}

/* Curves of one kind over the data. */
typedef struct layer {
    const char        *block, *style, *key;
    const report_algo *algo; /* NULL: none                        */
    int                mean; /* of the network mean, else of nodes */
} layer;

/* The block of a layer and a component (-1: densities); of many nodes, evenly chosen ones. Returns
 * how many curves there are. */
static int64_t curves(const report *r, const layer *l, int64_t component, const frame *f)
{
    const int64_t nodes = l->algo->nview;
    const int64_t step = l->mean ? 1 : (nodes + SHOWN_NODES - 1) / SHOWN_NODES;
    int64_t       count = 0;

    fprintf(r->page.script, "$%s%lld << EOD\n", l->block, (long long)component + 1);
    for (int64_t k = 0; k < r->nshape; k++) {
        const report_shape *s = &r->shape[k];

        if (s->algo != l->algo || (s->place < 0) != l->mean || s->place % step > 0)
            continue;
        if (r->ncol < 2) {
            k = hill(r, k, f);
            count++;
        } else if (s->component == component && s->weight >= LIGHT) {
            ring(r->page.script, s, nodes > 12 && !l->mean ? 33 : 49);
            count++;
        }
    }
    fputs("EOD\n", r->page.script);
    return count;
}

static int64_t components(const report *r)
{
    int64_t K = 0;

    for (int64_t k = 0; k < r->nshape && r->ncol > 1; k++)
        if (r->shape[k].component >= K && r->shape[k].component < 4096)
            K = r->shape[k].component + 1;
    return K;
}

/* Blocks first, then one plot command over those that are not empty. */
static mb_status overlay(report *r, const report_algo *a, const frame *f, mb_err *err)
{
    const report_algo *cvb = r->central && r->central->nview ? r->central : NULL;
    const layer        all[] = {
               {"n", "lw 0.6", "lw 0.8 lc '#666666' title 'nodes'", a, 0},
               {"m", "lw 2.6", "lw 2.6 lc '#666666' title 'network mean'", a, 1},
               {"v", "lw 1.6 dt 2", "lw 1.6 dt 2 lc '#000000' title 'central VB'", cvb, 1},
    };
    const layer  *end = all + (cvb ? 3 : 2);
    const int64_t K = components(r), first = K ? 0 : -1;
    FILE         *out = r->page.script;
    int64_t      *count, n = 0;

    MB_NEW(count, r->page.a, 3 * (K + 1), err);
    for (const layer *l = all; l < end; l++)
        for (int64_t k = first; k < K; k++)
            count[n++] = curves(r, l, k, f);
    fputs(r->ncol > 1 ? "plot $rows0 using 1:2 with points pt 7 ps 0.22 lc '#c9ced6' notitle"
                      : "plot $rows0 using 1:2:3 with boxes lc '#dfe3e8' notitle",
          out);
    n = 0;
    for (const layer *l = all; l < end; l++)
        for (int64_t k = first; k < K; k++)
            if (count[n++])
                fprintf(out, ", $%s%lld using 1:2 with lines %s lc '%s' notitle", l->block,
                        (long long)k + 1, l->style,
                        l->algo == cvb ? cvb->colour
                        : K            ? page_component_colour(k)
                                       : a->colour);
    for (const layer *l = all; l < end; l++)
        fprintf(out, ", 1/0 with lines %s", l->key);
    fputc('\n', out);
    return MB_OK;
}

static mb_status algo_panel(report *r, page_figure *fig, const report_algo *a, const frame *f,
                            mb_err *err)
{
    MB_TRY(page_plot_panel(&r->page, fig, mb_text(r->page.a, err, "contours-%s", a->name), a->label,
                           HEIGHT, err));
    axes(r, f);
    rows(r, f);
    return overlay(r, a, f, err);
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

    for (int32_t k = 0; k < r->nalgo && fig->npanel < PAGE_PANELS; k++)
        if (!r->algo[k].central && r->algo[k].nview) {
            thinned |= r->algo[k].nview > SHOWN_NODES;
            MB_TRY(algo_panel(r, fig, &r->algo[k], &f, err));
        }
    fig->caption = mb_text(
        r->page.a, err,
        "%s Thin: every node; thick: the network mean%s. %s%s Curves that "
        "leave the picture are cut at its frame.",
        r->ncol > 1 ? "Each component is the ellipse of two standard deviations around its "
                      "mean, on the two columns named at the axes; grey dots are rows."
                    : "The density each answer gives to the column named at the axis; bars are the "
                      "rows.",
        r->central && r->central->nview ? "; dashed: central VB" : "",
        r->ncol > 1 ? "Components that hold less than 1 % of the rows are left out." : "",
        thinned ? " At most 40 evenly chosen nodes are shown." : "");
    fig->caption = fig->caption ? report_caption(r, fig->caption, err) : NULL;
    return fig->caption ? MB_OK : MB_E_NOMEM;
}
