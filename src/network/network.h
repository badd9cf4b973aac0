/* network/network.h - a network in steps: positions, weights, facts, and its share in this
 * process. */
#ifndef MB_NETWORK_H
#define MB_NETWORK_H

#include "meshbayes/extend.h"

/* First step after the links: MB_E_ARG that names the components when there are several. */
mb_status mb_network_check(const mb_network *net, mb_err *err) MB_CHECKED;
/* Second step: positions. A layout costs O(n^2); more than 2000 nodes are put on a circle. */
mb_status mb_network_arrange(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                             mb_err *err) MB_CHECKED;
/* Third step: weights. Rows of a file must sum to 1; columns that do not set net->warning. */
mb_status mb_network_weigh(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                           mb_err *err) MB_CHECKED;
/* Last step: facts, in seconds at most (mb_graph_describe). */
mb_status mb_network_describe(mb_network *net, mb_err *err) MB_CHECKED;

/* Column sums of weights that differ from 1 by more are not rounding: averaging moves the mean. */
#define MB_COLUMN_TOLERANCE 1e-9

/* mb_place_make of a network of process 0: the others, whose net has n and facts, receive
 * shares. */
mb_status mb_place_share(mb_arena *a, const mb_network *net, const mb_comm *comm,
                         mb_local_part *out, mb_err *err) MB_CHECKED;
/* A network of one node, in every process: central VB runs there. */
mb_status mb_place_one(mb_arena *a, mb_local_part *out, mb_err *err) MB_CHECKED;

#endif
