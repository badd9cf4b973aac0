/* transport/transport.h - what the processes of a job exchange beside messages, and simulated
 * faults. */
#ifndef MB_TRANSPORT_H
#define MB_TRANSPORT_H

#include "meshbayes/extend.h"

/* c->link; one process: mb_transport_none. */
mb_status mb_comm_link(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                       mb_err *err) MB_CHECKED;
/* c->agree; one process: st. */
mb_status mb_comm_agree(const mb_comm *c, mb_status st, mb_err *err) MB_CHECKED;
/* c->share; one process: nothing to do. */
mb_status mb_comm_share(const mb_comm *c, int32_t from, void *bytes, size_t n,
                        mb_err *err) MB_CHECKED;

/* 1: the caller asks to stop. Any thread. */
int mb_is_cancelled_(const mb_transport *tp);
/* MB_E_STOPPED: the caller of this process asks to stop. */
mb_status mb_cancel_here_(const mb_transport *tp, mb_err *err) MB_CHECKED;
/* MB_E_STOPPED, in all processes: the caller of one of them asks to stop. share: of the rows that
 * the work is on, or NULL. Collective. */
struct mb_share;
mb_status mb_cancel_agree_(mb_transport *tp, const struct mb_share *share, mb_err *err) MB_CHECKED;

/* 1 when any of them can happen, else 0. */
int mb_faults_any(const mb_faults *f);
/* The faults f over `inner`. mail: the shape it will carry. MB_E_ARG for a probability outside 0
 * to 1. Messages overtaken by a newer one are dropped. */
mb_status mb_transport_faults(mb_arena *a, mb_transport *inner, const mb_faults *f,
                              const mb_mail *mail, mb_transport *out, mb_err *err) MB_CHECKED;

/* Of the links over `inner` only changes leave (docs/math.md, section 4): differences as float16 to
 * what the neighbour has acknowledged. hops: of every row, n_local + n_ghost, from one node of the
 * network (mb_tree::depth); by them the two ends of a link send in turn. mail, of vectors of this
 * layout and one for each neighbour, will say in `left` what was sent. */
mb_status mb_transport_changes(mb_arena *a, mb_transport *inner, const mb_algo *algo,
                               const mb_layout *layout, const int32_t *hops, int64_t delay,
                               mb_mail *mail, mb_transport *out, mb_err *err) MB_CHECKED;

/* What the inner transport will carry. */
mb_mail mb_changes_mail_(const mb_mail *mail);

/* mb_observer::keep of what it remembers; self: the transport. */
int32_t mb_changes_keep_(void *self, mb_checkpoint_item *out);

/* Bytes before the numbers of a message; of one that is a difference. */
enum { MB_FRAME_HEADER = 48, MB_CHANGE_HEADER = 16 };

#endif
