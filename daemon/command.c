/* command.c - a request to a node that runs, over the Unix socket of its status. */
#include "command.h"
#include "base/ask.h"
#include "config.h"

#include <string.h>

enum { SECONDS = 10 };

mb_status node_command(mb_arena *a, const char *config, const char *path, const char *body,
                       mb_err *err)
{
    node_config c;
    mb_genesis  given;
    ask         q = {.path = path, .post = body};
    const char *why;

    MB_TRY(node_config_read(a, config, &c, &given, err));
    if (!c.status || strncmp(c.status, "unix:", 5) != 0)
        MB_FAIL(err, MB_E_ARG,
                "%s: field \"status\": got %s; expected \"unix:PATH\", by which a running node is "
                "told",
                config, c.status ? c.status : "none");
    q.where = c.status;
    MB_TRY(ask_all(a, &q, 1, SECONDS, err));
    if (q.code == 200)
        return MB_OK;
    why = ask_why(a, &q, err);
    if (!why)
        return MB_E_NOMEM;
    if (!q.code)
        MB_FAIL(err, MB_E_IO, "no answer at %.100s: %.200s; the node must be running", c.status,
                why);
    MB_FAIL(err, MB_E_ARG, "%s", why);
}
