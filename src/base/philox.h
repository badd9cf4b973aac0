/* philox.h - one block of Philox4x32-10 [Salmon11]. */
#ifndef MB_PHILOX_H
#define MB_PHILOX_H

#include <stdint.h>

void mb_philox_(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4]);

#endif
