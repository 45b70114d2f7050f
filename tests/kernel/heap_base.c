/*
 * heap_base.c - kernel heap_base sorts: shearsort in a warp, bitonic merging between
 * warps. Both compare the same places whatever the keys are, so the zero-one principle
 * holds: if all inputs of zeros and ones come out sorted, all inputs do. There are too
 * many of those to try, so:
 *
 *   runs of 1024 keys with every number of ones, and any two numbers side by side
 *   every pattern of ones per row that shearsort finds hard, or that has a name
 *   random permutations, each of which stands for one input per number of ones
 */
#include "keys.h"

enum { MOST_RUNS = HEAP_GRID + 1, MOST_KEYS = MOST_RUNS * HEAP_GRID };

static uint64_t *keys; /* of one launch */

/* Run the kernel over `blocks` blocks of `base` keys and compare. */
static int sorts(struct fixture *f, int bits, uint64_t base, uint64_t blocks)
{
    const size_t size = (size_t)bits / 8;
    const uint64_t count = base * blocks;
    void *const in = device_keys(f, keys, count, bits);
    const struct heap_base_args args = {
        .in = in,
        .out = fixture_random(f, 2) ? in : fixture_array(f, count * size),
        .count = count,
        .base = base};
    const struct work work = {.kernel = KERNEL_HEAP_BASE,
                              .bits = bits,
                              .blocks = blocks,
                              .threads = (uint32_t)(base / WARP),
                              .shared =
                                  base / HEAP_GRID * size * (size_t)HEAP_GRID_CELLS(size)};
    int passed;

    sort_each(keys, count, base);
    passed = fixture_launch(f, &work, &args, sizeof args) &&
             same_keys(args.out, keys, count, bits);
    fixture_clear(f);
    return passed;
}

/* Runs with ones anywhere. 389 has no factor in common with 1025: every number has its
 * turn. */
static int numbers(struct fixture *f, int bits, uint64_t base, uint64_t runs)
{
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t *const first = keys + run * HEAP_GRID;

        for (uint64_t i = 0; i < HEAP_GRID; i++)
            first[i] = i < run * 389 % (HEAP_GRID + 1);
        shuffle(f, first, HEAP_GRID);
    }
    return sorts(f, bits, base, runs * HEAP_GRID / base);
}

/* Ones in row i of pattern number `pattern`: constants, steps, stairs, teeth, chance. */
static uint64_t ones_in_row(struct fixture *f, int pattern, int i)
{
    const int p = pattern / 8;
    const int by_pattern[] = {p % 33,
                              i < p % 33 ? 32 : 0,
                              i < p % 33 ? 0 : 32,
                              (i + p) % 33,
                              (i * (p + 1) + p) % 33,
                              (i & 1) ? p % 33 : 32 - p % 33,
                              (i >> p % 5 & 1) ? 16 + p % 17 : 16 - p % 17,
                              (int)fixture_random(f, 33)};

    return (uint64_t)by_pattern[pattern % 8];
}

/* Lane i begins with keys i, i + 32, i + 64 ...: they are row i of its warp's grid. */
static int every_pattern(struct fixture *f, int bits, int patterns)
{
    for (int pattern = 0; pattern < patterns; pattern++) {
        for (int i = 0; i < WARP; i++) {
            const uint64_t ones = ones_in_row(f, pattern, i);

            for (uint64_t j = 0; j < WARP; j++)
                keys[(uint64_t)pattern * HEAP_GRID + (uint64_t)i + WARP * j] = j < ones;
        }
    }
    return sorts(f, bits, HEAP_GRID, (uint64_t)patterns);
}

/* Ranks, made few enough for the width. */
static int permutations(struct fixture *f, int bits, uint64_t base)
{
    const uint64_t blocks = 32 * HEAP_GRID / base;

    for (uint64_t i = 0; i < blocks * base; i++)
        keys[i] = bits == 8 ? i % base * 256 / base : i % base;
    for (uint64_t block = 0; block < blocks; block++)
        shuffle(f, keys + block * base, base);
    return sorts(f, bits, base, blocks);
}

void test_heap_base(struct tap *tap, struct fixture *f)
{
    keys = malloc(MOST_KEYS * sizeof *keys);
    for (int bits = 8; bits <= 64; bits *= 2) {
        const int most = bits == 32; /* the network is the same for all widths */

        tap_case(tap, every_pattern(f, bits, most ? 640 : 160), "%d bits, patterns of ones",
                 bits);
        for (uint64_t base = HEAP_GRID; base <= HEAP_MOST_BASE; base *= 2)
            tap_case(tap,
                     numbers(f, bits, base, most && base == HEAP_GRID ? MOST_RUNS : 64) &&
                         permutations(f, bits, base),
                     "%d bits, base %d, numbers of ones, permutations", bits, (int)base);
    }
    free(keys);
}
