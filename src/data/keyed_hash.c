/* keyed_hash.c - SipHash-2-4 of files [Aumasson12]: without the key a file cannot be guessed from its
 * hash. */
#include "data/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], int n)
{
    for (; n > 0; n--) {
        v[0] += v[1], v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0], v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2], v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

static void word(uint64_t v[4], uint64_t m)
{
    v[3] ^= m;
    rounds(v, 2);
    v[0] ^= m;
}

/* Whole words of n bytes; the others, fewer than 8, are *rest, the first the lowest. */
static void words(uint64_t v[4], const unsigned char *bytes, size_t n, uint64_t *rest)
{
    uint64_t m = 0;

    for (size_t k = 0; k < n; k++) {
        m |= (uint64_t)bytes[k] << 8 * (k % 8);
        if (k % 8 == 7) {
            word(v, m);
            m = 0;
        }
    }
    *rest = m;
}

/* Blocks are whole words but the last of a file, after which comes its length. */
static mb_status hash_file(const char *file, uint64_t v[4], mb_err *err)
{
    unsigned char block[BLOCK];
    uint64_t      all = 0, rest = 0;
    size_t        n;
    FILE         *f = fopen(file, "rb");
    int           failed;

    if (!f)
        MB_FAIL(err, MB_E_IO, "%s: cannot be read: %s", file, strerror(errno));
    while ((n = fread(block, 1, BLOCK, f)) > 0) {
        words(v, block, n, &rest);
        all += n;
    }
    word(v, rest | all << 56);
    failed = ferror(f);
    fclose(f);
    if (failed)
        MB_FAIL(err, MB_E_IO, "%s: cannot be read", file);
    return MB_OK;
}

mb_status mb_file_keyed_hash(const char *file, const uint64_t key[2], uint64_t *out, mb_err *err)
{
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                     key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};

    MB_TRY(hash_file(file, v, err));
    v[2] ^= 0xff;
    rounds(v, 4);
    *out = v[0] ^ v[1] ^ v[2] ^ v[3];
    return MB_OK;
}
