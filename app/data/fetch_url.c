/* fetch_url.c - a download by the program curl, or wget where there is no curl: they know proxies,
 * certificates and redirections, and no library of theirs is needed to build this program. */
#include "data/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS = 12, NOT_FOUND = 127 };

char *fetch_say(mb_arena *a, mb_err *err, const char *fmt, ...)
{
    va_list ap, again;
    int     n;
    char   *out;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    out = n < 0 ? NULL : mb_alloc(a, (size_t)n + 1, 1);
    if (out)
        vsnprintf(out, (size_t)n + 1, fmt, again);
    else
        (void)mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for a file's name");
    va_end(again);
    return out;
}

int fetch_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Runs a program with its standard error in a file: its exit status, NOT_FOUND when there is none. */
static int run(const char *const *words, const char *said)
{
    posix_spawn_file_actions_t io;
    char                      *argv[WORDS] = {NULL};
    pid_t                      pid;
    int                        status = 0, bad = 0;

    for (int k = 0; words[k] && !bad; k++)
        bad = (argv[k] = strdup(words[k])) ? 0 : ENOMEM;
    if (!bad)
        bad = posix_spawn_file_actions_init(&io);
    if (!bad) {
        bad = posix_spawn_file_actions_addopen(&io, 0, "/dev/null", O_RDONLY, 0);
        bad = bad ? bad : posix_spawn_file_actions_addopen(&io, 1, "/dev/null", O_WRONLY, 0);
        bad = bad ? bad
                  : posix_spawn_file_actions_addopen(&io, 2, said, O_WRONLY | O_CREAT | O_TRUNC,
                                                     0600);
        bad = bad ? bad : posix_spawnp(&pid, argv[0], &io, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&io);
    }
    for (int k = 0; k < WORDS; k++)
        free(argv[k]);
    if (bad)
        return bad == ENOENT ? NOT_FOUND : -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The first line that the program said, made fit for the end of ours. */
static const char *first_line(mb_arena *a, const char *said)
{
    char  *text;
    size_t n;

    if (mb_file_read(a, said, &text, &n, NULL) < 0)
        return "no reason given";
    text += strspn(text, " \r\n\t");
    text[strcspn(text, "\r\n")] = 0;
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
    return *text ? text : "no reason given";
}

mb_status fetch_url(mb_arena *a, const char *url, const char *temp, const char *file, mb_err *err)
{
    const char *const curl[WORDS] = {
        "curl", "-fsSL", "--connect-timeout", "20", "--max-time", "1800", "-o", file, url};
    const char *const wget[WORDS] = {"wget", "-nv", "-T", "20", "-t", "2", "-O", file, url};
    const char       *said = fetch_say(a, err, "%s/said.txt", temp);
    int               status;

    if (!said)
        return MB_E_NOMEM;
    status = run(curl, said);
    if (status == NOT_FOUND)
        status = run(wget, said);
    if (status == NOT_FOUND)
        MB_FAIL(err, MB_E_IO,
                "%s: neither curl nor wget is installed; install one, or fetch the file yourself "
                "and give its folder with --from DIR",
                url);
    if (status != 0)
        MB_FAIL(err, MB_E_IO, "%s: not downloaded (%.90s)", url, first_line(a, said));
    return MB_OK;
}

mb_status fetch_check(const char *path, const char *bytes, size_t n, const char *want, mb_err *err)
{
    char hex[65];

    fetch_sha256(bytes, n, hex);
    if (strcmp(want, hex) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s is not written: %zu bytes with SHA-256 %s, accepted: %s",
                path, n, hex, want);
    return MB_OK;
}

mb_status fetch_put(mb_arena *a, const char *path, const char *bytes, size_t n, const char *want,
                    mb_err *err)
{
    mb_file   f = {0};
    mb_status st;
    char      hex[65];

    if (want)
        MB_TRY(fetch_check(path, bytes, n, want, err));
    fetch_sha256(bytes, n, hex);
    MB_TRY(mb_file_open(a, path, &f, err));
    st = mb_file_write(&f, bytes, n, err);
    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    MB_TRY(st);
    printf("%s: %zu bytes, SHA-256 %s%s\n", path, n, hex, want ? " as recorded" : "");
    return MB_OK;
}
