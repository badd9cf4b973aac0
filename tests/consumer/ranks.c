/* ranks.c - what a user writes whose program runs under mpirun: prints the number of its processes. */
#include <meshbayes/extend.h>
#include <meshbayes/mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    mb_arena      *a = mb_arena_new(1 << 12);
    const mb_comm *c;
    mb_err         err;
    int            bad;

    MPI_Init(&argc, &argv);
    bad = !a || mb_comm_mpi(a, MPI_COMM_WORLD, &c, &err) < 0;
    if (!bad)
        printf("process %d of %d\n", (int)c->rank, (int)c->size);
    MPI_Finalize();
    mb_arena_free(a);
    return bad;
}
