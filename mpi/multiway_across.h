/*
 * multiway_across.h - sort rows that are spread over many processes, stably, into parts of
 * exactly the sizes wanted.
 *
 *   mw_sort_across        every rank brings rows and gets its part of the sorted order
 *   mw_comm               a communicator: the four functions that mw_sort_across needs
 *   mw_across_threads     ranks as threads of one process
 *
 * multiway_mpi.h makes a communicator of an MPI_Comm. docs/distributed.md has the method,
 * and what it costs.
 */
#ifndef MULTIWAY_ACROSS_H
#define MULTIWAY_ACROSS_H

#include <multiway.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MW_COMM_DEVICE_MEMORY = 1, /* alltoallv takes device memory */
    MW_COMM_KEEPS_MEMORY = 2   /* mw_sort_across keeps host memory for the next call */
};

/*
 * A communicator of `ranks` ranks. All functions but `abort` are collective: every rank
 * calls the same ones in the same order. They return MW_OK, or any other status if the
 * communicator failed; then mw_sort_across calls `abort`.
 */
typedef struct mw_comm {
    size_t size; /* sizeof(mw_comm), set by MW_COMM_INIT */
    uint32_t rank, ranks;
    uint32_t flags; /* MW_COMM_ flags, or 0 */
    void *state;    /* first argument of each function */

    /* Replace each of `count` values by the largest of all ranks. */
    mw_status (*maximum)(void *state, uint64_t *values, uint32_t count);

    /* Each rank sends `bytes` bytes to all; `receive` has the parts of all, by rank. */
    mw_status (*allgather)(void *state, const void *send, void *receive, uint64_t bytes);

    /*
     * Send send_bytes[i] bytes from offset send_at[i] to rank i. Receive receive_bytes[i]
     * bytes, which are those that rank i sends, at offset receive_at[i]. When it returns,
     * `send` may be overwritten.
     */
    mw_status (*alltoallv)(void *state, const void *send, const uint64_t *send_bytes,
                           const uint64_t *send_at, void *receive,
                           const uint64_t *receive_bytes, const uint64_t *receive_at);

    /* End all ranks, or make every later call on this communicator fail, on all ranks. */
    void (*abort)(void *state, mw_status status);

    char error[256]; /* why the last mw_sort_across failed, and on which rank */

    void *kept; /* NULL, or memory for the rows of the next call: see mw_across_release */
    uint64_t kept_bytes;
} mw_comm;

#define MW_COMM_INIT                                                         \
    {                                                                        \
        sizeof(mw_comm), 0, 1, 0, NULL, NULL, NULL, NULL, NULL, {0}, NULL, 0 \
    }

/*
 * Sort the rows of all ranks: a collective call. `job` is an MW_SORT without segments.
 * `in` has this rank's rows, any number, in host memory. The concatenation of all results
 * by rank is what one process would make of the concatenation of all inputs, byte for
 * byte: equal rows come by rank, then by position.
 *
 * Without `out` each rank gets back as many rows as it brought. With `out`, out->count is
 * the number of rows that this rank gets; these must add up to the number of all rows.
 * Positions count in the concatenation of all inputs. Orders, columns, wanted arrays and
 * alignment are those of multiway.h. Ranks may have handles on different devices, but
 * must bring the same job: order, column sizes, wanted arrays, position type.
 *
 * Memory, besides `in` and `out`: the rows received, and the workspace of one sort or one
 * merge (in host memory the handle keeps it). If `out` has fewer rows than `in`, or lacks
 * an array that is compared, also a sorted copy of `in`. For each rank, also about 600
 * bytes and 32 to 48 times the bytes of what is compared. With MW_COMM_KEEPS_MEMORY the
 * communicator keeps the host memory of received rows, because the page faults of fresh
 * memory take longer than receiving the rows.
 *
 * Returns the same status on all ranks: MW_OK; MW_BAD_ARGUMENT also where jobs differ or
 * counts do not add up; MW_UNSUPPORTED for other operations, segments, and rows from more
 * than 100,000 ranks; MW_DEVICE_FAILED also if the communicator failed, after its `abort`;
 * or the status of the first rank that failed. comm->error says more. After a failure
 * `out` is undefined. A sort in place still has this rank's own rows, in some order, unless
 * the failure came during or after the last merge.
 */
MW_API mw_status mw_sort_across(mw_context *context, mw_comm *comm, const mw_job *job);

/*
 * The same for arrays in device memory of the handle (on "cpu": plain memory). Rows cross
 * the network from there if the communicator takes device memory. Otherwise they are
 * copied to host memory, one array at a time, and back.
 */
MW_API mw_status mw_sort_across_device(mw_context *context, mw_comm *comm,
                                       const mw_job *job);

/*
 * Free what the communicator keeps. It stays usable. mw_mpi_close and mw_across_threads
 * call this for their communicators. Call it for a communicator in which you set
 * MW_COMM_KEEPS_MEMORY yourself, or that is your copy of one. Do not copy an mw_comm while
 * it keeps memory.
 */
MW_API void mw_across_release(mw_comm *comm);

/*
 * Call `rank_main` on `ranks` threads, each with a communicator of its own, and wait for
 * all. When one thread has returned, the others' communicator calls fail instead of waiting
 * for it. Returns the status of the lowest rank that did not return MW_OK,
 * MW_NO_MEMORY if a thread could not be made, or MW_BAD_ARGUMENT for 0 ranks.
 */
MW_API mw_status mw_across_threads(uint32_t ranks,
                                   mw_status (*rank_main)(mw_comm *comm, void *argument),
                                   void *argument);

#ifdef __cplusplus
}
#endif
#endif
