/* base/gaps.h - builds without rows with gaps (CMake option MB_GAPS): what asks for them is never
 * 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_GAPS_H
#define MB_BASE_GAPS_H

#ifdef MB_NO_GAPS
#define MB_GAPS_(may) 0
#else
#define MB_GAPS_(may) (may)
#endif

#endif
