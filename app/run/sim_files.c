/* sim_files.c - the files of a run: their names, the folder --out, the trace, and paths as a
 * folder has them: one that begins at the root of the disk becomes its last name, so that the
 * folder can be given away. */
#include "base/folder.h"
#include "base/opt.h"
#include "base/text.h"
#include "posterior/file.h"
#include "run/sim.h"

#include <string.h>

int sim_to_folder(const sim_job *job)
{
    return job->out && !mb_path_ends(job->out, ".json") && !mb_path_ends(job->out, ".npz");
}

mb_status sim_write_posterior(mb_arena *a, const mb_posterior *p, const mb_provenance *from,
                              const char *path, mb_err *err)
{
    return (mb_path_ends(path, ".npz") ? mb_posterior_arrays_write : mb_posterior_write)(a, p, from,
                                                                                         path, err);
}

const char *sim_path(sim_job *job, const char *name, mb_err *err)
{
    return mb_text(job->a, err, "%s/%s", job->out, name);
}

mb_status sim_wrote(sim_job *job, const char *path, mb_err *err)
{
    const size_t n = sim_to_folder(job) ? strlen(job->out) : 0;
    const char  *name;

    if (!n || strncmp(path, job->out, n) != 0 || (path[n] != '/' && path[n - 1] != '/'))
        return MB_OK;
    path += n + strspn(path + n, "/");
    if (strchr(path, '/') || job->nwrote == SIM_MAX_FILES)
        return MB_OK;
    for (int32_t k = 0; k < job->nwrote; k++)
        if (!strcmp(job->wrote[k], path))
            return MB_OK;
    name = mb_text(job->a, err, "%s", path);
    if (!name)
        return MB_E_NOMEM;
    job->wrote[job->nwrote++] = name;
    return MB_OK;
}

const char *sim_name(sim_job *job, const sim_args *args, const char *path, const char *algorithm,
                     mb_err *err)
{
    const char *slash, *base, *npy, *dot;
    int         stem;

    if (!path || args->nchoice == 1)
        return path;
    slash = strrchr(path, '/');
    base = slash ? slash : path;
    npy = strstr(base, ".npy.gz");
    dot = npy && !npy[7] ? npy : strrchr(base, '.');
    stem = dot ? (int)(dot - path) : (int)strlen(path);
    return mb_text(job->a, err, "%.*s-%s%s", stem, path, algorithm, path + stem);
}

mb_status sim_file(sim_job *job, const char *name, const char *header, sim_body body, void *self,
                   mb_err *err)
{
    const char *path = sim_path(job, name, err);
    mb_file     f = {0};
    mb_status   st = path ? mb_file_open(job->a, path, &f, err) : MB_E_NOMEM;

    if (st >= 0)
        st = mb_file_write(&f, header, strlen(header), err);
    if (st >= 0 && body)
        st = body(self, &f, err);
    MB_TRY(mb_file_close(&f, st, err));
    return sim_wrote(job, path, err);
}

mb_status sim_folder(sim_job *job, mb_err *err)
{
    if (!sim_to_folder(job) || job->ranks.rank)
        return MB_OK;
    MB_TRY(mb_dir_make(job->out, err));
    MB_TRY(folder_lock(job->out, job->name, FOLDER_NEW, err));
    folder_sweep(job->out);
    return MB_OK;
}

int sim_traced(const sim_job *job, const sim_case *cs)
{
    return cs->metrics && (cs->args->opt.trace || sim_to_folder(job));
}

mb_file *sim_trace_file(sim_job *job, const sim_case *cs)
{
    return sim_traced(job, cs) && !job->ranks.rank ? &job->trace : NULL;
}

mb_status sim_trace(sim_job *job, const sim_case *cs, mb_err *err)
{
    const char *header = mb_trace_header(cs->args->nchoice > 1);
    const char *path;

    if (!sim_traced(job, cs))
        return MB_OK;
    path = cs->args->opt.trace ? cs->args->opt.trace : sim_path(job, "trace.csv", err);
    if (!path)
        return MB_E_NOMEM;
    MB_TRY(sim_wrote(job, path, err));
    if (job->ranks.rank)
        return MB_OK;
    MB_TRY(mb_file_open(job->a, path, &job->trace, err));
    return mb_file_write(&job->trace, header, strlen(header), err);
}

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
    const char *redacted = sim_redact(job, path, err), *at = strstr(text, path);

    while (redacted && text && at) {
        const size_t done = (size_t)(at - text) + strlen(redacted);

        text =
            mb_text(job->a, err, "%.*s%s%s", (int)(at - text), text, redacted, at + strlen(path));
        at = text ? strstr(text + done, path) : NULL;
    }
    return redacted ? text : NULL;
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
