/* wire_keys.c - keys of neighbours: which is accepted, and which is demanded next. */
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
        memcpy(all[k], key[k], MB_CURVE_KEY);
    free(w->revoked);
    w->revoked = all;
    w->revocations = n;
    return MB_OK;
}
