/* meshbayes/mpi.h - the transport of a cluster: neighbour exchange over MPI. Only in libraries
 * built with MB_MPI; the library never starts or ends MPI. */
#ifndef MESHBAYES_MPI_H
#define MESHBAYES_MPI_H

#include "meshbayes/transport.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* part: mb_part_share of this rank of comm, alike on all. Collective; comm is duplicated. Errors of
 * MPI are MB_E_PEER with MPI's text. Buffers grow to the largest mail seen, at its first round. */
MB_API mb_status mb_transport_mpi(mb_arena *a, const mb_part *part, MPI_Comm comm,
                                  mb_transport *out, mb_err *err) MB_CHECKED;

/* The processes of comm for mb_place_make and others. comm is borrowed. */
MB_API mb_status mb_comm_mpi(mb_arena *a, MPI_Comm comm, mb_comm *out, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
