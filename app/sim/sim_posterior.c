/* sim_posterior.c - posterior.json (one posterior in textbook parameters, data units) and
 * posteriors.npy (all nodes, the paper's order, components in canonical order). */
#include "meshbayes/posterior_file.h"
#include "sim/sim.h"

#include <string.h>

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
        out[*n][1] = mb_text(s->a, err, "%s", sim_option_text(table, obj, number));
        if (!out[(*n)++][1])
            return MB_E_NOMEM;
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

mb_status sim_posterior_write(sim_result *r, mb_err *err)
{
    sim          *s = r->s;
    mb_arena     *a = r->session.own;
    const char   *path = sim_to_folder(s) ? sim_path(s, "posterior.json", err) : s->opt.out;
    mb_posterior  p;
    mb_provenance from;
    mb_status     st;

    path = path ? sim_name(s, path, r->choice->name, err) : NULL;
    if (!path)
        return MB_E_NOMEM;
    /* the components of a node keep the order of the mean */
    st = mb_case_posterior(a, &s->world.fit.nodes, r->named ? r->named : r->out.mean, r->out.order,
                           &p, err);
    r->unwritten = st == MB_E_DOMAIN;
    if (r->unwritten) {
        sim_warn(s, "%s: %s is outside the domain: no %s", r->choice->name,
                 r->named ? "the node" : "the network mean", path);
        return MB_OK;
    }
    MB_TRY(st);
    MB_TRY(provenance(s, r, &from, err));
    MB_TRY(mb_posterior_write(a, &p, &from, path, err));
    return sim_wrote(s, path, err);
}

mb_status sim_posteriors_write(const sim_result *r, mb_err *err)
{
    sim             *s = r->s;
    const char      *path = sim_path(s, "posteriors.npy", err);
    const mb_case   *c = &s->world.fit.nodes;
    const mb_layout *l = &c->model.layout;
    const mb_part   *part = r->session.problem.part;
    const mb_state  *state = &r->session.state;
    mb_arena        *a = r->session.own;
    double          *x, *sorted, *scratch;

    MB_NEW(x, a, (size_t)part->n_local * l->paper_len, err);
    MB_NEW(sorted, a, l->len, err);
    MB_NEW(scratch, a, l->scratch + l->len, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        mb_permute(l, c->model.K, r->out.order, state->phi + (size_t)i * state->ld, sorted);
        mb_to_paper(l, sorted, c->run.origin, c->run.scale, x + (size_t)i * l->paper_len, scratch);
    }
    path = path ? sim_name(s, path, r->choice->name, err) : NULL;
    return path ? sim_rows_out(r, path, 0, l->paper_len, x, err) : MB_E_NOMEM;
}
