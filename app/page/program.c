/* program.c - starts another program, without a shell, and waits for it. */
#include "page/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { WORDS = 16 };

/* In a group of its own a key that interrupts us does not reach it; what we ignore is no business of
 * its. */
static int alone(posix_spawnattr_t *how)
{
    sigset_t usual;
    int      bad = posix_spawnattr_init(how);

    if (bad)
        return bad;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    bad = posix_spawnattr_setsigdefault(how, &usual);
    bad = bad ? bad : posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    if (bad)
        posix_spawnattr_destroy(how);
    return bad;
}

/* Where its standard input, output and error go. */
static int streams(posix_spawn_file_actions_t *io, const char *said)
{
    int bad = posix_spawn_file_actions_addopen(io, 0, "/dev/null", O_RDONLY, 0);

    if (!bad)
        bad = posix_spawn_file_actions_addopen(io, 1, "/dev/null", O_WRONLY, 0);
    if (!bad)
        bad = posix_spawn_file_actions_addopen(io, 2, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return bad;
}

static int spawn(char **argv, const char *said, pid_t *pid)
{
    posix_spawnattr_t          how;
    posix_spawn_file_actions_t io;
    int                        bad = posix_spawn_file_actions_init(&io);

    if (bad)
        return bad;
    bad = streams(&io, said);
    if (!bad)
        bad = alone(&how);
    if (!bad) {
        bad = posix_spawnp(pid, argv[0], &io, &how, argv, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&io);
    return bad;
}

int page_program(const char *const *argv, const char *said, int *status)
{
    char *copy[WORDS + 1] = {NULL}; /* posix_spawn takes what is not const */
    pid_t pid;
    int   bad = 0;

    for (int k = 0; argv[k] && !bad; k++) {
        copy[k] = k < WORDS ? strdup(argv[k]) : NULL;
        bad = copy[k] ? 0 : ENOMEM;
    }
    if (!bad)
        bad = spawn(copy, said, &pid);
    for (int k = 0; copy[k]; k++)
        free(copy[k]);
    while (!bad && waitpid(pid, status, 0) < 0)
        bad = errno == EINTR ? 0 : errno;
    return bad;
}
