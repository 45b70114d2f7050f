/*
 * unit_merge.c - merges of the CPU that check their runs: any two neighbours in disorder
 * are found by some window of the merge, and no memory beyond the window is written.
 */
#include "base/base.h"
#include "cpu/suite.h"
#include "kit.h"
#include "reference.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 5000, MOST_RUNS = 5, GUARD = 64 };

/* Where runs begin: long ones, short ones, and one that is empty. */
static const uint64_t starts[MOST_RUNS + 1] = {0, 2047, 2050, 2050, 4096, COUNT};

static uint64_t input[COUNT]; /* ranks of either width */
static uint64_t ranks[COUNT];
static unsigned char out[COUNT * sizeof(uint64_t) + GUARD];
static _Alignas(64) uint64_t work[WORK_BYTES / sizeof(uint64_t)];

/* Sorted runs whose keys interleave. */
static void make_runs(const struct suite *suite, struct code code)
{
    const size_t size = (size_t)suite->bits / 8;

    for (unsigned run = 0; run < MOST_RUNS; run++) {
        for (uint64_t i = starts[run]; i < starts[run + 1]; i++) {
            const uint64_t value = (i - starts[run]) * 7 + run;

            memcpy((unsigned char *)input + i * size, &value, size); /* the low bytes */
        }
    }
    suite->enter(input, input, COUNT, code);
}

/* Merge in `windows` windows: do all of them find their runs in order? */
static int merge_all(const struct suite *suite, struct code code, unsigned windows)
{
    const size_t size = (size_t)suite->bits / 8;
    int fine = 1;

    for (unsigned i = 0; i < windows; i++) {
        const struct merge_task task = {.from = ranks,
                                        .to = out,
                                        .starts = starts,
                                        .runs = MOST_RUNS,
                                        .first = COUNT * (uint64_t)i / windows,
                                        .last = COUNT * (uint64_t)(i + 1) / windows,
                                        .code = code,
                                        .leaving = 1,
                                        .check = 1,
                                        .work = work};

        fine &= suite->merge(&task);
    }
    for (size_t i = 0; i < GUARD; i++)
        if (out[COUNT * size + i] != 0xa5)
            return -1;
    return fine;
}

/* Does the swap of two neighbours come out, unless they are of different runs? */
static int swap_shows(const struct suite *suite, struct code code, uint64_t at,
                      unsigned windows)
{
    const size_t size = (size_t)suite->bits / 8;
    unsigned char *const two = (unsigned char *)ranks + at * size;
    int is_start = 0;

    for (unsigned i = 0; i <= MOST_RUNS; i++)
        is_start |= starts[i] == at + 1;
    if (is_start)
        return 1;
    memcpy(ranks, input, COUNT * size);
    memcpy(two, (unsigned char *)input + (at + 1) * size, size);
    memcpy(two + size, (unsigned char *)input + at * size, size);
    return merge_all(suite, code, windows) == 0;
}

static int disorder_shows(const struct suite *suite, struct code code, unsigned windows)
{
    for (uint64_t at = 0; at + 1 < COUNT; at += at % 512 < 508 ? 17 : 1) {
        if (!swap_shows(suite, code, at, windows)) {
            tap_note("a swap at %llu, %u windows", (unsigned long long)at, windows);
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    static const unsigned numbers[] = {1, 2, 3, 40};
    const struct suite *suite;
    struct tap tap = {0, 0};

    memset(out, 0xa5, sizeof out);
    for (unsigned i = 0; (suite = suite_usable(i)) != NULL; i++) {
        const mw_type type = suite->bits == 16   ? MW_U16
                             : suite->bits == 32 ? MW_U32
                                                 : MW_U64;
        const struct code code = type_code(type_row(type), MW_ASCENDING);

        if (!suite->merge)
            continue;
        make_runs(suite, code);
        for (size_t n = 0; n < COUNT_OF(numbers); n++) {
            memset(out + COUNT * (size_t)suite->bits / 8, 0xa5, GUARD);
            memcpy(ranks, input, sizeof ranks);
            tap_case(&tap, merge_all(suite, code, numbers[n]) == 1,
                     "suite %u, %u windows: runs in order", i, numbers[n]);
            tap_case(&tap, disorder_shows(suite, code, numbers[n]),
                     "suite %u, %u windows: any two neighbours in disorder", i, numbers[n]);
        }
    }
    return tap_end(&tap);
}
