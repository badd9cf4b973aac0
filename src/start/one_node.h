/* start/one_node.h - a network of one node, where the functions that agree on something compute
 * it. */
#ifndef MB_START_ONE_NODE_H
#define MB_START_ONE_NODE_H

#include "meshbayes/extend.h"

/* It points into itself: it must not be moved. */
typedef struct mb_one_node_ {
    mb_graph     g;
    mb_weights   w;
    mb_part      part;
    mb_transport tp;
    mb_tree      tree;
    mb_traffic   sent; /* nothing, whatever the functions count */
} mb_one_node_;

/* In a, which may be fixed. */
mb_status mb_one_node_make_(mb_arena *a, mb_one_node_ *out, mb_err *err) MB_CHECKED;

#endif
