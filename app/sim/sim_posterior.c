/* sim_posterior.c - posterior.json (one posterior in textbook parameters, data units) and
 * posteriors.npy (all nodes, the paper's order, components in canonical order). */
#include "posterior/posterior.h"
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

/* Where a component's entries start in par: normal-Wishart [nu, beta, m, tril(W^-1)]. */
static const double *component(const mb_layout *l, const double *par, int32_t k)
{
    const mb_block *b = &l->block[1];

    return par + b->off + (size_t)k * b->len;
}

mb_status sim_textbook(const sim *s, mb_arena *a, const double *phi, double **par, mb_err *err)
{
    const mb_layout *l = &s->model.layout;
    double          *scratch;

    MB_NEW(*par, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_TRY(mb_to_par(l, phi, *par, scratch, err));
    mb_move_par(l, s->run_origin, s->run_scale, *par);
    return MB_OK;
}

/* Component a comes before b: means in lexicographic order. */
static int before(const sim *s, const double *par, int32_t a, int32_t b)
{
    const double *ma = component(&s->model.layout, par, a) + 2;
    const double *mb = component(&s->model.layout, par, b) + 2;

    for (int32_t d = 0; d < s->data.d; d++)
        if (ma[d] < mb[d] || ma[d] > mb[d])
            return ma[d] < mb[d];
    return a < b;
}

mb_status sim_order(sim *s, sim_result *r, mb_err *err)
{
    const int32_t K = s->model.K;
    double       *par;
    mb_status     st;

    MB_NEW(r->order, r->memory, K, err);
    for (int32_t k = 0; k < K; k++)
        r->order[k] = k;
    st = sim_textbook(s, r->memory, r->mean, &par, err);
    if (st == MB_E_DOMAIN) {
        sim_warn(s, "%s: the network mean is outside the domain: components keep the start's order",
                 r->choice->name);
        return MB_OK;
    }
    MB_TRY(st);
    for (int32_t k = 1; k < K; k++)
        for (int32_t j = k; j > 0 && before(s, par, r->order[j], r->order[j - 1]); j--) {
            int32_t swap = r->order[j];

            r->order[j] = r->order[j - 1];
            r->order[j - 1] = swap;
        }
    return MB_OK;
}

/* All fields but the parameters. */
static json_t *describe(const sim *s, const sim_result *r, const char *node)
{
    char    layout[256], hash[32];
    json_t *out, *options = json_object();

    sim_options_given(options, s->table, &s->opt);
    sim_options_given(options, r->choice->algo->opts, r->choice->opt);
    mb_layout_text(&s->model.layout, layout, sizeof layout);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->data.hash);
    out = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:{s:s, s:s, s:I}, s:s, s:s}",
                    "format", "meshbayes posterior", "version", 1, "meshbayes", MB_VERSION, "model",
                    s->model.ops->name, "algorithm", r->choice->name, "of", node, "rounds",
                    (json_int_t)r->rounds, "seed", (json_int_t)s->opt.seed, "data", "file",
                    s->opt.data, "hash", hash, "rows", (json_int_t)s->data.n, "units", "data units",
                    "layout", layout);
    json_object_set_new(out, "options", options);
    json_object_set_new(out, "verdict", json_string(mb_verdict_text(sim_verdict(r))));
    if (s->model.K)
        json_object_set_new(out, "n_components", json_integer(s->model.K));
    json_object_set_new(out, "features", app_json_texts(s->data.name, sim_inputs(s)));
    if (sim_inputs(s) < s->data.d)
        json_object_set_new(out, "target", json_string(s->data.name[sim_inputs(s)]));
    return out;
}

static mb_status write_json(sim *s, const sim_result *r, const char *path, mb_err *err)
{
    const double *phi = r->named ? r->named : r->mean;
    double       *par, *sorted;
    posterior     p = {.kind = posterior_model_of(s->model.ops->name),
                       .K = s->model.K,
                       .D = sim_inputs(s),
                       .intercept = s->opt.intercept,
                       .model = s->model,
                       .prior = s->prior_par};
    mb_status     st = sim_textbook(s, r->memory, phi, &par, err);

    if (st == MB_E_DOMAIN) {
        sim_warn(s, "%s: %s is outside the domain: no %s", r->choice->name,
                 r->named ? "the node" : "the network mean", path);
        return MB_OK;
    }
    MB_TRY(st);
    MB_NEW(sorted, r->memory, s->model.layout.len, err);
    mb_permute(&s->model.layout, s->model.K, r->order, par, sorted);
    p.par = sorted;
    p.json = describe(s, r, r->named ? s->opt.node : "network mean");
    st = posterior_write(r->memory, &p, path, err);
    posterior_close(&p);
    MB_TRY(st);
    return sim_wrote(s, path, err);
}

mb_status sim_posteriors_write(sim *s, const sim_result *r, const char *dir, mb_err *err)
{
    const mb_layout *l = &s->model.layout;
    const int32_t    n = r->problem.part->n_local;
    char            *npy, path[4096];
    double          *x, *sorted, *scratch;

    MB_NEW(x, r->memory, (size_t)n * l->paper_len, err);
    MB_NEW(sorted, r->memory, l->len, err);
    MB_NEW(scratch, r->memory, l->scratch + l->len, err);
    for (int32_t i = 0; i < n; i++) {
        mb_permute(l, s->model.K, r->order, r->state.phi + (size_t)i * r->state.ld, sorted);
        mb_to_paper(l, sorted, s->run_origin, s->run_scale, x + (size_t)i * l->paper_len, scratch);
    }
    MB_TRY(sim_name(s, "posteriors.npy", r->choice->name, &npy, err));
    snprintf(path, sizeof path, "%s/%s", dir, npy);
    return sim_rows_out(s, r->net, path, 0, l->paper_len, x, err);
}

mb_status sim_posterior_write(sim *s, const sim_result *r, const char *dir, mb_err *err)
{
    char *json, path[4096];

    MB_TRY(sim_name(s, "posterior.json", r->choice->name, &json, err));
    snprintf(path, sizeof path, "%s/%s", dir, json);
    return write_json(s, r, path, err);
}

mb_status sim_posterior_file(sim *s, const sim_result *r, const char *path, mb_err *err)
{
    char *name;

    MB_TRY(sim_name(s, path, r->choice->name, &name, err));
    return write_json(s, r, name, err);
}
