/* kernel/exp_log.h - exp and log on vectors, docs/math.md 12: errors of at most 1.1 and 0.9 ulp on
 * the arguments of a softmax. Polynomials are Chebyshev interpolants; the same operations on every
 * instruction set, so AVX2 and AVX-512 give the same bits. */
#ifndef MB_EXP_LOG_H
#define MB_EXP_LOG_H

#include "kernel/vec.h"

/* Doubles of this size have unit spacing: adding one rounds to an integer in the low bits. */
static const double ROUND = 6755399441055744.0, /* 1.5 2^52 */
    TWO52 = 4503599627370496.0;
/* LN2_HIGH has 21 bits: n LN2_HIGH is exact. */
static const double LOG2E = 1.4426950408889634, LN2_HIGH = 0.6931467056274414,
                    LN2_LOW = 4.7493250390316726e-07;

/* e^x = 2^n e^r for -700 <= x <= 700, |r| <= ln 2/2, e^r = 1 + r + r^2 q(r); NaN gives NaN. */
INLINE vec vexp(vec x)
{
    const vec shifted = fma_(x, all(LOG2E), all(ROUND)), n = shifted - all(ROUND);
    const vec r = fnma(n, all(LN2_LOW), fnma(n, all(LN2_HIGH), x)), r2 = r * r;
    const vec a = fma_(all(0.16666666666666669), r, all(0.5000000000000001));
    const vec b = fma_(all(0.008333333333330065), r, all(0.041666666666624164));
    const vec c = fma_(all(0.00019841269863040545), r, all(0.0013888888917196719));
    const vec d = fma_(all(2.7557268480310024e-06), r, all(2.4801521322368692e-05));
    const vec e = fma_(all(2.5100375832561234e-08), r, all(2.7620075879983367e-07));
    const vec q = fma_(fma_(fma_(fma_(e, r2, d), r2, c), r2, b), r2, a);
    const vec p = all(1) + fma_(r2, q, r);

    return (vec)((ivec)p + ((ivec)shifted << 52));
}

/* ln x for normal x, 0 < x < 1e307, and 1/x: x = 2^e m with m in [sqrt 1/2, sqrt 2], s = f/(2 + f),
 * f = m - 1, and ln m = f - (f^2/2 - s (f^2/2 + t P(t))), t = s^2. One division serves both. */
INLINE vec vlog(vec x, vec *inverse)
{
    const ivec bits = (ivec)x, half_root = iall(0x3fe6a09e667f3bcd), one = iall(0x3ff0000000000000);
    const ivec biased = (bits - half_root + one) >> 52; /* e + 1023 */
    const vec  m = (vec)(bits - (biased << 52) + one);
    const vec  e = (vec)(biased | (ivec)all(TWO52)) - all(TWO52 + 1023);
    const vec  f = m - all(1), f2 = all(2) + f, quotient = all(1) / (f2 * x);
    const vec  s = f * (x * quotient), t = s * s, t2 = t * t, half = all(0.5) * f * f;
    const vec  a = fma_(all(0.39999999999899505), t, all(0.666666666666667));
    const vec  b = fma_(all(0.2222221113479508), t, all(0.28571428625975487));
    const vec  c = fma_(all(0.15331721600556042), t, all(0.18182889125261723));
    const vec  d = fma_(fma_(fma_(all(0.14616449685043406), t2, c), t2, b), t2, a);
    const vec  tail = fma_(s, fma_(t, d, half), e * all(LN2_LOW));

    *inverse = f2 * quotient;
    return fma_(e, all(LN2_HIGH), f - (half - tail));
}

#endif
