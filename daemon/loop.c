/* loop.c - the life of a node: hear, tick, send; signals, rows and status in between. */
#define _XOPEN_SOURCE 700
#include "http.h"
#include "mesh/guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    FOLLOW_MS = 200,      /* between two looks at a file that grows    */
    FRAMES = 1024,        /* heard before the next tick at the most    */
    TELL_MS = 60000,      /* between two lines on what was refused     */
    WATCH_MS = 50,        /* between two looks at the links at least   */
    WATCH_REST_MS = 1000, /* at most                                   */
    OTHERS = 3            /* descriptors: signals, rows, status        */
};

/* 1: time to end. */
static int obey(node *n)
{
    unsigned char byte;
    int           end = 0;

    while (read(node_signal_pipe(), &byte, 1) == 1) {
        end |= byte != SIGHUP;
        if (byte == SIGHUP)
            node_reload(n);
    }
    return end;
}

/* Tells systemd (sd_notify): one datagram to the socket that the environment names. */
static void notify(const char *text)
{
    const char        *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int                fd;

    if (!path || strlen(path) >= sizeof to.sun_path || (fd = socket(AF_UNIX, SOCK_DGRAM, 0)) < 0)
        return;
    memcpy(to.sun_path, path, strlen(path));
    if (*path == '@')
        to.sun_path[0] = 0;
    if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&to,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))) < 0) {
        /* No manager is listening: nothing to do. */
    }
    close(fd);
}

static void tell_verdict(node *n, int64_t now)
{
    mb_peer_status is;
    char           quoted[400];

    mb_peer_look(n->peer, now, &is);
    if (is.verdict == n->verdict && is.tick > 1)
        return;
    n->verdict = is.verdict;
    node_say_at(&n->log, is.verdict == MB_PEER_FAILED ? LOG_ERROR : LOG_INFO, LOG_VERDICT,
                "verdict=%s n_nodes=%.6g rounds=%lld%s%s%s", mb_peer_verdict_text(is.verdict),
                is.n_nodes, (long long)is.rounds, is.verdict == MB_PEER_FAILED ? " reason=\"" : "",
                is.verdict == MB_PEER_FAILED ? log_value(is.message, quoted, sizeof quoted) : "",
                is.verdict == MB_PEER_FAILED ? "\"" : "");
}

/* A node that begins again under another genesis, went back, or stays where it cannot get away. */
static void tell_guard(node *n, const mb_peer_status *status)
{
    const mb_peer_guarded is = mb_peer_guarded_(n->peer);
    char                  quoted[400];

    if (n->run && status->run && status->run != n->run)
        node_say_at(&n->log, LOG_WARNING, LOG_VERDICT,
                    "genesis=%016" PRIx64 " before=%016" PRIx64
                    " reason=\"another part of the network has it: the node begins again\"",
                    status->run, n->run);
    n->run = status->run ? status->run : n->run;
    if (is.returned > n->returned)
        node_say_at(
            &n->log, LOG_WARNING, LOG_VERDICT,
            "returned=%lld reason=\"all components had the same means, or phi was outside its "
            "domain: back to where the node last settled, or to the start block\"",
            (long long)is.returned);
    if (is.stuck && !n->stuck)
        node_say_at(&n->log, LOG_WARNING, LOG_VERDICT, "stuck=yes reason=\"it %s\"",
                    log_value(status->message, quoted, sizeof quoted));
    n->returned = is.returned;
    n->stuck = is.stuck;
}

/* A node that has failed ends its process, so that a supervisor starts it again. */
static mb_status check_failed(node *n, int64_t now, mb_err *err)
{
    mb_peer_status is;

    mb_peer_look(n->peer, now, &is);
    if (is.verdict != MB_PEER_FAILED)
        return MB_OK;
    tell_verdict(n, now);
    MB_FAIL(err, MB_E_PEER, "the node has failed: %s", is.message);
}

/* Frames and connections that were refused so far, and how many causes they had. */
static int64_t refused(const node *n, const mb_peer_status *is, int32_t *causes)
{
    int64_t all = 0, one;

    *causes = 0;
    for (int k = MB_REFUSED_NONE + 1; k < MB_REFUSALS; k++) {
        all += is->refused[k];
        *causes += is->refused[k] > 0;
    }
    for (int k = 0; k < WIRE_REFUSALS; k++) {
        one = wire_refused(n->w, (wire_refusal)k);
        all += one;
        *causes += one > 0;
    }
    return all;
}

/* " WHAT_CAUSE=COUNT" after the text of *at bytes. */
static void add_cause(char *text, size_t room, size_t *at, const char *what, const char *cause,
                      int64_t count)
{
    if (count && *at < room)
        *at +=
            (size_t)snprintf(text + *at, room - *at, " %s_%s=%lld", what, cause, (long long)count);
}

/* A line when something was refused for a new cause, and at most one a minute on more of the same. */
static void tell_refused(node *n, int64_t now)
{
    mb_peer_status is;
    char           text[600], from[800], quoted[800];
    int64_t        all;
    int32_t        causes;
    size_t         at = 0;

    mb_peer_look(n->peer, now, &is);
    all = refused(n, &is, &causes);
    if (all <= n->refused || (causes <= n->causes && now - n->refused_ms < TELL_MS))
        return;
    n->refused = all;
    n->refused_ms = now;
    n->causes = causes;
    for (int k = MB_REFUSED_NONE + 1; k < MB_REFUSALS; k++)
        add_cause(text, sizeof text, &at, "frames", mb_refusal_text((mb_refusal)k), is.refused[k]);
    for (int k = 0; k < WIRE_REFUSALS; k++)
        add_cause(text, sizeof text, &at, "connections", wire_refusal_text((wire_refusal)k),
                  wire_refused(n->w, (wire_refusal)k));
    wire_strangers(n->w, from, sizeof from);
    node_say_at(&n->log, LOG_WARNING, LOG_REFUSED, "%s%s%s%s", text + 1, *from ? " from=\"" : "",
                log_value(from, quoted, sizeof quoted), *from ? "\"" : "");
}

static void hear(node *n, int64_t now)
{
    int32_t from;
    size_t  bytes;

    for (int k = 0; k < FRAMES && wire_receive(n->w, &from, n->frame, n->room, &bytes); k++) {
        node_flight *f = node_flight_of(n, from);
        mb_err       reason = {.msg = ""};
        mb_refusal   why;

        if (f && !tempo_takes(&f->hold, now))
            continue;
        why = mb_peer_hear(n->peer, now, from, n->frame, bytes, &reason);
        node_record(n, (mb_called){.call = MB_CALL_HEAR,
                                   .now = now,
                                   .id = from,
                                   .bytes = n->frame,
                                   .n = bytes,
                                   .answer = (int32_t)why});
        if (why)
            node_refused(n, now, from, why, &reason);
        else if (f)
            tempo_wake(&n->tempo, &f->hold, now, n->peer, from);
    }
}

/* Which rows are in the sums is on disk before the sums leave: a node that forgets it, as all others
 * do, would let a total differ from an earlier one by few rows. 0: it is not, so nothing may leave. */
static int keeps_batch(node *n, int64_t now)
{
    mb_peer_masking is;

    mb_peer_masking_of(n->peer, &is);
    if (is.taken != n->batch && node_checkpoint(n, now, 1))
        n->batch = is.taken;
    return is.taken == n->batch;
}

static mb_status tick(node *n, int64_t now, mb_err *err)
{
    mb_err         why = {.msg = ""};
    mb_peer_status before, is;
    mb_status      st;

    if (tempo_next(&n->tempo, n->peer) > now && now >= n->tempo.ticked_ms)
        return MB_OK;
    tempo_begin(&n->tempo, n->peer);
    st = mb_peer_tick(n->peer, now, &why);
    node_record(n, (mb_called){.call = MB_CALL_TICK, .now = now, .id = -1, .answer = st});
    if (st < 0) {
        tell_verdict(n, now);
        MB_FAIL(err, why.code, "%s", why.msg);
    }
    mb_peer_look(n->peer, now, &before);
    if (before.incarnation != n->incarnation)
        node_take_life(n, before.incarnation);
    if (keeps_batch(n, now))
        MB_TRY(node_send(n, now, err));
    mb_peer_look(n->peer, now, &is);
    tempo_ticked(&n->tempo, now, &is, mb_peer_waits_(n->peer), is.bytes_sent - before.bytes_sent);
    node_log_audit(n);
    node_log_masks(n, node_now(n));
    tell_verdict(n, now);
    tell_guard(n, &is);
    (void)node_checkpoint(n, now, 0);
    return MB_OK;
}

/* Milliseconds that the loop may sleep. */
static int64_t sleep_of(const node *n, int64_t now, int64_t page)
{
    const int64_t at = tempo_next(&n->tempo, n->peer), rest = n->watched_ms + WATCH_REST_MS - now;
    int64_t       ms = at <= now ? 0 : at - now;

    if (n->c.follow && ms > FOLLOW_MS)
        ms = FOLLOW_MS;
    if (ms > rest)
        ms = rest > 0 ? rest : 0;
    return page >= 0 && page < ms ? page : ms;
}

/* Waits, then does what there is to do. */
static mb_status turn(node *n, int64_t *looked, int64_t *page, int *end, mb_err *err)
{
    const int rows = n->f.tail.fd >= 0 && !n->c.follow && !n->f.tail.ended;
    int       fd[OTHERS] = {node_signal_pipe(), -1, -1};
    int32_t   count = 1, ready[OTHERS] = {0};
    int64_t   now = node_now(n);

    if (rows)
        fd[count++] = n->f.tail.fd;
    if (n->http)
        fd[count++] = http_fd(n->http);
    MB_TRY(wire_wait(n->w, sleep_of(n, now, *page), fd, count, ready, err));
    now = node_now(n);
    *end = ready[0] && obey(n);
    if ((rows && ready[1]) || (n->c.follow && now - *looked >= FOLLOW_MS)) {
        *looked = now;
        MB_TRY(feed_more(&n->f, now, err));
    }
    hear(n, now);
    MB_TRY(check_failed(n, now, err));
    MB_TRY(tick(n, now, err));
    if (now - n->watched_ms >= WATCH_MS || now < n->watched_ms)
        node_watch(n, now);
    if (n->http)
        *page = http_run(n->http, now);
    tell_refused(n, now);
    return MB_OK;
}

/* The checkpoint has the last state, and a last frame makes the neighbours drop the edges. */
static mb_status leave(node *n, mb_err *err)
{
    const int64_t  now = node_now(n);
    int32_t        ready;
    mb_peer_status is;

    notify("STOPPING=1");
    mb_peer_look(n->peer, now, &is);
    (void)node_checkpoint(n, now, 1);
    node_record(n, (mb_called){.call = MB_CALL_END, .now = now, .id = -1});
    node_record_close(n);
    mb_peer_leave(n->peer);
    MB_TRY(mb_peer_tick(n->peer, now, err));
    for (int32_t k = 0; k < n->flights; k++)
        n->flight[k].pace = (pace){0};
    if (keeps_batch(n, now))
        MB_TRY(node_send(n, now, err));
    MB_TRY(wire_wait(n->w, 50, NULL, 0, &ready, err));
    node_say(&n->log, LOG_STOP, "reason=signal tick=%lld rounds=%lld verdict=%s",
             (long long)is.tick, (long long)is.rounds, mb_peer_verdict_text(is.verdict));
    return MB_OK;
}

mb_status node_run(node *n, mb_err *err)
{
    int64_t   looked = 0, page = 0;
    int       end = 0;
    mb_status st = MB_OK;

    notify("READY=1");
    while (!end && st >= 0)
        st = turn(n, &looked, &page, &end, err);
    if (st < 0)
        (void)node_checkpoint(n, node_now(n), 1);
    return st < 0 ? st : leave(n, err);
}
