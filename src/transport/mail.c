/* transport/mail.c - the plane of messages of a round and what each directed edge has heard. */
#include "transport/mail.h"

#include <string.h>

size_t mb_mail_rows(const mb_part *part, mb_fanout fanout)
{
    return fanout == MB_BROADCAST ? (size_t)part->n_local : (size_t)part->g.ptr[part->n_local];
}

size_t mb_mail_ghosts_(const mb_part *part, mb_fanout fanout)
{
    return fanout == MB_BROADCAST ? (size_t)part->n_ghost : (size_t)part->halo.ncross;
}

size_t mb_mail_row_(const mb_part *part, mb_fanout fanout, int64_t e)
{
    return fanout == MB_BROADCAST ? (size_t)part->g.adj[e] : (size_t)part->g.rev[e];
}

int32_t mb_mail_held_(const mb_transport *tp, int64_t t, const mb_mail *mail, int64_t e,
                      int64_t after, mb_letter *out)
{
    const int64_t sent = t - mail->age[e];

    (void)tp;
    if (!mail->from[e] || sent <= after)
        return 0;
    *out = (mb_letter){.sent = sent, .due = sent, .row = mail->from[e]};
    return 1;
}

mb_status mb_letter_check_(const mb_letter *letter, int64_t t, int64_t delay, mb_err *err)
{
    if (letter->sent < 0 || letter->sent > t || t - letter->sent > INT32_MAX ||
        letter->due < letter->sent || letter->due - letter->sent > delay)
        MB_FAIL(err, MB_E_FORMAT,
                "a message of round %lld that is due in round %lld, after round %lld and with "
                "delays of at most %lld",
                (long long)letter->sent, (long long)letter->due, (long long)t, (long long)delay);
    return MB_OK;
}

mb_status mb_mail_put_(mb_transport *tp, int64_t t, mb_mail *mail, int64_t e,
                       const mb_letter *letter, mb_err *err)
{
    double *row = mail->plane + mb_mail_row_(tp->part, mail->fanout, e) * mail->ld;

    mail->fresh[e] = 0;
    mail->age[e] = 0;
    mail->from[e] = NULL;
    if (!letter)
        return MB_OK;
    MB_TRY(mb_letter_check_(letter, t, 0, err));
    memcpy(row, letter->row, mail->len * sizeof *row);
    mail->from[e] = row;
    mail->age[e] = (int32_t)(t - letter->sent);
    return MB_OK;
}

void mb_mail_fill_(const mb_part *part, mb_mail *mail, int border)
{
    const mb_graph *g = &part->g;

    for (int32_t i = 0; mail->from && i < part->n_local; i++) {
        if ((part->border && part->border[i]) != border)
            continue;
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            const int32_t j = g->adj[e];
            const size_t  row = mb_mail_row_(part, mail->fanout, e);

            mail->fresh[e] = mail->sent[j] && (!mail->links || mail->links[e]) &&
                             (!mail->leaves || mail->leaves[row] == 1);
            if (mail->fresh[e]) {
                mail->from[e] = mail->plane + row * mail->ld;
                mail->age[e] = 0;
            } else if (mail->from[e]) {
                mail->age[e]++;
            }
        }
    }
}

mb_status mb_mail_plane_(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len,
                         mb_mail *out, mb_err *err)
{
    const size_t rows = mb_mail_rows(part, fanout) + mb_mail_ghosts_(part, fanout);

    *out = (mb_mail){.fanout = fanout, .ld = mb_stride_(len), .len = len};
    MB_NEW(out->plane, a, rows * out->ld, err);
    MB_NEW(out->sent, a, part->n_local + part->n_ghost, err);
    return MB_OK;
}

mb_status mb_mail_new(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len, mb_mail *out,
                      mb_err *err)
{
    const size_t edges = (size_t)part->g.ptr[part->n_local];

    MB_TRY(mb_mail_plane_(a, part, fanout, len, out, err));
    MB_NEW(out->from, a, edges, err);
    MB_NEW(out->age, a, edges, err);
    MB_NEW(out->fresh, a, edges, err);
    return MB_OK;
}
