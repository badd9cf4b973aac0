/* wire_reload.c - keys that change while the node runs, and the one by which a neighbour is connected. */
#include "wire_inside.h"

#include <string.h>

void wire_turn_keys(wire *w)
{
    for (int32_t k = 0; k < w->sides; k++) {
        wire_side *s = &w->side[k];

        if (s->id < 0 || !s->turn)
            continue;
        s->turn = 0;
        if (wire_turn_key(w, s))
            wire_redial(w, s);
    }
}

int32_t wire_key_in_use(wire *w, int32_t id)
{
    const wire_side *s = wire_find(w, id);

    return s && w->curve && (s->connects ? s->shaken && !s->lost : s->route_len > 0)
               ? wire_key_at(w, s, s->proved)
               : -1;
}

/* All connections of the router end, and it listens again as soon as the system has closed the socket
 * before (wire_wait): ZeroMQ uses a new key for a new listener only, and ends no connection alone. */
static mb_status reopen(wire *w, mb_err *err)
{
    if (!w->deaf && zmq_unbind(w->router, w->bound))
        return wire_failed("stop listening", w->bound, err);
    w->deaf = 1;
    w->denied = 0;
    for (int32_t k = 0; k < w->sides; k++)
        if (!w->side[k].connects) {
            w->side[k].route_len = 0;
            w->side[k].fd = 0;
        }
    return MB_OK;
}

/* The new keys of a neighbour. Returns 1 when its connection has to end. */
static int change(wire *w, wire_side *s, int renewed)
{
    const int used = wire_key_at(w, s, s->proved) >= 0;

    s->patience = s->failed = 0;
    if (s->connects && s->addresses && (renewed || !used))
        wire_redial(w, s);
    if (!s->connects && !used)
        *s->proved = 0;
    return !s->connects && s->route_len && !used;
}

mb_status wire_reload(wire *w, const node_keys *own, const node_config *c, mb_err *err)
{
    const int renewed = w->curve && strcmp(own->secret_key, w->keys.secret_key) != 0;
    int       ends = renewed;

    if (!w->curve)
        return MB_OK;
    MB_TRY(wire_take_revoked(w, c->revoked, c->revocations, err));
    w->keys = *own;
    if (zmq_setsockopt(w->router, ZMQ_CURVE_SECRETKEY, own->secret_key, MB_CURVE_KEY))
        return wire_failed("use the new key", w->bound, err);
    for (int32_t k = 0; k < w->sides; k++) {
        const node_neighbour *n = node_config_find(c, w->side[k].id);

        if (w->side[k].id < 0 || !n)
            continue;
        MB_TRY(wire_take_keys(w, &w->side[k], n, err));
        ends |= change(w, &w->side[k], renewed);
    }
    return ends ? reopen(w, err) : MB_OK;
}
