/* algo/tree.c - TREE: every node sums the statistics of the whole network over a spanning tree, and
 * follows their mean with momentum.
 *
 * A vector is (x, 1): the expected statistics x_i = (phi*_i - prior)/N of the node's own rows, and
 * after them a count of nodes. Node i sends neighbour j the sum over its own side of the link,
 * its own vector and what the other neighbours sent last, so on a tree every vector is counted
 * once. The newest message alone matters: a lost one is replaced by the next. */
#include "algo/combine.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(mb_tree_opt, field)

static const mb_opt opts[] = {
    {"tree.eta", MB_OPT_REAL, AT(eta), "0.4", 1e-6, 1, NULL, "", "", "",
     "damping: the part of the way to the extrapolated mean that is made in a round"},
    {"tree.momentum", MB_OPT_REAL, AT(momentum), "0.5", 0, 0.999, NULL, "", "", "",
     "part of the movement of the last round that is repeated"},
    {"tree.lead", MB_OPT_AUTO, AT(lead), "auto", 0, 100, NULL, "rounds", "", "",
     "rounds by which the mean is extrapolated, because sums of distant nodes are old; auto: .4 of "
     "the mean distance in the tree, at most 1.5"},
    {.name = NULL}};

static const char about[] =
    "Each node sends, over every link of a breadth-first tree, the sum of the statistics of all "
    "nodes on its side of that link and their number. So every node knows the mean over the "
    "network, each part as old as the tree is deep, extrapolates it by a round or so, and follows "
    "it with damping and momentum.\n"
    "\nIt assumes the tree that the initialisation builds (a flood from the lowest node id) and "
    "that its links live: a lost or late message is replaced by the next one, up to 30 % loss was "
    "measured, but it does not repair itself when a link of the tree dies. Then, and where links "
    "come and go, use edge. It is not for rings, long paths and large sparse networks, where edge "
    "needs fewer rounds.\n"
    "\nA round costs one message in each direction over the n - 1 links of the tree: two vectors a "
    "node, whatever the number of links. On ten of the paper's networks it settles in fewer rounds "
    "than edge and sends a fifth of the bytes; wide data with few rows a node settle too.\n"
    "\nSums over a tree are message passing [Pearl88]; momentum is the heavy ball [Polyak64]. "
    "docs/math.md, TREE, has the formulas.\n";

static mb_status tune(void *opt, const mb_net_facts *net, mb_err *err)
{
    mb_tree_opt *o = opt;

    (void)err;
    if (isnan(o->lead))
        o->lead = fmin(0.4 * net->tree_mean, 1.5);
    o->n = net->n;
    o->first = net->tree_diameter;
    return MB_OK;
}

/* Vectors of aux: the mean of the last round, the estimate, and how far it moved. */
enum { MEAN, ABAR, MOVED, AUX };

static double *vector(mb_node *nd, int k)
{
    return nd->aux + (size_t)k * nd->len;
}

static int is_linked(const mb_node *nd, int32_t j)
{
    return nd->tree && nd->tree[j];
}

static void own(const mb_node *nd, const double *phi_star, double *out)
{
    const size_t L = nd->layout->len;

    for (size_t l = 0; l < L; l++)
        out[l] = (phi_star[l] - nd->prior[l]) / nd->scale;
    out[L] = 1;
}

static void add(const double *restrict v, size_t len, double *restrict sum)
{
    for (size_t l = 0; l < len; l++)
        sum[l] += v[l];
}

/* phi = phi*: the result of the first round, in which no node sends. */
static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    (void)err;
    memcpy(nd->phi, phi_star, nd->layout->len * sizeof *phi_star);
    own(nd, phi_star, vector(nd, ABAR));
    memcpy(vector(nd, MEAN), vector(nd, ABAR), nd->len * sizeof *nd->aux);
    return MB_OK;
}

/* To j: (x_i + sum_{k != j} I_k, 1 + sum_{k != j} c_k), from sums over the neighbours before j and
 * after j: a difference of sums would lose digits. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const size_t len = nd->len;

    (void)err;
    if (nd->t == 1)
        return MB_QUIET;
    own(nd, phi_star, nd->scratch);
    for (int32_t j = 0; j < nd->deg; j++)
        if (is_linked(nd, j)) {
            memcpy(msg + (size_t)j * ld, nd->scratch, len * sizeof *msg);
            add(nd->edge + (size_t)j * len, len, nd->scratch);
        }
    memset(nd->scratch, 0, len * sizeof *msg);
    for (int32_t j = nd->deg - 1; j >= 0; j--)
        if (is_linked(nd, j)) {
            add(nd->scratch, len, msg + (size_t)j * ld);
            add(nd->edge + (size_t)j * len, len, nd->scratch);
        }
    return MB_OK;
}

/* s = (x_i + sum_j I_j) / (1 + sum_j c_j), into the node's scratch; 1 if all nodes are in it. */
static int mean(mb_node *nd, const double *phi_star)
{
    const mb_tree_opt *o = nd->opt;
    const size_t       L = nd->layout->len;
    double            *s = nd->scratch, share;
    int                complete;

    own(nd, phi_star, s);
    for (int32_t j = 0; j < nd->deg; j++)
        if (is_linked(nd, j))
            add(nd->edge + (size_t)j * nd->len, nd->len, s);
    complete = s[L] > o->n - 0.5;
    share = 1 / s[L];
    for (size_t l = 0; l < L; l++)
        s[l] *= share;
    return complete;
}

/* abar += eta (s + lead (s - s before) - abar) + momentum (abar - abar before). */
static void follow(mb_node *nd, const double *s)
{
    const mb_tree_opt *o = nd->opt;
    const double      *before = vector(nd, MEAN);
    double            *abar = vector(nd, ABAR), *moved = vector(nd, MOVED);

    for (size_t l = 0; l < nd->layout->len; l++) {
        const double target = s[l] + o->lead * (s[l] - before[l]);

        moved[l] = o->eta * (target - abar[l]) + o->momentum * moved[l];
        abar[l] += moved[l];
    }
}

static void take(mb_node *nd, const double *s)
{
    double *abar = vector(nd, ABAR), *moved = vector(nd, MOVED);

    for (size_t l = 0; l < nd->layout->len; l++) {
        moved[l] = s[l] - abar[l];
        abar[l] = s[l];
    }
}

/* phi = prior + N abar. A node that has not yet heard of all others keeps its estimate, once the first
 * sums had time to reach it. */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const mb_tree_opt *o = nd->opt;
    const size_t       L = nd->layout->len;
    const double      *abar = vector(nd, ABAR);
    int                complete;

    (void)msg, (void)ld, (void)err;
    if (nd->t == 1)
        return MB_OK;
    for (int32_t j = 0; j < nd->deg; j++)
        if (is_linked(nd, j) && in->fresh[j])
            memcpy(nd->edge + (size_t)j * nd->len, in->msg[j], nd->len * sizeof *nd->edge);
    complete = mean(nd, phi_star);
    if (nd->t <= o->first)
        take(nd, nd->scratch);
    else if (complete)
        follow(nd, nd->scratch);
    else
        memset(vector(nd, MOVED), 0, L * sizeof *nd->aux);
    memcpy(vector(nd, MEAN), nd->scratch, L * sizeof *nd->aux);
    for (size_t l = 0; l < L; l++)
        nd->phi[l] = nd->prior[l] + nd->scale * abar[l];
    return MB_OK;
}

static double step(const mb_node *nd)
{
    const mb_tree_opt *o = nd->opt;

    return nd->t <= o->first ? 1 : o->eta;
}

static int32_t naux(const void *opt)
{
    (void)opt;
    return AUX;
}

const mb_algo mb_algo_tree = {
    .name = "tree",
    .label = "TREE",
    .title = "TREE: exact sums over a breadth-first tree, few bytes where the tree is shallow",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_tree_opt),
    .fanout = MB_PER_NEIGHBOUR,
    .needs = MB_NEEDS_TREE,
    .consensus = 1,
    .extra = 1, /* the count of nodes */
    .naux = naux,
    .nedge = mb_one_vector_, /* the newest message of each neighbour, at first zeros */
    .tune = tune,
    .step = step,
    .init = init,
    .emit = emit,
    .absorb = absorb,
};
