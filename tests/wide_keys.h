/*
 * wide_keys.h - keys that a test of one kernel keeps in 64 bits, whatever their width:
 * their order, for qsort(), and the codes of floats.
 */
#ifndef MW_TESTS_WIDE_KEYS_H
#define MW_TESTS_WIDE_KEYS_H

#include <stdint.h>
#include <string.h>

static inline int compare_wide(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The code of a positive float, as kernels have it; of narrow keys a number. */
static inline uint64_t code_of_float(int bits, uint64_t number)
{
    const float narrow = (float)number;
    const double wide_float = (double)number;
    uint32_t half = 0;
    uint64_t whole = 0;

    memcpy(&half, &narrow, sizeof half);
    memcpy(&whole, &wide_float, sizeof whole);
    return bits == 64   ? whole + UINT64_C(0x7ff0000000000001)
           : bits == 32 ? half + UINT64_C(0x7f800001)
                        : number & UINT64_MAX >> (64 - bits);
}

#endif
