/* base/half.h - IEEE 754 binary16 from and to double, in portable C. */
#ifndef MB_BASE_HALF_H
#define MB_BASE_HALF_H

#include <stdint.h>
#include <string.h>

/* m / 2^shift, a tie to the even number; 1 <= shift <= 63. */
static inline uint64_t mb_shift_even_(uint64_t m, int shift)
{
    const uint64_t half = UINT64_C(1) << (shift - 1), rest = m & (2 * half - 1), down = m >> shift;

    return down + (rest > half || (rest == half && down & 1));
}

/* x rounded once, to the nearest, a tie to even; beyond 65504 the largest finite number, NaN stays
 * NaN. */
static inline uint16_t mb_half_of_(double x)
{
    uint64_t bits, h;
    unsigned sign;
    int      e;

    memcpy(&bits, &x, sizeof bits);
    sign = (unsigned)(bits >> 48 & 0x8000);
    e = (int)(bits >> 52 & 0x7ff) - 1023;
    bits &= (UINT64_C(1) << 52) - 1;
    if (e == 1024 && bits)
        return (uint16_t)(sign | 0x7e00);
    if (e < -25)
        return (uint16_t)sign;
    if (e > 15)
        return (uint16_t)(sign | 0x7bff);
    if (e < -14) /* a multiple of 2^-24 */
        h = mb_shift_even_(bits | UINT64_C(1) << 52, 28 - e);
    else
        h = mb_shift_even_(bits | (uint64_t)(e + 15) << 52, 42);
    return (uint16_t)(sign | (h > 0x7bff ? 0x7bff : h));
}

/* The number; *bad becomes 1 when it is infinite or NaN. */
static inline double mb_half_value_(uint16_t h, int *bad)
{
    const int e = h >> 10 & 31, m = h & 1023;
    uint64_t  bits = (uint64_t)(h & 0x8000) << 48;
    double    x;

    *bad |= e == 31;
    if (!e) {
        x = m / 16777216.0; /* 2^24 */
        return bits ? -x : x;
    }
    bits |= (uint64_t)(e + 1008) << 52 | (uint64_t)m << 42;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
