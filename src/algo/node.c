/* algo/node.c - projection of the phi that a node sends. */
#include "meshbayes/extend.h"

mb_status mb_node_project(mb_node *nd, mb_err *err)
{
    double dist2;

    if (nd->on_domain != MB_PROJECT)
        return MB_OK;
    MB_TRY(mb_project(nd->layout, nd->eps, nd->phi, &dist2, nd->scratch, err)); /* eq. (38b) */
    if (dist2 > 0)
        (*nd->projected)++;
    return MB_OK;
}
