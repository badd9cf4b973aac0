/* crc_by_bit.h - CRC-32C by its definition, independent of the library's tables. */
#ifndef MB_TEST_CRC_BY_BIT_H
#define MB_TEST_CRC_BY_BIT_H

#include <stddef.h>
#include <stdint.h>

/* Division of polynomials, bit by bit. */
static inline uint32_t by_bit(const unsigned char *b, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t k = 0; k < n; k++) {
        crc ^= b[k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    return ~crc;
}

#endif
