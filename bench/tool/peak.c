/* peak.c - runs a command and appends its peak resident memory, bytes, to a file.
 * Use: tool_peak FILE COMMAND ARGUMENTS..; the exit status is the command's. A process inherits the
 * peak of the one that started it, so a driver in Python can not ask for it directly. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage use;
    FILE         *out;
    pid_t         child;
    int           status;

    if (argc < 3) {
        fprintf(stderr, "tool_peak FILE COMMAND ARGUMENTS..\n");
        return 2;
    }
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &use) < 0) {
        perror("tool_peak");
        return 2;
    }
    out = fopen(argv[1], "a");
    if (!out || fprintf(out, "%lld\n", 1024LL * use.ru_maxrss) < 0 || fclose(out)) {
        perror(argv[1]);
        return 2;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
