/*
 * reference.h - a sort to compare with: radix, stable, NaNs apart. It shares
 * nothing with the library, not even the definition of the order.
 */
#ifndef MW_TESTS_REFERENCE_H
#define MW_TESTS_REFERENCE_H

#include "kit.h"

struct item {
    uint64_t value; /* sorts like the key among numbers, or among NaNs */
    uint64_t digit; /* the last one: 1 for NaNs */
    uint64_t bits;
};

static inline struct item item_of(mw_type type, const void *key)
{
    const uint64_t bits = kit_key_bits(type, key);
    const uint64_t sign = UINT64_C(1) << (8 * mw_type_size(type) - 1);
    static const uint64_t infinities[MW_TYPE_COUNT] = {[MW_F32] = 0x7f800000,
                                                       [MW_F64] = 0x7ff0000000000000,
                                                       [MW_F16] = 0x7c00,
                                                       [MW_BF16] = 0x7f80};
    const uint64_t infinity = infinities[type];
    const int is_signed =
        type == MW_I8 || type == MW_I16 || type == MW_I32 || type == MW_I64;
    struct item item = {bits, 0, bits};

    if (infinity && (bits & ~sign) > infinity)
        item.digit = 1;
    else if (infinity)
        item.value = bits & sign ? sign - 1 - (bits & ~sign) : bits | sign;
    else if (is_signed)
        item.value = bits ^ sign;
    return item;
}

/* One stable pass by byte `byte` of the value, or, beyond the last, by the digit. */
static inline void radix_pass(struct item *to, const struct item *from, uint64_t count,
                              unsigned byte)
{
    uint64_t starts[257] = {0};

    for (int write = 0; write < 2; write++) {
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t digit =
                byte < 8 ? from[i].value >> (8 * byte) & 255 : from[i].digit;

            if (write)
                to[starts[digit]++] = from[i];
            else
                starts[digit + 1]++;
        }
        for (int i = 0; !write && i < 256; i++)
            starts[i + 1] += starts[i];
    }
}

/* Sort `keys` in place; `items` has room for twice as many. */
static inline void reference_sort(mw_type type, mw_direction direction, char *keys,
                                  uint64_t count, struct item *items)
{
    const size_t size = mw_type_size(type);
    struct item *here = items;
    struct item *there = items + count;

    for (uint64_t i = 0; i < count; i++)
        here[i] = item_of(type, keys + i * size);
    for (unsigned byte = 0; byte <= 8; byte++) {
        struct item *const sorted = there;

        if (byte >= size && byte < 8)
            continue;
        radix_pass(there, here, count, byte);
        there = here;
        here = sorted;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = direction == MW_DESCENDING ? count - 1 - i : i;

        memcpy(keys + at * size, &here[i].bits, size); /* little-endian */
    }
}

#endif
