/* discrete_gaussian.c - the discrete Gaussian in whole numbers [Canonne20, algorithms 1 to 3]. Every
 * comparison is one of integers: floating-point noise would show in its low bits what it hides. */
#include "num/privacy.h"

#include <string.h>

enum { WORDS = 32 };

/* Random bits as they are needed; after a failure all bits are 0, which ends every loop. */
typedef struct bits {
    const mb_entropy *from;
    uint64_t          word[WORDS];
    int               left;
    mb_status         status;
    mb_err           *err;
} bits;

static uint64_t next(bits *b)
{
    if (!b->left && b->status >= 0) {
        b->status = b->from->fill(b->from->self, b->word, sizeof b->word, b->err);
        b->left = WORDS;
    }
    if (b->status < 0)
        return 0;
    return b->word[--b->left];
}

/* Uniform on 0 .. n - 1, n >= 1. */
static uint64_t below(bits *b, uint64_t n)
{
    uint64_t mask = n - 1, x;

    for (int shift = 1; shift < 64; shift *= 2)
        mask |= mask >> shift;
    do
        x = next(b) & mask;
    while (x >= n);
    return x;
}

/* 1 with probability exp(-a/n), 0 <= a <= n: the number of terms of the series that are taken is odd
 * (from 1) with that probability. */
static int falls(bits *b, uint64_t a, uint64_t n)
{
    uint64_t k = 1;

    while (b->status >= 0 && below(b, n) < a && below(b, k) == 0)
        k++;
    return k % 2 == 1;
}

/* The same `times` times. */
static int all_fall(bits *b, uint64_t times, uint64_t a, uint64_t n)
{
    for (uint64_t k = 0; k < times; k++)
        if (!falls(b, a, n))
            return 0;
    return 1;
}

/* The discrete Laplace distribution, P(x) ~ exp(-|x|/t): its size, and *negative. */
static uint64_t laplace(bits *b, uint64_t t, int *negative)
{
    while (b->status >= 0) {
        const uint64_t u = below(b, t);
        uint64_t       v = 0;

        if (!falls(b, u, t))
            continue;
        while (b->status >= 0 && falls(b, 1, 1))
            v++;
        *negative = (int)below(b, 2);
        if (u + v || !*negative) /* 0 has one sign */
            return u + t * v;
    }
    return 0;
}

/* exp(-(x - t)^2 / (2 t^2)), x - t = q t + r: q^2/2 + q r/t + r^2/(2 t^2) without an overflow. */
static int accepted(bits *b, uint64_t x, uint64_t t)
{
    const uint64_t distance = x > t ? x - t : t - x, q = distance / t, r = distance % t;

    return all_fall(b, q * q, 1, 2) && all_fall(b, q, r, t) && falls(b, r * r, 2 * t * t);
}

mb_status mb_discrete_gaussian_(const mb_entropy *from, int64_t sigma, size_t n, int64_t *out,
                                mb_err *err)
{
    const uint64_t t = (uint64_t)sigma;
    bits           b = {.from = from, .err = err};

    for (size_t i = 0; i < n && b.status >= 0; i++) {
        int      negative = 0;
        uint64_t x;

        do
            x = laplace(&b, t, &negative);
        while (b.status >= 0 && !accepted(&b, x, t));
        out[i] = negative ? -(int64_t)x : (int64_t)x;
    }
    memset(b.word, 0, sizeof b.word);
    return b.status;
}
