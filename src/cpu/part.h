/*
 * part.h - bring the first rows of many to the front, by comparing.
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
 * Move the numbers of the `wanted` first of rows [0, count) to the front; equal rows go by
 * their numbers. By an inconsistent comparison all rows may go to one side again and
 * again; then any rows will do.
 */
void part_rows(const struct row_map *map, uint64_t count, uint64_t wanted);

#endif
