/* algo/flow.c - FLOW: gradient tracking with momentum in cumulative sums; one broadcast vector a
 * round. Flows are antisymmetric by construction, so a lost message is repaired by the next one.
 * It needs a common round number. */
#include "algo/adapt.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(mb_flow_opt, field)

static const mb_opt opts[] = {
    {"flow.eta", MB_OPT_AUTO, AT(eta), "auto", 1e-6, 1, NULL, "", "", "",
     "damping of the VB step; auto: each node's own, from the gain that it measures, at most .3 at "
     "first"},
    {"flow.gamma", MB_OPT_AUTO, AT(gamma), "auto", 0, 1, NULL, "", "", "",
     "momentum; auto: .7 of the weights' own, 0 on a lossy network"},
    {.name = NULL}};

static const char about[] =
    "Gradient tracking: nodes broadcast running sums of their phi*, and what flows over a link is "
    "subtracted at one end and added at the other, so the mean over the network is right in every "
    "round and a lost message is repaired by the next one.\n"
    "\nIt assumes a common round number and doubly stochastic weights. It is fast on "
    "well-connected networks without loss, and gives up its momentum where messages may be lost. "
    "Each node measures the gain of its local step and adapts its damping; one that leaves the "
    "domain again and again returns to where it was.\n"
    "\nIt is not for rings and long paths, nor for stars or cliques with loss whose clusters "
    "overlap: "
    "of 28 such networks (8 to 20 nodes of 1 to 200 rows, 30 % loss) 21 settled within 6000 "
    "rounds, "
    "with edge 26. Use edge there, and for wide data with few rows a node.\n"
    "\nA round costs one vector, the same for all neighbours. docs/math.md, section 5, has the "
    "formulas.\n";

/* Momentum g* = (1-q)/(1+q), q = sqrt(1 - lambda2^2), is the fastest for a quadratic. */
static mb_status tune(void *opt, const mb_net_facts *net, mb_err *err)
{
    mb_flow_opt *o = opt;

    (void)err;
    if (isnan(o->eta)) {
        o->eta = 0.3;
        o->adapt = 1;
    }
    if (isnan(o->gamma)) {
        const double q = sqrt(fmax(0, 1 - net->lambda2 * net->lambda2));

        o->gamma = net->lossy ? 0 : 0.7 * (1 - q) / (1 + q);
    }
    o->part = net->delay ? fmin(0.5, 3 / (1.0 + (double)net->delay)) : 1;
    o->per_edge = net->lossy;
    o->history = net->delay ? (int32_t)net->delay + 1 : 2;
    return MB_OK;
}

/* Q of round t: the last `history` of them are stored. Q of round 0 is 0. */
static double *Q_of(mb_node *nd, int64_t t)
{
    const mb_flow_opt *o = nd->opt;

    return nd->aux + (size_t)(t % o->history) * nd->len;
}

/* sum_j w_ij D_ij of the last absorb. */
static double *flow_of(mb_node *nd)
{
    const mb_flow_opt *o = nd->opt;

    return nd->aux + (size_t)o->history * nd->len;
}

/* Vectors of the adaptive damping. */
static double *damping_of(mb_node *nd)
{
    return flow_of(nd) + nd->len;
}

/* Q += (1 + g) y + g (Q - Q before), y = phi* - sum_j w_ij D_ij; g = 0 in the first round. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const mb_flow_opt *o = nd->opt;
    const double       g = nd->t == 1 ? 0 : o->gamma;
    /* t + history - 2 is t - 2, not negative; with a history of 2 its row becomes the new one. */
    const double *Q = Q_of(nd, nd->t - 1), *before = Q_of(nd, nd->t + o->history - 2);
    const double *flow = flow_of(nd);
    double       *Q_new = Q_of(nd, nd->t);

    (void)ld, (void)err;
    if (o->adapt && nd->t > 1)
        mb_adapt_measure_(nd, phi_star, damping_of(nd), nd->memo);
    for (size_t l = 0; l < nd->len; l++) {
        msg[l] = Q[l] + (1 + g) * (phi_star[l] - flow[l]) + g * (Q[l] - before[l]);
        Q_new[l] = msg[l];
    }
    return MB_OK;
}

/* flow = sum_j w_ij D_ij, D_ij = Q_i - Q_j of this round; on a lossy network of the round that the
 * newest message is from, unless that is before our own memory: the next message repairs it. */
static void sum_flows(mb_node *nd, const mb_inbox *in)
{
    const mb_flow_opt *o = nd->opt;
    const size_t       len = nd->len;
    const double      *Q = Q_of(nd, nd->t);
    double            *flow = flow_of(nd);

    memset(flow, 0, len * sizeof *flow);
    for (int32_t j = 0; j < nd->deg; j++) {
        const double w = o->part * in->w[j], *msg = in->msg[j];
        double      *D = o->per_edge ? nd->edge + (size_t)j * len : NULL;

        if (D && in->fresh[j] && in->age[j] < o->history)
            for (size_t l = 0; l < len; l++)
                D[l] = Q_of(nd, nd->t - in->age[j])[l] - msg[l];
        for (size_t l = 0; D && l < len; l++)
            flow[l] += w * D[l];
        for (size_t l = 0; !D && msg && l < len; l++)
            flow[l] += w * (Q[l] - msg[l]);
    }
}

static double step(const mb_node *nd)
{
    const mb_flow_opt *o = nd->opt;

    if (nd->t == 1)
        return 1;
    return o->adapt ? mb_adapted_(nd->memo) : o->eta;
}

/* A change of its own phi* leaves a node by the flows, a part sum_j w_ij of it in a round; until then it
 * stands alone, and with a gain above 1 what it moves by grows by a part eta (gain - 1) in a round. */
static double most(const mb_node *nd, const mb_inbox *in)
{
    const mb_flow_opt *o = nd->opt;
    const double       more = mb_adapt_gain_(nd->memo) - 1;
    double             out = 0;

    for (int32_t j = 0; j < in->deg; j++)
        out += o->part * in->w[j];
    return more > 0 && in->deg ? fmin(o->eta, out / more) : o->eta;
}

/* phi += eta (s - phi), s = phi* - sum_j w_ij D_ij; in the first round phi = s. Unlike a mean of
 * statistics s may lie outside the domain until the held phi* have been averaged; a node that leaves it
 * again and again returns to where it was. */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const mb_flow_opt *o = nd->opt;
    const double      *flow = flow_of(nd), *inside = NULL;
    double             eta = step(nd);

    (void)msg, (void)ld, (void)err;
    sum_flows(nd, in);
    if (o->adapt && nd->t > 1) {
        eta = mb_adapt_eta_(in, most(nd, in), nd->memo);
        inside = mb_adapt_inside_(nd, damping_of(nd), nd->memo);
    }
    if (inside) {
        memcpy(nd->phi, inside, nd->len * sizeof *inside);
        return MB_OK;
    }
    for (size_t l = 0; l < nd->len; l++)
        nd->phi[l] = (1 - eta) * nd->phi[l] + eta * (phi_star[l] - flow[l]);
    return MB_OK;
}

static int32_t naux(const void *opt)
{
    const mb_flow_opt *o = opt;

    return o->history + 1 + (o->adapt ? MB_ADAPT_AUX_ : 0);
}

static int32_t nedge(const void *opt)
{
    return ((const mb_flow_opt *)opt)->per_edge; /* D_ij */
}

const mb_algo mb_algo_flow = {
    .name = "flow",
    .label = "FLOW",
    .title = "FLOW: gradient tracking with momentum, fast on clean, well-connected networks",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_flow_opt),
    .fanout = MB_BROADCAST,
    .consensus = 1,
    .needs = MB_WANTS_MU,
    .bears = MB_BEARS_LOSS,
    .memo = MB_ADAPT_MEMO_,
    .naux = naux,
    .nedge = nedge,
    .tune = tune,
    .step = step,
    .emit = emit,
    .absorb = absorb,
};
