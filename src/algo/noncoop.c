/* algo/noncoop.c - every node alone maximises its own L_i of eq. (15), with the factor N.
 * On the network of one node this is central VB. */
#include "algo/combine.h"

#include <string.h>

static const mb_opt opts[] = {{.name = NULL}};

/* phi_i = phi*_i: eq. (18) alone. */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    (void)msg, (void)ld, (void)in, (void)err;
    memcpy(nd->phi, phi_star, nd->len * sizeof *phi_star);
    return MB_OK;
}

static const char about[] =
    "Every node runs VB on its own rows, as if all N nodes had rows like these, and sends nothing: "
    "for comparison with nodes that cooperate. On one node it is central VB.\n"
    "\n[HuaLi16], section V.\n";

const mb_algo mb_algo_noncoop = {
    .name = "noncoop",
    .title = "non-cooperative VB: every node for itself",
    .about = about,
    .opts = opts,
    .fanout = MB_BROADCAST,
    .needs = MB_NEEDS_NO_MSG,
    .emit = mb_emit_nothing_,
    .absorb = absorb,
};
