/* http.c - the status of a node: not yet. */
#include "http.h"

mb_status http_open(node *n, http **out, mb_err *err)
{
    (void)n;
    *out = NULL;
    MB_FAIL(err, MB_E_NOSUP, "status: this build has no libmicrohttpd");
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
