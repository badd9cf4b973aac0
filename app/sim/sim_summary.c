/* sim_summary.c - what summary.json and --json say of a run. */
#include "sim/sim.h"

#include <math.h>

static json_t *data_summary(const sim *s)
{
    json_t *constant = json_array();

    for (int32_t d = 0; d < s->rows.data.d; d++)
        if (s->world.fit.nodes.agreed.constant[d])
            json_array_append_new(constant, json_string(s->rows.data.name[d]));
    return json_pack(
        "{s:s, s:I, s:o, s:i, s:f, s:o, s:o}", "file", s->opt.data, "rows",
        (json_int_t)s->rows.data.n, "features", app_json_texts(s->rows.data.name, sim_inputs(s)),
        "nodes", s->world.net.n, "weight_total", s->world.fit.nodes.weight_total, "constant",
        constant, "labels",
        s->rows.data.label ? app_json_texts(s->rows.data.label_name, s->rows.data.nlabel)
                           : json_null());
}

static json_t *network_summary(const sim *s)
{
    const mb_graph_stats *g = &s->world.net.facts;

    return json_pack("{s:i, s:I, s:i, s:f, s:i, s:i, s:o, s:o, s:i, s:s, s:s}", "nodes",
                     s->world.net.n, "edges", (json_int_t)g->edges, "deg_min", g->deg_min,
                     "deg_mean", g->deg_mean, "deg_max", g->deg_max, "diameter", g->diameter,
                     "algebraic_connectivity", app_json_number(g->algebraic_connectivity),
                     "lambda2", app_json_number(g->lambda2), "hops", s->world.fit.nodes.hops,
                     "weights", s->opt.weights, "positions", s->world.net.xy_from);
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
    const int         judged = s->rows.data.label != NULL;

    json_object_set_new(out, "outside", json_integer(m->value[MB_M_FROZEN].outside));
    json_object_set_new(out, "frozen", total(&m->value[MB_M_FROZEN]));
    json_object_set_new(out, "projected", total(&m->value[MB_M_PROJECTED]));
    json_object_set_new(out, "disagreement", app_json_number(r->out.disagreement));
    json_object_set_new(out, "moved", app_json_number(r->out.moved));
    json_object_set_new(out, "bound", app_json_number(r->out.bound));
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
    if (!r->session.stand.rounding || sim_verdict(r) != MB_ENDED_SETTLED)
        return;
    json_object_set_new(out, "limit", json_string("rounding"));
    json_object_set_new(out, "level", app_json_number(r->session.stand.level));
}

static mb_status algorithm_summary(sim *s, const sim_result *r, json_t **out, mb_err *err)
{
    char *file;

    MB_TRY(sim_name(s, "posterior.json", r->choice->name, &file, err));
    *out = json_pack("{s:s, s:s, s:I, s:s, s:i, s:I, s:s, s:o}", "name", r->choice->name, "title",
                     r->choice->cvb ? "centralised variational Bayes" : r->choice->algo->title,
                     "rounds", (json_int_t)r->out.rounds, "stopped", sim_stopped(r), "attempt",
                     r->attempt, "attempts", (json_int_t)s->opt.n_init, "status",
                     r->failed ? "failed" : "ok", "error",
                     r->failed ? json_string(r->err.msg) : json_null());
    json_object_set_new(*out, "verdict", json_string(mb_verdict_text(sim_verdict(r))));
    if (!r->failed) {
        rounding(r, *out);
        measured(s, r, *out);
        json_object_set_new(*out, "start_bytes",
                            json_integer(r->choice->cvb ? 0 : s->begin.sent.bytes));
        json_object_set_new(*out, "seconds", app_json_number(r->seconds));
        json_object_set_new(*out, "posterior", json_string(file));
    }
    return MB_OK;
}

mb_status sim_summary(sim *s, const sim_result *r, int32_t count, json_t **out, mb_err *err)
{
    json_t *algorithms = json_array();

    *out = json_pack(
        "{s:s, s:s, s:I, s:o, s:o, s:{s:f, s:f, s:f, s:I}, s:s?, s:o, s:o}", "meshbayes",
        MB_VERSION, "model", s->asked.kind->name, "seed", (json_int_t)s->opt.seed, "data",
        data_summary(s), "network", network_summary(s), "faults", "loss", s->opt.loss,
        "loss_directed", s->opt.loss_directed, "silent", s->opt.silent, "delay",
        (json_int_t)s->opt.delay, "trace", s->asked.metrics && s->opt.out ? "trace.csv" : NULL,
        "algorithms", algorithms, "warnings", app_json_texts(s->said.warning, s->said.nwarning));
    for (int32_t k = 0; k < count; k++) {
        json_t *one = NULL;

        MB_TRY(algorithm_summary(s, &r[k], &one, err));
        json_array_append_new(algorithms, one);
    }
    return MB_OK;
}
