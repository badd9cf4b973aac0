/* transport/none.c - every row is in this process: messages are read where they were written. */
#include "meshbayes/transport.h"

static mb_status begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    (void)tp, (void)t, (void)mail, (void)err;
    return MB_OK;
}

/* A node that is quiet leaves its row alone, so what was heard of it stays readable. */
static mb_status end(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err)
{
    const mb_graph *g = &tp->part->g;

    (void)t, (void)timeout_ms, (void)err;
    for (int64_t e = 0; e < g->ptr[g->n]; e++) {
        const int32_t j = g->adj[e];
        const size_t  row = mail->fanout == MB_BROADCAST ? (size_t)j : (size_t)g->rev[e];

        mail->fresh[e] = mail->sent[j];
        if (mail->sent[j]) {
            mail->from[e] = mail->plane + row * mail->ld;
            mail->age[e] = 0;
        } else if (mail->from[e]) {
            mail->age[e]++;
        }
    }
    return MB_OK;
}

static mb_status reduce(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    (void)tp, (void)op, (void)v, (void)n, (void)err;
    return MB_OK; /* one process: the value is the result */
}

static void close(mb_transport *tp)
{
    (void)tp;
}

static const mb_transport_ops ops = {
    .scheme = "none",
    .begin = begin,
    .end = end,
    .reduce = reduce,
    .close = close,
};

mb_status mb_transport_none(mb_arena *a, const mb_part *part, mb_transport *out, mb_err *err)
{
    (void)a;
    if (part->n_ghost)
        MB_FAIL(err, MB_E_ARG,
                "the transport none needs every node in this process, %d are in others",
                part->n_ghost);
    *out = (mb_transport){.ops = &ops, .part = part};
    return MB_OK;
}
