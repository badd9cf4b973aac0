/* reason.c - what is the matter with a neighbour, for log, status and page. */
#define _XOPEN_SOURCE 700
#include "mesh/guarded.h"
#include "node.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    REFUSED_MS = 10000,  /* a refused frame says so long what is the matter                       */
    PATIENCE_MS = 10000, /* a neighbour that has never been heard is logged after this time       */
    RECENT_MS = 5000,    /* one that was heard in this time, or three rests, is no silent one     */
    SOON_MS = 1000,      /* between two lines on why frames of a neighbour are refused            */
    AGAIN_MS = 60000     /* the same where the words have not changed                             */
};

node_flight *node_flight_of(const node *n, int32_t id)
{
    for (int32_t k = 0; k < n->flights; k++)
        if (n->flight[k].id == id)
            return &n->flight[k];
    return NULL;
}

const char *node_link_text(node_link is)
{
    static const char *const text[NODE_LINKS] = {
        "live",       "connecting",  "never_connected", "unresolved",  "their_key",
        "our_key",    "revoked_key", "other_version",   "other_model", "other_genesis",
        "other_life", "refused",     "silent"};

    return text[is];
}

/* A refusal that lasts until a configuration is changed; NODE_LIVE: it is none. */
static node_link lasting(mb_refusal why)
{
    switch (why) {
    case MB_REFUSED_VERSION:
        return NODE_OTHER_VERSION;
    case MB_REFUSED_PLAN:
        return NODE_OTHER_MODEL;
    case MB_REFUSED_RUN:
        return NODE_OTHER_GENESIS;
    case MB_REFUSED_OWN_ID:
    case MB_REFUSED_STRANGER:
    case MB_REFUSED_VALUE:
        return NODE_REFUSED;
    default:
        return NODE_LIVE;
    }
}

/* A neighbour that connects to this node: it may be the one whose key was refused. */
static void await(const node *n, char *why)
{
    const char *place, *key = wire_stranger_key(n->w, &place);

    snprintf(why, NODE_WHY, "it connects to this node%s%s%s%s",
             key ? "; the newest key that was refused is no neighbour's: " : "", key ? key : "",
             key ? ", from " : "", key ? place : "");
}

/* What is known of the connection. The text is that of a name, and empty else. */
static node_link connection_of(const node *n, const mb_peer_neighbour *is, int64_t now, char *why)
{
    const node_neighbour *who = node_config_find(&n->c, is->id);
    const char           *address = who && who->address ? who->address : "", *name;
    const wire_trouble    what = wire_look(n->w, is->id, now, &name);

    switch (what) {
    case WIRE_NO_NAME:
        snprintf(why, NODE_WHY, "the name in %.200s does not resolve: %.120s", address, name);
        return NODE_UNRESOLVED;
    case WIRE_THEIR_KEY:
        snprintf(why, NODE_WHY,
                 "%.200s did not end the handshake: it has another key than public_key says, or "
                 "is no node",
                 address);
        return NODE_THEIR_KEY;
    case WIRE_OUR_KEY:
        snprintf(why, NODE_WHY, "%.200s does not accept the key of this node", address);
        return NODE_OUR_KEY;
    case WIRE_BARRED:
        snprintf(why, NODE_WHY, "its public_key is revoked");
        return NODE_REVOKED;
    case WIRE_NO_ANSWER:
        snprintf(why, NODE_WHY, "nothing answers at %.200s", address);
        break;
    case WIRE_NO_TROUBLE:
        if (is->id > n->c.id)
            await(n, why);
        break;
    }
    return NODE_NEVER;
}

/* The numbers of lives that it hears do not fit this one, so that its edge is not used. */
static node_link other_life(const node *n, char *why)
{
    snprintf(why, NODE_WHY,
             "it says that it hears another life of node %ld: another node has this id, or the "
             "neighbour is wrong",
             (long)n->c.id);
    return NODE_OTHER_LIFE;
}

static node_link silent_of(int64_t age, char *why)
{
    time_t    since = time(NULL) - (time_t)(age / 1000);
    struct tm utc;
    char      date[40];

    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&since, &utc));
    snprintf(why, NODE_WHY, "silent since %s", date);
    return NODE_SILENT;
}

int node_is_disturbed(const node *n, const mb_peer_neighbour *is)
{
    const node_flight *f = node_flight_of(n, is->id);

    return f && is->live && f->hold.held;
}

/* A live neighbour. */
static node_link live_of(const node *n, const mb_peer_neighbour *is, char *why)
{
    if (node_is_disturbed(n, is))
        snprintf(why, NODE_WHY,
                 "it keeps this node awake, where nothing moves: its frames are taken up to %d ms "
                 "apart",
                 TEMPO_PAUSE_MOST);
    return NODE_LIVE;
}

node_link node_link_of(const node *n, const mb_peer_neighbour *is, int64_t now, char *why)
{
    const node_flight *f = node_flight_of(n, is->id);
    const int64_t      rest = 3 * n->c.rest_ms, recent = rest > RECENT_MS ? rest : RECENT_MS;
    node_link          found;

    *why = 0;
    if (f && f->refusal && now - f->refused_ms < REFUSED_MS) {
        memcpy(why, f->refused, NODE_WHY);
        return is->live ? NODE_LIVE : lasting(f->refusal);
    }
    if (is->live || !f)
        return is->live ? live_of(n, is, why) : NODE_NEVER;
    if (is->age_ms >= 0 && is->age_ms < recent && mb_peer_guarded_at_(n->peer, is->id).twin)
        return other_life(n, why);
    found = connection_of(n, is, now, why);
    if (found != NODE_NEVER || is->age_ms < 0)
        return found;
    if (!f->used && is->age_ms < recent) {
        *why = 0;
        return NODE_CONNECTING;
    }
    return silent_of(is->age_ms, why);
}

static const char *label(const node *n, int32_t id, char *out, size_t room)
{
    const node_neighbour *who = node_config_find(&n->c, id);

    return log_value(who ? who->name : "", out, room);
}

void node_refused(node *n, int64_t now, int32_t from, mb_refusal why, const mb_err *err)
{
    static const char plan[] = "a neighbour has another plan: ";
    node_flight      *f = node_flight_of(n, from);
    const char       *words = err->msg;
    char              name[80];

    if (!f || lasting(why) == NODE_LIVE)
        return;
    if (!strncmp(words, plan, sizeof plan - 1))
        words += sizeof plan - 1;
    f->refusal = why;
    f->refused_ms = now;
    log_value(words, f->refused, sizeof f->refused);
    if (!node_may_say(&n->log, LOG_NEIGHBOUR) ||
        (f->warned_ms &&
         now - f->warned_ms < (strcmp(f->warned, f->refused) != 0 ? SOON_MS : AGAIN_MS)))
        return;
    f->warned_ms = now;
    memcpy(f->warned, f->refused, sizeof f->warned);
    label(n, from, name, sizeof name);
    node_say_at(&n->log, LOG_WARNING, LOG_NEIGHBOUR,
                "node=\"%s\" id=%d frames=refused cause=%s reason=\"neighbour %d (%s): %s\"", name,
                (int)from, mb_refusal_text(why), (int)from, name, f->refused);
}

void node_tell_link(node *n, node_flight *f, const mb_peer_neighbour *is, int64_t now)
{
    char            why[NODE_WHY], name[80], quoted[NODE_WHY];
    const node_link found = node_link_of(n, is, now, why);
    const int       wakes = node_is_disturbed(n, is);

    if (is->live)
        f->used = 1;
    if (!n->tempo.disturbed)
        f->wakes = 0;
    if ((found == f->logged && (!wakes || f->wakes)) || found == NODE_CONNECTING ||
        (found == NODE_NEVER && now - f->since < PATIENCE_MS) ||
        !node_may_say(&n->log, LOG_NEIGHBOUR)) /* later */
        return;
    f->logged = found;
    f->wakes |= wakes;
    node_say_at(&n->log, is->live && !wakes ? LOG_INFO : LOG_WARNING, LOG_NEIGHBOUR,
                "node=\"%s\" id=%d live=%s state=%s%s%s%s", label(n, is->id, name, sizeof name),
                (int)is->id, is->live ? "yes" : "no", node_link_text(found),
                *why ? " reason=\"" : "", log_value(why, quoted, sizeof quoted), *why ? "\"" : "");
}
