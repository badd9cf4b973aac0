/* paper_row_evolution.c - Fig. evolution: the mean cost of dSVB, nsg-dVB and central VB against
 * rounds. */
#include "rows/paper_rows.h"

static const char *const theirs[] = {"nsg", "dsvb", NULL};
static const char *const ours[] = {"dsvb", "edge", "flow", NULL};

static void judge(const paper_table *t, paper_claims *c)
{
    const double nsg = paper_end(t, PAPER_PAPER, "nsg", "ratio");
    const double dsvb = paper_end(t, PAPER_PAPER, "dsvb", "ratio");
    const double edge = paper_end(t, PAPER_OURS, "edge", "ratio");

    paper_judge(c, nsg > 10, "nsg-dVB is stuck with a very large bias.",
                "Its cost is %.3g times cVB's (median).", nsg);
    paper_judge(c, dsvb < nsg / 5, "dSVB improves gradually and leaves nsg-dVB far behind.",
                "At the end its cost is %.3g times cVB's (median), nsg-dVB's %.3g.", dsvb, nsg);
    paper_judge(c, dsvb < 1.05, "Finally dSVB reaches a result as good as central VB.",
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
            "result as good as central VB.",
    .why = "The order of the three holds. That dSVB ends as good as central VB does not: the "
           "rule 1/(degree + 1) has rows that sum to 1 but columns that do not, so nodes of high "
           "degree count more, for ever; and the decaying step makes the approach slow. Doubly "
           "stochastic weights (protocol ours) remove the first, EDGE and FLOW the second.",
    .seconds = 2.5,
    .plan = {theirs, ours, 3000, 800},
    .run = paper_plan_run,
    .draw = paper_plan_draw,
    .judge = judge};
