/* start/alone.h - a network of one node, where the functions that agree on something compute it. */
#ifndef MB_ALONE_H
#define MB_ALONE_H

#include "meshbayes/extend.h"

/* It points into itself: it must not be moved. */
typedef struct mb_alone_ {
    mb_graph     g;
    mb_weights   w;
    mb_part      part;
    mb_transport tp;
    mb_tree      tree;
    mb_traffic   sent; /* nothing, whatever the functions count */
} mb_alone_;

/* In a, which may be fixed. */
mb_status mb_alone_make_(mb_arena *a, mb_alone_ *out, mb_err *err) MB_CHECKED;

#endif
