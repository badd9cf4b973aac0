/* fuzz.h - what the fuzz targets share: the input as a file in memory. */
#ifndef MB_FUZZ_H
#define MB_FUZZ_H

#include "meshbayes/meshbayes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the input to a file of this process with the ending `ext`; its name. */
static inline const char *fuzz_file(const uint8_t *data, size_t size, const char *ext)
{
    static char path[64];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    FILE       *f;

    snprintf(path, sizeof path, "%s/mb-fuzz-%ld%s", folder, (long)getpid(), ext);
    f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    return path;
}

/* A status is a known one, and a failure has a one-line message. */
static inline void fuzz_check(mb_status st, const mb_err *err)
{
    if (st >= 0)
        return;
    for (const char *c = err->msg; *c; c++)
        if (*c == '\n')
            abort();
    if (!*err->msg || err->code != st)
        abort();
}

#endif
