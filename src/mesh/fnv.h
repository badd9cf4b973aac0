/* mesh/fnv.h - FNV-1a, 64 bits, of texts and numbers: the same on every machine. */
#ifndef MB_MESH_FNV_H
#define MB_MESH_FNV_H

#include "base/bytes.h"

#include <math.h>

#define MB_FNV_BEGIN_   UINT64_C(14695981039346656037)
#define MB_FNV_ONE_NAN_ UINT64_C(0x7ff8000000000000)

static inline uint64_t mb_fnv_bytes_(uint64_t h, const void *from, size_t n)
{
    const unsigned char *b = from;

    for (size_t k = 0; k < n; k++)
        h = (h ^ b[k]) * UINT64_C(1099511628211);
    return h;
}

/* With the final 0, so that "ab" and "c" are not "a" and "bc". */
static inline uint64_t mb_fnv_text_(uint64_t h, const char *s)
{
    return mb_fnv_bytes_(h, s, strlen(s) + 1);
}

static inline uint64_t mb_fnv_integer_(uint64_t h, uint64_t x)
{
    unsigned char b[8];

    mb_put_u64_(b, x);
    return mb_fnv_bytes_(h, b, sizeof b);
}

/* Bits, not digits, which a build without stdio rounds otherwise. */
static inline uint64_t mb_fnv_reals_(uint64_t h, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const double y = x[k] + 0.0; /* -0 is 0 */
        uint64_t     bits;

        memcpy(&bits, &y, sizeof bits);
        h = mb_fnv_integer_(h, isnan(y) ? MB_FNV_ONE_NAN_ : bits);
    }
    return h;
}

#endif
