/* base/audit.h - builds whose nodes do not audit each other (CMake option MB_AUDIT): what asks for
 * it is never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_AUDIT_H
#define MB_BASE_AUDIT_H

#ifdef MB_NO_AUDIT
#define MB_AUDIT_(may) 0
#else
#define MB_AUDIT_(may) (may)
#endif

#endif
