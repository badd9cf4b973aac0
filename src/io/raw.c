/* raw.c - the bytes of a file as they are in it, and what the system says when it fails. */
#include "io/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

mb_status mb_io_failed_(const char *path, const char *doing, int reason, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot %s: %s", path, doing, strerror(reason));
}

mb_status mb_source_packed_(mb_source_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
    const size_t first = s->heads < n ? s->heads : n;

    memcpy(bytes, s->head, first);
    s->heads -= first;
    memmove(s->head, s->head + first, s->heads);
    *got = first + fread(bytes + first, 1, n - first, s->fp);
    if (*got < n && ferror((FILE *)s->fp))
        return mb_io_failed_(s->path, "read", errno, err);
    return MB_OK;
}
