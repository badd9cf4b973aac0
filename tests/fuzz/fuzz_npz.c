/* Arrays of an archive: the only one, and one by name. */
#include "data/table.h"
#include "fuzz.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file(data, size, ".npz");
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_err      err = {0};
    mb_matrix   m;
    char        named[4096];

    fuzz_check(mb_matrix_read(a, file, &m, &err), &err);
    snprintf(named, sizeof named, "%s:x", file);
    fuzz_check(mb_matrix_read(a, named, &m, &err), &err);
    mb_arena_free(a);
    return 0;
}
