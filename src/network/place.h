/* network/place.h - what both ways to a process's share of a network have in common. */
#ifndef MB_NETWORK_PLACE_H
#define MB_NETWORK_PLACE_H

#include "meshbayes/extend.h"

/* MB_E_ARG when there are more processes than nodes. */
mb_status mb_place_check_(const mb_network *net, const mb_comm *comm, mb_err *err) MB_CHECKED;
/* The process of each node, with few links between processes if the build has METIS. */
mb_status mb_place_owners_(mb_arena *a, const mb_network *net, int32_t processes, int32_t **owner,
                           mb_err *err) MB_CHECKED;

#endif
