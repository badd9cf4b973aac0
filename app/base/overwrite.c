/* overwrite.c - no command overwrites its input: the files that its options name, compared by device
 * and inode instead of by name. */
#include "base/app.h"

#include <assert.h>
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of the files that commands write into a folder; they leave other files there alone. */
static const char *const written[] = {"config.json",      "summary.json",   "posterior.json",
                                      "posterior-*.json", "posteriors.npy", "trace.csv",
                                      "nodes.csv",        "network.csv",    "edges.csv",
                                      "posteriors-*.npy", "view_*.csv",     "report.html"};

static int same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* 1 if standard output goes into this file. */
static int printed_to(const struct stat *file)
{
    struct stat st;

    return fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) && same(&st, file);
}

/* 1 if the folder contains this file under one of those names. */
static int in_folder(const char *folder, const struct stat *file)
{
    DIR           *dir = opendir(folder);
    struct dirent *e;
    int            found = 0;

    while (dir && !found && (e = readdir(dir))) {
        struct stat st;

        for (size_t k = 0; k < sizeof written / sizeof *written && !found; k++)
            found = !fnmatch(written[k], e->d_name, 0) &&
                    fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && same(&st, file);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* The file that an option names, without a prefix such as "file:"; NULL: none. */
static const char *file_of(const app_group *g, const mb_opt *o)
{
    const char *value = *(const char *const *)((const char *)g->obj + o->at);
    const char *word = o->choices;
    int         plain = !word;

    for (size_t len; value && word && *word; word += len + (word[len] == '|')) {
        size_t prefix;

        len = strcspn(word, "|");
        prefix = strcspn(word, ":|") + 1;
        if (prefix <= len && !strncmp(value, word, prefix))
            return value + prefix;
        plain |= !strncmp(word, "FILE", 4) || !strncmp(word, "DIR", 3);
    }
    return plain ? value : NULL;
}

/* A file that an option or a word names. */
typedef struct named {
    char        option[72]; /* "--data" */
    const char *path;
    int         output;
} named;
enum { MOST = 64 /* files of a command */ };

/* All of them, words first. */
static int list_files(const app_group *group, int ngroup, const char *const *words, int nwords,
                      named *out)
{
    int n = 0;

    for (int w = 0; w < nwords; w++)
        out[n++] = (named){.option = "the file", .path = words[w]};
    for (int g = 0; g < ngroup; g++)
        for (const mb_opt *o = group[g].table; o->name; o++) {
            const int   is_file = o->kind == MB_OPT_INPUT || o->kind == MB_OPT_OUTPUT;
            const char *path = is_file ? file_of(&group[g], o) : NULL;

            if (!path)
                continue;
            assert(n < MOST);
            out[n] = (named){.path = path, .output = o->kind == MB_OPT_OUTPUT};
            snprintf(out[n++].option, sizeof out->option, "--%s", o->name);
        }
    return n;
}

mb_status app_refuse_overwrite(const char *out_option, const char *out, const char *in_option,
                               const char *in, mb_err *err)
{
    struct stat from, to;

    if (stat(in, &from) == 0 && S_ISDIR(from.st_mode) && out && stat(out, &to) == 0 &&
        same(&from, &to))
        MB_FAIL(err, MB_E_ARG, "%s and %s are the same folder, %.200s; expected another one",
                out_option, in_option, in);
    if (stat(in, &from) != 0 || !S_ISREG(from.st_mode))
        return MB_OK;
    if (printed_to(&from))
        MB_FAIL(err, MB_E_ARG,
                "standard output and %s %.200s are the same file; expected output elsewhere",
                in_option, in);
    if (!out || stat(out, &to) != 0)
        return MB_OK;
    if (S_ISDIR(to.st_mode) ? in_folder(out, &from) : same(&from, &to))
        MB_FAIL(err, MB_E_ARG, "%s %.160s would be written over %s %.160s; expected %s", out_option,
                out, in_option, in, S_ISDIR(to.st_mode) ? "another folder" : "another file");
    return MB_OK;
}

/* An output in the file of standard output would replace what is printed there, and the second of
 * two outputs in one file would replace the first. */
static mb_status check_output(const named *mine, const named *before, int n, mb_err *err)
{
    struct stat a, b;
    const int   there = stat(mine->path, &a) == 0;

    if (!strncmp(mine->path, "/dev/", 5))
        return MB_OK;
    if (there && printed_to(&a))
        MB_FAIL(err, MB_E_ARG,
                "%s %.200s is the file that standard output goes to; expected another one",
                mine->option, mine->path);
    for (const named *o = before; o < before + n; o++)
        if (o->output && (!strcmp(mine->path, o->path) ||
                          (there && stat(o->path, &b) == 0 && S_ISREG(a.st_mode) && same(&a, &b))))
            MB_FAIL(err, MB_E_ARG, "%s %.160s and %s %.160s are the same file; expected one each",
                    o->option, o->path, mine->option, mine->path);
    return MB_OK;
}

/* The first file of "a,b" (one file when there is one of that very name); *path: the others, or
 * NULL. */
static mb_status check_input(const named *list, int n, const char *option, const char **path,
                             mb_err *err)
{
    const size_t len = strcspn(*path, ",");
    struct stat  st;
    char         one[PATH_MAX];

    if (!(*path)[len] || len >= sizeof one || stat(*path, &st) == 0) {
        snprintf(one, sizeof one, "%s", *path);
        *path = NULL;
    } else {
        snprintf(one, sizeof one, "%.*s", (int)len, *path);
        *path += len + 1;
    }
    MB_TRY(app_refuse_overwrite(NULL, NULL, option, one, err));
    for (int o = 0; o < n; o++)
        if (list[o].output)
            MB_TRY(app_refuse_overwrite(list[o].option, list[o].path, option, one, err));
    return MB_OK;
}

mb_status app_check_overwrites(const app_group *group, int ngroup, const char *const *words,
                               int nwords, mb_err *err)
{
    named     list[MOST];
    const int n = list_files(group, ngroup, words, nwords, list);

    for (int k = 0; k < n; k++) {
        if (list[k].output) {
            MB_TRY(check_output(&list[k], list, k, err));
            continue;
        }
        for (const char *path = list[k].path; path;)
            MB_TRY(check_input(list, n, list[k].option, &path, err));
    }
    return MB_OK;
}
