/* tests/lib/arena.h - one arena for a test program: group or test set-up and tear-down. */
#ifndef MB_TEST_ARENA_H
#define MB_TEST_ARENA_H

#include "test.h"

static mb_arena *arena;

static inline int arena_up(void **state)
{
    (void)state;
    arena = mb_arena_new(1 << 16);
    return arena == NULL;
}

static inline int arena_down(void **state)
{
    (void)state;
    mb_arena_free(arena);
    return 0;
}

/* n zeros, in the arena. */
static inline double *doubles(size_t n)
{
    double *p = mb_alloc(arena, n, sizeof *p);

    assert_non_null(p);
    return p;
}

#endif
