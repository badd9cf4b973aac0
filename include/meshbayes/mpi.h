/* meshbayes/mpi.h - the processes of a cluster's job. In libmeshbayes-mpi, which only builds with
 * MB_MPI have; it never starts or ends MPI. */
#ifndef MESHBAYES_MPI_H
#define MESHBAYES_MPI_H

#include "meshbayes/meshbayes.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of comm, for mb_fit_opt::comm and others. comm is borrowed. */
MB_API mb_status mb_comm_mpi(mb_arena *a, MPI_Comm comm, const mb_comm **out,
                             mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
