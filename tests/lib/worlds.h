/* worlds.h - every model in a world of its own, for tests of algorithms. */
#ifndef MB_TEST_WORLDS_H
#define MB_TEST_WORLDS_H

#include "gmm_world.h"
#include "linreg_world.h"

typedef struct world_kind {
    world *(*make)(mb_arena *a, const char *text, mb_rule rule, uint64_t seed, int32_t rows);
    void (*start)(world *w); /* the first phi* from the rows, again */
} world_kind;

static const world_kind worlds[] = {{gmm_world, gmm_world_start},
                                    {linreg_world, linreg_world_start}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

#endif
