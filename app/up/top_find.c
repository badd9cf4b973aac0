/* top_find.c - the nodes of a folder, as their configurations say where their status is. */
#include "base/app.h"
#include "base/text.h"
#include "up/top.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 /* nodes */ };

static int is_there(const char *dir, const char *name)
{
    char path[4096];

    return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

static mb_status add(top *t, const char *where, const char *name, mb_err *err)
{
    if (t->n == MOST)
        MB_FAIL(err, MB_E_ARG, "more than %d nodes", MOST);
    t->node[t->n++] = (top_node){.where = where, .name = name};
    return MB_OK;
}

const char *top_where(mb_arena *a, const char *dir, const char *status, mb_err *err)
{
    if (strncmp(status, "unix:", 5) != 0)
        return mb_text(a, err, "http://%s", status);
    return status[5] == '/' ? status : mb_text(a, err, "unix:%s/%s", dir, status + 5);
}

const char *top_token(mb_arena *a, const char *dir, const char *file, const char **why)
{
    const char *token = NULL;
    mb_err      err;

    *why = NULL;
    if (file && *file != '/')
        file = mb_text(a, NULL, "%s/%s", dir, file);
    if (file && ask_token(a, file, &token, &err) < 0)
        *why = mb_text(a, NULL, "%s", err.msg);
    return token;
}

/* The node whose configuration is DIR/node.json. */
static mb_status add_folder(mb_arena *a, const char *dir, top *t, mb_err *err)
{
    const char *file = mb_text(a, err, "%s/node.json", dir), *name, *status, *token, *where = NULL;
    mb_json_in  j = {.file = file, .where = "", .err = err};
    const mb_json *o;

    if (!file)
        return MB_E_NOMEM;
    MB_TRY(mb_json_read(a, file, &o, err));
    status = mb_json_get_text(&j, o, "status");
    name = mb_json_get_text(&j, o, "name");
    token = mb_json_get_text(&j, o, "status_token_file");
    MB_TRY(j.status);
    if (status)
        where = top_where(a, dir, status, err);
    if (status && !where)
        return MB_E_NOMEM;
    if (!name)
        name = strrchr(dir, '/') ? strrchr(dir, '/') + 1 : dir;
    MB_TRY(add(t, where, name, err));
    t->node[t->n - 1].token = top_token(a, dir, token, &t->node[t->n - 1].why);
    return MB_OK;
}

static int is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")];
}

/* By number where both are numbers, else by bytes. */
static int by_name(const void *x, const void *y)
{
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;

    if (is_number(a) && is_number(b) && strlen(a) != strlen(b))
        return strlen(a) < strlen(b) ? -1 : 1;
    return strcmp(a, b);
}

/* The nodes of a network: DIR/nodes/NAME. */
static mb_status add_network(mb_arena *a, const char *dir, top *t, mb_err *err)
{
    const char          *nodes = mb_text(a, err, "%s/nodes", dir), **name;
    const struct dirent *e;
    DIR                 *d;
    int32_t              n = 0;

    if (!nodes)
        return MB_E_NOMEM;
    d = opendir(nodes);
    if (!d)
        MB_FAIL(err, MB_E_IO,
                "%s: no folder \"nodes\" and no node.json in it; expected the folder "
                "--out of meshbayes up, or that of a node",
                dir);
    name = mb_alloc(a, MOST, sizeof *name);
    while (name && n < MOST && (e = readdir(d))) {
        const char *one = *e->d_name == '.' ? NULL : mb_text(a, err, "%s", e->d_name);

        if (one)
            name[n++] = one;
    }
    closedir(d);
    if (!name)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the names of nodes");
    qsort(name, (size_t)n, sizeof *name, by_name);
    for (int32_t k = 0; k < n; k++) {
        const char *one = mb_text(a, err, "%s/%s", nodes, name[k]);

        if (!one)
            return MB_E_NOMEM;
        if (is_there(one, "node.json"))
            MB_TRY(add_folder(a, one, t, err));
    }
    return MB_OK;
}

mb_status top_find(mb_arena *a, const char *const *words, top *out, mb_err *err)
{
    static const char *const here[] = {".", NULL};

    *out = (top){.n = 0};
    MB_NEW(out->node, a, MOST, err);
    for (words = *words ? words : here; *words; words++) {
        const char *word = *words;

        if (ask_is_address(word))
            MB_TRY(add(out, word, word, err));
        else if (strstr(word, "://"))
            MB_FAIL(
                err, MB_E_ARG,
                "got \"%s\"; expected a folder, unix:PATH or http://ADDRESS:PORT, an address in "
                "numbers, without TLS",
                word);
        else if (is_there(word, "node.json"))
            MB_TRY(add_folder(a, word, out, err));
        else
            MB_TRY(add_network(a, word, out, err));
    }
    if (!out->n)
        MB_FAIL(err, MB_E_ARG, "there is no node; expected folders with nodes, or addresses");
    return MB_OK;
}
