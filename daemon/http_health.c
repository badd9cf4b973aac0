/* http_health.c - for supervisors: whether the process works, and whether it has its answer. */
#define _XOPEN_SOURCE 700
#include "http_inside.h"
#include "mesh/genesis.h"

#include <math.h>
#include <stdio.h>

enum { REASON = NODE_WHY + 120, NEIGHBOURS = 5 /* that reasons name */ };

/* "neighbour 7 (kiel)" */
static void put_name(const http *h, int32_t id, char *out, size_t room)
{
    const char *name = http_name(h, id);

    snprintf(out, room, "neighbour %d%s%.64s%s", (int)id, name ? " (" : "", name ? name : "",
             name ? ")" : "");
}

/* Why none of the links is in use, of the first ones. */
static void put_links(const http *h, const mb_peer_status *is, mb_json_out *j)
{
    mb_json_text(j, NULL, "no live link");
    for (int32_t k = 0; k < is->neighbours && k < NEIGHBOURS; k++) {
        mb_peer_neighbour one;
        char              name[100], why[NODE_WHY], text[REASON];
        node_link         what;

        mb_peer_look_at(h->n->peer, h->now, k, &one);
        what = node_link_of(h->n, &one, h->now, why);
        put_name(h, one.id, name, sizeof name);
        snprintf(text, sizeof text, "%s: %s", name, *why ? why : node_link_text(what));
        mb_json_text(j, NULL, text);
    }
}

/* A neighbour that keeps the node from settling; "": it does not. */
static void put_mover(const http *h, const mb_peer_status *is, const mb_peer_neighbour *one,
                      char *text, size_t room)
{
    char name[100];

    put_name(h, one->id, name, sizeof name);
    *text = 0;
    if (!one->live)
        return;
    if (one->leader != is->leader)
        snprintf(text, room, "moving: %s has leader %d, this node %d", name, (int)one->leader,
                 (int)is->leader);
    else if (!one->agrees)
        snprintf(text, room, "moving: %s counts %.9g nodes, this node %.9g", name, one->n_nodes,
                 is->n_nodes);
    else if (node_is_disturbed(h->n, one))
        snprintf(text, room, "moving: %s keeps this node awake, where nothing moves", name);
}

/* Members that masked sums wait for, with the names of neighbours; how many are named. */
static int32_t put_missing(const http *h, mb_json_out *j)
{
    mb_peer_masking is;
    int32_t         named = 0;

    mb_peer_masking_of(h->n->peer, &is);
    for (int32_t k = 0; (is.root || is.partners) && k < is.members && named < NEIGHBOURS; k++) {
        const int32_t id = h->n->given.declared->member[k].id;
        char          text[REASON], who[MB_WHO_];
        int64_t       since;

        if (mb_peer_taking(h->n->peer, k, &since) != MB_MISSING)
            continue;
        snprintf(text, sizeof text, "moving: %s is missing since %02d:%02d UTC",
                 mb_declared_who_(h->n->given.declared, id, "member", who),
                 (int)(since / 3600000 % 24), (int)(since / 60000 % 60));
        mb_json_text(j, NULL, text);
        named++;
    }
    return named;
}

/* What keeps the node from settling, as far as it is known. */
static void put_moving(const http *h, const mb_peer_status *is, mb_json_out *j)
{
    int32_t named = put_missing(h, j);
    char    text[REASON];

    for (int32_t k = 0; k < is->neighbours && named < NEIGHBOURS; k++) {
        mb_peer_neighbour one;

        mb_peer_look_at(h->n->peer, h->now, k, &one);
        put_mover(h, is, &one, text, sizeof text);
        if (!*text)
            continue;
        mb_json_text(j, NULL, text);
        named++;
    }
    if (named)
        return;
    if (*is->message)
        snprintf(text, sizeof text, "moving: it %s", is->message);
    else if (isfinite(is->disagreement))
        snprintf(text, sizeof text, "moving: N is %.9g, the disagreement %.3g", is->n_nodes,
                 is->disagreement);
    else
        snprintf(text, sizeof text, "moving");
    mb_json_text(j, NULL, text);
}

static void put_few(const http *h, const mb_peer_status *is, mb_json_out *j)
{
    char text[REASON];

    snprintf(text, sizeof text, "%.9g of at least %d nodes (min_nodes)", is->n_nodes,
             (int)h->n->c.min_nodes);
    mb_json_text(j, NULL, text);
}

/* {"KEY": true, "reasons": []}, or 503 with what is the matter. */
static mb_status say(http_request *r, const char *key, int is, mb_json_out *j)
{
    mb_json_close(j);
    mb_json_bool(j, key, is);
    mb_json_close(j);
    if (!is)
        r->code = MHD_HTTP_SERVICE_UNAVAILABLE;
    return http_end(r, j);
}

static void begin(http_request *r, mb_peer_status *is, mb_json_out *j, mb_err *err)
{
    char text[REASON];

    mb_peer_look(r->h->n->peer, r->h->now, is);
    mb_json_begin(j, r->a, err);
    mb_json_object(j, NULL);
    mb_json_list(j, "reasons");
    if (is->verdict != MB_PEER_FAILED)
        return;
    snprintf(text, sizeof text, "failed: %.*s", NODE_WHY, is->message);
    mb_json_text(j, NULL, text);
}

/* The thread of the node answers: if there is an answer, its loop runs. */
mb_status http_health(http_request *r, mb_err *err)
{
    mb_peer_status is;
    mb_json_out    j;

    begin(r, &is, &j, err);
    return say(r, "healthy", is.verdict != MB_PEER_FAILED, &j);
}

mb_status http_ready(http_request *r, mb_err *err)
{
    mb_peer_status is;
    mb_json_out    j;
    int            linked, ready;

    begin(r, &is, &j, err);
    linked = is.live || !is.neighbours;
    ready = is.run && linked && is.still;
    if (is.verdict != MB_PEER_FAILED) {
        if (!is.run) {
            mb_json_text(&j, NULL, "no genesis yet");
            (void)put_missing(r->h, &j);
        }
        if (!linked)
            put_links(r->h, &is, &j);
        if (is.n_nodes < r->h->n->c.min_nodes - 0.5)
            put_few(r->h, &is, &j);
        else if (is.run && !is.still)
            put_moving(r->h, &is, &j);
    }
    return say(r, "ready", ready, &j);
}
