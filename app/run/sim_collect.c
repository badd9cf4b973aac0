/* sim_collect.c - what the output files say of single nodes, from the processes that compute them:
 * the lines of nodes.csv, natural parameters in the paper's order for --dump-phi and messages for
 * --dump-messages at given rounds, and posteriors.npy. */
#include "base/text.h"
#include "expfam/expfam.h"
#include "model/model.h"
#include "run/sim.h"

#include <math.h>
#include <string.h>

mb_status sim_start_sent(const sim_case *cs, mb_traffic *sent, mb_err *err)
{
    const mb_traffic *units = &cs->fit->stages->nodes.sent, *centres = &cs->drawn->sent;
    mb_transport     *tp = &cs->fit->stages->nodes.place->tp;
    double            sum[2] = {(double)(units->frames + centres->frames),
                                (double)(units->bytes + centres->bytes)};

    MB_TRY(tp->ops->reduce(tp, MB_SUM, sum, 2, err));
    *sent = (mb_traffic){(int64_t)sum[0], (int64_t)sum[1]};
    return MB_OK;
}

/* KL(phi || to); NaN if it does not exist or is lost to rounding. */
static mb_status divergence(const sim_result *r, int32_t i, const double *to, double *scratch,
                            double *kl, mb_err *err)
{
    const mb_state *state = &r->session.state;
    mb_status       st;

    *kl = (double)NAN;
    if (!to || state->outside[i])
        return MB_OK;
    st = mb_kl_aligned(&r->session.c->model, state->phi + (size_t)i * state->ld, to, kl, NULL,
                       scratch, err);
    if (st != MB_E_DOMAIN && st != MB_E_NUMERIC)
        return st;
    *kl = (double)NAN;
    return MB_OK;
}

static mb_status node_line(const sim_result *r, int32_t i, double *scratch, sim_node *out,
                           mb_err *err)
{
    const mb_state *st = &r->session.state;
    const mb_rows  *rows = &r->session.problem.rows[i];

    *out = (sim_node){.rows = (double)(rows->n + rows->remote_rows),
                      .apart = r->out.apart[i],
                      .bound = st->bound[i],
                      .outside = st->outside[i],
                      .frozen = (double)st->frozen[i],
                      .projected = (double)st->projected[i]};
    MB_TRY(divergence(r, i, r->ref.cvb, scratch, &out->kl_cvb, err));
    return divergence(r, i, r->ref.truth, scratch, &out->kl_truth, err);
}

static void keep(void *self, int32_t gid, const double *row)
{
    sim_node *all = self;

    if (all) /* process 0 */
        memcpy(&all[gid], row, sizeof *all);
}

static mb_status node_table(sim_result *r, mb_err *err)
{
    enum { FIELDS = sizeof(sim_node) / sizeof(double) };
    const mb_part *part = r->session.problem.part;
    mb_transport  *tp = r->session.problem.tp;
    sim_node      *lines;
    double        *scratch;

    MB_NEW(lines, r->session.own, part->n_local, err);
    MB_NEW(scratch, r->session.own, mb_kl_aligned_scratch(&r->session.c->model), err);
    if (!r->job->ranks.rank)
        MB_NEW(r->nodes, r->session.own, part->n_global, err);
    for (int32_t i = 0; i < part->n_local; i++)
        MB_TRY(node_line(r, i, scratch, &lines[i], err));
    return tp->ops->walk(tp, &lines->rows, FIELDS, FIELDS, keep, r->nodes, err);
}

/* phi of nodes first .. first + count - 1 in every process: the owner adds it, the others 0. */
static mb_status fetch(sim_result *r, int32_t first, int32_t count, double **out, mb_err *err)
{
    const mb_part  *part = r->session.problem.part;
    const mb_state *state = &r->session.state;
    const size_t    len = r->session.c->model.layout.len;
    mb_transport   *tp = r->session.problem.tp;

    MB_NEW(*out, r->session.own, (size_t)count * len, err);
    for (int32_t i = 0; i < part->n_local; i++)
        if (part->gid[i] >= first && part->gid[i] - first < count)
            memcpy(*out + (size_t)(part->gid[i] - first) * len, state->phi + (size_t)i * state->ld,
                   len * sizeof **out);
    return tp->ops->reduce(tp, MB_SUM, *out, (int32_t)((size_t)count * len), err);
}

/* The local step of the first node here that ended without one, which says why. */
static mb_status try_outside(const sim_result *r, double *room, mb_err *err)
{
    const mb_problem *p = &r->session.problem;
    const mb_state   *s = &r->session.state;

    for (int32_t i = 0; i < p->part->n_local; i++)
        if (s->outside[i])
            return mb_local_step(p->model, &p->rows[i], p->scale, s->phi + (size_t)i * s->ld, room,
                                 NULL, NULL, room + p->model->layout.len, err);
    return MB_OK;
}

mb_status sim_reason(sim_result *r, mb_err *err)
{
    const mb_model *m = r->session.problem.model;
    mb_err          why = {.msg = ""};
    double         *room;

    if (!r->out.outside)
        return MB_OK;
    MB_NEW(room, r->session.own, m->layout.len + mb_local_scratch(m), err);
    if (ranks_agree(&r->job->ranks, try_outside(r, room, &why), &why) >= 0)
        return MB_OK;
    r->reason = mb_text(r->job->a, err, "%s", why.msg);
    return r->reason ? MB_OK : MB_E_NOMEM;
}

mb_status sim_collect(sim_result *r, mb_err *err)
{
    const int32_t n = r->session.problem.part->n_global;

    if (!r->job->out)
        return MB_OK;
    MB_TRY(node_table(r, err));
    MB_TRY(fetch(r, 0, n < SIM_SHOWN ? n : SIM_SHOWN, &r->shown, err));
    return !r->cs->args->opt.node || r->choice->cvb
               ? MB_OK
               : fetch(r, r->cs->network->node, 1, &r->named, err);
}

/* The file that process 0 writes. */
typedef struct rows_file {
    mb_file   file;
    size_t    len;
    int       writes; /* 1 in process 0 */
    mb_status status; /* first failure  */
    mb_err   *err;
} rows_file;

static void put(void *self, int32_t gid, const double *row)
{
    rows_file *to = self;

    (void)gid;
    if (to->writes && to->status >= 0)
        to->status = mb_npy_put(&to->file, to->len, row, to->err);
}

static mb_status begin(sim_job *job, const char *path, int32_t ndim, const int64_t *shape,
                       mb_file *f, mb_err *err)
{
    MB_TRY(mb_file_open(job->a, path, f, err));
    return mb_npy_begin(f, ndim, shape, err);
}

static mb_status write_rows(const sim_result *r, const char *path, int64_t dumps, const double *x,
                            rows_file *to, mb_err *err)
{
    sim_job       *job = r->job;
    const mb_part *part = r->session.problem.part;
    mb_transport  *tp = r->session.problem.tp;
    const int32_t  skip = dumps ? 0 : 1;
    const int64_t  shape[3] = {dumps, part->n_global, (int64_t)to->len};
    mb_status st = to->writes ? begin(job, path, 3 - skip, shape + skip, &to->file, err) : MB_OK;

    MB_TRY(ranks_agree(&job->ranks, st, err));
    for (int64_t k = 0; k < (dumps ? dumps : 1); k++)
        MB_TRY(tp->ops->walk(tp, x + (size_t)(k * part->n_local) * to->len, to->len, to->len, put,
                             to, err));
    if (to->writes && to->status >= 0)
        to->status = mb_file_commit(&to->file, err);
    return ranks_agree(&job->ranks, to->status, err);
}

/* x (dumps x n_local x len) as a NPY array dumps x nodes x len; dumps 0: nodes x len. */
static mb_status rows_out(const sim_result *r, const char *path, int64_t dumps, size_t len,
                          const double *x, mb_err *err)
{
    rows_file to = {.len = len, .writes = !r->job->ranks.rank, .err = err};
    mb_status st;

    MB_TRY(sim_wrote(r->job, path, err)); /* or the run ends without a summary */
    st = write_rows(r, path, dumps, x, &to, err);
    mb_file_abort(&to.file);
    return st;
}

struct sim_dump {
    const mb_case   *c;
    const mb_layout *l;
    double          *x;        /* dumps x nodes x P */
    double          *messages; /* dumps x links x received; NULL: without --dump-messages */
    int64_t          links;    /* directed */
    size_t           received; /* numbers of a message */
    double          *sorted, *scratch;
    int64_t          count;  /* dumps made    */
    int32_t          wanted; /* of --dump-at  */
    int32_t          nodes;  /* computed here */
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

static mb_status keep_messages(mb_arena *a, const mb_session *session, int64_t dumps, sim_dump *d,
                               mb_err *err)
{
    const mb_part *part = session->problem.part;

    d->links = part->g.ptr[part->n_local];
    d->received = session->state.mail.len;
    MB_NEW(d->messages, a, (size_t)(dumps * d->links) * d->received + 1, err);
    return MB_OK;
}

/* Those that have never come stay 0. */
static void dump_messages(sim_dump *d, const mb_mail *mail)
{
    double *to = d->messages + (size_t)(d->count * d->links) * d->received;

    for (int64_t e = 0; e < d->links; e++, to += d->received)
        if (mail->from[e])
            memcpy(to, mail->from[e], d->received * sizeof *to);
}

/* One more dump. order: of the components; NULL: their own. */
static void dump(sim_dump *d, const mb_state *st, const int32_t *order)
{
    const mb_case *c = d->c;
    double        *out = d->x + (size_t)d->count * (size_t)d->nodes * d->l->paper_len;

    if (d->messages)
        dump_messages(d, &st->mail);
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

int32_t sim_dump_items(sim_dump *d, mb_checkpoint_item *out)
{
    const size_t row = d->l->paper_len * sizeof *d->x;

    if (!d->wanted)
        return 0;
    *out++ = (mb_checkpoint_item){.name = "dumps made", .at = &d->count, .bytes = 8, .pieces = 1};
    *out = (mb_checkpoint_item){.name = "dumps",
                                .at = d->x,
                                .bytes = row,
                                .stride = row,
                                .pieces = d->wanted,
                                .piece_stride = (size_t)d->nodes * row};
    return 2;
}

mb_status sim_dump_watch(sim_result *r, mb_session *session, mb_err *err)
{
    const sim_args *args = r->cs->args;
    const int64_t   dumps = args->dump_count ? args->dump_count : 1;
    mb_observer     obs;

    MB_TRY(dump_new(r->job->a, session, dumps, &r->dump, err));
    r->dump->wanted = args->dump_count;
    if (args->opt.dump_messages)
        MB_TRY(keep_messages(r->job->a, session, dumps, r->dump, err));
    if (!args->dump_count) /* the last round: sim_dump_write */
        return MB_OK;
    MB_TRY(mb_dump_new(r->job->a, args->dump_at, args->dump_count, see, r->dump, &obs, err));
    return mb_session_watch(session, &obs, err);
}

static mb_status messages_write(sim_result *r, const char *path, mb_err *err)
{
    const sim_dump *d = r->dump;
    const int64_t   shape[3] = {d->count, d->links, (int64_t)d->received};
    mb_file         f = {0};
    mb_status       st;

    MB_TRY(sim_wrote(r->job, path, err));
    st = begin(r->job, path, 3, shape, &f, err);
    if (st >= 0)
        st = mb_npy_put(&f, (size_t)(d->count * d->links) * d->received, d->messages, err);
    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}

mb_status sim_dump_write(sim_result *r, mb_err *err)
{
    const sim_opt *o = &r->cs->args->opt;
    sim_dump      *d = r->dump;
    const char    *paths[] = {o->dump_phi, o->dump_messages};

    if (!r->cs->args->dump_count)
        dump(d, &r->session.state, NULL);
    for (int k = 0; k < 2; k++) {
        const char *file =
            paths[k] ? sim_name(r->job, r->cs->args, paths[k], r->choice->name, err) : NULL;

        if (paths[k] && !file)
            return MB_E_NOMEM;
        if (file && !d->count)
            sim_warn(r->job, "%s: no round of --dump-at was reached: no %s", r->choice->name,
                     paths[k]);
        else if (file)
            MB_TRY(k ? messages_write(r, file, err)
                     : rows_out(r, file, d->count, d->l->paper_len, d->x, err));
    }
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
    return rows_out(r, path, 0, d->l->paper_len, d->x, err);
}
