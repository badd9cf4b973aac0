/* sim_dump.c - --dump-phi: natural parameters of every node at given rounds, the paper's order. */
#include "sim/sim.h"

struct sim_dump {
    const sim *s;
    double    *x; /* dumps x nodes x P */
    double    *scratch;
    int64_t    count; /* dumps made    */
    int32_t    nodes; /* computed here */
};

static mb_status see(void *self, int64_t t, const mb_problem *p, const mb_state *st, mb_err *err)
{
    sim_dump        *d = self;
    const mb_layout *l = &p->model->layout;
    const mb_units  *run = &d->s->world.fit.nodes.run;
    double          *out = d->x + (size_t)d->count * (size_t)d->nodes * l->paper_len;

    (void)t, (void)err;
    for (int32_t i = 0; i < d->nodes; i++)
        mb_to_paper(l, st->phi + (size_t)i * st->ld, run->origin, run->scale,
                    out + (size_t)i * l->paper_len, d->scratch);
    d->count++;
    return MB_OK;
}

int32_t sim_dump_kept(sim_dump *d, mb_kept *out)
{
    const size_t row = d->s->world.fit.nodes.model.layout.paper_len * sizeof *d->x;

    if (!d->s->asked.dump_count)
        return 0;
    *out++ = (mb_kept){.name = "dumps made", .at = &d->count, .bytes = 8, .pieces = 1};
    *out = (mb_kept){.name = "dumps",
                     .at = d->x,
                     .bytes = row,
                     .stride = row,
                     .pieces = d->s->asked.dump_count,
                     .apart = (size_t)d->nodes * row};
    return 2;
}

mb_status sim_dump_watch(sim *s, mb_session *session, sim_dump **out, mb_err *err)
{
    const mb_layout *l = &s->world.fit.nodes.model.layout;
    const int64_t    dumps = s->asked.dump_count ? s->asked.dump_count : 1;
    mb_observer      obs;
    sim_dump        *d;

    MB_NEW(d, s->a, 1, err);
    d->s = s;
    d->nodes = session->problem.part->n_local;
    MB_NEW(d->x, s->a, (size_t)dumps * (size_t)d->nodes * l->paper_len, err);
    MB_NEW(d->scratch, s->a, l->scratch + l->len, err);
    *out = d;
    if (!s->asked.dump_count) /* the last round: sim_dump_write looks by itself */
        return MB_OK;
    MB_TRY(mb_dump_new(s->a, s->asked.dump_at, s->asked.dump_count, see, d, &obs, err));
    return mb_session_watch(session, &obs, err);
}

mb_status sim_dump_write(sim_result *r, mb_err *err)
{
    sim        *s = r->s;
    sim_dump   *d = r->dump;
    const char *file;

    if (!s->asked.dump_count) {
        d->count = 0;
        MB_TRY(see(d, r->session.state.t, &r->session.problem, &r->session.state, err));
    }
    if (!d->count) {
        sim_warn(s, "%s: no round of --dump-at was reached: no %s", r->choice->name,
                 s->opt.dump_phi);
        return MB_OK;
    }
    file = sim_name(s, s->opt.dump_phi, r->choice->name, err);
    if (!file)
        return MB_E_NOMEM;
    return sim_rows_out(r, file, d->count, s->world.fit.nodes.model.layout.paper_len, d->x, err);
}
