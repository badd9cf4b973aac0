/* sim_said.c - what a run says and writes: warnings, and the names of its files. */
#include "sim/sim.h"

#include <stdarg.h>
#include <string.h>

void sim_warn(sim *s, const char *fmt, ...)
{
    char        line[512];
    const char *copy;
    va_list     ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (!s->ranks.rank)
        app_warn(s->command->name, "%s", line);
    if (s->said.nwarning == SIM_MAX_WARNINGS)
        return;
    copy = mb_text(s->a, NULL, "%s", line);
    if (copy)
        s->said.warning[s->said.nwarning++] = copy;
}

int sim_to_folder(const sim *s)
{
    const char *dot = s->opt.out ? strrchr(s->opt.out, '.') : NULL;

    return s->opt.out && !(dot && !strcmp(dot, ".json"));
}

mb_status sim_wrote(sim *s, const char *path, mb_err *err)
{
    const size_t n = sim_to_folder(s) ? strlen(s->opt.out) : 0;
    sim_said    *said = &s->said;
    const char  *name;

    if (!n || strncmp(path, s->opt.out, n) != 0 || (path[n] != '/' && path[n - 1] != '/'))
        return MB_OK;
    path += n + strspn(path + n, "/");
    if (strchr(path, '/') || said->nwrote == SIM_MAX_FILES)
        return MB_OK;
    for (int32_t k = 0; k < said->nwrote; k++)
        if (!strcmp(said->wrote[k], path))
            return MB_OK;
    name = mb_text(s->a, err, "%s", path);
    if (!name)
        return MB_E_NOMEM;
    said->wrote[said->nwrote++] = name;
    return MB_OK;
}

mb_status sim_name(sim *s, const char *path, const char *algorithm, char **out, mb_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash : path;
    const char *npy = strstr(base, ".npy.gz");
    const char *dot = npy && !npy[7] ? npy : strrchr(base, '.');
    size_t      stem = dot ? (size_t)(dot - path) : strlen(path);
    size_t      cap = strlen(path) + strlen(algorithm) + 2;

    MB_NEW(*out, s->a, cap, err);
    if (s->asked.nchoice == 1)
        memcpy(*out, path, strlen(path) + 1);
    else
        snprintf(*out, cap, "%.*s-%s%s", (int)stem, path, algorithm, path + stem);
    return MB_OK;
}
