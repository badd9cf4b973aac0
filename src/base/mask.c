/* mask.c - simulated masks of exact sums: the numbers of pairs of nodes. */
#include "base/mask.h"
#include "base/text.h"

static uint64_t word(mb_rng *r)
{
    const uint64_t high = mb_rng_u32(r);

    return high << 32 | mb_rng_u32(r);
}

/* The pads of nodes i < j in a pass: key of the pair, of the epoch, place of the pass. */
static mb_rng pads_of(uint64_t seed, int32_t i, int32_t j, uint64_t epoch, uint64_t pass)
{
    mb_rng pair = mb_rng_at(seed, MB_STREAM_MASK, (uint32_t)i, (uint64_t)j), key;

    key = mb_rng_at(word(&pair), MB_STREAM_MASK, 0, epoch);
    return mb_rng_at(word(&key), MB_STREAM_MASK, 1, pass);
}

void mb_mask_simulated_(uint64_t seed, int32_t id, const int32_t *partner, int64_t partners,
                        uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    for (int64_t e = 0; e < partners; e++) {
        const int32_t j = partner[e], low = id < j ? id : j, high = id < j ? j : id;
        mb_rng        rng = pads_of(seed, low, high, epoch, pass);

        for (size_t l = 0; l < n; l++) {
            const uint64_t pad = word(&rng);

            mb_set_word(w, l, mb_word(w, l) + (id < j ? pad : 0 - pad));
        }
    }
}
