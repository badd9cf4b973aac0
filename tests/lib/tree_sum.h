/* tree_sum.h - a small algorithm that waits: central VB by exact sums over a spanning tree.
 *
 * In a pass each node makes y = round(2^40 x) of its x = (phi* - prior)/N once, as integers, and
 * adds a mask to every second one: all masks of a pass are 0 in sum, and each is as any 64 bits.
 * (Of the others the negative ones are NaN to who reads them as doubles.) It sends a neighbour in
 * the tree the sum over its own side of their link as soon as it has heard those of its other
 * neighbours; when it has heard all, it has the total T of n nodes, and makes its next local step
 * at phi = prior + (N/n) 2^-40 T. Sums are modulo 2^64, so neither the tree nor the order of
 * arrival matters. A pass has as many rounds as the tree's longest path has hops.
 *
 * A message has two vectors, the sum of this pass and that of the pass before, each followed by
 * the number of its pass (0: not known yet). A node that has finished a pass repeats its sum, so
 * messages may be lost or late: no node is more than one pass ahead of its neighbours. */
#ifndef MB_TEST_TREE_SUM_H
#define MB_TEST_TREE_SUM_H

#include "meshbayes/extend.h"

#include <math.h>

enum { TREE_SUM_BITS = 40, TREE_SUM_VECTORS = 2 };
/* Vectors of an edge: the sum of the neighbour in this pass, ours for it in the one before. */
enum { TREE_SUM_RECEIVED, TREE_SUM_OURS, TREE_SUM_EDGE };
/* Numbers of memo: the pass, from 1; 1 in a round in which its total was there. */
enum { TREE_SUM_PASS, TREE_SUM_DONE, TREE_SUM_MEMO };

typedef struct tree_sum_opt {
    int32_t n;
} tree_sum_opt;

static inline mb_status tree_sum_tune(void *opt, const mb_net_facts *facts, mb_err *e)
{
    (void)e;
    ((tree_sum_opt *)opt)->n = facts->n;
    return MB_OK;
}

static inline int32_t tree_sum_vectors(const void *opt)
{
    (void)opt;
    return TREE_SUM_VECTORS;
}

static inline int32_t tree_sum_nedge(const void *opt)
{
    (void)opt;
    return TREE_SUM_EDGE;
}

static inline int32_t tree_sum_naux(const void *opt)
{
    (void)opt;
    return 1; /* vector of the node: y with its mask */
}

static inline uint64_t tree_sum_pass(const mb_node *nd)
{
    return (uint64_t)nd->memo[TREE_SUM_PASS];
}

static inline double *tree_sum_edge(const mb_node *nd, int32_t j, int k)
{
    return nd->edge + (size_t)(j * TREE_SUM_EDGE + k) * nd->len;
}

static inline int tree_sum_linked(const mb_node *nd, int32_t j)
{
    return nd->tree && nd->tree[j];
}

static inline int tree_sum_has_received(const mb_node *nd, int32_t j)
{
    return mb_word(tree_sum_edge(nd, j, TREE_SUM_RECEIVED), nd->layout->len) == tree_sum_pass(nd);
}

/* Any 64 bits, those of node `id` in a pass. */
static inline uint64_t tree_sum_pad(uint64_t id, uint64_t pass, size_t l)
{
    uint64_t x = ((id << 42) + (pass << 21) + l + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 31;
}

/* The pad of the node less that of the next one, for every second number. */
static inline uint64_t tree_sum_mask(const mb_node *nd, size_t l)
{
    const int32_t next = (nd->id + 1) % ((const tree_sum_opt *)nd->opt)->n;

    if (l % 2)
        return 0;
    return tree_sum_pad((uint64_t)nd->id, tree_sum_pass(nd), l) -
           tree_sum_pad((uint64_t)next, tree_sum_pass(nd), l);
}

/* y with its mask, where the total of all y cannot leave the range of int64. */
static inline mb_status tree_sum_own(mb_node *nd, const double *phi_star, mb_err *e)
{
    const double most = ldexp(1, 62) / ((const tree_sum_opt *)nd->opt)->n;

    for (size_t l = 0; l < nd->layout->len; l++) {
        const double y = ldexp((phi_star[l] - nd->prior[l]) / nd->scale, TREE_SUM_BITS);

        if (!(fabs(y) < most))
            MB_FAIL(e, MB_E_NUMERIC, "tree_sum: a statistic is too large");
        mb_set_word(nd->aux, l, (uint64_t)llrint(y) + tree_sum_mask(nd, l));
    }
    return MB_OK;
}

static inline mb_status tree_sum_init(mb_node *nd, const double *phi_star, mb_err *e)
{
    nd->memo[TREE_SUM_PASS] = 1;
    return tree_sum_own(nd, phi_star, e);
}

/* The sum of y and all that was heard in this pass, in the node's scratch; returns how many were
 * not heard. */
static inline int32_t tree_sum_gather(mb_node *nd)
{
    int32_t missing = 0;

    memcpy(nd->scratch, nd->aux, nd->len * sizeof *nd->aux);
    for (int32_t j = 0; j < nd->deg; j++) {
        const double *received = tree_sum_edge(nd, j, TREE_SUM_RECEIVED);

        if (!tree_sum_linked(nd, j))
            continue;
        if (!tree_sum_has_received(nd, j))
            missing++;
        else
            for (size_t l = 0; l < nd->layout->len; l++)
                mb_set_word(nd->scratch, l, mb_word(nd->scratch, l) + mb_word(received, l));
    }
    return missing;
}

/* To j: the sum in the node's scratch without what j said. */
static inline void tree_sum_tell(const mb_node *nd, int32_t j, double *out)
{
    const double  *received = tree_sum_edge(nd, j, TREE_SUM_RECEIVED);
    const uint64_t with = (uint64_t)tree_sum_has_received(nd, j);

    for (size_t l = 0; l < nd->layout->len; l++)
        mb_set_word(out, l, mb_word(nd->scratch, l) - with * mb_word(received, l));
    mb_set_word(out, nd->layout->len, tree_sum_pass(nd));
}

static inline mb_status tree_sum_emit(mb_node *nd, const double *phi_star, double *msg, size_t ld,
                                      mb_err *e)
{
    int32_t missing;

    if (nd->memo[TREE_SUM_DONE] > 0)
        MB_TRY(tree_sum_own(nd, phi_star, e));
    missing = tree_sum_gather(nd);
    for (int32_t j = 0; j < nd->deg; j++) {
        double *now = msg + (size_t)j * ld;

        if (!tree_sum_linked(nd, j))
            continue;
        memset(now, 0, nd->len * sizeof *now);
        if (missing == !tree_sum_has_received(nd, j))
            tree_sum_tell(nd, j, now);
        memcpy(now + nd->len, tree_sum_edge(nd, j, TREE_SUM_OURS), nd->len * sizeof *now);
    }
    return MB_OK;
}

static inline void tree_sum_hear(mb_node *nd, int32_t j, const double *msg)
{
    for (size_t k = 0; k < TREE_SUM_VECTORS; k++)
        if (mb_word(msg + k * nd->len, nd->layout->len) == tree_sum_pass(nd))
            memcpy(tree_sum_edge(nd, j, TREE_SUM_RECEIVED), msg + k * nd->len,
                   nd->len * sizeof *msg);
}

static inline mb_status tree_sum_absorb(mb_node *nd, const double *phi_star, const double *msg,
                                        size_t ld, const mb_inbox *in, mb_err *e)
{
    const double unit = ldexp(nd->scale / ((const tree_sum_opt *)nd->opt)->n, -TREE_SUM_BITS);

    (void)phi_star, (void)msg, (void)ld, (void)e;
    for (int32_t j = 0; j < nd->deg; j++)
        if (tree_sum_linked(nd, j) && in->fresh[j])
            tree_sum_hear(nd, j, in->msg[j]);
    nd->memo[TREE_SUM_DONE] = !tree_sum_gather(nd);
    if (!(nd->memo[TREE_SUM_DONE] > 0))
        return MB_OK;
    for (int32_t j = 0; j < nd->deg; j++)
        if (tree_sum_linked(nd, j))
            tree_sum_tell(nd, j, tree_sum_edge(nd, j, TREE_SUM_OURS));
    for (size_t l = 0; l < nd->layout->len; l++)
        nd->phi[l] = nd->prior[l] + unit * (double)(int64_t)mb_word(nd->scratch, l);
    nd->memo[TREE_SUM_PASS]++;
    return MB_OK;
}

static inline int32_t tree_sum_ready(const mb_node *nd)
{
    return nd->memo[TREE_SUM_DONE] > 0;
}

static const mb_opt tree_sum_no_opts[] = {{.name = NULL}};

static const mb_algo tree_sum = {.name = "tree_sum",
                                 .title = "central VB by exact sums over a tree",
                                 .opts = tree_sum_no_opts,
                                 .opt_size = sizeof(tree_sum_opt),
                                 .fanout = MB_PER_NEIGHBOUR,
                                 .coding = MB_CODED_INTEGERS,
                                 .needs = MB_NEEDS_TREE,
                                 .bears = MB_BEARS_LOSS,
                                 .consensus = 1,
                                 .extra = 1, /* the pass */
                                 .memo = TREE_SUM_MEMO,
                                 .vectors = tree_sum_vectors,
                                 .naux = tree_sum_naux,
                                 .nedge = tree_sum_nedge,
                                 .tune = tree_sum_tune,
                                 .ready = tree_sum_ready,
                                 .init = tree_sum_init,
                                 .emit = tree_sum_emit,
                                 .absorb = tree_sum_absorb};

#endif
