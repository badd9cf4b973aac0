/* base/cancel.h - builds whose work is not stopped (CMake option MB_CANCEL): what asks for it is
 * never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_CANCEL_H
#define MB_BASE_CANCEL_H

#ifdef MB_NO_CANCEL
#define MB_CANCEL_(may) 0
#else
#define MB_CANCEL_(may) (may)
#endif

#endif
