/*
 * tile_nans.c - engine tile and NaNs with the sign set, which it translates in its own
 * way (src/kernels/tile_code.cuh): hurriedly, and mended where a thread finds any.
 *
 * So they must turn up alone in every register of a thread, in pairs, in all of its
 * registers, in the first and the last key of a tile, among NaNs without the sign and
 * infinities; in tiles that are sorted in one pass and in tiles that are merged, whole
 * ones and short ones; and of these two floats no bit may differ from the reference,
 * which knows nothing of ranks.
 */
#include "kit.h"

#include "reference.h"
#include "tap.h"
#include "tile_rows.h"

#include <stdlib.h>

enum { MOST_KEYS = 1 << 17 };

struct bench {
    mw_context *context;
    char *keys;
    char *expected;
    struct item *items;
    mw_type type;
    const struct tile_geometry *tile;
};

/* The bits of -infinity; NaNs are behind it, of either sign. */
static uint64_t minus_infinity(mw_type type)
{
    return type == MW_F32 ? UINT64_C(0xff800000) : UINT64_C(0xfff0000000000000);
}

static uint64_t sign_of(mw_type type)
{
    return type == MW_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
}

/* The first, the last, or any other with the sign set. */
static uint64_t a_nan(mw_type type, uint64_t random)
{
    const uint64_t most = sign_of(type) | (sign_of(type) - 1);
    const uint64_t some = minus_infinity(type) + 1 + kit_mix(random) % 1000;

    return random % 3 == 0 ? minus_infinity(type) + 1 : random % 3 == 1 ? most : some;
}

static uint64_t no_nan(mw_type type, uint64_t i)
{
    return kit_mix(i) % (minus_infinity(type) & ~sign_of(type)) |
           (kit_mix(~i) & sign_of(type));
}

/* Numbers only: nothing to be mended. */
static uint64_t none(const struct bench *b, uint64_t i)
{
    return no_nan(b->type, i);
}

/* Of the keys that a thread begins with, `rows` apart, one: in thread t the t-th. */
static uint64_t single(const struct bench *b, uint64_t i)
{
    const uint64_t thread = i % b->tile->rows;
    const uint64_t number = i / b->tile->rows % b->tile->items;

    return number == thread % b->tile->items ? a_nan(b->type, i) : no_nan(b->type, i);
}

/* One in a whole tile, and in each tile in another register. */
static uint64_t lonely(const struct bench *b, uint64_t i)
{
    const uint64_t tile = (uint64_t)b->tile->rows * b->tile->items;
    const uint64_t at = i / tile * (b->tile->rows + 1) % tile;

    return i % tile == at ? a_nan(b->type, i) : no_nan(b->type, i);
}

/* Two, with one NaN of the other sign, and both infinities. */
static uint64_t mixed(const struct bench *b, uint64_t i)
{
    const uint64_t thread = i % b->tile->rows;
    const uint64_t number = i / b->tile->rows % b->tile->items;
    const uint64_t sign = sign_of(b->type);

    switch ((number + thread) % b->tile->items) {
    case 0:
        return a_nan(b->type, thread);
    case 1:
        return a_nan(b->type, number);
    case 2:
        return a_nan(b->type, i) & ~sign;
    case 3:
        return minus_infinity(b->type);
    case 4:
        return minus_infinity(b->type) & ~sign;
    default:
        return no_nan(b->type, i);
    }
}

/* Every other thread has nothing else. */
static uint64_t threads_full(const struct bench *b, uint64_t i)
{
    return i % b->tile->rows % 2 ? a_nan(b->type, i) : no_nan(b->type, i);
}

static uint64_t all(const struct bench *b, uint64_t i)
{
    return a_nan(b->type, i);
}

static const struct {
    const char *name;
    uint64_t (*key)(const struct bench *b, uint64_t i);
} kinds[] = {
    {"no NaN",               none        },
    {"one a thread",         single      },
    {"one a tile",           lonely      },
    {"with other NaNs",      mixed       },
    {"every other thread's", threads_full},
    {"NaNs only",            all         },
};

static int sorted(struct bench *b, size_t kind, mw_direction direction, uint64_t count)
{
    const size_t size = mw_type_size(b->type);
    mw_status status;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = kinds[kind].key(b, i);

        memcpy(b->keys + i * size, &bits, size); /* little-endian */
    }
    memcpy(b->expected, b->keys, count * size);
    reference_sort(b->type, direction, b->expected, count, b->items);
    status = mw_sort(b->context, b->type, direction, b->keys, count);
    if (status != MW_OK) {
        tap_note("%s: %s", mw_status_text(status), mw_error(b->context));
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (memcmp(b->keys + i * size, b->expected + i * size, size) != 0) {
            tap_note("%llu keys: key %llu differs", (unsigned long long)count,
                     (unsigned long long)i);
            return 0;
        }
    }
    return 1;
}

/* One tile and tiles to be merged, whole and short. */
static void test_kind(struct tap *tap, struct bench *b, size_t kind)
{
    static const char *const way[] = {"ascending", "descending"};
    const uint64_t tile = (uint64_t)b->tile->rows * b->tile->items;
    const uint64_t counts[] = {
        33, tile - b->tile->rows - 1, tile - 1, tile, tile + 1, 3 * tile, 5 * tile - 100};

    for (int d = 0; d < 2; d++) {
        int passed = 1;

        for (size_t i = 0; i < COUNT_OF(counts); i++)
            passed &= sorted(b, kind, (mw_direction)d, counts[i]);
        tap_case(tap, passed, "%s %s, %u x %u, %s", mw_type_name(b->type), way[d],
                 b->tile->rows, b->tile->items, kinds[kind].name);
    }
}

int main(void)
{
    static const mw_type types[] = {MW_F32, MW_F64};
    struct tap tap = {0, 0};
    struct bench b = {.keys = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .expected = malloc(MOST_KEYS * sizeof(uint64_t)),
                      .items = malloc(2 * MOST_KEYS * sizeof(struct item))};

    tap_ok(&tap, mw_open(&b.context, "sim", NULL) == MW_OK, "open", "");
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        b.type = types[t];
        for (int n = 0; (b.tile = tile_of_size(mw_type_size(b.type), n)); n++) {
            mw_tuning tuning = MW_TUNING_INIT;

            tuning.engine = MW_ENGINE_TILE;
            tuning.threads = b.tile->rows;
            tuning.items = b.tile->items;
            tap_case(&tap, mw_set_tuning(b.context, &tuning) == MW_OK, "tiles of %u x %u",
                     tuning.threads, tuning.items);
            for (size_t kind = 0; kind < COUNT_OF(kinds); kind++)
                test_kind(&tap, &b, kind);
        }
    }
    mw_close(b.context);
    free(b.items);
    free(b.expected);
    free(b.keys);
    return tap_end(&tap);
}
