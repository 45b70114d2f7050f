/*
 * allocate.h - preallocate the output file while runs are formed in memory.
 *
 * Afterwards, writes of several threads need not wait for each other. tmpfs lets only one
 * thread at a time write to a file, so there the output is written through memory mappings,
 * which cannot fail once all of it is allocated.
 */
#ifndef MW_FILE_ALLOCATE_H
#define MW_FILE_ALLOCATE_H

#include "errand.h"

/* Begin to allocate an output of `bytes` bytes, if it will have as many. */
void allocate_begin(struct errand *errand, uint64_t bytes);

/* Wait until that is done. */
mw_status allocate_end(struct errand *errand);

#endif
