/*
 * multiway_mpi.h - a communicator for mw_sort_across from an MPI_Comm.
 *
 * multiway_mpi.c is all of it. The installed libmultiway_mpi was compiled for one MPI; with
 * another, compile that file with your own mpicc and link libmultiway_across.
 */
#ifndef MULTIWAY_MPI_H
#define MULTIWAY_MPI_H

#include <mpi.h>
#include <multiway_across.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Fill in `comm`: a collective call. It works on a duplicate of `mpi`, so its messages
 * never match those of the program. Its `abort` is MPI_Abort. It takes device memory if the
 * MPI says so (MPIX_Query_cuda_support); otherwise, if you know that the MPI does, set
 * MW_COMM_DEVICE_MEMORY in comm->flags. Returns MW_OK, MW_NO_MEMORY on all ranks if one has
 * none, or MW_DEVICE_FAILED if MPI reported an error. Close it either way.
 */
MW_API mw_status mw_mpi_open(mw_comm *comm, MPI_Comm mpi);

/* Free what mw_mpi_open made: a collective call, before MPI_Finalize. */
MW_API void mw_mpi_close(mw_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
