/* Data sets with columns of all roles, dealt to nodes; the first byte chooses the roles. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int   roles = size ? data[0] : 0;
    const char *file = fuzz_file(data + (size > 0), size - (size > 0), ".csv");
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_err      err = {0};
    mb_data     d;
    mb_data_opt o = {roles & 1 ? "n" : NULL, roles & 2 ? "l" : NULL, roles & 4 ? "w" : NULL};
    mb_status   st = mb_data_read(a, file, &o, &d, &err);

    fuzz_check(st, &err);
    if (st >= 0 && !d.N)
        fuzz_check(mb_data_deal(a, &d, 3, 1, &err), &err);
    mb_arena_free(a);
    return 0;
}
