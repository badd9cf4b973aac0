/* scratch_arena.h - memory of one computation, which is free before that of its caller. */
#ifndef MB_BASE_SCRATCH_ARENA_H
#define MB_BASE_SCRATCH_ARENA_H

#include "meshbayes/meshbayes.h"

/* arena.c: an arena for it, to be freed by mb_arena_free; a itself where that is a buffer of the
 * caller, which never calls malloc, and then mb_arena_free frees nothing. NULL: no memory. */
mb_arena *mb_arena_scratch_(mb_arena *a);

#endif
