/* sim_files.c - the files of a run: their names, the folder --out and the trace. */
#include "base/folder.h"
#include "base/text.h"
#include "run/sim.h"

#include <string.h>

int sim_to_folder(const sim *s)
{
    const char *dot = s->args.opt.out ? strrchr(s->args.opt.out, '.') : NULL;

    return s->args.opt.out && !(dot && !strcmp(dot, ".json"));
}

const char *sim_path(sim *s, const char *name, mb_err *err)
{
    return mb_text(s->job.a, err, "%s/%s", s->args.opt.out, name);
}

mb_status sim_wrote(sim *s, const char *path, mb_err *err)
{
    const size_t n = sim_to_folder(s) ? strlen(s->args.opt.out) : 0;
    sim_job     *said = &s->job;
    const char  *name;

    if (!n || strncmp(path, s->args.opt.out, n) != 0 || (path[n] != '/' && path[n - 1] != '/'))
        return MB_OK;
    path += n + strspn(path + n, "/");
    if (strchr(path, '/') || said->nwrote == SIM_MAX_FILES)
        return MB_OK;
    for (int32_t k = 0; k < said->nwrote; k++)
        if (!strcmp(said->wrote[k], path))
            return MB_OK;
    name = mb_text(s->job.a, err, "%s", path);
    if (!name)
        return MB_E_NOMEM;
    said->wrote[said->nwrote++] = name;
    return MB_OK;
}

const char *sim_name(sim *s, const char *path, const char *algorithm, mb_err *err)
{
    const char *slash, *base, *npy, *dot;
    int         stem;

    if (!path || s->args.nchoice == 1)
        return path;
    slash = strrchr(path, '/');
    base = slash ? slash : path;
    npy = strstr(base, ".npy.gz");
    dot = npy && !npy[7] ? npy : strrchr(base, '.');
    stem = dot ? (int)(dot - path) : (int)strlen(path);
    return mb_text(s->job.a, err, "%.*s-%s%s", stem, path, algorithm, path + stem);
}

mb_status sim_file(sim *s, const char *name, const char *header, sim_body body, void *self,
                   mb_err *err)
{
    const char *path = sim_path(s, name, err);
    mb_file     f = {0};
    mb_status   st = path ? mb_file_open(s->job.a, path, &f, err) : MB_E_NOMEM;

    if (st >= 0)
        st = mb_file_write(&f, header, strlen(header), err);
    if (st >= 0 && body)
        st = body(self, &f, err);
    MB_TRY(mb_file_close(&f, st, err));
    return sim_wrote(s, path, err);
}

mb_status sim_folder(sim *s, mb_err *err)
{
    if (!sim_to_folder(s) || s->job.ranks.rank)
        return MB_OK;
    MB_TRY(mb_dir_make(s->args.opt.out, err));
    MB_TRY(folder_lock(s->args.opt.out, s->args.command->name, FOLDER_NEW, err));
    folder_sweep(s->args.opt.out);
    return MB_OK;
}

int sim_traced(const sim *s)
{
    return s->cs.metrics && (s->args.opt.trace || sim_to_folder(s));
}

mb_file *sim_trace_file(sim *s)
{
    return sim_traced(s) && !s->job.ranks.rank ? &s->job.trace : NULL;
}

mb_status sim_trace(sim *s, mb_err *err)
{
    const char *header = mb_trace_header(s->args.nchoice > 1);
    const char *path;

    if (!sim_traced(s))
        return MB_OK;
    path = s->args.opt.trace ? s->args.opt.trace : sim_path(s, "trace.csv", err);
    if (!path)
        return MB_E_NOMEM;
    MB_TRY(sim_wrote(s, path, err));
    if (s->job.ranks.rank)
        return MB_OK;
    MB_TRY(mb_file_open(s->job.a, path, &s->job.trace, err));
    return mb_file_write(&s->job.trace, header, strlen(header), err);
}
