/* node_file.c - addresses in the configuration of a node, and in files that describe one. */
#include "base/node_file.h"

#include "base/app.h"

#include <string.h>

/* 1: tcp://HOST:PORT. */
static int is_address(const char *address)
{
    const char *at = strncmp(address, "tcp://", 6) ? NULL : strrchr(address + 6, ':');

    return at && at > address + 6 && app_port(at + 1, strlen(at + 1));
}

int node_file_is_loopback(const char *address)
{
    return !strncmp(address, "tcp://127.", 10) || !strncmp(address, "tcp://[::1]:", 12) ||
           !strncmp(address, "tcp://localhost:", 16);
}

static mb_status refuse(const mb_json_in *j, const char *key, const char *address,
                        const char *accepted)
{
    MB_FAIL(j->err, MB_E_FORMAT, "%s: field \"%s%s\": got \"%.100s\"; expected %s", j->file,
            j->where, key, address, accepted);
}

const char *node_file_address(mb_json_in *j, const mb_json *o, const char *key, int insecure)
{
    const char *address = mb_json_get_text(j, o, key), *accepted = NULL;

    if (address && !is_address(address))
        accepted = "tcp://HOST:PORT";
    else if (address && insecure && !node_file_is_loopback(address))
        accepted = "an address of this machine (tcp://127.0.0.1:PORT), because the file says "
                   "insecure";
    if (!accepted)
        return address;
    if (j->status >= 0)
        j->status = refuse(j, key, address, accepted);
    return NULL;
}
