/* sim_collect.c - what the outputs say of single nodes, from wherever they are computed. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static void add(void *self, int32_t gid, const double *row)
{
    (void)gid;
    *(double *)self += *row;
}

mb_status sim_sum(const sim_result *r, const double *v, double *sum, mb_err *err)
{
    mb_transport *tp = &r->net->tp;

    *sum = 0;
    return tp->ops->walk(tp, v, 1, 1, add, sum, err);
}

/* NaN where there is none, or where it is lost to rounding. */
static mb_status divergence(const sim *s, const double *phi, const double *to, double *scratch,
                            double *kl, mb_err *err)
{
    mb_status st = mb_kl_aligned(&s->model, phi, to, kl, NULL, scratch, err);

    if (st != MB_E_DOMAIN && st != MB_E_NUMERIC)
        return st;
    *kl = (double)NAN;
    return MB_OK;
}

static mb_status node_line(const sim *s, const sim_result *r, int32_t i, double *scratch,
                           double *out, mb_err *err)
{
    const mb_state *st = &r->state;
    const double   *phi = st->phi + (size_t)i * st->ld;

    out[SIM_ROWS] = (double)r->problem.rows[i].n;
    out[SIM_APART] = r->apart[i];
    out[SIM_BOUND] = st->bound[i];
    out[SIM_OUTSIDE] = st->outside[i];
    out[SIM_FROZEN] = (double)st->frozen[i];
    out[SIM_PROJECTED] = (double)st->projected[i];
    out[SIM_KL_CVB] = out[SIM_KL_TRUTH] = (double)NAN;
    if (s->cvb && !st->outside[i])
        MB_TRY(divergence(s, phi, s->cvb, scratch, &out[SIM_KL_CVB], err));
    if (s->truth && !st->outside[i])
        MB_TRY(divergence(s, phi, s->truth, scratch, &out[SIM_KL_TRUTH], err));
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
    const mb_part *part = r->problem.part;
    mb_transport  *tp = &r->net->tp;
    double        *lines, *scratch;

    MB_NEW(lines, r->memory, (size_t)part->n_local * SIM_NODE_FIELDS, err);
    MB_NEW(scratch, r->memory, mb_kl_aligned_scratch(&s->model), err);
    for (int32_t i = 0; i < part->n_local; i++)
        MB_TRY(node_line(s, r, i, scratch, lines + (size_t)i * SIM_NODE_FIELDS, err));
    r->nodes = part->n_local == part->n_global ? lines : NULL;
    if (r->nodes)
        return MB_OK;
    if (!s->ranks.rank)
        MB_NEW(r->nodes, r->memory, (size_t)part->n_global * SIM_NODE_FIELDS, err);
    return tp->ops->walk(tp, lines, SIM_NODE_FIELDS, SIM_NODE_FIELDS, keep, r->nodes, err);
}

/* phi of the nodes first .. first + count - 1 in every process: one has each, the others add 0. */
static mb_status fetch(const sim *s, sim_result *r, int32_t first, int32_t count, double **out,
                       mb_err *err)
{
    const mb_part *part = r->problem.part;
    const size_t   len = s->model.layout.len;
    mb_transport  *tp = &r->net->tp;

    MB_NEW(*out, r->memory, (size_t)count * len, err);
    for (int32_t i = 0; i < part->n_local; i++)
        if (part->gid[i] >= first && part->gid[i] - first < count)
            memcpy(*out + (size_t)(part->gid[i] - first) * len,
                   r->state.phi + (size_t)i * r->state.ld, len * sizeof **out);
    return tp->ops->reduce(tp, MB_SUM, *out, (int32_t)((size_t)count * len), err);
}

/* Row of --node, or -1 for the network mean. */
static int32_t named(const sim *s)
{
    for (int32_t i = 0; s->opt.node && i < s->data.N; i++)
        if (!strcmp(s->data.node_id[i], s->opt.node))
            return i;
    return -1;
}

mb_status sim_collect(sim *s, sim_result *r, mb_err *err)
{
    const int32_t n = r->problem.part->n_global, node = r->choice->cvb ? -1 : named(s);

    if (!s->opt.out)
        return MB_OK;
    MB_TRY(node_table(s, r, err));
    MB_TRY(fetch(s, r, 0, n < SIM_SHOWN ? n : SIM_SHOWN, &r->shown, err));
    return node < 0 ? MB_OK : fetch(s, r, node, 1, &r->named, err);
}
