/* sim_output.c - the output folder: each file is atomic, and summary.json (also --json) is the last. */
#include "base/folder.h"
#include "report/report.h"
#include "run/fit_update.h"
#include "run/sim.h"
#include "run/sweep.h"

#include <math.h>
#include <string.h>

static mb_status data_summary(sim_job *job, const sim_case *cs, mb_json_out *j)
{
    const mb_data *data = &cs->rows->data;
    const mb_case *c = &cs->fit->stages->nodes;
    const char    *file = sim_redact(job, cs->args->opt.data, j->err);

    if (!file)
        return MB_E_NOMEM;
    mb_json_object(j, "data");
    mb_json_text(j, "file", file);
    mb_json_integer(j, "rows", data->n);
    if (data->nfiles > 1)
        mb_json_integer(j, "files", data->nfiles);
    if (data->dropped)
        mb_json_integer(j, "rows_dropped", data->dropped);
    if (c->gaps.cells) {
        mb_json_integer(j, "cells_missing", c->gaps.cells);
        mb_json_integer(j, "rows_incomplete", c->gaps.rows);
    }
    mb_json_texts(j, "features", sim_inputs(cs->rows), data->name);
    mb_json_integer(j, "nodes", cs->network->net.n);
    mb_json_number(j, "weight_total", c->weight_total);
    mb_json_list(j, "constant");
    for (int32_t d = 0; d < data->d; d++)
        if (c->agreed.constant[d])
            mb_json_text(j, NULL, data->name[d]);
    mb_json_close(j);
    if (data->label)
        mb_json_texts(j, "labels", data->nlabel, data->label_name);
    else
        mb_json_null(j, "labels");
    mb_json_close(j);
    return MB_OK;
}

static mb_status network_summary(sim_job *job, const sim_case *cs, mb_json_out *j)
{
    const mb_graph_stats *g = &cs->network->net.facts;
    const char           *weights = sim_redact(job, cs->args->opt.weights, j->err);

    if (!weights)
        return MB_E_NOMEM;
    mb_json_object(j, "network");
    mb_json_integer(j, "nodes", cs->network->net.n);
    mb_json_integer(j, "edges", g->edges);
    mb_json_integer(j, "deg_min", g->deg_min);
    mb_json_number(j, "deg_mean", g->deg_mean);
    mb_json_integer(j, "deg_max", g->deg_max);
    mb_json_integer(j, "diameter", g->diameter);
    mb_json_number(j, "algebraic_connectivity", g->algebraic_connectivity);
    mb_json_number(j, "lambda2", g->lambda2);
    mb_json_integer(j, "hops", cs->fit->stages->nodes.tree.hops);
    mb_json_text(j, "weights", weights);
    mb_json_text(j, "positions", cs->network->net.xy_from);
    mb_json_close(j);
    return MB_OK;
}

/* The prior, and what its making and the common units let every node know of all rows. */
static void prior_summary(const sim_case *cs, mb_json_out *j)
{
    const mb_opt  *opts = cs->args->kind->opts, *o = opts ? mb_opt_find(opts, "prior") : NULL;
    const mb_case *c = &cs->fit->stages->nodes;
    char           number[64];

    mb_json_object(j, "prior");
    mb_json_text(j, "name", o ? sim_option_text(o, cs->args->model_opt, number) : NULL);
    mb_json_text(j, "warning", c->warning);
    mb_json_text(
        j, "revealed",
        cs->network->net.n == 1 ? NULL
        : cs->args->opt.privacy
            ? "every node knows the sums of all rows with the noise of all nodes"
        : c->seen.cov && c->bounds
            ? "every node knows the mean, standard deviation and covariance of the columns "
              "of all rows: sums over the network, for common units and the prior"
        : c->seen.cov
            ? "every node knows the mean, standard deviation, range and covariance of the "
              "columns of all rows: sums over the network, for common units and the prior"
        : c->bounds ? "every node knows the mean and standard deviation of each column of all "
                      "rows: sums over the network, for common units"
                    : "every node knows the mean, standard deviation and range of each column of "
                      "all rows: sums over the network, for common units");
    mb_json_close(j);
}

static void faults_summary(const sim_network *network, mb_json_out *j)
{
    const double *up = network->net.delivery;
    const int64_t edges = network->net.g.ptr[network->net.n];
    double        loss = network->args->opt.loss, most = 0;

    for (int64_t e = 0; up && e < edges; e++) {
        loss = (e ? loss : 0) + (1 - up[e]) / (double)edges;
        most = fmax(most, 1 - up[e]);
    }
    mb_json_object(j, "faults");
    mb_json_number(j, "loss", loss);
    if (up)
        mb_json_number(j, "loss_max", most);
    mb_json_number(j, "loss_directed", network->args->opt.loss_directed);
    mb_json_number(j, "silent", network->args->opt.silent);
    mb_json_integer(j, "delay", network->args->opt.delay);
    mb_json_close(j);
}

/* Mean and spread over the nodes; null if it was not measured. */
static void spread(const mb_metrics *m, mb_metric which, const char *key, mb_json_out *j)
{
    const mb_stat *v = &m->value[which];

    if (!(m->on >> which & 1)) {
        mb_json_null(j, key);
        return;
    }
    mb_json_object(j, key);
    mb_json_number(j, "mean", v->mean);
    mb_json_number(j, "sd", v->sd);
    mb_json_number(j, "max", v->max);
    mb_json_close(j);
}

/* Totals are whole numbers. */
static void total(const mb_metrics *m, mb_metric which, const char *key, mb_json_out *j)
{
    mb_json_integer(j, key, (int64_t)m->value[which].total);
}

static void measured(const sim_rows *rows, const sim_result *r, mb_json_out *j)
{
    const mb_metrics *m = &r->final;
    const double      none = (double)NAN;
    const int         judged = rows->data.label != NULL;

    mb_json_integer(j, "outside", m->value[MB_M_FROZEN].outside);
    if (r->reason)
        mb_json_text(j, "reason", r->reason);
    total(m, MB_M_FROZEN, "frozen", j);
    total(m, MB_M_PROJECTED, "projected", j);
    mb_json_number(j, "disagreement", r->out.disagreement);
    mb_json_number(j, "moved", r->out.moved);
    mb_json_number(j, "bound", r->out.bound);
    mb_json_number(j, "bound_local", m->value[MB_M_BOUND].mean);
    mb_json_number(j, "accuracy", judged ? m->value[MB_M_ACCURACY].mean : none);
    mb_json_number(j, "nmi", judged ? m->value[MB_M_NMI].mean : none);
    mb_json_number(j, "ari", judged ? m->value[MB_M_ARI].mean : none);
    spread(m, MB_M_KL_CVB, "kl_cvb", j);
    spread(m, MB_M_KL_TRUTH, "kl_truth", j);
    total(m, MB_M_FRAMES, "frames", j);
    total(m, MB_M_BYTES, "bytes", j);
}

static void pruned(const mb_pruned *p, mb_json_out *j)
{
    if (!p->first)
        return;
    mb_json_object(j, "pruned");
    mb_json_integer(j, "asked", p->first);
    mb_json_integer(j, "left", p->left);
    mb_json_integer(j, "tried", p->tried);
    mb_json_integer(j, "merged", p->merged);
    mb_json_integer(j, "rounds", p->rounds);
    mb_json_close(j);
}

/* What the algorithm counts in its nodes. */
static void counts(const sim_result *r, mb_json_out *j)
{
    const mb_count *c = r->session.how.algo->counts;

    if (!c || r->cs->args->command->bit == SIM_UP) /* whose nodes count by themselves */
        return;
    mb_json_object(j, "counts");
    for (const double *v = r->out.count; c->name; c++, v++)
        mb_json_integer(j, c->name, (int64_t)*v);
    mb_json_close(j);
}

/* Of a run that did not fail. */
static mb_status outcome(sim_job *job, const sim_results *all, const sim_result *r, mb_json_out *j)
{
    const char *file = sim_name(job, all->cs->args, "posterior.json", r->choice->name, j->err);

    if (!file)
        return MB_E_NOMEM;
    if (r->session.stand.rounding && sim_verdict(r) == MB_ENDED_SETTLED) {
        mb_json_text(j, "limit", "rounding"); /* which keeps the run from the tolerance */
        mb_json_number(j, "level", r->session.stand.level);
    }
    measured(all->cs->rows, r, j);
    counts(r, j);
    mb_json_integer(j, "start_bytes", r->choice->cvb ? 0 : all->sent.bytes);
    pruned(&r->pruned, j);
    mb_json_number(j, "seconds", r->seconds);
    mb_json_text(j, "posterior", r->unwritten ? NULL : file);
    return MB_OK;
}

static mb_status algorithm_summary(sim_job *job, const sim_results *all, const sim_result *r,
                                   mb_json_out *j)
{
    const char *error = r->failed ? sim_redact_text(job, all->cs->args, r->err.msg, j->err) : NULL;

    if (r->failed && !error)
        return MB_E_NOMEM;
    mb_json_object(j, NULL);
    mb_json_text(j, "name", r->choice->name);
    mb_json_text(j, "title",
                 r->choice->cvb ? "centralised variational Bayes" : r->choice->algo->title);
    mb_json_integer(j, "rounds", r->out.rounds);
    if (r->session.how.algo == &mb_algo_squarem)
        mb_json_bool(j, "accelerated", 1);
    if (r->session.problem.masks)
        mb_json_text(j, "mask", "simulated");
    mb_json_text(j, "stopped", r->signal ? "signal" : r->session.stopped ? "tol" : "rounds");
    mb_json_integer(j, "attempt", r->found.attempt);
    mb_json_integer(j, "attempts", r->found.n_init);
    mb_json_integer(j, "at_best", r->found.at_best);
    mb_json_integer(j, "moves", r->found.moves);
    mb_json_integer(j, "improved", r->found.improved);
    mb_json_text(j, "status", r->failed ? "failed" : "ok");
    mb_json_text(j, "error", error);
    mb_json_text(j, "verdict", mb_verdict_text(sim_verdict(r)));
    if (!r->failed)
        MB_TRY(outcome(job, all, r, j));
    mb_json_close(j);
    return MB_OK;
}

static mb_status redacted_texts(sim_job *job, const sim_args *args, const char *name,
                                const char *const *text, int32_t n, mb_json_out *j)
{
    mb_json_list(j, name);
    for (int32_t k = 0; k < n; k++) {
        const char *redacted = sim_redact_text(job, args, text[k], j->err);

        if (!redacted)
            return MB_E_NOMEM;
        mb_json_text(j, NULL, redacted);
    }
    mb_json_close(j);
    return MB_OK;
}

/* The text of summary.json, with the files that were written. */
static mb_status summarise(sim_job *job, const sim_results *all, char **text, mb_err *err)
{
    mb_json_out j;

    mb_json_begin(&j, job->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "meshbayes", MB_VERSION);
    mb_json_text(&j, "model", all->cs->args->kind->name);
    mb_json_integer(&j, "seed", all->cs->args->opt.seed);
    MB_TRY(data_summary(job, all->cs, &j));
    MB_TRY(network_summary(job, all->cs, &j));
    prior_summary(all->cs, &j);
    faults_summary(all->cs->network, &j);
    mb_json_text(&j, "trace", all->cs->metrics && job->out ? "trace.csv" : NULL);
    sweep_summary(all, &j);
    mb_json_list(&j, "algorithms");
    for (int32_t k = 0; k < all->n; k++)
        MB_TRY(algorithm_summary(job, all, &all->r[k], &j));
    mb_json_close(&j);
    MB_TRY(redacted_texts(job, all->cs->args, "warnings", job->warning, job->nwarning, &j));
    MB_TRY(redacted_texts(job, all->cs->args, "notes", job->note, job->nnotes, &j));
    if (job->many)
        MB_TRY(job->many->summary(job->many->self, &j));
    if (sim_to_folder(job)) {
        mb_json_object(&j, "view");
        mb_json_texts(&j, "columns", job->ncolumns, job->column);
        mb_json_close(&j);
        MB_TRY(folder_list(job->out, job->wrote, job->nwrote, &j, err));
    }
    mb_json_close(&j);
    return mb_json_end(&j, text, NULL);
}

static mb_status options(sim_job *job, mb_json_out *j, const mb_opt *table, const void *obj)
{
    char number[64];

    for (; table && table->name; table++) {
        const char *redacted = sim_redact(job, sim_option_text(table, obj, number), j->err);

        if (!redacted)
            return MB_E_NOMEM;
        mb_json_text(j, table->name, redacted);
    }
    return MB_OK;
}

/* 1 when kind k of the list shares an option with the model of the run, or with a kind before k. */
static int listed_elsewhere(const sim_args *args, int k, const char *name)
{
    const mb_kind *const *list = mb_kind_list();
    const mb_kind        *mine = args->kind;

    if (list[k] == mine)
        return 0;
    while (--k >= 0)
        if (list[k]->opts && mb_opt_find(list[k]->opts, name))
            return 1;
    return mine->opts && mb_opt_find(mine->opts, name);
}

/* Options of a kind; an option of several is listed once, with the model of the run if it has it. */
static mb_status kind_options(sim_job *job, const sim_args *args, mb_json_out *j, int k)
{
    for (const mb_opt *o = mb_kind_list()[k]->opts; o && o->name; o++) {
        const mb_opt one[2] = {*o};

        if (!listed_elsewhere(args, k, o->name))
            MB_TRY(options(job, j, one, args->kind_opt[k]));
    }
    return MB_OK;
}

/* Every option as given or defaulted, those of the models after --model. */
static mb_status options_summary(sim_job *job, const sim_results *all, mb_json_out *j)
{
    const mb_kind *const *list = mb_kind_list();

    mb_json_object(j, "options");
    for (const mb_opt *o = all->cs->args->table; o->name; o++) {
        const mb_opt one[2] = {*o};

        MB_TRY(options(job, j, one, &all->cs->args->opt));
        for (int k = 0; !strcmp(o->name, "model") && list[k] && k < SIM_MAX_KINDS; k++)
            MB_TRY(kind_options(job, all->cs->args, j, k));
    }
    if (all->cs->args->more)
        MB_TRY(options(job, j, all->cs->args->more, all->cs->args->own));
    for (int32_t k = 0; k < all->n && !all->cs->args->more; k++)
        MB_TRY(options(job, j, all->r[k].choice->algo->opts, all->r[k].choice->opt));
    mb_json_close(j);
    return MB_OK;
}

/* config.json. */
static mb_status write_config(sim_job *job, const sim_results *all, mb_err *err)
{
    const mb_case *c = &all->cs->fit->stages->nodes;
    const int64_t  d = all->cs->rows->data.d;
    const int      up = all->cs->args->command->bit == SIM_UP;
    char          *text;
    mb_json_out    j;

    mb_json_begin(&j, job->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "version", MB_VERSION);
    mb_json_text(&j, "command", job->name);
    MB_TRY(options_summary(job, all, &j));
    mb_json_object(&j, "resolved"); /* what "auto" became */
    for (int32_t k = 0; k < all->n; k++)
        if (all->r[k].session.opt && !(up && all->r[k].choice->algo->masked)) /* nodes decide */
            MB_TRY(options(job, &j, all->r[k].choice->algo->opts, all->r[k].session.opt));
    mb_json_numbers(&j, "agreed_origin", 1, &d, c->agreed.origin);
    mb_json_numbers(&j, "agreed_scale", 1, &d, c->agreed.scale);
    mb_json_integer(&j, "hops", c->tree.hops);
    mb_json_close(&j);
    mb_json_close(&j);
    MB_TRY(mb_json_end(&j, &text, NULL));
    return sim_file(job, "config.json", text, NULL, NULL, err);
}

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
static mb_status given(sim_job *job, const sim_command *command, const mb_opt *table,
                       const void *obj, const char *(*out)[2], int32_t *n, mb_err *err)
{
    char number[64];

    for (; table && table->name && *n < MOST_GIVEN; table++) {
        if (!sim_option_given(table, obj) || sim_option_is_output(command, table->name) ||
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
    sim_job           *job = r->job;
    const sim_case    *cs = r->cs;
    const sim_command *command = cs->args->command;
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
    MB_TRY(given(job, command, cs->args->table, &cs->args->opt, option, &out->noptions, err));
    MB_TRY(given(job, command, cs->args->kind->opts, cs->args->model_opt, option, &out->noptions,
                 err));
    if (cs->args->more)
        return given(job, command, cs->args->more, cs->args->own, option, &out->noptions, err);
    return given(job, command, r->choice->algo->opts, r->session.how.opt, option, &out->noptions,
                 err);
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
    st = r->given ? MB_OK
                  : mb_case_posterior(a, r->session.c, r->named ? r->named : r->out.mean,
                                      r->out.order, &p, err);
    r->unwritten = st == MB_E_DOMAIN;
    if (r->unwritten) {
        sim_warn(job, "%s: %s is outside the domain: no %s", r->choice->name,
                 r->named ? "the node" : "the network mean", path);
        return MB_OK;
    }
    MB_TRY(st);
    MB_TRY(sim_provenance(r, &from, err));
    if (r->given) {
        p = *r->given->posterior;
        from.more = r->given->from->more;
        from.nmore = r->given->from->nmore;
    }
    MB_TRY(sim_write_posterior(a, &p, &from, path, err));
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
    MB_TRY(sweep_file(job, all, err));
    MB_TRY(write_config(job, all, err));
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
    MB_TRY(summarise(job, all, summary, err));
    if (!whole)
        return MB_OK;
    MB_TRY(sim_file(job, "summary.json", *summary, NULL, NULL, err));
    MB_TRY(folder_end(job->out, err));
    return report_build(job->out, err);
}
