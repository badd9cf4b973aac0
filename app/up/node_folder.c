/* node_folder.c - the folder of a node: `up` and `fleet make` write it. */
#include "up/node_folder.h"

#include "base/text.h"
#include "mesh/file_declared.h"
#include "up/local.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *node_folder_name(mb_arena *a, const char *name, mb_err *err)
{
    static const char digits[] = "0123456789ABCDEF";
    const size_t      n = strlen(name);
    char             *out = mb_alloc(a, 3 * n + 1, 1), *to = out;

    if (!out)
        return mb_text(NULL, err, "%s", "");
    for (const char *c = name; *c; c++) {
        const unsigned char byte = (unsigned char)*c;

        if (byte > ' ' && byte != 127 && byte != '/' && byte != '%' && (byte != '.' || c > name)) {
            *to++ = *c;
            continue;
        }
        *to++ = '%';
        *to++ = digits[byte >> 4];
        *to++ = digits[byte & 15];
    }
    return out;
}

mb_status node_folder_key(mb_arena *a, const char *program, const char *dir, const char **key,
                          const uint8_t **signing_key, mb_err *err)
{
    const char *const argv[] = {program, "keygen", "--out", "node.key", NULL};
    const char       *path = mb_text(a, err, "%s/node.key", dir);
    mb_json_in        j = {.file = path, .where = "", .err = err};
    const mb_json    *o;
    char              why[400];
    int               status = 0;
    pid_t             pid;

    if (!path)
        return MB_E_NOMEM;
    if (access(path, F_OK)) {
        pid = local_spawn(dir, "log", argv);
        while (pid && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        local_last_line(dir, why, sizeof why);
        if (!pid || status)
            MB_FAIL(err, MB_E_IO, "%s: cannot be made: %s", path, pid ? why : strerror(errno));
    }
    MB_TRY(mb_json_read(a, path, &o, err));
    *key = mb_json_get_text(&j, o, "public_key");
    if (!*key)
        mb_json_refuse(&j, "public_key", "", "a file of meshbayes-node keygen");
    MB_TRY(j.status);
    return signing_key ? mb_declared_signing_key_(a, &j, o, "signing_public_key", signing_key)
                       : MB_OK;
}

static void put_neighbours(const node_folder *all, const mb_graph *g, int32_t i, mb_json_out *j)
{
    mb_json_list(j, "neighbours");
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
        const node_folder *k = &all[g->adj[e]];

        mb_json_object(j, NULL);
        mb_json_integer(j, "id", k->id);
        mb_json_text(j, "name", k->name);
        mb_json_text(j, "address", k->address);
        if (k->key)
            mb_json_text(j, "public_key", k->key);
        mb_json_close(j);
    }
    mb_json_close(j);
}

mb_status node_folder_write(mb_arena *a, const node_folder *all, const mb_graph *g, int32_t i,
                            node_fields *more, const void *self, mb_err *err)
{
    const node_folder *n = &all[i];
    const char        *path = mb_text(a, err, "%s/node.json", n->dir);
    mb_json_out        j;

    if (!path)
        return MB_E_NOMEM;
    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, "id", n->id);
    mb_json_text(&j, "name", n->name);
    mb_json_text(&j, "listen", n->listen);
    if (n->key)
        mb_json_text(&j, "key", "node.key");
    else
        mb_json_bool(&j, "insecure", 1);
    more(self, i, &j);
    put_neighbours(all, g, i, &j);
    mb_json_close(&j);
    return mb_json_write(&j, path);
}
