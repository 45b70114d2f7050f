/*
 * killer.c - calls of MPI go through here: KILL_RANK dies of a signal at its call KILL_AT.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static void count_call(void)
{
    static int calls;
    const char *const at = getenv("KILL_AT");
    const char *const rank = getenv("KILL_RANK");
    int own;

    PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (at && rank && ++calls == atoi(at) && own == atoi(rank))
        raise(SIGKILL);
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type,
                  MPI_Op operation, MPI_Comm comm)
{
    count_call();
    return PMPI_Allreduce(send, receive, count, type, operation, comm);
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    count_call();
    return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type,
                          comm);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    count_call();
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    count_call();
    return PMPI_Bcast(buffer, count, type, root, comm);
}
