/* http_command.c - POST /reset and POST /refuse: what the owner of the node tells it while it runs.
 * Only on a Unix socket. */
#include "http_inside.h"

#include "mesh/guarded.h"

#include <stdlib.h>

static mb_status done(http_request *r, const char *key, int64_t value, mb_err *err)
{
    mb_json_out j;

    mb_json_begin(&j, r->a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, key, value);
    mb_json_close(&j);
    return http_end(r, &j);
}

mb_status http_reset(http_request *r, mb_err *err)
{
    MB_TRY(http_local(r, "/reset", err));
    node_reset(r->h->n);
    return done(r, "reset", 1, err);
}

/* The body is the id of a neighbour. */
mb_status http_shut(http_request *r, mb_err *err)
{
    mb_err    why = {.msg = ""};
    char     *end = r->body;
    long      id;
    mb_status st;

    MB_TRY(http_local(r, "/refuse", err));
    id = r->n ? strtol(r->body, &end, 10) : -1;
    if (!r->n || end == r->body || (*end && *end != '\n') || id < 0 || id >= INT32_MAX)
        return http_refuse(r, MHD_HTTP_BAD_REQUEST, HTTP_BAD_COMMAND, err,
                           "POST /refuse: got \"%.40s\"; expected the id of a neighbour",
                           r->n ? r->body : "");
    st = node_shut(r->h->n, (int32_t)id, &why);
    if (st < 0)
        return http_refuse(r, MHD_HTTP_BAD_REQUEST, HTTP_BAD_COMMAND, err, "%s", why.msg);
    return done(r, "refused", id, err);
}
