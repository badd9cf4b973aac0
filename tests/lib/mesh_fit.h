/* mesh_fit.h - nodes of a mixture on the links of a network, with the rows of fits.h. Include it
 * after cmocka.h. */
#ifndef MB_TEST_MESH_FIT_H
#define MB_TEST_MESH_FIT_H

#include "fits.h"
#include "mesh.h"

typedef struct world {
    mb_network  net;
    mb_place    place;
    mb_case     c;
    mb_gmm_kind gmm;
    mb_genesis  g;
    mb_plan     plan;
    mesh        m;
} world;

static inline void up(world *w, const char *topology, mb_genesis_from from)
{
    const mb_table table = some_rows();

    *w = (world){.net = network(topology)};
    (void)mixture(&w->gmm);
    OK(mb_place_make(arena, &w->net, NULL, &w->place, &err));
    OK(mb_case_make(arena, &w->place, &table, &mb_kind_gmm, &w->gmm, NULL, &w->c, &err));
    OK(mb_genesis_of_case(arena, &w->c, centres, &w->g, &err));
    w->plan = mesh_plan(&w->c, &w->gmm, from);
    mesh_up(&w->m, &w->net, &w->c, &w->plan, from == MB_GENESIS_GIVEN ? &w->g : NULL, 0, 0);
}

#endif
