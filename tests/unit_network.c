/*
 * unit_network.c - kernel heap_base sorts: shearsort in a warp, bitonic merging
 * between warps. Both compare the same places whatever the keys are, so the
 * zero-one principle holds: if all inputs of zeros and ones come out sorted,
 * all inputs do. There are too many of those to try, so:
 *
 *   every number of ones, placed at random
 *   every pattern of ones a row that shearsort finds hard, or that has a name
 *   runs of 1024 with any two numbers of ones, for the merging of runs
 *   random permutations, each of which stands for one input per number of ones
 */
#include "device.h"
#include "kernels/launch.h"
#include "kit.h"

#include "tap.h"

#include <stdlib.h>

enum { MOST_BLOCKS = 1025, MOST_KEYS = MOST_BLOCKS * HEAP_GRID };

/* Blocks of keys for one launch, each key in 16 bits. */
struct bench {
    struct device *device;
    struct error error;
    uint16_t *keys;
    uint16_t *expected;
    void *narrow; /* as wide as the device has them */
    uint64_t seed;
};

static uint64_t random_below(struct bench *b, uint64_t limit)
{
    return kit_mix(++b->seed) % limit;
}

/* The sorted form of `count` zeros and ones. */
static void expect_ones(uint16_t *expected, int count, int ones)
{
    for (int i = 0; i < count; i++)
        expected[i] = i >= count - ones;
}

static void shuffle(struct bench *b, uint16_t *keys, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)random_below(b, (uint64_t)i + 1);
        const uint16_t key = keys[i];

        keys[i] = keys[j];
        keys[j] = key;
    }
}

/* `count` keys with so many ones, anywhere. */
static void random_ones(struct bench *b, uint64_t first, int count, int ones)
{
    expect_ones(b->expected + first, count, ones);
    memcpy(b->keys + first, b->expected + first, (size_t)count * sizeof *b->keys);
    shuffle(b, b->keys + first, count);
}

/* A grid whose row i has ones[i] ones. Lane i begins with keys i, i + 32, i + 64 ... */
static void rows_of_ones(struct bench *b, uint64_t first, const int ones[WARP])
{
    int all = 0;

    for (int i = 0; i < WARP; i++) {
        for (int j = 0; j < WARP; j++)
            b->keys[first + (uint64_t)(i + WARP * j)] = j < ones[i];
        all += ones[i];
    }
    expect_ones(b->expected + first, HEAP_GRID, all);
}

/* Run the kernel over `blocks` blocks of `base` keys and compare. */
static mw_status sort_blocks(struct bench *b, int bits, uint64_t base, uint64_t blocks,
                             int in_place)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const size_t size = (size_t)bits / 8;
    struct heap_base_args args = {.count = base * blocks, .base = base};
    struct launch launch = {
        .kernel = KERNEL_HEAP_BASE,
        .blocks = blocks,
        .threads = (uint32_t)(base / WARP),
        .shared_bytes = (uint32_t)(base / HEAP_GRID * size * (size_t)HEAP_GRID_CELLS(size)),
        .args = &args,
        .args_bytes = sizeof args};
    const uint64_t bytes = args.count * size;
    void *in = NULL;
    void *out = NULL;
    mw_status status;

    for (uint64_t i = 0; i < args.count; i++) {
        const uint64_t key = b->keys[i];

        memcpy((char *)b->narrow + i * size, &key, size); /* little-endian */
    }
    TRY(verbs->load(b->device,
                    &(struct program_name){.engine = MW_ENGINE_HEAP, .bits = bits},
                    1u << launch.kernel, &launch.program));
    TRY(verbs->alloc(b->device, bytes, &in));
    TRY(verbs->alloc(b->device, bytes, &out));
    TRY(verbs->upload(b->device, in, b->narrow, bytes, NULL));
    args.in = in;
    args.out = in_place ? in : out;
    TRY(verbs->launch(b->device, &launch));
    TRY(verbs->wait(b->device, NULL));
    TRY(verbs->download(b->device, b->narrow, args.out, bytes, NULL));
done:
    verbs->free(b->device, out);
    verbs->free(b->device, in);
    return status;
}

static int blocks_sorted(struct bench *b, int bits, uint64_t base, uint64_t blocks)
{
    const size_t size = (size_t)bits / 8;
    const mw_status status = sort_blocks(b, bits, base, blocks, (int)random_below(b, 2));

    if (status != MW_OK) {
        tap_note("%s: %s", mw_status_text(status), b->error.text);
        return 0;
    }
    for (uint64_t i = 0; i < base * blocks; i++) {
        uint64_t key = 0;

        memcpy(&key, (char *)b->narrow + i * size, size);
        if (key != (bits == 8 ? b->expected[i] & 255 : b->expected[i])) {
            tap_note("block %llu, position %llu", (unsigned long long)(i / base),
                     (unsigned long long)(i % base));
            return 0;
        }
    }
    return 1;
}

static int every_number(struct bench *b, int bits)
{
    for (int ones = 0; ones <= HEAP_GRID; ones++)
        random_ones(b, (uint64_t)ones * HEAP_GRID, HEAP_GRID, ones);
    return blocks_sorted(b, bits, HEAP_GRID, HEAP_GRID + 1);
}

/* Ones in row i of pattern number `pattern`: constants, steps, stairs, teeth, chance. */
static int ones_in_row(struct bench *b, int pattern, int i)
{
    const int p = pattern / 8;

    switch (pattern % 8) {
    case 0:
        return p % 33;
    case 1:
        return i < p % 33 ? 32 : 0;
    case 2:
        return i < p % 33 ? 0 : 32;
    case 3:
        return (i + p) % 33;
    case 4:
        return (i * (p + 1) + p) % 33;
    case 5:
        return (i & 1) ? p % 33 : 32 - p % 33;
    case 6:
        return (i >> p % 5 & 1) ? 16 + p % 17 : 16 - p % 17;
    default:
        return (int)random_below(b, 33);
    }
}

static int every_pattern(struct bench *b, int bits)
{
    const int patterns = 640;

    for (int pattern = 0; pattern < patterns; pattern++) {
        int ones[WARP];

        for (int i = 0; i < WARP; i++)
            ones[i] = ones_in_row(b, pattern, i);
        rows_of_ones(b, (uint64_t)pattern * HEAP_GRID, ones);
    }
    return blocks_sorted(b, bits, HEAP_GRID, (uint64_t)patterns);
}

/* Blocks of several runs: telling numbers of ones first, then any. */
static int runs_of_ones(struct bench *b, int bits, uint64_t base)
{
    static const int telling[] = {0, 1, 31, 32, 33, 511, 512, 513, 992, 1023, 1024};
    const uint64_t runs = base / HEAP_GRID;
    const uint64_t blocks = 256 / runs;

    for (uint64_t block = 0; block < blocks; block++) {
        int all = 0;

        for (uint64_t run = 0; run < runs; run++) {
            const uint64_t n = random_below(b, COUNT_OF(telling));
            const int ones = block % 4 ? telling[n] : (int)random_below(b, HEAP_GRID + 1);

            random_ones(b, block * base + run * HEAP_GRID, HEAP_GRID, ones);
            all += ones;
        }
        expect_ones(b->expected + block * base, (int)base, all);
    }
    return blocks_sorted(b, bits, base, blocks);
}

/* Ranks of a permutation, made few enough for the type by halving. */
static int permutations(struct bench *b, int bits, uint64_t base)
{
    const uint64_t blocks = 256 * HEAP_GRID / base / 4;
    uint64_t ranks = base;
    int halved = 0;

    for (; bits == 8 && ranks > 256; ranks /= 2)
        halved++;
    for (uint64_t block = 0; block < blocks; block++) {
        const uint64_t first = block * base;

        for (uint64_t i = 0; i < base; i++)
            b->expected[first + i] = (uint16_t)(i >> halved);
        memcpy(b->keys + first, b->expected + first, base * sizeof *b->keys);
        shuffle(b, b->keys + first, (int)base);
    }
    return blocks_sorted(b, bits, base, blocks);
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint16_t)),
                      .expected = malloc(MOST_KEYS * sizeof(uint16_t)),
                      .narrow = malloc(MOST_KEYS * sizeof(uint64_t))};

    tap_ok(&tap, sim_open(&b.device, &b.error) == MW_OK, "open", b.error.text);
    for (int bits = 8; bits <= 64 && b.device; bits *= 2) {
        tap_case(&tap, every_number(&b, bits), "%d bits, every number of ones", bits);
        tap_case(&tap, every_pattern(&b, bits), "%d bits, patterns of ones", bits);
        for (uint64_t base = HEAP_GRID; base <= HEAP_MOST_BASE; base *= 2) {
            tap_case(&tap, runs_of_ones(&b, bits, base), "%d bits, base %d, runs of ones",
                     bits, (int)base);
            tap_case(&tap, permutations(&b, bits, base), "%d bits, base %d, permutations",
                     bits, (int)base);
        }
    }
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.narrow);
    free(b.expected);
    free(b.keys);
    return tap_end(&tap);
}
