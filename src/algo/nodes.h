/* algo/nodes.h - the algorithm that the nodes of a mesh run. */
#ifndef MB_ALGO_NODES_H
#define MB_ALGO_NODES_H

#include "meshbayes/extend.h"

/* That of a plan. */
const mb_algo *mb_node_algo_(const mb_plan *plan);
/* Its name where it is not the one by default, else NULL: what hashes and texts say of it. */
const char *mb_node_algo_named_(const mb_plan *plan);
/* MB_E_NOSUP says what an algorithm does not bear that happens to nodes; MB_E_ARG: its options are
 * larger than MB_MESH_OPT. */
mb_status mb_algo_on_nodes_(const mb_algo *a, mb_err *err) MB_CHECKED;
/* list.c: the listed one of this name, which can run on nodes; MB_E_ARG: there is none;
 * MB_E_NOSUP. */
mb_status mb_node_algo_find_(const char *name, const mb_algo **out, mb_err *err) MB_CHECKED;

/* list.c: what a network runs that nobody asked for another (mb_kind::algorithm). */
const char *mb_network_algo_(const mb_kind *kind);

#endif
