/* transport/mail.h - helpers of transports for the mail of a round. */
#ifndef MB_TRANSPORT_MAIL_H
#define MB_TRANSPORT_MAIL_H

#include "meshbayes/extend.h"

/* Doubles from one row of a plane to the next: rows of len begin at multiples of 64 bytes. */
static inline size_t mb_stride_(size_t len)
{
    return (len + 7) / 8 * 8;
}

/* A mail without from, age and fresh: the reader looks at `sent` and the plane. */
mb_status mb_mail_plane_(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len,
                         mb_mail *out, mb_err *err) MB_CHECKED;
/* Rows of the plane after the local ones. */
size_t mb_mail_ghosts_(const mb_part *part, mb_fanout fanout);
/* Row of the plane with the message on directed edge e. */
size_t mb_mail_row_(const mb_part *part, mb_fanout fanout, int64_t e);
/* held() and put() of a transport that only reads the plane. */
int32_t   mb_mail_held_(const mb_transport *tp, int64_t t, const mb_mail *mail, int64_t e,
                        int64_t after, mb_letter *out);
mb_status mb_mail_put_(mb_transport *tp, int64_t t, mb_mail *mail, int64_t e,
                       const mb_letter *letter, mb_err *err);
/* MB_E_FORMAT unless a letter was sent by round t and at most `delay` rounds before it is due. */
mb_status mb_letter_check_(const mb_letter *letter, int64_t t, int64_t delay, mb_err *err);
/* Sets from, age and fresh by sent, for the nodes at the border or for the others; the rows are in
 * the plane. A quiet node does not change its row, so its last message stays readable. */
void mb_mail_fill_(const mb_part *part, mb_mail *mail, int border);

#endif
