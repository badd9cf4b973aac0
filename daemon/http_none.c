/* http_none.c - a build without libmicrohttpd: no status. */
#include "http.h"

mb_status http_check(mb_arena *a, const node_config *c, mb_err *err)
{
    (void)a;
    MB_FAIL(err, MB_E_NOSUP,
            "status: got \"%.200s\"; expected none: this build has no libmicrohttpd", c->status);
}

int http_is_open(const node_config *c)
{
    (void)c;
    return 0;
}

mb_status http_open(node *n, int64_t now, http **out, mb_err *err)
{
    (void)now;
    *out = NULL;
    return http_check(n->a, &n->c, err);
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
