/* algo/dsvb.c - distributed stochastic VB: Hua & Li, Algorithm 1. */
#include "algo/combine.h"

#define AT(field) offsetof(mb_dsvb_opt, field)

static const mb_opt opts[] = {{"dsvb.tau", MB_OPT_REAL, AT(tau), "0.2", 0, 1, NULL, "", "eq. (29)",
                               "", "forgetting rate of the step 1/(d0 + tau t)"},
                              {"dsvb.d0", MB_OPT_REAL, AT(d0), "1", 1, 1e9, NULL, "", "eq. (29)",
                               "", "delay of the step 1/(d0 + tau t)"},
                              {.name = NULL}};

/* eta_t = 1/(d0 + tau t), eq. (29). */
static double step(const mb_node *nd)
{
    const mb_dsvb_opt *o = nd->opt;

    return 1.0 / (o->d0 + o->tau * (double)nd->t);
}

/* varphi_i = phi_i + eta_t (phi*_i - phi_i), eq. (27a). */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const double eta = step(nd);

    (void)ld, (void)err;
    for (size_t l = 0; l < nd->len; l++)
        msg[l] = nd->phi[l] + eta * (phi_star[l] - nd->phi[l]);
    return MB_OK;
}

static const char about[] =
    "Every node makes a step of decreasing length towards its own phi*, then averages with its "
    "neighbours: Algorithm 1 of the paper.\n"
    "\nIt assumes that every message arrives: a lost or late one biases it for good. It approaches "
    "central VB only as its step 1/(d0 + tau t) falls: on the paper's network its distance to "
    "central VB is 1 % after more than 4000 rounds. With the paper's weights (--weights nearest) "
    "it ends near a VB that weights rows by their node's degree + 1.\n"
    "\nA round costs one vector, the same for all neighbours. [HuaLi16], eq. (27) to (29).\n";

const mb_algo mb_algo_dsvb = {
    .name = "dsvb",
    .label = "dSVB",
    .title = "dSVB: a stochastic natural-gradient step, then an average",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_dsvb_opt),
    .fanout = MB_BROADCAST,
    .consensus = 1,
    .step = step,
    .emit = emit,
    .absorb = mb_combine_absorb_, /* phi_i = sum_j w_ij varphi_j, eq. (27b) */
};
