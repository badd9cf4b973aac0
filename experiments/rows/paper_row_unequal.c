/* paper_row_unequal.c - Fig. unequal: 40 to 160 rows a node, drawn from the whole mixture. */
#include "rows/paper_rows.h"

enum { NODES = 50 };

static const char *const theirs[] = {"nsg", "dsvb", "admm", NULL};
static const char *const ours[] = {"edge", "flow", NULL};

static data_problem problem(int64_t seed)
{
    return (data_problem){
        .nodes = NODES, .rows_min = 40, .rows_max = 160, .balanced = 1, .seed = seed};
}

static mb_status run(paper_unit *u, mb_err *err)
{
    const data_problem p = problem(u->seed);

    return paper_compare(u, &p, NULL, err);
}

static mb_status rows_panel(paper_figures *f, const paper_table *t, mb_err *err)
{
    const data_problem p = problem(t->set->seed);
    FILE              *out = f->r->script;

    MB_TRY(paper_figure(f, t, "rows", "Rows at each node",
                        "Rows of every node in the first run; the same for all protocols.", err));
    MB_TRY(paper_panel(f, t, "rows", "rows a node", 260, err));
    fputs("set xlabel 'node'\nset ylabel 'rows'\nset yrange [0:170]\nset xrange [0:51]\n"
          "set style fill solid 0.8 noborder\nset key off\n$n << EOD\n",
          out);
    for (int i = 0; i < NODES; i++)
        fprintf(out, "%d %lld\n", i + 1, (long long)data_problem_rows(&p, i));
    fputs("EOD\nplot $n using 1:2:(0.8) with boxes lc '#0072b2' title 'rows'\n", out);
    return MB_OK;
}

static mb_status draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    MB_TRY(rows_panel(f, t, err));
    return paper_plan_draw(f, t, err);
}

static void judge(const paper_table *t, paper_claims *c)
{
    const double nsg = paper_end(t, PAPER_PAPER, "nsg", "ratio");
    const double dsvb = paper_end(t, PAPER_PAPER, "dsvb", "ratio");
    const double admm = paper_end(t, PAPER_PAPER, "admm", "ratio");

    paper_judge(
        c, dsvb < nsg / 2 && admm < nsg / 2, "dSVB and dVB-ADMM perform much better than nsg-dVB.",
        "Cost against cVB's on the same draw (medians): nsg-dVB %.3g, dSVB %.3g, dVB-ADMM "
        "%.4g; %lld of %lld runs of dVB-ADMM failed.",
        nsg, dsvb, admm, (long long)paper_failures(t, PAPER_PAPER, "admm", ""), (long long)t->runs);
    paper_judge(c, dsvb < 1.1 && admm < 1.1, "They are almost as good as central VB.",
                "dSVB's cost is %.3g times cVB's, dVB-ADMM's %.4g times (medians).", dsvb, admm);
}

const paper_row paper_row_unequal = {
    .name = "unequal",
    .title = "Unequal numbers of rows",
    .place = "Fig. unequal",
    .setup =
        "50 nodes, 40 to 160 rows each, all from the whole mixture, K = 3, tau = .2, rho = .5, "
        "2000 rounds (400 with --quick).",
    .says =
        "With 40 to 160 rows a node dSVB and dVB-ADMM do much better than nsg-dVB and almost as "
        "well as central VB.",
    .why =
        "Here every node holds rows of all components, so even a biased weighting of the nodes is "
        "close to the whole; what remains of dSVB's distance is the degree weighting and the "
        "decaying step.",
    .seconds = 2,
    .plan = {theirs, ours, 2000, 400},
    .run = run,
    .draw = draw,
    .judge = judge};
