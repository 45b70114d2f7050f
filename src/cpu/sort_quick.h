/*
 * sort_quick.h - sort keys in place on some threads, by a suite that has a quicksort.
 */
#ifndef MW_CPU_SORT_QUICK_H
#define MW_CPU_SORT_QUICK_H

#include "cpu/sort.h"

void sort_quick(struct pool *pool, unsigned workers, const struct sort_request *request);

#endif
