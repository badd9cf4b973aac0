/* wire.c - sockets: one ROUTER for neighbours with larger ids, a DEALER to each with a smaller one.
 * Options are those that were measured: no lingering, no queue, a limit of size. Not ZeroMQ's own
 * heartbeats: libzmq 4.3.4 aborts when one is due while a full queue has stopped its input (its issue
 * 3937), as after a SIGSTOP; frames and TCP tell of a dead connection. */
#include "wire_inside.h"

#include <stdio.h>
#include <stdlib.h>
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

const char *wire_refusal_text(wire_refusal why)
{
    static const char *const text[WIRE_REFUSALS] = {"unknown_key", "no_curve", "server_key",
                                                    "malformed", "damaged"};

    return text[why];
}

static int set(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

static mb_status failed(const char *doing, const char *address, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot %s: %s%s", address, doing, zmq_strerror(zmq_errno()),
            zmq_errno() == EADDRINUSE
                ? " (ports from 32768 up may be taken by outgoing connections: choose a lower one)"
                : "");
}

/* What all sockets have in common. */
static int prepare(const wire *w, void *s)
{
    const int64_t most = (int64_t)w->most;

    return set(s, ZMQ_LINGER, 0) || set(s, ZMQ_SNDHWM, QUEUE) || set(s, ZMQ_RCVHWM, ARRIVED) ||
           set(s, ZMQ_RECONNECT_IVL, RECONNECT_MS) ||
           set(s, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MOST) ||
           set(s, ZMQ_CONNECT_TIMEOUT, CONNECT_MS) || set(s, ZMQ_TCP_MAXRT, SILENT_MS) ||
           set(s, ZMQ_TCP_KEEPALIVE, 1) || set(s, ZMQ_TCP_KEEPALIVE_IDLE, IDLE_S) ||
           set(s, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS) || set(s, ZMQ_IPV6, 1) ||
           zmq_setsockopt(s, ZMQ_MAXMSGSIZE, &most, sizeof most);
}

/* A socket of its own reports connections that begin and end. Never ask for
 * ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: to report it libzmq 4.3.4 overwrites errno, takes bytes that do
 * not decrypt for a full queue, and keeps the connection for ever without reading it. */
static void *watch(wire *w, void *s, const char *name)
{
    void *monitor;

    if (zmq_socket_monitor(s, name,
                           ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                               ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_DELAYED |
                               ZMQ_EVENT_CONNECT_RETRIED))
        return NULL;
    monitor = zmq_socket(w->ctx, ZMQ_PAIR);
    if (monitor && !set(monitor, ZMQ_LINGER, 0) && !zmq_connect(monitor, name))
        return monitor;
    if (monitor)
        zmq_close(monitor);
    return NULL;
}

static mb_status open_router(wire *w, const char *listen, mb_err *err)
{
    w->router = zmq_socket(w->ctx, ZMQ_ROUTER);
    if (!w->router || prepare(w, w->router) || set(w->router, ZMQ_ROUTER_MANDATORY, 1))
        return failed("open a socket", listen, err);
    if (w->curve && (set(w->router, ZMQ_CURVE_SERVER, 1) ||
                     zmq_setsockopt(w->router, ZMQ_CURVE_SECRETKEY, w->keys.secret_key, NODE_KEY) ||
                     zmq_setsockopt(w->router, ZMQ_ZAP_DOMAIN, "meshbayes", 9)))
        return failed("use CURVE", listen, err);
    w->router_events = watch(w, w->router, "inproc://router-events");
    if (!w->router_events)
        return failed("watch handshakes", listen, err);
    if (zmq_bind(w->router, listen))
        return failed("listen", listen, err);
    return MB_OK;
}

static mb_status open_all(wire *w, const wire_opt *opt, mb_err *err)
{
    w->ctx = zmq_ctx_new();
    if (!w->ctx || zmq_ctx_set(w->ctx, ZMQ_IO_THREADS, 1))
        return failed("start", "ZeroMQ", err);
    if (w->curve)
        MB_TRY(wire_guard_open(w, err));
    return open_router(w, opt->listen, err);
}

mb_status wire_open(const wire_opt *opt, wire **out, mb_err *err)
{
    wire     *w = calloc(1, sizeof *w);
    mb_status st;

    *out = NULL;
    if (!w)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for connections");
    w->id = opt->id;
    w->most = opt->most;
    w->curve = opt->keys != NULL;
    if (opt->keys)
        w->keys = *opt->keys;
    w->room = opt->neighbours_max;
    w->side = calloc((size_t)w->room, sizeof *w->side);
    w->item = calloc((size_t)(WIRE_OWN + 2 * w->room + WIRE_OTHERS), sizeof *w->item);
    if (!w->side || !w->item)
        st = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for connections");
    else
        st = open_all(w, opt, err);
    if (st < 0) {
        wire_close(w);
        return st;
    }
    *out = w;
    return MB_OK;
}

static void close_side(wire_side *s)
{
    if (s->events)
        zmq_close(s->events);
    if (s->dealer)
        zmq_close(s->dealer);
    *s = (wire_side){.id = -1};
}

void wire_close(wire *w)
{
    if (!w)
        return;
    for (int32_t k = 0; k < w->sides; k++)
        close_side(&w->side[k]);
    if (w->router_events)
        zmq_close(w->router_events);
    if (w->router)
        zmq_close(w->router);
    if (w->guard)
        zmq_close(w->guard);
    if (w->ctx)
        zmq_ctx_term(w->ctx);
    free(w->side);
    free(w->item);
    free(w);
}

wire_side *wire_find(wire *w, int32_t id)
{
    for (int32_t k = 0; k < w->sides; k++)
        if (w->side[k].id == id)
            return &w->side[k];
    return NULL;
}

static mb_status connect_to(wire *w, wire_side *s, const node_neighbour *n, mb_err *err)
{
    char name[40];

    s->dealer = zmq_socket(w->ctx, ZMQ_DEALER);
    if (!s->dealer || prepare(w, s->dealer) || set(s->dealer, ZMQ_IMMEDIATE, 1))
        return failed("open a socket", n->address, err);
    if (w->curve && (zmq_setsockopt(s->dealer, ZMQ_CURVE_SERVERKEY, n->public_key, NODE_KEY) ||
                     zmq_setsockopt(s->dealer, ZMQ_CURVE_PUBLICKEY, w->keys.public_key, NODE_KEY) ||
                     zmq_setsockopt(s->dealer, ZMQ_CURVE_SECRETKEY, w->keys.secret_key, NODE_KEY)))
        return failed("use this public key", n->address, err);
    snprintf(name, sizeof name, "%ld", (long)w->id);
    if (!w->curve && zmq_setsockopt(s->dealer, ZMQ_ROUTING_ID, name, strlen(name)))
        return failed("open a socket", n->address, err);
    snprintf(name, sizeof name, "inproc://events-%lld", (long long)w->made++);
    s->events = watch(w, s->dealer, name);
    if (!s->events)
        return failed("watch handshakes", n->address, err);
    if (zmq_connect(s->dealer, n->address))
        return failed("connect", n->address, err);
    return MB_OK;
}

mb_status wire_link(wire *w, const node_neighbour *n, mb_err *err)
{
    wire_side *s = wire_find(w, -1);
    mb_status  st = MB_OK;

    if (!s && w->sides == w->room)
        MB_FAIL(err, MB_E_ARG, "neighbours: got more than neighbours_max %ld", (long)w->room);
    if (!s)
        s = &w->side[w->sides++];
    *s = (wire_side){.id = n->id};
    if (w->curve && !zmq_z85_decode(s->key, n->public_key))
        st = mb_fail_(err, MB_E_FORMAT, __FILE__, __LINE__, "neighbour %s: \"%s\" is no key in Z85",
                      n->name, n->public_key);
    else if (n->id < w->id)
        st = connect_to(w, s, n, err);
    if (st < 0)
        close_side(s);
    return st;
}

void wire_unlink(wire *w, int32_t id)
{
    wire_side *s = wire_find(w, id);

    if (s)
        close_side(s);
}

int wire_lost(wire *w, int32_t id)
{
    const wire_side *s = wire_find(w, id);

    return !s || s->lost;
}

mb_status wire_again(wire *w, const node_neighbour *n, mb_err *err)
{
    const wire_side *s = wire_find(w, n->id);

    if (s && s->shaken)
        w->refused[WIRE_DAMAGED]++;
    wire_unlink(w, n->id);
    return wire_link(w, n, err);
}

int64_t wire_refused(const wire *w, wire_refusal why)
{
    return w->refused[why];
}
