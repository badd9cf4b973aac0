/* sim_collect.c - what the outputs say of single nodes, from wherever they are computed. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

mb_status sim_start_sent(const sim *s, mb_traffic *sent, mb_err *err)
{
    const mb_traffic *units = &s->world.fit.nodes.sent, *centres = &s->begin.drawn.sent;
    mb_transport     *tp = &s->world.fit.nodes.place->tp;
    double            sum[2] = {(double)(units->frames + centres->frames),
                                (double)(units->bytes + centres->bytes)};

    MB_TRY(tp->ops->reduce(tp, MB_SUM, sum, 2, err));
    *sent = (mb_traffic){(int64_t)sum[0], (int64_t)sum[1]};
    return MB_OK;
}

/* NaN where there is none, or where it is lost to rounding. */
static mb_status divergence(const sim *s, const double *phi, const double *to, double *scratch,
                            double *kl, mb_err *err)
{
    mb_status st = mb_kl_aligned(&s->world.fit.nodes.model, phi, to, kl, NULL, scratch, err);

    if (st != MB_E_DOMAIN && st != MB_E_NUMERIC)
        return st;
    *kl = (double)NAN;
    return MB_OK;
}

static mb_status node_line(const sim *s, const sim_result *r, int32_t i, double *scratch,
                           double *out, mb_err *err)
{
    const mb_state *st = &r->session.state;
    const double   *phi = st->phi + (size_t)i * st->ld;

    out[SIM_ROWS] = (double)r->session.problem.rows[i].n;
    out[SIM_APART] = r->out.apart[i];
    out[SIM_BOUND] = st->bound[i];
    out[SIM_OUTSIDE] = st->outside[i];
    out[SIM_FROZEN] = (double)st->frozen[i];
    out[SIM_PROJECTED] = (double)st->projected[i];
    out[SIM_KL_CVB] = out[SIM_KL_TRUTH] = (double)NAN;
    if (s->begin.cvb && !st->outside[i])
        MB_TRY(divergence(s, phi, s->begin.cvb, scratch, &out[SIM_KL_CVB], err));
    if (s->begin.truth && !st->outside[i])
        MB_TRY(divergence(s, phi, s->begin.truth, scratch, &out[SIM_KL_TRUTH], err));
    return MB_OK;
}

static void keep(void *self, int32_t gid, const double *row)
{
    double *all = self;

    if (all)
        memcpy(all + (size_t)gid * SIM_NODE_FIELDS, row, SIM_NODE_FIELDS * sizeof *row);
}

static mb_status node_table(sim *s, sim_result *r, mb_err *err)
{
    const mb_part *part = r->session.problem.part;
    mb_transport  *tp = r->session.problem.tp;
    double        *lines, *scratch;

    MB_NEW(lines, r->session.own, (size_t)part->n_local * SIM_NODE_FIELDS, err);
    MB_NEW(scratch, r->session.own, mb_kl_aligned_scratch(&s->world.fit.nodes.model), err);
    for (int32_t i = 0; i < part->n_local; i++)
        MB_TRY(node_line(s, r, i, scratch, lines + (size_t)i * SIM_NODE_FIELDS, err));
    r->nodes = part->n_local == part->n_global ? lines : NULL;
    if (r->nodes)
        return MB_OK;
    if (!s->ranks.rank)
        MB_NEW(r->nodes, r->session.own, (size_t)part->n_global * SIM_NODE_FIELDS, err);
    return tp->ops->walk(tp, lines, SIM_NODE_FIELDS, SIM_NODE_FIELDS, keep, r->nodes, err);
}

/* phi of the nodes first .. first + count - 1 in every process: one has each, the others add 0. */
static mb_status fetch(const sim *s, sim_result *r, int32_t first, int32_t count, double **out,
                       mb_err *err)
{
    const mb_part *part = r->session.problem.part;
    const size_t   len = s->world.fit.nodes.model.layout.len;
    mb_transport  *tp = r->session.problem.tp;

    MB_NEW(*out, r->session.own, (size_t)count * len, err);
    for (int32_t i = 0; i < part->n_local; i++)
        if (part->gid[i] >= first && part->gid[i] - first < count)
            memcpy(*out + (size_t)(part->gid[i] - first) * len,
                   r->session.state.phi + (size_t)i * r->session.state.ld, len * sizeof **out);
    return tp->ops->reduce(tp, MB_SUM, *out, (int32_t)((size_t)count * len), err);
}

/* Row of --node, or -1 for the network mean. */
static int32_t named(const sim *s)
{
    for (int32_t i = 0; s->opt.node && i < s->world.net.n; i++)
        if (!strcmp(s->world.net.id[i], s->opt.node))
            return i;
    return -1;
}

mb_status sim_collect(sim *s, sim_result *r, mb_err *err)
{
    const int32_t n = r->session.problem.part->n_global, node = r->choice->cvb ? -1 : named(s);

    if (!s->opt.out)
        return MB_OK;
    MB_TRY(node_table(s, r, err));
    MB_TRY(fetch(s, r, 0, n < SIM_SHOWN ? n : SIM_SHOWN, &r->shown, err));
    return node < 0 ? MB_OK : fetch(s, r, node, 1, &r->named, err);
}
