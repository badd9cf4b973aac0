/* apart.c - no command writes over what it reads: the files behind its options, compared by what
 * they are and not by what they are called. */
#include "base/apart.h"

#include <dirent.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a folder that is written to may get; its other files stay. */
static const char *const written[] = {"config.json",      "summary.json",   "posterior.json",
                                      "posterior-*.json", "posteriors.npy", "trace.csv",
                                      "nodes.csv",        "network.csv",    "edges.csv",
                                      "posteriors-*.npy", "view_*.csv",     "report.html"};

static int same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* 1 when standard output goes into this file. */
static int printed_to(const struct stat *file)
{
    struct stat st;

    return fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) && same(&st, file);
}

/* 1 when the folder has this file under a name that is written. */
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

/* The file that an option names, behind "file:" and the like; NULL: none. */
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

mb_status app_apart(const char *out_option, const char *out, const char *in_option, const char *in,
                    mb_err *err)
{
    struct stat from, to;

    if (stat(in, &from) != 0 || !S_ISREG(from.st_mode))
        return MB_OK;
    if (printed_to(&from))
        MB_FAIL(err, MB_E_ARG,
                "standard output and %s %.200s are the same file, accepted: output elsewhere",
                in_option, in);
    if (!out || stat(out, &to) != 0)
        return MB_OK;
    if (S_ISDIR(to.st_mode) ? in_folder(out, &from) : same(&from, &to))
        MB_FAIL(err, MB_E_ARG, "--%s %.160s would be written over %s %.160s, accepted: %s",
                out_option, out, in_option, in,
                S_ISDIR(to.st_mode) ? "another folder" : "another file");
    return MB_OK;
}

/* One input against every output. */
static mb_status check_input(const char *in_option, const char *in, const app_group *group,
                             int ngroup, mb_err *err)
{
    MB_TRY(app_apart(NULL, NULL, in_option, in, err));
    for (int g = 0; g < ngroup; g++)
        for (const mb_opt *o = group[g].table; o->name; o++)
            if (o->kind == MB_OPT_OUTPUT && file_of(&group[g], o))
                MB_TRY(app_apart(o->name, file_of(&group[g], o), in_option, in, err));
    return MB_OK;
}

/* An output where standard output goes would lose what is printed. */
static mb_status check_printed(const app_group *g, const mb_opt *o, mb_err *err)
{
    const char *out = file_of(g, o);
    struct stat st;

    if (out && strncmp(out, "/dev/", 5) != 0 && stat(out, &st) == 0 && printed_to(&st))
        MB_FAIL(err, MB_E_ARG,
                "--%s %.200s is the file that standard output goes to, accepted: another one",
                o->name, out);
    return MB_OK;
}

/* Two outputs in one file: the second would replace the first. */
static mb_status check_twice(const app_group *group, int ngroup, const mb_opt *mine,
                             const char *out, mb_err *err)
{
    for (int g = 0; g < ngroup; g++)
        for (const mb_opt *o = group[g].table; o->name && o != mine; o++) {
            const char *other = o->kind == MB_OPT_OUTPUT ? file_of(&group[g], o) : NULL;
            struct stat a, b;

            if (!other || !strncmp(out, "/dev/", 5))
                continue;
            if (!strcmp(out, other) ||
                (stat(out, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && same(&a, &b)))
                MB_FAIL(err, MB_E_ARG,
                        "--%s %.160s and --%s %.160s are the same file, accepted: one each",
                        o->name, other, mine->name, out);
        }
    return MB_OK;
}

/* What is written, against standard output and what else is written. */
static mb_status check_output(const app_group *group, int ngroup, const app_group *g,
                              const mb_opt *o, mb_err *err)
{
    const char *out = file_of(g, o);

    MB_TRY(check_printed(g, o, err));
    return out ? check_twice(group, ngroup, o, out, err) : MB_OK;
}

mb_status app_check_apart(const app_group *group, int ngroup, const char *const *words, int nwords,
                          mb_err *err)
{
    for (int w = 0; w < nwords; w++)
        MB_TRY(check_input("the file", words[w], group, ngroup, err));
    for (int g = 0; g < ngroup; g++)
        for (const mb_opt *o = group[g].table; o->name; o++) {
            char option[72];

            snprintf(option, sizeof option, "--%s", o->name);
            if (o->kind == MB_OPT_INPUT && file_of(&group[g], o))
                MB_TRY(check_input(option, file_of(&group[g], o), group, ngroup, err));
            if (o->kind == MB_OPT_OUTPUT)
                MB_TRY(check_output(group, ngroup, &group[g], o, err));
        }
    return MB_OK;
}
