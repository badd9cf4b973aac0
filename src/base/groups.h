/* base/groups.h - builds without rows in groups (CMake option MB_GROUPS): what asks for them is
 * never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_GROUPS_H
#define MB_BASE_GROUPS_H

#ifdef MB_NO_GROUPS
#define MB_GROUPS_(may) 0
#else
#define MB_GROUPS_(may) (may)
#endif

#endif
