/* streams.c - standard input, output and error are open before anything else is. */
#include "base/streams.h"

#include <fcntl.h>
#include <unistd.h>

/* A descriptor that the caller closed would be given to the first file that is opened, and what is
 * meant for standard output would go into the user's data. /dev/null is opened the wrong way round,
 * so reading and writing still fail, as they would on what is closed. */
int streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return -1;
    return 0;
}
