/* base/tied.h - builds without components that share a matrix (CMake option MB_TIED): what asks for
 * them is never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_TIED_H
#define MB_BASE_TIED_H

#ifdef MB_NO_TIED
#define MB_TIED_(may) 0
#else
#define MB_TIED_(may) (may)
#endif

#endif
