/* Genesis blocks: what is decoded is encoded to the same bytes and has a model. Memory stays in
 * proportion to the input. Input that begins with a brace is a genesis file. */
#include "fuzz.h"
#include "mesh/file_plan.h"
#include "mesh/genesis.h"

#include <string.h>

static void same(mb_arena *a, mb_genesis *g, const uint8_t *data, size_t size)
{
    unsigned char *out = mb_alloc(a, size + 1, 1);
    const uint64_t hash = g->hash;
    mb_err         err = {0};
    size_t         n;

    if (!out)
        return;
    if (mb_genesis_encode(g, out, size, &n, &err) < 0 || n != size || memcmp(out, data, n) != 0 ||
        g->hash != hash)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mb_declared *declared;

    mb_arena  *a = mb_arena_new(1 << 12);
    mb_err     err = {0};
    mb_genesis g;
    mb_model   m;
    mb_plan    plan;
    int        lacks;
    const int  file = size && *data == '{';
    mb_status  st = file ? mb_genesis_read(a, fuzz_file(data, size, ".json"), NULL, &g, &err)
                         : mb_genesis_decode(a, data, size, &g, &err);

    fuzz_check(st, &err);
    if (file)
        fuzz_check(mb_plan_read_(a, fuzz_file(data, size, ".json"), &plan, &declared, &lacks, &err),
                   &err);
    if (st >= 0) {
        if (!file)
            same(a, &g, data, size);
        fuzz_check(mb_genesis_model(a, &g, &m, &err), &err);
    } else if (!file && mb_arena_used(a) > 64 * size + (1 << 14))
        abort();
    mb_arena_free(a);
    return 0;
}
