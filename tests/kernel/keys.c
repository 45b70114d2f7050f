#include "keys.h"

const char *const kind_names[KINDS] = {
    [GREATEST] = "all the greatest",
    [SORTED] = "sorted",
    [REVERSED] = "reversed",
    [EQUAL] = "all equal",
    [TWO] = "two values",
    [FEW] = "ten values",
    [RANDOM] = "random",
    [EXTREMES] = "extremes",
    [LISTS_ASCEND] = "lists ascend",
    [LISTS_DESCEND] = "lists descend",
    [ONE_ODD] = "one odd list out",
    [SKEWED] = "skewed",
    [IDENTICAL] = "identical lists",
    [TURNS] = "lists in turns",
    [BLOCKS] = "blocks in turn",
    [LONG_BLOCKS] = "long blocks in turn",
    [ENDS] = "at both ends",
    [CUBES] = "cubes",
    [FLOATS] = "floats, lists ascend",
    [NEAR_FLOATS] = "neighbouring floats",
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

/* Keys crowded at the lower end. */
static uint64_t cube_of(int bits, uint64_t random)
{
    random >>= 48;
    random *= random * random;
    return bits < 48 ? random >> (48 - bits) : random << (bits - 48);
}

uint64_t key_of(enum kind kind, int bits, uint64_t list, uint64_t ways, uint64_t i)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);
    const uint64_t random = kit_mix(list << 32 | i);
    const uint64_t place = list % ways; /* in the group */
    const uint64_t block = i / (kind == BLOCKS ? 16 : 128) * ways + place;

    switch (kind) {
    case EQUAL:
        return 7;
    case GREATEST: /* fillers are equal to it */
        return most;
    case TWO:
        return 100 + random % 2;
    case FEW: /* the greatest among them */
        return most - random % 10;
    case EXTREMES:
        return random % 3 == 0 ? 0 : random % 3 == 1 ? most : most / 2;
    case LISTS_ASCEND:
        return place * 4 + random % 4;
    case LISTS_DESCEND:
        return (ways - place) * 4 + random % 5;
    case ONE_ODD:
        return place == 1 ? random & most : 50;
    case SKEWED: /* each list in a part of the range half as long as the last one's */
        return (random & most) >> place % (unsigned)(bits - 2);
    case IDENTICAL:
        return i * 3 & most;
    case TURNS: /* a list has nine of ten keys where the others have few */
        return (random % 10 ? (place << (bits - 5)) + (random >> 8 & most >> 5)
                            : random >> 8) &
               most;
    case BLOCKS: /* keys of each list in turn; of 8 bits, the last value stays */
    case LONG_BLOCKS:
        return block < most ? block : most;
    case ENDS: /* next to 0 and to the greatest key, beyond which no pivot may go */
        return random % 2 ? random >> 8 & 3 : most - (random >> 8 & 3);
    case CUBES:
        return cube_of(bits, random);
    case SORTED:
        return bits == 8 ? i >> 7 & most : i & most;
    case REVERSED:
        return most - (bits == 8 ? i >> 7 & most : i & most);
    case FLOATS:
        return code_of_float(bits, place * 3000 + i % 3000);
    case NEAR_FLOATS: /* few of them, and more of some in some lists */
        return code_of_float(bits, 1) +
               (random % 3 ? list * 5 % ways % 5 : random >> 8) % 5;
    default:
        return random & most;
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

void *device_samples(struct fixture *f, const uint64_t *keys, uint64_t count, int bits)
{
    return put(f, keys, count, bits, TILE_SAMPLE);
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
