/*
 * memory.h - the global memory of a simulated device: its allocations, and marks of the
 * accesses to them.
 */
#ifndef MW_SIM_MEMORY_H
#define MW_SIM_MEMORY_H

#include "shadow.h"

#include <stddef.h>

/* The launches that last read and wrote a sector, by the ticks at which they began. */
struct sector {
    uint64_t read;
    uint64_t wrote;
};

/*
 * Marks are kept for pieces of 1 << shift bytes, the size of the smallest access so far,
 * so that an access never covers a part of a piece. Open accesses have marks of their own,
 * for pieces of OPEN_BYTES bytes; an addition to 4 bytes counts for the whole piece.
 */
enum { OPEN_BYTES = 8 };

struct allocation {
    uintptr_t first; /* aligned to a sector */
    uint64_t bytes;
    struct shadow *shadow; /* NULL before the first access of a kernel */
    uint32_t shift;
    struct sector *sectors; /* the same */
    struct shadow *open;    /* NULL before the first open access */
    uint64_t open_first;    /* all open accesses are in [open_first, open_last) */
    uint64_t open_last;
};

struct memory {
    struct allocation *list; /* by address */
    size_t count;
    size_t capacity;
    size_t recent; /* the one found last, which is tried first */
};

/* New memory, aligned to 256 bytes and filled with a pattern; NULL if there is none. */
void *memory_take(struct memory *memory, uint64_t bytes);

/* Free an allocation. An unknown address is ignored. */
void memory_give(struct memory *memory, void *first);

void memory_close(struct memory *memory);

/* The allocation that holds all of these bytes, or NULL. */
struct allocation *memory_find(struct memory *memory, uintptr_t at, uint64_t bytes);

/* The allocation nearest to `at`, or NULL if there is none at all. */
const struct allocation *memory_nearest(const struct memory *memory, uintptr_t at);

/*
 * Make marks for accesses of `bytes` bytes, where there are none, or none so fine. Returns
 * 0, or -1 if there is no memory.
 */
int memory_mark(struct allocation *allocation, uint32_t bytes);

/* The same for an open access at `offset`. */
int memory_mark_open(struct allocation *allocation, uint64_t offset);

/*
 * Enter that the launch which began at tick `launch` reads or, if `wrote`, writes these
 * sectors, all of which have marks. Returns the number of sectors that are new to the
 * launch. A sector that it has written does not count when it is read.
 */
uint32_t memory_meet(struct memory *memory, const uint64_t *sectors, uint32_t count,
                     int wrote, uint64_t launch);

/* Forget every mark. */
void memory_forget(struct memory *memory);

/* Make `count` marks finer: each becomes 1 << `by`, in place. */
void shadow_refine(struct shadow *marks, uint64_t count, uint32_t by);

#endif
