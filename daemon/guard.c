/* guard.c - who may connect: a client proves its key by CURVE, and only those of neighbours are
 * accepted. ZeroMQ asks through ZAP (its RFC 27), here in the thread of the loop. */
#define _XOPEN_SOURCE 700
#include "wire_inside.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { PART_MOST = 256, PARTS = 7 };

const char *wire_refusal_text(wire_refusal why)
{
    static const char *const text[WIRE_REFUSALS] = {
        "unknown_key", "revoked_key", "no_curve", "server_key", "own_key", "malformed", "damaged"};

    return text[why];
}

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

/* One more address for the log; one of IPv4 as such. key: Z85, "": not known. */
static void remember(wire *w, wire_refusal why, const char *place, const char *key)
{
    static const char mapped[] = "::ffff:";
    wire_stranger     is = {.why = why};

    if (!strncmp(place, mapped, sizeof mapped - 1))
        place += sizeof mapped - 1;
    w->refused[why]++;
    snprintf(is.place, sizeof is.place, "%s", place);
    snprintf(is.key, sizeof is.key, "%s", key);
    if (*key)
        w->newest_key = is;
    for (int32_t k = 0; k < w->strangers; k++)
        if (w->stranger[k].why == why && !strcmp(w->stranger[k].place, is.place) &&
            !strcmp(w->stranger[k].key, is.key))
            return;
    if (w->strangers < WIRE_STRANGERS)
        w->stranger[w->strangers++] = is;
}

const char *wire_stranger_key(const wire *w, const char **place)
{
    *place = w->newest_key.place;
    return *w->newest_key.place ? w->newest_key.key : NULL;
}

void wire_strangers(wire *w, char *out, size_t room)
{
    size_t at = 0;

    *out = 0;
    for (int32_t k = 0; k < w->strangers && at < room; k++)
        at += (size_t)snprintf(out + at, room - at, "%s%s %s%s%s", k ? ", " : "",
                               wire_refusal_text(w->stranger[k].why), w->stranger[k].place,
                               *w->stranger[k].key ? " " : "", w->stranger[k].key);
    w->strangers = 0;
}

/* The neighbour whose key this is, if it is accepted. */
static const wire_side *owner(const wire *w, const char *key)
{
    for (int32_t k = 0; k < w->sides; k++)
        if (w->side[k].id >= 0 && wire_key_at(w, &w->side[k], key) >= 0)
            return &w->side[k];
    return NULL;
}

/* Answers a question: who it is in s, NULL: nobody, who is refused for `why`. */
static void reply(wire *w, const uint8_t *request, size_t len, const wire_side *s, const char *key)
{
    char user[16 + MB_CURVE_KEY + 1] = "";

    if (s)
        snprintf(user, sizeof user, "%ld %s", (long)s->id, key);
    w->denied += !s;
    zmq_send(w->guard, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(w->guard, request, len, ZMQ_SNDMORE);
    zmq_send(w->guard, s ? "200" : "400", 3, ZMQ_SNDMORE);
    zmq_send(w->guard, s ? "OK" : "unknown", s ? 2 : 7, ZMQ_SNDMORE);
    zmq_send(w->guard, user, strlen(user), ZMQ_SNDMORE);
    zmq_send(w->guard, "", 0, 0);
}

void wire_guard_answer(wire *w)
{
    uint8_t part[PARTS][PART_MOST];
    size_t  len[PARTS] = {0};
    int     n;

    while (w->guard && (n = read_parts(w->guard, part, len)) >= 0) {
        /* version, request, domain, address, identity, mechanism, credentials */
        const int curve = n == 7 && len[5] == 5 && !memcmp(part[5], "CURVE", 5) && len[6] == 32;
        char      key[MB_CURVE_KEY + 1] = "", place[WIRE_PLACE] = "";
        const wire_side *s;

        if (n > 3)
            snprintf(place, sizeof place, "%.*s", (int)len[3], (const char *)part[3]);
        if (curve)
            zmq_z85_encode(key, part[6], 32);
        s = owner(w, key);
        if (!s)
            remember(w,
                     wire_is_revoked(w, key) ? WIRE_REVOKED_KEY
                     : curve                 ? WIRE_UNKNOWN_KEY
                                             : WIRE_NO_CURVE,
                     place, key);
        reply(w, part[1], n > 1 ? len[1] : 0, s, key);
    }
}

/* Where a connection to the router comes from, while it is there. */
static void router_accepted(wire *w, int32_t fd)
{
    struct sockaddr_storage from;
    socklen_t               size = sizeof from;
    wire_accepted          *a = &w->accepted[w->newest++ % WIRE_ACCEPTED];

    w->newest %= WIRE_ACCEPTED;
    for (int k = 0; k < WIRE_ACCEPTED; k++)
        if (w->accepted[k].fd == fd)
            w->accepted[k].fd = 0;
    *a = (wire_accepted){.fd = fd};
    if (getpeername(fd, (struct sockaddr *)&from, &size) ||
        getnameinfo((struct sockaddr *)&from, size, a->place, sizeof a->place, NULL, 0,
                    NI_NUMERICHOST))
        snprintf(a->place, sizeof a->place, "an unknown address");
}

static const char *place_of(const wire *w, int32_t fd)
{
    for (int k = 0; k < WIRE_ACCEPTED; k++)
        if (fd && w->accepted[k].fd == fd)
            return w->accepted[k].place;
    return "an unknown address";
}

/* A connection to the router has ended; without a message of a neighbour it was a stranger's, whom
 * ZAP may have refused, and counted, before. */
static void router_lost(wire *w, int32_t fd)
{
    for (int32_t k = 0; k < w->sides; k++)
        if (w->side[k].id >= 0 && !w->side[k].connects && w->side[k].fd == fd) {
            w->side[k].fd = 0;
            return;
        }
    if (w->denied > 0)
        w->denied--;
    else
        remember(w, WIRE_NO_CURVE, place_of(w, fd), "");
}

/* What happens to the connection of an edge that this node has opened. */
static void edge_event(wire *w, wire_side *s, uint16_t event)
{
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
        s->denied = 1;
        return;
    }
    if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
        s->shaken = 1;
        s->patience = s->failed = 0;
        s->trouble = WIRE_NO_TROUBLE;
        return;
    }
    s->lost = event == ZMQ_EVENT_DISCONNECTED;
    if (s->lost && !s->shaken) {
        s->trouble = s->denied ? WIRE_OUR_KEY : WIRE_THEIR_KEY;
        w->refused[s->denied ? WIRE_OWN_KEY : WIRE_SERVER_KEY]++;
        if (!s->denied && ++s->failed >= s->patience) {
            s->failed = 0;
            s->patience = s->patience < WIRE_PATIENCE ? 2 + s->patience : WIRE_PATIENCE;
            s->turn = 1;
        }
    } else if (event == ZMQ_EVENT_CONNECT_RETRIED && !s->ended) {
        s->trouble = WIRE_NO_ANSWER;
        s->silent = 1;
    }
    s->ended = s->lost || (s->ended && event == ZMQ_EVENT_CONNECT_RETRIED);
    s->denied = 0;
    s->shaken = s->shaken && s->lost;
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
        if (s)
            edge_event(w, s, event);
        else if (event == ZMQ_EVENT_ACCEPTED)
            router_accepted(w, value);
        else if (event == ZMQ_EVENT_DISCONNECTED)
            router_lost(w, value);
    }
}
