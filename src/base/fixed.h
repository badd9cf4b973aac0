/* base/fixed.h - numbers as integers, whose sums modulo 2^64 are exact in any order (docs/math.md,
 * section 31). */
#ifndef MB_BASE_FIXED_H
#define MB_BASE_FIXED_H

#include <math.h>
#include <stdint.h>

/* A number is 2^-bits times the first word and, where there are two, 2^-more times the second. */
typedef struct mb_fixed_ {
    int32_t bits;
    int32_t more; /* 0: there is one word, never of two */
} mb_fixed_;

enum {
    MB_FIXED_ENOUGH_ = 36,  /* fraction bits of one word                               */
    MB_FIXED_UNKNOWN_ = 20, /* those of the first word of a number of unknown size     */
    MB_FIXED_ROOM_ = 62,    /* bits of a sum: words of n nodes are below 2^62/n in size */
    MB_FIXED_LOWER_ = 8     /* by this many, once a number was larger than was known    */
};

/* Of a number of n nodes, none of which is above `most` in size; infinite: not known. The first
 * word has `lowered` fewer fraction bits than that allows. */
static inline mb_fixed_ mb_fixed_of_(double most, int32_t n, int32_t lowered)
{
    mb_fixed_ f = {.bits = MB_FIXED_UNKNOWN_};
    int       nodes, size;

    (void)frexp(n - 0.5, &nodes); /* n <= 2^nodes */
    if (isfinite(most)) {
        (void)frexp(most, &size); /* most < 2^size */
        f.bits = MB_FIXED_ROOM_ - nodes - size;
    }
    f.bits -= lowered;
    if (f.bits < MB_FIXED_ENOUGH_)
        f.more = f.bits + MB_FIXED_ROOM_ - nodes;
    f.more -= f.bits < MB_FIXED_ENOUGH_ && !f.more;
    return f;
}

/* Fraction bits of the last word. */
static inline int32_t mb_fixed_last_(mb_fixed_ f)
{
    return f.more ? f.more : f.bits;
}

/* The words of x. 0: it is too large for a sum of n nodes, or not finite. */
static inline int mb_fixed_make_(mb_fixed_ f, int32_t n, double x, uint64_t *first,
                                 uint64_t *second)
{
    const double y = ldexp(x, f.bits), whole = rint(y);

    if (!(fabs(y) < 0x1p62 / n))
        return 0;
    *first = (uint64_t)(int64_t)whole;
    *second = (uint64_t)(int64_t)rint(ldexp(y - whole, f.more - f.bits));
    return 1;
}

static inline double mb_fixed_read_(mb_fixed_ f, uint64_t first, uint64_t second)
{
    const double x = ldexp((double)(int64_t)first, -f.bits);

    return f.more ? x + ldexp((double)(int64_t)second, -f.more) : x;
}

#endif
