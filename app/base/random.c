/* random.c - random bytes of the system, for noise and keys. */
#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static mb_status fill(void *self, void *to, size_t n, mb_err *err)
{
    char *at = to;

    (void)self;
    while (n) {
        const ssize_t got = getrandom(at, n, 0);

        if (got < 0 && errno != EINTR)
            MB_FAIL(err, MB_E_IO, "no random bytes of the system: %s", strerror(errno));
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return MB_OK;
}

const mb_entropy app_random = {fill, NULL};
