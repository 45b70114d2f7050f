/*
 * unit_shapes.c - every shape has its stated property, for every type.
 */
#include "kit.h"

#include "tap.h"

#include <math.h>
#include <stdlib.h>

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

static int wide_enough(const struct sample *s)
{
    return s->size > 2;
}

static struct kit_fingerprint print_of(const struct sample *s, const char *keys)
{
    struct kit_fingerprint print = {0, 0};

    kit_fingerprint_add(&print, s->type, keys, s->count);
    return print;
}

static int same_as_sorted(const struct sample *s)
{
    return kit_fingerprint_equal(print_of(s, s->keys), print_of(s, s->sorted));
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

/* Does no key come before the one `step` positions to its left? */
static int ascends_by(const struct sample *s, uint64_t step)
{
    for (uint64_t i = step; i < s->count; i++) {
        if (up(s, i - step, i) > 0)
            return 0;
    }
    return 1;
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
           (!wide_enough(s) || distinct(s) == (s->count < 64 ? s->count : 64));
}

static int is_reversed(const struct sample *s)
{
    return in_order(s, MW_DESCENDING) && same_as_sorted(s);
}

static int is_permutation(const struct sample *s)
{
    return same_as_sorted(s) && (s->count < 100 || !in_order(s, MW_ASCENDING));
}

static int is_random(const struct sample *s)
{
    double value = 0;
    int has_negative = 0;

    for (uint64_t i = 0; i < s->count; i++) {
        float narrow;

        if (s->type == MW_F32) {
            memcpy(&narrow, at(s, i), sizeof narrow);
            value = narrow;
        } else if (s->type == MW_F64) {
            memcpy(&value, at(s, i), sizeof value);
        } else {
            value = (at(s, i)[s->size - 1] & 0x80) ? -1 : 1;
        }
        if (!isfinite(value))
            return 0;
        has_negative |= value < 0;
    }
    return s->count < 100 ||
           (has_negative && !in_order(s, MW_ASCENDING) && distinct(s) == 64 && value != 0);
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
           (s->count < 100 || !wide_enough(s) || differences(s) > 10);
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
    return same_as_sorted(s) && (s->count < 100 || !in_order(s, MW_ASCENDING));
}

static int is_interleaved(const struct sample *s)
{
    return same_as_sorted(s) && ascends_by(s, 3) &&
           (s->count < 100 || !in_order(s, MW_ASCENDING));
}

static int holds(const struct sample *s, uint64_t bits)
{
    for (uint64_t i = 0; i < s->count; i++) {
        if (kit_key_bits(s->type, at(s, i)) == bits)
            return 1;
    }
    return 0;
}

static int is_extreme(const struct sample *s)
{
    const uint64_t top = UINT64_C(1) << (8 * s->size - 1);
    const uint64_t lowest[] = {top - 1, top, 0, top - 1 + top};
    const uint64_t lowest_f32[] = {0x7f7fffff, 0xff7fffff, 0, 0xbf800000};
    const uint64_t lowest_f64[] = {0x7fefffffffffffff, 0xffefffffffffffff, 0,
                                   0xbff0000000000000};
    const uint64_t *const wanted = s->type == MW_F32   ? lowest_f32
                                   : s->type == MW_F64 ? lowest_f64
                                                       : lowest;

    for (int i = 0; s->count >= 100 && i < 4; i++) {
        if (!holds(s, wanted[i]))
            return 0;
    }
    return 1;
}

static int is_special(const struct sample *s)
{
    /* NaNs of both signs, quiet, signalling and full; infinities; zeros; denormals */
    const uint32_t wanted[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff,
                               0xffffffff, 0x7f800000, 0xff800000, 0x80000000, 0,
                               0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff};

    if (s->type == MW_F64 && s->count >= 1000)
        return holds(s, 0x7ff8000000000000) && holds(s, 0xfff8000000000000) &&
               holds(s, 0xffffffffffffffff) && holds(s, 0x8000000000000000) &&
               holds(s, 0x7ff0000000000000) && holds(s, 0x0000000000000001);
    if (s->type != MW_F32)
        return is_extreme(s);
    for (size_t i = 0; s->count >= 1000 && i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!holds(s, wanted[i]))
            return 0;
    }
    return s->count < 1000 || distinct(s) > 32; /* payloads beyond the listed ones */
}

static const struct {
    const char *shape;
    int (*property)(const struct sample *s);
} shapes[] = {
    {"sorted",                is_sorted     },
    {"reversed",              is_reversed   },
    {"permutation",           is_permutation},
    {"random",                is_random     },
    {"equal",                 is_equal      },
    {"few:5",                 is_few        },
    {"swaps:10",              is_swapped    },
    {"swaps:0",               is_sorted     },
    {"sawtooth:7",            is_sawtooth   },
    {"organ",                 is_organ      },
    {"blocks:10",             is_blocks     },
    {"interleaved:3",         is_interleaved},
    {"conflict:3,32",         is_permutation},
    {"conflict:17,256,worst", is_permutation},
    {"extremes",              is_extreme    },
    {"specials",              is_special    },
};

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

                passed = passed && kit_fill(type, "sorted", 7, s.sorted, s.count) == MW_OK;
                passed = passed &&
                         kit_fill(type, shapes[row].shape, 7, s.keys, s.count) == MW_OK;
                passed = passed && shapes[row].property(&s) &&
                         pieces_agree(&s, shapes[row].shape, rooms[2]);
            }
            tap_ok(tap, passed, shapes[row].shape, mw_type_name(type));
        }
    }
}

/* A change here changes every input that was ever generated: raise the version. */
static void test_pinned(struct tap *tap, char *room)
{
    static const uint32_t random[] = {0x44f3c2c2, 0xd8195a21, 0xae0bc8eb, 0x3689ca30};
    uint32_t keys[4];
    uint64_t other[4];

    kit_fill(MW_U32, "random", 7, keys, 4);
    tap_ok(tap, memcmp(keys, random, sizeof keys) == 0, "random u32 of seed 7 as ever", "");
    kit_fill(MW_U64, "permutation", 7, room, 4);
    kit_fill(MW_U64, "permutation", 8, other, 4);
    tap_ok(tap, memcmp(room, other, sizeof other) != 0, "the seed matters", "");
}

int main(void)
{
    struct tap tap = {0, 0};
    char *rooms[3];

    for (int i = 0; i < 3; i++) {
        rooms[i] = malloc(MOST * sizeof(uint64_t));
        if (!rooms[i]) {
            printf("Bail out! no memory\n");
            return 1;
        }
    }
    test_shapes(&tap, rooms);
    test_pinned(&tap, rooms[0]);
    for (int i = 0; i < 3; i++)
        free(rooms[i]);
    return tap_end(&tap);
}
