/* ask.c - requests of HTTP/1.0 over Unix sockets and TCP. */
#define _XOPEN_SOURCE 700
#include "base/ask.h"

#include "base/app.h"
#include "base/endpoint.h"
#include "base/text.h"
#include "data/file.h"
#include "data/json.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 14, MOST = 1 << 26 /* bytes of an answer */ };
enum { TOKEN_LEAST = 16, TOKEN_MOST = 1000 };

/* http://HOST:PORT or http://HOST:PORT/. The size of *to; 0: no such text. */
static socklen_t place_of(const char *where, endpoint *to)
{
    static const char scheme[] = "http://";
    const size_t      at = strlen(scheme), n = strlen(where);

    if (strncmp(where, scheme, at) != 0)
        return 0;
    return endpoint_tcp(where + at, n - at - (n > at && where[n - 1] == '/'), to);
}

int ask_is_address(const char *where)
{
    endpoint to;

    return (!strncmp(where, "unix:", 5) && where[5]) || place_of(where, &to);
}

static int connect_port(int fd, const endpoint *to, socklen_t size)
{
    return !connect(fd, &to->any, size) || errno == EINPROGRESS;
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

/* Ends without an answer. */
static void give_up(ask *q)
{
    q->error = errno;
    end(q);
}

static const char *request_of(mb_arena *a, const ask *q, mb_err *err)
{
    char length[64] = "";

    if (q->post)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(q->post));
    return mb_text(a, err, "%s %s HTTP/1.0\r\nHost: localhost\r\n%s%s%s%s\r\n%s",
                   q->post ? "POST" : "GET", q->path, q->token ? "Authorization: Bearer " : "",
                   q->token ? q->token : "", q->token ? "\r\n" : "", length,
                   q->post ? q->post : "");
}

static mb_status begin(mb_arena *a, ask *q, mb_err *err)
{
    endpoint        to;
    const socklen_t size = place_of(q->where, &to);

    q->code = q->error = 0;
    q->sent = q->got = q->n = 0;
    q->body = NULL;
    q->room = ROOM;
    q->text = request_of(a, q, err);
    if (!q->text)
        return MB_E_NOMEM;
    MB_NEW(q->bytes, a, q->room + 1, err);
    q->fd = socket(size ? to.any.sa_family : AF_UNIX, SOCK_STREAM, 0);
    if (q->fd < 0) {
        give_up(q);
        return MB_OK;
    }
    fcntl(q->fd, F_SETFD, FD_CLOEXEC);
    fcntl(q->fd, F_SETFL, O_NONBLOCK);
    if (!(size ? connect_port(q->fd, &to, size) : connect_file(q->fd, q->where + 5)))
        give_up(q);
    return MB_OK;
}

static void put(ask *q)
{
    const size_t  n = strlen(q->text);
    const ssize_t sent = send(q->fd, q->text + q->sent, n - q->sent, MSG_NOSIGNAL);

    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        give_up(q);
    q->sent += sent > 0 ? (size_t)sent : 0;
    if (q->sent == n)
        q->sent = SIZE_MAX;
}

/* The answer is complete: its status and body. */
static void finish(ask *q)
{
    const char *blank;
    int         code = 0;

    q->error = q->got ? 0 : ECONNRESET;
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
        give_up(q);
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

const char *ask_why(mb_arena *a, const ask *q, mb_err *err)
{
    const mb_json *o;

    if (q->code && mb_json_parse(a, "", q->body, q->n, &o, NULL) >= 0 &&
        mb_json_at(o, "error")->text)
        return mb_json_at(o, "error")->text;
    if (q->code)
        return mb_text(a, err, "HTTP status %d", q->code);
    if ((q->error == ECONNRESET || q->error == EPIPE) && strncmp(q->where, "unix:", 5) != 0)
        return "it ends the connection, as one that speaks TLS (status_tls): that needs a proxy "
               "here (docs/howto/status.md)";
    if (q->got)
        return "what answers does not speak HTTP";
    return q->error ? mb_text(a, err, "%s", strerror(q->error)) : "no answer";
}

mb_status ask_token(mb_arena *a, const char *file, const char **out, mb_err *err)
{
    char  *text;
    size_t n, len;

    MB_TRY(app_secret(file, err));
    MB_TRY(mb_file_read(a, file, &text, &n, err));
    len = strcspn(text, "\r\n");
    if (len < TOKEN_LEAST || len > TOKEN_MOST || strcspn(text, " \t") < len ||
        strspn(text + len, "\r\n") != n - len)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s: got %zu bytes; expected a token, one line of %d to %d characters without blanks "
            "(openssl rand -hex 32)",
            file, n, TOKEN_LEAST, TOKEN_MOST);
    text[len] = 0;
    *out = text;
    return MB_OK;
}
