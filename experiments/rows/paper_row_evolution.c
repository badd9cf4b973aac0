/* paper_row_evolution.c - Fig. evolution: the mean cost of dSVB, nsg-dVB and centralised VB against
 * rounds. */
#include "rows/paper_rows.h"

enum { ROUNDS = 3000, QUICK = 800 };

static const paper_case text[] = {PAPER_CVB(ROUNDS), PAPER_TEXT("nsg", "nsg", NULL, ROUNDS),
                                  PAPER_TEXT("dsvb", "dsvb", NULL, ROUNDS), PAPER_END};
static const paper_case published[] = {
    PAPER_CVB(ROUNDS),
    {"nsg", "nsg", NULL, MB_METROPOLIS, MB_PROJECT, ROUNDS, 0, 0, 0},
    PAPER_TEXT("dsvb", "dsvb", "dsvb.d0=2", ROUNDS),
    PAPER_END};
static const paper_case own[] = {PAPER_CVB(ROUNDS), PAPER_OWN("dsvb", "dsvb", NULL, ROUNDS),
                                 PAPER_OWN("edge", "edge", NULL, ROUNDS),
                                 PAPER_OWN("flow", "flow", NULL, ROUNDS), PAPER_END};

static mb_status run(paper_unit *u, mb_err *err)
{
    const paper_case *of[PAPER_PROTOCOLS] = {text, published, own};
    paper_world       w;
    paper_truth       t;

    MB_TRY(paper_problem(u, &w, &t, err));
    return paper_compare_of(&w, &t, of, QUICK, err);
}

static mb_status draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    const paper_line line[] = {{"cvb", NULL, "", "central VB", "#000000", 1},
                               {"nsg", NULL, "", "nsg-dVB", paper_colour("nsg"), 0},
                               {"dsvb", NULL, "", "dSVB, tau = .2", paper_colour("dsvb"), 0},
                               {"edge", NULL, "", "EDGE", paper_colour("edge"), 0},
                               {"flow", NULL, "", "FLOW", paper_colour("flow"), 0}};

    return paper_draw_cost(f, t, line, 5, err);
}

static void judge(const paper_table *t, paper_claims *c)
{
    const double nsg = paper_median(t, PAPER_PAPER, "nsg", "ratio", "", PAPER_NAN);
    const double dsvb = paper_median(t, PAPER_PAPER, "dsvb", "ratio", "", PAPER_NAN);
    const double edge = paper_median(t, PAPER_OURS, "edge", "ratio", "", PAPER_NAN);

    paper_judge(c, nsg > 10, "nsg-dVB is stuck with a very large bias.",
                "Its cost is %.3g times cVB's (median).", nsg);
    paper_judge(c, dsvb < nsg / 5, "dSVB improves gradually and leaves nsg-dVB far behind.",
                "At the end its cost is %.3g times cVB's (median), nsg-dVB's %.3g.", dsvb, nsg);
    paper_judge(c, dsvb < 1.05, "Finally dSVB reaches a result as good as centralised VB.",
                "With the paper's weights its cost ends at %.3g times cVB's (median).", dsvb);
    if (!isnan(edge))
        paper_judge(c, -1, "(Not in the paper: EDGE.)",
                    "Protocol ours: EDGE's cost is %.6g times cVB's at the end (median), %lld of "
                    "%lld runs failed.",
                    edge, (long long)paper_failures(t, PAPER_OURS, "edge", ""), (long long)t->runs);
}

const paper_row paper_row_dsvb_evolution = {
    .name = "dsvb-evolution",
    .title = "dSVB against rounds",
    .place = "Fig. evolution",
    .setup = "50 nodes x 100 rows, K = 3, tau = .2, 3000 rounds (800 with --quick).",
    .says = "nsg-dVB is stuck at a very large bias; dSVB improves gradually and finally reaches a "
            "result as good as centralised VB.",
    .why = "The order of the three holds. That dSVB ends as good as centralised VB does not: the "
           "rule 1/(degree + 1) has rows that sum to 1 but columns that do not, so nodes of high "
           "degree count more, for ever; and the decaying step makes the approach slow. Doubly "
           "stochastic weights (protocol ours) remove the first, EDGE and FLOW the second.",
    .protocols = 7,
    .runs = 30,
    .runs_quick = 2,
    .runs_paper = 1,
    .parts = 1,
    .seconds = 2.5,
    .run = run,
    .draw = draw,
    .judge = judge};
