/* comm.c - the processes of a job; without them everything is here. */
#include "meshbayes/transport.h"

mb_status mb_comm_link(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                       mb_err *err)
{
    return c && c->size > 1 ? c->link(a, c, part, out, err) : mb_transport_none(a, part, out, err);
}

mb_status mb_comm_agree(const mb_comm *c, mb_status st, mb_err *err)
{
    return c && c->size > 1 ? c->agree(c, st, err) : st;
}

mb_status mb_comm_share(const mb_comm *c, void *bytes, size_t n, mb_err *err)
{
    return c && c->size > 1 ? c->share(c, bytes, n, err) : MB_OK;
}
