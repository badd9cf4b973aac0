/* crc.c - the check sum of zip and gzip. */
#include "meshbayes/file.h"

/* What four bits leave behind when they are shifted out, of the polynomial of ISO 3309. */
static const uint32_t left_by[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint32_t mb_crc32(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    crc = ~crc;
    for (size_t k = 0; k < n; k++) {
        crc ^= b[k];
        crc = crc >> 4 ^ left_by[crc & 15];
        crc = crc >> 4 ^ left_by[crc & 15];
    }
    return ~crc;
}
