/* NPY whole and in batches. */
#include "data/table.h"
#include "fuzz.h"

#include <string.h>

static void in_batches(mb_arena *a, const char *file)
{
    mb_reader *r = NULL;
    mb_err     err = {0};
    mb_status  st = mb_reader_open(a, file, NULL, &r, &err);
    int64_t    n = 1;
    double    *x;

    fuzz_check(st, &err);
    if (st < 0 || mb_reader_columns(r) > 1000) {
        mb_reader_close(r);
        return;
    }
    x = mb_alloc(a, 7 * (size_t)mb_reader_columns(r), sizeof *x);
    for (int k = 0; n && k < 1000 && st >= 0; k++) {
        st = mb_reader_next(r, 7, x, &n, &err);
        fuzz_check(st, &err);
    }
    mb_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file(data, size, ".npy");
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_err      err = {0};
    mb_npy      npy;
    mb_matrix   m;

    fuzz_check(mb_npy_read(a, file, &npy, &err), &err);
    fuzz_check(mb_matrix_read(a, file, &m, &err), &err);
    in_batches(a, file);
    mb_arena_free(a);
    return 0;
}
