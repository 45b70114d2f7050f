/*
 * unit_conflict.c - the kit's `conflict` inputs hurt a pairwise mergesort as much
 * as they should, by a model of its merge.
 *
 * The model sorts tiles of T threads, E keys each, then merges pairs of runs,
 * tile by tile: the tile's part of A lies in shared memory, that of B after
 * it. Each thread begins with the first key it has left of each list, then E
 * times takes the lesser and reads the next of the same list. Counted are the
 * wavefronts, cycles of the 32 banks, of those E + 2 reads of a warp.
 */
#include "kit.h"

#include "tap.h"

#include <stdlib.h>

enum { WARP = 32, MOST_TILE = 512 * 64 };

struct model {
    int items;
    int threads;
    size_t key_bytes;
};

/* Of all merges. */
struct counts {
    uint64_t warps;
    uint64_t wavefronts;
};

/* Different keys that are read from the busiest bank, by lanes `first` to `last`. */
static int busiest(const int *at, int first, int last, int banks)
{
    int reads[WARP] = {0};
    int most = 0;

    for (int i = first; i < last; i++) {
        int again = 0;

        for (int j = first; j < i; j++)
            again |= at[j] == at[i];
        if (!again && ++reads[at[i] % banks] > most)
            most = reads[at[i] % banks];
    }
    return most;
}

/* Wavefronts of one read of a warp; keys of 8 bytes go by half warps. */
static int wavefronts(const int *at, size_t key_bytes)
{
    if (key_bytes == 8)
        return busiest(at, 0, WARP / 2, 16) + busiest(at, WARP / 2, WARP, 16);
    return busiest(at, 0, WARP, 32);
}

/* The reads of one warp, given which merged keys of its tile come from B. */
static int count_warp(const struct model *m, const uint8_t *from_b, int a, int b)
{
    int cursor[WARP][2];
    int at[WARP];
    int total = 0;

    for (int lane = 0; lane < WARP; lane++) {
        cursor[lane][0] = a;
        cursor[lane][1] = b;
        for (int j = 0; j < m->items; j++)
            *(from_b[lane * m->items + j] ? &b : &a) += 1;
    }
    for (int list = 0; list < 2; list++) {
        for (int lane = 0; lane < WARP; lane++)
            at[lane] = cursor[lane][list];
        total += wavefronts(at, m->key_bytes);
    }
    for (int j = 0; j < m->items; j++) {
        for (int lane = 0; lane < WARP; lane++)
            at[lane] = ++cursor[lane][from_b[lane * m->items + j]];
        total += wavefronts(at, m->key_bytes);
    }
    return total;
}

/* Whole tiles only: what a short one does is another matter. */
static void count_tile(const struct model *m, const uint8_t *from_b, struct counts *counts)
{
    const int tile = m->items * m->threads;
    int a = 0;
    int b = 0;

    for (int i = 0; i < tile; i++)
        b += !from_b[i]; /* B lies after A */
    for (int first = 0; first < tile; first += WARP * m->items) {
        counts->wavefronts += (uint64_t)count_warp(m, from_b + first, a, b);
        counts->warps++;
        for (int i = first; i < first + WARP * m->items; i++)
            *(from_b[i] ? &b : &a) += 1;
    }
}

/* Merge two runs, ties to the first, and count the tiles of the result. */
static void merge_pair(const struct model *m, const uint32_t *a, uint64_t a_count,
                       const uint32_t *b, uint64_t b_count, uint32_t *out,
                       struct counts *counts)
{
    static uint8_t from_b[MOST_TILE];
    const int tile = m->items * m->threads;
    int filled = 0;

    while (a_count + b_count > 0) {
        const int take_b = b_count > 0 && (a_count == 0 || *b < *a);

        *out++ = take_b ? *b++ : *a++;
        *(take_b ? &b_count : &a_count) -= 1;
        from_b[filled++] = (uint8_t)take_b;
        if (filled == tile) {
            count_tile(m, from_b, counts);
            filled = 0;
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Sort `count` keys of a shape in the model: wavefronts a warp, or 0 if that failed. */
static double sort_model(const struct model *m, const char *shape, uint64_t count)
{
    const uint64_t tile = (uint64_t)m->items * (uint64_t)m->threads;
    uint32_t *keys = malloc(count * sizeof *keys);
    uint32_t *other = malloc(count * sizeof *other);
    struct counts counts = {0, 0};

    if (!keys || !other || kit_fill(MW_U32, shape, 5, keys, count) != MW_OK)
        goto done;
    for (uint64_t i = 0; i < count; i += tile)
        qsort(keys + i, least(tile, count - i), sizeof *keys, ascending);
    for (uint64_t run = tile; run < count; run *= 2) {
        uint32_t *const merged = other;

        for (uint64_t i = 0; i < count; i += 2 * run) {
            const uint64_t a_count = least(run, count - i);
            const uint64_t b_count = least(run, count - i - a_count);

            merge_pair(m, keys + i, a_count, keys + i + a_count, b_count, merged + i,
                       &counts);
        }
        other = keys;
        keys = merged;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (keys[i] != i)
            counts.wavefronts = 0;
    }
done:
    free(other);
    free(keys);
    return counts.warps ? (double)counts.wavefronts / (double)counts.warps : 0;
}

/*
 * What rivals choose, and what each input then costs a warp's merge. Where the count is
 * no power of two of warps, the pattern lasts as long as both lists of a merge do, at 305
 * wavefronts a warp, and the rest of the longer one takes 19.
 */
static void test_rivals(struct tap *tap)
{
    static const struct {
        struct model model;
        const char *shape;
        uint64_t tiles, keys;
        double low, high;
    } rows[] = {
        {{17, 256, 4}, "sorted",                16, 0,    19,  19 },
        {{17, 256, 4}, "permutation",           16, 0,    63,  67 },
        {{17, 256, 4}, "conflict:17,256",       16, 0,    280, 310},
        {{17, 256, 4}, "conflict:17,256,worst", 16, 0,    300, 310},
        {{17, 256, 4}, "conflict:17,256,worst", 2,  1,    160, 310}, /* 1 round of 2 */
        {{17, 256, 4}, "conflict:17,256,worst", 3,  0,    205, 310},
        {{17, 256, 4}, "conflict:17,256,worst", 13, 543,  255, 310},
        {{17, 256, 4}, "conflict:17,256,worst", 16, 600,  245, 310}, /* 4 of 5 */
        {{17, 256, 4}, "conflict:17,256,worst", 31, 4000, 300, 310},
        {{15, 512, 4}, "sorted",                16, 0,    17,  17 },
        {{15, 512, 4}, "permutation",           16, 0,    56,  60 },
        {{15, 512, 4}, "conflict:15,512",       16, 0,    150, 245},
        {{15, 512, 4}, "conflict:15,512,worst", 16, 0,    238, 245},
        {{8, 256, 8},  "sorted",                16, 0,    146, 146},
        {{8, 256, 8},  "permutation",           16, 0,    55,  59 },
        {{8, 256, 8},  "conflict:8,256",        16, 0,    144, 165},
        {{8, 256, 8},  "conflict:8,256,worst",  16, 0,    160, 165},
        {{15, 128, 4}, "conflict:15,128,worst", 16, 0,    238, 245},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct model *const m = &rows[i].model;
        const uint64_t tile = (uint64_t)(m->items * m->threads);
        const uint64_t count = rows[i].tiles * tile + rows[i].keys;
        const double found = sort_model(m, rows[i].shape, count);

        tap_case(tap, found >= rows[i].low && found <= rows[i].high,
                 "%d items, %d threads, %d bytes, %llu keys, %s: %.1f wavefronts a warp",
                 m->items, m->threads, (int)m->key_bytes, (unsigned long long)count,
                 rows[i].shape, found);
    }
}

/*
 * Every number of items. Up to 16, E * E reads of a warp can be in one bank, and
 * the worst pattern must find them; beyond that it is to be worse than others.
 */
static void test_items(struct tap *tap)
{
    for (int items = 1; items <= 64; items++) {
        const struct model m = {items, 64, 4};
        const uint64_t count = 8 * (uint64_t)(items * m.threads);
        char shape[3][32] = {"permutation"};
        double found[3];

        snprintf(shape[1], sizeof shape[1], "conflict:%d,64", items);
        snprintf(shape[2], sizeof shape[2], "conflict:%d,64,worst", items);
        for (int i = 0; i < 3; i++)
            found[i] = sort_model(&m, shape[i], count);
        tap_case(tap,
                 found[0] > 0 && found[1] > 0 &&
                     (items <= 16 ? found[2] >= items * items
                                  : found[2] > 2 * found[0] && found[2] >= 0.98 * found[1]),
                 "%d items: %.1f random, %.1f simple, %.1f worst", items, found[0],
                 found[1], found[2]);
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_rivals(&tap);
    test_items(&tap);
    return tap_end(&tap);
}
