/*
 * across_mpi_open.c - no memory for a communicator on the last rank: all ranks return
 * that, and none waits. Linked with --wrap, so that calls of calloc come to __wrap_calloc.
 *
 * Rank 0 prints.
 */
#include "multiway_mpi.h"
#include "tap.h"

static int has_no_memory;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return has_no_memory ? NULL : __real_calloc(count, bytes);
}

/* Does mw_mpi_open return `status` on all ranks? */
static int opens_with(mw_status status)
{
    mw_comm comm;
    int right = mw_mpi_open(&comm, MPI_COMM_WORLD) == status;

    mw_mpi_close(&comm);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return right;
}

int main(int count, char **words)
{
    struct tap tap = {0};
    int rank, ranks, refused, opened;

    if (MPI_Init(&count, &words) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    has_no_memory = rank == ranks - 1;
    refused = opens_with(MW_NO_MEMORY);
    has_no_memory = 0;
    opened = opens_with(MW_OK);
    if (rank == 0) {
        tap_ok(&tap, refused, "no memory on one rank, the same status on all", "");
        tap_ok(&tap, opened, "and with memory it opens", "");
        tap_end(&tap);
    }
    MPI_Finalize();
    return !(refused && opened);
}
