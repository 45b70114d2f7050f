/*
 * sort_parts.h - what the phases of a sort share: scan, runs, merges, counting.
 */
#ifndef MW_CPU_SORT_PARTS_H
#define MW_CPU_SORT_PARTS_H

#include "cpu/sort.h"

#include <stdatomic.h>

/* What the workers of all phases share. */
struct sort {
    const struct sort_request *request;
    size_t size; /* bytes of a key */
    unsigned workers;
    int stream;
    atomic_uint found;  /* scan: the orders not yet seen broken */
    atomic_ullong next; /* runs, merge: the first piece not yet taken */
    uint64_t run;       /* runs: keys of each but the last */
    uint64_t *starts;   /* runs + 1 of them: where each run begins */
    uint64_t runs;
    const void *from;        /* this phase reads here */
    void *to;                /*   and writes there */
    unsigned ways;           /* merge: neighbouring runs that become one */
    uint64_t parts;          /* merge: of the output */
    int leaving;             /* this phase is the last */
    int check;               /* merge: the runs may be in disorder ... */
    atomic_int has_disorder; /* ... and are */
};

static inline unsigned char *key_at(const void *keys, uint64_t at, size_t size)
{
    return (unsigned char *)(uintptr_t)keys + at * size;
}

static inline void *work_of(const struct sort *sort, unsigned worker)
{
    return (unsigned char *)sort->request->work + (size_t)worker * WORK_BYTES;
}

/* The bytes of ranks, rounded up so that the starts after them are aligned. */
static inline uint64_t sort_ranks_bytes(int bits, uint64_t count)
{
    return (count * (uint64_t)(bits / 8) + 63) / 64 * 64;
}

/* How many merges of at most MERGE_WAYS make one run of `runs`. */
unsigned sort_rounds(uint64_t runs);

/* Merge all runs, which are in `to`, in `rounds` rounds, the last of which writes keys. */
void sort_merge(struct pool *pool, struct sort *sort, unsigned rounds);

#endif
