/* sim_output.c - the output folder: config, summary, network, nodes; each file atomic. */
#include "base/folder.h"
#include "report/report.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

/* The list of the run's files, last of all: with it the folder is of this run. */
static mb_status write_summary(sim *s, const char *dir, json_t *summary, mb_err *err)
{
    char      path[4096];
    json_t   *files = NULL;
    mb_status st = folder_list(dir, s->said.wrote, s->said.nwrote, &files, err);

    json_object_set_new(summary, "files", files);
    MB_TRY(st);
    snprintf(path, sizeof path, "%s/summary.json", dir);
    return app_json_write(s->a, path, summary, err);
}

/* Every option as given or defaulted, and what "auto" became. */
static json_t *config(sim *s, const sim_result *r, int32_t count)
{
    json_t *options = json_object(), *resolved = json_object();

    for (const mb_opt *o = s->asked.table; o->name; o++) {
        sim_option_add(options, o, &s->opt);
        for (int k = 0; !strcmp(o->name, "model") && mb_kind_list()[k] && k < SIM_MAX_KINDS; k++)
            sim_options_add(options, mb_kind_list()[k]->opts, s->asked.kind_opt[k]);
    }
    for (int32_t k = 0; k < count; k++) {
        sim_options_add(options, r[k].choice->algo->opts, r[k].choice->opt);
        if (r[k].session.opt)
            sim_options_add(resolved, r[k].choice->algo->opts, r[k].session.opt);
    }
    json_t *origin = json_array(), *scale = json_array();

    for (int32_t d = 0; d < s->rows.data.d; d++) {
        json_array_append_new(origin, app_json_number(s->world.fit.nodes.agreed.origin[d]));
        json_array_append_new(scale, app_json_number(s->world.fit.nodes.agreed.scale[d]));
    }
    json_object_set_new(resolved, "agreed_origin", origin);
    json_object_set_new(resolved, "agreed_scale", scale);
    json_object_set_new(resolved, "hops", json_integer(s->world.fit.nodes.hops));
    return json_pack("{s:s, s:s, s:o, s:o}", "version", MB_VERSION, "command", s->command->name,
                     "options", options, "resolved", resolved);
}

static mb_status network_files(sim *s, const char *dir, mb_file *f, mb_err *err)
{
    const mb_graph *g = &s->world.net.g;
    char            path[4096];

    snprintf(path, sizeof path, "%s/network.csv", dir);
    MB_TRY(mb_file_open(s->a, path, f, err));
    MB_TRY(mb_file_printf(f, err, "node,x,y,degree\n"));
    for (int32_t i = 0; i < g->n; i++) {
        MB_TRY(mb_csv_put(f, s->world.net.id[i], err));
        MB_TRY(mb_file_printf(f, err, ",%.9g,%.9g,%lld\n", s->world.net.xy[2 * i],
                              s->world.net.xy[2 * i + 1], (long long)(g->ptr[i + 1] - g->ptr[i])));
    }
    MB_TRY(mb_file_commit(f, err));
    MB_TRY(sim_wrote(s, path, err));
    snprintf(path, sizeof path, "%s/edges.csv", dir);
    MB_TRY(mb_network_write(s->a, &s->world.net, path, err));
    return sim_wrote(s, path, err);
}

/* A cell; empty when it was not measured. */
static mb_status cell(mb_file *f, double x, int on, mb_err *err)
{
    return on && isfinite(x) ? mb_file_printf(f, err, ",%.9g", x) : mb_file_printf(f, err, ",");
}

static mb_status node_lines(const sim *s, const sim_result *r, mb_file *f, mb_err *err)
{
    for (int32_t i = 0; i < r->session.problem.part->n_global; i++) {
        const double *line = r->nodes + (size_t)i * SIM_NODE_FIELDS;

        MB_TRY(mb_file_printf(f, err, "%s,", r->choice->name));
        MB_TRY(mb_csv_put(f, r->choice->cvb ? "all" : s->world.net.id[i], err));
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
    const int32_t before = s->said.nwrote;

    MB_TRY(sim_posterior_write(s, r, dir, err));
    if (s->said.nwrote == before)
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
