/* What is downloaded: zip archives and MATLAB files, told by their first bytes. */
#include "data/fetch.h"
#include "fuzz.h"

#include <string.h>

/* The program's main.c is not here; its list of commands is asked for by no one. */
const app_command *const *app_commands(void)
{
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fea", "X", NULL};
    mb_arena                *a = mb_arena_new(1 << 16);
    mb_err                   err = {0};
    fetch_matrix             m;
    int32_t                  count = 0;
    mb_status                st;

    if (!a)
        abort();
    /* No entry is called so: archives in the archive are walked, nothing is written. */
    st = fetch_unzip(a, "f.zip", (const char *)data, size, "\001", ".none", "/nowhere", &count,
                     &err);
    fuzz_check(st, &err);
    if (count)
        abort();
    st = fetch_mat(a, "f.mat", (const char *)data, size, names, &m, &err);
    fuzz_check(st, &err);
    for (int64_t k = 0; st >= 0 && k < m.rows * m.cols; k++) {
        volatile double x = m.x[k];

        (void)x;
    }
    mb_arena_free(a);
    return 0;
}
