/* guard.c - who may connect: a client proves its key by CURVE, and only those of neighbours are
 * accepted. ZeroMQ asks through ZAP (its RFC 27), here in the thread of the loop. */
#include "wire_inside.h"

#include <stdio.h>
#include <string.h>

enum { PART_MOST = 256, PARTS = 7 };

/* A message of several parts; longer parts are cut. Returns how many there were, -1: none. */
static int read_parts(void *s, uint8_t part[PARTS][PART_MOST], size_t *len)
{
    int more = 1, n = 0;

    while (more) {
        uint8_t other[PART_MOST];
        size_t  size = sizeof more;
        int     got = zmq_recv(s, n < PARTS ? part[n] : other, PART_MOST, ZMQ_DONTWAIT);

        if (got < 0)
            return -1;
        if (n < PARTS)
            len[n] = (size_t)got < PART_MOST ? (size_t)got : PART_MOST;
        n++;
        if (zmq_getsockopt(s, ZMQ_RCVMORE, &more, &size))
            return -1;
    }
    return n;
}

mb_status wire_guard_open(wire *w, mb_err *err)
{
    const int zero = 0;

    w->guard = zmq_socket(w->ctx, ZMQ_REP);
    if (!w->guard || zmq_setsockopt(w->guard, ZMQ_LINGER, &zero, sizeof zero) ||
        zmq_bind(w->guard, "inproc://zeromq.zap.01"))
        MB_FAIL(err, MB_E_IO, "keys cannot be checked: %s", zmq_strerror(zmq_errno()));
    return MB_OK;
}

/* The neighbour whose key this is. */
static const wire_side *owner(const wire *w, const uint8_t *key, size_t n)
{
    for (int32_t k = 0; n == 32 && k < w->sides; k++)
        if (w->side[k].id >= 0 && !memcmp(w->side[k].key, key, 32))
            return &w->side[k];
    return NULL;
}

void wire_guard_answer(wire *w)
{
    uint8_t part[PARTS][PART_MOST];
    size_t  len[PARTS] = {0};
    int     n;

    while (w->guard && (n = read_parts(w->guard, part, len)) >= 0) {
        /* version, request, domain, address, identity, mechanism, credentials */
        const int        curve = n == 7 && len[5] == 5 && !memcmp(part[5], "CURVE", 5);
        const wire_side *s = curve ? owner(w, part[6], len[6]) : NULL;
        char             user[16] = "";

        if (s)
            snprintf(user, sizeof user, "%ld", (long)s->id);
        else
            w->refused[curve ? WIRE_UNKNOWN_KEY : WIRE_NO_CURVE]++;
        w->denied += !s;
        zmq_send(w->guard, "1.0", 3, ZMQ_SNDMORE);
        zmq_send(w->guard, part[1], n > 1 ? len[1] : 0, ZMQ_SNDMORE);
        zmq_send(w->guard, s ? "200" : "400", 3, ZMQ_SNDMORE);
        zmq_send(w->guard, s ? "OK" : "unknown", s ? 2 : 7, ZMQ_SNDMORE);
        zmq_send(w->guard, user, strlen(user), ZMQ_SNDMORE);
        zmq_send(w->guard, "", 0, 0);
    }
}

/* A connection to the router has ended; without a message of a neighbour it was a stranger's, whom
 * ZAP may have refused, and counted, before. */
static void router_lost(wire *w, int32_t fd)
{
    for (int32_t k = 0; k < w->sides; k++)
        if (w->side[k].id >= 0 && !w->side[k].dealer && w->side[k].fd == fd) {
            w->side[k].fd = 0;
            return;
        }
    if (w->denied > 0)
        w->denied--;
    else
        w->refused[WIRE_NO_CURVE]++;
}

void wire_guard_events(wire *w, wire_side *s)
{
    void *const events = s ? s->events : w->router_events;
    uint8_t     part[PARTS][PART_MOST];
    size_t      len[PARTS] = {0};
    uint16_t    event;
    int32_t     value;

    while (events && read_parts(events, part, len) >= 0) {
        memcpy(&event, part[0], sizeof event);
        memcpy(&value, part[0] + sizeof event, sizeof value);
        if (s && event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            s->shaken = 1;
        } else if (s) {
            s->lost = event == ZMQ_EVENT_DISCONNECTED;
            w->refused[WIRE_SERVER_KEY] += s->lost && !s->shaken;
            s->shaken = s->shaken && s->lost;
        } else if (event == ZMQ_EVENT_DISCONNECTED) {
            router_lost(w, value);
        }
    }
}
