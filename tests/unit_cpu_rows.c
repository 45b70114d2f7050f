/*
 * unit_cpu_rows.c - rows on their way to buckets and back, by every suite of inner loops
 * that this processor can run.
 */
#include "tap.h"

#include "cpu/suite.h"

#include <string.h>

enum { ROWS = 999, BUCKETS = 5, GUARD = 64, ALL = ROWS * COLLECT_MOST };

static const uint32_t sizes[] = {16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 200, 256};

/* Rows are read up to a block beyond their end, in advance only. */
static unsigned char rows[ALL], expected[ALL];
static _Alignas(64) unsigned char to[ALL + GUARD];
static _Alignas(64) unsigned char chunks[BUCKETS][2 * COLLECT_MOST];

static void fill(uint32_t bytes)
{
    for (uint32_t i = 0; i < ROWS * bytes; i++)
        rows[i] = (unsigned char)((i / bytes * 7919 >> 3) + i % bytes);
}

static uint16_t bucket_of(uint32_t row)
{
    return (uint16_t)(row * 2654435761u >> 16) % BUCKETS;
}

/* Collect all rows, in blocks, with what is left in the chunks; are buckets in order? */
static int is_collected(const struct suite *suite, uint32_t bytes)
{
    const uint32_t chunk = bytes <= COLLECT_MOST / 2 ? COLLECT_MOST / 2 : COLLECT_MOST;
    uint32_t begun[BUCKETS + 1] = {0}, next[BUCKETS];
    uint16_t buckets[ROWS];
    struct collect_task task = {.bytes = bytes,
                                .chunk = chunk,
                                .chunks = chunks[0],
                                .begun = begun,
                                .next = next,
                                .to = to};

    for (uint32_t i = 0; i < ROWS; i++) {
        buckets[i] = bucket_of(i);
        begun[buckets[i] + 1]++;
    }
    for (int b = 0; b < BUCKETS; b++)
        begun[b + 1] += begun[b];
    memcpy(next, begun, sizeof next);
    for (uint32_t i = 0; i < ROWS; i++)
        memcpy(expected + next[buckets[i]]++ * bytes, rows + i * bytes, bytes);

    memcpy(next, begun, sizeof next);
    memset(to, 0xa5, sizeof to);
    for (uint32_t first = 0; first < ROWS; first += task.count) {
        task.rows = rows + first * bytes;
        task.buckets = buckets + first;
        task.count = ROWS - first < 31 ? ROWS - first : 31;
        suite->collect(&task);
    }
    for (int b = 0; b < BUCKETS; b++) {
        const uint32_t last = begun[b + 1] * bytes;
        const uint32_t base = (last - bytes) / chunk * chunk;
        const uint32_t first = base > begun[b] * bytes ? base : begun[b] * bytes;

        if (next[b] != begun[b + 1])
            return 0;
        memcpy(to + first, chunks[0] + b * 2 * (size_t)chunk + (first - base),
               last - first);
    }
    for (int i = 0; i < GUARD; i++)
        if (to[ROWS * bytes + i] != 0xa5)
            return 0;
    return memcmp(to, expected, ROWS * bytes) == 0;
}

/* Pick parts of rows by items with other bits above the places. */
static int is_picked(const struct suite *suite, uint32_t step, uint32_t bytes)
{
    const struct pick_task task = {rows + step - bytes, step, bytes, 1023};
    uint64_t items[ROWS];

    memset(to, 0xa5, sizeof to);
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t place = i * 500 % ROWS;
        const uint64_t item = (uint64_t)i << 10 | place;

        if (suite->bits == 32)
            ((uint32_t *)items)[i] = (uint32_t)item;
        else
            items[i] = item;
        memcpy(expected + i * bytes, task.rows + place * step, bytes);
    }
    suite->pick_rows(&task, items, ROWS, to);
    return memcmp(to, expected, ROWS * bytes) == 0 && to[ROWS * bytes] == 0xa5;
}

int main(void)
{
    struct tap tap = {0, 0};
    const struct suite *suite;

    for (unsigned i = 0; (suite = suite_usable(i)) != NULL; i++)
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            fill(sizes[j]);
            if (suite->collect)
                tap_case(&tap, is_collected(suite, sizes[j]),
                         "suite %u: rows of %u bytes are collected", i, sizes[j]);
            if (suite->pick_rows)
                tap_case(&tap,
                         is_picked(suite, sizes[j], sizes[j]) &&
                             is_picked(suite, sizes[j], 15),
                         "suite %u: rows of %u bytes are picked", i, sizes[j]);
        }
    return tap_end(&tap);
}
