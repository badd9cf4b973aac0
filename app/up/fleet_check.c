/* fleet_check.c - a running network compared with network.json, by the status of its nodes. */
#include "base/app.h"
#include "base/text.h"
#include "up/fleet.h"
#include "up/top.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE = 5 /* seconds for all answers */ };
static const double NEAR = 1e-3; /* of the number of nodes that a settled one knows */

/* What was found. */
typedef struct found {
    const fleet *f;
    int32_t      lines, settled, answered;
    double       rows;
} found;

static MB_PRINTF(3, 4) void differs(found *o, const char *node, const char *fmt, ...)
{
    char    text[1000];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    app_print_visible(node);
    fputs(": ", stdout);
    app_print_visible(text);
    putchar('\n');
    o->lines++;
}

static int has(const node_status *is, const char *name)
{
    for (int32_t k = 0; k < is->neighbours; k++)
        if (is->neighbour[k] && !strcmp(is->neighbour[k], name))
            return 1;
    return 0;
}

static int is_linked(const fleet *f, int32_t i, const char *name)
{
    const mb_graph *g = &f->net.g;

    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        if (!strcmp(f->net.id[g->adj[e]], name))
            return 1;
    return 0;
}

static void check_links(found *o, int32_t i, const node_status *is)
{
    const mb_graph *g = &o->f->net.g;

    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        if (!has(is, o->f->net.id[g->adj[e]]))
            differs(o, o->f->net.id[i], "its link to %s is missing in its configuration",
                    o->f->net.id[g->adj[e]]);
    for (int32_t k = 0; k < is->neighbours; k++)
        if (is->neighbour[k] && !is_linked(o->f, i, is->neighbour[k]))
            differs(o, o->f->net.id[i], "it has a link to %s, which the network does not have",
                    is->neighbour[k]);
    for (int32_t k = 0; k < is->deads; k++) {
        const node_dead *dead = &is->dead[k];

        if (dead->node && is_linked(o->f, i, dead->node))
            differs(o, o->f->net.id[i], "its link to %s is not in use: %s", dead->node,
                    dead->reason  ? dead->reason
                    : dead->state ? dead->state
                                  : "it does not say why");
    }
}

static void check_rows(found *o, int32_t i, const node_status *is)
{
    const fleet_node *n = &o->f->node[i];
    const double      rows = (double)is->rows;

    o->rows += rows;
    if (isnan(n->rows) || n->weighted)
        return;
    if (rows > n->rows || (rows < n->rows && !o->f->at_most))
        differs(o, o->f->net.id[i], "it has %.0f row%s; declared are %s %.15g", rows,
                app_plural(is->rows), o->f->at_most ? "at most" : "exactly", n->rows);
}

static void check_node(found *o, int32_t i, const ask *q, const node_status *is)
{
    const fleet *f = o->f;

    if (!is->answered) {
        differs(o, o->f->net.id[i], "it does not answer at %s: %s", q->where, is->message);
        return;
    }
    o->answered++;
    if (strcmp(is->node, f->net.id[i]) != 0) {
        differs(o, o->f->net.id[i], "node %s answers at %s", is->node, q->where);
        return;
    }
    if (is->message && *is->message)
        differs(o, o->f->net.id[i], "%s: %s", is->verdict, is->message);
    o->settled += !strcmp(is->verdict, mb_peer_verdict_text(MB_PEER_SETTLED));
    check_rows(o, i, is);
    check_links(o, i, is);
}

/* A node that has settled counts all of them, unless some do not answer. */
static void check_number(found *o, int32_t i, const node_status *is)
{
    const int32_t n = o->f->net.n;

    if (o->answered == n && !strcmp(is->verdict, mb_peer_verdict_text(MB_PEER_SETTLED)) &&
        !(fabs(is->n_nodes - n) <= NEAR))
        differs(o, o->f->net.id[i], "it has settled in a network of %.6g nodes; expected %d",
                is->n_nodes, (int)n);
}

/* Members that fail audits, and nodes that take no part in those of others. */
static mb_status check_audits(mb_arena *a, found *o, const node_status *is, const char **text,
                              mb_err *err)
{
    const fleet *f = o->f;
    node_audits  all = {.n = 0};

    for (int32_t i = 0; i < f->net.n; i++)
        MB_TRY(node_audits_add(a, &all, &is[i], err));
    for (int32_t i = 0; i < f->net.n; i++)
        if (all.on && is[i].audit && strcmp(is[i].audit, "on") != 0)
            differs(o, f->net.id[i], "it takes no part in audits: %s", is[i].audit);
    for (int32_t k = 0; k < all.broken_n; k++) {
        const node_broken *b = &all.broken[k];
        const int32_t      i = fleet_find(f, f->net.n, b->id);
        const char        *name = i >= 0 ? f->net.id[i] : b->node;

        differs(o, name ? name : "?", "it fails the audits of %d node%s: %s", (int)b->by,
                app_plural(b->by), b->reason ? b->reason : "");
    }
    *text = node_audits_text(a, &all, err);
    return *text ? MB_OK : MB_E_NOMEM;
}

static mb_status questions(mb_arena *a, const fleet *f, const char *token, ask *all, mb_err *err)
{
    for (int32_t i = 0; i < f->net.n; i++) {
        const fleet_node *n = &f->node[i];
        const char       *where = n->status_at, *own, *why;

        if (!where && !n->status)
            MB_FAIL(err, MB_E_ARG,
                    "%s: node %s has no status; expected \"status\" or \"status_at\"", f->file,
                    f->net.id[i]);
        if (!where)
            where = top_where(a, n->folder.dir, n->status, err);
        if (!where)
            return MB_E_NOMEM;
        own = token ? token : top_token(a, n->folder.dir, n->token, &why);
        if (!token && why)
            MB_FAIL(err, MB_E_FORMAT, "node %s: %s", f->net.id[i], why);
        all[i] = (ask){.where = where, .path = "/status", .token = own};
    }
    return ask_all(a, all, f->net.n, PATIENCE, err);
}

mb_status fleet_check(mb_arena *a, const fleet *f, const char *token, int32_t *count, mb_err *err)
{
    const int32_t n = f->net.n;
    found         o = {.f = f};
    const char   *audits;
    node_status  *is;
    ask          *all;

    MB_NEW(all, a, (size_t)n, err);
    MB_NEW(is, a, (size_t)n, err);
    MB_TRY(questions(a, f, token, all, err));
    for (int32_t i = 0; i < n; i++) {
        MB_TRY(node_status_of(a, &all[i], &is[i], err));
        check_node(&o, i, &all[i], &is[i]);
    }
    for (int32_t i = 0; i < n; i++)
        if (is[i].answered)
            check_number(&o, i, &is[i]);
    MB_TRY(check_audits(a, &o, is, &audits, err));
    if (!o.lines) {
        printf("all right: %d node%s answer%s as %s says, %d settled, %lld link%s, %.0f rows; ",
               (int)n, app_plural(n), n == 1 ? "s" : "", f->file, (int)o.settled,
               (long long)f->net.g.ptr[n] / 2, app_plural(f->net.g.ptr[n] / 2), o.rows);
        app_print_visible(audits);
        putchar('\n');
    }
    *count = o.lines;
    return MB_OK;
}
