/* sim_output.c - the output folder: each file is atomic, and summary.json is the last. */
#include "report/report.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static mb_status network_lines(void *self, mb_file *f, mb_err *err)
{
    const mb_network *net = self;

    for (int32_t i = 0; i < net->n; i++) {
        MB_TRY(mb_csv_put(f, net->id[i], err));
        MB_TRY(mb_file_printf(f, err, ",%.9g,%.9g,%lld\n", net->xy[2 * i], net->xy[2 * i + 1],
                              (long long)(net->g.ptr[i + 1] - net->g.ptr[i])));
    }
    return MB_OK;
}

/* Empty if it was not measured. */
static mb_status cell(mb_file *f, double x, mb_err *err)
{
    return isfinite(x) ? mb_file_printf(f, err, ",%.9g", x) : mb_file_printf(f, err, ",");
}

static mb_status result_lines(const sim_result *r, mb_file *f, mb_err *err)
{
    for (int32_t i = 0; i < r->session.problem.part->n_global; i++) {
        const sim_node *n = &r->nodes[i];

        MB_TRY(mb_file_printf(f, err, "%s,", r->choice->name));
        MB_TRY(mb_csv_put(f, r->choice->cvb ? "all" : r->s->world.net.id[i], err));
        MB_TRY(mb_file_printf(f, err, ",%.0f", n->rows));
        MB_TRY(cell(f, n->apart, err));
        MB_TRY(cell(f, n->kl_cvb, err));
        MB_TRY(cell(f, n->kl_truth, err));
        MB_TRY(cell(f, n->bound, err));
        MB_TRY(mb_file_printf(f, err, ",%.0f,%.0f,%.0f\n", n->outside, n->frozen, n->projected));
    }
    return MB_OK;
}

static mb_status node_lines(void *self, mb_file *f, mb_err *err)
{
    const sim_result *r = self;

    for (int32_t k = 0; k < r->s->nran; k++)
        if (!r[k].failed)
            MB_TRY(result_lines(&r[k], f, err));
    return MB_OK;
}

static mb_status copy(void *self, mb_file *f, mb_err *err)
{
    sim   *s = self;
    char  *bytes;
    size_t n;

    MB_TRY(mb_file_read(s->a, s->opt.trace, &bytes, &n, err));
    return mb_file_write(f, bytes, n, err);
}

/* The report reads the trace from the folder even if --trace names another file. */
static mb_status copy_trace(sim *s, mb_err *err)
{
    const char *path = sim_path(s, "trace.csv", err);

    if (!path)
        return MB_E_NOMEM;
    if (!s->opt.trace || !strcmp(path, s->opt.trace))
        return MB_OK;
    return sim_file(s, "trace.csv", "", copy, s, err);
}

static mb_status folder(sim *s, sim_result *r, mb_err *err)
{
    const char *edges = sim_path(s, "edges.csv", err);

    if (!edges)
        return MB_E_NOMEM;
    MB_TRY(copy_trace(s, err));
    MB_TRY(sim_config(s, r, err));
    MB_TRY(sim_file(s, "network.csv", "node,x,y,degree\n", network_lines, &s->world.net, err));
    MB_TRY(mb_network_write(s->a, &s->world.net, edges, err));
    MB_TRY(sim_wrote(s, edges, err));
    return sim_file(
        s, "nodes.csv",
        "algorithm,node,rows,disagreement,kl_cvb,kl_truth,bound,outside,frozen,projected\n",
        node_lines, r, err);
}

mb_status sim_output(sim *s, sim_result *r, char **summary, mb_err *err)
{
    const int whole = sim_to_folder(s);

    if (whole)
        MB_TRY(folder(s, r, err));
    for (int32_t k = 0; k < s->nran && s->opt.out; k++)
        if (!r[k].failed)
            MB_TRY(sim_posterior_write(&r[k], err));
    if (whole)
        MB_TRY(sim_view_write(s, r, err));
    MB_TRY(sim_summary(s, r, summary, err));
    if (!whole)
        return MB_OK;
    MB_TRY(sim_file(s, "summary.json", *summary, NULL, NULL, err));
    return report_build(s->opt.out, err);
}
