/* paper_clusters.c - the experiments on real data: clustering judged by the accuracy. */
#include "paper_common.h"

#include <string.h>

enum { ALGOS = 5, ALONE = 100 /* rounds of noncoop and nsg */ };
enum { FEW = 10, MANY = 400 /* restarts of dVB-ADMM: COIL-20, tables */ };

/* Labels of one node's rows, and how many of component k are of class c. */
static mb_status count_node(const paper_world *w, const paper_truth *t, const paper_result *r,
                            int32_t i, double *label, double *scratch, int64_t *counts, mb_err *err)
{
    const mb_model *m = r->s.problem.model;
    const mb_rows  *rows = &w->nodes[0].rows[i];
    const double   *phi = r->s.state.phi + (r->c.algo ? (size_t)i * r->s.state.ld : 0);

    memset(counts, 0, (size_t)w->K * (size_t)t->nclass * sizeof *counts);
    MB_TRY(m->ops->predict(m, phi, rows, MB_WANT_LABEL, label, scratch, err));
    for (int64_t j = 0; j < rows->n; j++)
        counts[(int32_t)label[j] * t->nclass + t->label[w->first[i] + j]]++;
    return MB_OK;
}

/* Labels matched to the classes at every node before they are scored: what the printed accuracies
 * are. By chance alone this is far above one half. */
static mb_status node_map(const paper_world *w, const paper_truth *t, const paper_result *r,
                          double *out, mb_err *err)
{
    const int32_t C = t->nclass;
    int64_t      *counts, *mapped;
    int32_t      *match;
    double       *label, *scratch;
    mb_agreement  agree;

    MB_NEW(counts, w->u->a, w->K * C, err);
    MB_NEW(mapped, w->u->a, C * C, err);
    MB_NEW(match, w->u->a, w->K, err);
    MB_NEW(label, w->u->a, w->n, err);
    MB_NEW(scratch, w->u->a, r->s.problem.model->scratch + 1, err);
    for (int32_t i = 0; i < w->N; i++) {
        mb_status st = count_node(w, t, r, i, label, scratch, counts, err);

        if (st == MB_E_DOMAIN)
            continue;
        MB_TRY(st);
        MB_TRY(mb_agreement_of(w->u->a, counts, w->K, C, &agree, match, err));
        for (int32_t k = 0; k < w->K; k++)
            for (int32_t c = 0; c < C; c++)
                mapped[(match[k] < 0 ? 0 : match[k]) * C + c] += counts[k * C + c];
    }
    MB_TRY(mb_agreement_of(w->u->a, mapped, C, C, &agree, NULL, err));
    *out = agree.accuracy;
    return MB_OK;
}

static mb_status cases(paper_world *w, const char *rho, mb_err *err)
{
    /* The rounds, weights and stopping rules of the first author's program. */
    static const paper_case published[ALGOS] = {
        {"cvb", NULL, {NULL}, MB_METROPOLIS, MB_FREEZE, 100, 0, 0, 6},
        {"noncoop", &mb_algo_noncoop, {NULL}, MB_METROPOLIS, MB_FREEZE, 100, 0, 0, 50},
        {"nsg", &mb_algo_nsg, {NULL}, MB_METROPOLIS, MB_FREEZE, 100, 0, 0, 50},
        {"dsvb", &mb_algo_dsvb, {"dsvb.d0=2"}, MB_NEAREST, MB_FREEZE, 300, 0, 0, 100},
        {"admm", &mb_algo_admm, {NULL}, MB_METROPOLIS, MB_HALT, 1000, 0, 1, 100}};
    static const char *const theirs[] = {"noncoop", "nsg", "dsvb", "admm", NULL};
    static const char *const ours[] = {"edge", "flow", NULL};
    const paper_plan         plan = {.theirs = theirs, .ours = ours};

    MB_TRY(paper_cases(w, &plan, err));
    if (w->u->protocol == PAPER_OURS)
        return MB_OK;
    for (int k = 0; k < ALGOS && w->u->protocol == PAPER_PUBLISHED; k++)
        w->result[k].c = published[k];
    for (int k = 1; k < 3 && w->u->protocol == PAPER_PAPER; k++)
        w->result[k].c.rounds = ALONE;
    w->result[4].c.option[0] = rho;
    return MB_OK;
}

mb_status paper_cluster(paper_unit *u, const paper_rows_of *rows, const paper_network *net,
                        int32_t K, int32_t attempt, const char *rho, mb_err *err)
{
    const int    published = u->protocol == PAPER_PUBLISHED;
    paper_world *w;
    paper_truth  t;

    MB_TRY(paper_world_rows(u, rows, net, K, attempt, &w, &t, err));
    MB_TRY(cases(w, rho, err));
    for (paper_result *r = w->result; r < w->result + w->count; r++) {
        if (published && r->c.algo != &mb_algo_admm)
            paper_start_local(w, 0);
        if (published && r->c.algo == &mb_algo_admm)
            MB_TRY(paper_case_retry(w, &t, 1, K > 2 ? FEW : MANY, r, err));
        else
            MB_TRY(paper_case_run(w, &t, r, err));
    }
    MB_TRY(paper_conclude(w, &t, err));
    for (paper_result *r = w->result; published && r < w->result + w->count; r++) {
        double right = PAPER_NAN;

        if (!r->error)
            MB_TRY(node_map(w, &t, r, &right, err));
        MB_TRY(paper_put(u, r->c.name, "accuracy_node_map", PAPER_NAN, right, err));
    }
    return MB_OK;
}

static mb_status panel(paper_figures *f, const paper_table *t, paper_protocol p,
                       const char *quantity, const char *title, mb_err *err)
{
    FILE *out = f->r->script;

    MB_TRY(paper_panel_of(f, t, p, quantity, title, 360, err));
    fputs("set ylabel 'accuracy (%)'\nset xlabel 'algorithm'\nset yrange [0:105]\n"
          "set style fill solid 0.75 noborder\nset xtics rotate by -25\nset rmargin 6\nset key "
          "bmargin center horizontal\nset bmargin 9.5\n"
          "$b << EOD\n",
          out);
    for (int k = 0; k < PAPER_NAMES; k++) {
        const paper_stat s = paper_stat_at(t, p, paper_names[k], quantity, "", PAPER_NAN);
        double           print = PAPER_NAN;

        if (!s.runs || !isfinite(s.mean))
            continue;
        for (const paper_printed *q = t->row->printed; q && q->algorithm; q++)
            if (!strcmp(q->algorithm, paper_names[k]) && !strcmp(q->quantity, "accuracy"))
                print = q->value;
        fprintf(out, "\"%s\" %.5g %.5g ", paper_line_of(paper_names[k]).label, 100 * s.mean,
                100 * s.sd);
        fprintf(out, isfinite(print) ? "%g\n" : "NaN\n", print);
    }
    fputs("EOD\nset xrange [-0.6:*]\nplot $b using 0:2:(0.7):xtic(1) with boxes lc '#56b4e9' title "
          "'mean', $b using 0:2:3 with yerrorbars pt 7 ps 0.1 lw 1.6 lc '#333333' title 'deviation "
          "over runs', $b using 0:4 with points pt 9 ps 1 lc '#d55e00' title 'printed'\n",
          out);
    return MB_OK;
}

mb_status paper_draw_accuracy(paper_figures *f, const paper_table *t, mb_err *err)
{
    MB_TRY(
        paper_figure(f, t, "accuracy", "Accuracy",
                     "Rows in the class matched to their component; one matching for the whole "
                     "network unless the title says otherwise. Triangles: what the paper prints.",
                     err));
    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        if (t->protocols >> p & 1)
            MB_TRY(panel(f, t, (paper_protocol)p, "accuracy", "one map of labels", err));
    if (t->protocols >> PAPER_PUBLISHED & 1)
        MB_TRY(panel(f, t, PAPER_PUBLISHED, "accuracy_node_map", "a map at every node", err));
    return MB_OK;
}
