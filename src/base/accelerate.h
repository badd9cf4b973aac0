/* base/accelerate.h - builds without extrapolated steps (CMake option MB_ACCELERATE): what asks for
 * them is never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_ACCELERATE_H
#define MB_BASE_ACCELERATE_H

#ifdef MB_NO_ACCELERATE
#define MB_ACCELERATE_(may) 0
#else
#define MB_ACCELERATE_(may) (may)
#endif

#endif
