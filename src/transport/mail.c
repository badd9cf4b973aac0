/* transport/mail.c - the plane of messages of a round and what each directed edge has heard. */
#include "transport/mail.h"

size_t mb_mail_rows(const mb_part *part, mb_fanout fanout)
{
    return fanout == MB_BROADCAST ? (size_t)part->n_local : (size_t)part->g.ptr[part->n_local];
}

mb_status mb_mail_edges_(mb_arena *a, const mb_part *part, const mb_mail *mail, mb_mail *out,
                         mb_err *err)
{
    const size_t edges = (size_t)part->g.ptr[part->n_local];

    *out = *mail;
    MB_NEW(out->from, a, edges, err);
    MB_NEW(out->age, a, edges, err);
    MB_NEW(out->fresh, a, edges, err);
    return MB_OK;
}

mb_status mb_mail_new(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len, mb_mail *out,
                      mb_err *err)
{
    mb_mail mail = {.fanout = fanout, .ld = (len + 7) / 8 * 8 /* 64 bytes */, .len = len};

    MB_NEW(mail.plane, a, (mb_mail_rows(part, fanout) + (size_t)part->n_ghost) * mail.ld, err);
    MB_NEW(mail.sent, a, part->n_local, err);
    return mb_mail_edges_(a, part, &mail, out, err);
}
