/*
 * sort_deal.h - sort keys on many threads: deal them out to buckets and sort each bucket in
 * the caches, so that keys cross DRAM only twice.
 */
#ifndef MW_CPU_SORT_DEAL_H
#define MW_CPU_SORT_DEAL_H

#include "cpu/sort.h"

/* Sort, with scratch memory for all keys, or do nothing and return 0: it does not pay. */
int sort_deal(struct pool *pool, const struct sort_request *request);

#endif
