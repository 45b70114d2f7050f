/*
 * sort_deal.h - sort keys on many threads: deal them out to buckets and sort each bucket in
 * the caches, so that keys cross DRAM only twice each way.
 */
#ifndef MW_CPU_SORT_DEAL_H
#define MW_CPU_SORT_DEAL_H

#include "cpu/sort.h"

/* Scratch memory besides that for all keys. */
uint64_t sort_deal_bytes(int bits, uint64_t count);

/* Sort, with such scratch memory, or do nothing and return 0: it does not pay. */
int sort_deal(struct pool *pool, const struct sort_request *request);

#endif
