/* http.c - the status of a node, on libmicrohttpd in the node's own loop: one thread, an epoll
 * descriptor. A request is whole within HTTP_SECONDS or its connection is cut. */
#define _XOPEN_SOURCE 700
#include "http_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TELL_MS = 60000 /* between two lines of the log on requests that were refused */ };

/* A connection comes and goes. */
static void watch(void *self, struct MHD_Connection *c, void **slot,
                  enum MHD_ConnectionNotificationCode what)
{
    http                           *h = self;
    const union MHD_ConnectionInfo *is =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    http_slot *s = *slot;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        for (s = h->slot; s < h->slot + HTTP_CONNECTIONS && s->fd >= 0;)
            s++;
        if (s == h->slot + HTTP_CONNECTIONS || !is)
            return;
        *s = (http_slot){.fd = is->connect_fd, .since = h->now};
        h->slots++;
        *slot = s;
    } else if (s) {
        h->refused[HTTP_SLOW] += s->cut && !s->requests;
        h->refused[HTTP_EMPTY] += !s->cut && !s->requests;
        s->fd = -1;
        h->slots--;
    }
}

/* MHD's own limit is for silence; a client that sends a byte now and then is cut here. */
static void cut(http *h)
{
    const int64_t most = h->slots < HTTP_CONNECTIONS ? HTTP_SECONDS * 1000 : HTTP_HURRY_MS;

    for (int k = 0; k < HTTP_CONNECTIONS; k++) {
        http_slot *s = &h->slot[k];

        if (s->fd < 0 || s->cut || h->now - s->since <= most)
            continue;
        s->cut = 1;
        shutdown(s->fd, SHUT_RDWR);
    }
}

static void tell(http *h)
{
    char    text[300] = "";
    size_t  at = 0;
    int64_t all = 0;

    for (int k = 0; k < HTTP_REFUSALS; k++) {
        all += h->refused[k];
        if (h->refused[k] && at < sizeof text)
            at += (size_t)snprintf(text + at, sizeof text - at, " requests_%s=%lld",
                                   http_refusal_text((http_refusal)k), (long long)h->refused[k]);
    }
    if (all == h->logged || (h->logged && h->now - h->logged_ms < TELL_MS))
        return;
    h->logged = all;
    h->logged_ms = h->now;
    node_say_at(&h->n->log, LOG_WARNING, LOG_STATUS, "%s", text + 1);
}

static mb_status start(http *h, mb_err *err)
{
    const union MHD_DaemonInfo *is;
    const http_access          *as = &h->access;
    const struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)as->key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)as->cert},
        {as->ca ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, (void *)(uintptr_t)as->ca},
        {MHD_OPTION_END, 0, NULL}};

    h->d = MHD_start_daemon(
        MHD_USE_EPOLL | (as->cert ? MHD_USE_TLS : 0), 0, NULL, NULL, http_handle, h,
        MHD_OPTION_LISTEN_SOCKET, h->listens, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned int)HTTP_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_MEMORY, MHD_OPTION_NOTIFY_CONNECTION,
        watch, h, MHD_OPTION_NOTIFY_COMPLETED, http_ended, h, MHD_OPTION_ARRAY,
        as->cert ? tls : tls + 3, MHD_OPTION_END);
    is = h->d ? MHD_get_daemon_info(h->d, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!is)
        MB_FAIL(err, MB_E_IO, "status: libmicrohttpd cannot serve %s%s", h->n->c.status,
                as->cert ? ": are cert and key of status_tls a pair?" : "");
    h->epoll = is->epoll_fd;
    return MB_OK;
}

mb_status http_open(node *n, int64_t now, http **out, mb_err *err)
{
    http     *h = calloc(1, sizeof *h);
    mb_status st;

    *out = NULL;
    if (!h)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the status");
    h->n = n;
    h->listens = -1;
    h->began = h->now = now;
    for (int k = 0; k < HTTP_CONNECTIONS; k++)
        h->slot[k].fd = -1;
    st = http_access_read(n->a, &n->c, &h->access, err);
    if (st >= 0)
        st = http_listen(h, &n->c, err);
    if (st >= 0)
        st = start(h, err);
    if (st < 0) {
        http_close(h);
        return st;
    }
    node_say(&n->log, LOG_STATUS, "listen=%s", n->c.status);
    *out = h;
    return MB_OK;
}

void http_close(http *h)
{
    if (!h)
        return;
    if (h->d)
        MHD_stop_daemon(h->d);
    else if (h->listens >= 0)
        close(h->listens);
    http_unlisten(h);
    free(h);
}

int http_fd(const http *h)
{
    return h->epoll;
}

int64_t http_run(http *h, int64_t now)
{
    MHD_UNSIGNED_LONG_LONG most;
    int64_t                next, pause;

    h->now = now;
    cut(h);
    MHD_run(h->d);
    pause = h->n->verdict == MB_PEER_MOVING ? HTTP_MOVING_MS : HTTP_SAMPLE_MS;
    if (!h->samples || now - h->sample[h->newest].ms >= pause) {
        http_sample_now(h);
        tell(h);
    }
    next = h->sample[h->newest].ms + pause - now;
    return MHD_get_timeout(h->d, &most) == MHD_YES && (int64_t)most < next ? (int64_t)most : next;
}
