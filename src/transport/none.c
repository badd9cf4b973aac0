/* transport/none.c - every row is in this process: messages are read where they were written. A job
 * without a comm is one process. */
#include "transport/mail.h"
#include "transport/transport.h"

static mb_status begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    (void)t, (void)err;
    mb_mail_fill_(tp->part, mail, 0);
    return MB_OK;
}

static mb_status end(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err)
{
    (void)tp, (void)t, (void)timeout_ms, (void)mail, (void)err;
    return MB_OK;
}

static mb_status reduce(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    (void)tp, (void)op, (void)v, (void)n, (void)err;
    return MB_OK; /* one process: the value is the result */
}

static mb_status walk(mb_transport *tp, const double *v, size_t ld, size_t len, mb_visit see,
                      void *self, mb_err *err)
{
    (void)len, (void)err;
    for (int32_t i = 0; i < tp->part->n_local; i++)
        see(self, i, v + (size_t)i * ld);
    return MB_OK;
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
    .walk = walk,
    .held = mb_mail_held_,
    .put = mb_mail_put_,
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

mb_status mb_comm_link(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                       mb_err *err)
{
    return c && c->size > 1 ? c->link(a, c, part, out, err) : mb_transport_none(a, part, out, err);
}

mb_status mb_comm_agree(const mb_comm *c, mb_status st, mb_err *err)
{
    return c && c->size > 1 ? c->agree(c, st, err) : st;
}

mb_status mb_comm_share(const mb_comm *c, int32_t from, void *bytes, size_t n, mb_err *err)
{
    return c && c->size > 1 ? c->share(c, from, bytes, n, err) : MB_OK;
}
