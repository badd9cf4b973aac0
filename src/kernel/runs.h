/* kernel/runs.h - the rows that a component reaches: the others would add 0 to its sums, which
 * changes no bit but the sign of a sum that is 0. */
#ifndef MB_RUNS_H
#define MB_RUNS_H

#include "kernel/kernel.h"
#include "kernel/vec.h"

/* Rows from .. to - 1: whole vectors, but for the last rows of the block. */
typedef struct run {
    int32_t from, to;
} run;

/* What a constant says to the compiler where nothing is skipped. */
INLINE run rows_of(const mb_estep_ *g, const run *at)
{
    return SKIPS ? *at : (run){0, g->rows};
}

INLINE int reached(const double *r)
{
    return reaches(load(r), all(4.9406564584124654e-324)); /* the least above 0 */
}

/* 1: of many components, less than one in `part` reaches the first rows of the block, a sample. */
INLINE int few_reach(const mb_estep_ *g, int32_t part)
{
    int64_t met = 0;

    if (!SKIPS || g->K < MB_MANY_K)
        return 0;
    for (int32_t k = 0; k < g->K; k++)
        met += !!reached(g->r + (size_t)k * (size_t)g->block);
    return met * part < g->K;
}

/* Moves to the next run of vectors in each of which some r is not 0; 0 after the last. */
INLINE int next_run(const mb_estep_ *g, const double *r, run *at)
{
    int32_t l = at->to;

    while (l < g->rows && !reached(r + l))
        l += LANES;
    at->from = l;
    while (l < g->rows && reached(r + l))
        l += LANES;
    at->to = l < g->rows ? l : g->rows;
    return at->from < g->rows;
}

#endif
