/* local_watch.c - the output of a local network while it lasts: states of the nodes as their status
 * sockets tell them, events.csv, life.csv, trace.csv and the line of progress. */
#include "up/local.h"

#include <math.h>
#include <string.h>

enum { STILL = 2 /* looks */ };
static const double LOOKS = 0.1;  /* seconds between two looks                       */
static const double ANSWER = 0.5; /* seconds that a look waits for answers           */
static const double SILENT = 2;   /* seconds without an answer: it does not run      */
static const double SHARE = 5;    /* looks take at most a fifth of the time or so    */

static double since(const local *l)
{
    return app_now() - l->u->began;
}

mb_status local_event(local *l, const char *event, int32_t i, const char *note, mb_err *err)
{
    mb_file *f = &l->u->events;

    if (!f->fp)
        return MB_OK;
    MB_TRY(mb_file_printf(f, err, "%.6f,%s,", since(l), event));
    MB_TRY(mb_csv_put(f, l->u->cs->network->net.id[i], err));
    MB_TRY(mb_file_printf(f, err, ",,"));
    MB_TRY(mb_csv_put(f, note, err));
    return mb_file_printf(f, err, "\n");
}

/* As the status object says it. Nodes that rest with fewer than min_nodes nodes have settled when one
 * has failed: there will never be more. */
static up_state state_of(const local *l, const local_node *n)
{
    const node_status *is = &n->newest;

    if (n->failed)
        return UP_FAILED;
    if (!n->pid)
        return UP_DOWN;
    if (!is->answered)
        return n->read_at > n->began && app_now() - n->read_at > SILENT ? UP_PAUSED
               : n->read_at > n->began                                  ? n->state
                                                                        : UP_WAITING;
    if (is->message && !strncmp(is->message, "waits", 5))
        return UP_WAITING;
    if (is->message && !strncmp(is->message, "greets", 6))
        return UP_GREETING;
    if (is->message && !strncmp(is->message, "rests", 5) && l->u->failed)
        return UP_SETTLED;
    return !strcmp(is->verdict, "settled")  ? UP_SETTLED
           : !strcmp(is->verdict, "alone")  ? UP_ALONE
           : !strcmp(is->verdict, "failed") ? UP_FAILED
                                            : UP_MOVING;
}

static mb_status see_lives(local *l, mb_err *err)
{
    up *u = l->u;

    for (int32_t i = 0; i < u->cs->network->net.n; i++) {
        const up_state state = state_of(l, &l->node[i]);

        if (state == l->node[i].state)
            continue;
        l->node[i].state = state;
        if (u->life.fp)
            MB_TRY(up_life_line(u, since(l), i, state, err));
    }
    return MB_OK;
}

/* Median and extremes of what the nodes say in one field; returns how many say it. */
static int32_t spread(local *l, size_t field, double *min, double *median, double *max)
{
    int32_t count = 0;

    for (int32_t i = 0; i < l->u->cs->network->net.n; i++) {
        double x;

        memcpy(&x, (const char *)&l->node[i].newest + field, sizeof x);
        if (l->node[i].newest.answered && isfinite(x))
            l->sorted[count++] = x;
    }
    app_sort(l->sorted, count);
    *min = count ? l->sorted[0] : (double)NAN;
    *median = count ? l->sorted[count / 2] : (double)NAN;
    *max = count ? l->sorted[count - 1] : (double)NAN;
    return count;
}

static up_sample sample(local *l)
{
    up_sample a = {
        .time = since(l), .parts = 1, .distance = (double)NAN, .distance_max = (double)NAN};
    double least;

    for (int32_t i = 0; i < l->u->cs->network->net.n; i++) {
        const local_node *n = &l->node[i];

        a.live += n->pid && n->newest.answered;
        a.settled += n->state == UP_SETTLED;
        a.bytes += n->newest.answered ? n->newest.bytes_sent : 0;
    }
    spread(l, offsetof(node_status, disagreement), &least, &a.apart, &a.apart_max);
    spread(l, offsetof(node_status, n_nodes), &a.n_min, &a.n_median, &a.n_max);
    return a;
}

static void progress(local *l, const up_sample *a)
{
    up *u = l->u;

    if (!u->job->tty)
        return;
    u->shown = app_now();
    fprintf(stderr, "\r%.1f s, %d of %d nodes settled", a->time, a->settled, u->cs->network->net.n);
    if (a->n_max > 0)
        fprintf(stderr, ", N seen %.4g..%.4g", a->n_min, a->n_max);
    if (isfinite(a->apart_max))
        fprintf(stderr, ", disagreement %.1e", a->apart_max);
    fputs("   ", stderr);
    fflush(stderr);
}

static mb_status ask_nodes(local *l, mb_err *err)
{
    const int32_t n = l->u->cs->network->net.n;
    mb_arena     *a = l->held = mb_arena_new(1 << 16);
    ask          *all;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the status of nodes");
    MB_NEW(all, a, n, err);
    for (int32_t i = 0; i < n; i++)
        all[i] = (ask){.where = l->node[i].where, .path = "/status"};
    MB_TRY(ask_all(a, all, n, ANSWER, err));
    for (int32_t i = 0; i < n; i++) {
        MB_TRY(node_status_of(a, &all[i], &l->node[i].newest, err));
        if (l->node[i].newest.answered)
            l->node[i].read_at = app_now();
    }
    return MB_OK;
}

/* Every node that has not failed has settled and hears all of its neighbours that have not, and those
 * alone. */
static int together(const local *l)
{
    const mb_graph *g = &l->u->cs->network->net.g;
    int32_t         there = 0;

    for (int32_t i = 0; i < g->n; i++) {
        const local_node *n = &l->node[i];
        int32_t           expected = 0;

        if (n->failed)
            continue;
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            expected += !l->node[g->adj[e]].failed;
        if (!n->newest.answered || n->newest.live != expected)
            return 0;
        if (n->state != UP_SETTLED && !(n->state == UP_ALONE && !expected))
            return 0;
        there++;
    }
    return there > 0;
}

mb_status local_look(local *l, mb_err *err)
{
    const double began = app_now();
    up_sample    a;
    mb_status    st;

    if (began - l->looked < l->pause)
        return MB_OK;
    l->looked = began;
    st = ask_nodes(l, err);
    if (st >= 0)
        st = see_lives(l, err);
    l->still = st >= 0 && together(l) ? l->still + 1 : 0;
    mb_arena_free(l->held);
    l->held = NULL;
    MB_TRY(st);
    a = sample(l);
    progress(l, &a);
    l->pause = fmax(LOOKS, SHARE * (app_now() - began));
    return l->trace.fp ? up_trace_line(&l->trace, &a, err) : MB_OK;
}

int local_settled(const local *l)
{
    return l->still >= STILL;
}

mb_status local_watch_begin(local *l, mb_err *err)
{
    up *u = l->u;

    MB_NEW(l->sorted, u->job->a, u->cs->network->net.n, err);
    l->pause = LOOKS;
    if (!u->job->out)
        return MB_OK;
    MB_TRY(up_watch_files(u, err));
    return up_trace_open(u, &l->trace, err);
}

mb_status local_watch_end(local *l, mb_status st, mb_err *err)
{
    if (l->u->shown > 0)
        fprintf(stderr, "\r%78s\r", "");
    if (!l->u->job->out)
        return st;
    st = mb_file_close(&l->trace, st, err);
    return up_watch_close(l->u, st, err);
}
