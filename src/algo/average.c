/* algo/average.c - averaging VB: in every VB step the nodes average their phi* repeatedly, until
 * they (nearly) agree on the mean of eq. (20), and hold the local step meanwhile. Hua & Li discuss
 * it in sections I and III-A [Safarinejadian11]; the averaging is that of [Xiao04]. */
#include "algo/combine.h"

#include <string.h>

#define AT(field) offsetof(mb_average_opt, field)

static const mb_opt opts[] = {{"average.m", MB_OPT_INT, AT(m), "20", 1, 1e6, NULL, "rounds",
                               "eq. (20)", "",
                               "averaging rounds in every VB step; they reduce a disagreement by "
                               "the second eigenvalue of the weights to this power"},
                              {.name = NULL}};

static int64_t cycle(const void *opt)
{
    return ((const mb_average_opt *)opt)->m;
}

/* The running average y: phi* at first, then the result of the last round. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const int first = (nd->t - 1) % cycle(nd->opt) == 0;

    (void)ld, (void)err;
    memcpy(msg, first ? phi_star : nd->aux, nd->len * sizeof *msg);
    return MB_OK;
}

/* y_i <- sum_j w_ij y_j; after m of them phi = y, about the mean of phi*, eq. (20). */
static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const size_t len = nd->len;

    (void)phi_star, (void)ld, (void)err;
    mb_combine_(msg, in, len, nd->aux);
    if (nd->t % cycle(nd->opt) == 0)
        memcpy(nd->phi, nd->aux, len * sizeof *nd->phi);
    return MB_OK;
}

static const char about[] =
    "After each local step nodes average phi* for --average.m rounds, which makes every VB step "
    "nearly that of one machine.\n"
    "\nIt assumes that every message arrives. It is as exact as the averaging is long, and a VB "
    "step takes m rounds: it suits small, well-connected networks.\n"
    "\nA round costs one vector, the same for all neighbours. docs/math.md, section 11.\n";

const mb_algo mb_algo_average = {
    .name = "average",
    .title = "averaging VB: many averaging rounds in every VB step",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_average_opt),
    .fanout = MB_BROADCAST,
    .consensus = 1,
    .naux = mb_one_vector_, /* y */
    .cycle = cycle,
    .emit = emit,
    .absorb = absorb,
};
