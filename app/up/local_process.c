/* local_process.c - the processes of the nodes: started, started again when they die, ended. */
#define _XOPEN_SOURCE 700
#include "up/local.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { ERRORS = 3 /* in a row, without a sign of life: it has failed */ };
static const double FIRST_PAUSE = 0.1, LAST_PAUSE = 5; /* seconds before it is started again */
static const double GOOD = 10; /* seconds of life after which the pause is the first again  */
static const double PATIENCE = 5,
                    HASTE = 3; /* seconds for goodbye; SIGKILL follows                      */

/* In the child, which may only make calls that are safe after fork. */
static void become(const char *dir, const char *log, const char *const *argv, pid_t parent)
{
    sigset_t none;
    int      fd;

    setpgid(0, 0); /* Ctrl-C is for the parent, which ends the nodes in order */
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent || chdir(dir))
        _exit(APP_FAILED);
    fd = open("/dev/null", O_RDWR);
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        _exit(APP_FAILED);
    signal(SIGPIPE, SIG_DFL); /* ignored signals would be inherited */
    signal(SIGXFSZ, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(*argv, (char **)(uintptr_t)argv);
    _exit(127);
}

pid_t local_spawn(const char *dir, const char *log, const char *const *argv)
{
    const pid_t parent = getpid(), child = fork();

    if (!child)
        become(dir, log, argv, parent);
    return child < 0 ? 0 : child;
}

static mb_status write_pid(const local_node *n, mb_err *err)
{
    char  path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/pid", n->dir);
    f = fopen(path, "w");
    if (!f || fprintf(f, "%ld\n", (long)n->pid) < 0 || fclose(f))
        MB_FAIL(err, MB_E_IO, "%s: cannot be written: %s", path, strerror(errno));
    return MB_OK;
}

mb_status local_start(local *l, int32_t i, mb_err *err)
{
    const char *const argv[] = {l->program, "run", "--config", "node.json", NULL};
    local_node       *n = &l->node[i];

    n->pid = local_spawn(n->dir, "log", argv);
    n->began = app_now();
    if (!n->pid)
        MB_FAIL(err, MB_E_IO, "node %s cannot be started: %s", l->u->cs->network->net.id[i],
                strerror(errno));
    return write_pid(n, err);
}

void local_last_line(const char *dir, char *out, size_t cap)
{
    char  path[4096], line[400];
    FILE *f;

    snprintf(path, sizeof path, "%s/log", dir);
    f = fopen(path, "r");
    *out = 0;
    while (f && fgets(line, sizeof line, f))
        snprintf(out, cap, "%.*s", (int)strcspn(line, "\n"), line);
    if (f)
        fclose(f);
}

/* It has ended: when does it begin again, if at all? */
static mb_status bury(local *l, int32_t i, int status, mb_err *err)
{
    local_node *n = &l->node[i];
    const char *name = l->u->cs->network->net.id[i];
    char        note[80], why[400];
    double      pause = FIRST_PAUSE;

    n->pid = 0;
    n->newest.answered = 0;
    n->deaths = app_now() - n->began > GOOD ? 1 : n->deaths + 1;
    for (int32_t k = 1; k < n->deaths && pause < LAST_PAUSE; k++)
        pause *= 2;
    n->again = app_now() + fmin(pause, LAST_PAUSE);
    n->errors = WIFEXITED(status) && WEXITSTATUS(status) ? n->errors + 1 : 0;
    if (WIFSIGNALED(status))
        snprintf(note, sizeof note, "signal %d", WTERMSIG(status));
    else
        snprintf(note, sizeof note, "status %d", WEXITSTATUS(status));
    MB_TRY(local_event(l, "died", i, note, err));
    if (n->errors < ERRORS)
        return MB_OK;
    local_last_line(n->dir, why, sizeof why);
    if (!(n->read_at > 0))
        MB_FAIL(err, MB_E_PEER, "node %s does not start: %s", name, why);
    n->failed = 1;
    l->u->failed++;
    return local_event(l, "failed", i, why, err);
}

mb_status local_tend(local *l, mb_err *err)
{
    for (int32_t i = 0; i < l->u->cs->network->net.n; i++) {
        local_node *n = &l->node[i];
        int         status;

        if (n->pid && waitpid(n->pid, &status, WNOHANG) == n->pid)
            MB_TRY(bury(l, i, status, err));
        if (n->pid || n->failed || app_now() < n->again)
            continue;
        MB_TRY(local_start(l, i, err));
        l->u->restarts++;
        MB_TRY(local_event(l, "start", i, "", err));
    }
    return MB_OK;
}

/* Those that are still there. */
static int32_t remain(local *l)
{
    int32_t count = 0;

    for (int32_t i = 0; l->node && i < l->u->cs->network->net.n; i++) {
        local_node *n = &l->node[i];

        if (n->pid && waitpid(n->pid, NULL, WNOHANG) != 0)
            n->pid = 0;
        count += n->pid != 0;
    }
    return count;
}

static void tell_all(const local *l, int number)
{
    for (int32_t i = 0; l->node && i < l->u->cs->network->net.n; i++)
        if (l->node[i].pid)
            kill(l->node[i].pid, number);
}

/* What a process that was killed leaves: its number and its socket. */
static void clear(const local_node *n)
{
    static const char *const names[] = {"pid", "status.sock"};
    char                     path[4096];

    for (size_t k = 0; n->dir && k < sizeof names / sizeof *names; k++)
        if (snprintf(path, sizeof path, "%s/%s", n->dir, names[k]) < (int)sizeof path)
            unlink(path);
}

void local_stop(local *l)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    const double          until = app_now() + (l->u->job->signal ? HASTE : PATIENCE);

    tell_all(l, SIGTERM);
    tell_all(l, SIGCONT); /* one that was stopped obeys then */
    while (remain(l) && app_now() < until)
        nanosleep(&moment, NULL);
    tell_all(l, SIGKILL);
    while (remain(l))
        nanosleep(&moment, NULL);
    for (int32_t i = 0; l->node && i < l->u->cs->network->net.n; i++)
        clear(&l->node[i]);
}
