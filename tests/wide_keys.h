/*
 * wide_keys.h - the order of keys that a test of one kernel keeps in 64 bits,
 * whatever their width, for qsort().
 */
#ifndef MW_TESTS_WIDE_KEYS_H
#define MW_TESTS_WIDE_KEYS_H

#include <stdint.h>

static inline int compare_wide(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

#endif
