/* links.c - neighbours of the configuration, and frames to them. */
#include "node.h"

#include "mesh/guarded.h"

#include <string.h>

enum {
    AGAIN_LEAST = 1000, /* ms between two sockets for a neighbour   */
    AGAIN_MOST = 30000, /* they when none has heard the neighbour   */
    RESOLVE_MS = 5000   /* a name is looked up again so often while the neighbour is silent */
};

/* A link of the node, if it is not there from a checkpoint, and the way to the neighbour. */
static mb_status add(node *n, const node_neighbour *one, mb_err *err)
{
    const int64_t now = node_now(n);
    node_flight  *free_one = node_flight_of(n, -1);

    if (!free_one)
        MB_FAIL(err, MB_E_ARG, "neighbours: got more than neighbours_max %ld", (long)n->flights);
    if (!mb_peer_linked(n->peer, one->id)) {
        MB_TRY(mb_peer_link(n->peer, one->id, err));
        node_record(n, (mb_called){.call = MB_CALL_LINK, .id = one->id});
    }
    *free_one = (node_flight){
        .id = one->id, .since = now, .resolve = now + RESOLVE_MS, .logged = NODE_CONNECTING};
    return wire_link(n->w, one, now, err);
}

/* Links that a checkpoint has and the configuration has not. */
static mb_status drop_others(node *n, mb_err *err)
{
    mb_peer_status    is;
    mb_peer_neighbour has;

    mb_peer_look(n->peer, 0, &is);
    for (int32_t k = is.neighbours - 1; k >= 0; k--) {
        mb_peer_look_at(n->peer, 0, k, &has);
        if (node_config_find(&n->c, has.id))
            continue;
        MB_TRY(mb_peer_unlink(n->peer, has.id, err));
        node_record(n, (mb_called){.call = MB_CALL_UNLINK, .id = has.id});
    }
    return MB_OK;
}

mb_status node_links(node *n, mb_err *err)
{
    MB_TRY(drop_others(n, err));
    for (int32_t k = 0; k < n->c.neighbours; k++)
        MB_TRY(add(n, &n->c.neighbour[k], err));
    return MB_OK;
}

static int same_place(const node_neighbour *a, const node_neighbour *b)
{
    return !strcmp(a->address ? a->address : "", b->address ? b->address : "");
}

/* 1: one of the keys of a is one of b, or neither has any. */
static int share_a_key(const node_neighbour *a, const node_neighbour *b)
{
    for (int i = 0; i < NODE_KEYS; i++)
        for (int k = 0; k < NODE_KEYS; k++)
            if (a->key[i] && b->key[k] && !strcmp(a->key[i], b->key[k]))
                return 1;
    return !a->key[0] && !b->key[0];
}

/* 1: this neighbour is refused by command. */
static int is_shut(const node *n, int32_t id)
{
    for (int32_t k = 0; k < n->shuts; k++)
        if (n->shut[k] == id)
            return 1;
    return 0;
}

static mb_status take_away(node *n, const node_neighbour *old, const char *change, mb_err *err)
{
    char name[80];

    node_say(&n->log, LOG_NEIGHBOUR, "node=\"%s\" id=%d change=%s",
             log_value(old->name, name, sizeof name), (int)old->id, change);
    MB_TRY(mb_peer_unlink(n->peer, old->id, err));
    node_record(n, (mb_called){.call = MB_CALL_UNLINK, .id = old->id});
    wire_unlink(n->w, old->id);
    node_flight_of(n, old->id)->id = -1;
    return MB_OK;
}

mb_status node_shut(node *n, int32_t id, mb_err *err)
{
    const node_neighbour *one = node_config_find(&n->c, id);

    if (!one)
        MB_FAIL(err, MB_E_ARG, "got neighbour %ld; expected one of the configuration", (long)id);
    if (is_shut(n, id))
        return MB_OK;
    if (n->shuts == n->flights)
        MB_FAIL(err, MB_E_ARG, "got more than neighbours_max %ld", (long)n->flights);
    if (node_flight_of(n, id))
        MB_TRY(take_away(n, one, "refused", err));
    n->shut[n->shuts++] = id;
    return MB_OK;
}

void node_reset(node *n)
{
    node_say(&n->log, LOG_VERDICT, "reset=yes");
    mb_peer_reset_(n->peer);
    node_record(n, (mb_called){.call = MB_CALL_RESET, .id = -1});
}

/* A neighbour that is gone, at another address, or another one by all its keys: its edge ends now, not
 * when it has been silent for long. */
static mb_status retire(node *n, const node_config *to, mb_err *err)
{
    for (int32_t k = 0; k < n->c.neighbours; k++) {
        const node_neighbour *old = &n->c.neighbour[k], *now = node_config_find(to, old->id);

        if (node_flight_of(n, old->id) && !(now && same_place(old, now) && share_a_key(old, now)))
            MB_TRY(take_away(n, old, "removed", err));
    }
    return MB_OK;
}

static mb_status change(node *n, const node_config *to, mb_err *err)
{
    char name[80];

    for (int32_t k = 0; k < to->neighbours; k++) {
        if (node_flight_of(n, to->neighbour[k].id) || is_shut(n, to->neighbour[k].id))
            continue;
        node_say(&n->log, LOG_NEIGHBOUR, "node=\"%s\" change=added",
                 log_value(to->neighbour[k].name, name, sizeof name));
        MB_TRY(add(n, &to->neighbour[k], err));
    }
    return MB_OK;
}

void node_set_tempo(node *n, const node_config *c)
{
    n->tempo.opt = (tempo_opt){.tick_ms = n->c.tick_ms,
                               .tick_least_ms = c->tick_least_ms,
                               .bytes_per_second = c->bytes_per_second};
}

/* The file again, in an arena of its own, which the neighbours keep until the next time. */
static mb_status reload(node *n, mb_arena *own, char *ignored, size_t room, mb_err *err)
{
    node_config to;
    mb_genesis  given;
    node_keys   keys = n->keys;
    int         encrypts;

    if (!own)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the configuration");
    MB_TRY(node_config_read(own, n->c.file, &to, &given, err));
    encrypts = !to.insecure && !n->c.insecure;
    if (encrypts) {
        MB_TRY(node_keys_read(own, to.key, &keys, err));
        MB_TRY(node_keys_fit(&keys, &to, err));
        keys.sign = n->keys.sign; /* audits continue with that of the list as it was */
    }
    MB_TRY(node_members_fit(&to, &keys, &given, &n->given, err));
    MB_TRY(retire(n, &to, err)); /* before the wire, which would dial again what ends */
    if (encrypts)
        MB_TRY(wire_reload(n->w, &keys, &to, err));
    node_config_changed(&n->c, &to, ignored, room);
    n->keys = keys;
    MB_TRY(change(n, &to, err));
    node_set_tempo(n, &to);
    n->log.level = to.log_level;
    n->c.neighbours = to.neighbours;
    n->c.neighbour = to.neighbour;
    return MB_OK;
}

void node_reload(node *n)
{
    mb_arena *own = mb_arena_new(4096), *before = n->reloaded;
    mb_err    why = {.msg = ""};
    char      quoted[400], ignored[400];

    if (reload(n, own, ignored, sizeof ignored, &why) < 0) {
        node_say_at(&n->log, LOG_ERROR, LOG_CONFIG, "reload=failed reason=\"%s\"",
                    log_value(why.msg, quoted, sizeof quoted));
        mb_arena_free(own);
        return;
    }
    n->reloaded = own;
    mb_arena_free(before);
    node_say(&n->log, LOG_CONFIG, "reload=done neighbours=%d%s%s%s", (int)n->c.neighbours,
             *ignored ? " ignored=\"" : "", log_value(ignored, quoted, sizeof quoted),
             *ignored ? "\"" : "");
}

/* A socket that ZeroMQ has given up is replaced, at intervals that double until one is used. */
static void revive(node *n, node_flight *f, const mb_peer_neighbour *is, int64_t now)
{
    const node_neighbour *who = node_config_find(&n->c, f->id);
    mb_err                why = {.msg = ""};
    char                  name[80], quoted[400];

    if (is->live)
        f->pause = 0;
    if (!who || !wire_lost(n->w, f->id)) {
        f->again = 0;
        return;
    }
    if (!f->again) {
        f->pause = f->pause ? 2 * f->pause : AGAIN_LEAST;
        f->pause = f->pause < AGAIN_MOST ? f->pause : AGAIN_MOST;
        f->again = now + f->pause;
    }
    if (now < f->again)
        return;
    f->again = 0;
    if (wire_again(n->w, f->id, &why) < 0)
        node_say_at(&n->log, LOG_WARNING, LOG_NEIGHBOUR, "node=\"%s\" connected=no reason=\"%s\"",
                    log_value(who->name, name, sizeof name),
                    log_value(why.msg, quoted, sizeof quoted));
}

/* The name of a neighbour that is silent may have another address by now. */
static void resolve(node *n, node_flight *f, const mb_peer_neighbour *is, int64_t now)
{
    if (is->live)
        f->resolve = now + RESOLVE_MS;
    if (now < f->resolve)
        return;
    f->resolve = now + RESOLVE_MS;
    wire_resolve(n->w, f->id, now);
}

void node_watch(node *n, int64_t now)
{
    mb_peer_status has;

    n->watched_ms = now;
    mb_peer_look(n->peer, now, &has);
    for (int32_t k = 0; k < has.neighbours; k++) {
        mb_peer_neighbour is;
        node_flight      *f;

        mb_peer_look_at(n->peer, now, k, &is);
        f = node_flight_of(n, is.id);
        if (!f)
            continue;
        node_tell_link(n, f, &is, now);
        revive(n, f, &is, now);
        resolve(n, f, &is, now);
    }
}

mb_status node_send(node *n, int64_t now, mb_err *err)
{
    mb_peer_status status;

    mb_peer_look(n->peer, now, &status);
    for (int32_t k = 0; k < status.neighbours; k++) {
        mb_peer_neighbour is;
        node_flight      *f;
        size_t            bytes;

        mb_peer_look_at(n->peer, now, k, &is);
        f = node_flight_of(n, is.id);
        if (f)
            tempo_see(&n->tempo, &f->hold, now, &is);
        if (!f || pace_waits(&f->pace, &is, status.tick, n->c.tick_ms, now))
            continue;
        MB_TRY(mb_peer_frame(n->peer, is.id, n->frame, n->room, &bytes, err));
        node_record(
            n, (mb_called){
                   .call = MB_CALL_FRAME, .now = now, .id = is.id, .bytes = n->frame, .n = bytes});
        if (!bytes || !wire_send(n->w, is.id, n->frame, bytes))
            continue;
        pace_sent(&f->pace, status.tick, now);
    }
    return MB_OK;
}
