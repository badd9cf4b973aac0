/* members.c - what the members that a genesis lists mean for this node: whose key is whose, which links
 * there are, and what audits found. */
#include "mesh/frame.h"
#include "node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A key of the configuration is that of the list, if both are there. */
static int same_key(const char *a, const char *b)
{
    return !a || !b || !strcmp(a, b);
}

/* One of the keys of a neighbour is that of the list: while a key is changed there are two. */
static int is_key(const node_neighbour *n, const char *key)
{
    int32_t given = 0;

    for (int32_t k = 0; k < NODE_KEYS; k++) {
        given += n->key[k] != NULL;
        if (n->key[k] && same_key(key, n->key[k]))
            return 1;
    }
    return !given;
}

static int is_linked(const mb_declared *d, int32_t from, int32_t to)
{
    const int32_t a = mb_declared_find(d, from), b = mb_declared_find(d, to);

    for (int64_t e = a < 0 ? 0 : d->links.ptr[a]; a >= 0 && e < d->links.ptr[a + 1]; e++)
        if (d->links.adj[e] == b)
            return 1;
    return 0;
}

static mb_status check_self(const node_config *c, const node_keys *keys, const mb_member *me,
                            mb_err *err)
{
    if (!c->insecure && !same_key(me->key, keys->public_key))
        MB_FAIL(err, MB_E_FORMAT, "%s: the public key of this node is not that of member %ld in %s",
                c->file, (long)c->id, c->genesis);
    if (me->signing_key && *keys->sign.public_key && !sign_is(&keys->sign, me->signing_key))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: signing_public_key is not the signing_key of member %ld in %s", c->key,
                (long)c->id, c->genesis);
    return MB_OK;
}

mb_status node_members_fit(const node_config *c, const node_keys *keys, const mb_genesis *now,
                           const mb_genesis *begun, mb_err *err)
{
    const mb_declared *d = now->declared;
    const int          lists = begun->declared && begun->declared->members;
    const int32_t      me = mb_declared_find(d, c->id);

    if (!d || !d->members)
        return MB_OK;
    if (me < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: id %ld is no member in %s", c->file, (long)c->id,
                c->genesis);
    MB_TRY(check_self(c, keys, &d->member[me], err));
    for (int32_t k = 0; k < c->neighbours; k++) {
        const node_neighbour *n = &c->neighbour[k];
        const int32_t         at = mb_declared_find(d, n->id);

        if (at < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s: neighbour %ld (%.60s) is no member in %s", c->file,
                    (long)n->id, n->name, c->genesis);
        if (!is_key(n, d->member[at].key))
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: neighbour %ld (%.60s): public_key is not that of member %ld in %s",
                    c->file, (long)n->id, n->name, (long)n->id, c->genesis);
        if (lists && !is_linked(begun->declared, c->id, n->id))
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: neighbour %ld (%.60s): %s lists no link between members %ld and %ld%s",
                    c->file, (long)n->id, n->name, c->genesis, (long)c->id, (long)n->id,
                    now == begun ? "" : ", as it was when this node began");
    }
    return MB_OK;
}

void node_log_audit(node *n)
{
    const mb_declared *d = n->given.declared;
    char               quoted[400];

    for (int32_t k = 0; n->broken && k < d->members; k++) {
        int32_t     broken;
        const char *why = mb_peer_audit_of(n->peer, k, &broken);

        if (broken == n->broken[k] || !node_may_say(&n->log, LOG_AUDIT))
            continue;
        n->broken[k] = broken;
        node_say_at(&n->log, broken ? LOG_WARNING : LOG_INFO, LOG_AUDIT,
                    "member=%ld broken=%s%s%s%s", (long)d->member[k].id, broken ? "yes" : "no",
                    broken ? " reason=\"" : "", broken ? log_value(why, quoted, sizeof quoted) : "",
                    broken ? "\"" : "");
    }
}

static void record_drawn(void *self, const void *bytes, size_t n)
{
    node_record(self, (mb_called){.call = MB_CALL_RANDOM, .id = -1, .bytes = bytes, .n = n});
}

mb_status node_mask_begin(node *n, mb_err *err)
{
    const mb_declared *d = n->given.declared;
    const mb_member   *me = &d->member[mb_declared_find(d, n->c.id)];
    const mb_data     *all = n->f.all;
    const uint64_t     run = n->given.kind ? n->given.hash : mb_plan_hash_(&n->c.plan);
    double             rows = 0;

    for (int64_t i = 0; all && i < all->n; i++)
        rows += all->w ? all->w[i] : 1;
    if (!d->rows_batch && fabs(rows - me->rows) > 1e-9 * me->rows)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: got %.15g rows; expected %.15g, as %s declares of member %ld: with masks they "
                "are fixed",
                n->c.data ? n->c.data : n->c.file, rows, me->rows, n->c.genesis, (long)me->id);
    MB_NEW(n->taking, n->a, d->members, err);
    MB_TRY(mask_open(n->a, &n->keys, n->c.id, d, run, &n->mask, err));
    n->mask.drew = record_drawn;
    n->mask.self = n;
    return MB_OK;
}

/* A member that has just begun, or whose neighbour has, is not called missing. */
enum { MISSING_MS = 3000 };

/* Rows that have entered the sums. */
static void log_batch(node *n, const mb_peer_masking *is)
{
    mb_peer_status now;

    if (is->taken == n->batch_logged)
        return;
    n->batch_logged = is->taken;
    mb_peer_look(n->peer, 0, &now);
    node_say(&n->log, LOG_ROWS, "sums=%lld waiting=%lld epoch=%llu", (long long)now.rows,
             (long long)is->waiting, (unsigned long long)is->taken);
}

void node_log_masks(node *n, int64_t now)
{
    static const char *const text[] = {"there", "missing", "left_out"};
    mb_peer_masking          is;

    mb_peer_masking_of(n->peer, &is);
    log_batch(n, &is);
    for (int32_t k = 0; (is.root || is.partners) && k < is.members; k++) {
        int64_t          since;
        const mb_taking  what = mb_peer_taking(n->peer, k, &since);
        const mb_member *m = &n->given.declared->member[k];
        char             name[80];

        if (what == n->taking[k] || (what == MB_MISSING && now - since < MISSING_MS) ||
            !node_may_say(&n->log, LOG_MASK))
            continue;
        n->taking[k] = what;
        node_say_at(
            &n->log, what == MB_TAKES_PART ? LOG_INFO : LOG_WARNING, LOG_MASK,
            "node=\"%s\" member=%ld sums=%s%s",
            log_value(m->name ? m->name : "", name, sizeof name), (long)m->id, text[what],
            what == MB_LEFT_OUT
                ? " reason=\"every member can now compute its rows, sums and second moments\""
                : "");
    }
}
