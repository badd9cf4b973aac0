/* one_node.c - a network of one node. */
#include "start/one_node.h"
#include "network/graph.h"
#include "start/start.h"

mb_status mb_one_node_make_(mb_arena *a, mb_one_node_ *out, mb_err *err)
{
    *out = (mb_one_node_){.sent = {0, 0}};
    MB_TRY(mb_graph_from_edges(a, 1, 0, NULL, &out->g, err));
    MB_TRY(mb_weights_make(a, &out->g, MB_METROPOLIS, &out->w, err));
    MB_TRY(mb_part_whole(a, &out->g, &out->w, &out->part, err));
    MB_TRY(mb_transport_none(a, &out->part, &out->tp, err));
    return mb_agree_tree(a, a, &out->tp, &out->tree, &out->sent, err);
}
