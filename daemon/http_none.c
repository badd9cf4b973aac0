/* http_none.c - a build without libmicrohttpd: no status. */
#include "http.h"

mb_status http_check(const char *address, mb_err *err)
{
    MB_FAIL(err, MB_E_NOSUP,
            "status: got \"%.200s\"; expected none: this build has no libmicrohttpd", address);
}

mb_status http_open(node *n, int64_t now, http **out, mb_err *err)
{
    (void)now;
    *out = NULL;
    return http_check(n->c.status, err);
}

void http_close(http *h)
{
    (void)h;
}

int http_fd(const http *h)
{
    (void)h;
    return -1;
}

int64_t http_run(http *h, int64_t now)
{
    (void)h, (void)now;
    return -1;
}
