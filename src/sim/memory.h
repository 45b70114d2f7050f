/*
 * memory.h - the global memory of a simulated device: its allocations, and who
 * touched them.
 */
#ifndef MW_SIM_MEMORY_H
#define MW_SIM_MEMORY_H

#include "shadow.h"

#include <stddef.h>

/* The launches, by the tick they began at, that last read and wrote a sector. */
struct sector {
    uint64_t read;
    uint64_t wrote;
};

/*
 * Marks are kept for pieces of 1 << shift bytes: as large as the smallest
 * access seen so far, so that an access never covers a part of one. Those of open
 * accesses are kept for pieces of OPEN_BYTES, which is what such an access touches.
 */
enum { OPEN_BYTES = 8 };

struct allocation {
    uintptr_t first; /* the beginning of a sector */
    uint64_t bytes;
    struct shadow *shadow; /* NULL until a kernel touches it, ... */
    uint32_t shift;
    struct sector *sectors; /* ... and this likewise */
    struct shadow *open;    /* NULL until one does so openly, ... */
    uint64_t open_first;    /* ... which it has done between these bytes */
    uint64_t open_last;
};

struct memory {
    struct allocation *list; /* by address */
    size_t count;
    size_t capacity;
    size_t recent; /* the one found last: kernels tend to stay */
};

/* Fresh memory, aligned to 256 bytes and full of rubbish; NULL if there is none. */
void *memory_take(struct memory *memory, uint64_t bytes);

/* Give one back. What was never taken is left alone. */
void memory_give(struct memory *memory, void *first);

void memory_close(struct memory *memory);

/* The allocation that holds all of these bytes, or NULL. */
struct allocation *memory_find(struct memory *memory, uintptr_t at, uint64_t bytes);

/* The allocation nearest to `at`, or NULL if there is none at all. */
const struct allocation *memory_nearest(const struct memory *memory, uintptr_t at);

/* Have marks for accesses of `bytes` bytes. Returns 0, or -1 if there is no memory. */
int memory_mark(struct allocation *allocation, uint32_t bytes);

/* Have marks for an open access to the bytes at `offset`, in the same way. */
int memory_mark_open(struct allocation *allocation, uint64_t offset);

/*
 * Enter that the launch that began at tick `launch` reads or, if `wrote`, writes these
 * sectors, all of which have marks; returns how many of them it had not yet. What it has
 * written it need not fetch to read it.
 */
uint32_t memory_meet(struct memory *memory, const uint64_t *sectors, uint32_t count,
                     int wrote, uint64_t launch);

/* Forget every mark. */
void memory_forget(struct memory *memory);

/* Make `count` marks finer: each becomes 1 << `by`, in place. */
void shadow_refine(struct shadow *marks, uint64_t count, uint32_t by);

#endif
