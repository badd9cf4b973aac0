/* sim_redact.c - what an output folder says of paths: one that begins at the root of the disk becomes
 * its last name, so that the folder can be given away. Relative paths remain as they were given. */
#include "base/opt.h"
#include "base/text.h"
#include "run/sim.h"

#include <string.h>

/* Lists have commas, and "centres:FILE" a colon before the path. */
static int begins(const char *text, const char *at)
{
    return *at == '/' && (at == text || at[-1] == ',' || at[-1] == ':');
}

/* The last name of a path of n bytes; *n becomes its length. */
static const char *last_name(const char *path, size_t *n)
{
    size_t first;

    while (*n > 1 && path[*n - 1] == '/')
        --*n;
    for (first = *n; first > 0 && path[first - 1] != '/'; first--)
        continue;
    *n -= first;
    return path + first;
}

static mb_status room(sim_job *job, size_t n, char **out, mb_err *err)
{
    MB_NEW(*out, job->a, n, err);
    return MB_OK;
}

const char *sim_redact(sim_job *job, const char *text, mb_err *err)
{
    const char *from = text;
    char       *out, *to;

    if (room(job, strlen(text) + 1, &out, err) < 0)
        return NULL;
    to = out;
    while (*from) {
        size_t      n = begins(text, from) ? strcspn(from, ",") : 0, len = n;
        const char *name = n ? last_name(from, &len) : from;

        if (!n)
            n = len = 1;
        memcpy(to, name, len);
        to += len;
        from += n;
    }
    return out;
}

/* text with every `path` in it replaced. */
static const char *replace(sim_job *job, const char *text, const char *path, mb_err *err)
{
    const char *told = sim_redact(job, path, err), *at = strstr(text, path);

    while (told && text && at) {
        const size_t done = (size_t)(at - text) + strlen(told);

        text = mb_text(job->a, err, "%.*s%s%s", (int)(at - text), text, told, at + strlen(path));
        at = text ? strstr(text + done, path) : NULL;
    }
    return told ? text : NULL;
}

const char *sim_redact_text(sim_job *job, const sim_args *args, const char *text, mb_err *err)
{
    for (const mb_opt *o = args->table; o->name && text; o++) {
        char        number[64];
        const char *value = mb_opt_is_text(o) ? sim_option_text(o, &args->opt, number) : "";

        if (*value == '/' && value[1])
            text = replace(job, text, value, err);
    }
    return text;
}
