/* algo/admm.c - distributed VB by ADMM: Hua & Li, Algorithm 2 (dVB-ADMM). */
#include "meshbayes/extend.h"

#include <string.h>

enum { START_PRIOR, START_LOCAL };

#define AT(field) offsetof(mb_admm_opt, field)

static const mb_opt opts[] = {
    {"admm.rho", MB_OPT_REAL, AT(rho), "0.5", 1e-9, 1e9, NULL, "", "eq. (38a)", "",
     "penalty on disagreement; small values are unstable even at the solution"},
    {"admm.xi", MB_OPT_REAL, AT(xi), "0.05", 1e-6, 1, NULL, "", "eq. (40)", "",
     "how fast the dual step grows to its full length"},
    {"admm.start", MB_OPT_CHOICE, AT(start), "local", 0, 0, "prior|local", "", "", "",
     "phi before the first round: the prior, or the node's first phi*"},
    {.name = NULL}};

static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    const mb_admm_opt *o = nd->opt;

    (void)err;
    if (o->start == START_LOCAL)
        memcpy(nd->phi, phi_star, nd->len * sizeof *phi_star);
    return MB_OK;
}

/* sum = sum_j phi_j over the neighbours. A dual that misses one message, or uses an old one, no
 * longer sums to 0 over the network, and nothing later repairs it: never continue without one. */
static mb_status open(mb_node *nd, const mb_inbox *in, mb_err *err)
{
    const size_t len = nd->len;
    double      *sum = nd->aux;

    memset(sum, 0, len * sizeof *sum);
    for (int32_t j = 0; j < in->deg; j++) {
        if (!in->msg[j] || !in->fresh[j] || in->age[j])
            MB_FAIL(err, MB_E_PEER,
                    "admm has no message of this round from neighbour %d of %d: it needs every "
                    "message, because a missed one biases its answer for good (use edge)",
                    j + 1, in->deg);
        for (size_t l = 0; l < len; l++)
            sum[l] += in->msg[j][l];
    }
    return MB_OK;
}

/* phi = (phi* - 2 lambda + rho sum_j (phi + phi_j)) / (1 + 2 rho deg), eq. (38a); then (38b). The
 * "N_i" of the printed denominator is the degree. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const mb_admm_opt *o = nd->opt;
    const size_t       len = nd->len;
    const double      *sum = nd->aux, *lam = sum + len, deg = nd->deg;

    (void)ld;
    for (size_t l = 0; l < len; l++)
        nd->phi[l] = (phi_star[l] - 2 * lam[l] + o->rho * (deg * nd->phi[l] + sum[l])) /
                     (1 + 2 * o->rho * deg);
    MB_TRY(mb_node_project(nd, err));
    memcpy(msg, nd->phi, len * sizeof *msg);
    return MB_OK;
}

/* lambda += kappa_t rho/2 sum_j (phi - phi_j), eq. (39), kappa_t = 1 - 1/(1 + xi t)^2, eq. (40). */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const mb_admm_opt *o = nd->opt;
    const double       grown = 1 + o->xi * (double)nd->t, kappa = 1 - 1 / (grown * grown);
    double            *sum = nd->aux, *lam = sum + nd->len;

    (void)phi_star, (void)msg, (void)ld;
    MB_TRY(open(nd, in, err));
    for (size_t l = 0; l < nd->len; l++)
        lam[l] += kappa * o->rho / 2 * (nd->deg * nd->phi[l] - sum[l]);
    return MB_OK;
}

/* Neighbours hold a node back: the share of phi* in eq. (38a). */
static double step(const mb_node *nd)
{
    return 1 / (1 + 2 * ((const mb_admm_opt *)nd->opt)->rho * nd->deg);
}

static int32_t naux(const void *opt)
{
    (void)opt;
    return 2; /* the sum of the neighbours' messages, lambda */
}

static const char about[] =
    "Nodes agree by the alternating direction method of multipliers, with a penalty rho and one "
    "dual vector a node: Algorithm 2 of the paper.\n"
    "\nIt assumes that every message arrives: a single late message leaves it agreeing on a wrong "
    "answer. It need not converge: with a small rho nodes with few neighbours leave the domain, "
    "with a large one it is slow. Of 18 draws of the paper's network 17 reached central VB with "
    "rho = 0.5, and all with rho = 2, later.\n"
    "\nA round costs one vector, the same for all neighbours. [HuaLi16], eq. (38) to (40).\n";

const mb_algo mb_algo_admm = {
    .name = "admm",
    .label = "dVB-ADMM",
    .title = "dVB-ADMM: alternating directions with one dual vector a node",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_admm_opt),
    .fanout = MB_BROADCAST,
    .needs = MB_NEEDS_EVERY_MSG,
    .consensus = 1,
    .naux = naux,
    .step = step,
    .init = init,
    .open = open,
    .emit = emit,
    .absorb = absorb,
};
