/* part.c - the whole network in one process. */
#include "graph/csr.h"

mb_status mb_part_whole(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_part *out,
                        mb_err *err)
{
    int32_t       *gid, *deg;
    const int32_t *turn;

    MB_NEW(gid, a, g->n, err);
    MB_NEW(deg, a, g->n, err);
    for (int32_t i = 0; i < g->n; i++) {
        gid[i] = i;
        deg[i] = mb_degree_(g, i);
    }
    MB_TRY(mb_turns_(a, g, gid, g->n, &turn, err));
    *out = (mb_part){
        .n_local = g->n, .n_global = g->n, .gid = gid, .g = *g, .deg = deg, .w = *w, .turn = turn};
    return MB_OK;
}
