/* folder_earlier.c - from one run in a folder to the next: the list of the files of the earlier run is
 * stored aside until those of the new one are there, and then what only the earlier run made is
 * removed. A process that is killed in between leaves the list for the next one. */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 };

static void path_of(char path[PATH], const char *dir, const char *name)
{
    snprintf(path, PATH, "%s/%s", dir, name);
}

/* Files of `before` that `now` does not list, unless they have been changed since. */
static void remove_stale(const char *dir, const mb_json *before, const mb_json *now)
{
    const mb_json *files = mb_json_at(before, "files");

    for (size_t k = 0; files->type == MB_JSON_OBJECT && k < files->n; k++) {
        const char *name = files->item[k].key;
        char        path[PATH];

        if (folder_has(now, name) || !folder_is_same(dir, name, &files->item[k]))
            continue;
        path_of(path, dir, name);
        unlink(path);
    }
}

static mb_status tidy(mb_arena *a, const char *dir, const char *aside, mb_err *err)
{
    char           path[PATH];
    const mb_json *before, *now;
    mb_status      st;

    path_of(path, dir, "summary.json");
    MB_TRY(mb_json_read(a, path, &now, err));
    st = mb_json_read(a, aside, &before, err);
    if (st == MB_E_NOMEM)
        return st;
    if (st >= 0) /* else it is no list */
        remove_stale(dir, before, now);
    unlink(aside);
    return MB_OK;
}

mb_status folder_end(const char *dir, mb_err *err)
{
    char      aside[PATH];
    mb_arena *a;
    mb_status st;

    path_of(aside, dir, ".earlier.json");
    if (access(aside, F_OK) != 0)
        return MB_OK;
    a = mb_arena_new(1 << 14);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory to read it", aside);
    st = tidy(a, dir, aside, err);
    mb_arena_free(a);
    return st;
}

/* summary.json becomes .earlier.json. */
static mb_status put_aside(const char *dir, mb_err *err)
{
    char summary[PATH], aside[PATH];

    path_of(summary, dir, "summary.json");
    path_of(aside, dir, ".earlier.json");
    if (access(summary, F_OK) == 0 && access(aside, F_OK) == 0)
        MB_TRY(folder_end(dir, err)); /* of a process that was killed before it was done */
    if (rename(summary, aside) != 0 && errno != ENOENT && errno != ENOTDIR)
        MB_FAIL(err, MB_E_IO, "%s: cannot remove: %s", summary, strerror(errno));
    return MB_OK;
}

static mb_status drop(const char *dir, const char *name, mb_err *err)
{
    char path[PATH];

    path_of(path, dir, name);
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
        MB_FAIL(err, MB_E_IO, "%s: cannot remove: %s", path, strerror(errno));
    return MB_OK;
}

/* 1 if the name is that of a figure of the report. */
static int is_figure(const char *name)
{
    static const char *const begins[] = {"network-",  "data-",        "contours-",  "kl-cvb-",
                                         "kl-truth-", "bound-",       "agreement-", "pairs",
                                         "principal", "coefficients", "fitted",     "components."};
    const char              *dot = strrchr(name, '.');

    if (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0))
        return 0;
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (!strncmp(name, begins[k], strlen(begins[k])))
            return 1;
    return 0;
}

mb_status folder_begin(const char *dir, mb_err *err)
{
    char                 below[4096];
    DIR                 *d;
    const struct dirent *e;

    MB_TRY(put_aside(dir, err));
    MB_TRY(drop(dir, "report.html", err));
    snprintf(below, sizeof below, "%s/figures", dir);
    d = opendir(below);
    while (d && (e = readdir(d)))
        if (is_figure(e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    return MB_OK;
}
