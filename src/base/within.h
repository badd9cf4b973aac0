/* within.h - whether numbers are finite and of limited magnitude, many at a time. */
#ifndef MB_WITHIN_H
#define MB_WITHIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 1: all of x are numbers up to `most` > 0 in magnitude. Without their signs doubles are ordered as
 * their bits are, infinity and NaN last; the loop has no branches and vectorises. */
static inline int mb_within_(const double *x, size_t n, double most)
{
    uint64_t limit, beyond = 0;

    memcpy(&limit, &most, sizeof limit);
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;

        memcpy(&bits, &x[k], sizeof bits);
        beyond |= limit - (bits & UINT64_MAX >> 1);
    }
    return !(beyond >> 63);
}

#endif
