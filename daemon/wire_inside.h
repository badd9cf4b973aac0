/* wire_inside.h - what the files of the wire share. */
#ifndef MB_DAEMON_WIRE_INSIDE_H
#define MB_DAEMON_WIRE_INSIDE_H

#include "wire.h"

#include <errno.h>
#include <zmq.h>

enum { WIRE_OWN = 3 /* sockets besides those of neighbours */, WIRE_OTHERS = 16, WIRE_ROUTE = 256 };

/* An edge. */
typedef struct wire_side {
    int32_t id;                /* of the neighbour; -1: free                                 */
    uint8_t key[32];           /* its public key                                             */
    void   *dealer;            /* this node connects; NULL: the neighbour does               */
    void   *events;            /* what happens to the connections of the dealer              */
    int32_t lost;              /* 1: the dealer has no connection and attempts none          */
    int32_t shaken;            /* 1: its newest connection was encrypted                     */
    int32_t fd;                /* of the router's connection of the newest message; 0: none  */
    size_t  route_len;         /* 0: it is not connected                                     */
    uint8_t route[WIRE_ROUTE]; /* of its connection at the router, learnt from its newest
                                  message, which the router knows to be from it              */
} wire_side;

struct wire {
    void           *ctx, *router, *router_events, *guard;
    int32_t         id;
    size_t          most;
    int32_t         curve;
    node_keys       keys;
    int32_t         sides, room;
    wire_side      *side;
    zmq_pollitem_t *item;
    int64_t         made;   /* dealers so far: the socket of events of each has a name of its own */
    int32_t         next;   /* side from which the next message is read first */
    int64_t         denied; /* connections that ZAP has refused and that have not ended */
    int64_t         refused[WIRE_REFUSALS];
};

/* -1: a free side. */
wire_side *wire_find(wire *w, int32_t id);
/* guard.c: who may connect (ZAP, RFC 27 of ZeroMQ). */
mb_status wire_guard_open(wire *w, mb_err *err) MB_CHECKED;
/* Answers all questions that have arrived. */
void wire_guard_answer(wire *w);
/* Reads the events of the router (s NULL) or of the dealer of an edge: counts what was refused and
 * marks dealers without a connection. */
void wire_guard_events(wire *w, wire_side *s);

#endif
