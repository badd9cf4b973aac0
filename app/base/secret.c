/* secret.c - files that only their owner may read. */
#define _XOPEN_SOURCE 700
#include "base/app.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

mb_status app_secret(const char *file, mb_err *err)
{
    struct stat is;

    if (stat(file, &is))
        MB_FAIL(err, MB_E_IO, "%s: cannot be read: %s", file, strerror(errno));
    if (is.st_mode & 077)
        MB_FAIL(err, MB_E_ARG,
                "%s: got mode %04o; expected 0600: a secret that others can read is none", file,
                (unsigned)(is.st_mode & 07777));
    return MB_OK;
}
