/* mesh_fit.h - nodes of a mixture on the links of a network, with the rows of fits.h. */
#ifndef MB_TEST_MESH_FIT_H
#define MB_TEST_MESH_FIT_H

#include "fits.h"
#include "mesh.h"
#include "test.h"

typedef struct world {
    mb_network    net;
    mb_local_part place;
    mb_case       c;
    mb_gmm_kind   gmm;
    mb_genesis    g;
    mb_plan       plan;
    mesh          m;
} world;

/* The table on the network, for a model. */
static inline void case_of(world *w, const char *topology, const mb_table *table,
                           const mb_kind *kind, const void *opt)
{
    w->net = network(topology);
    OK(mb_place_make(arena, &w->net, NULL, &w->place, &err));
    OK(mb_case_make(arena, &w->place, table, kind, opt, NULL, &w->c, &err));
}

/* The rows of fits.h for a mixture, and their genesis block; no nodes yet. */
static inline void fit_case_with(world *w, const char *topology, mb_covariance covariance)
{
    const mb_table table = some_rows();

    *w = (world){0};
    (void)mixture(&w->gmm);
    w->gmm.covariance_type = (int32_t)covariance;
    case_of(w, topology, &table, &mb_kind_gmm, &w->gmm);
    OK(mb_genesis_of_case(arena, &w->c, centres, &w->g, &err));
    w->plan = mesh_plan(&w->c, &w->gmm, MB_GENESIS_GIVEN);
}

static inline void fit_case(world *w, const char *topology)
{
    fit_case_with(w, topology, MB_COVARIANCE_FULL);
}

/* The nodes of a case that is there; opt: of its model. */
static inline void nodes_up(world *w, const void *opt, mb_genesis_from from)
{
    w->plan = mesh_plan(&w->c, opt, from);
    mesh_up(&w->m, &w->net, &w->c, &w->plan, from == MB_GENESIS_GIVEN ? &w->g : NULL, 0, 0);
}

static inline void up(world *w, const char *topology, mb_genesis_from from)
{
    fit_case(w, topology);
    nodes_up(w, &w->gmm, from);
}

/* Node id of the world as it begins once more. */
static inline mb_peer *another(world *w, int32_t id, uint32_t incarnation)
{
    const mb_peer_opt o = {.id = id,
                           .incarnation = incarnation,
                           .plan = &w->m.plan,
                           .neighbours = (int32_t)(w->net.g.ptr[id + 1] - w->net.g.ptr[id]),
                           .rows = w->c.data[id].n};
    mb_peer          *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    return p;
}

/* How many bytes of two checkpoints differ; their checksums, the last four, do not count. */
static inline size_t differing(const unsigned char *was, const unsigned char *is, size_t size)
{
    size_t differ = 0;

    for (size_t k = 0; k + 4 < size; k++)
        differ += was[k] != is[k];
    return differ;
}

/* The nodes, or those with use[i], know that they are N and are at a fixed point of central VB. */
static inline void assert_at_rest(const world *w, const uint8_t *use, double N)
{
    for (int32_t i = 0; i < w->net.n; i++)
        if (!use || use[i]) {
            assert_true(fabs(mesh_look(&w->m, i).n_nodes - N) < 1e-6);
            assert_true(mesh_step_changes(&w->m, w->c.data, i, use) < 1e-6);
        }
}

#endif
