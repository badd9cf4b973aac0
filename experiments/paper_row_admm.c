/* paper_row_admm.c - Fig. rho and Fig. ADMM/dSVB: dVB-ADMM by its penalty, and beside dSVB. */
#include "paper_rows.h"

#include <string.h>

enum { RHOS = 7 };

static const char *const name[RHOS + 1] = {
    "admm rho=0.1", "admm rho=0.25", "admm rho=0.5", "admm rho=1",
    "admm rho=2",   "admm rho=4",    "admm rho=8",   NULL};
static const char *const theirs[] = {"dsvb", "admm", NULL}, *const ours[] = {"edge", "flow", NULL};

static mb_status draw_rho(paper_figures *f, const paper_table *t, mb_err *err)
{
    static const char *const shade[RHOS] = {"#7b3294", "#c2a5cf", "#009e73", "#56b4e9",
                                            "#0072b2", "#e69f00", "#994f00"};
    paper_line               line[RHOS + 3] = {paper_line_of("cvb"), paper_line_of("edge"),
                                               paper_line_of("flow")};

    for (int k = 0; k < RHOS; k++)
        line[k + 3] = (paper_line){name[k], "", strchr(name[k], ' ') + 1, shade[k], 0};
    return paper_draw_cost(f, t, line, RHOS + 3, err);
}

/* Runs that get within 5 % of cVB; the median of their rounds is paper_end's. */
static int64_t arrived(const paper_table *t, paper_protocol p, const char *algorithm)
{
    const paper_group *g = paper_find(t, p, algorithm, "rounds_to_5", "", PAPER_NAN);
    int64_t            n = 0;

    for (int64_t r = 0; g && r < t->runs; r++)
        n += !isnan(g->value[r]);
    return n;
}

/* "0.5: 22 (228)", or "0.1: 0". */
static size_t say_rounds(char *text, size_t room, const paper_table *t, int k)
{
    const double  rounds = paper_end(t, PAPER_PAPER, name[k], "rounds_to_5");
    const int64_t n = arrived(t, PAPER_PAPER, name[k]);
    const int     used =
        snprintf(text, room, "%s%s: %lld", k ? ", " : "", strchr(name[k], '=') + 1, (long long)n);

    return (size_t)(used + (n ? snprintf(text + used, room - (size_t)used, " (%.0f)", rounds) : 0));
}

static void judge_rho(const paper_table *t, paper_claims *c)
{
    char   text[512] = "";
    size_t used = 0;

    for (int k = 0; k < RHOS; k++)
        used += say_rounds(text + used, sizeof text - used, t, k);
    paper_judge(
        c, (double)arrived(t, PAPER_PAPER, name[2]) >= 0.9 * (double)t->runs,
        "dVB-ADMM converges; rho = .5 is a good choice.",
        "Runs of %lld that come within 5 %% of cVB's cost and stay, and the median round at "
        "which they do, by rho: %s.",
        (long long)t->runs, text);
    paper_needs(t, c, PAPER_PAPER, name[2]);
    const paper_stat small = paper_stat_at(t, PAPER_PAPER, name[1], "left_domain", "", PAPER_NAN);
    const paper_stat large = paper_stat_at(t, PAPER_PAPER, name[5], "left_domain", "", PAPER_NAN);

    paper_judge(
        c, small.mean > large.mean,
        "For rho < .5 parameters leave the domain; larger rho is safer but slower.",
        "Runs in which some node left the domain: %.0f %% at rho = .25, %.0f %% at rho = 4.",
        100 * small.mean, 100 * large.mean);
    paper_needs(t, c, PAPER_PAPER, name[5]);
}

const paper_row paper_row_admm_rho = {
    .name = "admm-rho",
    .title = "dVB-ADMM: the penalty",
    .place = "Fig. rho",
    .setup = "50 nodes x 100 rows, K = 3, xi = .05, 1000 rounds (400 with --quick).",
    .says = "A small penalty converges faster, a large one brings the nodes together sooner; below "
            "rho = .5 covariances sometimes stop being positive definite; rho = .5 is chosen.",
    .why = "The order holds, the safety does not: at the solution of central VB the local steps of "
           "some nodes are expanding maps (their mean is not), and a penalty that is small for the "
           "degree of a node cannot hold it, leaves of the network first. Projection onto the "
           "domain does not bring such a node back. The paper's program was initialised by k-means "
           "of all rows in one place and restarted after every failure (protocol published).",
    .seconds = 1.6,
    .plan = {name, ours, 1000, 400},
    .run = paper_plan_run,
    .draw = draw_rho,
    .judge = judge_rho};

static void judge(const paper_table *t, paper_claims *c)
{
    paper_judge(c,
                arrived(t, PAPER_PAPER, "admm") > arrived(t, PAPER_PAPER, "dsvb") ||
                    paper_end(t, PAPER_PAPER, "admm", "rounds_to_5") <
                        paper_end(t, PAPER_PAPER, "dsvb", "rounds_to_5"),
                "dVB-ADMM is faster and more accurate than dSVB.",
                "Within 5 %% of cVB's cost: ADMM in %lld of %lld runs (median round of these "
                "%.0f), dSVB in %lld. Median cost at the end: %.4g and %.4g times cVB's.",
                (long long)arrived(t, PAPER_PAPER, "admm"), (long long)t->runs,
                paper_end(t, PAPER_PAPER, "admm", "rounds_to_5"),
                (long long)arrived(t, PAPER_PAPER, "dsvb"),
                paper_end(t, PAPER_PAPER, "admm", "ratio"),
                paper_end(t, PAPER_PAPER, "dsvb", "ratio"));
    paper_needs(t, c, PAPER_PAPER, "admm");
    paper_judge(c, paper_failures(t, PAPER_PAPER, "admm", "") * 10 < t->runs,
                "After a few hundred rounds dVB-ADMM is very stable.",
                "%lld of %lld runs ended in failure.",
                (long long)paper_failures(t, PAPER_PAPER, "admm", ""), (long long)t->runs);
    paper_needs(t, c, PAPER_PAPER, "admm");
    if (isfinite(paper_end(t, PAPER_OURS, "edge", "ratio")))
        paper_judge(c, -1, "(Not in the paper: EDGE.)",
                    "Protocol ours: within 5 %% in %lld of %lld runs, median round %.0f.",
                    (long long)arrived(t, PAPER_OURS, "edge"), (long long)t->runs,
                    paper_end(t, PAPER_OURS, "edge", "rounds_to_5"));
}

static const paper_printed printed[] = {
    {"admm", "rounds_to_5", "", "rounds dVB-ADMM needs (about)", 200, 1},
    {"dsvb", "rounds_to_5", "", "rounds dSVB needs (about)", 1000, 1},
    {.algorithm = NULL}};

const paper_row paper_row_admm_evolution = {
    .name = "admm-evolution",
    .title = "dVB-ADMM beside dSVB",
    .place = "Fig. ADMM/dSVB",
    .setup = "50 nodes x 100 rows, K = 3, rho = .5, tau = .2, 2000 rounds (400 with --quick).",
    .says =
        "dVB-ADMM beats dSVB in speed and accuracy: it fluctuates at first, is very stable after "
        "a few hundred rounds, and needs about 200 rounds where dSVB needs about 1000.",
    .why =
        "The order holds among the runs that converge. Not every run does: at rho = .5 the "
        "iteration is unstable on part of the draws, and leaving the domain is the symptom. What "
        "dSVB reaches by then is not cVB's accuracy with the paper's weights.",
    .seconds = 1.3,
    .printed = printed,
    .plan = {theirs, ours, 2000, 400},
    .run = paper_plan_run,
    .draw = paper_plan_draw,
    .judge = judge};
