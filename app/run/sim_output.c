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
        MB_TRY(mb_csv_put(f, r->choice->cvb ? "all" : r->cs->network->net.id[i], err));
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
    const sim_results *all = self;

    for (int32_t k = 0; k < all->n; k++)
        if (!all->r[k].failed)
            MB_TRY(result_lines(&all->r[k], f, err));
    return MB_OK;
}

typedef struct trace_file {
    mb_arena   *a;
    const char *path;
} trace_file;

static mb_status copy(void *self, mb_file *f, mb_err *err)
{
    const trace_file *from = self;
    char             *bytes;
    size_t            n;

    MB_TRY(mb_file_read(from->a, from->path, &bytes, &n, err));
    return mb_file_write(f, bytes, n, err);
}

/* The report reads the trace from the folder even if --trace names another file. */
static mb_status copy_trace(sim_job *job, const sim_args *args, mb_err *err)
{
    const char *path = sim_path(job, "trace.csv", err);
    trace_file  from = {job->a, args->opt.trace};

    if (!path)
        return MB_E_NOMEM;
    if (!args->opt.trace || !strcmp(path, args->opt.trace))
        return MB_OK;
    return sim_file(job, "trace.csv", "", copy, &from, err);
}

enum { MOST_GIVEN = 96 /* options */ };

/* Given options of a table that affect the posterior, except the seed, which has its own field. */
static mb_status given(sim_job *job, const mb_opt *table, const void *obj, const char *(*out)[2],
                       int32_t *n, mb_err *err)
{
    char number[64];

    for (; table && table->name && *n < MOST_GIVEN; table++) {
        if (!sim_option_given(table, obj) || sim_option_is_output(table->name) ||
            !strcmp(table->name, "seed"))
            continue;
        out[*n][0] = table->name;
        out[*n][1] = sim_redact(job, sim_option_text(table, obj, number), err);
        if (!out[(*n)++][1])
            return MB_E_NOMEM;
    }
    return MB_OK;
}

mb_status sim_provenance(const sim_result *r, mb_provenance *out, mb_err *err)
{
    sim_job        *job = r->job;
    const sim_case *cs = r->cs;
    const char *(*option)[2];

    MB_NEW(option, job->a, MOST_GIVEN, err);
    *out = (mb_provenance){.algorithm = r->choice->name,
                           .of = r->named ? cs->args->opt.node : "network mean",
                           .rounds = r->out.rounds,
                           .seed = cs->args->opt.seed,
                           .data = sim_redact(job, cs->args->opt.data, err),
                           .data_hash = cs->hash,
                           .data_rows = cs->rows->data.n,
                           .verdict = mb_verdict_text(sim_verdict(r)),
                           .accelerated = r->session.how.algo == &mb_algo_squarem,
                           .weight_total = cs->fit->stages->nodes.weight_total,
                           .bound = r->named ? (double)NAN : r->out.bound,
                           .option = (const char *const(*)[2])option};
    if (!out->data)
        return MB_E_NOMEM;
    if (cs->args->update) { /* of all rows that it has learnt from */
        out->data_rows = r->learnt.rows;
        out->weight_total = r->learnt.weight;
        out->bound = r->learnt.bound;
    }
    MB_TRY(given(job, cs->args->table, &cs->args->opt, option, &out->noptions, err));
    MB_TRY(given(job, cs->args->kind->opts, cs->args->model_opt, option, &out->noptions, err));
    if (cs->args->command->more)
        return given(job, cs->args->command->more, cs->args->own, option, &out->noptions, err);
    return given(job, r->choice->algo->opts, r->session.how.opt, option, &out->noptions, err);
}

static mb_status write_posterior(sim_result *r, mb_err *err)
{
    sim_job      *job = r->job;
    mb_arena     *a = r->session.own;
    const char   *path = sim_to_folder(job) ? sim_path(job, "posterior.json", err) : job->out;
    mb_posterior  p;
    mb_provenance from;
    mb_status     st;

    path = sim_name(job, r->cs->args, path, r->choice->name, err);
    if (!path)
        return MB_E_NOMEM;
    /* the components of a node keep the order of the mean */
    st = mb_case_posterior(a, r->session.c, r->named ? r->named : r->out.mean, r->out.order, &p,
                           err);
    r->unwritten = st == MB_E_DOMAIN;
    if (r->unwritten) {
        sim_warn(job, "%s: %s is outside the domain: no %s", r->choice->name,
                 r->named ? "the node" : "the network mean", path);
        return MB_OK;
    }
    MB_TRY(st);
    MB_TRY(sim_provenance(r, &from, err));
    MB_TRY(mb_posterior_write(a, &p, &from, path, err));
    return sim_wrote(job, path, err);
}

static mb_status folder(sim_job *job, const sim_results *all, mb_err *err)
{
    const char *edges = sim_path(job, "edges.csv", err);

    if (!edges)
        return MB_E_NOMEM;
    MB_TRY(copy_trace(job, all->cs->args, err));
    if (job->many)
        MB_TRY(job->many->write(job->many->self, err));
    MB_TRY(sweep_file(job, all->cs, err));
    MB_TRY(sim_config(job, all, err));
    MB_TRY(sim_file(job, "network.csv", "node,x,y,degree\n", network_lines,
                    (void *)(uintptr_t)&all->cs->network->net, err));
    MB_TRY(mb_network_write(job->a, &all->cs->network->net, edges, err));
    MB_TRY(sim_wrote(job, edges, err));
    return sim_file(
        job, "nodes.csv",
        "algorithm,node,rows,disagreement,kl_cvb,kl_truth,bound,outside,frozen,projected\n",
        node_lines, (void *)(uintptr_t)all, err);
}

mb_status sim_output(sim_job *job, const sim_results *all, char **summary, mb_err *err)
{
    const int whole = sim_to_folder(job);

    if (whole)
        MB_TRY(folder(job, all, err));
    for (int32_t k = 0; k < all->n && job->out; k++)
        if (!all->r[k].failed)
            MB_TRY(write_posterior(&all->r[k], err));
    if (whole)
        MB_TRY(sim_view_write(job, all, err));
    MB_TRY(sim_summary(job, all, summary, err));
    if (!whole)
        return MB_OK;
    MB_TRY(sim_file(job, "summary.json", *summary, NULL, NULL, err));
    MB_TRY(folder_end(job->out, err));
    return report_build(job->out, err);
}
