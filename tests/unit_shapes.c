/*
 * unit_shapes.c - every shape has its stated property, for every type.
 */
#include "kit.h"

#include "tap.h"

#include <math.h>

enum { MOST = 70000 };

/* One input to judge: the keys, and the sorted ones of the same type and count. */
struct sample {
    mw_type type;
    size_t size;
    uint64_t count;
    char *keys;
    char *sorted;
};

static const char *at(const struct sample *s, uint64_t i)
{
    return s->keys + i * s->size;
}

static int up(const struct sample *s, uint64_t i, uint64_t j)
{
    return kit_compare(s->type, MW_ASCENDING, at(s, i), at(s, j));
}

static int same_as_sorted(const struct sample *s)
{
    struct kit_fingerprint keys = {0, 0};
    struct kit_fingerprint sorted = {0, 0};

    kit_fingerprint_add(&keys, s->type, s->keys, s->count);
    kit_fingerprint_add(&sorted, s->type, s->sorted, s->count);
    return kit_fingerprint_equal(keys, sorted);
}

static int in_order(const struct sample *s, mw_direction direction)
{
    return kit_first_disorder(s->type, direction, s->keys, s->count) == s->count;
}

static uint64_t differences(const struct sample *s)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < s->count; i++)
        count += memcmp(at(s, i), s->sorted + i * s->size, s->size) != 0;
    return count;
}

static uint64_t distinct(const struct sample *s)
{
    uint64_t seen[64];
    uint64_t count = 0;

    for (uint64_t i = 0; i < s->count && count < 64; i++) {
        const uint64_t bits = kit_key_bits(s->type, at(s, i));
        uint64_t j = 0;

        while (j < count && seen[j] != bits)
            j++;
        if (j == count)
            seen[count++] = bits;
    }
    return count;
}

static int is_sorted(const struct sample *s)
{
    return in_order(s, MW_ASCENDING) && differences(s) == 0 &&
           (s->size < 4 || distinct(s) == (s->count < 64 ? s->count : 64));
}

static int is_reversed(const struct sample *s)
{
    return in_order(s, MW_DESCENDING) && same_as_sorted(s);
}

static int is_permutation(const struct sample *s)
{
    return same_as_sorted(s) && (s->count < 100 || !in_order(s, MW_ASCENDING));
}

/* Floats are finite: each lies between the infinities. */
static int is_random(const struct sample *s)
{
    for (uint64_t i = 0; s->type >= MW_F32 && i < s->count; i++) {
        if (!isfinite(kit_float_value(s->type, at(s, i))))
            return 0;
    }
    return s->count < 100 || (!in_order(s, MW_ASCENDING) && distinct(s) == 64);
}

static int is_equal(const struct sample *s)
{
    return s->count == 0 || distinct(s) == 1;
}

static int is_few(const struct sample *s)
{
    return distinct(s) <= 5 && (s->count < 100 || distinct(s) == 5);
}

static int is_swapped(const struct sample *s)
{
    return same_as_sorted(s) && differences(s) <= 20 &&
           (s->count < 100 || s->size < 4 || differences(s) > 10);
}

static int is_sawtooth(const struct sample *s)
{
    for (uint64_t i = 1; i < s->count; i++) {
        if (i >= 7 && up(s, i - 7, i) != 0)
            return 0;
        if (up(s, i - 1, i) != (i % 7 ? -1 : 1))
            return 0;
    }
    return 1;
}

static int is_organ(const struct sample *s)
{
    for (uint64_t i = 0; i < s->count / 2; i++) {
        if (up(s, i, s->count - 1 - i) != 0 || (i > 0 && up(s, i - 1, i) > 0))
            return 0;
    }
    return s->count < 3 || up(s, 0, s->count / 2) < 0;
}

static int is_blocks(const struct sample *s)
{
    for (uint64_t i = 1; i < s->count; i++) {
        if (i % 10 && up(s, i - 1, i) > 0)
            return 0;
    }
    return is_permutation(s);
}

static int is_interleaved(const struct sample *s)
{
    for (uint64_t i = 3; i < s->count; i++) {
        if (up(s, i - 3, i) > 0)
            return 0;
    }
    return is_permutation(s);
}

/* Is each of these bits a key, where there are many keys? */
static int holds(const struct sample *s, const uint64_t *wanted, size_t count)
{
    size_t found = 0;

    for (size_t w = 0; w < count; w++) {
        for (uint64_t i = 0; i < s->count; i++) {
            if (kit_key_bits(s->type, at(s, i)) == wanted[w]) {
                found++;
                break;
            }
        }
    }
    return s->count < 1000 || found == count;
}

static int is_extreme(const struct sample *s)
{
    const uint64_t top = UINT64_C(1) << (8 * s->size - 1);
    const uint64_t wanted[][4] = {
        {top - 1,            top,                0, top - 1 + top     },
        {0x7f7fffff,         0xff7fffff,         0, 0xbf800000        },
        {0x7fefffffffffffff, 0xffefffffffffffff, 0, 0xbff0000000000000},
        {0x7bff,             0xfbff,             0, 0xbc00            },
        {0x7f7f,             0xff7f,             0, 0xbf80            }
    };

    return holds(s, wanted[s->type < MW_F32 ? 0 : s->type - MW_F32 + 1], 4);
}

static int is_special(const struct sample *s)
{
    /* NaNs of both signs, quiet, signalling and full; infinities; zeros; denormals */
    static const uint64_t narrow[] = {
        0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7f800000,
        0xff800000, 0x80000000, 0,          0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff};
    static const uint64_t wide[] = {0x7ff8000000000000, 0xfff8000000000000,
                                    0xffffffffffffffff, 0x8000000000000000,
                                    0x7ff0000000000000, 0x0000000000000001};
    static const uint64_t half[] = {0x7e00, 0xfc01, 0xffff, 0x8000, 0x7c00, 0x0001};
    static const uint64_t brain[] = {0x7fc0, 0xff81, 0xffff, 0x8000, 0x7f80, 0x0001};

    if (s->type < MW_F32)
        return is_extreme(s);
    return (s->type == MW_F32   ? holds(s, narrow, COUNT_OF(narrow))
            : s->type == MW_F64 ? holds(s, wide, COUNT_OF(wide))
            : s->type == MW_F16 ? holds(s, half, COUNT_OF(half))
                                : holds(s, brain, COUNT_OF(brain))) &&
           (s->count < 1000 || distinct(s) > 32); /* payloads beyond the listed ones */
}

/* clang-format off */
static const struct {
    const char *shape;
    int (*property)(const struct sample *s);
} shapes[] = {
    {"sorted", is_sorted}, {"reversed", is_reversed}, {"permutation", is_permutation},
    {"random", is_random}, {"equal", is_equal}, {"few:5", is_few}, {"swaps:10", is_swapped},
    {"swaps:0", is_sorted}, {"sawtooth:7", is_sawtooth}, {"organ", is_organ},
    {"blocks:10", is_blocks}, {"interleaved:3", is_interleaved},
    {"conflict:3,32", is_permutation}, {"conflict:17,256,worst", is_permutation},
    {"extremes", is_extreme}, {"specials", is_special},
};
/* clang-format on */

/* The same input, filled in pieces of awkward size. */
static int pieces_agree(const struct sample *s, const char *shape, char *room)
{
    struct kit_shape parsed;
    struct kit_input input;
    int agree;

    kit_shape_parse(shape, &parsed);
    if (kit_input_open(&input, s->type, s->count, parsed, 7) != MW_OK)
        return 0;
    for (uint64_t i = 0; i < s->count; i += 997) {
        const uint64_t rest = s->count - i;

        kit_input_fill(&input, i, rest < 997 ? rest : 997, room + i * s->size);
    }
    agree = memcmp(room, s->keys, s->count * s->size) == 0;
    kit_input_close(&input);
    return agree;
}

static void test_shapes(struct tap *tap, char *rooms[3])
{
    static const uint64_t counts[] = {0, 1, 2, 3, 101, 1000, MOST};

    for (size_t row = 0; row < sizeof shapes / sizeof shapes[0]; row++) {
        for (int t = 0; t < MW_TYPE_COUNT; t++) {
            const mw_type type = (mw_type)t;
            int passed = 1;

            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                const struct sample s = {type, mw_type_size(type), counts[c], rooms[0],
                                         rooms[1]};

                passed &= kit_fill(type, "sorted", 7, s.sorted, s.count) == MW_OK &&
                          kit_fill(type, shapes[row].shape, 7, s.keys, s.count) == MW_OK &&
                          shapes[row].property(&s) &&
                          pieces_agree(&s, shapes[row].shape, rooms[2]);
            }
            tap_ok(tap, passed, shapes[row].shape, mw_type_name(type));
        }
    }
}

int main(void)
{
    static uint64_t rooms[3][MOST];
    struct tap tap = {0, 0};

    test_shapes(&tap, (char *[]){(char *)rooms[0], (char *)rooms[1], (char *)rooms[2]});
    return tap_end(&tap);
}
