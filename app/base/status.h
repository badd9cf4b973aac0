/* status.h - what a node's status object says (docs/status.schema.json), as numbers. */
#ifndef MB_STATUS_H
#define MB_STATUS_H

#include "base/ask.h"
#include "data/json.h"

/* A neighbour that is not live. */
typedef struct node_dead {
    const char *node, *state, *reason; /* NULL: it does not say */
} node_dead;

/* A member that fails audits. */
typedef struct node_broken {
    int32_t     id;
    const char *node; /* its name, or the id, as who names it knows it */
    const char *reason;
    int32_t     by; /* nodes that name it */
} node_broken;

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
    const char  *audit;           /* "on", or why there is none; NULL: it does not say */
    int32_t      members, judged; /* of the genesis, and in the newest audit           */
    int32_t      broken_n;        /* of broken                                         */
    node_broken *broken;
} node_status;

/* What several nodes say of audits. */
typedef struct node_audits {
    int32_t      n, on;           /* nodes that say whether, and that do               */
    const char  *state;           /* why one does not; "on": all do; NULL: none says   */
    int32_t      members, judged; /* most, and fewest of a node                        */
    int32_t      broken_n;        /* of broken, each member once                       */
    node_broken *broken;
} node_audits;

/* Of the answer to GET /status; one that cannot be read counts as none. MB_E_NOMEM. */
mb_status node_status_of(mb_arena *a, const ask *q, node_status *out, mb_err *err) MB_CHECKED;
/* Member `key` of an object: what they say. */
void node_audits_json(const node_audits *all, const char *key, mb_json_out *j);
/* Adds what one node says; its texts have to last. */
mb_status node_audits_add(mb_arena *a, node_audits *all, const node_status *is,
                          mb_err *err) MB_CHECKED;
/* "audits on at 5 of 5 nodes, 5 of 5 members judged, 1 broken", or why there are none. NULL: no
 * memory. */
const char *node_audits_text(mb_arena *a, const node_audits *all, mb_err *err);

#endif
