/* base/far.h - builds whose starts leave no rows out (CMake option MB_FAR): what asks for it is
 * never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_FAR_H
#define MB_BASE_FAR_H

#ifdef MB_NO_FAR
#define MB_FAR_(may) 0
#else
#define MB_FAR_(may) (may)
#endif

#endif
