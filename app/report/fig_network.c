/* fig_network.c - the network, its nodes coloured by their disagreement. */
#include "report/parts.h"

#include <math.h>
#include <string.h>

enum { ID_NODES = 40, HEIGHT = 350 };
#define APART_FLOOR 1e-16 /* values below it are the rounding of a double */

/* Decades from the lowest to the highest disagreement over all algorithms: one scale for all. */
typedef struct decades {
    double lo, hi;
    int    floored; /* some node lies below the floor */
} decades;

static int shown(const report_algo *a)
{
    return a->apart && !a->failed && !a->central;
}

static decades range(const report *r)
{
    double lo = PAGE_INF, hi = 0;

    for (int32_t k = 0; k < r->nalgo; k++)
        for (int64_t i = 0; i < r->nnode && shown(&r->algo[k]); i++) {
            lo = fmin(lo, r->algo[k].apart[i]); /* fmin leaves NaN out */
            hi = fmax(hi, r->algo[k].apart[i]);
        }
    decades d = {-16, -16, lo < APART_FLOOR};

    if (lo <= hi) {
        d.lo = floor(log10(fmax(lo, APART_FLOOR)));
        d.hi = ceil(log10(fmax(hi, APART_FLOOR)));
    }
    d.hi = fmax(d.hi, d.lo + 1);
    return d;
}

/* The bounding box of the nodes with a margin; never of size 0. */
static void frame(const report *r)
{
    double lo[2] = {PAGE_INF, PAGE_INF}, hi[2] = {-PAGE_INF, -PAGE_INF};

    for (int64_t i = 0; i < r->nnode; i++)
        for (int d = 0; d < 2; d++) {
            lo[d] = fmin(lo[d], r->node[i].at[d]);
            hi[d] = fmax(hi[d], r->node[i].at[d]);
        }
    const double size = fmax(hi[0] - lo[0], hi[1] - lo[1]), margin = size > 0 ? 0.07 * size : 1;

    fprintf(r->page.script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", lo[0] - margin,
            hi[0] + margin, lo[1] - margin, hi[1] + margin);
}

/* $link: the links; $node: x, y, colour; $off: nodes outside the domain. Returns how many of the
 * latter two there are. */
static void blocks(const report *r, const report_algo *a, int64_t *known, int64_t *off)
{
    FILE *out = r->page.script;

    *known = *off = 0;
    fputs("$link << EOD\n", out);
    for (int64_t e = 0; e < r->nlink; e++) {
        const double *from = r->link[e].end[0]->at, *to = r->link[e].end[1]->at;

        fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", from[0], from[1], to[0], to[1]);
    }
    fputs("EOD\n$node << EOD\n", out);
    for (int64_t i = 0; i < r->nnode; i++)
        if (isfinite(a->apart[i])) {
            fprintf(out, "%.6g %.6g %.4f\n", r->node[i].at[0], r->node[i].at[1],
                    log10(fmax(a->apart[i], APART_FLOOR)));
            ++*known;
        }
    fputs("EOD\n$off << EOD\n", out);
    for (int64_t i = 0; i < r->nnode; i++)
        if (a->off[i]) {
            fprintf(out, "%.6g %.6g\n", r->node[i].at[0], r->node[i].at[1]);
            ++*off;
        }
    fputs("EOD\n", out);
}

static void ids(const report *r)
{
    for (int64_t i = 0; i < r->nnode && r->nnode <= ID_NODES; i++) {
        fputs("set label ", r->page.script);
        page_plot_quote(r->page.script, r->node[i].id);
        fprintf(r->page.script,
                " at %.6g,%.6g left offset 0.75,0.55 noenhanced font ',12.5' front "
                "textcolor '#555555'\n",
                r->node[i].at[0], r->node[i].at[1]);
    }
}

static void look(FILE *out, const decades *d)
{
    fprintf(out,
            "unset border\nunset tics\nunset grid\nunset key\nset size ratio -1\n"
            "set lmargin 1\nset rmargin 1\nset tmargin 0.5\nset bmargin at screen 0.24\n"
            "set palette maxcolors 64\n"
            "set palette defined (0 '#440154', 0.13 '#472c7a', 0.25 '#3b518b', 0.38 '#2c718e', "
            "0.5 '#21908d', 0.63 '#27ad81', 0.75 '#5cc863', 0.88 '#aadc32', 1 '#fde725')\n"
            "set colorbox horizontal user origin 0.1,0.15 size 0.8,0.035\n"
            "set cbrange [%g:%g]\nset cbtics %g,%g scale 0.5 offset 0,0.3\n"
            "set format cb '10^{%%.0f}'\n"
            "set cblabel 'distance from the network mean, relative' offset 0,0.5\n",
            d->lo, d->hi, d->lo, ceil((d->hi - d->lo) / 6));
}

static mb_status panel(report *r, page_figure *f, const report_algo *a, const decades *d,
                       mb_err *err)
{
    const double size = r->nnode <= 30 ? 0.95 : r->nnode <= 100 ? 0.7 : 0.4;
    const char  *name = mb_text(r->page.a, err, "network-%s", a->name), *title = a->label;
    FILE        *out = r->page.script;
    int64_t      known, off;

    if (isfinite(a->disagreement))
        title =
            mb_text(r->page.a, err, "%s: worst node %s", a->label, page_power(a->disagreement).s);
    MB_TRY(page_plot_panel(&r->page, f, name, title, HEIGHT, err));
    look(out, d);
    frame(r);
    blocks(r, a, &known, &off);
    ids(r);
    fputs("plot ", out);
    if (r->nlink)
        fputs("$link using 1:2 with lines lc '#b9c0ca' lw 1.1, ", out);
    if (off)
        fprintf(out, "$off using 1:2 with points pt 4 ps %g lw 2 lc '#c81e1e', ", 2 * size);
    fputs("1/0 notitle", out);
    if (known)
        fprintf(out,
                ", $node using 1:2 with points pt 7 ps %g lc '#30363d', "
                "$node using 1:2:3 with points pt 7 ps %g lc palette",
                size + 0.12, size);
    fputc('\n', out);
    return MB_OK;
}

static const char *where_from(const report *r)
{
    static const char *const word[][2] = {
        {"file", "from the file given with --positions"},
        {"topology", "those of the generated topology"},
        {"layout", "a layout computed from the links alone; distances on the page have no meaning"},
    };
    const char *p = mb_json_at(mb_json_at(r->summary, "network"), "positions")->text;

    for (size_t k = 0; p && k < sizeof word / sizeof *word; k++)
        if (!strcmp(p, word[k][0]))
            return word[k][1];
    return "those in network.csv";
}

mb_status report_fig_network(report *r, mb_err *err)
{
    page_figure  *f = page_figure_new(&r->page, "network", "The network");
    const decades d = range(r);

    if (!r->nnode) {
        f->absent =
            "<code>network.csv</code> is not in the folder: run <code>meshbayes sim</code> again.";
        return MB_OK;
    }
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo && f->npanel < PAGE_PANELS; a++)
        if (shown(a))
            MB_TRY(panel(r, f, a, &d, err));
    if (!f->npanel)
        f->absent = "No distributed algorithm has values for its nodes (<code>nodes.csv</code>): "
                    "run <code>meshbayes sim --algorithm edge</code>.";
    f->caption = mb_text(
        r->page.a, err,
        "Dots are nodes, lines are links. The colour is the distance of a node's answer "
        "from the network's mean, |φᵢ − mean| / |mean|, on one logarithmic scale for all "
        "panels%s. A red square marks a node whose parameters ended outside their domain. "
        "Positions: %s.",
        d.floored ? "; values below 10⁻¹⁶ (rounding) are shown as 10⁻¹⁶" : "", where_from(r));
    return f->caption ? MB_OK : MB_E_NOMEM;
}
