/* http_listen.c - the socket of the status: a Unix socket of the owner's, a loopback address, or one of
 * any interface where clients prove that they may read it. */
#define _DEFAULT_SOURCE
#include "base/endpoint.h"
#include "http_inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BACKLOG = 32 };

int http_is_open(const node_config *c)
{
    return c->status_token || c->status_ca;
}

static mb_status refuse(const node_config *c, mb_err *err)
{
    MB_FAIL(err, MB_E_ARG,
            "status: got \"%.200s\"; expected 127.0.0.1:PORT, [::1]:PORT or unix:PATH; an address "
            "beyond this machine, in numbers, needs status_token_file or status_tls.client_ca "
            "(ssh -L forwards one of this machine)",
            c->status);
}

static int is_loopback(const endpoint *at)
{
    return at->any.sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&at->six.sin6_addr)
                                         : ntohl(at->four.sin_addr.s_addr) >> 24 == 127;
}

static mb_status tcp_place(const node_config *c, endpoint *to, socklen_t *size, mb_err *err)
{
    *size = endpoint_tcp(c->status, strlen(c->status), to);
    return !*size || !(is_loopback(to) || http_is_open(c)) ? refuse(c, err) : MB_OK;
}

static mb_status local_place(const char *path, endpoint *to, socklen_t *size, mb_err *err)
{
    const size_t n = strlen(path);

    *to = (endpoint){.local = {.sun_family = AF_UNIX}};
    if (!n || n >= sizeof to->local.sun_path)
        MB_FAIL(err, MB_E_ARG,
                "status: got a path of %zu bytes for a Unix socket; expected 1 to %zu: %.60s", n,
                sizeof to->local.sun_path - 1, path);
    memcpy(to->local.sun_path, path, n);
    *size = sizeof to->local;
    return MB_OK;
}

static mb_status place_of(const node_config *c, endpoint *to, socklen_t *size, mb_err *err)
{
    return strncmp(c->status, "unix:", 5) != 0 ? tcp_place(c, to, size, err)
                                               : local_place(c->status + 5, to, size, err);
}

mb_status http_check(mb_arena *a, const node_config *c, mb_err *err)
{
    http_access files;
    endpoint    to;
    socklen_t   size;

    MB_TRY(http_access_read(a, c, &files, err));
    return place_of(c, &to, &size, err);
}

/* A socket that a process left behind is removed; one in use and other files stay. */
static mb_status clear(const endpoint *to, socklen_t size, mb_err *err)
{
    const char *path = to->local.sun_path;
    struct stat is;
    int         probe, used;

    if (lstat(path, &is))
        return MB_OK;
    if (!S_ISSOCK(is.st_mode))
        MB_FAIL(err, MB_E_IO, "status: %s is there and is no socket; expected a free path", path);
    probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    used = probe >= 0 && (!connect(probe, &to->any, size) || errno == EAGAIN);
    if (probe >= 0)
        close(probe);
    if (used)
        MB_FAIL(err, MB_E_IO, "status: another process listens at %s", path);
    unlink(path);
    return MB_OK;
}

/* No one connects before the mode is set, because the socket does not listen yet. */
static int guard(http *h, const char *path)
{
    struct stat is;

    if (chmod(path, 0600) || lstat(path, &is))
        return -1;
    h->path = path;
    h->dev = is.st_dev;
    h->ino = is.st_ino;
    return 0;
}

mb_status http_listen(http *h, const node_config *c, mb_err *err)
{
    const char *address = c->status;
    const int   local = !strncmp(address, "unix:", 5), yes = 1;
    endpoint    to;
    socklen_t   size;

    MB_TRY(place_of(c, &to, &size, err));
    if (local)
        MB_TRY(clear(&to, size, err));
    h->listens = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (h->listens < 0 ||
        (!local && setsockopt(h->listens, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes)) ||
        bind(h->listens, &to.any, size) || (local && guard(h, address + 5)) ||
        listen(h->listens, BACKLOG))
        MB_FAIL(err, MB_E_IO, "status: cannot listen at %s: %s", address, strerror(errno));
    return MB_OK;
}

void http_unlisten(http *h)
{
    struct stat is;

    if (h->path && !lstat(h->path, &is) && is.st_dev == h->dev && is.st_ino == h->ino)
        unlink(h->path);
}
