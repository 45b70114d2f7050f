/*
 * keys.c - keys and rounds for the tests of single kernels.
 */
#include "keys.h"

const char *const kind_names[KINDS] = {
#define KIND(name, text, key) text,
#include "keys.def"
#undef KIND
};

/* The code of a positive float, as kernels have it; of narrow keys the number. */
static uint64_t code_of_float(int bits, uint64_t number)
{
    const float narrow = (float)number;
    const double whole = (double)number;
    uint32_t half_bits = 0;
    uint64_t whole_bits = 0;

    memcpy(&half_bits, &narrow, sizeof half_bits);
    memcpy(&whole_bits, &whole, sizeof whole_bits);
    return bits == 64   ? whole_bits + UINT64_C(0x7ff0000000000001)
           : bits == 32 ? half_bits + UINT64_C(0x7f800001)
                        : number & UINT64_MAX >> (64 - bits);
}

static uint64_t cube_of(int bits, uint64_t random)
{
    random >>= 48;
    random *= random * random;
    return bits < 48 ? random >> (48 - bits) : random << (bits - 48);
}

/* A key in the part of the range that belongs to list `place`. */
static uint64_t in_part(int bits, uint64_t place, uint64_t random)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);

    return ((place << (bits - 5)) + (random >> 8 & most >> 5)) & most;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t key_of(enum kind kind, int bits, uint64_t list, uint64_t ways, uint64_t i)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);
    const uint64_t random = kit_mix(list << 32 | i);
    const uint64_t place = list % ways;

    switch (kind) {
#define KIND(name, text, key) \
    case name:                \
        return key;
#include "keys.def"
#undef KIND
    default:
        return 0;
    }
}

void fill_lists(uint64_t *keys, enum kind kind, int bits, uint64_t count, uint64_t run,
                int ways)
{
    for (uint64_t i = 0; i < count; i++)
        keys[i] = key_of(kind, bits, i / run, (uint64_t)ways, i % run);
    sort_each(keys, count, run);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void sort_each(uint64_t *keys, uint64_t count, uint64_t run)
{
    for (uint64_t first = 0; first < count; first += run)
        qsort(keys + first, count - first < run ? count - first : run, sizeof *keys,
              compare);
}

void shuffle(struct fixture *f, uint64_t *keys, uint64_t count)
{
    for (uint64_t i = count; i > 1; i--) {
        const uint64_t j = fixture_random(f, i);
        const uint64_t key = keys[i - 1];

        keys[i - 1] = keys[j];
        keys[j] = key;
    }
}

/* Every `step`-th key. Little-endian: the low bytes come first. */
static void *put(struct fixture *f, const uint64_t *keys, uint64_t count, int bits,
                 uint64_t step)
{
    const size_t size = (size_t)bits / 8;
    char *const there = fixture_array(f, divide_up(count, step) * size);

    for (uint64_t i = 0; i < count; i += step)
        memcpy(there + i / step * size, &keys[i], size);
    return there;
}

void *device_keys(struct fixture *f, const uint64_t *keys, uint64_t count, int bits)
{
    return put(f, keys, count, bits, 1);
}

static int same(const void *device, const uint64_t *keys, uint64_t count, int bits,
                uint64_t step)
{
    const size_t size = (size_t)bits / 8;

    for (uint64_t i = 0; i < count; i += step) {
        if (memcmp((const char *)device + i / step * size, &keys[i], size) != 0) {
            tap_note("key %llu of %llu is wrong", (wide)i, (wide)count);
            return 0;
        }
    }
    return 1;
}

int same_keys(const void *device, const uint64_t *keys, uint64_t count, int bits)
{
    return same(device, keys, count, bits, 1);
}

int same_samples(const void *device, const uint64_t *keys, uint64_t count, int bits)
{
    return same(device, keys, count, bits, TILE_SAMPLE);
}

struct tile_round round_of(struct fixture *f, const uint64_t *keys, int bits,
                           struct tile_round r, uint64_t tile, uint64_t items)
{
    const uint64_t group = r.run * (uint64_t)r.ways;
    const uint64_t size = (uint64_t)bits / 8;

    if (!r.piece)
        r.piece = tile - 2 * (uint64_t)TILE_SLACK((int)tile, (int)items) -
                  (uint64_t)r.ways / 2 * (items - 1);
    r.groups = (unsigned)divide_up(r.count, group);
    r.pieces = (unsigned)divide_up(least(r.count, group), r.piece);
    r.in = device_keys(f, keys, r.count, bits);
    r.samples = put(f, keys, r.count, bits, TILE_SAMPLE);
    r.out = fixture_array(f, r.count * size);
    r.out_samples = fixture_array(f, divide_up(r.count, TILE_SAMPLE) * size);
    r.cuts = fixture_array(f, cuts_of(&r) * (uint64_t)r.ways * sizeof *r.cuts);
    return r;
}
