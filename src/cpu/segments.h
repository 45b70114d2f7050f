/*
 * segments.h - sort each segment of rows, or select from each.
 *
 * Each short segment is processed by one thread, each long one by all threads together.
 */
#ifndef MW_CPU_SEGMENTS_H
#define MW_CPU_SEGMENTS_H

#include "cpu/cpu.h"
#include "cpu/pool.h"

/* Scratch memory for `threads` threads; it serves smaller requests as well. */
uint64_t segments_scratch_bytes(const struct request *request, unsigned threads);

/* Run a request with segments; `work` is WORK_BYTES for each thread. */
void segments_run(struct pool *pool, const struct request *request, void *scratch,
                  void *work, struct cpu_counts *counts);

#endif
