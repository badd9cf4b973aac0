/* transport/mail.c - the plane of messages of a round and what each directed edge has heard. */
#include "transport/mail.h"

size_t mb_mail_rows(const mb_part *part, mb_fanout fanout)
{
    return fanout == MB_BROADCAST ? (size_t)part->n_local : (size_t)part->g.ptr[part->n_local];
}

size_t mb_mail_ghosts_(const mb_part *part, mb_fanout fanout)
{
    return fanout == MB_BROADCAST ? (size_t)part->n_ghost : (size_t)part->halo.ncross;
}

void mb_mail_fill_(const mb_part *part, mb_mail *mail, int border)
{
    const mb_graph *g = &part->g;

    for (int32_t i = 0; mail->from && i < part->n_local; i++) {
        if ((part->border && part->border[i]) != border)
            continue;
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
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
    }
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

mb_status mb_mail_plane_(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len,
                         mb_mail *out, mb_err *err)
{
    mb_mail mail = {.fanout = fanout, .ld = (len + 7) / 8 * 8 /* 64 bytes */, .len = len};

    MB_NEW(mail.plane, a, (mb_mail_rows(part, fanout) + mb_mail_ghosts_(part, fanout)) * mail.ld,
           err);
    MB_NEW(mail.sent, a, part->n_local + part->n_ghost, err);
    *out = mail;
    return MB_OK;
}

mb_status mb_mail_new(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len, mb_mail *out,
                      mb_err *err)
{
    mb_mail mail;

    MB_TRY(mb_mail_plane_(a, part, fanout, len, &mail, err));
    return mb_mail_edges_(a, part, &mail, out, err);
}
