/*
 * sort.h - the phases of a sort, handed out to the workers.
 */
#ifndef MW_CPU_SORT_H
#define MW_CPU_SORT_H

#include "cpu/cpu.h"
#include "cpu/pool.h"
#include "cpu/suite.h"

enum { RUN_MULTIPLE = 128 }; /* keys; the blocks of every suite divide it */

/* One sort: what, and the memory for it. */
struct sort_request {
    const struct suite *suite;
    struct code code;
    void *keys;
    uint64_t count;
    uint64_t run;  /* most keys of a run: a multiple of RUN_MULTIPLE, at most RUN_BYTES */
    void *scratch; /* of sort_scratch_bytes, aligned to 16 */
    void *work;    /* WORK_BYTES for each thread of the pool, aligned to 64 */
};

/* The runs that RUN_BYTES allow: the best choice. */
uint64_t sort_best_run(int bits);

/*
 * Scratch memory for `count` keys of `bits` bits in runs of at most `run`,
 * whatever the suite and the pool.
 */
uint64_t sort_scratch_bytes(int bits, uint64_t count, uint64_t run);

/* Which count of at most `count` needs the most scratch memory. */
uint64_t sort_most_scratch_count(int bits, uint64_t count);

/* Sort. `counts` may be NULL. */
void sort_keys(struct pool *pool, const struct sort_request *request,
               struct cpu_counts *counts);

/*
 * Sort without scratch memory, or do nothing and return 0: where the suite has no
 * quicksort, or, if `only_disorder`, where merging the runs that are there is faster.
 */
int sort_in_place(struct pool *pool, const struct sort_request *request, int only_disorder,
                  struct cpu_counts *counts);

/*
 * Scratch memory that sort_tight needs, less than an eighth of the keys and some bytes, and
 * the sort with it: for suites without a quicksort, much slower. Keys of 16 bits are
 * counted.
 */
uint64_t sort_tight_bytes(int bits, uint64_t count);
void sort_tight(struct pool *pool, const struct sort_request *request,
                struct cpu_counts *counts);

#endif
