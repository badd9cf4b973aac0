/* tile.c - sums of products for MB_TILE_ rows and MB_TILE_ vectors of numbers that are side by side,
 * in registers, on the widest vectors that the machine has. Every sum is by itself and in the order of
 * l, and products are rounded before they are added: bit-identical to plain loops everywhere. */
#include "num/num.h"

#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#define ADD add_plain
#define TARGET
#define LANES 2
#define ROWS  2
#include "num/tile_rows.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(MB_KERNELS_PLAIN)
#define ADD    add_avx2
#define TARGET __attribute__((target("avx2")))
#define LANES  4
#define ROWS   4
#include "num/tile_rows.h"

#define ADD    add_avx512
#define TARGET __attribute__((target("avx512f")))
#define LANES  8
#define ROWS   8
#include "num/tile_rows.h"

void mb_tile_add_(int32_t n, const double *const *A, size_t step, const double *Y, size_t ld,
                  double *S)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        add_avx512(n, A, step, Y, ld, S);
    else if (__builtin_cpu_supports("avx2"))
        add_avx2(n, A, step, Y, ld, S);
    else
        add_plain(n, A, step, Y, ld, S);
}
#else
void mb_tile_add_(int32_t n, const double *const *A, size_t step, const double *Y, size_t ld,
                  double *S)
{
    add_plain(n, A, step, Y, ld, S);
}
#endif
