/*
 * memory.h - the memory that a thread has, counted by wrapped calls (--wrap).
 */
#ifndef MW_TESTS_MPI_MEMORY_H
#define MW_TESTS_MPI_MEMORY_H

#include <stdint.h>

/* Start counting at 0; the most bytes that this thread has had since. */
void memory_watch(void);
uint64_t memory_peak(void);

#endif
