/* signals.c - signals of a node, which arrive through a pipe, so that its loop sleeps in one place. */
#define _XOPEN_SOURCE 700
#include "node.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int signal_pipe[2] = {-1, -1};

static void tell(int signal)
{
    const int           before = errno;
    const unsigned char byte = (unsigned char)signal;

    if (write(signal_pipe[1], &byte, 1) < 0) {
        /* The pipe is full: there is enough to do. */
    }
    errno = before;
}

mb_status node_signals(mb_err *err)
{
    static const int all[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction act = {.sa_handler = tell};

    if (pipe(signal_pipe))
        MB_FAIL(err, MB_E_IO, "signals: no pipe: %s", strerror(errno));
    for (int k = 0; k < 2; k++) {
        fcntl(signal_pipe[k], F_SETFL, O_NONBLOCK);
        fcntl(signal_pipe[k], F_SETFD, FD_CLOEXEC);
    }
    sigemptyset(&act.sa_mask);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        sigaction(all[k], &act, NULL);
    return MB_OK;
}

int node_signal_pipe(void)
{
    return signal_pipe[0];
}
