/*
 * unit_cpu_near.c - quicksorts of ranks that lie between two bounds, as pieces of a
 * partition do: ranges of all widths, those just small enough to be compared as doubles
 * (wide.inl) among them, with ranks at both bounds. Every suite of this processor.
 */
#include "kit.h"

#include "tap.h"

#include "cpu/suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1200 };

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Offsets from the least rank, 0 and `range` among them. */
static void fill(uint64_t *offsets, size_t count, uint64_t range, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
        const uint64_t number = *state ^ *state >> 29;

        offsets[i] = number % 5 == 0       ? 0
                     : number % 5 == 1     ? range
                     : range == UINT64_MAX ? number
                                           : number % (range + 1);
    }
}

/* Sort ranks from first_rank + `start` on, in a range of that size. */
static int sorts(const struct suite *suite, size_t count, uint64_t start, uint64_t range)
{
    const size_t size = (size_t)suite->bits / 8;
    const uint64_t least = suite->first_rank + start;
    uint64_t offsets[MOST];
    uint64_t state = count + range;
    char keys[MOST * sizeof(uint64_t)];
    struct quick_task task = {
        .keys = keys,
        .count = count,
        .code = {suite->plain_flip, 0},
        .is_entered = 1,
        .least = least,
        .most = least + range
    };
    int passed = 1;

    fill(offsets, count, range, &state);
    for (size_t i = 0; i < count; i++) {
        const uint64_t rank = least + offsets[i];

        memcpy(keys + i * size, &rank, size);
    }
    suite->quick(&task);
    qsort(offsets, count, sizeof offsets[0], compare);
    for (size_t i = 0; i < count; i++) {
        const uint64_t rank = least + offsets[i];

        passed &= memcmp(keys + i * size, &rank, size) == 0;
    }
    return passed;
}

int main(void)
{
    /* The first three: around what fits the positive doubles that are normal and finite. */
    static const uint64_t ranges[] = {
        UINT64_C(0x7fdffffffffffffe),
        UINT64_C(0x7fdfffffffffffff),
        UINT64_C(0x7fe0000000000000),
        UINT64_C(0x7ff0000000000000),
        UINT64_C(0x8000000000000000),
        UINT64_MAX,
        UINT32_MAX,
        1000,
        1,
    };
    struct tap tap = {0, 0};
    const struct suite *suite;

    for (unsigned s = 0; (suite = suite_usable(s)) != NULL; s++) {
        if (!suite->quick)
            continue;
        for (size_t i = 0; i < COUNT_OF(ranges); i++) {
            const uint64_t all = UINT64_MAX >> (64 - suite->bits);
            const uint64_t range = ranges[i] < all ? ranges[i] : all;
            int passed = 1;

            for (size_t count = 1; count <= MOST; count += count < 80 ? 1 : 37)
                passed &= sorts(suite, count, 0, range) &&
                          sorts(suite, count, (all - range) / 3, range) &&
                          sorts(suite, count, all - range, range);
            tap_case(&tap, passed, "suite %u, %d bits, ranks in a range of %llx", s,
                     suite->bits, (unsigned long long)range);
        }
    }
    if (tap.count == 0)
        tap_skip(&tap, "ranks between bounds", "no vectors here");
    return tap_end(&tap);
}
