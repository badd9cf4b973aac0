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
     "the mean distance in the tree, at most 1.5; a node that goes round halves it and momentum"},
    {.name = NULL}};

static const char about[] =
    "Each node sends, over every link of a breadth-first tree, the sum of the statistics of all "
    "nodes on its side of that link and their number. So every node knows the mean over the "
    "network, each part as old as the tree is deep, extrapolates it by a round or so, and follows "
    "it with damping and momentum. A node whose estimate goes to and fro without coming closer "
    "halves extrapolation and momentum.\n"
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
    if (isnan(o->lead)) {
        o->lead = fmin(0.4 * net->tree_mean, 1.5);
        o->adapt = 1;
    }
    o->n = net->n;
    o->first = net->tree_diameter;
    return MB_OK;
}

/* Vectors of aux: the mean of the last round, the estimate, how far it moved, and the estimate when
 * the window began. */
enum { MEAN, ABAR, MOVED, BEGAN, AUX };
/* Numbers of memo: how often lead and momentum were halved, and at least; whether they were doubled; the
 * round that ends the window; the way of the estimate in it and in the window before. */
enum { HALVED, LEAST, DOUBLED, WINDOW, PATH, PATH_WAS, MEMO };

enum { WINDOW_LEAST = 20, PASSES = 4 /* diameters of the tree in a window */ };

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
    const double       ease = exp2(-nd->memo[HALVED]);
    const double       lead = ease * o->lead, momentum = ease * o->momentum;
    const double      *before = vector(nd, MEAN);
    double            *abar = vector(nd, ABAR), *moved = vector(nd, MOVED);

    for (size_t l = 0; l < nd->layout->len; l++) {
        const double target = s[l] + lead * (s[l] - before[l]);

        moved[l] = o->eta * (target - abar[l]) + momentum * moved[l];
        abar[l] += moved[l];
    }
}

static void begin_window(mb_node *nd)
{
    const mb_tree_opt *o = nd->opt;

    nd->memo[WINDOW] = (double)nd->t + fmax(WINDOW_LEAST, PASSES * (double)o->first);
    nd->memo[PATH] = 0;
    memcpy(vector(nd, BEGAN), vector(nd, ABAR), nd->layout->len * sizeof *nd->aux);
}

static double length(const double *v, const double *from, size_t n)
{
    double q = 0;

    for (size_t l = 0; l < n; l++) {
        const double d = from ? v[l] - from[l] : v[l];

        q += d * d;
    }
    return sqrt(q);
}

/* An estimate that goes to and fro, on a way that does not become shorter from one window to the next,
 * goes round: the extrapolation of means that are as old as the tree is deep overshoots. Where the cycle
 * has died away and the approach is slow and straight, it helps again; if it then goes round once more,
 * no more. straight: the distance of the window's ends over the way; fall: the way over that before. */
static void judge(double straight, double fall, double *memo)
{
    if (straight < 0.3 && fall > 0.85) {
        memo[HALVED]++;
        if (memo[DOUBLED] > 0)
            memo[LEAST] = memo[HALVED];
    } else if (straight > 0.9 && fall > 0.5 && fall < 1 && memo[HALVED] > memo[LEAST]) {
        memo[HALVED]--;
        memo[DOUBLED] = 1;
    }
}

static void watch(mb_node *nd)
{
    const size_t L = nd->layout->len;
    double      *memo = nd->memo;

    memo[PATH] += length(vector(nd, MOVED), NULL, L);
    if ((double)nd->t < memo[WINDOW])
        return;
    if (memo[PATH_WAS] > 0 && memo[PATH] > 0)
        judge(length(vector(nd, ABAR), vector(nd, BEGAN), L) / memo[PATH],
              memo[PATH] / memo[PATH_WAS], memo);
    memo[PATH_WAS] = memo[WINDOW] > 0 ? memo[PATH] : 0;
    begin_window(nd);
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
    if (o->adapt && nd->t > o->first)
        watch(nd);
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
    .bears = MB_BEARS_LOSS,
    .consensus = 1,
    .extra = 1, /* the count of nodes */
    .memo = MEMO,
    .naux = naux,
    .nedge = mb_one_vector_, /* the newest message of each neighbour, at first zeros */
    .tune = tune,
    .step = step,
    .init = init,
    .emit = emit,
    .absorb = absorb,
};
