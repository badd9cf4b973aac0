/* sim_dump.c - natural parameters of every node, in the paper's order: --dump-phi at given rounds, and
 * posteriors.npy at the end. */
#include "expfam/expfam.h"
#include "run/sim.h"

struct sim_dump {
    const mb_case   *c;
    const mb_layout *l;
    double          *x; /* dumps x nodes x P */
    double          *sorted, *scratch;
    int64_t          count; /* dumps made    */
    int32_t          asked; /* of --dump-at  */
    int32_t          nodes; /* computed here */
};

static mb_status dump_new(mb_arena *a, const mb_session *session, int64_t dumps, sim_dump **out,
                          mb_err *err)
{
    const mb_layout *l = &session->c->model.layout;
    sim_dump        *d;

    MB_NEW(d, a, 1, err);
    d->c = session->c;
    d->l = l;
    d->nodes = session->problem.part->n_local;
    MB_NEW(d->x, a, (size_t)dumps * (size_t)d->nodes * l->paper_len, err);
    MB_NEW(d->sorted, a, l->len, err);
    MB_NEW(d->scratch, a, l->scratch + l->len, err);
    *out = d;
    return MB_OK;
}

/* One more dump. order: of the components; NULL: their own. */
static void dump(sim_dump *d, const mb_state *st, const int32_t *order)
{
    const mb_case *c = d->c;
    double        *out = d->x + (size_t)d->count * (size_t)d->nodes * d->l->paper_len;

    for (int32_t i = 0; i < d->nodes; i++) {
        const double *phi = st->phi + (size_t)i * st->ld;

        if (order) {
            mb_permute(d->l, c->model.K, order, phi, d->sorted);
            phi = d->sorted;
        }
        mb_to_paper(d->l, phi, c->run.origin, c->run.scale, out + (size_t)i * d->l->paper_len,
                    d->scratch);
    }
    d->count++;
}

static mb_status see(void *self, int64_t t, const mb_problem *p, const mb_state *st, mb_err *err)
{
    (void)t, (void)p, (void)err;
    dump(self, st, NULL);
    return MB_OK;
}

int32_t sim_dump_kept(sim_dump *d, mb_checkpoint_item *out)
{
    const size_t row = d->l->paper_len * sizeof *d->x;

    if (!d->asked)
        return 0;
    *out++ = (mb_checkpoint_item){.name = "dumps made", .at = &d->count, .bytes = 8, .pieces = 1};
    *out = (mb_checkpoint_item){.name = "dumps",
                                .at = d->x,
                                .bytes = row,
                                .stride = row,
                                .pieces = d->asked,
                                .apart = (size_t)d->nodes * row};
    return 2;
}

mb_status sim_dump_watch(sim_result *r, mb_session *session, mb_err *err)
{
    const sim_args *asked = r->cs->args;
    const int64_t   dumps = asked->dump_count ? asked->dump_count : 1;
    mb_observer     obs;

    MB_TRY(dump_new(r->job->a, session, dumps, &r->dump, err));
    r->dump->asked = asked->dump_count;
    if (!asked->dump_count) /* the last round: sim_dump_write */
        return MB_OK;
    MB_TRY(mb_dump_new(r->job->a, asked->dump_at, asked->dump_count, see, r->dump, &obs, err));
    return mb_session_watch(session, &obs, err);
}

mb_status sim_dump_write(sim_result *r, mb_err *err)
{
    const sim_case *cs = r->cs;
    sim_dump       *d = r->dump;
    const char     *file = sim_name(r->job, cs->args, cs->args->opt.dump_phi, r->choice->name, err);

    if (!cs->args->dump_count)
        dump(d, &r->session.state, NULL);
    if (d->count)
        return file ? sim_rows_out(r, file, d->count, d->l->paper_len, d->x, err) : MB_E_NOMEM;
    sim_warn(r->job, "%s: no round of --dump-at was reached: no %s", r->choice->name,
             cs->args->opt.dump_phi);
    return MB_OK;
}

mb_status sim_posteriors_write(const sim_result *r, mb_err *err)
{
    const char *path = sim_name(r->job, r->cs->args, sim_path(r->job, "posteriors.npy", err),
                                r->choice->name, err);
    sim_dump   *d = NULL;

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(dump_new(r->session.own, &r->session, 1, &d, err));
    dump(d, &r->session.state, r->out.order);
    return sim_rows_out(r, path, 0, d->l->paper_len, d->x, err);
}
