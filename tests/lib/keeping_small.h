/* keeping_small.h - a run so small that every byte of its checkpoint can be tried. */
#ifndef MB_TEST_KEEPING_SMALL_H
#define MB_TEST_KEEPING_SMALL_H

#include "gmm_world.h"
#include "keeping.h"
#include "scratch.h"

static inline world *small(scratch *s)
{
    return gmm_world(s->a, "path:n=3", MB_METROPOLIS, 3, 12);
}

/* One checkpoint of a small run, and a run that could resume from it. */
static inline keeping *saved(scratch *s, const world *w, const mb_algo *algo, const mb_faults *f)
{
    keeping *a = keeping_of(world_run(w, algo, "", f), scratch_path(s, "c"));

    keeping_go(a, 7);
    keeping_save(a, 0);
    keeping_end(a);
    return keeping_of(world_run(w, algo, "", f), a->c.dir);
}

#endif
