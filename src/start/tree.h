/* start/tree.h - sums over the network: up the breadth-first tree and down again. */
#ifndef MB_START_TREE_H
#define MB_START_TREE_H

#include "meshbayes/extend.h"

/* mine := mine joined with a child's vector. */
typedef void (*mb_join)(double *mine, const double *child, size_t len);

void mb_join_sum_(double *mine, const double *child, size_t len); /* entry by entry */

/* Sums of integers (docs/math.md, section 31), which have the same bits whatever the tree. */
typedef struct mb_exact_ {
    const mb_masks *masks; /* of what each node adds to them; NULL: none. Borrowed     */
    uint64_t        sums;  /* made so far: the next one is the pass that masks are for */
} mb_exact_;

typedef struct mb_wave {
    mb_transport  *tp;
    const mb_tree *tree;
    size_t         len;  /* of a node's vector                                             */
    double        *size; /* len: of exact sums, how large the numbers of nodes are, log2   */
    mb_mail        mail; /* broadcast of `len` doubles, of exact sums of twice as many
                            words: plane and sent, nothing per edge                         */
    int64_t        t;    /* exchanges made, over all runs of this wave                   */
} mb_wave;

mb_status mb_wave_new_(mb_arena *a, mb_transport *tp, const mb_tree *tree, size_t len, mb_wave *out,
                       mb_err *err) MB_CHECKED;
/* Vector of local node i: filled before a run; after it that of the root, the same at all nodes. */
double *mb_wave_at_(const mb_wave *w, int32_t i);
/* A node joins its own vector with those of its children, by ascending id, and sends the result to
 * its parent; the root's goes down again. Adds what was sent to *sent: one frame up and one down
 * each link of the tree. */
mb_status mb_wave_run_(mb_wave *w, mb_join join, mb_traffic *sent, mb_err *err) MB_CHECKED;
/* The sum of the vectors, exact where those of the tree are. MB_E_NUMERIC: a number is not finite.
 * Collective. */
mb_status mb_wave_sum_(mb_wave *w, mb_traffic *sent, mb_err *err) MB_CHECKED;

#endif
