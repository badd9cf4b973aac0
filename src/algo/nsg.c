/* algo/nsg.c - distributed VB without the stochastic gradient: one averaging step a round
 * (Hua & Li, section III-A; nsg-dVB). */
#include "algo/combine.h"

#include <string.h>

static const mb_opt opts[] = {{.name = NULL}};

static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    (void)ld, (void)err;
    memcpy(msg, phi_star, nd->len * sizeof *msg);
    return MB_OK;
}

static const char about[] =
    "Nodes average their phi* with their neighbours once a round and take the result: dSVB without "
    "its gradient step, for comparison.\n"
    "\nIt assumes that every message arrives. It does not reach central VB: it ends where "
    "averaging and local steps balance.\n"
    "\nA round costs one vector, the same for all neighbours. [HuaLi16], section V.\n";

const mb_algo mb_algo_nsg = {
    .name = "nsg",
    .label = "nsg-dVB",
    .title = "nsg-dVB: the neighbours' phi* averaged once a round",
    .about = about,
    .opts = opts,
    .fanout = MB_BROADCAST,
    .emit = emit,
    .absorb = mb_combine_absorb_, /* phi_i = sum_j w_ij phi*_j */
};
