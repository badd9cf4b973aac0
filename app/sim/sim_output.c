/* sim_output.c - the output folder: config, summary, network, nodes; each file atomic. */
#include "base/folder.h"
#include "report/report.h"
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

mb_status sim_wrote(sim *s, const char *path, mb_err *err)
{
    const size_t n = sim_to_folder(s) ? strlen(s->opt.out) : 0;
    char        *name;

    if (!n || strncmp(path, s->opt.out, n) != 0 || (path[n] != '/' && path[n - 1] != '/'))
        return MB_OK;
    path += n + strspn(path + n, "/");
    if (strchr(path, '/') || s->nwrote == SIM_MAX_FILES)
        return MB_OK;
    for (int32_t k = 0; k < s->nwrote; k++)
        if (!strcmp(s->wrote[k], path))
            return MB_OK;
    MB_NEW(name, s->a, strlen(path) + 1, err);
    memcpy(name, path, strlen(path));
    s->wrote[s->nwrote++] = name;
    return MB_OK;
}

/* The list of the run's files, last of all: with it the folder is of this run. */
static mb_status write_summary(sim *s, const char *dir, json_t *summary, mb_err *err)
{
    char      path[4096];
    json_t   *files = NULL;
    mb_status st = folder_list(dir, s->wrote, s->nwrote, &files, err);

    json_object_set_new(summary, "files", files);
    MB_TRY(st);
    snprintf(path, sizeof path, "%s/summary.json", dir);
    return app_json_write(s->a, path, summary, err);
}

static json_t *data_summary(const sim *s)
{
    json_t *constant = json_array();

    for (int32_t d = 0; d < s->data.d; d++)
        if (s->constant[d])
            json_array_append_new(constant, json_string(s->data.name[d]));
    return json_pack(
        "{s:s, s:I, s:o, s:i, s:f, s:o, s:o}", "file", s->opt.data, "rows", (json_int_t)s->data.n,
        "features", app_json_texts(s->data.name, sim_inputs(s)), "nodes", s->data.N, "weight_total",
        s->weight_total, "constant", constant, "labels",
        s->data.label ? app_json_texts(s->data.label_name, s->data.nlabel) : json_null());
}

static json_t *network_summary(const sim *s)
{
    const mb_graph_stats *g = &s->net.facts;

    return json_pack("{s:i, s:I, s:i, s:f, s:i, s:i, s:o, s:o, s:i, s:s, s:s}", "nodes", s->data.N,
                     "edges", (json_int_t)g->edges, "deg_min", g->deg_min, "deg_mean", g->deg_mean,
                     "deg_max", g->deg_max, "diameter", g->diameter, "algebraic_connectivity",
                     app_json_number(g->algebraic_connectivity), "lambda2",
                     app_json_number(g->lambda2), "hops", s->hops, "weights", s->opt.weights,
                     "positions", s->net.xy_from);
}

static json_t *spread(const mb_stat *v, int on)
{
    if (!on)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "mean", app_json_number(v->mean), "sd",
                     app_json_number(v->sd), "max", app_json_number(v->max));
}

/* Totals are whole numbers. */
static json_t *total(const mb_stat *v)
{
    return json_integer((json_int_t)v->mean);
}

static void measured(const sim *s, const sim_result *r, json_t *out)
{
    const mb_metrics *m = &r->final;
    const int         judged = s->data.label != NULL;

    json_object_set_new(out, "outside", json_integer(m->value[MB_M_FROZEN].outside));
    json_object_set_new(out, "frozen", total(&m->value[MB_M_FROZEN]));
    json_object_set_new(out, "projected", total(&m->value[MB_M_PROJECTED]));
    json_object_set_new(out, "disagreement", app_json_number(r->disagreement));
    json_object_set_new(out, "moved", app_json_number(r->moved));
    json_object_set_new(out, "bound", app_json_number(r->bound));
    json_object_set_new(out, "bound_local", app_json_number(m->value[MB_M_BOUND].mean));
    json_object_set_new(out, "accuracy",
                        judged ? app_json_number(m->value[MB_M_ACCURACY].mean) : json_null());
    json_object_set_new(out, "nmi",
                        judged ? app_json_number(m->value[MB_M_NMI].mean) : json_null());
    json_object_set_new(out, "ari",
                        judged ? app_json_number(m->value[MB_M_ARI].mean) : json_null());
    json_object_set_new(out, "kl_cvb",
                        spread(&m->value[MB_M_KL_CVB], (m->on >> MB_M_KL_CVB & 1) != 0));
    json_object_set_new(out, "kl_truth",
                        spread(&m->value[MB_M_KL_TRUTH], (m->on >> MB_M_KL_TRUTH & 1) != 0));
    json_object_set_new(out, "frames", total(&m->value[MB_M_FRAMES]));
    json_object_set_new(out, "bytes", total(&m->value[MB_M_BYTES]));
}

/* What kept a run from the tolerance, where that is the way numbers are rounded. */
static void rounding(const sim_result *r, json_t *out)
{
    if (!r->stand.rounding || sim_verdict(r) != MB_ENDED_SETTLED)
        return;
    json_object_set_new(out, "limit", json_string("rounding"));
    json_object_set_new(out, "level", app_json_number(r->stand.level));
}

static mb_status algorithm_summary(sim *s, const sim_result *r, json_t **out, mb_err *err)
{
    char *file;

    MB_TRY(sim_name(s, "posterior.json", r->choice->name, &file, err));
    *out =
        json_pack("{s:s, s:s, s:I, s:s, s:i, s:I, s:s, s:o}", "name", r->choice->name, "title",
                  r->choice->cvb ? "centralised variational Bayes" : r->choice->algo->title,
                  "rounds", (json_int_t)r->rounds, "stopped", sim_stopped(r), "attempt", r->attempt,
                  "attempts", (json_int_t)s->opt.n_init, "status", r->failed ? "failed" : "ok",
                  "error", r->failed ? json_string(r->err.msg) : json_null());
    json_object_set_new(*out, "verdict", json_string(mb_verdict_text(sim_verdict(r))));
    if (!r->failed) {
        rounding(r, *out);
        measured(s, r, *out);
        json_object_set_new(*out, "start_bytes",
                            json_integer(r->choice->cvb ? 0 : s->start_sent.bytes));
        json_object_set_new(*out, "seconds", app_json_number(r->seconds));
        json_object_set_new(*out, "posterior", json_string(file));
    }
    return MB_OK;
}

mb_status sim_summary(sim *s, const sim_result *r, int32_t count, json_t **out, mb_err *err)
{
    json_t *algorithms = json_array();

    *out =
        json_pack("{s:s, s:s, s:I, s:o, s:o, s:{s:f, s:f, s:f, s:I}, s:s?, s:o, s:o}", "meshbayes",
                  MB_VERSION, "model", s->model.ops->name, "seed", (json_int_t)s->opt.seed, "data",
                  data_summary(s), "network", network_summary(s), "faults", "loss", s->opt.loss,
                  "loss_directed", s->opt.loss_directed, "silent", s->opt.silent, "delay",
                  (json_int_t)s->opt.delay, "trace", s->metrics && s->opt.out ? "trace.csv" : NULL,
                  "algorithms", algorithms, "warnings",
                  app_json_texts((const char *const *)s->warning, s->nwarning));
    for (int32_t k = 0; k < count; k++) {
        json_t *one = NULL;

        MB_TRY(algorithm_summary(s, &r[k], &one, err));
        json_array_append_new(algorithms, one);
    }
    return MB_OK;
}

/* Every option as given or defaulted, and what "auto" became. */
static json_t *config(sim *s, const sim_result *r, int32_t count)
{
    json_t *options = json_object(), *resolved = json_object();

    sim_options_add(options, s->table, &s->opt);
    for (int32_t k = 0; k < count; k++) {
        sim_options_add(options, r[k].choice->algo->opts, r[k].choice->opt);
        sim_options_add(resolved, r[k].choice->algo->opts, r[k].opt);
    }
    json_t *origin = json_array(), *scale = json_array();

    for (int32_t d = 0; d < s->data.d; d++) {
        json_array_append_new(origin, app_json_number(s->origin[d]));
        json_array_append_new(scale, app_json_number(s->scale[d]));
    }
    json_object_set_new(resolved, "agreed_origin", origin);
    json_object_set_new(resolved, "agreed_scale", scale);
    json_object_set_new(resolved, "hops", json_integer(s->hops));
    return json_pack("{s:s, s:s, s:o, s:o}", "version", MB_VERSION, "command", s->command->name,
                     "options", options, "resolved", resolved);
}

static mb_status network_files(sim *s, const char *dir, mb_file *f, mb_err *err)
{
    const mb_graph *g = &s->net.g;
    char            path[4096];

    snprintf(path, sizeof path, "%s/network.csv", dir);
    MB_TRY(mb_file_open(s->a, path, f, err));
    MB_TRY(mb_file_printf(f, err, "node,x,y,degree\n"));
    for (int32_t i = 0; i < g->n; i++) {
        MB_TRY(mb_csv_put(f, s->data.node_id[i], err));
        MB_TRY(mb_file_printf(f, err, ",%.9g,%.9g,%lld\n", s->net.xy[2 * i], s->net.xy[2 * i + 1],
                              (long long)(g->ptr[i + 1] - g->ptr[i])));
    }
    MB_TRY(mb_file_commit(f, err));
    MB_TRY(sim_wrote(s, path, err));
    snprintf(path, sizeof path, "%s/edges.csv", dir);
    MB_TRY(mb_network_write(s->a, &s->net, path, err));
    return sim_wrote(s, path, err);
}

/* A cell; empty when it was not measured. */
static mb_status cell(mb_file *f, double x, int on, mb_err *err)
{
    return on && isfinite(x) ? mb_file_printf(f, err, ",%.9g", x) : mb_file_printf(f, err, ",");
}

static mb_status node_lines(const sim *s, const sim_result *r, mb_file *f, mb_err *err)
{
    for (int32_t i = 0; i < r->problem.part->n_global; i++) {
        const double *line = r->nodes + (size_t)i * SIM_NODE_FIELDS;

        MB_TRY(mb_file_printf(f, err, "%s,", r->choice->name));
        MB_TRY(mb_csv_put(f, r->choice->cvb ? "all" : s->data.node_id[i], err));
        MB_TRY(mb_file_printf(f, err, ",%.0f", line[SIM_ROWS]));
        MB_TRY(cell(f, line[SIM_APART], 1, err));
        MB_TRY(cell(f, line[SIM_KL_CVB], 1, err));
        MB_TRY(cell(f, line[SIM_KL_TRUTH], 1, err));
        MB_TRY(cell(f, line[SIM_BOUND], 1, err));
        MB_TRY(mb_file_printf(f, err, ",%.0f,%.0f,%.0f\n", line[SIM_OUTSIDE], line[SIM_FROZEN],
                              line[SIM_PROJECTED]));
    }
    return MB_OK;
}

static mb_status node_file(sim *s, const sim_result *r, int32_t count, const char *dir, mb_file *f,
                           mb_err *err)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/nodes.csv", dir);
    MB_TRY(mb_file_open(s->a, path, f, err));
    MB_TRY(mb_file_printf(
        f, err,
        "algorithm,node,rows,disagreement,kl_cvb,kl_truth,bound,outside,frozen,projected\n"));
    for (int32_t k = 0; k < count; k++)
        if (!r[k].failed)
            MB_TRY(node_lines(s, &r[k], f, err));
    MB_TRY(mb_file_commit(f, err));
    return sim_wrote(s, path, err);
}

/* One outside the domain has no file; a folder may hold an earlier run's of that name. */
static mb_status posterior(sim *s, const sim_result *r, int32_t k, const char *dir, json_t *summary,
                           mb_err *err)
{
    const int32_t before = s->nwrote;

    MB_TRY(sim_posterior_write(s, r, dir, err));
    if (s->nwrote == before)
        json_object_set_new(json_array_get(json_object_get(summary, "algorithms"), (size_t)k),
                            "posterior", json_null());
    return MB_OK;
}

mb_status sim_output(sim *s, const sim_result *r, int32_t count, json_t *summary, mb_err *err)
{
    const char *dir = s->opt.out;
    mb_file     f = {0};
    json_t     *settings = config(s, r, count);
    char        path[4096];
    mb_status   st;

    snprintf(path, sizeof path, "%s/config.json", dir);
    st = app_json_write(s->a, path, settings, err);
    json_decref(settings);
    MB_TRY(st);
    MB_TRY(sim_wrote(s, path, err));
    st = network_files(s, dir, &f, err);
    if (st >= 0)
        st = node_file(s, r, count, dir, &f, err);
    mb_file_abort(&f);
    MB_TRY(st);
    for (int32_t k = 0; k < count; k++)
        if (!r[k].failed)
            MB_TRY(posterior(s, &r[k], k, dir, summary, err));
    MB_TRY(sim_view_write(s, r, count, dir, summary, err));
    MB_TRY(write_summary(s, dir, summary, err));
    return report_build(dir, err);
}
