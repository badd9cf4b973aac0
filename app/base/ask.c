/* ask.c - requests of HTTP/1.0 over Unix sockets and loopback ports. */
#define _XOPEN_SOURCE 700
#include "base/ask.h"

#include "base/app.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROOM = 1 << 14, MOST = 1 << 26 /* bytes of an answer */, REQUEST = 256 };

/* The port of http://HOST:PORT or http://HOST:PORT/ on this machine; 0: no such text. */
static int port_of(const char *where)
{
    static const char *const own[] = {"http://127.0.0.1:", "http://localhost:"};
    const size_t             n = strlen(where);

    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        const size_t at = strlen(own[k]);

        if (!strncmp(where, own[k], at))
            return app_port(where + at, n - at - (n > at && where[n - 1] == '/'));
    }
    return 0;
}

int ask_is_address(const char *where)
{
    return (!strncmp(where, "unix:", 5) && where[5]) || port_of(where);
}

static int connect_port(int fd, int port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return !connect(fd, (const struct sockaddr *)&to, sizeof to) || errno == EINPROGRESS;
}

/* The name must fit into the address of a Unix socket: a longer one is reached from its folder. */
static int connect_file(int fd, const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char        *slash = strrchr(path, '/'), *name = path;
    char               folder[4096];
    int                here = -1, done;

    if (strlen(path) >= sizeof to.sun_path && slash) {
        name = slash + 1;
        if (snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path) >=
                (int)sizeof folder ||
            (here = open(".", O_RDONLY | O_CLOEXEC)) < 0)
            return 0;
        if (chdir(folder)) {
            close(here);
            return 0;
        }
    }
    if (strlen(name) < sizeof to.sun_path)
        memcpy(to.sun_path, name, strlen(name) + 1);
    done = *to.sun_path && !connect(fd, (const struct sockaddr *)&to, sizeof to);
    if (here >= 0 && fchdir(here))
        done = 0;
    if (here >= 0)
        close(here);
    return done;
}

static void end(ask *q)
{
    if (q->fd >= 0)
        close(q->fd);
    q->fd = -1;
}

static mb_status begin(mb_arena *a, ask *q, mb_err *err)
{
    const int file = !strncmp(q->where, "unix:", 5);

    q->code = 0;
    q->sent = q->got = q->n = 0;
    q->body = NULL;
    q->room = ROOM;
    MB_NEW(q->bytes, a, q->room + 1, err);
    q->fd = socket(file ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (q->fd < 0)
        return MB_OK;
    fcntl(q->fd, F_SETFD, FD_CLOEXEC);
    fcntl(q->fd, F_SETFL, O_NONBLOCK);
    if (!(file ? connect_file(q->fd, q->where + 5) : connect_port(q->fd, port_of(q->where))))
        end(q);
    return MB_OK;
}

static void put(ask *q)
{
    char      text[REQUEST];
    const int n =
        snprintf(text, sizeof text, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", q->path);
    ssize_t sent;

    if (n >= (int)sizeof text) {
        end(q);
        return;
    }
    sent = send(q->fd, text + q->sent, (size_t)n - q->sent, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        end(q);
    q->sent += sent > 0 ? (size_t)sent : 0;
    if (q->sent == (size_t)n)
        q->sent = SIZE_MAX;
}

/* The answer is complete: its status and body. */
static void finish(ask *q)
{
    const char *blank;
    int         code = 0;

    q->bytes[q->got] = 0;
    blank = strstr(q->bytes, "\r\n\r\n");
    if (blank && sscanf(q->bytes, "HTTP/1.%*d %d", &code) == 1) {
        q->code = code;
        q->body = blank + 4;
        q->n = q->got - (size_t)(q->body - q->bytes);
    }
    end(q);
}

static mb_status get(mb_arena *a, ask *q, mb_err *err)
{
    ssize_t n;

    if (q->got == q->room) {
        char *more;

        if (q->room >= MOST) {
            end(q);
            return MB_OK;
        }
        MB_NEW(more, a, 4 * q->room + 1, err);
        memcpy(more, q->bytes, q->got);
        q->bytes = more;
        q->room *= 4;
    }
    n = recv(q->fd, q->bytes + q->got, q->room - q->got, 0);
    if (n > 0)
        q->got += (size_t)n;
    else if (n == 0)
        finish(q);
    else if (errno != EAGAIN && errno != EINTR)
        end(q);
    return MB_OK;
}

/* One wait for all that are open. *open: how many there were. */
static mb_status turn(mb_arena *a, ask *all, int32_t n, struct pollfd *set, double left,
                      int32_t *open, mb_err *err)
{
    *open = 0;
    for (int32_t k = 0; k < n; k++) {
        set[k] =
            (struct pollfd){.fd = all[k].fd, .events = all[k].sent == SIZE_MAX ? POLLIN : POLLOUT};
        *open += all[k].fd >= 0;
    }
    if (!*open || poll(set, (nfds_t)n, (int)(1e3 * left) + 1) <= 0)
        return MB_OK;
    for (int32_t k = 0; k < n; k++) {
        if (all[k].fd < 0 || !set[k].revents)
            continue;
        if (all[k].sent == SIZE_MAX)
            MB_TRY(get(a, &all[k], err));
        else
            put(&all[k]);
    }
    return MB_OK;
}

mb_status ask_all(mb_arena *a, ask *all, int32_t n, double seconds, mb_err *err)
{
    const double   until = app_now() + seconds;
    struct pollfd *set;
    int32_t        open = 1;
    mb_status      st = MB_OK;

    MB_NEW(set, a, n + 1, err);
    for (int32_t k = 0; k < n; k++)
        all[k].fd = -1;
    for (int32_t k = 0; k < n && st >= 0; k++)
        st = begin(a, &all[k], err);
    while (st >= 0 && open && app_now() < until)
        st = turn(a, all, n, set, until - app_now(), &open, err);
    for (int32_t k = 0; k < n; k++)
        end(&all[k]);
    return st;
}
