/* paper_synthetic.c - what the experiments on the synthetic problem share. */
#include "paper_common.h"

#include <string.h>

enum { PER_DECADE = 14, RESTARTS = 20 };

mb_status paper_problem(paper_unit *u, const data_problem *p, const paper_network *net,
                        paper_world **w, paper_truth *t, mb_err *err)
{
    const data_problem usual = {.nodes = 50, .rows = 100, .seed = u->seed};

    MB_TRY(paper_world_synthetic(u, p ? p : &usual, net ? net : &paper_net50, w, t, err));
    if (u->protocol == PAPER_PUBLISHED)
        MB_TRY(paper_start_informed(*w, t, 0, 0, err));
    return paper_truth_ready(*w, t, err);
}

/* The first noted round from which on both the mean cost and its deviation over the nodes stay
 * within 5 % of cVB's cost. */
static double rounds_to_5(const paper_unit *u, const char *name, double cvb)
{
    double  since = PAPER_NAN;
    int64_t last = -1;

    for (int64_t k = 0; k + 1 < u->count; k++) {
        const paper_number *m = &u->number[k], *s = m + 1;

        if (strcmp(m->quantity, "kl_mean") != 0 || isnan(m->x) || strcmp(m->algorithm, name) != 0)
            continue;
        last = k;
        if (!(fabs(m->value - cvb) <= 0.05 * cvb && s->value <= 0.05 * cvb))
            since = PAPER_NAN;
        else if (isnan(since))
            since = m->x;
    }
    return last < 0 ? PAPER_NAN : since;
}

mb_status paper_compare(paper_unit *u, const data_problem *p, const paper_network *net, mb_err *err)
{
    double       cvb;
    paper_world *w;
    paper_truth  t;

    MB_TRY(paper_problem(u, p, net, &w, &t, err));
    MB_TRY(paper_cases(w, &u->row->plan, err));
    MB_TRY(paper_note_costs(w, PER_DECADE, err));
    for (paper_result *r = w->result; r < w->result + w->count; r++)
        if (r->c.on_domain == MB_HALT)
            MB_TRY(paper_case_retry(w, &t, 0, RESTARTS, r, err));
        else
            MB_TRY(paper_case_run(w, &t, r, err));
    MB_TRY(paper_conclude(w, &t, err));
    cvb = w->result->error ? PAPER_NAN : w->result->end.value[MB_M_KL_TRUTH].mean;
    for (const paper_result *r = w->result + 1; r < w->result + w->count; r++)
        MB_TRY(
            paper_put(u, r->c.name, "rounds_to_5", PAPER_NAN, rounds_to_5(u, r->c.name, cvb), err));
    return MB_OK;
}

mb_status paper_plan_run(paper_unit *u, mb_err *err)
{
    return paper_compare(u, NULL, NULL, err);
}

double paper_median(const paper_table *t, paper_protocol p, const char *algorithm,
                    const char *quantity, const char *part, double x)
{
    return paper_stat_at(t, p, algorithm, quantity, part, x).median;
}

double paper_end(const paper_table *t, paper_protocol p, const char *algorithm,
                 const char *quantity)
{
    return paper_median(t, p, algorithm, quantity, "", PAPER_NAN);
}

void paper_medians(const paper_table *t, paper_protocol p, const char *quantity,
                   double out[PAPER_NAMES])
{
    for (int k = 0; k < PAPER_NAMES; k++)
        out[k] = paper_end(t, p, paper_names[k], quantity);
}

void paper_percents(const paper_table *t, paper_protocol p, const char *quantity, const char *part,
                    double out[PAPER_NAMES])
{
    for (int k = 0; k < PAPER_NAMES; k++)
        out[k] = 100 * paper_stat_at(t, p, paper_names[k], quantity, part, PAPER_NAN).mean;
}

int64_t paper_failures(const paper_table *t, paper_protocol p, const char *algorithm,
                       const char *part)
{
    return paper_stat_at(t, p, algorithm, "failed", part, PAPER_NAN).failed;
}

static mb_status cost_panels(paper_figures *f, const paper_table *t, const char *id,
                             const char *title, const paper_axes *axes, const paper_line *line,
                             int count, mb_err *err)
{
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        MB_TRY(paper_panel_lines(f, t, (paper_protocol)p, id, title, axes, line, count, err));
    return MB_OK;
}

const paper_axes paper_cost_axes = {"rounds", "cost, eq. (46) (nats)", "kl_mean", NULL, 1e-3, 285,
                                    NULL};

mb_status paper_draw_cost(paper_figures *f, const paper_table *t, const paper_line *line, int count,
                          mb_err *err)
{
    paper_axes sd = paper_cost_axes, bytes = paper_cost_axes;

    sd.quantity = "kl_sd";
    sd.y = "deviation of the cost (nats)";
    bytes.xof = "bytes";
    bytes.x = "bytes sent a node";
    bytes.more = "set format x '%.0s %cB'";
    MB_TRY(paper_figure(f, t, "rounds", "Cost against rounds",
                        "Mean and standard deviation over the nodes; lines and bands: median and "
                        "quartiles over the runs. Values below 10^-3 are plotted at 10^-3.",
                        err));
    MB_TRY(cost_panels(f, t, "mean", "mean over nodes", &paper_cost_axes, line, count, err));
    MB_TRY(cost_panels(f, t, "sd", "deviation over nodes", &sd, line, count, err));
    MB_TRY(
        paper_figure(f, t, "bytes", "Cost against bytes sent",
                     "Mean over the nodes, against the bytes a node has sent over its links (mean "
                     "over the nodes). Central VB has no links.",
                     err));
    return cost_panels(f, t, "bytes", "mean over nodes", &bytes, line, count, err);
}

mb_status paper_plan_draw(paper_figures *f, const paper_table *t, mb_err *err)
{
    paper_line line[PAPER_NAMES];

    for (int k = 0; k < PAPER_NAMES; k++)
        line[k] = paper_line_of(paper_names[k]);
    return paper_draw_cost(f, t, line, PAPER_NAMES, err);
}
