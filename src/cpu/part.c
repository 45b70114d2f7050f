/*
 * part.c - quickselect of rows: see part.h.
 */
#include "cpu/part.h"

enum { MOST_BAD = 100 }; /* bad pivots in a row; by an order at most half are bad */

static uint64_t map_at(const struct row_map *m, uint64_t i)
{
    return number_at(m->numbers, m->bytes, i);
}

static void map_swap(const struct row_map *m, uint64_t i, uint64_t j)
{
    const uint64_t x = map_at(m, i);
    const uint64_t y = map_at(m, j);

    if (m->bytes == 4) {
        ((uint32_t *)m->numbers)[i] = (uint32_t)y;
        ((uint32_t *)m->numbers)[j] = (uint32_t)x;
    } else {
        ((uint64_t *)m->numbers)[i] = y;
        ((uint64_t *)m->numbers)[j] = x;
    }
}

/* Does row `a` precede row `b`, whose code is known? Equal rows go by their numbers. */
static int precedes(const struct row_map *m, uint64_t a, uint64_t b, uint64_t b_code)
{
    const uint64_t code = comparison_code(&m->compare, a);

    if (code != b_code)
        return code < b_code;
    if (m->is_complete)
        return a < b;
    return a < b ? !comparison_less(&m->compare, b, a, m->covered_fields)
                 : comparison_less(&m->compare, a, b, m->covered_fields);
}

/* Move rows [first, last) that precede that at `pivot` to the front; where does it go? */
static uint64_t part_around(const struct row_map *m, uint64_t first, uint64_t last,
                            uint64_t pivot)
{
    uint64_t to = first;

    map_swap(m, pivot, last - 1);

    const uint64_t row = map_at(m, last - 1);
    const uint64_t code = comparison_code(&m->compare, row);

    for (uint64_t i = first; i + 1 < last; i++)
        if (precedes(m, map_at(m, i), row, code))
            map_swap(m, i, to++);
    map_swap(m, to, last - 1);
    return to;
}

void part_rows(const struct row_map *m, uint64_t count, uint64_t wanted)
{
    uint64_t first = 0;
    uint64_t last = count;
    uint64_t chance = count;

    for (int bad = 0; wanted > first && wanted < last && bad < MOST_BAD; bad++) {
        const uint64_t rows = last - first;

        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;

        const uint64_t to = part_around(m, first, last, first + (chance >> 24) % rows);

        if (wanted <= to)
            last = to;
        else
            first = to + 1;
        if (4 * (last - first) <= 3 * rows)
            bad = 0;
    }
}
