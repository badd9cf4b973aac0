/* avx512.c - the kernels for AVX-512 F, DQ and VL; other processors never run this file. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#define MB_ISA 2
#include "kernel/estep.h"

const mb_kernel_ mb_kernel_avx512_ = MB_KERNEL_TABLE("avx512");
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int mb_no_avx512_; /* an empty file is not valid C */
#endif
