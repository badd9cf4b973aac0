/* wire_dial.c - a socket of ZeroMQ, and the DEALER of an edge. Options are those that were measured:
 * no lingering, no queue, a limit of size. Not ZeroMQ's own heartbeats: libzmq 4.3.4 aborts when one is
 * due while a full queue has stopped its input (its issue 3937), as after a SIGSTOP; frames and TCP
 * tell of a dead connection. */
#include "wire_inside.h"

#include <stdio.h>
#include <string.h>

enum {
    QUEUE = 2,             /* messages out; one is in flight (pace.h)                      */
    ARRIVED = 256,         /* messages in, for a node that was stopped                     */
    RECONNECT_MS = 100,    /* first pause before another attempt                           */
    RECONNECT_MOST = 2000, /* longest one                                                  */
    CONNECT_MS = 3000,  /* an attempt that nothing answers; the kernel's would take two minutes */
    SILENT_MS = 10000,  /* a connection that acknowledges nothing is given up           */
    IDLE_S = 10,        /* and one on which nothing was sent is asked (TCP keepalive)   */
    HANDSHAKE_MS = 5000 /* a stranger may hold a connection                             */
};

int wire_set(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

mb_status wire_failed(const char *doing, const char *address, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot %s: %s%s", address, doing, zmq_strerror(zmq_errno()),
            zmq_errno() == EADDRINUSE
                ? " (ports from 32768 up may be taken by outgoing connections: choose a lower one)"
                : "");
}

/* What all sockets have in common. */
int wire_prepare(const wire *w, void *s)
{
    const int64_t most = (int64_t)w->most;

    return wire_set(s, ZMQ_LINGER, 0) || wire_set(s, ZMQ_SNDHWM, QUEUE) ||
           wire_set(s, ZMQ_RCVHWM, ARRIVED) || wire_set(s, ZMQ_RECONNECT_IVL, RECONNECT_MS) ||
           wire_set(s, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MOST) ||
           wire_set(s, ZMQ_CONNECT_TIMEOUT, CONNECT_MS) || wire_set(s, ZMQ_TCP_MAXRT, SILENT_MS) ||
           wire_set(s, ZMQ_TCP_KEEPALIVE, 1) || wire_set(s, ZMQ_TCP_KEEPALIVE_IDLE, IDLE_S) ||
           wire_set(s, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS) || wire_set(s, ZMQ_IPV6, 1) ||
           zmq_setsockopt(s, ZMQ_MAXMSGSIZE, &most, sizeof most);
}

/* A socket of its own reports connections that begin and end. Never ask for
 * ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: to report it libzmq 4.3.4 overwrites errno, takes bytes that do
 * not decrypt for a full queue, and keeps the connection for ever without reading it. */
void *wire_watch(wire *w, void *s, const char *name)
{
    void *monitor;

    if (zmq_socket_monitor(s, name,
                           ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                               ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CONNECTED |
                               ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_CONNECT_RETRIED))
        return NULL;
    monitor = zmq_socket(w->ctx, ZMQ_PAIR);
    if (monitor && !wire_set(monitor, ZMQ_LINGER, 0) && !zmq_connect(monitor, name))
        return monitor;
    if (monitor)
        zmq_close(monitor);
    return NULL;
}

/* The socket of events last: the I/O thread of libzmq 4.3.4 waits for ever, and with it all connections
 * of the node, to report an event to one that is closed. */
void wire_unwatch(void *s, void *events)
{
    if (s)
        (void)zmq_socket_monitor(s, NULL, 0);
    if (events)
        zmq_close(events);
}

wire_side *wire_find(wire *w, int32_t id)
{
    for (int32_t k = 0; k < w->sides; k++)
        if (w->side[k].id == id)
            return &w->side[k];
    return NULL;
}

void wire_hang_up(wire_side *s)
{
    wire_unwatch(s->dealer, s->events);
    if (s->dealer)
        zmq_close(s->dealer);
    s->events = s->dealer = NULL;
    s->lost = s->shaken = s->denied = s->ended = s->silent = 0;
}

mb_status wire_dial(wire *w, wire_side *s, mb_err *err)
{
    const char *address = s->address[s->at];
    char        name[40];

    wire_hang_up(s);
    s->lost = 1; /* until it is connecting */
    if (w->curve && wire_key_at(w, s, s->proved) < 0 && !wire_turn_key(w, s))
        return MB_OK; /* barred */
    s->dealer = zmq_socket(w->ctx, ZMQ_DEALER);
    if (!s->dealer || wire_prepare(w, s->dealer) || wire_set(s->dealer, ZMQ_IMMEDIATE, 1))
        return wire_failed("open a socket", address, err);
    if (w->curve &&
        (zmq_setsockopt(s->dealer, ZMQ_CURVE_SERVERKEY, s->proved, MB_CURVE_KEY) ||
         zmq_setsockopt(s->dealer, ZMQ_CURVE_PUBLICKEY, w->keys.public_key, MB_CURVE_KEY) ||
         zmq_setsockopt(s->dealer, ZMQ_CURVE_SECRETKEY, w->keys.secret_key, MB_CURVE_KEY)))
        return wire_failed("use this public key", address, err);
    snprintf(name, sizeof name, "%ld", (long)w->id);
    if (!w->curve && zmq_setsockopt(s->dealer, ZMQ_ROUTING_ID, name, strlen(name)))
        return wire_failed("open a socket", address, err);
    snprintf(name, sizeof name, "inproc://events-%lld", (long long)w->made++);
    s->events = wire_watch(w, s->dealer, name);
    if (!s->events)
        return wire_failed("watch handshakes", address, err);
    if (zmq_connect(s->dealer, address))
        return wire_failed("connect", address, err);
    s->lost = 0;
    return MB_OK;
}

void wire_redial(wire *w, wire_side *s)
{
    mb_err why = {.msg = ""};

    if (wire_dial(w, s, &why) < 0)
        s->lost = 1;
}
