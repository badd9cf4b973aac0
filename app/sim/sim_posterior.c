/* sim_posterior.c - posterior.json (one posterior in textbook parameters, data units) and
 * posteriors.npy (all nodes, the paper's order, components in canonical order). */
#include "meshbayes/posterior_file.h"
#include "sim/sim.h"

#include <string.h>

enum { MOST_GIVEN = 96 /* options */ };

/* Options of one table that were given and that make another posterior. */
static mb_status given(sim *s, const mb_opt *table, const void *obj, const char *(*out)[2],
                       int32_t *n, mb_err *err)
{
    for (; table && table->name; table++) {
        char        number[64] = "", *copy;
        const char *text = number;

        if (!sim_option_given(table, obj) || sim_option_is_output(table->name) || *n == MOST_GIVEN)
            continue;
        if (mb_opt_is_text(table))
            text = *(const char *const *)((const char *)obj + table->at);
        else
            mb_opt_text(table, obj, number, sizeof number);
        MB_NEW(copy, s->a, strlen(text) + 1, err);
        memcpy(copy, text, strlen(text));
        out[*n][0] = table->name;
        out[*n][1] = copy;
        ++*n;
    }
    return MB_OK;
}

static mb_status provenance(sim *s, const sim_result *r, mb_provenance *out, mb_err *err)
{
    const char *(*option)[2];

    MB_NEW(option, s->a, MOST_GIVEN, err);
    *out = (mb_provenance){.algorithm = r->choice->name,
                           .of = r->named ? s->opt.node : "network mean",
                           .rounds = r->out.rounds,
                           .seed = s->opt.seed,
                           .data = s->opt.data,
                           .data_hash = s->rows.data.hash,
                           .data_rows = s->rows.data.n,
                           .verdict = mb_verdict_text(sim_verdict(r)),
                           .option = (const char *const(*)[2])option};
    MB_TRY(given(s, s->asked.table, &s->opt, option, &out->noptions, err));
    MB_TRY(given(s, s->asked.kind->opts, s->asked.model_opt, option, &out->noptions, err));
    return given(s, r->choice->algo->opts, r->session.how.opt, option, &out->noptions, err);
}

/* Collective in nothing: process 0 writes. The components of a node keep the order of the mean. */
static mb_status write_json(sim *s, const sim_result *r, const char *path, mb_err *err)
{
    mb_arena     *a = r->session.own;
    mb_posterior  p;
    mb_provenance from;
    mb_status     st = mb_case_posterior(a, &s->world.fit.nodes, r->named ? r->named : r->out.mean,
                                         r->out.order, &p, err);

    if (st == MB_E_DOMAIN) {
        sim_warn(s, "%s: %s is outside the domain: no %s", r->choice->name,
                 r->named ? "the node" : "the network mean", path);
        return MB_OK;
    }
    MB_TRY(st);
    MB_TRY(provenance(s, r, &from, err));
    MB_TRY(mb_posterior_write(a, &p, &from, path, err));
    return sim_wrote(s, path, err);
}

mb_status sim_posteriors_write(sim *s, const sim_result *r, const char *dir, mb_err *err)
{
    const mb_case   *c = &s->world.fit.nodes;
    const mb_layout *l = &c->model.layout;
    const mb_part   *part = r->session.problem.part;
    const mb_state  *state = &r->session.state;
    mb_arena        *a = r->session.own;
    char            *npy, path[4096];
    double          *x, *sorted, *scratch;

    MB_NEW(x, a, (size_t)part->n_local * l->paper_len, err);
    MB_NEW(sorted, a, l->len, err);
    MB_NEW(scratch, a, l->scratch + l->len, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        mb_permute(l, c->model.K, r->out.order, state->phi + (size_t)i * state->ld, sorted);
        mb_to_paper(l, sorted, c->run.origin, c->run.scale, x + (size_t)i * l->paper_len, scratch);
    }
    MB_TRY(sim_name(s, "posteriors.npy", r->choice->name, &npy, err));
    snprintf(path, sizeof path, "%s/%s", dir, npy);
    return sim_rows_out(s, part, path, 0, l->paper_len, x, err);
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
