/*
 * select.h - rows of some ranks, without sorting the others.
 *
 * Digits of the codes (compare.h) are counted from the top, until the rows that may be
 * selected are few, or are equal. These rows' numbers are collected; where there are still
 * too many, they are partitioned around pivots by comparing rows. Only the selected rows
 * are sorted. Among equal rows the number of the row decides, so the result is unique.
 */
#ifndef MW_CPU_SELECT_H
#define MW_CPU_SELECT_H

#include "cpu/rows.h"

/* Scratch memory to select `wanted` rows of `count`, or fewer of either. */
uint64_t select_scratch_bytes(const struct request *request, uint64_t count,
                              uint64_t wanted);

/*
 * Write rows [request->first, request->last) of the sorted order of a range, or fewer if
 * it is short, from row range->to of the result on. The range has no map. Scratch memory,
 * `work` and threads as in rows_sort.
 */
void select_rows(struct pool *pool, const struct request *request,
                 const struct row_range *range, void *scratch, void *work,
                 struct cpu_counts *counts);

#endif
