/* paper_row_contour.c - Fig. contour: the mixture at one node, over the data. */
#include "rows/paper_rows.h"

enum { K = PAPER_K, ENTRIES = PAPER_ENTRIES, GRID = PAPER_GRID, NODE = 17, SHOWN = 900 };

static void judge(const paper_table *t, paper_claims *c)
{
    const double nsg = paper_end(t, PAPER_PAPER, "nsg", "variation");
    const double dsvb = paper_end(t, PAPER_PAPER, "dsvb", "variation");
    const double cvb = paper_end(t, PAPER_PAPER, "cvb", "variation");

    paper_judge(
        c, dsvb < nsg, "dSVB's mixture is almost the truth's; nsg-dVB's is impacted by local data.",
        "Half the integral of |density - truth|, mean over nodes (medians of the runs): cVB "
        "%.3g, dSVB %.3g, nsg-dVB %.3g; worst node %.3g, %.3g, %.3g.",
        cvb, dsvb, nsg, paper_end(t, PAPER_PAPER, "cvb", "variation_worst"),
        paper_end(t, PAPER_PAPER, "dsvb", "variation_worst"),
        paper_end(t, PAPER_PAPER, "nsg", "variation_worst"));
}

/* The density on the grid, as contours into a block of their own. */
static void contour(FILE *out, const char *name, const double e[K][ENTRIES])
{
    fprintf(out, "$%s_grid << EOD\n", name);
    for (int j = 0; j < GRID; j++) {
        for (int k = 0; k < GRID; k++)
            fprintf(out, "%.4g %.4g %.4g\n", paper_grid(j, -1, 9), paper_grid(k, 0, 8),
                    paper_density(e, paper_grid(j, -1, 9), paper_grid(k, 0, 8)));
        fputc('\n', out);
    }
    fprintf(out,
            "EOD\nset contour base\nset cntrparam levels discrete 0.01, 0.04, 0.1\nunset surface\n"
            "set table $%s\nsplot $%s_grid using 1:2:3\nunset table\n",
            name, name);
}

/* The entries of a node in the first run; 0 when it has none. */
static int node_of(const paper_table *t, paper_protocol p, const char *algorithm, int node,
                   double e[K][ENTRIES])
{
    for (int k = 0; k < K; k++)
        for (int j = 0; j < ENTRIES; j++) {
            e[k][j] = paper_entry_at(t, p, algorithm, j, k, node);
            if (!isfinite(e[k][j]))
                return 0;
        }
    return 1;
}

static void rows_block(FILE *out, const paper_table *t)
{
    const data_problem p = {.nodes = 50, .rows = 100, .seed = t->set->seed};
    double             x[200];
    int32_t            label[100];

    fputs("$rows << EOD\n", out);
    for (int i = 0; i < 50; i++) {
        data_problem_draw(&p, i, x, label);
        for (int r = 0; r < 100; r++)
            if ((i * 100 + r) % (5000 / SHOWN) == 0)
                fprintf(out, "%.5g %.5g\n", x[2 * r], x[2 * r + 1]);
    }
    fputs("EOD\n", out);
}

static mb_status one_contour(paper_figures *f, const paper_table *t, paper_protocol p, int a,
                             mb_err *err)
{
    const char *title = mb_text(t->a, err, "%s, %s%d", paper_line_of(paper_shown[a]).label,
                                a ? "node " : "of all ", a ? NODE : 50);
    FILE       *out = f->r->script;
    double      e[K][ENTRIES];

    if (!title)
        return MB_E_NOMEM;
    if (!node_of(t, p, paper_shown[a], a ? NODE : 1, e))
        return MB_OK;
    MB_TRY(paper_panel_of(f, t, p, paper_shown[a], title, 340, err));
    rows_block(out, t);
    contour(out, "est", (const double(*)[ENTRIES])e);
    contour(out, "true", paper_true);
    fprintf(
        out,
        "set xlabel 'x1'\nset ylabel 'x2'\nset xrange [-1:9]\nset yrange [0:8]\n"
        "set key bmargin center horizontal\nset bmargin 5\n"
        "plot $rows using 1:2 with points pt 7 ps 0.2 lc '#b9c0ca' title 'rows', $true using 1:2 "
        "with lines lw 1.4 dt 2 lc '#444444' title 'truth', $est using 1:2 with lines lw 2 lc "
        "'%s' title '%s'\n",
        paper_line_of(paper_shown[a]).colour, paper_line_of(paper_shown[a]).label);
    return MB_OK;
}

static mb_status draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    MB_TRY(paper_figure(f, t, "contours", "Contours of the mixture",
                        "Densities .01, .04 and .1 of the mixture at the expected parameters, over "
                        "rows of all nodes, in the first run. The paper's caption names node 67 of "
                        "50; this is node 17.",
                        err));
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        for (int a = 0; a < PAPER_SHOWN && t->protocols >> p & 1; a++)
            MB_TRY(one_contour(f, t, (paper_protocol)p, a, err));
    return MB_OK;
}

const paper_row paper_row_dsvb_contour = {
    .name = "dsvb-contour",
    .title = "dSVB: the mixture at one node",
    .place = "Fig. contour",
    .setup = "50 nodes x 100 rows, K = 3, tau = .2, 3000 rounds (800 with --quick).",
    .says =
        "At a randomly selected node nsg-dVB does not estimate the mixture correctly, its answer "
        "is impacted by local data; dSVB's is almost that of central VB and the truth.",
    .why = "Same runs as the values. nsg-dVB's bias shows in the weights of the components at the "
           "node, less in their places.",
    .parts_of = &paper_row_dsvb_values,
    .seconds = 2.5,
    .plan = PAPER_ESTIMATES_PLAN,
    .run = paper_estimates_run,
    .draw = draw,
    .judge = judge};
