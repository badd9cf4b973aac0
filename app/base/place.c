/* place.c - the programs and data that are installed with the running program. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/place.h"

#include "base/app.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "meshbayes-"

/* Where they are, from the folder of the executable, in the order of the search. In the build tree
 * they are beside it; cmake/install.cmake defines the paths between installed folders. */
static const char *const programs[] = {".", MB_BIN_TO_LIBEXEC, NULL};
static const char *const data[] = {"share/meshbayes", MB_BIN_TO_DATA, MB_LIBEXEC_TO_DATA, NULL};

/* The folder of the running executable, links resolved; 0 where the system does not tell. */
static int own_folder(char out[PLACE_PATH])
{
    static const char *const self[] = {"/proc/self/exe", "/proc/curproc/file" /* FreeBSD */};
    ssize_t                  n = -1;
    char                    *slash;

    for (size_t k = 0; k < sizeof self / sizeof *self && n <= 0; k++)
        n = readlink(self[k], out, PLACE_PATH - 1);
    if (n <= 0 || n >= PLACE_PATH - 1)
        return 0;
    out[n] = 0;
    slash = strrchr(out, '/');
    if (!slash)
        return 0;
    *slash = 0;
    return 1;
}

/* path = FOLDER/below/name; 1 if it exists and allows `how` (see access). */
static int there(const char *folder, const char *below, const char *name, int how,
                 char path[PLACE_PATH])
{
    const int n = strcmp(below, ".") != 0
                      ? snprintf(path, PLACE_PATH, "%s/%s/%s", folder, below, name)
                      : snprintf(path, PLACE_PATH, "%s/%s", folder, name);

    return n > 0 && n < PLACE_PATH && access(path, how) == 0;
}

static int first_of(const char *const *below, const char *name, int how, char path[PLACE_PATH])
{
    char folder[PLACE_PATH];

    for (int found = own_folder(folder); found && *below; below++)
        if (there(folder, *below, name, how, path))
            return 1;
    return 0;
}

/* Letters, digits and dashes: never a path to another folder. */
static int is_name(const char *name)
{
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return n > 0 && n < PLACE_NAME && !name[n] && *name != '-';
}

int place_program(const char *name, char path[PLACE_PATH])
{
    char file[sizeof PREFIX + PLACE_NAME];

    if (!is_name(name))
        return 0;
    snprintf(file, sizeof file, PREFIX "%s", name);
    return first_of(programs, file, X_OK, path);
}

int place_beside(const char *name, char path[PLACE_PATH])
{
    static const char *const here[] = {".", NULL};

    return first_of(here, name, R_OK, path);
}

int place_data(const char *name, char path[PLACE_PATH])
{
    char found[PLACE_PATH];

    if (there("data", ".", name, R_OK, path))
        return 1;
    return first_of(data, name, R_OK, found) && realpath(found, path);
}

static void add(place_programs *to, const char *name)
{
    char path[PLACE_PATH];

    for (int k = 0; k < to->count; k++)
        if (!strcmp(to->name[k], name))
            return;
    if (to->count < PLACE_MOST && place_program(name, path))
        snprintf(to->name[to->count++], PLACE_NAME, "%s", name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

void place_programs_find(place_programs *out)
{
    char folder[PLACE_PATH], path[PLACE_PATH];

    out->count = 0;
    for (int k = own_folder(folder) ? 0 : -1; k >= 0 && programs[k]; k++) {
        DIR           *dir = there(folder, programs[k], "", X_OK, path) ? opendir(path) : NULL;
        struct dirent *e;

        while (dir && (e = readdir(dir)))
            if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)))
                add(out, e->d_name + strlen(PREFIX));
        if (dir)
            closedir(dir);
    }
    qsort(out->name, (size_t)out->count, sizeof *out->name, by_name);
}

int place_exec(const char *path, char **argv)
{
    signal(SIGPIPE, SIG_DFL); /* ignored signals would be inherited */
    signal(SIGXFSZ, SIG_DFL);
    execvp(path, argv);
    fprintf(stderr, "meshbayes: error: %s: cannot be run: %s\n", path, strerror(errno));
    return APP_FAILED;
}
