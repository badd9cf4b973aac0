/* wire_keys.c - keys of neighbours: which is accepted, which one is in use, and how they change while the
 * node runs. */
#include "wire_inside.h"

#include <stdlib.h>
#include <string.h>

int wire_is_revoked(const wire *w, const char *key)
{
    for (int32_t k = 0; k < w->revocations; k++)
        if (!strcmp(w->revoked[k], key))
            return 1;
    return 0;
}

int32_t wire_key_at(const wire *w, const wire_side *s, const char *key)
{
    for (int32_t k = 0; *key && k < NODE_KEYS; k++)
        if (!strcmp(s->key[k], key))
            return wire_is_revoked(w, key) ? -1 : k;
    return -1;
}

/* The first accepted key of a neighbour after key k; -1: it has no other one. */
static int32_t other_key(const wire *w, const wire_side *s, int32_t k)
{
    for (int32_t i = 1; i <= NODE_KEYS; i++) {
        const int32_t at = (k + i) % NODE_KEYS;

        if (at != k && wire_key_at(w, s, s->key[at]) >= 0)
            return at;
    }
    return -1;
}

int wire_turn_key(const wire *w, wire_side *s)
{
    const int32_t now = wire_key_at(w, s, s->proved);
    const int32_t at = now < 0 ? other_key(w, s, -1) : other_key(w, s, now);

    if (at >= 0)
        memcpy(s->proved, s->key[at], sizeof s->proved);
    return at >= 0;
}

int wire_is_barred(const wire *w, const wire_side *s)
{
    return w->curve && other_key(w, s, -1) < 0;
}

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

mb_status wire_take_keys(const wire *w, wire_side *s, const node_neighbour *n, mb_err *err)
{
    for (int32_t k = 0; w->curve && k < NODE_KEYS; k++) {
        uint8_t bytes[32];

        memset(s->key[k], 0, sizeof s->key[k]);
        if (!n->key[k])
            continue;
        if (!zmq_z85_decode(bytes, n->key[k]))
            MB_FAIL(err, MB_E_FORMAT, "neighbour %s: \"%s\" is no key in Z85", n->name, n->key[k]);
        zmq_z85_encode(s->key[k], bytes, sizeof bytes);
    }
    return MB_OK;
}

mb_status wire_take_revoked(wire *w, const char *const *key, int32_t n, mb_err *err)
{
    wire_key *all = n ? calloc((size_t)n, sizeof *all) : NULL;

    if (n && !all)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for keys");
    for (int32_t k = 0; k < n; k++)
        memcpy(all[k], key[k], NODE_KEY);
    free(w->revoked);
    w->revoked = all;
    w->revocations = n;
    return MB_OK;
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
    if (zmq_setsockopt(w->router, ZMQ_CURVE_SECRETKEY, own->secret_key, NODE_KEY))
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
