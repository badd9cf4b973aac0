/* rng.c - counter-based random numbers: Philox4x32-10 [Salmon11]. */
#include "base/text.h"

#include <math.h>
#include <string.h>

/* The block of numbers of the generator's counter. */
static void philox(mb_rng *r)
{
    uint32_t *c = r->out, k[2] = {r->key[0], r->key[1]};

    memcpy(c, r->ctr, sizeof r->ctr);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c[0], p1 = (uint64_t)0xCD9E8D57u * c[2];

        c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)p0;
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
}

/* Counter: [draw, node, round low, stream and round high]. */
mb_rng mb_rng_at(uint64_t seed, mb_stream stream, uint32_t node, uint64_t round)
{
    return (mb_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                    .ctr = {0, node, (uint32_t)round,
                            (uint32_t)stream << 24 | (uint32_t)(round >> 32 & 0xffffff)}};
}

uint32_t mb_rng_u32(mb_rng *r)
{
    if (!r->left) {
        philox(r);
        r->ctr[0]++;
        r->left = 4;
    }
    return r->out[4 - r->left--];
}

void mb_rng_skip(mb_rng *r, uint64_t n)
{
    const uint64_t at = (uint64_t)r->ctr[0] * 4 - (uint64_t)r->left + n;

    r->ctr[0] = (uint32_t)(at / 4);
    r->left = 0;
    for (uint64_t k = 0; k < at % 4; k++)
        (void)mb_rng_u32(r);
}

static uint64_t u64(mb_rng *r)
{
    uint64_t high = mb_rng_u32(r);

    return high << 32 | mb_rng_u32(r);
}

static double unit(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

double mb_rng_uniform(mb_rng *r)
{
    return unit(u64(r));
}

double mb_rng_normal(mb_rng *r)
{
    double radius = sqrt(-2 * log(mb_rng_uniform(r)));

    return radius * cos(6.283185307179586 * mb_rng_uniform(r));
}

#ifndef __OPTIMIZE_SIZE__
enum { BLOCKS = 8 /* that are computed at once, in loops that a compiler vectorises */ };

/* out: the 2 BLOCKS uniform numbers of the next blocks; none is begun. */
static void uniforms(mb_rng *r, double *out)
{
    uint32_t c[4][BLOCKS], k[2] = {r->key[0], r->key[1]};

    for (uint32_t b = 0; b < BLOCKS; b++) {
        c[0][b] = r->ctr[0] + b;
        for (int i = 1; i < 4; i++)
            c[i][b] = r->ctr[i];
    }
    for (int round = 0; round < 10; round++) {
        for (int b = 0; b < BLOCKS; b++) {
            const uint64_t p0 = (uint64_t)0xD2511F53u * c[0][b];
            const uint64_t p1 = (uint64_t)0xCD9E8D57u * c[2][b];

            c[0][b] = (uint32_t)(p1 >> 32) ^ c[1][b] ^ k[0];
            c[1][b] = (uint32_t)p1;
            c[2][b] = (uint32_t)(p0 >> 32) ^ c[3][b] ^ k[1];
            c[3][b] = (uint32_t)p0;
        }
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    for (int b = 0; b < BLOCKS; b++) {
        out[2 * b] = unit((uint64_t)c[0][b] << 32 | c[1][b]);
        out[2 * b + 1] = unit((uint64_t)c[2][b] << 32 | c[3][b]);
    }
    r->ctr[0] += BLOCKS;
}
#endif

void mb_rng_uniforms(mb_rng *r, int64_t n, double *out)
{
    int64_t k = 0;

#ifndef __OPTIMIZE_SIZE__
    for (; k < n && r->left; k++)
        out[k] = mb_rng_uniform(r);
    for (; k + 2 * BLOCKS <= n; k += 2 * BLOCKS)
        uniforms(r, out + k);
#endif
    for (; k < n; k++)
        out[k] = mb_rng_uniform(r);
}

double mb_gumbel_of(double uniform)
{
    return -log(-log(uniform));
}

uint64_t mb_rng_below(mb_rng *r, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

    do
        x = u64(r);
    while (x >= limit);
    return x % n;
}
