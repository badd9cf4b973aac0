/* start/start.h - common units and centres, agreed by messages between neighbours. */
#ifndef MB_START_H
#define MB_START_H

#include "meshbayes/extend.h"

/* The tree of the network: a flood of (lowest id, hops), one broadcast of every node's parent, and
 * five numbers up and down the tree. scratch_arena: memory that may be freed afterwards; may be
 * a. */
mb_status mb_agree_tree(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp, mb_tree *out,
                        mb_traffic *sent, mb_err *err) MB_CHECKED;
/* That from a node in the centre of the network: no node has its farthest one nearer. `tree`, that
 * of mb_agree_tree, and at most 16 floods more tell each node the least hops to its farthest one;
 * of those with the fewest the lowest id floods next, until none can have fewer than were found. */
mb_status mb_agree_centre(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp,
                          const mb_tree *tree, mb_tree *out, mb_traffic *sent,
                          mb_err *err) MB_CHECKED;

/* Mean and standard deviation of each of D columns and, if with_cov is 1, their covariance, in a:
 * the extremes by a flood, then two sums over the tree, of 1 + D numbers and of D or D(D + 1)/2.
 * The second is about the mean, and both are in units of the range, so columns far from the origin
 * and values up to 1e300 lose nothing. MB_E_ARG if no node has rows; MB_E_NUMERIC for a value that
 * is not finite. O(rows D), with the covariance O(rows D^2). gaps: 1, at all nodes, when rows may
 * have some (mb_rows.gaps): the sums are then of 1 + 2 D numbers, and of D or D (D + 1). ends:
 * NULL, or stated ones (2 D: -low, then high) in place of the flooded, so that no value of a row is
 * exchanged; a column is then constant if its standard deviation is 0 up to rounding. */
mb_status mb_agree_moments(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp,
                           const mb_tree *tree, const mb_rows *rows, int32_t D, int32_t with_cov,
                           int32_t gaps, const double *ends, mb_row_moments *out, mb_traffic *sent,
                           mb_err *err) MB_CHECKED;
/* The limits of the rows, in a: from the median of each column sqrt(1 + (widths^2 - 1)/sqrt(n))
 * robust standard deviations (the distance of the quartiles over 1.349), where n is the number of
 * columns that are not constant, or 4 if they are more. seen: mb_agree_moments of them. The
 * quartiles are known to 1/64 of their distance, from counts in 16 bins that are summed over the
 * tree and narrowed, 54 D numbers in at most 15 passes; of unweighted rows the limits have the
 * same bits everywhere. d = 0 if no row is far, more than a quarter of the weight is, or fewer than
 * `least` rows are not. O(rows D) a pass. */
mb_status mb_agree_limits(mb_arena *a, mb_arena *scratch_arena, mb_transport *tp,
                          const mb_tree *tree, const mb_rows *rows, const mb_row_moments *seen,
                          double widths, int32_t least, mb_limits *out, mb_traffic *sent,
                          mb_err *err) MB_CHECKED;
/* The same rows, those that are far with weight 0; the weights are in a. l may be NULL. */
mb_status mb_limits_rows(mb_arena *a, const mb_limits *l, const mb_rows *rows, mb_rows *out,
                         mb_err *err) MB_CHECKED;
/* resp (n x K) of rows that are far := 0: they belong to no component. l may be NULL. */
void mb_limits_resp(const mb_limits *l, const mb_rows *rows, int32_t K, double *resp);
/* Common units of the columns (d each): scale = power of two nearest to the standard deviation
 * (ratio in [1/sqrt 2, sqrt 2)), spread if that is 0 or infinite, 1 for a constant column; origin =
 * the mean, rounded to a multiple of scale/64, so that it seldom depends on the order of a sum. */
void mb_common_units(const mb_row_moments *seen, double *origin, double *scale);

/* How initial centres are chosen. */
typedef enum mb_draw {
    MB_KMEANS, /* k-means++: probability proportional to D^2, the squared distance to the nearest */
    MB_FARTHEST, /* farthest-first: the largest D^2                                               */
    MB_KMEDIANS, /* as the first, but of D in place of D^2: rows far out have a smaller part      */
    MB_ANY_ROWS  /* each that is at none of those so far alike, by its weight                     */
} mb_draw;
/* Rows among which greedy k-means++ chooses each centre but the first where there is one attempt:
 * 2 + 2 ln K (scikit-learn: 2 + ln K). */
int32_t mb_draw_candidates_(int32_t K);
/* K centres (K x D), chosen by the network itself: each row has the key ln w + ln D^2 + Gumbel
 * (exact k-means++ sampling) or D^2 (farthest-first, whose first centre is sampled as k-means++
 * does), and the network floods the largest key and its row. With candidates > 1 every centre but
 * the first is the best of this number of rows chosen in this way (greedy k-means++): the one that
 * leaves the smallest sum of w D^2, the first of equals, found by one sum of `candidates` numbers
 * over the tree. D^2 of a row with gaps is over the columns where it has a value, times
 * columns/these; as a centre it has the origin where it has none. Distances are in (x -
 * origin)/scale. 1 + (K - 1) candidates rows become known to the whole network. Keys depend on
 * (seed, attempt, candidates, global node id, row in node). tree may be NULL if candidates is 1.
 * MB_E_ARG if K exceeds the number of rows; *repeated = 1 if there are fewer than K distinct rows.
 * O(rows K D candidates). */
mb_status mb_draw_centres(mb_arena *a, mb_transport *tp, const mb_tree *tree, const mb_rows *rows,
                          const double *origin, const double *scale, mb_draw how,
                          int32_t candidates, int32_t K, uint64_t seed, int32_t attempt,
                          double *centres, int32_t *repeated, mb_traffic *sent,
                          mb_err *err) MB_CHECKED;

/* Lloyd's iteration (k-means) from the centres given (K x D, data units), in place: every row goes
 * to its nearest centre in (x - origin)/scale, the lowest index on a tie; every centre becomes the
 * weighted mean of its rows; until the rows that change their cluster weigh at most 1e-4 of all (of
 * fewer than 10,000 none), at most 300 times: *steps. A cluster without weight takes the row that
 * is farthest from its own centre (the largest row among equals), a second one the row that is then
 * farthest from all of these, and so on; if every row is at a centre, it keeps its own. A row with
 * gaps is nearest over the columns that it has, and in others it is as its centre. K (D + 1) + 1
 * sums go up the tree and down. The result is bit-identical at all nodes, for any threads and
 * processes. pool NULL: one thread. scratch_arena: 12 bytes a row, to be freed. O(rows K D) a
 * step. */
mb_status mb_lloyd(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                   const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                   int32_t D, mb_pool *pool, double *centres, int32_t *steps, mb_traffic *sent,
                   mb_err *err) MB_CHECKED;

/* `steps` of these, each a sum over the tree, in which a cluster without weight keeps its centre:
 * no row is shown. *between: sum over the clusters of weight times the squared length of their mean
 * in the units; the larger, the nearer rows are to their centres. */
mb_status mb_lloyd_sums(mb_arena *scratch_arena, mb_transport *tp, const mb_tree *tree,
                        const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                        int32_t D, mb_pool *pool, int32_t steps, double *centres, double *between,
                        mb_traffic *sent, mb_err *err) MB_CHECKED;

/* resp (n x K): 1 at the nearest centre in (x - origin)/scale (lowest index on a tie), else 0. */
void mb_nearest_resp(const mb_rows *rows, const double *origin, const double *scale, int32_t K,
                     const double *centres, double *resp);
/* Of rows that stand for all, as an initialisation sees those of mixed columns: how many numbers
 * the centres of K components have; columns: of a row, targets too. */
size_t mb_centres_len(const mb_sizes *s, int32_t columns);
/* Centres by k-means++ and Lloyd's iteration (data units), in one thread and from the seed alone,
 * from a few weighted rows. run: units of the run. MB_E_ARG when there are fewer rows of positive
 * weight than components. Takes at most 48 n + 48 K (D + 1) + 400 D + 6144 bytes for n <= 4096 rows
 * of scratch_arena, and nothing of a. */
mb_status mb_centres_from(mb_arena *a, mb_arena *scratch_arena, const mb_sizes *s,
                          const mb_units *run, const mb_rows *sample, uint64_t seed, double *start,
                          mb_err *err) MB_CHECKED;
/* Responsibilities (n x K) of rows in data units: of the nearest centre. */
void mb_centres_resp(const mb_sizes *s, const mb_units *run, const double *start,
                     const mb_rows *rows, double *resp);
/* resp (n x K): random responsibilities, independent at each node; rows sum to 1. Not a sound
 * initialisation: provided to show that it fails. */
void mb_random_resp(int64_t n, int32_t K, uint64_t seed, int32_t attempt, int32_t gid,
                    double *resp);
/* mb_random_resp for the next n rows of a node; rng: before its first row mb_rng_at(seed,
 * MB_STREAM_START, gid, attempt). */
void mb_random_more(mb_rng *rng, int64_t n, int32_t K, double *resp);

#endif
