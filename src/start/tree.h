/* start/tree.h - sums over the network: up the breadth-first tree and down again. */
#ifndef MB_START_TREE_H
#define MB_START_TREE_H

#include "meshbayes/extend.h"

/* mine := mine joined with a child's vector. */
typedef void (*mb_join)(double *mine, const double *child, size_t len);

void mb_join_sum_(double *mine, const double *child, size_t len); /* entry by entry */

typedef struct mb_wave {
    mb_transport  *tp;
    const mb_tree *tree;
    mb_mail        mail; /* broadcast of `len` doubles: plane and sent, nothing per edge */
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

#endif
