/*
 * multiway_mpi.c - the functions of an mw_comm, by MPI. MPI counts by int, so long messages
 * are sent in chunks.
 */
#include "multiway_mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

/* Bytes of one message at most; tests make it small. */
#ifndef MULTIWAY_MPI_CHUNK
#define MULTIWAY_MPI_CHUNK (UINT64_C(1) << 30)
#endif

enum { PEERS = 16, TAG = 1 }; /* ranks that are sent to at a time */

struct state {
    MPI_Comm mpi;
    uint32_t rank, ranks;
};

static mw_status status_of(int code)
{
    return code == MPI_SUCCESS ? MW_OK : MW_DEVICE_FAILED;
}

static mw_status maximum(void *state, uint64_t *values, uint32_t count)
{
    const struct state *const s = state;

    return status_of(
        MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_MAX, s->mpi));
}

static mw_status allgather(void *state, const void *send, void *receive, uint64_t bytes)
{
    const struct state *const s = state;

    if (bytes > INT_MAX)
        return MW_UNSUPPORTED;
    return status_of(
        MPI_Allgather(send, (int)bytes, MPI_BYTE, receive, (int)bytes, MPI_BYTE, s->mpi));
}

/* The chunk at `done` of a message of `bytes` bytes; 0 after the last. */
static int chunk(uint64_t bytes, uint64_t done)
{
    const uint64_t rest = bytes > done ? bytes - done : 0;

    return (int)(rest < MULTIWAY_MPI_CHUNK ? rest : MULTIWAY_MPI_CHUNK);
}

/*
 * Send to the `distance` next ranks and receive from the previous ones, a chunk of each at
 * a time. Nobody waits forever: a rank in the earliest batch, and in that at the earliest
 * chunk, waits only for ranks that have posted theirs.
 */
static int trade(const struct state *s, uint32_t first, uint32_t last, const char *send,
                 const uint64_t *send_bytes, const uint64_t *send_at, char *receive,
                 const uint64_t *receive_bytes, const uint64_t *receive_at)
{
    MPI_Request requests[2 * PEERS];
    MPI_Status statuses[2 * PEERS]; /* MPICH's MPI_STATUSES_IGNORE makes gcc warn */
    int code = MPI_SUCCESS, count = 1;

    for (uint64_t done = 0; count && code == MPI_SUCCESS; done += MULTIWAY_MPI_CHUNK) {
        count = 0;
        for (uint32_t i = first; i < last && code == MPI_SUCCESS; i++) {
            const uint32_t from = (s->rank + s->ranks - i) % s->ranks;
            const int bytes = chunk(receive_bytes[from], done);

            if (bytes)
                code = MPI_Irecv(receive + receive_at[from] + done, bytes, MPI_BYTE,
                                 (int)from, TAG, s->mpi, &requests[count++]);
        }
        for (uint32_t i = first; i < last && code == MPI_SUCCESS; i++) {
            const uint32_t to = (uint32_t)(((uint64_t)s->rank + i) % s->ranks);
            const int bytes = chunk(send_bytes[to], done);

            if (bytes)
                code = MPI_Isend(send + send_at[to] + done, bytes, MPI_BYTE, (int)to, TAG,
                                 s->mpi, &requests[count++]);
        }
        if (code == MPI_SUCCESS)
            code = MPI_Waitall(count, requests, statuses);
    }
    return code;
}

static mw_status alltoallv(void *state, const void *send, const uint64_t *send_bytes,
                           const uint64_t *send_at, void *receive,
                           const uint64_t *receive_bytes, const uint64_t *receive_at)
{
    const struct state *const s = state;
    int code = MPI_SUCCESS;

    for (uint32_t first = 0; first < s->ranks && code == MPI_SUCCESS; first += PEERS) {
        const uint32_t rest = s->ranks - first;

        code = trade(s, first, first + (rest < PEERS ? rest : PEERS), send, send_bytes,
                     send_at, receive, receive_bytes, receive_at);
    }
    return status_of(code);
}

static void abort_all(void *state, mw_status status)
{
    const struct state *const s = state;

    MPI_Abort(s->mpi, (int)status);
}

mw_status mw_mpi_open(mw_comm *comm, MPI_Comm mpi)
{
    struct state *const s = calloc(1, sizeof *s);
    MPI_Comm own = MPI_COMM_NULL;
    int all_have_memory = s != NULL;
    int rank, ranks, code;

    *comm = (mw_comm)MW_COMM_INIT;
    comm->state = s;
    code = MPI_Comm_dup(mpi, &own);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(own, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(own, &ranks);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, &all_have_memory, 1, MPI_INT, MPI_MIN, own);
    if (!s && own != MPI_COMM_NULL)
        MPI_Comm_free(&own);
    else if (s)
        s->mpi = own;
    if (code != MPI_SUCCESS)
        return MW_DEVICE_FAILED;
    if (!all_have_memory)
        return MW_NO_MEMORY;
    comm->rank = s->rank = (uint32_t)rank;
    comm->ranks = s->ranks = (uint32_t)ranks;
    comm->maximum = maximum;
    comm->allgather = allgather;
    comm->alltoallv = alltoallv;
    comm->abort = abort_all;
    comm->flags = MW_COMM_KEEPS_MEMORY;
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    if (MPIX_Query_cuda_support())
        comm->flags |= MW_COMM_DEVICE_MEMORY;
#endif
    return MW_OK;
}

void mw_mpi_close(mw_comm *comm)
{
    struct state *const s = comm->state;

    mw_across_release(comm);
    if (s && s->mpi != MPI_COMM_NULL)
        MPI_Comm_free(&s->mpi);
    free(s);
    comm->state = NULL;
}
