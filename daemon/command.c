/* command.c - a request to a node that runs, over the Unix socket of its status. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { SECONDS = 10, ANSWER = 4096 };

static mb_status failed(const char *path, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "no answer at unix:%.100s: %s; the node must be running", path,
            strerror(errno));
}

static mb_status dial(const char *path, int *fd, mb_err *err)
{
    struct sockaddr_un   to = {.sun_family = AF_UNIX};
    const struct timeval limit = {.tv_sec = SECONDS};

    if (strlen(path) >= sizeof to.sun_path)
        MB_FAIL(err, MB_E_ARG, "status: got a path of %zu bytes for a Unix socket; expected %zu",
                strlen(path), sizeof to.sun_path - 1);
    strcpy(to.sun_path, path);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) ||
        setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) ||
        connect(*fd, (const struct sockaddr *)&to, sizeof to))
        return failed(path, err);
    return MB_OK;
}

/* The whole answer, which ends with the connection. */
static mb_status ask(int fd, const char *path, const char *text, char *answer, mb_err *err)
{
    size_t  n = 0;
    ssize_t got;

    if (send(fd, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
        return failed(path, err);
    while (n < ANSWER - 1 && (got = recv(fd, answer + n, ANSWER - 1 - n, 0)) > 0)
        n += (size_t)got;
    answer[n] = 0;
    return n ? MB_OK : failed(path, err);
}

/* 200, or the answer's {"error": ".."}. */
static mb_status judge(mb_arena *a, char *answer, mb_err *err)
{
    const char    *blank = strchr(answer, ' ');
    char          *body = strstr(answer, "\r\n\r\n");
    mb_json_in     j = {.file = "answer of the node", .where = "", .err = err};
    const mb_json *o;
    const char    *why;

    if (blank && !strncmp(blank, " 200 ", 5))
        return MB_OK;
    if (!body)
        MB_FAIL(err, MB_E_IO, "the node's answer is none: %.60s", answer);
    body += 4;
    MB_TRY(mb_json_parse(a, "answer of the node", body, strlen(body), &o, err));
    why = mb_json_get_text(&j, o, "error");
    MB_TRY(j.status);
    MB_FAIL(err, MB_E_ARG, "%s", why);
}

mb_status node_command(mb_arena *a, const char *config, const char *what, const char *body,
                       mb_err *err)
{
    node_config c;
    mb_genesis  given;
    char        text[300], answer[ANSWER];
    const char *path;
    int         fd = -1;
    mb_status   st;

    MB_TRY(node_config_read(a, config, &c, &given, err));
    if (!c.status || strncmp(c.status, "unix:", 5) != 0)
        MB_FAIL(err, MB_E_ARG,
                "%s: field \"status\": got %s; expected \"unix:PATH\", by which a running node is "
                "told",
                config, c.status ? c.status : "none");
    path = c.status + 5;
    snprintf(text, sizeof text,
             "POST /%s HTTP/1.0\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s", what,
             strlen(body), body);
    st = dial(path, &fd, err);
    if (st >= 0)
        st = ask(fd, path, text, answer, err);
    if (fd >= 0)
        close(fd);
    return st < 0 ? st : judge(a, answer, err);
}
