/* ranks_signal.c - what a launcher tells its processes: their number, and when to end. A launcher
 * reports a killed process with a status of its own; a guardian turns that into one line, which
 * names the last checkpoint, and status 1. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "base/ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static int number(const char *name)
{
    const char *text = getenv(name);

    return text ? atoi(text) : -1;
}

/* Open MPI; MPICH and PMI-2; PMIx under Slurm, which sets the number of tasks itself. */
int ranks_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (number(names[k]) > 0)
            return number(names[k]);
    if (getenv("PMIX_RANK"))
        return number("SLURM_NTASKS") > 0 ? number("SLURM_NTASKS") : 1;
    return 0;
}

static int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (number(names[k]) >= 0)
            return number(names[k]);
    return 0;
}

int ranks_first(void)
{
    return launched_rank() == 0;
}

/* Shared by both processes. */
typedef struct notice {
    char line[2][1024];
    int  latest; /* which of the two is complete */
} notice;

/* A signal handler reaches only static variables. */
static notice *volatile board;
static volatile sig_atomic_t other; /* the guardian's child, or the child's guardian */

static void pass_on(int signal_number)
{
    if (other > 0)
        kill((pid_t)other, signal_number);
}

void ranks_last_words(void)
{
    const char *line = board ? board->line[board->latest] : NULL;

    if (!line || getppid() == (pid_t)other)
        return;
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(APP_FAILED);
    _exit(APP_FAILED);
}

/* Handles a request to end: silently, because the launcher knows the reason, but with the line if
 * the guardian has ended. */
static void end(int signal_number)
{
    (void)signal_number;
    ranks_last_words();
    _exit(APP_FAILED);
}

static void on_signals(void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler};

    sigemptyset(&act.sa_mask);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
}

static void wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT)
        _exit(APP_FAILED); /* the launcher stopped the job and knows the reason */
    fprintf(stderr, "meshbayes: error: process %d of %d was killed by signal %d; %s",
            launched_rank(), ranks_launched(), WTERMSIG(status), board->line[board->latest]);
    fflush(stderr);
    _exit(APP_FAILED);
}

void ranks_guard(void)
{
    const pid_t guardian = getpid();
    void       *page =
        mmap(NULL, sizeof(notice), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child;

    if (page == MAP_FAILED)
        return; /* the run works without a guardian */
    board = page;
    ranks_notice("there is no checkpoint; expected --checkpoint DIR --every K");
    child = fork();
    if (child < 0)
        return;
    other = child ? child : guardian;
    on_signals(child ? pass_on : end);
    if (child)
        wait_for(child);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

void ranks_notice(const char *line)
{
    const int next = board ? !board->latest : 0;

    if (!board)
        return;
    snprintf(board->line[next], sizeof board->line[next], "%s\n", line);
    board->latest = next;
}
