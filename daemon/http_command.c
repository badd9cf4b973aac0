/* http_command.c - POST /reset, /refuse and /without: what the owner of the node tells it while it
 * runs. Only on a Unix socket. */
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

/* The body is an id of a node; -1: it is none. */
static int32_t id_of(const http_request *r)
{
    char      *end = r->body;
    const long id = r->n ? strtol(r->body, &end, 10) : -1;

    return !r->n || end == r->body || (*end && *end != '\n') || id < 0 || id >= INT32_MAX
               ? -1
               : (int32_t)id;
}

/* What a command on a node of an id does; key: of the answer. */
static mb_status with_id(http_request *r, const char *url, const char *whom, const char *key,
                         mb_status (*act)(node *n, int32_t id, mb_err *err), mb_err *err)
{
    mb_err        why = {.msg = ""};
    const int32_t id = id_of(r);

    MB_TRY(http_local(r, url, err));
    if (id < 0)
        return http_refuse(r, MHD_HTTP_BAD_REQUEST, HTTP_BAD_COMMAND, err,
                           "POST %s: got \"%.40s\"; expected the id of a %s", url,
                           r->n ? r->body : "", whom);
    if (act(r->h->n, id, &why) < 0)
        return http_refuse(r, MHD_HTTP_BAD_REQUEST, HTTP_BAD_COMMAND, err, "%s", why.msg);
    return done(r, key, id, err);
}

mb_status http_shut(http_request *r, mb_err *err)
{
    return with_id(r, "/refuse", "neighbour", "refused", node_shut, err);
}

static mb_status leave_out(node *n, int32_t id, mb_err *err)
{
    const mb_status st = mb_peer_without(n->peer, id, err);

    node_record(n, (mb_called){.call = MB_CALL_WITHOUT, .id = id, .answer = st});
    return st;
}

mb_status http_without(http_request *r, mb_err *err)
{
    return with_id(r, "/without", "member", "left_out", leave_out, err);
}
