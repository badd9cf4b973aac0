/* mesh.h - mesh nodes on the links of a network, and frames between them. Include it after
 * fits.h. */
#ifndef MB_TEST_MESH_H
#define MB_TEST_MESH_H

#include "mesh/genesis.h"
#include "meshbayes/extend.h"
#include "model/model.h"
#include "test.h"

typedef struct mesh {
    mb_network     net;
    mb_plan        plan;
    mb_peer      **peer; /* net.n */
    unsigned char *frame;
    size_t         room, *bytes;
    int64_t        now;
    int64_t        sent, lost;
    double         loss;
    int32_t cut;  /* 1: the link in the middle of a path is cut; 2: for what the second half says */
    int32_t down; /* 1 + a node that is switched off; 0: none   */
    mb_rng  rng;
} mesh;

/* The plan of a case: its kind with the options given. */
static inline mb_plan mesh_plan(const mb_case *c, const void *kind_opt, mb_genesis_from from)
{
    return (mb_plan){.kind = c->kind,
                     .kind_opt = kind_opt,
                     .columns = c->table.rows.d,
                     .column = c->table.column,
                     .seed = 1,
                     .from = from};
}

/* All nodes with the rows of the case and the links of the network; g NULL: none is given. like: n
 * options beside those. */
static inline void mesh_up_with(mesh *m, const mb_network *net, const mb_case *c,
                                const mb_plan *plan, const mb_genesis *g, const mb_peer_opt *like)
{
    *m = (mesh){.net = *net, .plan = *plan};
    m->rng = gen_rng(5);
    m->peer = mb_alloc(arena, (size_t)net->n, sizeof *m->peer);
    for (int32_t i = 0; i < net->n; i++) {
        mb_peer_opt o = like[i];

        o.id = i;
        o.incarnation = 1;
        o.plan = &m->plan;
        o.neighbours = (int32_t)(net->g.ptr[i + 1] - net->g.ptr[i]);
        o.rows = c->data[i].n;
        OK(mb_peer_new(arena, &o, &m->peer[i], &err));
        for (int64_t e = net->g.ptr[i]; e < net->g.ptr[i + 1]; e++)
            OK(mb_peer_link(m->peer[i], net->g.adj[e], &err));
        OK(mb_peer_append(m->peer[i], 0, &c->data[i], NULL, &err));
        if (g)
            OK(mb_peer_genesis(m->peer[i], g, &err));
        if (mb_peer_frame_max(m->peer[i]) > m->room)
            m->room = mb_peer_frame_max(m->peer[i]);
    }
    m->frame = mb_alloc(arena, (size_t)net->g.ptr[net->n], m->room);
    m->bytes = mb_alloc(arena, (size_t)net->g.ptr[net->n], sizeof *m->bytes);
}

static inline void mesh_up(mesh *m, const mb_network *net, const mb_case *c, const mb_plan *plan,
                           const mb_genesis *g, double n_nodes, int32_t hops)
{
    mb_peer_opt *like = mb_alloc(arena, (size_t)net->n, sizeof *like);

    for (int32_t i = 0; i < net->n; i++)
        like[i] = (mb_peer_opt){.n_nodes = n_nodes, .hops = hops};
    mesh_up_with(m, net, c, plan, g, like);
}

static inline int mesh_is_cut(const mesh *m, int32_t i, int32_t j)
{
    const int32_t half = m->net.n / 2;

    return m->down == 1 + i || m->down == 1 + j ||
           (m->cut && (i < half) != (j < half) && (m->cut == 1 || i >= half));
}

/* The frames of node i to all its neighbours: that to neighbour e at frame + e room. */
static inline void mesh_write(mesh *m, int32_t i)
{
    for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++)
        if (mesh_is_cut(m, i, m->net.g.adj[e]))
            m->bytes[e] = 0;
        else
            OK(mb_peer_frame(m->peer[i], m->net.g.adj[e], m->frame + (size_t)e * m->room, m->room,
                             &m->bytes[e], &err));
}

static inline void mesh_deliver(mesh *m, int32_t i)
{
    for (int64_t e = m->net.g.ptr[i]; e < m->net.g.ptr[i + 1]; e++) {
        mb_refusal why;

        m->sent += m->bytes[e] > 0;
        if (!m->bytes[e] || (m->loss > 0 && mb_rng_uniform(&m->rng) < m->loss)) {
            m->lost += m->bytes[e] > 0;
            continue;
        }
        why = mb_peer_hear(m->peer[m->net.g.adj[e]], m->now, i, m->frame + (size_t)e * m->room,
                           m->bytes[e], &err);
        if (why)
            fail_msg("%s: %s", mb_refusal_text(why), err.msg);
    }
}

/* All nodes tick together, and all write their frames. */
static inline void mesh_speak(mesh *m)
{
    m->now += 20;
    for (int32_t i = 0; i < m->net.n; i++)
        if (m->down != 1 + i)
            OK(mb_peer_tick(m->peer[i], m->now, &err));
    for (int32_t i = 0; i < m->net.n; i++)
        mesh_write(m, i);
}

/* The same, then all frames arrive. */
static inline void mesh_tick(mesh *m)
{
    mesh_speak(m);
    for (int32_t i = 0; i < m->net.n; i++)
        mesh_deliver(m, i);
}

static inline void mesh_ticks(mesh *m, int times)
{
    for (int t = 0; t < times; t++)
        mesh_tick(m);
}

/* Nodes tick one after the other, in an order that changes, and their frames arrive at once. */
static inline void mesh_tick_in_turn(mesh *m)
{
    m->now += 20;
    for (int32_t k = 0; k < m->net.n; k++) {
        const int32_t i = (int32_t)((k * 5 + m->now / 20) % m->net.n);

        OK(mb_peer_tick(m->peer[i], m->now, &err));
        mesh_write(m, i);
        mesh_deliver(m, i);
    }
}

/* All nodes tick; a node writes its frames when those of nodes before it have arrived. */
static inline void mesh_tick_late(mesh *m)
{
    m->now += 20;
    for (int32_t i = 0; i < m->net.n; i++)
        if (m->down != 1 + i)
            OK(mb_peer_tick(m->peer[i], m->now, &err));
    for (int32_t i = 0; i < m->net.n; i++) {
        mesh_write(m, i);
        mesh_deliver(m, i);
    }
}

static inline mb_peer_status mesh_look(const mesh *m, int32_t i)
{
    mb_peer_status s;

    mb_peer_look(m->peer[i], m->now, &s);
    return s;
}

/* A checkpoint of a node: n bytes, as many in each of its life. */
static inline unsigned char *mesh_saved(const mb_peer *p, size_t *n)
{
    unsigned char *bytes = mb_alloc(arena, *n = mb_peer_saved(p), 1);

    OK(mb_peer_save(p, bytes, *n, &err));
    return bytes;
}

/* What one step of central VB of the rows (data units) of all nodes, or of those with use[j],
 * changes at node i, relative to the largest number there. */
static inline double mesh_step_changes(const mesh *m, const mb_rows *of, int32_t i,
                                       const uint8_t *use)
{
    const mb_genesis *g = mb_peer_block(m->peer[i]);
    const double     *phi = mb_peer_phi(m->peer[i]);
    double           *sum = mb_alloc(arena, g->len, 8), *x, *scratch, far = 0, most = 0;
    double           *point = mb_alloc(arena, 3 * g->len, 8), *mu = point + g->len;
    const double     *prior;
    mb_model          model;

    OK(mb_genesis_model(arena, g, &model, &err));
    for (int32_t j = 0; j < m->net.n; j++) { /* room for the longest group of any */
        const size_t needs = mb_group_scratch_(&model, of[j].n);

        model.scratch = needs > model.scratch ? needs : model.scratch;
    }
    scratch = mb_alloc(arena, mb_local_scratch(&model), 8);
    memcpy(point, phi, g->len * sizeof *phi);
    if (model.ops->straighten)
        model.ops->straighten(&model, point, scratch);
    OK(mb_moments(&model.layout, point, mu, NULL, scratch, &err));
    prior = mb_prior_at(&model, mu, model.prior, g->len, mu + g->len);
    for (int32_t j = 0; j < m->net.n; j++) {
        mb_rows rows = of[j];

        if (use && !use[j])
            continue;
        x = mb_alloc(arena, (size_t)(rows.n * rows.d), 8);
        for (int64_t r = 0; r < rows.n; r++)
            for (int32_t d = 0; d < rows.d; d++)
                x[r * rows.d + d] = (mb_rows_at(&rows, r, d) - g->run.origin[d]) / g->run.scale[d];
        rows.x = x;
        rows.ld = (size_t)rows.d;
        OK(model.ops->stats(&model, point, &rows, sum, NULL, scratch, &err));
    }
    for (size_t l = 0; l < g->len; l++) {
        far = fmax(far, fabs(prior[l] + sum[l] - phi[l]));
        most = fmax(most, fabs(phi[l]));
    }
    return far / most;
}

/* Ticks until every node says settled, at most `most`; how many. */
static inline int mesh_settle(mesh *m, void (*tick)(mesh *m), int most)
{
    for (int t = 1; t <= most; t++) {
        int settled = 0;

        tick(m);
        for (int32_t i = 0; i < m->net.n; i++)
            settled += m->down == 1 + i || mesh_look(m, i).verdict == MB_PEER_SETTLED;
        if (settled == m->net.n)
            return t;
    }
    return most + 1;
}

#endif
