/* transport/mpi.h - the transport of a cluster: neighbour exchange over MPI. */
#ifndef MB_TRANSPORT_MPI_H
#define MB_TRANSPORT_MPI_H

#include "meshbayes/extend.h"
#include "meshbayes/mpi.h"

/* part: mb_part_share of this rank of comm, alike on all. Collective; comm is duplicated. Errors of
 * MPI are MB_E_PEER with MPI's text. Buffers grow to the largest mail seen, at its first round. */
mb_status mb_transport_mpi(mb_arena *a, const mb_part *part, MPI_Comm comm, mb_transport *out,
                           mb_err *err) MB_CHECKED;

#endif
