/* paper_row_ionosphere.c - Table II: radar returns, 34 columns, 20 nodes of 17 rows. */
#include "rows/paper_rows.h"

static mb_status files(mb_arena *a, const paper_set *set, const char **file, const char **how,
                       mb_err *err)
{
    MB_TRY(paper_shipped(a, set->data, "ionosphere.csv", file, err));
    if (!*file)
        *how = "ionosphere.csv comes with meshbayes in share/meshbayes; copy it into the folder of "
               "--data";
    return MB_OK;
}

static mb_status run(paper_unit *u, mb_err *err)
{
    const mb_data_opt columns = {.label_column = "label"};
    const char       *path;
    mb_data           d;

    MB_TRY(paper_shipped(u->a, u->set->data, "ionosphere.csv", &path, err));
    if (!path)
        MB_FAIL(err, MB_E_IO, "ionosphere.csv went away");
    MB_TRY(mb_data_read(u->a, path, &columns, &d, err));
    return paper_cluster(u, &(paper_rows_of){d.x, d.label, d.n, d.d, NULL}, &paper_net20, 2, 0,
                         "admm.rho=16", err);
}

static double accuracy(const paper_table *t, paper_protocol p, const char *algorithm,
                       const char *quantity)
{
    return paper_percent(t, p, algorithm, quantity, "");
}

static void judge_published(const paper_table *t, paper_claims *c)
{
    static const char *const name[] = {"cvb", "noncoop", "nsg", "dsvb", "admm"};
    static const double      printed[] = {82.08, 59.65, 64.89, 78.25, 85.59};
    double                   most = 0, own[5], one[5];

    for (int k = 0; k < 5; k++) {
        own[k] = accuracy(t, PAPER_PUBLISHED, name[k], "accuracy_node_map");
        one[k] = accuracy(t, PAPER_PUBLISHED, name[k], "accuracy");
        most = fmax(most, fabs(own[k] - printed[k]));
    }
    if (!isfinite(own[0]))
        return;
    paper_judge(c, most <= 1,
                "Table II: cVB 82.08, noncoop 59.65, nsg-dVB 64.89, dSVB 78.25, "
                "dVB-ADMM 85.59 %.",
                "Protocol published, labels matched to the truth at every node: %.2f, %.2f, %.2f, "
                "%.2f, %.2f %%; the largest distance is %.2f points.",
                own[0], own[1], own[2], own[3], own[4], most);
    paper_judge(c, -1, "(What remains of them under one map of labels for the network.)",
                "The same runs: cVB %.2f, noncoop %.2f, nsg-dVB %.2f, dSVB %.2f, dVB-ADMM %.2f %%. "
                "Always answering \"good\" gives 64.1 %%.",
                one[0], one[1], one[2], one[3], one[4]);
}

static void judge(const paper_table *t, paper_claims *c)
{
    const double cvb = accuracy(t, PAPER_PAPER, "cvb", "accuracy");
    const double noncoop = accuracy(t, PAPER_PAPER, "noncoop", "accuracy");
    const double nsg = accuracy(t, PAPER_PAPER, "nsg", "accuracy");
    const double dsvb = accuracy(t, PAPER_PAPER, "dsvb", "accuracy");
    const double admm = accuracy(t, PAPER_PAPER, "admm", "accuracy");

    if (isfinite(cvb)) {
        paper_judge(
            c, fmin(dsvb, admm) > fmax(noncoop, nsg),
            "dSVB and dVB-ADMM outperform noncoop-VB and nsg-dVB.",
            "Protocol paper: noncoop %.1f, nsg-dVB %.1f, dSVB %.1f, dVB-ADMM %.1f %% (means).",
            noncoop, nsg, dsvb, admm);
        paper_judge(c, admm > cvb, "dVB-ADMM is more accurate than central VB.",
                    "Protocol paper: %.1f against %.1f %%; %lld of %lld runs of dVB-ADMM failed.",
                    admm, cvb, (long long)paper_failures(t, PAPER_PAPER, "admm", ""),
                    (long long)t->runs);
    }
    judge_published(t, c);
    if (isfinite(accuracy(t, PAPER_OURS, "edge", "accuracy")))
        paper_judge(c, -1, "(Not in the paper: EDGE.)",
                    "Protocol ours: EDGE %.1f, FLOW %.1f, cVB %.1f %%; %lld, %lld and %lld of %lld "
                    "runs failed.",
                    accuracy(t, PAPER_OURS, "edge", "accuracy"),
                    accuracy(t, PAPER_OURS, "flow", "accuracy"),
                    accuracy(t, PAPER_OURS, "cvb", "accuracy"),
                    (long long)paper_failures(t, PAPER_OURS, "edge", ""),
                    (long long)paper_failures(t, PAPER_OURS, "flow", ""),
                    (long long)paper_failures(t, PAPER_OURS, "cvb", ""), (long long)t->runs);
}

#define BOTH(algo, called, percent, rows)                                                          \
    {algo, "accuracy", "", "accuracy of " called ", %", percent, 100},                             \
        {algo, "accuracy_node_map", "", "accuracy of " called ", a map at every node, %", percent, \
         100},                                                                                     \
    {                                                                                              \
        algo, "misclassified", "", "rows misclassified by " called, rows, 1                        \
    }

static const paper_printed printed[] = {
    BOTH("cvb", "cVB", 82.08, 60.94),       BOTH("noncoop", "noncoop-VB", 59.65, 137.19),
    BOTH("nsg", "nsg-dVB", 64.89, 119.36),  BOTH("dsvb", "dSVB", 78.25, 73.96),
    BOTH("admm", "dVB-ADMM", 85.59, 49.00), {.algorithm = NULL}};

const paper_row paper_row_ionosphere = {
    .name = "ionosphere",
    .title = "Ionosphere",
    .place = "Table II",
    .setup =
        "20 nodes, 340 of 351 rows dealt evenly, 34 columns, K = 2, tau = .2, rho = 16, at most "
        "600 rounds (120 with --quick).",
    .says = "Mean accuracy over 300 runs: cVB 82.08, noncoop-VB 59.65, nsg-dVB 64.89, dSVB 78.25, "
            "dVB-ADMM 85.59 %: the last is better than central VB.",
    .why =
        "The printed accuracies are made with the truth: the labels of every node's 17 rows are "
        "matched to the classes before they are scored (by chance alone that gives 59.8 %), and "
        "dVB-ADMM's components are put in the order of the true class means before the first "
        "round, in runs that are started again when too many covariances fail. Under one map of "
        "labels, noncoop and nsg-dVB fall to chance, dSVB loses most of its lead, and dVB-ADMM "
        "keeps its place because of its informed start. Of the five, dVB-ADMM comes out lower than "
        "printed (83.7 % over 300 runs, 83.8 % on the first author's own network): its mean "
        "depends on the network (81.0 to 83.9 % over four of the printed size and connectivity) "
        "and on how covariances are lifted that are not positive definite, which rounding decides "
        "there.",
    .runs_paper = 300,
    .plan = {.rounds = 600, .quick = 120},
    .seconds = 2,
    .printed = printed,
    .files = files,
    .run = run,
    .draw = paper_draw_accuracy,
    .judge = judge};
