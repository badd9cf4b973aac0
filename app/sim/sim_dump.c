/* sim_dump.c - --dump-phi: natural parameters of every node at given rounds, the paper's order. */
#include "sim/sim.h"

#include <string.h>

struct sim_dump {
    sim    *s;
    double *x; /* dumps x nodes x P */
    double *scratch;
    int64_t count; /* dumps made    */
    int32_t nodes; /* computed here */
};

static mb_status see(void *self, int64_t t, const mb_problem *p, const mb_state *st, mb_err *err)
{
    sim_dump        *d = self;
    const mb_layout *l = &p->model->layout;
    double          *out = d->x + (size_t)d->count * (size_t)d->nodes * l->paper_len;

    (void)t, (void)err;
    for (int32_t i = 0; i < d->nodes; i++)
        mb_to_paper(l, st->phi + (size_t)i * st->ld, d->s->run_origin, d->s->run_scale,
                    out + (size_t)i * l->paper_len, d->scratch);
    d->count++;
    return MB_OK;
}

int32_t sim_dump_kept(sim_dump *d, mb_kept *out)
{
    const size_t row = d->s->model.layout.paper_len * sizeof *d->x;

    if (!d->s->dump_count)
        return 0;
    *out++ = (mb_kept){.name = "dumps made", .at = &d->count, .bytes = 8, .pieces = 1};
    *out = (mb_kept){.name = "dumps",
                     .at = d->x,
                     .bytes = row,
                     .stride = row,
                     .pieces = d->s->dump_count,
                     .apart = (size_t)d->nodes * row};
    return 2;
}

mb_status sim_dump_new(sim *s, const sim_net *net, sim_dump **out, mb_observer *obs, mb_err *err)
{
    const mb_layout *l = &s->model.layout;
    const int64_t    dumps = s->dump_count ? s->dump_count : 1;
    sim_dump        *d;

    MB_NEW(d, s->a, 1, err);
    d->s = s;
    d->nodes = net->part.n_local;
    MB_NEW(d->x, s->a, (size_t)dumps * (size_t)d->nodes * l->paper_len, err);
    MB_NEW(d->scratch, s->a, l->scratch + l->len, err);
    *out = d;
    if (!s->dump_count) { /* the last round: sim_dump_write looks by itself */
        memset(obs, 0, sizeof *obs);
        return MB_OK;
    }
    return mb_dump_new(s->a, s->dump_at, s->dump_count, see, d, obs, err);
}

mb_status sim_name(sim *s, const char *path, const char *algorithm, char **out, mb_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash : path;
    const char *npy = strstr(base, ".npy.gz");
    const char *dot = npy && !npy[7] ? npy : strrchr(base, '.');
    size_t      stem = dot ? (size_t)(dot - path) : strlen(path);
    size_t      cap = strlen(path) + strlen(algorithm) + 2;

    MB_NEW(*out, s->a, cap, err);
    if (s->nchoice == 1)
        memcpy(*out, path, strlen(path) + 1);
    else
        snprintf(*out, cap, "%.*s-%s%s", (int)stem, path, algorithm, path + stem);
    return MB_OK;
}

mb_status sim_dump_write(sim *s, sim_dump *d, const sim_result *r, mb_err *err)
{
    const int64_t dumps = !s->dump_count ? 1 : r->signal ? d->count : s->dump_count;
    char         *file;

    if (!dumps) {
        sim_warn(s, "%s: no round of --dump-at was reached: no %s", r->choice->name,
                 s->opt.dump_phi);
        return MB_OK;
    }
    if (!s->dump_count) {
        d->count = 0;
        MB_TRY(see(d, r->rounds, &r->problem, &r->state, err));
    }
    MB_TRY(sim_name(s, s->opt.dump_phi, r->choice->name, &file, err));
    return sim_rows_out(s, r->net, file, dumps, s->model.layout.paper_len, d->x, err);
}
