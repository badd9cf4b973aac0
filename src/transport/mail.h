/* transport/mail.h - a second view of the same plane, for a transport over another. */
#ifndef MB_TRANSPORT_MAIL_H
#define MB_TRANSPORT_MAIL_H

#include "meshbayes/transport.h"

/* *out = *mail with from, age and fresh of its own. */
mb_status mb_mail_edges_(mb_arena *a, const mb_part *part, const mb_mail *mail, mb_mail *out,
                         mb_err *err) MB_CHECKED;

/* A mail without from, age and fresh: the reader looks at `sent` and the plane. */
mb_status mb_mail_plane_(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len,
                         mb_mail *out, mb_err *err) MB_CHECKED;
/* Rows of the plane behind the local ones. */
size_t mb_mail_ghosts_(const mb_part *part, mb_fanout fanout);
/* from, age, fresh of the nodes at the border (or of the others) by sent, of rows that are in the
 * plane. A node that is quiet leaves its row alone, so what was heard of it stays readable. */
void mb_mail_fill_(const mb_part *part, mb_mail *mail, int border);

#endif
