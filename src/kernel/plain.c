/* plain.c - the kernels in plain GNU C, the reference for every other instruction set. */
#define MB_ISA 0
#include "kernel/estep.h"

const mb_kernel_ mb_kernel_plain_ = MB_KERNEL_TABLE("plain");
