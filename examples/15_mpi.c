/*
 * 15_mpi.c - sort keys that are spread over the ranks of an MPI program. Run it with
 * mpirun -n 4: each rank gets back as many keys as it brought, in order across ranks.
 */
#include <multiway_mpi.h>

#include <stdio.h>

enum { COUNT = 1000 };

/* Are the keys in order, and after those of the rank before? */
static int in_order(const mw_comm *comm, const uint32_t *keys)
{
    const int rank = (int)comm->rank, last = (int)comm->ranks - 1;
    uint32_t before = 0;
    int right = 1;

    MPI_Sendrecv(&keys[COUNT - 1], 1, MPI_UINT32_T, rank < last ? rank + 1 : MPI_PROC_NULL,
                 0, &before, 1, MPI_UINT32_T, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++) {
        right &= before <= keys[i];
        before = keys[i];
    }
    return right;
}

int main(int argc, char **argv)
{
    static uint32_t keys[COUNT];
    mw_table in = {keys, COUNT, NULL, 0};
    mw_job job = MW_JOB_INIT;
    mw_context *context = NULL;
    mw_comm comm;
    mw_status status;
    int right;

    MPI_Init(&argc, &argv);
    status = mw_mpi_open(&comm, MPI_COMM_WORLD);
    if (status == MW_OK)
        status = mw_open(&context, "cpu:1", NULL);
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = (comm.rank * COUNT + i) * 2654435761u;

    job.order = mw_order_of(MW_U32, MW_ASCENDING);
    job.in = &in;
    if (status == MW_OK)
        status = mw_sort_across(context, &comm, &job);
    if (status != MW_OK) {
        fprintf(stderr, "%s: %s\n", mw_status_text(status), comm.error);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    right = in_order(&comm, keys);
    printf("rank %u: %u to %u\n", (unsigned)comm.rank, (unsigned)keys[0],
           (unsigned)keys[COUNT - 1]);

    mw_close(context);
    mw_mpi_close(&comm);
    MPI_Finalize();
    return !right;
}
