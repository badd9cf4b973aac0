/* tests/lib/net.h - small networks and hand-made states for tests. */
#ifndef MB_TEST_NET_H
#define MB_TEST_NET_H

#include "meshbayes/extend.h"
#include "network/graph.h"
#include "test.h"
#include "tree.h"

/* A network in one process with the reliable transport. Never moved once made: the transport
 * points at `part`. */
typedef struct net {
    mb_topology  topology;
    mb_weights   weights;
    mb_part      part;
    mb_transport tp;
} net;

static inline void net_from_graph(mb_arena *a, net *n)
{
    mb_err err;
    must(mb_weights_make(a, &n->topology.g, MB_METROPOLIS, &n->weights, &err));
    must(mb_part_whole(a, &n->topology.g, &n->weights, &n->part, &err));
    n->part.tree = tree_links(a, &n->topology.g, 0);
    must(mb_transport_none(a, &n->part, &n->tp, &err));
}

static inline net *net_make(mb_arena *a, const char *text)
{
    mb_err err;
    net   *n = mb_alloc(a, 1, sizeof *n);
    assert_non_null(n);
    must(mb_topology_make(a, text, 1, &n->topology, &err));
    net_from_graph(a, n);
    return n;
}

/* m edges as pairs; may be disconnected. */
static inline net *net_from_edges(mb_arena *a, int32_t nodes, int64_t m, const int32_t *edges)
{
    mb_err err;
    net   *n = mb_alloc(a, 1, sizeof *n);
    assert_non_null(n);
    must(mb_graph_from_edges(a, nodes, m, edges, &n->topology.g, &err));
    net_from_graph(a, n);
    return n;
}

/* A state whose phi the test writes itself: every node at the prior, nothing else. */
static inline mb_state state_by_hand(mb_arena *a, const mb_problem *p)
{
    const size_t n = (size_t)p->part->n_local, len = p->model->layout.len;
    mb_state     s = {.ld = len + 3}; /* a stride that is not the length */
    s.phi = mb_alloc(a, n * s.ld, sizeof *s.phi);
    s.phi_star = mb_alloc(a, n * s.ld, sizeof *s.phi_star);
    s.bound = mb_alloc(a, n, sizeof *s.bound);
    s.outside = mb_alloc(a, n, 1);
    s.frozen = mb_alloc(a, n, sizeof *s.frozen);
    s.projected = mb_alloc(a, n, sizeof *s.projected);
    s.by = mb_alloc(a, n, sizeof *s.by);
    assert_true(s.by && s.phi && s.phi_star && s.bound && s.outside && s.frozen && s.projected);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < len; l++)
            s.phi[i * s.ld + l] = s.phi_star[i * s.ld + l] = p->model->prior[l];
    return s;
}

#endif
