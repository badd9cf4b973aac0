/* base/bytes.h - numbers as little-endian bytes on any machine. put returns where the next number
 * begins; get stores the number and returns the same. Compilers turn them into moves. */
#ifndef MB_BASE_BYTES_H
#define MB_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline unsigned char *mb_put_u8_(unsigned char *to, uint8_t x)
{
    *to = x;
    return to + 1;
}

static inline unsigned char *mb_put_u16_(unsigned char *to, uint16_t x)
{
    to[0] = (unsigned char)x;
    to[1] = (unsigned char)(x >> 8);
    return to + 2;
}

static inline unsigned char *mb_put_u32_(unsigned char *to, uint32_t x)
{
    to[0] = (unsigned char)x;
    to[1] = (unsigned char)(x >> 8);
    to[2] = (unsigned char)(x >> 16);
    to[3] = (unsigned char)(x >> 24);
    return to + 4;
}

static inline unsigned char *mb_put_u64_(unsigned char *to, uint64_t x)
{
    return mb_put_u32_(mb_put_u32_(to, (uint32_t)x), (uint32_t)(x >> 32));
}

static inline unsigned char *mb_put_f64_(unsigned char *to, double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return mb_put_u64_(to, bits);
}

static inline const unsigned char *mb_get_u8_(const unsigned char *from, uint8_t *x)
{
    *x = *from;
    return from + 1;
}

static inline const unsigned char *mb_get_u16_(const unsigned char *from, uint16_t *x)
{
    *x = (uint16_t)(from[0] | from[1] << 8);
    return from + 2;
}

static inline const unsigned char *mb_get_u32_(const unsigned char *from, uint32_t *x)
{
    *x = (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
    return from + 4;
}

static inline const unsigned char *mb_get_u64_(const unsigned char *from, uint64_t *x)
{
    *x = (uint64_t)from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 |
         (uint64_t)from[3] << 24 | (uint64_t)from[4] << 32 | (uint64_t)from[5] << 40 |
         (uint64_t)from[6] << 48 | (uint64_t)from[7] << 56;
    return from + 8;
}

static inline const unsigned char *mb_get_f64_(const unsigned char *from, double *x)
{
    uint64_t bits;

    from = mb_get_u64_(from, &bits);
    memcpy(x, &bits, sizeof *x);
    return from;
}

#endif
