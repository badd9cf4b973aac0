/* meshbayes/start.h - what a network agrees on before the first round, by floods of vectors
 * (max-consensus) over the same transport: hops, common origin and scale, common centres.
 *
 * Every node ends with the same bits; the functions return that common value and MB_E_PEER when
 * two nodes differ. The start needs every message (a real network repeats until acknowledged),
 * so simulated faults apply to the rounds, not to the start. */
#ifndef MESHBAYES_START_H
#define MESHBAYES_START_H

#include "meshbayes/model.h"
#include "meshbayes/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* H: hops from the lowest node id to the farthest node (0 for one node). */
MB_API mb_status mb_agree_hops(mb_arena *a, mb_transport *tp, int32_t *hops, mb_traffic *sent,
                               mb_err *err) MB_CHECKED;

/* origin = midpoint of each column's range; scale = power of two nearest to a quarter of the
 * range (ratio in [1/sqrt 2, sqrt 2)); 1 for a constant column (constant[d] = 1, for a warning).
 * origin, scale, constant: length D. Rows of zero weight count. MB_E_ARG when no node has rows. */
MB_API mb_status mb_agree_scale(mb_arena *a, mb_transport *tp, const mb_rows *rows, int32_t D,
                                double *origin, double *scale, uint8_t *constant, mb_traffic *sent,
                                mb_err *err) MB_CHECKED;

/* How centres are drawn. */
typedef enum mb_draw {
    MB_KMEANS, /* k-means++: with probability proportional to D^2, squared distance to the nearest */
    MB_FARTHEST /* farthest-first: the largest D^2                                                  */
} mb_draw;
/* K centres (K x D) drawn by the network itself: each row gets the key ln w + ln D^2 + Gumbel
 * (k-means++, an exact draw) or D^2 (farthest-first; its first centre is drawn as k-means++'s),
 * the largest key and its row flood. Distances in (x - origin)/scale. It reveals K rows to the
 * network. Keys depend on (seed, attempt, global node id, row in node). MB_E_ARG when K exceeds the number of rows; *repeated = 1
 * when fewer than K distinct rows exist. */
MB_API mb_status mb_draw_centres(mb_arena *a, mb_transport *tp, const mb_rows *rows,
                                 const double *origin, const double *scale, mb_draw how, int32_t K,
                                 uint64_t seed, int32_t attempt, double *centres, int32_t *repeated,
                                 mb_traffic *sent, mb_err *err) MB_CHECKED;

/* resp (n x K): 1 at the nearest centre in (x - origin)/scale (lowest index on a tie), else 0. */
MB_API void mb_nearest_resp(const mb_rows *rows, const double *origin, const double *scale,
                            int32_t K, const double *centres, double *resp);
/* resp (n x K): this node's own random responsibilities, rows sum to 1 (so that one can see it fail). */
MB_API void mb_random_resp(int64_t n, int32_t K, uint64_t seed, int32_t attempt, int32_t gid,
                           double *resp);

#ifdef __cplusplus
}
#endif
#endif
