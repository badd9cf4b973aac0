/* base/point.h - builds whose models neither begin at a point of their own (mb_kind::phi0) nor have
 * canonical forms (CMake option MB_POINT): what asks for it is never 1, so that the compiler leaves
 * out what follows. */
#ifndef MB_BASE_POINT_H
#define MB_BASE_POINT_H

#ifdef MB_NO_POINT
#define MB_POINT_(may) 0
#else
#define MB_POINT_(may) (may)
#endif

#endif
