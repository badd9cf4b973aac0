/* transport/mail.h - a second view of the same plane, for a transport over another. */
#ifndef MB_TRANSPORT_MAIL_H
#define MB_TRANSPORT_MAIL_H

#include "meshbayes/transport.h"

/* *out = *mail with from, age and fresh of its own. */
mb_status mb_mail_edges_(mb_arena *a, const mb_part *part, const mb_mail *mail, mb_mail *out,
                         mb_err *err) MB_CHECKED;

#endif
