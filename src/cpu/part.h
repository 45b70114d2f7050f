/*
 * part.h - quickselect: move the first rows in sorted order to the front, by comparisons.
 */
#ifndef MW_CPU_PART_H
#define MW_CPU_PART_H

#include "cpu/compare.h"

/* Numbers of rows, and how the rows compare. */
struct row_map {
    struct comparison compare;
    void *numbers;
    uint32_t bytes; /* of a number, 4 or 8 */
    uint32_t covered_fields;
    int is_complete; /* rows of equal codes are equal */
};

/*
 * Move the numbers of the `wanted` first of rows [0, count) to the front, in any order;
 * equal rows are ordered by their numbers. With an inconsistent comparison partitions may
 * stay one-sided; the search then ends after a while, with any rows at the front.
 */
void part_rows(const struct row_map *map, uint64_t count, uint64_t wanted);

#endif
