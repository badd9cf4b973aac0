/* wire.h - frames between neighbours on ZeroMQ with CURVE (ADR 34). One connection an edge: the
 * node with the larger id connects a DEALER to the other's ROUTER, pins its key and is known there
 * by its own. Nothing is queued: a frame is handed over or refused. One thread. */
#ifndef MB_DAEMON_WIRE_H
#define MB_DAEMON_WIRE_H

#include "keys.h"

/* What was refused, for log and status. */
typedef enum wire_refusal {
    WIRE_UNKNOWN_KEY, /* a client whose key is no neighbour's                        */
    WIRE_REVOKED_KEY, /* a client whose key is one of those that are revoked         */
    WIRE_NO_CURVE,    /* a client without encryption or that expects another key of  */
                      /* this node, or no ZeroMQ at all                              */
    WIRE_SERVER_KEY,  /* a neighbour that did not prove to have its key              */
    WIRE_OWN_KEY,     /* a neighbour that does not know the key of this node         */
    WIRE_MALFORMED,   /* a message that is no single frame                           */
    WIRE_DAMAGED,     /* bytes of a neighbour that were changed on the way           */
    WIRE_REFUSALS
} wire_refusal;
/* "unknown_key" and so on. Static. */
const char *wire_refusal_text(wire_refusal why);

/* Why there is no connection to a neighbour; all but WIRE_BARRED: that this node connects to. */
typedef enum wire_trouble {
    WIRE_NO_TROUBLE, /* there is one, or none was attempted        */
    WIRE_NO_NAME,    /* the name does not resolve                  */
    WIRE_NO_ANSWER,  /* nothing answers at the address             */
    WIRE_THEIR_KEY,  /* as WIRE_SERVER_KEY                         */
    WIRE_OUR_KEY,    /* as WIRE_OWN_KEY                            */
    WIRE_BARRED      /* all keys of the neighbour are revoked      */
} wire_trouble;

typedef struct wire wire;
/* What a wire is made from. Texts are copied. */
typedef struct wire_opt {
    int32_t          id;
    const char      *listen;
    const node_keys *keys; /* NULL: insecure */
    size_t           most; /* bytes of a frame */
    int32_t          neighbours_max;
    const char     **revoked; /* keys that are never accepted */
    int32_t          revocations;
} wire_opt;
/* Binds. MB_E_IO names the address and the reason. */
mb_status wire_open(const wire_opt *opt, wire **out, mb_err *err) MB_CHECKED;
/* NULL is allowed. */
void wire_close(wire *w);
/* Allows a neighbour, and connects to it if its id is the smaller one: at once where the address is
 * a number, else when its name is resolved, which nothing waits for. */
mb_status wire_link(wire *w, const node_neighbour *n, int64_t now, mb_err *err) MB_CHECKED;
/* The own key pair, the keys of neighbours and those that are revoked, as the configuration now has
 * them. Connections by keys that stay accepted remain, others end; with another pair of its own the
 * node connects again to all, and all to it. */
mb_status wire_reload(wire *w, const node_keys *own, const node_config *c, mb_err *err) MB_CHECKED;
/* The key by which a neighbour is connected: 0, public_key; 1, next_public_key; -1: it is not. */
int32_t wire_key_in_use(wire *w, int32_t id);
/* Its connection ends, its key is no longer known. */
void wire_unlink(wire *w, int32_t id);
/* 1: the connection to the neighbour has ended and ZeroMQ attempts no other one, unless it is about
 * to: so it is after bytes that do not decrypt and keys that were refused (libzmq issue 4196). */
int wire_lost(wire *w, int32_t id);
/* Another socket for a neighbour that wire_lost tells of; what ended the one before is counted. */
mb_status wire_again(wire *w, int32_t id, mb_err *err) MB_CHECKED;
/* Asks again for the address of a silent neighbour, if it has a name: another address replaces the
 * connection. */
void wire_resolve(wire *w, int32_t id, int64_t now);
/* What keeps a neighbour from being connected at `now`; of a name *why is the reason, else "". */
wire_trouble wire_look(wire *w, int32_t id, int64_t now, const char **why);
/* Sleeps until a message or one of n other descriptors is readable, at most ms; -1 is no limit. The
 * readable ones are marked in ready. Answers handshakes meanwhile. */
mb_status wire_wait(wire *w, int64_t ms, const int *fd, int32_t n, int32_t *ready,
                    mb_err *err) MB_CHECKED;
/* The next frame that has arrived, of neighbour *from, at most `room` bytes; 0: there is none. */
int wire_receive(wire *w, int32_t *from, void *bytes, size_t room, size_t *n);
/* Hands a frame over; 0: there is no connection, or the one before has not left yet. */
int wire_send(wire *w, int32_t to, const void *bytes, size_t n);
/* Refused so far. */
int64_t wire_refused(const wire *w, wire_refusal why);
/* "unknown_key 192.0.2.7 KEY, .." of what was refused since the last call: some of the addresses
 * and keys, each once; "": none. */
void wire_strangers(wire *w, char *out, size_t room);
/* The newest key that was no neighbour's, and where it came from; NULL: none. */
const char *wire_stranger_key(const wire *w, const char **place);

#endif
