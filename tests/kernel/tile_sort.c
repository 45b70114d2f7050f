/*
 * tile_sort.c - kernel tile_sort: registers, then lanes, then rows.
 *
 * Up to lists of eight lanes it is a network, for which inputs of zeros and ones tell
 * all; from there on lists are merged by searching, which zeros and ones try at every
 * place a split can be. So: lists with telling numbers of ones in every combination of
 * neighbours, permutations, each of which stands for any number of ones, and blocks of
 * ascending keys, in whole tiles and short ones. Every 32nd key of the result must also
 * stand among the samples. And cells for cuts to come are cleared, no fewer and no more
 * than asked for.
 */
#include "keys.h"

#include "tile_rows.h"

enum { SPAN = 8, MOST_TILES = 16, MOST_KEYS = MOST_TILES * 16384, GUARD = 5 };

static uint64_t *keys;

enum fill { LISTS_OF_ONES, PERMUTATIONS, BLOCKS_APART, FILLS };

static const struct {
    const char *name;
    uint64_t tiles;
} fills[FILLS] = {
    {"lists of ones",          16},
    {"permutations",           8 },
    {"blocks that do not mix", 12},
};

/*
 * One tile, or fewer keys. Thread t begins with keys t, t + rows, t + 2 rows ... Lists
 * are those of every eight threads, with telling numbers of ones; blocks are those of 2^n
 * threads, with keys all below, or all above, those of their neighbours.
 */
static void fill_tile(struct fixture *f, const struct tile_geometry *g, enum fill fill,
                      uint64_t *tile, uint64_t count)
{
    const uint64_t items = g->items;
    const uint64_t list = SPAN * items;
    const uint64_t telling[] = {0,        1,    items - 1, items,    items + 1, list / 2,
                                list - 1, list, 0,         list / 3, list};
    const uint64_t block = UINT64_C(1) << fixture_random(f, 9);
    const uint64_t flip = fixture_random(f, 2) ? 255 : 0;
    uint64_t ones[TILE_MOST_ROWS / SPAN];

    for (size_t i = 0; i < COUNT_OF(ones); i++)
        ones[i] = telling[fixture_random(f, COUNT_OF(telling))];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t thread = i % g->rows;

        if (fill == LISTS_OF_ONES)
            tile[i] = thread % SPAN * items + i / g->rows < ones[thread / SPAN];
        else if (fill == BLOCKS_APART)
            tile[i] = (thread / block) ^ flip;
        else
            tile[i] = i * 256 / count << 8 | i % 256; /* the low byte is 8-bit keys' */
    }
    if (fill == PERMUTATIONS)
        shuffle(f, tile, count);
}

/* Of memory full of garbage on the simulator, are all cells but the guards 0? */
static int cleared(const wide *cells, uint64_t count)
{
    for (uint64_t i = 0; i < count + 2 * GUARD; i++) {
        if ((cells[i] == 0) != (i >= GUARD && i < count + GUARD)) {
            tap_note("cell %llu of %llu", (wide)i, (wide)count);
            return 0;
        }
    }
    return 1;
}

/* Fill tiles, the last `less` keys short; sort them here and there, compare. */
static int sorts(struct fixture *f, int bits, const struct tile_geometry *g, enum fill fill,
                 uint64_t tiles, uint64_t less)
{
    const uint64_t size = (uint64_t)bits / 8;
    const uint64_t tile = (uint64_t)g->rows * g->items;
    const uint64_t count = tiles * tile - less;
    const uint64_t threads = tiles * g->rows;
    const uint64_t some_cells[] = {0,       1,           threads - 1,
                                   threads, threads + 1, fixture_random(f, 3 * threads)};
    const uint64_t cells = some_cells[fixture_random(f, COUNT_OF(some_cells))];
    wide *const guarded = fixture_array(f, (cells + 2 * GUARD) * sizeof *guarded);
    struct tile_sort_args args = {.cuts = guarded + GUARD, .cells = cells, .count = count};
    const struct work work = {.kernel = KERNEL_TILE_SORT,
                              .bits = bits,
                              .tile = g,
                              .blocks = tiles,
                              .threads = g->rows,
                              .shared = TILE_SORT_SHARED(g->rows, g->items, size)};
    void *in;
    int passed;

    for (uint64_t first = 0; first < count; first += tile)
        fill_tile(f, g, fill, keys + first, count - first < tile ? count - first : tile);
    for (uint64_t i = 0; bits == 8 && i < count; i++)
        keys[i] &= 255;
    in = device_keys(f, keys, count, bits);
    args.in = in;
    args.out = fixture_random(f, 2) ? in : fixture_array(f, count * size);
    args.samples = fixture_array(f, divide_up(count, TILE_SAMPLE) * size);
    sort_each(keys, count, tile);
    passed = fixture_launch(f, &work, &args, sizeof args) &&
             same_keys(args.out, keys, count, bits) &&
             same_samples(args.samples, keys, count, bits) && cleared(guarded, cells);
    fixture_clear(f);
    return passed;
}

void test_tile_sort(struct tap *tap, struct fixture *f)
{
    const struct tile_geometry *g;

    keys = malloc(MOST_KEYS * sizeof *keys);
    for (int bits = 8; bits <= 64; bits *= 2) {
        for (int n = 0; (g = tile_of_size((size_t)bits / 8, n)); n++) {
            const uint64_t lesses[] = {1, 31, 33, 1000, (uint64_t)g->rows * g->items - 1};

            for (int fill = 0; fill < FILLS; fill++) {
                int passed = sorts(f, bits, g, (enum fill)fill, fills[fill].tiles, 0);

                for (size_t i = 0; i < COUNT_OF(lesses); i++)
                    passed &= sorts(f, bits, g, (enum fill)fill, 2, lesses[i]);
                tap_case(tap, passed, "%d bits, %u x %u, %s", bits, g->rows, g->items,
                         fills[fill].name);
            }
        }
    }
    free(keys);
}
