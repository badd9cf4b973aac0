/* paper_row_estimates.c - Fig. values and Fig. contour: every node's estimates at the end, beside
 * the truth: entries of weights, means and covariances, and the density of the mixture. */
#include "base/text.h"
#include "expfam/expfam.h"
#include "paper_rows.h"

#include <string.h>

enum { K = 3, ENTRIES = 6, D = 2, GRID = 41, SHOWN = 5, NODE = 17 };

/* Weight, mean (2), covariance (11, 12, 22) of each component; those of section V-A. */
typedef struct mixture {
    double of[K][ENTRIES];
} mixture;
static const mixture     truth = {{{0.32, 1.5, 3.5, 0.6, 0.4, 0.6},
                                   {0.45, 4, 4, 0.6, -0.4, 0.6},
                                   {0.23, 6.5, 4.5, 0.6, 0.4, 0.6}}};
static const char *const entry[ENTRIES] = {"weight", "mean1", "mean2", "cov11", "cov12", "cov22"};

/* Expected weights, means and covariances at one node, data units, components from left to right:
 * the truth's order, found without a class. MB_E_DOMAIN outside Omega. */
static mb_status estimate(const paper_result *r, const double *phi, mixture *e, mb_err *err)
{
    const mb_block *b = mb_layout_find(&r->s.c->model.layout, &mb_normal_wishart);
    double          total = 0, *par;

    MB_TRY(mb_case_textbook(r->s.c, r->s.own, phi, &par, err));
    for (int k = 0; k < K; k++)
        total += par[k];
    for (int k = 0; k < K; k++) {
        const double *c = par + b->off + (size_t)k * b->len; /* nu, beta, m, tril(W^-1) */
        const double  dof = fmax(c[0] - D - 1, 1e-9);
        const double  now[ENTRIES] = {par[k] / total, c[2],       c[3],
                                      c[4] / dof,     c[5] / dof, c[6] / dof};
        int           place = k;

        for (; place > 0 && e->of[place - 1][1] > now[1]; place--)
            memcpy(e->of[place], e->of[place - 1], sizeof now);
        memcpy(e->of[place], now, sizeof now);
    }
    return MB_OK;
}

/* Of the mixture with these entries. */
static double density(const mixture *e, double x, double y)
{
    double sum = 0;

    for (int k = 0; k < K; k++) {
        const double *c = e->of[k], det = c[3] * c[5] - c[4] * c[4], u = x - c[1], v = y - c[2];

        if (det > 0)
            sum += c[0] / (2 * acos(-1) * sqrt(det)) *
                   exp(-(c[5] * u * u - 2 * c[4] * u * v + c[3] * v * v) / (2 * det));
    }
    return sum;
}

/* Point j of GRID from lo to hi; the grid is -1 .. 9 by 0 .. 8. */
static double grid(int j, double lo, double hi)
{
    return lo + (hi - lo) * j / (GRID - 1);
}

/* Half the integral of the difference from the true density, on the grid of the figure. */
static double variation(const mixture *e)
{
    const double cell = (10.0 / (GRID - 1)) * (8.0 / (GRID - 1));
    double       sum = 0;

    for (int j = 0; j < GRID; j++)
        for (int k = 0; k < GRID; k++)
            sum += fabs(density(e, grid(j, -1, 9), grid(k, 0, 8)) -
                        density(&truth, grid(j, -1, 9), grid(k, 0, 8)));
    return sum * cell / 2;
}

/* Root mean squares, over nodes and components, of the differences from the truth. */
typedef struct apart {
    double  weights, means, covs, tv, worst;
    int32_t nodes;
} apart;

static void add(const mixture *e, apart *a)
{
    const double tv = variation(e);

    for (int k = 0; k < K; k++)
        for (int j = 0; j < ENTRIES; j++) {
            const double d = e->of[k][j] - truth.of[k][j];
            double      *to = j == 0 ? &a->weights : j < 3 ? &a->means : &a->covs;

            *to += d * d / (K * (j == 0 ? 1 : j < 3 ? 2 : 3));
        }
    a->tv += tv;
    a->worst = fmax(a->worst, tv);
    a->nodes++;
}

static mb_status put_node(paper_unit *u, const char *name, int32_t i, const mixture *e, mb_err *err)
{
    if (u->run > 0)
        return MB_OK;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < ENTRIES; j++) {
            const char *quantity = mb_text(u->a, err, "@%s %d", entry[j], k + 1);

            if (!quantity)
                return MB_E_NOMEM;
            MB_TRY(paper_put(u, name, quantity, i + 1, e->of[k][j], err));
        }
    return MB_OK;
}

static mb_status put_all(paper_unit *u, const paper_result *r, mb_err *err)
{
    const int32_t nodes = r->s.problem.part->n_local;
    apart         a = {0};

    for (int32_t i = 0; i < nodes && !r->error; i++) {
        mixture   e;
        mb_status st = estimate(r, r->s.state.phi + (size_t)i * r->s.state.ld, &e, err);

        if (st == MB_E_DOMAIN)
            continue;
        MB_TRY(st);
        add(&e, &a);
        MB_TRY(put_node(u, r->c.name, i, &e, err));
    }
    const double n = a.nodes == nodes ? a.nodes : PAPER_NAN;

    return paper_put_end(u, r->c.name,
                         (paper_value[]){{"weights_rms", sqrt(a.weights / n)},
                                         {"means_rms", sqrt(a.means / n)},
                                         {"covariances_rms", sqrt(a.covs / n)},
                                         {"variation", a.tv / n},
                                         {"variation_worst", a.worst + 0 * n},
                                         {NULL, 0}},
                         err);
}

/* Distances from the truth over all nodes; in the first run also the entries of every node,
 * "@mean1 2" at x = node, components from left to right. */
static mb_status run(paper_unit *u, mb_err *err)
{
    paper_world *w;
    paper_truth  t;

    MB_TRY(paper_problem(u, NULL, NULL, &w, &t, err));
    MB_TRY(paper_cases(w, &u->row->plan, err));
    for (int32_t k = 0; k < w->count; k++)
        MB_TRY(paper_case_run(w, &t, &w->result[k], err));
    MB_TRY(paper_conclude(w, &t, err));
    for (int32_t k = 0; k < w->count; k++)
        MB_TRY(put_all(u, &w->result[k], err));
    return MB_OK;
}

static const char *const theirs[] = {"nsg", "dsvb", NULL}, *const ours[] = {"edge", "flow", NULL};
static const char *const shown[SHOWN] = {"cvb", "nsg", "dsvb", "edge", "flow"};

/* Entry j of component k at node i (from 1) in the first run; NaN: none. */
static double entry_at(const paper_table *t, paper_protocol p, const char *algo, int j, int k,
                       int i)
{
    char quantity[32];

    snprintf(quantity, sizeof quantity, "@%s %d", entry[j], k + 1);
    return paper_median(t, p, algo, quantity, "", i);
}

/* Entries first .. last of every component side by side. */
typedef struct span {
    int         first, last;
    const char *title, *axis;
} span;

/* Names at the axis, and the truth as bars. */
static void frame(FILE *out, const span *s)
{
    int slot = 0;

    fprintf(out,
            "set ylabel '%s'\nset xlabel '%s'\nset bmargin 7\n"
            "set key bmargin center horizontal Left reverse maxcols 3\nset xtics rotate by -55 (",
            s->axis, s->first ? "component : entry" : "component");
    for (int k = 0; k < K; k++)
        for (int j = s->first; j <= s->last; j++, slot++)
            fprintf(out, "%s'%d%s%s' %d", slot ? ", " : "", k + 1, s->first ? ":" : "",
                    s->first ? entry[j] + (j < 3 ? 4 : 3) : "", slot); /* "2:11" */
    slot = 0;
    fputs(")\n$t << EOD\n", out);
    for (int k = 0; k < K; k++)
        for (int j = s->first; j <= s->last; j++, slot++)
            fprintf(out, "%g %g\n%g %g\n\n", slot - 0.45, truth.of[k][j], slot + 0.45,
                    truth.of[k][j]);
    fputs("EOD\n", out);
}

/* Every node's entries of one algorithm, a little apart. */
static void dots(FILE *out, const paper_table *t, paper_protocol p, const span *s, int a)
{
    int slot = 0;

    fprintf(out, "$a%d << EOD\n", a);
    for (int k = 0; k < K; k++)
        for (int j = s->first; j <= s->last; j++, slot++)
            for (int i = 1; i <= 50; i++) {
                const double v = entry_at(t, p, shown[a], j, k, i);

                if (isfinite(v))
                    fprintf(out, "%.4f %.6g\n", slot + 0.16 * (a - 2) + 0.0022 * (i - 25), v);
            }
    fputs("EOD\n", out);
}

static mb_status entry_panel(paper_figures *f, const paper_table *t, paper_protocol p,
                             const span *s, mb_err *err)
{
    FILE *out = f->r->script;

    MB_TRY(paper_panel_of(f, t, p, entry[s->first], s->title, 360, err));
    frame(out, s);
    for (int a = 0; a < SHOWN; a++)
        dots(out, t, p, s, a);
    fputs("plot $t using 1:2 with lines lw 3 lc '#444444' title 'truth'", out);
    for (int a = 0; a < SHOWN; a++)
        if (isfinite(paper_end(t, p, shown[a], "weights_rms")))
            fprintf(
                out,
                ", $a%d using 1:2 with points pt 7 ps 0.28 lc '%s' notitle, NaN with points pt 7 "
                "ps 0.8 lc '%s' title '%s'",
                a, paper_line_of(shown[a]).colour, paper_line_of(shown[a]).colour,
                paper_line_of(shown[a]).label);
    fputc('\n', out);
    return MB_OK;
}

static mb_status draw_values(paper_figures *f, const paper_table *t, mb_err *err)
{
    static const span all[] = {
        {0, 0, "weights", "weight"}, {1, 2, "means", "mean"}, {3, 5, "covariances", "covariance"}};

    MB_TRY(paper_figure(f, t, "entries", "Estimates at every node",
                        "Every dot is an entry of one node's expected parameters in the first run; "
                        "components from left to right.",
                        err));
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        for (int k = 0; k < 3 && t->protocols >> p & 1; k++)
            MB_TRY(entry_panel(f, t, (paper_protocol)p, &all[k], err));
    return MB_OK;
}

static void judge_values(const paper_table *t, paper_claims *c)
{
    double m[PAPER_NAMES], w[PAPER_NAMES];

    paper_medians(t, PAPER_PAPER, "means_rms", m);
    paper_medians(t, PAPER_PAPER, "weights_rms", w);
    paper_judge(c, m[DSVB] < m[NSG],
                "Estimates by nsg-dVB differ greatly between nodes, dSVB's do not.",
                "Root mean square error of the means over nodes and components (medians): nsg-dVB "
                "%.3g, dSVB %.3g, cVB %.3g; of the weights %.3g, %.3g, %.3g.",
                m[NSG], m[DSVB], m[CVB], w[NSG], w[DSVB], w[CVB]);
    paper_needs(t, c, PAPER_PAPER, "dsvb");
    paper_judge(c, m[DSVB] < 1.5 * m[CVB], "dSVB's estimate at every node is very close to cVB's.",
                "Its error is %.3g times cVB's (medians); %lld of %lld runs failed.",
                m[DSVB] / m[CVB], (long long)paper_failures(t, PAPER_PAPER, "dsvb", ""),
                (long long)t->runs);
    paper_needs(t, c, PAPER_PAPER, "dsvb");
}

const paper_row paper_row_dsvb_values = {
    .name = "dsvb-values",
    .title = "dSVB: values of the estimates",
    .place = "Fig. values",
    .setup = "50 nodes x 100 rows, K = 3, tau = .2, 3000 rounds (800 with --quick).",
    .says = "After 3000 rounds the estimates of nsg-dVB differ greatly between nodes; those of "
            "dSVB are at every node very close to central VB's.",
    .why = "It holds where dSVB ends in the optimum of central VB. From the common initialisation "
           "it sometimes ends in another one, which a single draw cannot show.",
    .seconds = 2.5,
    .plan = {theirs, ours, 3000, 800},
    .run = run,
    .draw = draw_values,
    .judge = judge_values};

/* The density on the grid, as contours into a block of their own. */
static void contour(FILE *out, const char *name, const mixture *e)
{
    fprintf(out, "$%s_grid << EOD\n", name);
    for (int j = 0; j < GRID; j++) {
        for (int k = 0; k < GRID; k++)
            fprintf(out, "%.4g %.4g %.4g\n", grid(j, -1, 9), grid(k, 0, 8),
                    density(e, grid(j, -1, 9), grid(k, 0, 8)));
        fputc('\n', out);
    }
    fprintf(out,
            "EOD\nset contour base\nset cntrparam levels discrete 0.01, 0.04, 0.1\nunset surface\n"
            "set table $%s\nsplot $%s_grid using 1:2:3\nunset table\n",
            name, name);
}

static void rows_block(FILE *out, const paper_table *t)
{
    const data_problem p = {.nodes = 50, .rows = 100, .seed = t->set->seed};
    double             x[200];
    int32_t            label[100];

    fputs("$rows << EOD\n", out);
    for (int i = 0; i < 50; i++) {
        data_problem_draw(&p, i, x, label);
        for (int r = 0; r < 100; r += 5)
            fprintf(out, "%.5g %.5g\n", x[2 * r], x[2 * r + 1]);
    }
    fputs("EOD\n", out);
}

static mb_status one_contour(paper_figures *f, const paper_table *t, paper_protocol p, int a,
                             mb_err *err)
{
    const paper_line line = paper_line_of(shown[a]);
    const char      *title =
        mb_text(t->a, err, "%s, %s%d", line.label, a ? "node " : "of all ", a ? NODE : 50);
    FILE   *out = f->r->script;
    mixture e;

    if (!title)
        return MB_E_NOMEM;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < ENTRIES; j++) {
            e.of[k][j] = entry_at(t, p, shown[a], j, k, a ? NODE : 1);
            if (!isfinite(e.of[k][j]))
                return MB_OK; /* it has none */
        }
    MB_TRY(paper_panel_of(f, t, p, shown[a], title, 340, err));
    rows_block(out, t);
    contour(out, "est", &e);
    contour(out, "true", &truth);
    fprintf(
        out,
        "set xlabel 'x1'\nset ylabel 'x2'\nset xrange [-1:9]\nset yrange [0:8]\n"
        "set key bmargin center horizontal\nset bmargin 5\n"
        "plot $rows using 1:2 with points pt 7 ps 0.2 lc '#b9c0ca' title 'rows', $true using 1:2 "
        "with lines lw 1.4 dt 2 lc '#444444' title 'truth', $est using 1:2 with lines lw 2 lc "
        "'%s' title '%s'\n",
        line.colour, line.label);
    return MB_OK;
}

static mb_status draw_contours(paper_figures *f, const paper_table *t, mb_err *err)
{
    MB_TRY(paper_figure(f, t, "contours", "Contours of the mixture",
                        "Densities .01, .04 and .1 of the mixture at the expected parameters, over "
                        "rows of all nodes, in the first run. The paper's caption names node 67 of "
                        "50; this is node 17.",
                        err));
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        for (int a = 0; a < SHOWN && t->protocols >> p & 1; a++)
            MB_TRY(one_contour(f, t, (paper_protocol)p, a, err));
    return MB_OK;
}

static void judge_contours(const paper_table *t, paper_claims *c)
{
    double v[PAPER_NAMES], worst[PAPER_NAMES];

    paper_medians(t, PAPER_PAPER, "variation", v);
    paper_medians(t, PAPER_PAPER, "variation_worst", worst);
    paper_judge(
        c, v[DSVB] < v[NSG],
        "dSVB's mixture is almost the truth's; nsg-dVB's is affected by local data.",
        "Half the integral of |density - truth|, mean over nodes (medians of the runs): cVB "
        "%.3g, dSVB %.3g, nsg-dVB %.3g; worst node %.3g, %.3g, %.3g.",
        v[CVB], v[DSVB], v[NSG], worst[CVB], worst[DSVB], worst[NSG]);
    paper_needs(t, c, PAPER_PAPER, "dsvb");
}

const paper_row paper_row_dsvb_contour = {
    .name = "dsvb-contour",
    .title = "dSVB: the mixture at one node",
    .place = "Fig. contour",
    .setup = "50 nodes x 100 rows, K = 3, tau = .2, 3000 rounds (800 with --quick).",
    .says =
        "At a randomly selected node nsg-dVB does not estimate the mixture correctly, its answer "
        "is affected by local data; dSVB's is almost that of central VB and the truth.",
    .why = "The same runs as for the values. nsg-dVB's bias shows in the weights of the components "
           "at the node, less in their positions.",
    .parts_of = &paper_row_dsvb_values,
    .seconds = 2.5,
    .plan = {theirs, ours, 3000, 800},
    .run = run,
    .draw = draw_contours,
    .judge = judge_contours};
