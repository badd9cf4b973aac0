/* kernel/nearest.h - the nearest of K centres, for Lloyd's iteration. */
#ifndef MB_NEAREST_H
#define MB_NEAREST_H

#include "kernel/vec.h"

#ifdef __OPTIMIZE_SIZE__
enum { NEAR_VECS = 1 };
#else
enum { NEAR_VECS = 4 /* vectors of columns for which a number of a centre is loaded once */ };
#endif

/* Squared distances of NEAR_VECS LANES columns of z from a centre: products are rounded before they
 * are added, so all instruction sets are bit-identical. */
INLINE void far_from(int32_t D, const double *z, const double *centre, vec out[NEAR_VECS])
{
    UNROLL
    for (int v = 0; v < NEAR_VECS; v++) {
        const vec step = load(z + v * LANES) - all(centre[0]);
        out[v] = step * step;
    }
    for (int32_t i = 1; i < D; i++) {
        const vec     c = all(centre[i]);
        const double *row = z + (size_t)i * MB_NEAR_ROWS;

        UNROLL
        for (int v = 0; v < NEAR_VECS; v++) {
            const vec step = load(row + v * LANES) - c, square = step * step;
            out[v] = out[v] + square; /* a statement of its own: no compiler fuses the two */
        }
    }
}

static void nearest(int32_t K, int32_t D, const double *z, const double *centres, double *best,
                    double *own, double *other)
{
    for (int32_t l = 0; l < MB_NEAR_ROWS; l += NEAR_VECS * LANES) {
        vec least[NEAR_VECS], second[NEAR_VECS], index[NEAR_VECS];

        for (int v = 0; v < NEAR_VECS; v++) {
            least[v] = second[v] = all(HUGE_VAL);
            index[v] = all(0);
        }
        for (int32_t k = 0; k < K; k++) {
            vec far[NEAR_VECS];

            far_from(D, z + l, centres + (size_t)k * (size_t)D, far);
            UNROLL
            for (int v = 0; v < NEAR_VECS; v++) {
                if (MB_NEAR_BOUNDS) {
                    const vec farther = pick_below(far[v], least[v], least[v], far[v]);

                    second[v] = pick_below(farther, second[v], farther, second[v]);
                }
                index[v] = pick_below(far[v], least[v], all((double)k), index[v]);
                least[v] = pick_below(far[v], least[v], far[v], least[v]);
            }
        }
        for (int v = 0; v < NEAR_VECS; v++) {
            store(best + l + v * LANES, index[v]);
            if (MB_NEAR_BOUNDS) {
                store(own + l + v * LANES, least[v]);
                store(other + l + v * LANES, second[v]);
            }
        }
    }
}

#endif
