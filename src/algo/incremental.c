/* algo/incremental.c - incremental VB: one estimate travels round a ring, and the node that has it
 * replaces its own share. Incremental EM [NealHinton98] in natural parameters; Hua & Li mention it
 * in sections I [Safarinejadian10] and III-A: a cyclic path is hard to find, and a failure breaks
 * it.
 *
 * The estimate is the mean over nodes of the shares, eq. (20). A share is the node's phi* of its
 * last turn; in the first cycle the shares of the initialisation are added one after another. */
#include "algo/combine.h"

#include <string.h>

static const mb_opt opts[] = {{.name = NULL}};

static int64_t cycle(const void *opt)
{
    return ((const mb_incremental_opt *)opt)->n;
}

static mb_status tune(void *opt, const mb_net_facts *net, mb_err *err)
{
    (void)err;
    ((mb_incremental_opt *)opt)->n = net->n;
    return MB_OK;
}

/* token + (to - from)/n: one share of the mean is replaced. */
static void replace(const mb_node *nd, const double *token, const double *from, const double *to,
                    double *out)
{
    const double n = (double)cycle(nd->opt);

    for (size_t l = 0; l < nd->len; l++)
        out[l] = token[l] + (to[l] - from[l]) / n;
}

/* The estimate begins as the prior, the mean of shares without data. */
static mb_status init(mb_node *nd, const double *phi_star, mb_err *err)
{
    (void)err;
    memcpy(nd->aux, phi_star, nd->len * sizeof *phi_star);
    if (nd->turn == 0)
        replace(nd, nd->phi, nd->phi, nd->aux, nd->phi);
    return MB_OK;
}

/* The node that received the estimate in the last round sends it, its share replaced by the phi* at
 * that estimate; in the first cycle absorb has added the share of the initialisation. */
static mb_status emit(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err)
{
    const size_t  len = nd->len;
    const int64_t n = cycle(nd->opt);

    (void)ld, (void)err;
    if ((nd->t - 1) % n != nd->turn)
        return MB_QUIET;
    if (nd->t > n) {
        replace(nd, nd->phi, nd->aux, phi_star, msg);
        memcpy(nd->aux, phi_star, len * sizeof *phi_star);
    } else
        memcpy(msg, nd->phi, len * sizeof *msg);
    return MB_OK;
}

/* Only the previous node sends in the round of our turn. (A single node sends to itself.) */
static mb_status token_of(const mb_node *nd, const double *msg, const mb_inbox *in,
                          const double **token, mb_err *err)
{
    *token = nd->deg ? NULL : msg;
    for (int32_t j = 0; j < in->deg; j++)
        if (in->fresh[j] && !in->age[j])
            *token = in->msg[j];
    if (!*token)
        MB_FAIL(err, MB_E_PEER,
                "incremental has no message from the node before this one on the ring: it needs "
                "every message, because the estimate is lost with it (use edge)");
    return MB_OK;
}

static mb_status absorb(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err)
{
    const double *token;

    (void)phi_star, (void)ld;
    if (nd->t % cycle(nd->opt) != nd->turn)
        return MB_OK;
    MB_TRY(token_of(nd, msg, in, &token, err));
    if (nd->t < cycle(nd->opt)) /* first cycle: phi is still the prior, our share without data */
        replace(nd, token, nd->phi, nd->aux, nd->phi);
    else
        memcpy(nd->phi, token, nd->len * sizeof *token);
    return MB_OK;
}

static const char about[] =
    "One estimate goes round a ring of all nodes, and each node replaces its own share of it when "
    "it comes by: incremental EM, carried to VB.\n"
    "\nIt assumes a ring and that every message arrives; a node that fails ends it.\n"
    "\nA round costs one vector from one node to the next. [NealHinton98]; docs/math.md, section "
    "11.\n";

const mb_algo mb_algo_incremental = {
    .name = "incremental",
    .title = "incremental VB: one estimate goes round a ring, each node replaces its share",
    .about = about,
    .opts = opts,
    .opt_size = sizeof(mb_incremental_opt),
    .fanout = MB_BROADCAST,
    .needs = MB_NEEDS_EVERY_MSG | MB_NEEDS_RING,
    .consensus = 1,
    .naux = mb_one_vector_, /* the node's share */
    .tune = tune,
    .cycle = cycle,
    .init = init,
    .emit = emit,
    .absorb = absorb,
};
