/* kernel/vec.h - vectors of LANES doubles of the instruction set that the including file chooses:
 * MB_ISA 2 is AVX-512, 1 is AVX2 with FMA, 0 is what any compiler of GNU C makes of two lanes
 * (SSE2, NEON). The instruction sets differ only here. */
#ifndef MB_VEC_H
#define MB_VEC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline, unused))
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* nothing is unrolled in a debug build */
#define UNROLL     _Pragma("clang loop unroll(full)")
#define UNROLL_TWO _Pragma("clang loop unroll_count(2)")
#else
#define UNROLL     _Pragma("GCC unroll 32")
#define UNROLL_TWO _Pragma("GCC unroll 2")
#endif

/* SKIPS 0: nothing is skipped, for less code; the same bits. SHARES 0: each row has a logarithm of
 * its own, for less code; other last bits. */
#ifdef __OPTIMIZE_SIZE__
enum { SKIPS = 0, SHARES = 0 };
#else
enum { SKIPS = 1, SHARES = 1 };
#endif

/* Cases of a switch whose sizes are constants, so that loops over them unroll. */
#define CASES_2(X)  X(1) X(2)
#define CASES_6(X)  CASES_2(X) X(3) X(4) X(5) X(6)
#define CASES_8(X)  CASES_6(X) X(7) X(8)
#define CASES_18(X) CASES_8(X) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18)
#define CASES_28(X) CASES_18(X) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28)

/* A matrix product has MB_ROWS rows of NV vectors in registers at once. Packed moments have SUMS
 * vectors of sums for AT_ONCE vectors of products; KEEP: these are stored for the next components
 * rather than computed again. */
#if MB_ISA == 2
enum { LANES = 8, MB_ROWS = 8, NV = 3, SUMS = 28, AT_ONCE = 1, KEEP = 0 };
typedef __m512d vec;
#define ROWS_CASES CASES_8
#define SUMS_CASES CASES_28
#elif MB_ISA == 1
enum { LANES = 4, MB_ROWS = 6, NV = 2, SUMS = 12, AT_ONCE = 2, KEEP = 1 };
typedef __m256d vec;
#define ROWS_CASES CASES_6
#define SUMS_CASES CASES_6
#else
#ifdef __OPTIMIZE_SIZE__ /* fewer cases; the same bits */
enum { LANES = 2, MB_ROWS = 2, NV = 4, SUMS = 4, AT_ONCE = 2, KEEP = 1 };
#define SUMS_CASES CASES_2
#else
enum { LANES = 2, MB_ROWS = 2, NV = 4, SUMS = 12, AT_ONCE = 2, KEEP = 1 };
#define SUMS_CASES CASES_6
#endif
typedef double vec __attribute__((vector_size(16)));
#define ROWS_CASES CASES_2
#endif
typedef uint64_t ivec __attribute__((vector_size(8 * LANES)));

INLINE vec load(const double *p)
{
    vec v;

    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(double *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

INLINE vec all(double a)
{
#if MB_ISA == 2
    return _mm512_set1_pd(a);
#elif MB_ISA == 1
    return _mm256_set1_pd(a);
#else
    return (vec){a, a};
#endif
}

INLINE ivec iall(uint64_t a)
{
    return (ivec){0} + a;
}

/* a b + c; rounded once where the instruction set can. */
INLINE vec fma_(vec a, vec b, vec c)
{
#if MB_ISA == 2
    return _mm512_fmadd_pd(a, b, c);
#elif MB_ISA == 1
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;
#endif
}

/* c - a b */
INLINE vec fnma(vec a, vec b, vec c)
{
#if MB_ISA == 2
    return _mm512_fnmadd_pd(a, b, c);
#elif MB_ISA == 1
    return _mm256_fnmadd_pd(a, b, c);
#else
    return c - a * b;
#endif
}

/* b where a < low, else c. */
INLINE vec pick_below(vec a, vec low, vec b, vec c)
{
#if MB_ISA == 2
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, low, _CMP_LT_OQ), c, b);
#elif MB_ISA == 1
    return _mm256_blendv_pd(c, b, _mm256_cmp_pd(a, low, _CMP_LT_OQ));
#else
    const ivec below = (ivec)(a < low);

    return (vec)((below & (ivec)b) | (~below & (ivec)c));
#endif
}

/* Not 0 if a lane of a is not below that of low, or is NaN. */
INLINE int reaches(vec a, vec low)
{
#if MB_ISA == 2
    return _mm512_cmp_pd_mask(a, low, _CMP_NLT_UQ);
#elif MB_ISA == 1
    return _mm256_movemask_pd(_mm256_cmp_pd(a, low, _CMP_NLT_UQ));
#else
    return !((a[0] < low[0]) & (a[1] < low[1]));
#endif
}

/* The larger one; b if either is NaN. */
INLINE vec larger(vec a, vec b)
{
#if MB_ISA == 2
    return _mm512_max_pd(a, b);
#elif MB_ISA == 1
    return _mm256_max_pd(a, b);
#else
    const ivec above = (ivec)(a > b);

    return (vec)((above & (ivec)a) | (~above & (ivec)b));
#endif
}

/* Transposes the square matrix of LANES rows a. */
INLINE void transpose(vec *a)
{
#if MB_ISA == 2
    vec b[8], c[8];

    UNROLL
    for (int u = 0; u < 8; u += 2) {
        b[u] = _mm512_unpacklo_pd(a[u], a[u + 1]);
        b[u + 1] = _mm512_unpackhi_pd(a[u], a[u + 1]);
    }
    UNROLL
    for (int u = 0; u < 8; u += 4)
        for (int v = 0; v < 2; v++) {
            c[u + v] = _mm512_shuffle_f64x2(b[u + v], b[u + v + 2], 0x88);
            c[u + v + 2] = _mm512_shuffle_f64x2(b[u + v], b[u + v + 2], 0xdd);
        }
    UNROLL
    for (int u = 0; u < 4; u++) {
        a[u] = _mm512_shuffle_f64x2(c[u], c[u + 4], 0x88);
        a[u + 4] = _mm512_shuffle_f64x2(c[u], c[u + 4], 0xdd);
    }
#elif MB_ISA == 1
    const vec b0 = _mm256_unpacklo_pd(a[0], a[1]), b1 = _mm256_unpackhi_pd(a[0], a[1]);
    const vec b2 = _mm256_unpacklo_pd(a[2], a[3]), b3 = _mm256_unpackhi_pd(a[2], a[3]);

    a[0] = _mm256_permute2f128_pd(b0, b2, 0x20);
    a[1] = _mm256_permute2f128_pd(b1, b3, 0x20);
    a[2] = _mm256_permute2f128_pd(b0, b2, 0x31);
    a[3] = _mm256_permute2f128_pd(b1, b3, 0x31);
#else
    const vec b = {a[0][0], a[1][0]};

    a[1] = (vec){a[0][1], a[1][1]};
    a[0] = b;
#endif
}

/* Sum of the lanes, halves first. */
INLINE double total(vec v)
{
    double a[LANES];

    store(a, v);
    for (int half = LANES / 2; half; half /= 2)
        for (int u = 0; u < half; u++)
            a[u] += a[u + half];
    return a[0];
}

#endif
