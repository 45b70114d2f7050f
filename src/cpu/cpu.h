/*
 * cpu.h - jobs on the CPU: device "cpu", by threads, without kernels (docs/cpu.md).
 *
 * Bare keys: sorted and reversed arrays are detected first. Keys of 8 bits, and all
 * but short arrays of 16 bits, are counted; so are keys of few different values. With
 * AVX2 or AVX-512 other keys are sorted by a quicksort in place, except arrays that
 * consist of long runs. These, and all arrays without AVX2, are made into sorted runs
 * that fit a cache, which multiway merges join: every thread writes its share of the
 * output, which exact cuts through all runs delimit.
 */
#ifndef MW_CPU_H
#define MW_CPU_H

#include "request.h"

/* Worker threads and the scratch memory kept between sorts. */
struct cpu;

/* What one sort did, for mw_counts. */
struct cpu_counts {
    uint32_t rounds; /* merge passes over memory after the runs were made */
    uint64_t bytes_read;
    uint64_t bytes_written;
};

/*
 * Start `threads` workers, the calling thread included; 0 means one per
 * processor this process may run on. `error` is kept for later failures. On
 * failure `*cpu` is NULL.
 */
mw_status cpu_open(struct cpu **cpu, unsigned threads, struct error *error);
void cpu_close(struct cpu *cpu); /* NULL allowed */
unsigned cpu_threads(const struct cpu *cpu);

/*
 * Bytes of scratch a sort of `count` keys of `bits` bits wants. If that were more than
 * `limit`, it wants none where this processor can sort the keys in place, and an eighth of
 * the keys' bytes elsewhere.
 */
uint64_t cpu_scratch_bytes(int bits, uint64_t count, uint64_t limit);

/* Bytes of scratch that serve every sort of at most `count` keys. */
uint64_t cpu_scratch_most(int bits, uint64_t count);

/*
 * Sort `count` keys of `bits` bits (8, 16, 32 or 64) in place, in the order
 * of the unsigned numbers that `code` makes of them (code.inl). `scratch` is
 * the caller's, of cpu_scratch_bytes, aligned to 16; or NULL, and then memory
 * within `limit` is taken from the heap and kept for the next call. MW_UNSUPPORTED for any
 * other `bits`; then, and on MW_NO_MEMORY, the keys are untouched. `counts` may be NULL.
 */
mw_status cpu_sort(struct cpu *cpu, int bits, struct code code, void *keys, uint64_t count,
                   uint64_t limit, void *scratch, struct cpu_counts *counts);

/*
 * The same for requests that are more than a sort of bare keys (rows.h, lists.h, select.h,
 * segments.h). Their order is one of fields or has less_on_host. The scratch memory serves
 * such requests of fewer rows, lists, segments and ranks too. Where there is a choice, it
 * is at most `limit` bytes; both calls must be given the same.
 */
uint64_t cpu_rows_scratch(const struct cpu *cpu, const struct request *request,
                          uint64_t limit);
mw_status cpu_rows(struct cpu *cpu, const struct request *request, uint64_t limit,
                   void *scratch, struct cpu_counts *counts);

#endif
