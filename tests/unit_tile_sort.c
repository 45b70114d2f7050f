/*
 * unit_tile_sort.c - kernel tile_sort: registers, then lanes, then rows.
 *
 * Up to lists of eight lanes it is a network, for which inputs of zeros and ones
 * tell all; from there on lists are merged by searching, which zeros and ones
 * try at every place a split can be. So: lists with telling numbers of ones in
 * every combination of neighbours, any numbers of ones anywhere, permutations
 * and blocks of ascending keys, whole tiles and short ones. Every 32nd key of
 * the result must also stand among the samples, and nothing beside them. And cells for
 * cuts to come are cleared, as many as asked for and none beside them.
 */
#include "device.h"
#include "kit.h"

#include "tap.h"
#include "tile_rows.h"

#include <stdlib.h>

enum { SPAN = 8, MOST_TILES = 48, MOST_KEYS = MOST_TILES * 8192, GUARD = 5 };

struct bench {
    struct device *device;
    struct error error;
    uint16_t *keys;
    uint16_t *expected;
    void *narrow; /* as wide as the device has them */
    void *samples;
    uint64_t seed;
    int bits;
    const struct tile_geometry *tile;
};

static uint64_t random_below(struct bench *b, uint64_t limit)
{
    return kit_mix(++b->seed) % limit;
}

static void shuffle(struct bench *b, uint16_t *keys, uint64_t count)
{
    for (uint64_t i = count - 1; i > 0 && i < count; i--) {
        const uint64_t j = random_below(b, i + 1);
        const uint16_t key = keys[i];

        keys[i] = keys[j];
        keys[j] = key;
    }
}

/* Any number of ones, anywhere. */
static void fill_ones(struct bench *b, uint16_t *keys, uint64_t count)
{
    const uint64_t ones = random_below(b, count + 1);

    for (uint64_t i = 0; i < count; i++)
        keys[i] = i < ones;
    shuffle(b, keys, count);
}

/*
 * Telling numbers of ones in the list of every eight threads. Thread t begins
 * with keys t, t + rows, t + 2 rows ...; its list is what eight neighbours have.
 */
static void fill_lists(struct bench *b, uint16_t *keys, uint64_t count)
{
    const uint64_t rows = b->tile->rows;
    const uint64_t items = b->tile->items;
    const uint64_t list = SPAN * items;
    const uint64_t telling[] = {0,        1,    items - 1, items,    items + 1, list / 2,
                                list - 1, list, 0,         list / 3, list};
    uint64_t ones[TILE_MOST_ROWS / SPAN];

    for (size_t i = 0; i < COUNT_OF(ones); i++)
        ones[i] = telling[random_below(b, COUNT_OF(telling))];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t thread = i % rows;
        const uint64_t place = thread % SPAN * items + i / rows;

        keys[i] = place < ones[thread / SPAN];
    }
}

static void fill_permutation(struct bench *b, uint16_t *keys, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        keys[i] = (uint16_t)(b->bits == 8 ? i * 256 / count : i);
    shuffle(b, keys, count);
}

/* Lists of 2^n threads with keys all below, or all above, those of their neighbours. */
static void fill_blocks(struct bench *b, uint16_t *keys, uint64_t count)
{
    const uint64_t rows = b->tile->rows;
    const uint64_t threads = UINT64_C(1) << random_below(b, 9);
    const uint64_t flip = random_below(b, 2) ? 255 : 0;

    for (uint64_t i = 0; i < count; i++)
        keys[i] = (uint16_t)((i % rows / threads) ^ flip);
}

static int compare(const void *a, const void *b)
{
    const uint16_t x = *(const uint16_t *)a;
    const uint16_t y = *(const uint16_t *)b;

    return (x > y) - (x < y);
}

/* Cells to clear: none, few, as many as there are threads, more. */
static uint64_t some_cells(struct bench *b, uint64_t tiles)
{
    const uint64_t threads = tiles * b->tile->rows;
    const uint64_t telling[] = {0,       1,           threads - 1,
                                threads, threads + 1, random_below(b, 3 * threads)};

    return telling[random_below(b, COUNT_OF(telling))];
}

/* Of memory full of rubbish on the simulator, are all cells but the guards 0? */
static int cells_cleared(const wide *cells, uint64_t count)
{
    for (uint64_t i = 0; i < count + 2 * GUARD; i++) {
        if ((cells[i] == 0) != (i >= GUARD && i < count + GUARD)) {
            tap_note("cell %llu of %llu", (unsigned long long)i, (unsigned long long)count);
            return 0;
        }
    }
    return 1;
}

static mw_status sort_tiles(struct bench *b, uint64_t count, int in_place)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const uint64_t size = (uint64_t)b->bits / 8;
    const struct tile_geometry *const g = b->tile;
    const uint64_t tile = (uint64_t)g->rows * g->items;
    const uint64_t sample_bytes = (count + TILE_SAMPLE - 1) / TILE_SAMPLE * size;
    struct tile_sort_args args = {.count = count};
    struct launch launch = {.kernel = KERNEL_TILE_SORT,
                            .blocks = (count + tile - 1) / tile,
                            .threads = g->rows,
                            .shared_bytes =
                                (uint32_t)TILE_SORT_SHARED(g->rows, g->items, size),
                            .args = &args,
                            .args_bytes = sizeof args};
    void *in = NULL, *out = NULL, *cells = NULL;
    mw_status status;

    args.cells = some_cells(b, launch.blocks);
    TRY(verbs->load(b->device, &(struct program_name){MW_ENGINE_TILE, b->bits, *g},
                    1u << launch.kernel, &launch.program));
    TRY(verbs->alloc(b->device, (args.cells + 2 * GUARD) * sizeof *args.cuts, &cells));
    TRY(verbs->alloc(b->device, count * size, &in));
    TRY(verbs->alloc(b->device, count * size, &out));
    TRY(verbs->alloc(b->device, sample_bytes, &args.samples));
    TRY(verbs->upload(b->device, in, b->narrow, count * size, NULL));
    args.in = in;
    args.out = in_place ? in : out;
    args.cuts = (wide *)cells + GUARD;
    TRY(verbs->launch(b->device, &launch));
    TRY(verbs->wait(b->device, NULL));
    TRY(verbs->download(b->device, b->narrow, args.out, count * size, NULL));
    TRY(verbs->download(b->device, b->samples, args.samples, sample_bytes, NULL));
    if (!cells_cleared(cells, args.cells))
        status = fail(&b->error, MW_DEVICE_FAILED, "cells are not cleared, or too many");
done:
    verbs->free(b->device, cells);
    verbs->free(b->device, args.samples);
    verbs->free(b->device, out);
    verbs->free(b->device, in);
    return status;
}

/* Fill tiles, sort them here and there, compare; the last has `less` keys fewer. */
static int tiles_sorted(struct bench *b, uint64_t tiles, uint64_t less,
                        void (*fill)(struct bench *, uint16_t *, uint64_t))
{
    const size_t size = (size_t)b->bits / 8;
    const uint64_t tile = (uint64_t)b->tile->rows * b->tile->items;
    const uint64_t count = tiles * tile - less;
    mw_status status;

    for (uint64_t first = 0; first < count; first += tile) {
        const uint64_t length = count - first < tile ? count - first : tile;

        fill(b, b->keys + first, length);
        memcpy(b->expected + first, b->keys + first, length * sizeof *b->keys);
        qsort(b->expected + first, length, sizeof *b->expected, compare);
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t key = b->keys[i];

        memcpy((char *)b->narrow + i * size, &key, size); /* little-endian */
    }
    status = sort_tiles(b, count, (int)random_below(b, 2));
    if (status != MW_OK) {
        tap_note("%s: %s", mw_status_text(status), b->error.text);
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t key = b->expected[i];

        if (memcmp((char *)b->narrow + i * size, &key, size) != 0 ||
            (i % TILE_SAMPLE == 0 &&
             memcmp((char *)b->samples + i / TILE_SAMPLE * size, &key, size) != 0)) {
            tap_note("tile %llu, position %llu", (unsigned long long)(i / tile),
                     (unsigned long long)(i % tile));
            return 0;
        }
    }
    return 1;
}

/* Whole tiles, and two of which the last is short. */
static int fills_sorted(struct bench *b, uint64_t tiles,
                        void (*fill)(struct bench *, uint16_t *, uint64_t))
{
    const uint64_t lesses[] = {0,  1,    31,
                               33, 1000, (uint64_t)b->tile->rows * b->tile->items - 1};
    int passed = tiles_sorted(b, tiles, 0, fill);

    for (size_t i = 0; i < COUNT_OF(lesses); i++)
        passed &= tiles_sorted(b, 2, lesses[i], fill);
    return passed;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*fill)(struct bench *, uint16_t *, uint64_t);
        uint64_t tiles;
    } rows[] = {
        {"any ones",               fill_ones,        16},
        {"lists of ones",          fill_lists,       48},
        {"permutations",           fill_permutation, 8 },
        {"blocks that do not mix", fill_blocks,      32},
    };
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint16_t)),
                      .expected = malloc(MOST_KEYS * sizeof(uint16_t)),
                      .narrow = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .samples = malloc(MOST_KEYS * sizeof(uint64_t))};

    tap_ok(&tap, sim_open(&b.device, &b.error) == MW_OK, "open", b.error.text);
    for (b.bits = 8; b.bits <= 64 && b.device; b.bits *= 2) {
        for (int n = 0; (b.tile = tile_of_size((size_t)b.bits / 8, n)); n++) {
            for (size_t i = 0; i < COUNT_OF(rows); i++)
                tap_case(&tap, fills_sorted(&b, rows[i].tiles, rows[i].fill),
                         "%d bits, %u x %u, %s", b.bits, b.tile->rows, b.tile->items,
                         rows[i].name);
        }
    }
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.samples);
    free(b.narrow);
    free(b.expected);
    free(b.keys);
    return tap_end(&tap);
}
