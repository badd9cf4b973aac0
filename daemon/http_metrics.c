/* http_metrics.c - /metrics: the text format of Prometheus, version 0.0.4. */
#define _XOPEN_SOURCE 700
#include "http_inside.h"

#include "mesh/guarded.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512, LABEL = 256 };

/* A text that grows in an arena; the first failure is stored. */
typedef struct sheet {
    mb_arena *a;
    char     *bytes;
    size_t    n, room;
    mb_status status;
    mb_err   *err;
} sheet;

static void put(sheet *s, const char *fmt, ...) MB_PRINTF(2, 3);
static void put(sheet *s, const char *fmt, ...)
{
    va_list ap;
    int     n;

    if (s->status >= 0 && s->room - s->n < LINE) {
        char *more = mb_alloc(s->a, 2 * s->room + 4 * LINE, 1);

        if (more && s->n)
            memcpy(more, s->bytes, s->n);
        if (!more)
            s->status = mb_fail_(s->err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory");
        s->bytes = more;
        s->room = 2 * s->room + 4 * LINE;
    }
    if (s->status < 0)
        return;
    va_start(ap, fmt);
    n = vsnprintf(s->bytes + s->n, s->room - s->n, fmt, ap);
    va_end(ap);
    if (n > 0 && n < LINE)
        s->n += (size_t)n;
}

static void head(sheet *s, const char *name, const char *type, const char *help)
{
    put(s, "# HELP meshbayes_node_%s %s\n", name, help);
    put(s, "# TYPE meshbayes_node_%s %s\n", name, type);
}

/* A number that is not known is left out. */
static void sample(sheet *s, const char *name, const char *label, const char *of, double x)
{
    char   quoted[LABEL];
    size_t n = 0;

    if (!isfinite(x))
        return;
    for (; *of && n + 3 < sizeof quoted; of++) {
        if (*of == '\\' || *of == '"' || *of == '\n')
            quoted[n++] = '\\';
        quoted[n++] = *of == '\n' ? 'n' : *of;
    }
    quoted[n] = 0;
    if (label)
        put(s, "meshbayes_node_%s{%s=\"%s\"} %.17g\n", name, label, quoted, x);
    else
        put(s, "meshbayes_node_%s %.17g\n", name, x);
}

static void gauge(sheet *s, const char *name, const char *help, double x)
{
    head(s, name, "gauge", help);
    sample(s, name, NULL, "", x);
}

static void counter(sheet *s, const char *name, const char *help, int64_t x)
{
    head(s, name, "counter", help);
    sample(s, name, NULL, "", (double)x);
}

static void put_state(sheet *s, const http *h, const mb_peer_status *is)
{
    head(s, "info", "gauge", "Always 1; version of the program.");
    sample(s, "info", "version", MB_VERSION, 1);
    head(s, "verdict", "gauge", "1 at what the node says of its run.");
    for (int v = MB_PEER_MOVING; v <= MB_PEER_FAILED; v++)
        sample(s, "verdict", "verdict", mb_peer_verdict_text((mb_peer_verdict)v),
               (int)is->verdict == v);
    gauge(s, "uptime_seconds", "Since the process began.", 1e-3 * (double)(h->now - h->began));
    gauge(s, "incarnation", "Number of this life.", is->incarnation);
    counter(s, "ticks_total", "Own ticks in all lives that checkpoints remember.", is->tick);
    counter(s, "rounds_total", "VB steps.", is->rounds);
    counter(s, "frozen_steps_total", "Steps held because phi was outside its domain.", is->frozen);
    counter(s, "clipped_total", "Numbers in frames that were taken as the nearest that can be.",
            mb_peer_guarded_(h->n->peer).clipped);
    counter(s, "returned_total", "Times that it went back to where it settled, or began.",
            mb_peer_guarded_(h->n->peer).returned);
    gauge(s, "nodes", "N, nodes of the network as it is known.", is->n_nodes);
    gauge(s, "hops", "H, the largest distance in hops as it is known.", is->hops);
    gauge(s, "bound_nats", "Lower bound over all rows, data units.", is->bound);
    gauge(s, "disagreement", "Distance from its target, posterior standard deviations.",
          is->disagreement);
    gauge(s, "rows", "Rows that the node has.", (double)is->rows);
    gauge(s, "neighbours", "Neighbours of the configuration.", is->neighbours);
    gauge(s, "neighbours_live", "Neighbours heard lately that hear this node.", is->live);
}

static void put_traffic(sheet *s, const http *h, const mb_peer_status *is)
{
    counter(s, "sent_bytes_total", "Bytes of frames sent.", is->bytes_sent);
    counter(s, "sent_frames_total", "Frames sent.", is->frames_sent);
    counter(s, "heard_frames_total", "Frames that were taken.", is->frames_received);
    head(s, "refused_frames_total", "counter", "Frames that were refused, by cause.");
    for (int k = MB_REFUSED_NONE + 1; k < MB_REFUSALS; k++)
        sample(s, "refused_frames_total", "cause", mb_refusal_text((mb_refusal)k),
               (double)is->refused[k]);
    head(s, "refused_connections_total", "counter", "Connections of nodes refused, by cause.");
    for (int k = 0; k < WIRE_REFUSALS; k++)
        sample(s, "refused_connections_total", "cause", wire_refusal_text((wire_refusal)k),
               (double)wire_refused(h->n->w, (wire_refusal)k));
    head(s, "refused_requests_total", "counter", "Requests to the status refused, by cause.");
    for (int k = 0; k < HTTP_REFUSALS; k++)
        sample(s, "refused_requests_total", "cause", http_refusal_text((http_refusal)k),
               (double)h->refused[k]);
}

static void put_audit(sheet *s, const http *h)
{
    mb_audit is;

    mb_peer_audit(h->n->peer, &is);
    gauge(s, "audit_on", "1: members audit each other.", is.state == MB_AUDIT_ON);
    gauge(s, "audit_broken_members", "Members that failed two audits in turn.", is.broken);
    counter(s, "audits_total", "Audits in which this node has judged.", is.rounds);
    counter(s, "refused_statements_total", "Statements with a wrong signature, or that cannot be.",
            is.refused);
}

/* A number of a neighbour; NaN: not known. */
static double number_of(const http *h, const mb_peer_neighbour *is, int what)
{
    const mb_peer_guarded guarded = mb_peer_guarded_at_(h->n->peer, is->id);
    const double          age = is->age_ms < 0 ? (double)NAN : 1e-3 * (double)is->age_ms;
    const double          of[] = {is->live,
                                  age,
                                  1e-3 * is->rtt_ms,
                                  is->loss,
                                  (double)is->bytes,
                                  (double)guarded.refused,
                                  (double)guarded.clipped};

    return of[what];
}

static void put_neighbours(sheet *s, const http *h, const mb_peer_status *is)
{
    static const char *const text[][3] = {
        {"neighbour_live", "gauge", "1: heard lately, and hears this node."},
        {"neighbour_age_seconds", "gauge", "Since it was heard."},
        {"neighbour_rtt_seconds", "gauge", "From a frame to its echo, running mean."},
        {"neighbour_loss_ratio", "gauge", "Share of the frames it sent that did not arrive."},
        {"neighbour_sent_bytes_total", "counter", "Bytes sent to it."},
        {"neighbour_refused_frames_total", "counter", "Its frames that were refused."},
        {"neighbour_clipped_total", "counter",
         "Numbers in its frames that were taken as the nearest that can be."}};

    for (int what = 0; what < (int)(sizeof text / sizeof *text); what++) {
        head(s, text[what][0], text[what][1], text[what][2]);
        for (int32_t k = 0; k < is->neighbours; k++) {
            mb_peer_neighbour one;
            const char       *name;
            char              number[16];

            mb_peer_look_at(h->n->peer, h->now, k, &one);
            name = http_name(h, one.id);
            snprintf(number, sizeof number, "%d", (int)one.id);
            sample(s, text[what][0], "neighbour", name ? name : number, number_of(h, &one, what));
        }
    }
}

static void put_host(sheet *s, const http *h)
{
    char trouble[sizeof h->n->trouble] = "";

    counter(s, "data_rows_total", "Rows taken from the data.", h->n->f.rows);
    counter(s, "refused_rows_total", "Lines of the data that are no rows.", h->n->f.refused);
    counter(s, "posted_rows_total", "Rows taken from POST /rows.", h->rows);
    if (!h->n->d)
        return;
    counter(s, "checkpoints_written_total", "Checkpoints written.",
            disk_state(h->n->d, trouble, sizeof trouble));
    gauge(s, "checkpoint_trouble", "1: the newest checkpoint could not be written.", *trouble != 0);
}

mb_status http_metrics(http_request *r, mb_err *err)
{
    sheet          s = {.a = r->a, .err = err};
    mb_peer_status is;

    mb_peer_look(r->h->n->peer, r->h->now, &is);
    put_state(&s, r->h, &is);
    put_traffic(&s, r->h, &is);
    put_audit(&s, r->h);
    put_neighbours(&s, r->h, &is);
    put_host(&s, r->h);
    MB_TRY(s.status);
    r->type = "text/plain; version=0.0.4; charset=utf-8";
    r->text = s.bytes;
    r->len = s.n;
    return MB_OK;
}
