/* Data sets with columns of all roles, dealt to nodes; the first byte chooses the roles. */
#include "data/data.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int   roles = size ? data[0] : 0;
    const char *file = fuzz_file(data + (size > 0), size - (size > 0), ".csv");
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_err      err = {0};
    mb_data     d;
    mb_data_opt o = {.node_column = roles & 1 ? "n" : NULL,
                     .label_column = roles & 2 ? "l" : NULL,
                     .weight_column = roles & 4 ? "w" : NULL,
                     .columns = roles & 8 ? "a,b" : NULL,
                     .drop = roles & 16 ? "c" : NULL,
                     .separator = roles & 32 ? MB_SEPARATOR_SEMICOLON : MB_SEPARATOR_AUTO,
                     .header = roles & 64 ? MB_HEADER_NONE : MB_HEADER_AUTO,
                     .missing = roles & 128 ? MB_MISSING_DROP : MB_MISSING_ERROR};
    mb_status   st = mb_data_read(a, file, &o, &d, &err);

    fuzz_check(st, &err);
    if (st >= 0 && !d.N)
        fuzz_check(mb_data_deal(a, &d, 3, 1, &err), &err);
    mb_arena_free(a);
    return 0;
}
