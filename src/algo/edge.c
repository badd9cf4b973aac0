/* algo/edge.c - EDGE: relaxed Peaceman-Rachford averaging over the edges inside a damped VB loop.
 * At rest it is exact whatever its state, so lost, late and missing messages need no special case.
 *
 * What is averaged are the expected statistics x_i = (phi*_i - prior) / N: messages depend neither on N
 * nor on the prior. One vector z_ij per neighbour; s_i is the node's estimate of the mean of all x_i, and
 * phi moves towards prior + N s_i. */
#include "algo/adapt.h"
#include "algo/combine.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(mb_edge_opt, field)

static const mb_opt opts[] = {
    {"edge.kappa", MB_OPT_AUTO, AT(kappa), "auto", 1e-6, 1e6, NULL, "", "", "",
     "stiffness of an edge, kappa/sqrt(deg_i deg_j); auto: .3 hops, at least 4, and at least "
     ".7/min(deg_i, deg_j) an edge"},
    {"edge.eta", MB_OPT_AUTO, AT(eta), "auto", 1e-6, 1, NULL, "", "", "",
     "damping of the VB step; auto: each node's own, from the gain that it measures, at first "
     "5/hops within .4"},
    {"edge.alpha", MB_OPT_REAL, AT(alpha), "0.95", 1e-6, 1, NULL, "", "", "",
     "relaxation of the averaging; 1 may leave an alternating mode"},
    {.name = NULL}};

static const char about[] =
    "Nodes average the expected statistics of their rows by relaxed splitting over the edges, with "
    "one vector of state a neighbour, while each of them follows its estimate of the mean with a "
    "damped VB step. At rest every node is at a fixed point of central VB, whatever was lost, late "
    "or restarted on the way.\n"
    "\nIt assumes no more than a connected network: links may lose or delay messages, nodes may "
    "fall silent and return. Each node measures the gain of its own local step and adapts its "
    "damping. There is no proof that the VB loop converges: it is measured. Deep networks are "
    "slow: rings and paths of a hundred nodes need thousands of rounds.\n"
    "\nA round costs one message to each neighbour and one local step. Where a breadth-first tree "
    "is shallow and its links live, tree sends a fifth of the bytes.\n"
    "\nRelaxed Peaceman-Rachford splitting on lossy networks: [Bastianello21]. docs/math.md, "
    "section 4, derives why it is exact.\n";

static mb_status tune(void *opt, const mb_net_facts *net, mb_err *err)
{
    enum { DEEP = 24 /* hops from which the first phi* is averaged before it changes */ };
    mb_edge_opt *o = opt;

    (void)err;
    if (isnan(o->kappa)) {
        o->kappa = fmax(4, 0.3 * net->hops);
        o->least = 0.7;
    }
    if (isnan(o->eta)) {
        o->eta = net->hops ? fmin(0.4, 5.0 / net->hops) : 0.4;
        o->adapt = 1;
        o->hold = net->hops >= DEEP ? net->hops : 0;
    }
    return MB_OK;
}

/* rho_ij: both ends compute the same number. */
static double of_degrees(const mb_edge_opt *o, double kappa, double mine, double theirs)
{
    return fmax(kappa / sqrt(mine * theirs), o->least / fmin(mine, theirs));
}

static double stiffness(const mb_node *nd, int32_t j)
{
    const mb_edge_opt *o = nd->opt;

    return nd->rho ? nd->rho[j] : of_degrees(o, o->kappa, nd->deg, nd->nbr_deg[j]);
}

/* On nodes, rho_ij of two kappa. sqrt(k k) is k to the bit, so with equal kappa this is the
 * simulator's number. */
static double stiffness_of(const void *opt, double kappa, int32_t mine, int32_t theirs)
{
    const mb_edge_opt *o = opt;

    return of_degrees(o, sqrt(o->kappa * kappa), mine, theirs);
}

/* memo: sum_j rho_ij, then those of the adaptive damping */
enum { RHO, ADAPT, MEMO = ADAPT + MB_ADAPT_MEMO_ };

/* The first phi*, averaged while it is held, where the adaptive damping later has its vectors. */
static int is_held(const mb_node *nd)
{
    return nd->t <= ((const mb_edge_opt *)nd->opt)->hold;
}

/* Numbers of a vector that are summed over all neighbours before the next ones, in registers: loops
 * of this constant length unroll. */
enum { CHUNK = 8 };

/* s = (x + sum_j z_ij) / (1 + sum_j rho_ij), numbers at .. at + n - 1. */
static inline void target_chunk(const mb_node *nd, double share, const double *restrict phi_star,
                                size_t at, size_t n, double *restrict s)
{
    const size_t  len = nd->len;
    const double *z = nd->edge + at, per_node = 1 / nd->scale;
    double        sum[CHUNK];

    for (size_t l = 0; l < n; l++)
        sum[l] = (phi_star[at + l] - nd->prior[at + l]) * per_node;
    for (int32_t j = 0; j < nd->deg; j++, z += len)
        for (size_t l = 0; l < n; l++)
            sum[l] += z[l];
    for (size_t l = 0; l < n; l++)
        s[at + l] = share * sum[l];
}

/* The whole of it, into the node's scratch. */
static const double *target(const mb_node *nd, const double *phi_star)
{
    const size_t len = nd->len;
    const double share = 1 / (1 + nd->memo[RHO]);
    size_t       at = 0;

    for (; at + CHUNK <= len; at += CHUNK)
        target_chunk(nd, share, phi_star, at, CHUNK, nd->scratch);
    target_chunk(nd, share, phi_star, at, len - at, nd->scratch);
    return nd->scratch;
}

/* z_ij = rho_ij x_i, phi = phi*: the result of the first round, in which no node sends. */
static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    const size_t len = nd->len;

    (void)err;
    memcpy(nd->phi, phi_star, len * sizeof *phi_star);
    if (((const mb_edge_opt *)nd->opt)->hold)
        memcpy(nd->aux, phi_star, len * sizeof *phi_star);
    nd->memo[RHO] = 0;
    for (int32_t j = 0; j < nd->deg; j++) {
        const double rho = stiffness(nd, j);

        nd->memo[RHO] += rho;
        for (size_t l = 0; l < len; l++)
            nd->edge[(size_t)j * len + l] = rho * ((phi_star[l] - nd->prior[l]) / nd->scale);
    }
    return MB_OK;
}

static void answer(double rho2, const double *restrict s, const double *restrict z, size_t len,
                   double *restrict msg)
{
    for (size_t l = 0; l < len; l++)
        msg[l] = rho2 * s[l] - z[l];
}

/* m_ij = 2 rho_ij s - z_ij, and s in the scratch. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const mb_edge_opt *o = nd->opt;
    const size_t       len = nd->len;
    const double      *s;

    (void)err;
    if (nd->t == 1)
        return MB_QUIET;
    if (o->adapt && nd->t > 2 && !is_held(nd))
        mb_adapt_measure_(nd, phi_star, nd->aux, nd->memo + ADAPT);
    s = target(nd, is_held(nd) ? nd->aux : phi_star);
    for (int32_t j = 0; j < nd->deg; j++)
        answer(2 * stiffness(nd, j), s, nd->edge + (size_t)j * len, len, msg + (size_t)j * ld);
    return MB_OK;
}

/* 1 in the rounds in which phi = prior + N s: the second, and those in which the first phi* is held. */
static int takes_full_step(const mb_node *nd)
{
    return nd->t <= 2 || is_held(nd);
}

/* At rest nothing depends on eta, so nodes may differ. */
static double step(const mb_node *nd)
{
    const mb_edge_opt *o = nd->opt;

    if (takes_full_step(nd))
        return 1;
    return o->adapt ? mb_adapted_(nd->memo + ADAPT) : o->eta;
}

/* z_ij = (1 - alpha) z_ij + alpha m_ji */
static void hear(const void *opt, const double *restrict m, size_t len, double *restrict z)
{
    const double alpha = ((const mb_edge_opt *)opt)->alpha;

    for (size_t l = 0; l < len; l++)
        z[l] = (1 - alpha) * z[l] + alpha * m[l];
}

/* phi += eta (prior + N s - phi); in the second round, and while phi* is held, all the way. */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const mb_edge_opt *o = nd->opt;
    const double      *s;
    double             eta;

    (void)msg, (void)ld, (void)err;
    if (nd->t == 1)
        return MB_OK;
    for (int32_t j = 0; j < nd->deg; j++)
        if (in->fresh[j])
            hear(o, in->msg[j], nd->len, nd->edge + (size_t)j * nd->len);
    s = target(nd, is_held(nd) ? nd->aux : phi_star);
    eta = o->adapt && !takes_full_step(nd) ? mb_adapt_eta_(in, o->eta, nd->memo + ADAPT) : step(nd);
    for (size_t l = 0; l < nd->len; l++)
        nd->phi[l] += eta * (nd->prior[l] + nd->scale * s[l] - nd->phi[l]);
    return MB_OK;
}

/* Those of the adaptive damping. */
static int32_t naux(const void *opt)
{
    return ((const mb_edge_opt *)opt)->adapt ? MB_ADAPT_AUX_ : 0;
}

/* ---- on nodes ---- */

/* Where nodes do not begin together, or their number of hops may change, the first phi* is not
 * held. */
static void settle(void *opt, const mb_mesh_facts *f)
{
    const mb_net_facts net = {.hops = f->hops};
    mb_edge_opt       *o = opt;

    *o = (mb_edge_opt){.kappa = f->kappa > 0 ? f->kappa : (double)NAN,
                       .eta = f->eta > 0 ? f->eta : (double)NAN,
                       .alpha = 0.95};
    (void)tune(o, &net, NULL);
    if (!f->together)
        o->hold = 0;
}

/* z += (rho' - rho) s: the sum over the network of what the nodes average stays. */
static void restiffen(mb_node *nd, const double *s, const double *rho)
{
    nd->memo[RHO] = 0;
    for (int32_t j = 0; j < nd->deg; j++) {
        const double more = rho[j] - nd->rho[j];
        double      *z = nd->edge + (size_t)j * nd->len;

        nd->memo[RHO] += rho[j];
        for (size_t l = 0; (more < 0 || more > 0) && l < nd->len; l++)
            z[l] += more * s[l];
    }
}

static void move_along(size_t len, double by, const double *prior, double *phi)
{
    for (size_t l = 0; l < len; l++)
        phi[l] = prior[l] + by * (phi[l] - prior[l]);
}

static void rescale(mb_node *nd, double scale, const double *prior, double *phi_star)
{
    const double by = scale / nd->scale;

    move_along(nd->len, by, prior, nd->phi);
    move_along(nd->len, by, prior, phi_star);
    if (((const mb_edge_opt *)nd->opt)->adapt)
        move_along(nd->len, by, prior, mb_adapt_star_(nd, nd->aux));
    nd->scale = scale;
}

static void event(mb_node *nd, int32_t restart)
{
    if (((const mb_edge_opt *)nd->opt)->adapt)
        mb_adapt_event_(nd, nd->aux, nd->memo + ADAPT, restart);
}

static const mb_mesh_ops mesh = {
    .kappa = AT(kappa),
    .naux = MB_ADAPT_AUX_,
    .flows = 1,
    .settle = settle,
    .stiffness = stiffness_of,
    .hear = hear,
    .restiffen = restiffen,
    .rescale = rescale,
    .event = event,
};

const mb_algo mb_algo_edge = {
    .name = "edge",
    .label = "EDGE",
    .title = "EDGE: averaging over the edges, exact under loss and delay",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_edge_opt),
    .fanout = MB_PER_NEIGHBOUR,
    .needs = MB_WANTS_MU,
    .bears = MB_BEARS_LOSS | MB_BEARS_SPEEDS | MB_BEARS_CHURN | MB_BEARS_CHANGES,
    .mesh = &mesh,
    .consensus = 1,
    .memo = MEMO,
    .naux = naux,
    .nedge = mb_one_vector_, /* z_ij */
    .tune = tune,
    .step = step,
    .init = init,
    .emit = emit,
    .absorb = absorb,
};
