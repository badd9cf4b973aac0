/* life.h - the number of a node's life, where a clock counts it. */
#ifndef MB_MESH_LIFE_H
#define MB_MESH_LIFE_H

#include <stdint.h>

enum { MB_LIFE_MS_ = 125, MB_LIVES_A_DAY_ = 86400000 / MB_LIFE_MS_ };

/* Eighths of a second since the beginning of 2026, of a clock in milliseconds since 1970: a node
 * that is started again at once has a later life, and 32 bits last until 2043. */
static inline int64_t mb_life_by_clock_(int64_t ms)
{
    static const int64_t EPOCH_MS = INT64_C(1767225600000);

    return ms / MB_LIFE_MS_ - EPOCH_MS / MB_LIFE_MS_; /* of any clock */
}

#endif
