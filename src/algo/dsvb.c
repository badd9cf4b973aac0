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

const mb_algo mb_algo_dsvb = {
    .name = "dsvb",
    .label = "dSVB",
    .title = "dSVB: a stochastic natural-gradient step, then an average",
    .opts = opts,
    .opt_size = sizeof(mb_dsvb_opt),
    .fanout = MB_BROADCAST,
    .consensus = 1,
    .step = step,
    .emit = emit,
    .absorb = mb_combine_absorb_, /* phi_i = sum_j w_ij varphi_j, eq. (27b) */
};
