/* start/flood.h - agreement by flooding: every node ends with the best of all nodes' vectors. */
#ifndef MB_FLOOD_H
#define MB_FLOOD_H

#include "meshbayes/extend.h"

/* mine := the better of mine and theirs; 1 when mine changed. A semilattice join: idempotent, so
 * it does not matter how often or along which path a vector arrives. */
typedef int (*mb_merge)(double *mine, const double *theirs, size_t len);

int mb_merge_max_(double *mine, const double *theirs, size_t len); /* each entry's maximum */
int mb_merge_lex_(double *mine, const double *theirs, size_t len); /* lexicographic maximum */

typedef struct mb_flood {
    mb_transport *tp;
    mb_mail       mail; /* broadcast of `len` doubles: plane and sent, nothing per edge */
    int64_t       t;    /* exchanges made, over all runs of this flood                         */
    double       *own;  /* n_local x len, stride len: in: each node's vector; out: the result  */
    double       *ends; /* 2 x len: scratch of the check                                       */
    int32_t      *news; /* n_local: nodes that send in the next round, nnews of them           */
    int32_t      *next; /* n_local: those of the round after it, while they are found          */
    int32_t       nnews;
} mb_flood;

mb_status mb_flood_new_(mb_arena *a, mb_transport *tp, size_t len, mb_flood *out,
                        mb_err *err) MB_CHECKED;
/* Rounds until no node changes. The first `same` entries must then be equal at all nodes, else
 * MB_E_PEER. Adds what was sent to *sent. Zeros lose their sign: equal numbers have equal bits. */
mb_status mb_flood_run_(mb_flood *f, mb_merge merge, size_t same, mb_traffic *sent,
                        mb_err *err) MB_CHECKED;

#endif
