/*
 * rows_deal.h - sort many rows of up to IMAGE_MOST bytes: deal them out first, so that all
 * later accesses to single rows stay within the caches.
 *
 * Rows are copied to buckets by their codes, stably; all codes of a bucket precede those of
 * the next. Then each bucket is sorted by one thread as its rows are written back.
 */
#ifndef MW_CPU_ROWS_DEAL_H
#define MW_CPU_ROWS_DEAL_H

#include "cpu/rows.h"

/* Scratch memory for it, or 0 if rows like these are not dealt out. */
uint64_t rows_deal_bytes(const struct request *request, uint64_t count);

/*
 * Sort all rows, or do nothing and return 0: too many codes are similar. `scratch` is
 * aligned to 64.
 */
int rows_deal(struct pool *pool, const struct request *request, void *scratch, void *work);

#endif
