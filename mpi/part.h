/*
 * part.h - read and write each rank's part of one file. The calls return 0, or not 0 after
 * an error, whose message all_fine prints; those that are collective say so.
 */
#ifndef MW_MPI_PART_H
#define MW_MPI_PART_H

#include "cli.h"
#include "multiway_mpi.h"

/* Has any rank complained? Then rank 0 prints what the first of them said. Collective. */
int all_fine(mw_comm *comm, int code);

/* The size of a file, which must be the same on all ranks. Collective. */
int part_size(mw_comm *comm, const char *path, uint64_t *bytes);

int part_read(const char *path, uint64_t first, void *to, uint64_t bytes);

/* Is `path` a name that part_write can give to a file? Collective, and before it. */
int part_aim(mw_comm *comm, const char *path);

/*
 * Write a file of `all` bytes, of which this rank has those from `first` on. It appears
 * under its name when all ranks have written their parts. Collective.
 */
int part_write(mw_comm *comm, const char *path, uint64_t all, uint64_t first,
               const void *from, uint64_t bytes);

#endif
