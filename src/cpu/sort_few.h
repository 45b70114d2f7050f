/*
 * sort_few.h - sort keys of few different values: count them.
 */
#ifndef MW_CPU_SORT_FEW_H
#define MW_CPU_SORT_FEW_H

#include "cpu/sort.h"

/* Sort on `workers` threads, or do nothing and return 0: there are too many values. */
int sort_few(struct pool *pool, unsigned workers, const struct sort_request *request);

#endif
