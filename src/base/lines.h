/* base/lines.h - builds in which no initialisation is made of lines (CMake option MB_LINES): what
 * asks for it is never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_LINES_H
#define MB_BASE_LINES_H

#ifdef MB_NO_LINES
#define MB_LINES_(may) 0
#else
#define MB_LINES_(may) (may)
#endif

#endif
