/* paper_row_values.c - Fig. values: entries of the estimates at every node. */
#include "rows/paper_rows.h"

enum { K = PAPER_K };

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
                    s->first ? paper_entry[j] + (j < 3 ? 4 : 3) : "", slot); /* "2:11" */
    slot = 0;
    fputs(")\n$t << EOD\n", out);
    for (int k = 0; k < K; k++)
        for (int j = s->first; j <= s->last; j++, slot++)
            fprintf(out, "%g %g\n%g %g\n\n", slot - 0.45, paper_true[k][j], slot + 0.45,
                    paper_true[k][j]);
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
                const double v = paper_entry_at(t, p, paper_shown[a], j, k, i);

                if (isfinite(v))
                    fprintf(out, "%.4f %.6g\n", slot + 0.16 * (a - 2) + 0.0022 * (i - 25), v);
            }
    fputs("EOD\n", out);
}

static mb_status entries(paper_figures *f, const paper_table *t, paper_protocol p, const span *s,
                         mb_err *err)
{
    FILE *out = f->r->script;

    MB_TRY(paper_panel_of(f, t, p, paper_entry[s->first], s->title, 360, err));
    frame(out, s);
    for (int a = 0; a < PAPER_SHOWN; a++)
        dots(out, t, p, s, a);
    fputs("plot $t using 1:2 with lines lw 3 lc '#444444' title 'truth'", out);
    for (int a = 0; a < PAPER_SHOWN; a++)
        if (isfinite(paper_end(t, p, paper_shown[a], "weights_rms")))
            fprintf(
                out,
                ", $a%d using 1:2 with points pt 7 ps 0.28 lc '%s' notitle, NaN with points pt 7 "
                "ps 0.8 lc '%s' title '%s'",
                a, paper_line_of(paper_shown[a]).colour, paper_line_of(paper_shown[a]).colour,
                paper_line_of(paper_shown[a]).label);
    fputc('\n', out);
    return MB_OK;
}

static mb_status draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    static const span all[] = {
        {0, 0, "weights", "weight"}, {1, 2, "means", "mean"}, {3, 5, "covariances", "covariance"}};

    MB_TRY(paper_figure(f, t, "entries", "Estimates at every node",
                        "Every dot is an entry of one node's expected parameters in the first run; "
                        "components from left to right.",
                        err));
    for (int q = 0; q < PAPER_PROTOCOLS; q++) {
        const paper_protocol p = (paper_protocol)q;

        if (!(t->protocols >> p & 1))
            continue;
        for (int k = 0; k < 3; k++)
            MB_TRY(entries(f, t, p, &all[k], err));
    }
    return MB_OK;
}

static void judge(const paper_table *t, paper_claims *c)
{
    const double nsg = paper_end(t, PAPER_PAPER, "nsg", "means_rms");
    const double dsvb = paper_end(t, PAPER_PAPER, "dsvb", "means_rms");
    const double cvb = paper_end(t, PAPER_PAPER, "cvb", "means_rms");

    paper_judge(c, dsvb < nsg, "Estimates by nsg-dVB differ much between nodes, dSVB's do not.",
                "Root mean square error of the means over nodes and components (medians): nsg-dVB "
                "%.3g, dSVB %.3g, cVB %.3g; of the weights %.3g, %.3g, %.3g.",
                nsg, dsvb, cvb, paper_end(t, PAPER_PAPER, "nsg", "weights_rms"),
                paper_end(t, PAPER_PAPER, "dsvb", "weights_rms"),
                paper_end(t, PAPER_PAPER, "cvb", "weights_rms"));
    paper_judge(c, dsvb < 1.5 * cvb, "dSVB's estimate at every node is very close to cVB's.",
                "Its error is %.3g times cVB's (medians); %lld of %lld runs failed.", dsvb / cvb,
                (long long)paper_failures(t, PAPER_PAPER, "dsvb", ""), (long long)t->runs);
}

const paper_row paper_row_dsvb_values = {
    .name = "dsvb-values",
    .title = "dSVB: values of the estimates",
    .place = "Fig. values",
    .setup = "50 nodes x 100 rows, K = 3, tau = .2, 3000 rounds (800 with --quick).",
    .says =
        "After 3000 rounds the estimates of nsg-dVB differ much between nodes; those of dSVB are "
        "at every node very close to central VB's.",
    .why = "It holds where dSVB ends in the optimum of central VB. From the common start it "
           "sometimes ends in another one, which one draw can not show.",
    .seconds = 2.5,
    .plan = PAPER_ESTIMATES_PLAN,
    .run = paper_estimates_run,
    .draw = draw,
    .judge = judge};
