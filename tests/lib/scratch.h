/* scratch.h - a folder of its own and an arena for tests that read and write files. */
#ifndef MB_TEST_SCRATCH_H
#define MB_TEST_SCRATCH_H

#include "meshbayes/meshbayes.h"

typedef struct scratch {
    mb_arena *a;
    mb_err    err;
    char      dir[64];
} scratch;

/* Set-up and tear-down of cmocka; the state is a scratch. Tear-down empties the folder. */
int scratch_begin(void **state);
int scratch_end(void **state);
/* The path of a file in the folder, in the arena. */
const char *scratch_path(scratch *s, const char *name);
/* Writes a file of n bytes and returns its path. */
const char *scratch_bytes(scratch *s, const char *name, const void *bytes, size_t n);
const char *scratch_text(scratch *s, const char *name, const char *text);
/* Number of files in the folder. */
int scratch_count(const scratch *s);
/* Fails the test unless the error has this code and its message holds `part`. */
void scratch_expect(const scratch *s, mb_status got, mb_status want, const char *part);

#endif
