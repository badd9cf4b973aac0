/* Posterior files: what is read can be used. */
#include "core/observe.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char  *file = fuzz_file(data, size, ".json");
    mb_arena    *a = mb_arena_new(1 << 16);
    mb_err       err = {0};
    mb_posterior p;
    mb_status    st = mb_posterior_read(a, file, NULL, &p, NULL, &err);

    fuzz_check(st, &err);
    if (st >= 0) {
        double kl, *scratch = mb_alloc(a, mb_kl_aligned_scratch(p.model), sizeof *scratch);

        if (scratch)
            fuzz_check(mb_kl_aligned(p.model, p.phi, p.phi, &kl, NULL, scratch, &err), &err);
    }
    mb_arena_free(a);
    return 0;
}
