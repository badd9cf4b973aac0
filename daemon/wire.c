/* wire.c - sockets: one ROUTER for neighbours with larger ids, a DEALER to each with a smaller one. */
#include "wire_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wire_bind(wire *w)
{
    size_t size = sizeof w->bound;

    return zmq_bind(w->router, w->listen) ||
           zmq_getsockopt(w->router, ZMQ_LAST_ENDPOINT, w->bound, &size);
}

static mb_status open_router(wire *w, const char *listen, mb_err *err)
{
    w->router = zmq_socket(w->ctx, ZMQ_ROUTER);
    if (!w->router || wire_prepare(w, w->router) || wire_set(w->router, ZMQ_ROUTER_MANDATORY, 1))
        return wire_failed("open a socket", listen, err);
    if (w->curve &&
        (wire_set(w->router, ZMQ_CURVE_SERVER, 1) ||
         zmq_setsockopt(w->router, ZMQ_CURVE_SECRETKEY, w->keys.secret_key, MB_CURVE_KEY) ||
         zmq_setsockopt(w->router, ZMQ_ZAP_DOMAIN, "meshbayes", 9)))
        return wire_failed("use CURVE", listen, err);
    w->router_events = wire_watch(w, w->router, "inproc://router-events");
    if (!w->router_events)
        return wire_failed("watch handshakes", listen, err);
    if (wire_bind(w))
        return wire_failed("listen", listen, err);
    return MB_OK;
}

static mb_status open_all(wire *w, const wire_opt *opt, mb_err *err)
{
    w->ctx = zmq_ctx_new();
    if (!w->ctx || zmq_ctx_set(w->ctx, ZMQ_IO_THREADS, 1))
        return wire_failed("start", "ZeroMQ", err);
    MB_TRY(names_open(&w->names, err));
    if (w->curve)
        MB_TRY(wire_guard_open(w, err));
    MB_TRY(wire_take_revoked(w, opt->revoked, opt->revocations, err));
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
    snprintf(w->listen, sizeof w->listen, "%s", opt->listen);
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
    wire_hang_up(s);
    *s = (wire_side){.id = -1};
}

void wire_close(wire *w)
{
    if (!w)
        return;
    for (int32_t k = 0; k < w->sides; k++)
        close_side(&w->side[k]);
    wire_unwatch(w->router, w->router_events);
    if (w->router)
        zmq_close(w->router);
    if (w->guard)
        zmq_close(w->guard);
    if (w->ctx)
        zmq_ctx_term(w->ctx);
    names_close(w->names);
    free(w->side);
    free(w->item);
    free(w->revoked);
    free(w);
}

mb_status wire_link(wire *w, const node_neighbour *n, int64_t now, mb_err *err)
{
    wire_side *s = wire_find(w, -1);
    mb_status  st;

    if (!s && w->sides == w->room)
        MB_FAIL(err, MB_E_ARG, "neighbours: got more than neighbours_max %ld", (long)w->room);
    if (!s)
        s = &w->side[w->sides++];
    *s = (wire_side){.id = n->id, .connects = n->id < w->id};
    st = wire_take_keys(w, s, n, err);
    if (st >= 0 && s->connects)
        st = wire_address(w, s, n, now, err);
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

mb_status wire_again(wire *w, int32_t id, mb_err *err)
{
    wire_side *s = wire_find(w, id);

    if (!s || !s->connects || !s->addresses)
        return MB_OK;
    if (s->shaken)
        w->refused[WIRE_DAMAGED]++;
    else if (s->trouble == WIRE_THEIR_KEY)
        wire_turn_key(w, s);
    return wire_dial(w, s, err);
}

int64_t wire_refused(const wire *w, wire_refusal why)
{
    return w->refused[why];
}
