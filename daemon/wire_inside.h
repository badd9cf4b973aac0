/* wire_inside.h - what the files of the wire share. */
#ifndef MB_DAEMON_WIRE_INSIDE_H
#define MB_DAEMON_WIRE_INSIDE_H

#include "names.h"
#include "wire.h"

#include <errno.h>
#include <zmq.h>

enum {
    WIRE_OWN = 4, /* sockets and descriptors besides those of neighbours */
    WIRE_OTHERS = 16,
    WIRE_ROUTE = 256,
    WIRE_PLACE = 112,   /* bytes of an address for the log                     */
    WIRE_PATIENCE = 8,  /* handshakes that fail before a key is turned again  */
    WIRE_DEAF = 1000,   /* attempts to listen again                            */
    WIRE_DEAF_MS = 10,  /* between two of them                                 */
    WIRE_STRANGERS = 8, /* addresses that are remembered until they are logged */
    WIRE_ACCEPTED = 128 /* connections whose addresses are remembered          */
};

/* Where a connection comes from, and with which key, if it proved one. */
typedef struct wire_stranger {
    wire_refusal why;
    char         place[WIRE_PLACE];
    char         key[MB_CURVE_KEY + 1];
} wire_stranger;

typedef struct wire_accepted {
    int32_t fd; /* 0: free */
    char    place[WIRE_PLACE];
} wire_accepted;

/* A public key in Z85. */
typedef char wire_key[MB_CURVE_KEY + 1];

/* An edge. */
typedef struct wire_side {
    int32_t      id;                /* of the neighbour; -1: free                                 */
    wire_key     key[NODE_KEYS];    /* either of which it may have; "": none                      */
    wire_key     proved;            /* by which it is connected, or that is demanded; "": none    */
    int32_t      turn;              /* 1: it has not proved to have it: the other one is next     */
    int32_t      failed, patience;  /* handshakes in which it has not; this number turns it again */
    int32_t      connects;          /* 1: this node does; 0: the neighbour                        */
    void        *dealer;            /* NULL: the neighbour connects, or its name is not resolved  */
    void        *events;            /* what happens to the connections of the dealer              */
    int32_t      lost;              /* 1: the dealer has no connection and attempts none          */
    int32_t      shaken;            /* 1: its newest connection was encrypted                     */
    int32_t      denied;            /* 1: the other end refused the key of this node              */
    int32_t      ended;             /* 1: the newest attempt had a connection, which has ended    */
    int32_t      silent;            /* 1: nothing answered at the address                         */
    int32_t      fd;                /* of the router's connection of the newest message; 0: none  */
    size_t       route_len;         /* 0: it is not connected                                     */
    uint8_t      route[WIRE_ROUTE]; /* of its connection at the router, learnt from its newest
                                  message, which the router knows to be from it              */
    wire_trouble trouble;
    char         name[NAMES_ADDRESS];   /* address with a name; "": it is a number       */
    char         why[120];              /* the name has none                             */
    int64_t      question, question_ms; /* question on its way, 0: none; when it began   */
    int32_t      addresses, at;         /* that were found, and the one in use           */
    int32_t      turned;                /* addresses given up since they were found      */
    char         address[NAMES_MOST][NAMES_ADDRESS];
} wire_side;

struct wire {
    void           *ctx, *router, *router_events, *guard;
    int32_t         id;
    size_t          most;
    int32_t         curve;
    node_keys       keys;
    int32_t         sides, room;
    wire_side      *side;
    int32_t         revocations;
    wire_key       *revoked;
    char            listen[NAMES_ADDRESS]; /* as it was given    */
    char            bound[NAMES_ADDRESS];  /* as ZeroMQ calls it */
    int32_t         deaf; /* attempts to listen again, the next included; 0: the router listens */
    zmq_pollitem_t *item;
    int64_t         made;   /* dealers so far: the socket of events of each has a name of its own */
    int32_t         next;   /* side from which the next message is read first */
    int64_t         denied; /* connections that ZAP has refused and that have not ended */
    int64_t         refused[WIRE_REFUSALS];
    names          *names;
    int32_t         strangers;
    wire_stranger   stranger[WIRE_STRANGERS];
    wire_stranger   newest_key; /* of an unknown key; place "": none */
    int32_t         newest;     /* of accepted */
    wire_accepted   accepted[WIRE_ACCEPTED];
};

/* wire_dial.c: a neighbour's edge; -1: a free side. */
wire_side *wire_find(wire *w, int32_t id);
/* An option of a socket that is a whole number, and what all sockets have in common: not 0 when
 * ZeroMQ refuses, and why in words. */
int       wire_set(void *socket, int option, int value);
int       wire_prepare(const wire *w, void *s);
mb_status wire_failed(const char *doing, const char *address, mb_err *err);
/* A socket that reports what happens to the connections of another one; NULL: none. */
void *wire_watch(wire *w, void *s, const char *name);
/* No more reports of s (NULL: none), and their socket ends. */
void wire_unwatch(void *s, void *events);
/* wire.c: the router listens. Not 0 when ZeroMQ refuses. */
int wire_bind(wire *w);
/* The DEALER of an edge ends. */
void wire_hang_up(wire_side *s);
/* A connection to the address in use; replaces the one before. */
mb_status wire_dial(wire *w, wire_side *s, mb_err *err) MB_CHECKED;
/* The same; one that cannot be made counts as lost. */
void wire_redial(wire *w, wire_side *s);
/* wire_keys.c: the place of a key of a neighbour; -1: it has not this one, or it is revoked. */
int32_t wire_key_at(const wire *w, const wire_side *s, const char *key);
int     wire_is_revoked(const wire *w, const char *key);
/* 1: no key of the neighbour is accepted. */
int wire_is_barred(const wire *w, const wire_side *s);
/* The neighbour's other key is demanded from now on; 0: there is no other one. */
int wire_turn_key(const wire *w, wire_side *s);
/* Copies of keys. */
mb_status wire_take_keys(const wire *w, wire_side *s, const node_neighbour *n,
                         mb_err *err) MB_CHECKED;
mb_status wire_take_revoked(wire *w, const char *const *key, int32_t n, mb_err *err) MB_CHECKED;
/* wire_names.c: the address of a neighbour that this node connects to. */
mb_status wire_address(wire *w, wire_side *s, const node_neighbour *n, int64_t now,
                       mb_err *err) MB_CHECKED;
/* Connects where names were resolved, and to the next address where one is silent. */
void wire_named(wire *w);
/* wire_reload.c: connects by the other key where the neighbour did not prove to have the first. */
void wire_turn_keys(wire *w);
/* guard.c: who may connect (ZAP, RFC 27 of ZeroMQ). */
mb_status wire_guard_open(wire *w, mb_err *err) MB_CHECKED;
/* Answers all questions that have arrived. */
void wire_guard_answer(wire *w);
/* Reads the events of the router (s NULL) or of the dealer of an edge: counts what was refused and
 * marks dealers without a connection. */
void wire_guard_events(wire *w, wire_side *s);

#endif
