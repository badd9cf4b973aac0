/* base/crc32c.h - the checksum of frames and checkpoints. */
#ifndef MB_CRC32C_H
#define MB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli) of n bytes: by the processor's instruction where there is one, else (and
 * always in _plain_) from a table. */
uint32_t mb_crc32c_(const void *bytes, size_t n);
uint32_t mb_crc32c_plain_(const void *bytes, size_t n);

#endif
