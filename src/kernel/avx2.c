/* avx2.c - the kernels for AVX2 and FMA; other processors never run this file. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define MB_ISA 1
#include "kernel/estep.h"

const mb_kernel_ mb_kernel_avx2_ = MB_KERNEL_TABLE("avx2");
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int mb_no_avx2_; /* an empty file is not valid C */
#endif
