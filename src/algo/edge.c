/* algo/edge.c - EDGE: relaxed Peaceman-Rachford averaging over the edges inside a damped VB loop.
 * At rest it is exact whatever its state, so lost, late and missing messages need no special case.
 *
 * One vector z_ij per neighbour. Averaging is affine, so phi* itself is averaged in place of the
 * expected statistics: prior and N drop out, and the iterates are the same. */
#include "algo/combine.h"
#include "algo/settle.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(mb_edge_opt, field)

static const mb_opt opts[] = {
    {"edge.kappa", MB_OPT_AUTO, AT(kappa), "auto", 1e-6, 1e6, NULL, "", "", "",
     "stiffness of an edge, kappa/sqrt(deg_i deg_j); auto: 4, 6 or 9 by the hops"},
    {"edge.eta", MB_OPT_AUTO, AT(eta), "auto", 1e-6, 1, NULL, "", "", "",
     "damping of the VB step; auto: 3.5/hops within .1 to .4, less with delays, and a node that "
     "does not settle halves its own"},
    {"edge.alpha", MB_OPT_REAL, AT(alpha), "0.95", 1e-6, 1, NULL, "", "", "",
     "relaxation of the averaging; 1 may leave an alternating mode"},
    {.name = NULL}};

static const double ETA_FLOOR = 0.1;

static mb_status tune(void *opt, const mb_net_facts *net, mb_err *err)
{
    mb_edge_opt *o = opt;

    (void)err;
    if (isnan(o->kappa))
        o->kappa = net->hops < 15 ? 4 : net->hops < 24 ? 6 : 9;
    if (isnan(o->eta)) {
        const double round_trip = 2 * (1 + (double)net->delay); /* rounds */

        o->eta = net->hops ? fmax(ETA_FLOOR, fmin(0.4, 3.5 / net->hops)) : 0.4;
        o->eta *= 2 / round_trip;
        o->floor = ETA_FLOOR * 2 / round_trip;
    }
    return MB_OK;
}

/* rho_ij: both ends compute the same number. */
static double stiffness(const mb_node *nd, int32_t j)
{
    const mb_edge_opt *o = nd->opt;

    return o->kappa / sqrt((double)nd->deg * nd->nbr_deg[j]);
}

/* memo: times eta was halved; two numbers of mb_unsettled_; sum_j rho_ij */
enum { HALVED, SETTLE, RHO = SETTLE + 2, MEMO };

/* Numbers of a vector that are summed over all neighbours before the next ones, in registers: loops
 * of this constant length unroll. */
enum { CHUNK = 8 };

/* s = (phi* + sum_j z_ij) / (1 + sum_j rho_ij), numbers at .. at + n - 1. */
static inline void target_chunk(const mb_node *nd, double share, const double *restrict phi_star,
                                size_t at, size_t n, double *restrict s)
{
    const size_t  len = nd->len;
    const double *z = nd->edge + at;
    double        sum[CHUNK];

    for (size_t l = 0; l < n; l++)
        sum[l] = phi_star[at + l];
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

/* z_ij = rho_ij phi*_i, phi = phi*: the result of the first round, in which no node sends. */
static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    const size_t len = nd->len;

    (void)err;
    memcpy(nd->phi, phi_star, len * sizeof *phi_star);
    nd->memo[RHO] = 0;
    for (int32_t j = 0; j < nd->deg; j++) {
        const double rho = stiffness(nd, j);

        nd->memo[RHO] += rho;
        for (size_t l = 0; l < len; l++)
            nd->edge[(size_t)j * len + l] = rho * phi_star[l];
    }
    return MB_OK;
}

static void answer(double rho2, const double *restrict s, const double *restrict z, size_t len,
                   double *restrict msg)
{
    for (size_t l = 0; l < len; l++)
        msg[l] = rho2 * s[l] - z[l];
}

/* m_ij = 2 rho_ij s - z_ij. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const size_t  len = nd->len;
    const double *s;

    (void)err;
    if (nd->t == 1)
        return MB_QUIET;
    s = target(nd, phi_star);
    for (int32_t j = 0; j < nd->deg; j++)
        answer(2 * stiffness(nd, j), s, nd->edge + (size_t)j * len, len, msg + (size_t)j * ld);
    return MB_OK;
}

/* At rest nothing depends on eta, so nodes may differ. */
static double step(const mb_node *nd)
{
    const mb_edge_opt *o = nd->opt;

    return nd->t == 2 ? 1 : fmax(ldexp(o->eta, -(int)nd->memo[HALVED]), fmin(o->eta, o->floor));
}

/* z_ij = (1 - alpha) z_ij + alpha m_ji. */
static void hear(double alpha, const double *restrict m, size_t len, double *restrict z)
{
    for (size_t l = 0; l < len; l++)
        z[l] = (1 - alpha) * z[l] + alpha * m[l];
}

/* phi += eta (s - phi); the square of how far, in partial sums that do not wait for each other. */
static double move(size_t len, double eta, const double *restrict s, double *restrict phi)
{
    enum { LANES = 4 };
    double sum[LANES] = {0};

    for (size_t at = 0; at < len; at += LANES)
        for (size_t u = 0; u < LANES && at + u < len; u++) {
            const double by = eta * (s[at + u] - phi[at + u]);

            phi[at + u] += by;
            sum[u] += by * by;
        }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* phi moves towards s by eta, in the second round all the way. A node that does not settle halves
 * its own automatic eta. */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const mb_edge_opt *o = nd->opt;
    double             moved;

    (void)msg, (void)ld, (void)err;
    if (nd->t == 1)
        return MB_OK;
    for (int32_t j = 0; j < nd->deg; j++)
        if (in->fresh[j])
            hear(o->alpha, in->msg[j], nd->len, nd->edge + (size_t)j * nd->len);
    moved = move(nd->len, step(nd), target(nd, phi_star), nd->phi);
    if (o->floor > 0 && mb_unsettled_(nd, moved, nd->memo + SETTLE))
        nd->memo[HALVED]++;
    return MB_OK;
}

const mb_algo mb_algo_edge = {
    .name = "edge",
    .label = "EDGE",
    .title = "EDGE: averaging over the edges, exact under loss and delay",
    .opts = opts,
    .opt_size = sizeof(mb_edge_opt),
    .fanout = MB_PER_NEIGHBOUR,
    .consensus = 1,
    .memo = MEMO,
    .nedge = mb_one_vector_, /* z_ij */
    .tune = tune,
    .step = step,
    .init = init,
    .emit = emit,
    .absorb = absorb,
};
