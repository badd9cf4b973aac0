/* worlds.h - every model in a world of its own, for tests of algorithms. */
#ifndef MB_TEST_WORLDS_H
#define MB_TEST_WORLDS_H

#include "category_world.h"
#include "gmm_world.h"
#include "linreg_world.h"

typedef struct world_kind {
    world *(*make)(mb_arena *a, const char *text, mb_rule rule, uint64_t seed, int32_t rows);
    void (*start)(world *w); /* the first phi* from the rows, again */
} world_kind;

static const world_kind worlds[] = {{gmm_world, gmm_world_start},
                                    {gmm_diag_world, gmm_world_start},
                                    {gmm_spherical_world, gmm_world_start},
                                    {linreg_world, linreg_world_start},
                                    {category_world, linreg_world_start}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* A message of len numbers: in the first vector the first phi* of a node, where they are integers
 * zeros; 1 in all that an algorithm adds. */
static inline double *a_message(mb_arena *a, const mb_algo *algo, const double *star, size_t L,
                                size_t len)
{
    double *msg = mb_alloc(a, len, sizeof *msg);

    if (algo->coding == MB_CODED_DOUBLES)
        memcpy(msg, star, L * sizeof *msg);
    for (size_t l = L; l < len; l++)
        if (algo->coding == MB_CODED_DOUBLES)
            msg[l] = 1;
        else
            mb_set_word(msg, l, 1);
    return msg;
}

#endif
