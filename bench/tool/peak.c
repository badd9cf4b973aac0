/* peak.c - runs a command and appends its peak resident memory, bytes, to a file.
 * Use: tool_peak FILE SECONDS COMMAND ARGUMENTS..; the exit status is the command's, which dies when
 * it needs longer than that many seconds (0: no limit). A process inherits the
 * peak of the one that started it, so a driver in Python cannot ask for it directly. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage use;
    FILE         *out;
    pid_t         child;
    int           status;

    if (argc < 4) {
        fprintf(stderr, "tool_peak FILE SECONDS COMMAND ARGUMENTS..\n");
        return 2;
    }
    child = fork();
    if (child == 0) {
        alarm((unsigned)atoi(argv[2])); /* outlives exec */
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &use) < 0) {
        perror("tool_peak");
        return 2;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s\n", WTERMSIG(status) == SIGALRM ? "the time limit is over" : "killed");
    out = fopen(argv[1], "a");
    if (!out || fprintf(out, "%lld\n", 1024LL * use.ru_maxrss) < 0 || fclose(out)) {
        perror(argv[1]);
        return 2;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
