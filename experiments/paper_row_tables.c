/* paper_row_tables.c - Table I: clean and polluted days by three pollutants, on a public substitute
 * for the paper's private data; Table II: radar returns, 34 columns, 20 nodes of 17 rows. */
#include "base/text.h"
#include "data/data_atmos.h"
#include "paper_rows.h"

#include <string.h>

enum { CLEAN = 830, POLLUTED = 770, DRAWN = 800 };

static const char *folder(mb_arena *a, const paper_set *set, mb_err *err)
{
    return mb_text(a, err, "%s/beijing-air", set->data);
}

static mb_status days_files(mb_arena *a, const paper_set *set, const char **file, const char **how,
                            mb_err *err)
{
    const char *dir = folder(a, set, err);

    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(atmos_file(a, dir, file, err));
    if (*file)
        return MB_OK;
    *how = mb_text(a, err, "meshbayes paper fetch beijing-air --out %s", set->data);
    return *how ? MB_OK : MB_E_NOMEM;
}

static mb_status run_days(paper_unit *u, mb_err *err)
{
    const char *dir = folder(u->a, u->set, err);
    atmos       d;

    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(atmos_draw(u->a, dir, CLEAN, POLLUTED, ATMOS_CLEAN, (uint64_t)u->set->seed, &d, err));
    return paper_cluster(u, &(paper_rows_of){d.x, d.label, d.n, ATMOS_FEATURES, NULL}, &paper_net20,
                         2, 0, "admm.rho=1", err);
}

/* The rows by true class, which are the same for all protocols, and the accuracies. */
static mb_status draw_days(paper_figures *f, const paper_table *t, mb_err *err)
{
    const char *dir = folder(t->a, t->set, err);
    FILE       *out = f->r->script;
    atmos       d;

    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(atmos_draw(t->a, dir, CLEAN, POLLUTED, ATMOS_CLEAN, (uint64_t)t->set->seed, &d, err));
    MB_TRY(paper_figure(f, t, "rows", "The rows",
                        "Half of the rows of the substitute by their true class (PM2.5, which no "
                        "algorithm sees); the same for all protocols.",
                        err));
    MB_TRY(paper_panel(f, t, "rows", "station-days", 380, err));
    for (int c = 0; c < 2; c++) {
        fprintf(out, "$c%d << EOD\n", c);
        for (int64_t r = 0; r < d.n && r < DRAWN; r++)
            if (d.label[r] == c)
                fprintf(out, "%.4g %.4g %.4g\n", d.x[3 * r], d.x[3 * r + 1], d.x[3 * r + 2]);
        fputs("EOD\n", out);
    }
    fputs("set xlabel 'SO2 (ug/m3)'\nset ylabel 'NO2 (ug/m3)'\nset zlabel 'PM10 (ug/m3)' rotate\n"
          "set xtics 100\nset ytics 80\nset ztics 200\nset lmargin screen 0.2\nset rmargin screen "
          "0.88\nset key bmargin center horizontal\n"
          "splot $c0 using 1:2:3 with points pt 7 ps 0.25 lc '#0072b2' title 'clean', $c1 using "
          "1:2:3 with points pt 7 ps 0.25 lc '#d55e00' title 'polluted'\n",
          out);
    return paper_draw_accuracy(f, t, err);
}

static void judge_days(const paper_table *t, paper_claims *c)
{
    double a[PAPER_NAMES], own[PAPER_NAMES];

    paper_percents(t, PAPER_PAPER, "accuracy", "", a);
    paper_percents(t, PAPER_OURS, "accuracy", "", own);
    if (isfinite(a[CVB])) {
        paper_judge(c, fmin(a[DSVB], a[ADMM]) > fmax(a[NONCOOP], a[NSG]),
                    "dSVB and dVB-ADMM misclassify far fewer samples than noncoop-VB and nsg-dVB.",
                    "On the substitute, protocol paper: noncoop %.2f, nsg-dVB %.2f, dSVB %.2f, "
                    "dVB-ADMM %.2f %% (means).",
                    a[NONCOOP], a[NSG], a[DSVB], a[ADMM]);
        paper_needs(t, c, PAPER_PAPER, "dsvb");
        paper_needs(t, c, PAPER_PAPER, "admm");
        paper_judge(
            c, fabs(a[DSVB] - a[CVB]) < 1 && fabs(a[ADMM] - a[CVB]) < 1,
            "They are very close to central VB.",
            "On the substitute, protocol paper: cVB %.2f, dSVB %.2f, dVB-ADMM %.2f %%; %lld of "
            "%lld runs of dVB-ADMM failed.",
            a[CVB], a[DSVB], a[ADMM], (long long)paper_failures(t, PAPER_PAPER, "admm", ""),
            (long long)t->runs);
        paper_needs(t, c, PAPER_PAPER, "dsvb");
        paper_needs(t, c, PAPER_PAPER, "admm");
    }
    if (isfinite(own[EDGE]))
        paper_judge(c, -1, "(Not in the paper: EDGE.)",
                    "Protocol ours: EDGE %.2f, FLOW %.2f, cVB %.2f %%.", own[EDGE], own[FLOW],
                    own[CVB]);
}

#define LINE(algo, called, percent, rows)                                                          \
    {algo, "accuracy", "", "accuracy of " called ", % (other data)", percent, 100},                \
    {                                                                                              \
        algo, "misclassified", "", "samples misclassified by " called " (other data)", rows, 1     \
    }
static const paper_printed printed_days[] = {
    LINE("cvb", "cVB", 100.00, 0),         LINE("noncoop", "noncoop-VB", 89.75, 164.06),
    LINE("nsg", "nsg-dVB", 98.99, 16.15),  LINE("dsvb", "dSVB", 99.89, 1.73),
    LINE("admm", "dVB-ADMM", 99.99, 0.03), {.algorithm = NULL}};

const paper_row paper_row_atmosphere = {
    .name = "atmosphere",
    .title = "Atmosphere (a public substitute)",
    .place = "Table I",
    .setup =
        "20 nodes x 80 station-days of Beijing (830 clean, 770 polluted by PM2.5), columns SO2, "
        "NO2, PM10, K = 2, tau = .2, rho = 1, at most 600 rounds (150 with --quick).",
    .says = "Mean accuracy over 300 runs: cVB 100.00, noncoop-VB 89.75, nsg-dVB 98.99, dSVB 99.89, "
            "dVB-ADMM 99.99 %.",
    .why =
        "These are not the paper's data: its air samples are private. The substitute is made by a "
        "public rule from public measurements, its classes overlap in the three columns, and two "
        "Gaussians are not its classes; compare the order of the algorithms, not the percentages.",
    .runs_paper = 300,
    .plan = {.rounds = 600, .quick = 150},
    .seconds = 0.3,
    .printed = printed_days,
    .files = days_files,
    .run = run_days,
    .draw = draw_days,
    .judge = judge_days};

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
        MB_FAIL(err, MB_E_IO, "ionosphere.csv has disappeared");
    MB_TRY(mb_data_read(u->a, path, &columns, &d, err));
    return paper_cluster(u, &(paper_rows_of){d.x, d.label, d.n, d.d, NULL}, &paper_net20, 2, 0,
                         "admm.rho=16", err);
}

static void judge_published(const paper_table *t, paper_claims *c)
{
    double most = 0, own[PAPER_NAMES], one[PAPER_NAMES];

    paper_percents(t, PAPER_PUBLISHED, "accuracy_node_map", "", own);
    paper_percents(t, PAPER_PUBLISHED, "accuracy", "", one);
    for (const paper_printed *q = t->row->printed; q->algorithm; q++)
        for (int k = CVB; k <= ADMM; k++)
            if (!strcmp(q->quantity, "accuracy") && !strcmp(q->algorithm, paper_names[k]))
                most = isnan(own[k]) ? HUGE_VAL : fmax(most, fabs(own[k] - q->value));
    if (!isfinite(own[CVB]))
        return;
    paper_judge(c, most <= 1,
                "Table II: cVB 82.08, noncoop 59.65, nsg-dVB 64.89, dSVB 78.25, "
                "dVB-ADMM 85.59 %.",
                "Protocol published, labels matched to the truth at every node: %.2f, %.2f, %.2f, "
                "%.2f, %.2f %%; the largest distance is %.2f points.",
                own[CVB], own[NONCOOP], own[NSG], own[DSVB], own[ADMM], most);
    paper_judge(c, -1, "(What remains of them under one map of labels for the network.)",
                "The same runs: cVB %.2f, noncoop %.2f, nsg-dVB %.2f, dSVB %.2f, dVB-ADMM %.2f %%. "
                "Always answering \"good\" gives 64.1 %%.",
                one[CVB], one[NONCOOP], one[NSG], one[DSVB], one[ADMM]);
}

static void judge(const paper_table *t, paper_claims *c)
{
    double a[PAPER_NAMES], own[PAPER_NAMES];

    paper_percents(t, PAPER_PAPER, "accuracy", "", a);
    paper_percents(t, PAPER_OURS, "accuracy", "", own);
    if (isfinite(a[CVB])) {
        paper_judge(
            c, fmin(a[DSVB], a[ADMM]) > fmax(a[NONCOOP], a[NSG]),
            "dSVB and dVB-ADMM outperform noncoop-VB and nsg-dVB.",
            "Protocol paper: noncoop %.1f, nsg-dVB %.1f, dSVB %.1f, dVB-ADMM %.1f %% (means).",
            a[NONCOOP], a[NSG], a[DSVB], a[ADMM]);
        paper_needs(t, c, PAPER_PAPER, "dsvb");
        paper_needs(t, c, PAPER_PAPER, "admm");
        paper_judge(c, a[ADMM] > a[CVB], "dVB-ADMM is more accurate than central VB.",
                    "Protocol paper: %.1f against %.1f %%; %lld of %lld runs of dVB-ADMM failed.",
                    a[ADMM], a[CVB], (long long)paper_failures(t, PAPER_PAPER, "admm", ""),
                    (long long)t->runs);
        paper_needs(t, c, PAPER_PAPER, "admm");
    }
    judge_published(t, c);
    if (isfinite(own[EDGE]))
        paper_judge(c, -1, "(Not in the paper: EDGE.)",
                    "Protocol ours: EDGE %.1f, FLOW %.1f, cVB %.1f %%; %lld, %lld and %lld of %lld "
                    "runs failed.",
                    own[EDGE], own[FLOW], own[CVB],
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
    .why = "The printed accuracies are made with the truth: the labels of every node's 17 rows are "
           "matched to the classes before they are scored (by chance alone that gives 59.8 %), and "
           "dVB-ADMM's components are sorted by the true class means before the first round, in "
           "runs that are restarted when too many covariances fail. Under one map of labels, "
           "noncoop and nsg-dVB fall to chance, dSVB loses most of its lead, and dVB-ADMM keeps "
           "its place because of its informed initialisation. Of the five, dVB-ADMM comes out "
           "lower than printed (83.7 % over 300 runs, 83.8 % on the first author's own network): "
           "its mean depends on the network (81.0 to 83.9 % over four of the printed size and "
           "connectivity) and on how covariances that are not positive definite are lifted, which "
           "is decided by rounding there.",
    .runs_paper = 300,
    .plan = {.rounds = 600, .quick = 120},
    .seconds = 2,
    .printed = printed,
    .files = files,
    .run = run,
    .draw = paper_draw_accuracy,
    .judge = judge};
