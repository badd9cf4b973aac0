/* config_status.c - the status of a configuration: where it is served, and to whom. */
#include "base/text.h"
#include "config_inside.h"

#include <string.h>

static mb_status get_tls(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const known[] = {"cert", "key", "client_ca", NULL};
    const mb_json           *t = mb_json_at(o, "status_tls");

    if (t->type <= MB_JSON_NULL)
        return MB_OK;
    if (t->type != MB_JSON_OBJECT) {
        mb_json_refuse(j, "status_tls", "", "{\"cert\": FILE, \"key\": FILE, \"client_ca\": FILE}");
        return j->status;
    }
    j->where = "status_tls.";
    mb_json_only(j, t, known);
    MB_TRY(node_path_of(a, j, t, "cert", c, &c->status_cert));
    MB_TRY(node_path_of(a, j, t, "key", c, &c->status_key));
    MB_TRY(node_path_of(a, j, t, "client_ca", c, &c->status_ca));
    if (!c->status_cert || !c->status_key)
        mb_json_refuse(j, c->status_cert ? "key" : "cert", "", "a PEM file");
    j->where = "";
    return j->status;
}

mb_status node_access_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    const char *local;

    c->status = mb_json_get_text(j, o, "status");
    MB_TRY(get_tls(a, j, o, c));
    MB_TRY(node_path_of(a, j, o, "status_token_file", c, &c->status_token));
    if ((c->status_cert || c->status_token) && (!c->status || !strncmp(c->status, "unix:", 5)))
        mb_json_refuse(j, c->status_cert ? "status_tls" : "status_token_file", "",
                       "none, because \"status\" is no HOST:PORT");
    if (!c->status || strncmp(c->status, "unix:", 5) != 0)
        return j->status;
    local = node_path(a, c, c->status + 5, j->err);
    c->status = local ? mb_text(a, j->err, "unix:%s", local) : NULL;
    return c->status ? j->status : MB_E_NOMEM;
}
