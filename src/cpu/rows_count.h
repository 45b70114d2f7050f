/*
 * rows_count.h - positions of rows by codes of at most 16 bits: counted, not compared.
 *
 * Each thread counts the codes of its share of the rows; so it knows where the positions
 * of its share go, and writes them there in their sequence. Codes of two bytes take two
 * rounds, one for each byte, the lower one first.
 */
#ifndef MW_CPU_ROWS_COUNT_H
#define MW_CPU_ROWS_COUNT_H

#include "cpu/rows.h"

/* Are positions of these rows all that is wanted, and their codes short enough? */
int rows_count_fits(const struct request *request, uint64_t count);

/* Scratch memory for it, which serves fewer rows as well. */
uint64_t rows_count_bytes(const struct request *request, uint64_t count);

/* Write the positions; returns how many rounds it took. `work` is as for rows_sort. */
uint32_t rows_count(struct pool *pool, const struct request *request, void *scratch,
                    void *work);

#endif
