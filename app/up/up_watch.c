/* up_watch.c - the output of a run while it lasts: events.csv, life.csv, the trace, the line of
 * progress on a terminal, and its end by a signal. */
#include "base/folder.h"
#include "base/text.h"
#include "up/up.h"

#include <math.h>

static const double PROGRESS_EVERY = 0.2; /* seconds */

mb_status up_life_line(up *u, double time, int32_t i, up_state state, mb_err *err)
{
    MB_TRY(mb_file_printf(&u->life, err, "%.6f,", time));
    MB_TRY(mb_csv_put(&u->life, u->cs->network->net.id[i], err));
    return mb_file_printf(&u->life, err, ",%s\n", up_state_text(state));
}

/* life.csv: a line for each node whose state has changed. */
static mb_status see_lives(up *u, const mb_virtual *v, double time, mb_err *err)
{
    for (int32_t i = 0; i < u->cs->network->net.n; i++) {
        const up_state state = up_state_of(v, i);

        if (state == u->state[i])
            continue;
        u->state[i] = state;
        if (u->life.fp)
            MB_TRY(up_life_line(u, time, i, state, err));
    }
    return MB_OK;
}

/* The line on a terminal; the time left is an upper bound. */
static void progress(up *u, const mb_virtual *v, double time)
{
    const double now = app_now(), spent = now - u->began;
    int32_t      live = 0, settled = 0;

    if (!u->job->tty || spent < 0.5 || now - u->shown < PROGRESS_EVERY || !(time > 0))
        return;
    u->shown = now;
    for (int32_t i = 0; i < u->cs->network->net.n; i++) {
        live += mb_virtual_life(v, i) == MB_LIFE_LIVE;
        settled += u->state[i] == UP_SETTLED;
    }
    fprintf(
        stderr,
        "\rvirtual time %.1f s of at most %.6g s, %d of %d nodes settled, at most %.0f s left  ",
        time, u->args.time, settled, live, spent / time * (u->args.time - time));
    fflush(stderr);
}

static mb_status look(void *self, const mb_virtual *v, int64_t now_us, mb_err *err)
{
    up          *u = self;
    const double time = 1e-6 * (double)now_us;

    MB_TRY(see_lives(u, v, time, err));
    if (u->trace)
        MB_TRY(up_trace_look(u->trace, v, now_us, err));
    progress(u, v, time);
    MB_TRY(sim_signal_agree(u->job, err));
    return u->job->signal ? MB_STOP : MB_OK;
}

/* Cell a of an event's line: a node, or the nodes of a partition. */
static mb_status put_first(up *u, const mb_event *e, mb_err *err)
{
    const char *const *id = u->cs->network->net.id;
    const char        *all = "";

    if (e->kind == MB_EVENT_REJOIN)
        return MB_OK;
    if (e->kind != MB_EVENT_PARTITION)
        return mb_csv_put(&u->events, id[e->a], err);
    for (int32_t k = 0; all && k < e->nset; k++)
        all = mb_text(u->job->a, err, "%s%s%s", all, k ? " " : "", id[e->set[k]]);
    return all ? mb_csv_put(&u->events, all, err) : MB_E_NOMEM;
}

/* Cell b. */
static mb_status put_second(up *u, const mb_event *e, mb_err *err)
{
    switch (e->kind) {
    case MB_EVENT_CUT:
    case MB_EVENT_HEAL:
    case MB_EVENT_ONEWAY:
        return mb_csv_put(&u->events, u->cs->network->net.id[e->b], err);
    case MB_EVENT_ROWS:
        return mb_csv_put(&u->events, sim_redact(u->job, e->file ? e->file : "", err), err);
    case MB_EVENT_PAUSE:
        return e->x > 0 ? mb_file_printf(&u->events, err, "%.9g", e->x) : MB_OK;
    case MB_EVENT_CLOCK:
    case MB_EVENT_DRIFT:
    case MB_EVENT_DISKFULL:
        return mb_file_printf(&u->events, err, "%.9g", e->x);
    default:
        return MB_OK;
    }
}

static mb_status see_event(void *self, const mb_virtual *v, const mb_event *e, const char *note,
                           mb_err *err)
{
    up *u = self;

    u->failed += e->kind == MB_EVENT_FAILED;
    if (!u->events.fp)
        return MB_OK;
    MB_TRY(mb_file_printf(&u->events, err, "%.6f,%s,", 1e-6 * (double)mb_virtual_now(v),
                          mb_event_text(e->kind)));
    MB_TRY(put_first(u, e, err));
    MB_TRY(mb_file_printf(&u->events, err, ","));
    MB_TRY(put_second(u, e, err));
    MB_TRY(mb_file_printf(&u->events, err, ","));
    MB_TRY(mb_csv_put(&u->events, note, err));
    return mb_file_printf(&u->events, err, "\n");
}

static mb_status open_file(up *u, const char *name, const char *header, mb_file *f, mb_err *err)
{
    const char *path = sim_path(u->job, name, err);

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(sim_wrote(u->job, path, err));
    MB_TRY(mb_file_open(u->job->a, path, f, err));
    return mb_file_printf(f, err, "%s", header);
}

mb_status up_watch_files(up *u, mb_err *err)
{
    MB_TRY(open_file(u, "events.csv", "time,event,a,b,note\n", &u->events, err));
    return open_file(u, "life.csv", "time,node,state\n", &u->life, err);
}

mb_status up_watch_begin(up *u, mb_err *err)
{
    sim_job                 *job = u->job;
    const sim_case          *cs = u->cs;
    const double             tick = 1e6 * u->args.tick;
    const mb_virtual_watcher w = {
        .self = u, .every_us = (int64_t)fmax(1, tick), .look = look, .event = see_event};

    MB_NEW(u->state, job->a, cs->network->net.n, err);
    MB_NEW(u->part, job->a, cs->network->net.n, err);
    if (job->out) {
        MB_TRY(up_watch_files(u, err));
        MB_TRY(up_trace_new(u, &u->trace, err));
    }
    for (int32_t i = 0; i < cs->network->net.n; i++)
        u->state[i] = UP_STATES;
    u->began = app_now();
    return mb_virtual_watch(u->net, &w, err);
}

mb_status up_watch_close(up *u, mb_status st, mb_err *err)
{
    st = mb_file_close(&u->events, st, err);
    return mb_file_close(&u->life, st, err);
}

mb_status up_watch_end(up *u, mb_status st, mb_err *err)
{
    if (u->shown > 0)
        fprintf(stderr, "\r%78s\r", "");
    if (!u->job->out)
        return st;
    if (st >= 0)
        st = folder_begin(u->job->out, err);
    st = up_trace_end(u->trace, st, err);
    return up_watch_close(u, st, err);
}
