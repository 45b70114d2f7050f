/*
 * unit_cpu_few.c - keys of few different values, counted by every suite that can: which
 * numbers of values are few, and values that share slots of the tables.
 */
#include "kit.h"

#include "reference.h"
#include "tap.h"

#include "cpu/sort_few.h"
#include "plan_parts.h"

#include <stdlib.h>

enum { SHORT = (1 << 14) + 3, LONG = (1 << 16) + 1, THREADS = 3 };

static const struct {
    uint64_t count;
    uint64_t values;
    int is_few;
    int is_crowded; /* all values would have the same slot */
} rows[] = {
    {SHORT,     2,    1, 0},
    {SHORT,     4,    1, 0},
    {SHORT,     5,    1, 0},
    {SHORT,     16,   1, 0},
    {SHORT,     17,   1, 0},
    {SHORT,     128,  1, 0},
    {SHORT,     129,  0, 0},
    {LONG,      3,    1, 0},
    {LONG,      16,   1, 0},
    {LONG,      300,  1, 0},
    {LONG,      1024, 1, 0},
    {LONG,      1025, 0, 0},
    {LONG,      LONG, 0, 0},
    {SHORT / 2, 2,    0, 0},
    {LONG,      9,    1, 1},
    {LONG,      300,  0, 1},
};

static _Alignas(64) char keys[LONG * 8], expected[LONG * 8];
static struct item items[2 * LONG];

/* The extremes, neighbours, and values that differ in their upper bits only. */
static uint64_t value_of(uint64_t number)
{
    return number < 2 ? -number : number % 2 ? number : number << 48 | number << 20;
}

/* Values that become small numbers when few.inl multiplies them. */
static uint64_t crowded(uint64_t number)
{
    return number * UINT64_C(0xf1de83e19937733d);
}

static void fill(size_t size, uint64_t count, uint64_t values, int is_crowded)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = i < values ? i : i * 7919 % values;
        const uint64_t value = is_crowded ? crowded(number) : value_of(number);

        memcpy(keys + i * size, &value, size);
    }
}

static int is_right(struct pool *pool, const struct suite *suite, mw_type type,
                    mw_direction direction, size_t row, void *work)
{
    const size_t size = mw_type_size(type);
    const uint64_t count = rows[row].count;
    const struct sort_request request = {.suite = suite,
                                         .code = type_code(type_row(type), direction),
                                         .keys = keys,
                                         .count = count,
                                         .work = work};

    fill(size, count, rows[row].values, rows[row].is_crowded);
    memcpy(expected, keys, count * size);
    if (rows[row].is_few)
        reference_sort(type, direction, expected, count, items);
    return sort_few(pool, pool_threads(pool), &request) == rows[row].is_few &&
           memcmp(keys, expected, count * size) == 0;
}

int main(void)
{
    static const mw_type types[] = {MW_U32, MW_F32, MW_I64, MW_F64};
    void *const work = aligned_alloc(64, (size_t)THREADS * WORK_BYTES);
    const struct suite *suite;
    struct tap tap = {0, 0};
    struct pool *pool;
    struct error error;

    if (!work || pool_open(&pool, THREADS, &error) != MW_OK)
        return 1;
    for (unsigned i = 0; (suite = suite_usable(i)) != NULL; i++)
        for (size_t row = 0; suite->few_count && row < COUNT_OF(rows); row++) {
            int passed = 1;

            for (size_t t = 0; t < 2 * COUNT_OF(types); t++) {
                const mw_type type = types[t / 2];
                const mw_direction direction = t % 2 ? MW_DESCENDING : MW_ASCENDING;

                if (8 * (int)mw_type_size(type) == suite->bits)
                    passed &= is_right(pool, suite, type, direction, row, work) &&
                              is_right(pool_alone(pool), suite, type, direction, row, work);
            }
            tap_case(&tap, passed, "suite %u: %llu %svalues of %llu keys are %s", i,
                     (unsigned long long)rows[row].values,
                     rows[row].is_crowded ? "crowded " : "",
                     (unsigned long long)rows[row].count,
                     rows[row].is_few ? "counted" : "left alone");
        }
    if (tap.count == 0)
        tap_skip(&tap, "keys of few values", "no vectors here");
    pool_close(pool);
    free(work);
    return tap_end(&tap);
}
