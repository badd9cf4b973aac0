/* node.c - a node from its configuration: up to its first tick, and its end. */
#include "node.h"

#include "http.h"

static void take_rows(void *self, int64_t now, const mb_rows *rows)
{
    node_record(self, (mb_called){.call = MB_CALL_APPEND, .now = now, .id = -1, .rows = rows});
}

/* The genesis file; of a recorded node without what it declares, which a record has with masks alone. */
static mb_genesis given_of(const node *n)
{
    mb_genesis given = n->given;

    if (n->c.record && !n->c.plan.mask)
        given.declared = NULL;
    return given;
}

/* For frames, and for what is remembered of each neighbour. */
static mb_status make_room(node *n, mb_err *err)
{
    n->room = mb_peer_frame_max(n->peer);
    n->flights = n->c.neighbours_max;
    MB_NEW(n->frame, n->a, n->room, err);
    MB_NEW(n->flight, n->a, n->flights, err);
    MB_NEW(n->shut, n->a, n->flights, err);
    for (int32_t k = 0; k < n->flights; k++)
        n->flight[k].id = -1;
    return MB_OK;
}

static mb_status make_peer(node *n, mb_err *err)
{
    const node_config *c = &n->c;
    const mb_genesis   given = given_of(n);
    const mb_peer_opt  opt = {.id = c->id,
                              .name = c->name,
                              .incarnation = n->incarnation,
                              .plan = &c->plan,
                              .neighbours = c->neighbours_max,
                              .rows = c->window_rows ? c->window_rows : c->rows_max,
                              .window_rows = c->window_rows,
                              .window_ms = c->window_ms,
                              .tick_ms = c->tick_ms,
                              .rest_ms = c->rest_ms,
                              .kappa = c->kappa,
                              .eta = c->eta,
                              .tol = c->tol,
                              .wire = (mb_wire)c->wire,
                              .min_nodes = c->min_nodes,
                              .declared = given.declared,
                              .signer = c->record ? NULL : sign_with(&n->keys.sign, &n->sign),
                              .drop_broken = c->drop_broken,
                              .masks = c->plan.mask ? &n->mask.by : NULL,
                              .release = n->release};

    if (c->plan.mask)
        MB_TRY(node_mask_begin(n, err));
    MB_TRY(mb_peer_new(n->a, &opt, &n->peer, err));
    MB_TRY(node_record_open(n, &opt, err));
    if (n->given.kind) {
        MB_TRY(mb_peer_genesis(n->peer, &given, err));
        node_record(n, (mb_called){.call = MB_CALL_GENESIS, .id = -1, .genesis = &n->given});
    }
    node_set_tempo(n, c);
    if (opt.declared && opt.declared->members)
        MB_NEW(n->broken, n->a, opt.declared->members, err);
    return make_room(n, err);
}

static void tell_unsaved(node *n, const mb_err *why)
{
    char quoted[400];

    node_say_at(&n->log, LOG_WARNING, LOG_CHECKPOINT, "incarnation=unsaved reason=\"%s\"",
                log_value(why->msg, quoted, sizeof quoted));
}

/* The number of this life; a folder that cannot be written is said, and the clock counts. */
static mb_status begin_life(node *n, mb_err *err)
{
    mb_err    why = {.msg = ""};
    mb_status st = disk_incarnation(n->c.state, &n->incarnation, &why);

    if (st == MB_E_NOMEM)
        MB_FAIL(err, st, "%s", why.msg);
    if (st < 0)
        tell_unsaved(n, &why);
    return MB_OK;
}

void node_take_life(node *n, uint32_t incarnation)
{
    mb_err why = {.msg = ""};

    node_say_at(&n->log, LOG_WARNING, LOG_START,
                "incarnation=%u reason=\"neighbours know life %u of this node, which had a later "
                "clock than life %u: it counts on from there\"",
                (unsigned)incarnation, (unsigned)incarnation - 1, (unsigned)n->incarnation);
    n->incarnation = incarnation;
    if (disk_count_from(n->c.state, incarnation, &why) < 0)
        tell_unsaved(n, &why);
}

static mb_status open_wire(node *n, mb_err *err)
{
    const wire_opt opt = {.id = n->c.id,
                          .listen = n->c.listen,
                          .keys = n->c.insecure ? NULL : &n->keys,
                          .most = n->room,
                          .neighbours_max = n->c.neighbours_max,
                          .revoked = n->c.revoked,
                          .revocations = n->c.revocations};

    return wire_open(&opt, &n->w, err);
}

static mb_status open_state(node *n, mb_err *err)
{
    MB_TRY(disk_open(n->c.state, mb_peer_saved(n->peer), &n->d, err));
    return posted_open(n->c.state, n->c.plan.columns, n->c.weight_column != NULL, &n->f.posted,
                       err);
}

/* The files. */
static mb_status read_all(mb_arena *a, const char *config, node *n, mb_err *err)
{
    *n = (node){.a = a, .f = {.tail = {.fd = -1}}};
    n->zero_ms = node_clock_zero();
    MB_TRY(node_config_read(a, config, &n->c, &n->given, err));
    n->log.level = n->c.log_level;
    n->log.json = n->c.log_json;
    if (!n->c.insecure) {
        MB_TRY(node_keys_read(a, n->c.key, &n->keys, err));
        MB_TRY(node_keys_fit(&n->keys, &n->c, err));
    }
    MB_TRY(node_members_fit(&n->c, &n->keys, &n->given, &n->given, err));
    if (n->c.status)
        MB_TRY(http_check(a, &n->c, err));
    MB_TRY(feed_open(a, &n->c, &n->log, &n->f, err));
    n->f.took = take_rows;
    n->f.self = n;
    return MB_OK;
}

mb_status node_try(mb_arena *a, const char *config, node *n, mb_err *err)
{
    MB_TRY(read_all(a, config, n, err));
    if (n->c.record) /* as node_open: a recording has no keys */
        n->keys.sign = (sign_keys){.public_key = ""};
    n->c.record = NULL;
    n->incarnation = 1;
    MB_TRY(node_bounds_read(a, &n->c, err));
    if (n->c.plan.privacy)
        MB_TRY(node_release_room(n, err));
    MB_TRY(make_peer(n, err));
    return n->f.all || n->c.follow ? feed_begin(&n->f, n->peer, node_now(n), err) : MB_OK;
}

static void tell_release(node *n)
{
    const mb_promise *p = n->c.plan.privacy;

    if (p && n->cost[1] > 0)
        node_say(&n->log, LOG_MASK, "release=booked epsilon=%g delta=%g spent=%.4g budget=%.4g",
                 p->epsilon, p->delta, n->cost[0], n->cost[1]);
    else if (p)
        node_say(&n->log, LOG_MASK, "release=remembered epsilon=%g delta=%g", p->epsilon, p->delta);
}

mb_status node_open(mb_arena *a, const char *config, node *n, mb_err *err)
{
    char name[80];

    MB_TRY(read_all(a, config, n, err));
    MB_TRY(begin_life(n, err));
    MB_TRY(node_bounds_read(a, &n->c, err));
    if (n->c.plan.privacy)
        MB_TRY(node_release_room(n, err));
    MB_TRY(make_peer(n, err));
    if (n->c.state)
        MB_TRY(open_state(n, err));
    MB_TRY(node_recall(n, err));
    MB_TRY(node_signals(err)); /* before anyone sees that the node is there */
    MB_TRY(open_wire(n, err));
    MB_TRY(node_links(n, err));
    if (n->c.status)
        MB_TRY(http_open(n, node_now(n), &n->http, err));
    MB_TRY(feed_begin(&n->f, n->peer, node_now(n), err));
    MB_TRY(node_recall_posted(n, err));
    if (n->c.plan.privacy)
        MB_TRY(node_release(n, err));
    node_say(&n->log, LOG_START, "node=\"%s\" id=%d incarnation=%u listen=%s resumed=%s rows=%lld",
             log_value(n->c.name, name, sizeof name), (int)n->c.id, (unsigned)n->incarnation,
             n->c.listen, n->resumed ? "yes" : "no", (long long)n->f.rows);
    if (n->c.plan.mask)
        node_say(&n->log, LOG_MASK, "sums=masked members=%d", (int)n->given.declared->members);
    tell_release(n);
    return MB_OK;
}

void node_close(node *n)
{
    http_close(n->http);
    node_record_close(n);
    wire_close(n->w);
    disk_close(n->d);
    posted_close(n->f.posted);
    feed_close(&n->f);
    mask_close(&n->mask);
    mb_arena_free(n->reloaded);
}
