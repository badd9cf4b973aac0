/* sim_output.c - the output folder: each file is atomic, and summary.json is the last. */
#include "base/folder.h"
#include "report/report.h"
#include "run/fit_update.h"
#include "run/sweep.h"

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
        MB_TRY(mb_csv_put(f, r->choice->cvb ? "all" : r->s->network.net.id[i], err));
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

    for (int32_t k = 0; k < r->s->results.n; k++)
        if (!r[k].failed)
            MB_TRY(result_lines(&r[k], f, err));
    return MB_OK;
}

static mb_status copy(void *self, mb_file *f, mb_err *err)
{
    sim   *s = self;
    char  *bytes;
    size_t n;

    MB_TRY(mb_file_read(s->job.a, s->args.opt.trace, &bytes, &n, err));
    return mb_file_write(f, bytes, n, err);
}

/* The report reads the trace from the folder even if --trace names another file. */
static mb_status copy_trace(sim *s, mb_err *err)
{
    const char *path = sim_path(s, "trace.csv", err);

    if (!path)
        return MB_E_NOMEM;
    if (!s->args.opt.trace || !strcmp(path, s->args.opt.trace))
        return MB_OK;
    return sim_file(s, "trace.csv", "", copy, s, err);
}

enum { MOST_GIVEN = 96 /* options */ };

/* Given options of a table that affect the posterior, except the seed, which has its own field. */
static mb_status given(sim *s, const mb_opt *table, const void *obj, const char *(*out)[2],
                       int32_t *n, mb_err *err)
{
    char number[64];

    for (; table && table->name && *n < MOST_GIVEN; table++) {
        if (!sim_option_given(table, obj) || sim_option_is_output(table->name) ||
            !strcmp(table->name, "seed"))
            continue;
        out[*n][0] = table->name;
        out[*n][1] = sim_redact(s, sim_option_text(table, obj, number), err);
        if (!out[(*n)++][1])
            return MB_E_NOMEM;
    }
    return MB_OK;
}

mb_status sim_provenance(sim *s, const sim_result *r, mb_provenance *out, mb_err *err)
{
    const char *(*option)[2];

    MB_NEW(option, s->job.a, MOST_GIVEN, err);
    *out = (mb_provenance){.algorithm = r->choice->name,
                           .of = r->named ? s->args.opt.node : "network mean",
                           .rounds = r->out.rounds,
                           .seed = s->args.opt.seed,
                           .data = sim_redact(s, s->args.opt.data, err),
                           .data_hash = s->rows.data.hash,
                           .data_rows = s->rows.data.n,
                           .verdict = mb_verdict_text(sim_verdict(r)),
                           .accelerated = r->session.how.algo == &mb_algo_squarem,
                           .weight_total = s->cs.fit->stages->nodes.weight_total,
                           .bound = r->named ? (double)NAN : r->out.bound,
                           .option = (const char *const(*)[2])option};
    if (!out->data)
        return MB_E_NOMEM;
    if (s->args.update)
        sim_update_provenance(s, out);
    MB_TRY(given(s, s->args.table, &s->args.opt, option, &out->noptions, err));
    MB_TRY(given(s, s->args.kind->opts, s->args.model_opt, option, &out->noptions, err));
    if (s->args.command->more)
        return given(s, s->args.command->more, s->args.own, option, &out->noptions, err);
    return given(s, r->choice->algo->opts, r->session.how.opt, option, &out->noptions, err);
}

static mb_status write_posterior(sim_result *r, mb_err *err)
{
    sim          *s = r->s;
    mb_arena     *a = r->session.own;
    const char   *path = sim_to_folder(s) ? sim_path(s, "posterior.json", err) : s->args.opt.out;
    mb_posterior  p;
    mb_provenance from;
    mb_status     st;

    path = sim_name(s, path, r->choice->name, err);
    if (!path)
        return MB_E_NOMEM;
    /* the components of a node keep the order of the mean */
    st = mb_case_posterior(a, r->session.c, r->named ? r->named : r->out.mean, r->out.order, &p,
                           err);
    r->unwritten = st == MB_E_DOMAIN;
    if (r->unwritten) {
        sim_warn(s, "%s: %s is outside the domain: no %s", r->choice->name,
                 r->named ? "the node" : "the network mean", path);
        return MB_OK;
    }
    MB_TRY(st);
    MB_TRY(sim_provenance(s, r, &from, err));
    MB_TRY(mb_posterior_write(a, &p, &from, path, err));
    return sim_wrote(s, path, err);
}

static mb_status folder(sim *s, sim_result *r, mb_err *err)
{
    const char *edges = sim_path(s, "edges.csv", err);

    if (!edges)
        return MB_E_NOMEM;
    MB_TRY(copy_trace(s, err));
    if (s->job.many)
        MB_TRY(s->job.many->write(s->job.many->self, err));
    MB_TRY(sweep_file(s, err));
    MB_TRY(sim_config(s, r, err));
    MB_TRY(sim_file(s, "network.csv", "node,x,y,degree\n", network_lines, &s->network.net, err));
    MB_TRY(mb_network_write(s->job.a, &s->network.net, edges, err));
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
    for (int32_t k = 0; k < s->results.n && s->args.opt.out; k++)
        if (!r[k].failed)
            MB_TRY(write_posterior(&r[k], err));
    if (whole)
        MB_TRY(sim_view_write(s, r, err));
    MB_TRY(sim_summary(s, r, summary, err));
    if (!whole)
        return MB_OK;
    MB_TRY(sim_file(s, "summary.json", *summary, NULL, NULL, err));
    MB_TRY(folder_end(s->args.opt.out, err));
    return report_build(s->args.opt.out, err);
}
