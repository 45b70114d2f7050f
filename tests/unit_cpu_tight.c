/*
 * unit_cpu_tight.c - sorts on the CPU with memory for an eighth of the keys, by every suite
 * that this processor can run.
 */
#include "kit.h"

#include "reference.h"
#include "tap.h"

#include "cpu/sort.h"
#include "plan_parts.h"

#include <stdlib.h>

enum { MOST = 40001, THREADS = 3, GUARD = 64, GUARD_BYTE = 0xa5 };

static _Alignas(64) char expected[MOST * 8], keys[MOST * 8], scratch[MOST + 2 * GUARD];
static struct item items[2 * MOST];

static int try(struct pool *pool, void *work, const struct suite *suite, mw_type type,
               uint64_t count)
{
    const size_t bytes = count * mw_type_size(type);
    const uint64_t spare = sort_tight_bytes(suite->bits, count);
    const struct sort_request request = {.suite = suite,
                                         .code = type_code(type_row(type), MW_DESCENDING),
                                         .keys = keys,
                                         .count = count,
                                         .scratch = scratch,
                                         .work = work};
    int right = spare <= bytes / 8 + 4 * mw_type_size(type) &&
                kit_fill(type, "random", count, keys, count) == MW_OK;

    memcpy(expected, keys, bytes);
    reference_sort(type, MW_DESCENDING, expected, count, items);
    memset(scratch + spare, GUARD_BYTE, GUARD);
    sort_tight(pool, &request, NULL);
    for (int i = 0; i < GUARD; i++)
        right &= (unsigned char)scratch[spare + (uint64_t)i] == GUARD_BYTE;
    return right && memcmp(keys, expected, bytes) == 0;
}

int main(void)
{
    static const mw_type types[] = {MW_I16, MW_I32, MW_F32, MW_U64, MW_F64};
    static const uint64_t counts[] = {1, 2, 33, 1000, MOST};
    void *const work = aligned_alloc(64, (size_t)THREADS * WORK_BYTES);
    struct tap tap = {0, 0};
    const struct suite *suite;
    struct error error;
    struct pool *pool;

    if (!work || pool_open(&pool, THREADS, &error) != MW_OK)
        return 1;
    for (unsigned number = 0; (suite = suite_usable(number)); number++) {
        int right = 1;

        for (size_t i = 0; i < COUNT_OF(types); i++)
            for (size_t j = 0; j < COUNT_OF(counts); j++)
                if (8 * (int)mw_type_size(types[i]) == suite->bits)
                    right &= try(pool, work, suite, types[i], counts[j]);
        tap_case(&tap, right, "suite %u: with little memory", number);
    }
    pool_close(pool);
    free(work);
    return tap_end(&tap);
}
