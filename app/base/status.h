/* status.h - what a node's status object says (docs/status.schema.json), as numbers. */
#ifndef MB_STATUS_H
#define MB_STATUS_H

#include "base/ask.h"

/* A neighbour that is not live. */
typedef struct node_dead {
    const char *node, *state, *reason; /* NULL: it does not say */
} node_dead;

/* NaN: not known. Texts are in the arena. */
typedef struct node_status {
    int          answered; /* 0: it did not, and message says why; nothing else is set */
    const char  *node, *verdict, *message;
    double       n_nodes, bound, disagreement;
    int64_t      tick, rows, bytes_sent, frames_sent, frozen;
    int32_t      neighbours, live; /* of them                                        */
    const char **neighbour;        /* neighbours: their names                        */
    int64_t      oldest_ms;        /* age of the neighbour heard longest ago; -1: none */
    double       loss;             /* largest of its neighbours' frames              */
    int32_t      deads;            /* of dead                                        */
    node_dead   *dead;
} node_status;

/* Of the answer to GET /status; one that cannot be read counts as none. MB_E_NOMEM. */
mb_status node_status_of(mb_arena *a, const ask *q, node_status *out, mb_err *err) MB_CHECKED;

#endif
