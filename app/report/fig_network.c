/* fig_network.c - the network, its nodes coloured by their disagreement. */
#include "base/text.h"
#include "report/parts.h"

#include <math.h>
#include <string.h>

enum { ID_NODES = 60, MANY = 100, HEIGHT = 350, TALL = 440 /* of many nodes */ };
/* One scale of colours for all runs, so that pictures can be compared. */
#define APART_LOW  1e-12
#define APART_HIGH 1.0

static int shown(const report_algo *a)
{
    return a->apart && !a->failed && !a->central;
}

/* The square that is drawn, in coordinates of the nodes. */
typedef struct picture {
    double mid[2], unit; /* unit: its side */
} picture;

/* The bounding box of the nodes with a margin; never of size 0. */
static picture frame(const report *r)
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
    return (picture){{(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2}, fmax(size, 0) + 2 * margin};
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
                    log10(fmin(fmax(a->apart[i], APART_LOW), APART_HIGH)));
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

/* A picture of many nodes: how large a node is drawn, and how strong a link. */
typedef struct pen {
    double node, link;
    int    clear; /* of a link, 0 opaque .. 255 */
} pen;

static pen pen_for(const report *r)
{
    const double n = (double)r->nnode, links = (double)r->nlink;

    if (n <= MANY)
        return (pen){n <= 30 ? 0.95 : 0.7, 1.1, 0};
    /* the share of the picture that is dots stays that of MANY nodes */
    return (pen){fmax(0.12, 0.7 * sqrt(MANY / n)), fmax(0.3, 1.3 * sqrt(2.0 * MANY / links)),
                 (int)fmin(200, 40 + 0.02 * links)};
}

/* A label as a box, in widths of the picture. */
typedef struct box {
    double lo[2], hi[2];
} box;

static int overlap(const box *a, const box *b)
{
    return a->lo[0] < b->hi[0] && b->lo[0] < a->hi[0] && a->lo[1] < b->hi[1] && b->lo[1] < a->hi[1];
}

/* Where a label stands beside its node: the first place that is free. */
static const struct {
    int x, y; /* -1: left or below */
} side[] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
enum { SIDES = sizeof side / sizeof *side };

/* Of node i on side k; letters are half as wide as they are high. */
static box label_box(const report *r, int64_t i, int k, double unit)
{
    const double *at = r->node[i].at, high = 0.052 * unit, gap = 0.015 * unit;
    const double  wide = 0.48 * high * (double)strlen(r->node[i].id) + gap;
    const double  x = side[k].x > 0 ? at[0] + gap : at[0] - gap - wide;
    const double  y = side[k].y > 0 ? at[1] + 0.004 * unit : at[1] - 0.004 * unit - high;

    return (box){{x, y}, {x + wide, y + high}};
}

/* 1 if the label of node i is inside the picture and covers neither a dot nor one of the labels
 * that are drawn. */
static int fits(const report *r, const box *drawn, int64_t n, const box *label, int64_t i,
                const picture *p)
{
    const double dot = 0.013 * p->unit;

    for (int d = 0; d < 2; d++)
        if (label->lo[d] < p->mid[d] - p->unit / 2 || label->hi[d] > p->mid[d] + p->unit / 2)
            return 0;

    for (int64_t k = 0; k < n; k++)
        if (overlap(&drawn[k], label))
            return 0;
    for (int64_t k = 0; k < r->nnode; k++) {
        const double *at = r->node[k].at;
        const box     node = {{at[0] - dot, at[1] - dot}, {at[0] + dot, at[1] + dot}};

        if (k != i && overlap(&node, label))
            return 0;
    }
    return 1;
}

/* The ids that fit. */
static void ids(const report *r, const picture *p)
{
    box     drawn[ID_NODES];
    int64_t n = 0;

    for (int64_t i = 0; i < r->nnode && r->nnode <= ID_NODES; i++) {
        int k = 0;

        for (; k < SIDES; k++) {
            drawn[n] = label_box(r, i, k, p->unit);
            if (fits(r, drawn, n, &drawn[n], i, p))
                break;
        }
        if (k == SIDES)
            continue;
        n++;
        fputs("set label ", r->page.script);
        page_plot_quote(r->page.script, r->node[i].id);
        fprintf(r->page.script,
                " at %.6g,%.6g %s offset %g,%g noenhanced font ',12.5' front "
                "textcolor '#555555'\n",
                r->node[i].at[0], r->node[i].at[1], side[k].x > 0 ? "left" : "right",
                0.75 * side[k].x, 0.55 * side[k].y);
    }
}

static void look(FILE *out)
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
            log10(APART_LOW), log10(APART_HIGH), log10(APART_LOW), 2.0);
}

static mb_status panel(report *r, page_figure *f, const report_algo *a, mb_err *err)
{
    const pen   p = pen_for(r);
    const char *name = mb_text(r->page.a, err, "network-%s", a->name), *title = a->label;
    FILE       *out = r->page.script;
    int64_t     known, off;

    if (isfinite(a->disagreement))
        title =
            mb_text(r->page.a, err, "%s: worst node %s", a->label, page_power(a->disagreement).s);
    MB_TRY(page_plot_panel(&r->page, f, name, title, r->nnode > MANY ? TALL : HEIGHT, err));
    look(out);
    const picture square = frame(r);

    ids(r, &square);
    blocks(r, a, &known, &off);
    fputs("plot ", out);
    if (r->nlink)
        fprintf(out, "$link using 1:2 with lines lc rgb '#%02x9aa3af' lw %.2f, ", p.clear, p.link);
    if (off)
        fprintf(out, "$off using 1:2 with points pt 4 ps %g lw 2 lc '#c81e1e', ", 2 * p.node);
    fputs("1/0 notitle", out);
    if (known)
        fprintf(out,
                ", $node using 1:2 with points pt 7 ps %g lc '#30363d', "
                "$node using 1:2:3 with points pt 7 ps %g lc palette",
                p.node + 0.12 * fmin(1, p.node), p.node);
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
    page_figure *f = page_figure_new(&r->page, "network", "The network");

    f->wide = r->nnode > MANY;
    if (!r->nnode) {
        f->absent =
            "<code>network.csv</code> is not in the folder: run <code>meshbayes sim</code> again.";
        return MB_OK;
    }
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo && f->npanel < PAGE_PANELS; a++)
        if (shown(a))
            MB_TRY(panel(r, f, a, err));
    if (!f->npanel)
        f->absent = "No distributed algorithm has values for its nodes (<code>nodes.csv</code>): "
                    "run <code>meshbayes sim --algorithm edge</code>.";
    f->caption = mb_text(
        r->page.a, err,
        "Dots are nodes, lines are links. The colour is the distance of a node's answer "
        "from the network's mean, |φᵢ − mean| / |mean|, on a logarithmic scale that is the same in "
        "every report: from 10⁻¹² and below to 1 and above. A red square marks a node whose "
        "parameters ended outside their domain. "
        "Positions: %s.%s",
        where_from(r), r->nnode > ID_NODES ? " Names are left out in a network of this size." : "");
    return f->caption ? MB_OK : MB_E_NOMEM;
}
