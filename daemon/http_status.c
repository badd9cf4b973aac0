/* http_status.c - what a node says of itself: page, status object, curves, posterior. */
#define _XOPEN_SOURCE 700
#include "http_inside.h"

#include "algo/nodes.h"
#include "base/promise.h"
#include "mesh/file_status.h"
#include "mesh/genesis.h"
#include "posterior/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *http_name(const void *self, int32_t id)
{
    const node           *n = ((const http *)self)->n;
    const node_neighbour *one = node_config_find(&n->c, id);
    const int32_t         k = mb_declared_find(n->given.declared, id);

    if (id == n->c.id || one)
        return one ? one->name : n->c.name;
    return k < 0 ? NULL : n->given.declared->member[k].name;
}

mb_status http_end(http_request *r, mb_json_out *j)
{
    char *text = NULL;

    MB_TRY(mb_json_end(j, &text, &r->len));
    r->text = text;
    return MB_OK;
}

mb_status http_page(http_request *r, mb_err *err)
{
    (void)err;
    r->type = "text/html; charset=utf-8";
    r->text = (const char *)http_page_bytes;
    r->len = http_page_size;
    return MB_OK;
}

static void put_refused(const http *h, mb_json_out *j)
{
    mb_json_object(j, "connections_refused");
    for (int k = 0; k < WIRE_REFUSALS; k++)
        if (wire_refused(h->n->w, (wire_refusal)k))
            mb_json_integer(j, wire_refusal_text((wire_refusal)k),
                            wire_refused(h->n->w, (wire_refusal)k));
    mb_json_close(j);
    mb_json_object(j, "requests_refused");
    for (int k = 0; k < HTTP_REFUSALS; k++)
        if (h->refused[k])
            mb_json_integer(j, http_refusal_text((http_refusal)k), h->refused[k]);
    mb_json_close(j);
}

/* What the process knows and the state machine does not. */
static void put_host(const http *h, const mb_peer_status *status, mb_json_out *j)
{
    const node *n = h->n;
    char        trouble[sizeof n->trouble] = "";
    int64_t     written;

    mb_json_object(j, "host");
    mb_json_text(j, "version", MB_VERSION);
    mb_json_number(j, "uptime_s", 1e-3 * (double)(h->now - h->began));
    mb_json_integer(j, "rounds", status->rounds);
    put_refused(h, j);
    if (n->d) {
        written = disk_state(n->d, trouble, sizeof trouble);
        mb_json_object(j, "checkpoint");
        mb_json_integer(j, "written", written);
        mb_json_text(j, "trouble", *trouble ? trouble : NULL);
        mb_json_close(j);
    } else {
        mb_json_null(j, "checkpoint");
    }
    mb_json_object(j, "data");
    mb_json_text(j, "file", n->c.data);
    mb_json_integer(j, "rows", n->f.rows);
    mb_json_integer(j, "posted", h->rows);
    mb_json_integer(j, "refused", n->f.refused);
    mb_json_text(j, "refused_newest", *n->f.why ? n->f.why : NULL);
    mb_json_close(j);
    mb_json_close(j);
}

/* What is the matter with a neighbour. */
static void put_link(const void *self, const mb_peer_neighbour *is, mb_json_out *j)
{
    const http     *h = self;
    char            why[NODE_WHY];
    const node_link what = node_link_of(h->n, is, h->now, why);
    const int32_t   key = wire_key_in_use(h->n->w, is->id);

    mb_json_text(j, "state", node_link_text(what));
    mb_json_text(j, "reason", *why ? why : NULL);
    mb_json_text(j, "key", key < 0 ? NULL : node_key_field(key));
}

mb_status http_status(http_request *r, mb_err *err)
{
    mb_peer_status status;
    mb_json_out    j;

    mb_peer_look(r->h->n->peer, r->h->now, &status);
    mb_json_begin(&j, r->a, err);
    mb_json_object(&j, NULL);
    put_host(r->h, &status, &j);
    mb_peer_status_json(r->h->n->peer, r->h->now, http_name, put_link, r->h, &j);
    return http_end(r, &j);
}

void http_sample_now(http *h)
{
    mb_peer_status status;

    mb_peer_look(h->n->peer, h->now, &status);
    h->newest = h->samples ? (h->newest + 1) % HTTP_SAMPLES : 0;
    h->samples += h->samples < HTTP_SAMPLES;
    h->sample[h->newest] = (http_sample){.ms = h->now,
                                         .disagreement = status.disagreement,
                                         .bound = status.bound,
                                         .n_nodes = status.n_nodes};
}

/* A member of the points after `since`, the oldest first. place: of the member in a point. */
static void put_points(const http *h, mb_json_out *j, const char *key, int64_t since, size_t place)
{
    mb_json_list(j, key);
    for (int32_t k = h->samples - 1; k >= 0; k--) {
        const http_sample *s = &h->sample[(h->newest + HTTP_SAMPLES - k) % HTTP_SAMPLES];
        double             x;

        memcpy(&x, (const char *)s + place, sizeof x);
        if (s->ms > since && place)
            mb_json_number(j, NULL, x);
        else if (s->ms > since)
            mb_json_integer(j, NULL, s->ms);
    }
    mb_json_close(j);
}

mb_status http_curves(http_request *r, mb_err *err)
{
    const char *wanted = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "since");
    const int64_t since = wanted ? strtoll(wanted, NULL, 10) : INT64_MIN;
    mb_json_out   j;

    mb_json_begin(&j, r->a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, "now", r->h->now);
    put_points(r->h, &j, "time", since, 0);
    put_points(r->h, &j, "disagreement", since, offsetof(http_sample, disagreement));
    put_points(r->h, &j, "bound", since, offsetof(http_sample, bound));
    put_points(r->h, &j, "n_nodes", since, offsetof(http_sample, n_nodes));
    mb_json_close(&j);
    return http_end(r, &j);
}

/* What the posterior says of noise in it, where there is some. */
static mb_status privacy_of(const node *n, mb_arena *a, mb_provenance *from, mb_err *err)
{
    const mb_plan *plan = &n->c.plan;
    const int64_t *total = mb_peer_released_(n->peer);
    mb_posterior   p;
    mb_privacy     made;
    int32_t        raised;

    if (!plan->privacy || !total)
        return MB_OK;
    MB_TRY(mb_plan_privacy_(plan, &made, err));
    MB_TRY(mb_release_posterior_(a, plan, n->given.declared->rows, total, &p, &raised, err));
    MB_TRY(promise_json(a, &made, plan->bounds, "on", 0, raised, &from->more, err));
    from->nmore = 1;
    from->data_hash = 0;
    from->data_rows = llrint(n->given.declared->rows);
    from->bound = (double)NAN;
    return MB_OK;
}

mb_status http_posterior(http_request *r, mb_err *err)
{
    const node    *n = r->h->n;
    mb_posterior   p;
    mb_peer_status status;
    mb_provenance  from;
    mb_json_out    j;
    mb_status      st = mb_peer_posterior(r->a, n->peer, &p, err);

    if (st == MB_E_PEER || st == MB_E_DOMAIN)
        r->code = MHD_HTTP_SERVICE_UNAVAILABLE;
    MB_TRY(st);
    p.design = n->c.design;
    mb_peer_look(n->peer, r->h->now, &status);
    from = (mb_provenance){.algorithm = mb_node_algo_(&n->c.plan)->name,
                           .of = n->c.name,
                           .rounds = status.rounds,
                           .seed = (int64_t)n->c.plan.seed,
                           .data = n->c.data ? n->c.data : "",
                           .data_hash = n->f.data,
                           .data_rows = status.rows,
                           .verdict = mb_peer_verdict_text(status.verdict),
                           .bound = status.bound};
    MB_TRY(privacy_of(n, r->a, &from, err));
    mb_json_begin(&j, r->a, err);
    MB_TRY(mb_posterior_json(r->a, &p, &from, &j, err));
    return http_end(r, &j);
}
