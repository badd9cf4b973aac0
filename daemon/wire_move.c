/* wire_move.c - frames in and out, and waiting for them. */
#include "wire_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t add(wire *w, int32_t n, void *socket, int fd)
{
    w->item[n] = (zmq_pollitem_t){.socket = socket, .fd = fd, .events = ZMQ_POLLIN};
    return n + 1;
}

/* Listens again, in a moment when the socket before is not closed yet. */
static mb_status listen_again(wire *w, int64_t *ms, mb_err *err)
{
    if (!wire_bind(w)) {
        w->deaf = 0;
        return MB_OK;
    }
    if (zmq_errno() != EADDRINUSE || w->deaf++ >= WIRE_DEAF)
        return wire_failed("listen again", w->listen, err);
    *ms = *ms < 0 || *ms > WIRE_DEAF_MS ? WIRE_DEAF_MS : *ms;
    return MB_OK;
}

mb_status wire_wait(wire *w, int64_t ms, const int *fd, int32_t n, int32_t *ready, mb_err *err)
{
    int32_t at = 0, own;

    if (w->deaf)
        MB_TRY(listen_again(w, &ms, err));
    at = add(w, at, w->router, 0);
    at = add(w, at, w->router_events, 0);
    at = add(w, at, NULL, names_fd(w->names));
    if (w->guard)
        at = add(w, at, w->guard, 0);
    for (int32_t k = 0; k < w->sides; k++)
        if (w->side[k].dealer) {
            at = add(w, at, w->side[k].dealer, 0);
            at = add(w, at, w->side[k].events, 0);
        }
    own = at;
    for (int32_t k = 0; k < n && k < WIRE_OTHERS; k++)
        at = add(w, at, NULL, fd[k]);
    if (zmq_poll(w->item, at, (long)ms) < 0 && zmq_errno() != EINTR)
        MB_FAIL(err, MB_E_IO, "waiting for messages: %s", zmq_strerror(zmq_errno()));
    for (int32_t k = 0; k < n && k < WIRE_OTHERS; k++)
        ready[k] = w->item[own + k].revents != 0;
    wire_guard_answer(w);
    wire_guard_events(w, NULL);
    for (int32_t k = 0; k < w->sides; k++)
        wire_guard_events(w, &w->side[k]);
    wire_turn_keys(w);
    wire_named(w);
    return MB_OK;
}

/* The rest of a message that is not wanted. */
static void drain(void *s)
{
    int    more = 1;
    size_t size = sizeof more;

    while (!zmq_getsockopt(s, ZMQ_RCVMORE, &more, &size) && more)
        if (zmq_recv(s, NULL, 0, ZMQ_DONTWAIT) < 0)
            return;
}

/* The last part of a message; 0 when it is longer than room, or not the last. */
static int last_part(void *s, zmq_msg_t *m)
{
    if (zmq_msg_recv(m, s, ZMQ_DONTWAIT) < 0)
        return 0;
    if (!zmq_msg_more(m))
        return 1;
    drain(s);
    return 0;
}

/* The key of a message's connection, which ZAP has accepted; 0: it has been revoked or removed since. */
static int prove(const wire *w, wire_side *s, const char *key)
{
    const int32_t at = !strcmp(s->proved, key) ? 0 : wire_key_at(w, s, key);

    if (at >= 0)
        snprintf(s->proved, sizeof s->proved, "%s", key);
    return at >= 0;
}

/* The neighbour that a message at the router is from: by its key, or without CURVE by its name. */
static wire_side *sender(wire *w, zmq_msg_t *m, const uint8_t *route, size_t n)
{
    const char *user = w->curve ? zmq_msg_gets(m, "User-Id") : NULL;
    char        text[16] = "", *end;
    long        id;
    wire_side  *s;

    if (!w->curve && n < sizeof text)
        memcpy(text, route, n);
    user = w->curve ? user : text;
    if (!user || !*user)
        return NULL;
    id = strtol(user, &end, 10);
    s = *end != (w->curve ? ' ' : 0) || id < 0 || id >= INT32_MAX ? NULL
                                                                  : wire_find(w, (int32_t)id);
    if (!s || s->connects || (w->curve && !prove(w, s, end + 1)))
        return NULL;
    memcpy(s->route, route, n);
    s->route_len = n;
    return s;
}

static int copy(wire *w, wire_side *s, zmq_msg_t *m, int32_t *from, void *bytes, size_t room,
                size_t *n)
{
    *n = zmq_msg_size(m);
    if (!s || *n > room) {
        w->refused[WIRE_MALFORMED]++;
        return 0;
    }
    memcpy(bytes, zmq_msg_data(m), *n);
    *from = s->id;
    s->fd = zmq_msg_get(m, ZMQ_SRCFD);
    return 1;
}

/* 1: a frame, 0: nothing there, -1: one that was refused. */
static int from_router(wire *w, int32_t *from, void *bytes, size_t room, size_t *n)
{
    uint8_t   route[WIRE_ROUTE];
    zmq_msg_t m;
    int       len = zmq_recv(w->router, route, sizeof route, ZMQ_DONTWAIT), got;

    if (len < 0)
        return 0;
    zmq_msg_init(&m);
    got = len <= WIRE_ROUTE && last_part(w->router, &m);
    if (got)
        got = copy(w, sender(w, &m, route, (size_t)len), &m, from, bytes, room, n);
    else
        w->refused[WIRE_MALFORMED]++;
    zmq_msg_close(&m);
    return got ? 1 : -1;
}

static int from_dealer(wire *w, wire_side *s, int32_t *from, void *bytes, size_t room, size_t *n)
{
    zmq_msg_t m;
    int       got;

    zmq_msg_init(&m);
    got = last_part(s->dealer, &m) && copy(w, s, &m, from, bytes, room, n);
    zmq_msg_close(&m);
    return got;
}

/* Each socket in turn, so that none waits for a neighbour that sends much. */
int wire_receive(wire *w, int32_t *from, void *bytes, size_t room, size_t *n)
{
    const int32_t sockets = w->sides + 1;

    for (int32_t k = 0; k < sockets; k++) {
        const int32_t at = (w->next + k) % sockets;
        int           got = 0;

        if (at == w->sides)
            do
                got = from_router(w, from, bytes, room, n);
            while (got < 0);
        else if (w->side[at].dealer)
            got = from_dealer(w, &w->side[at], from, bytes, room, n);
        if (got) {
            w->next = at + 1;
            return 1;
        }
    }
    return 0;
}

int wire_send(wire *w, int32_t to, const void *bytes, size_t n)
{
    wire_side *s = wire_find(w, to);

    if (!s)
        return 0;
    if (s->connects)
        return s->dealer && zmq_send(s->dealer, bytes, n, ZMQ_DONTWAIT) >= 0;
    if (!s->route_len)
        return 0;
    if (zmq_send(w->router, s->route, s->route_len, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
        if (zmq_errno() == EHOSTUNREACH)
            s->route_len = 0;
        return 0;
    }
    return zmq_send(w->router, bytes, n, ZMQ_DONTWAIT) >= 0;
}
