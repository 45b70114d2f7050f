/*
 * check.c - is it sorted, and are they the same keys? The documented order, written
 * with the machine's own comparisons, and a fingerprint.
 */
#include "kit.h"

#include <math.h>

/* Numbers by value; -0 and +0 are told apart by compare_floats. */
#define COMPARE(number)           \
    do {                          \
        number x, y;              \
                                  \
        memcpy(&x, a, sizeof x);  \
        memcpy(&y, b, sizeof y);  \
        return (x > y) - (x < y); \
    } while (0)

static int compare_bits(mw_type type, const void *a, const void *b)
{
    const uint64_t x = kit_key_bits(type, a);
    const uint64_t y = kit_key_bits(type, b);

    return (x > y) - (x < y);
}

/* Sign, exponent and fraction of a binary16 as a number. */
static double half_value(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023);
    const double size = exponent == 31  ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);

    return copysign(size, bits >> 15 ? -1.0 : 1.0);
}

double kit_float_value(mw_type type, const void *key)
{
    uint64_t bits = kit_key_bits(type, key);
    float narrow;
    double wide;

    if (type == MW_F64) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (type == MW_F16)
        return half_value(bits);
    if (type == MW_BF16)
        bits <<= 16; /* the upper half of a float */
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

static int compare_floats(mw_type type, const void *a, const void *b)
{
    const double x = kit_float_value(type, a);
    const double y = kit_float_value(type, b);

    if (isnan(x) && isnan(y))
        return compare_bits(type, a, b);
    if (isnan(x) || isnan(y))
        return isnan(x) ? 1 : -1;
    if (x == 0 && y == 0)
        return (signbit(y) != 0) - (signbit(x) != 0);
    return (x > y) - (x < y);
}

static int compare(mw_type type, const void *a, const void *b)
{
    switch (type) {
    case MW_I8:
        COMPARE(int8_t);
    case MW_I16:
        COMPARE(int16_t);
    case MW_I32:
        COMPARE(int32_t);
    case MW_I64:
        COMPARE(int64_t);
    case MW_F32:
    case MW_F64:
    case MW_F16:
    case MW_BF16:
        return compare_floats(type, a, b);
    default:
        return compare_bits(type, a, b);
    }
}

int kit_compare(mw_type type, mw_direction direction, const void *a, const void *b)
{
    return direction == MW_DESCENDING ? compare(type, b, a) : compare(type, a, b);
}

uint64_t kit_first_disorder(mw_type type, mw_direction direction, const void *keys,
                            uint64_t count)
{
    const size_t size = mw_type_size(type);
    const char *left = keys;

    for (uint64_t i = 1; i < count; i++, left += size) {
        if (kit_compare(type, direction, left, left + size) > 0)
            return i;
    }
    return count;
}

uint64_t kit_mix(uint64_t bits)
{
    bits ^= bits >> 32;
    bits *= UINT64_C(0x9e3779b97f4a7c15); /* digits of the golden ratio, odd */
    bits ^= bits >> 29;
    bits *= UINT64_C(0x243f6a8885a308d3); /* digits of pi */
    return bits ^ bits >> 32;
}

void kit_fingerprint_add(struct kit_fingerprint *print, mw_type type, const void *keys,
                         uint64_t count)
{
    const size_t size = mw_type_size(type);
    const char *key = keys;
    uint64_t sum = 0;

    /* kit_mix(0) is 0: without the offset, zeros would not count. */
    for (uint64_t i = 0; i < count; i++, key += size)
        sum += kit_mix(kit_key_bits(type, key) + UINT64_C(0x6a09e667f3bcc908));
    print->sum += sum;
    print->count += count;
}

void kit_fingerprint_add_rows(struct kit_fingerprint *print, uint32_t row_bytes,
                              const void *rows, uint64_t count)
{
    const char *row = rows;

    for (uint64_t i = 0; i < count; i++, row += row_bytes) {
        uint64_t mixed = 0;

        for (uint32_t at = 0; at < row_bytes; at += 8) {
            uint64_t bits = 0;

            memcpy(&bits, row + at, row_bytes - at < 8 ? row_bytes - at : 8);
            mixed = kit_mix(mixed + bits + UINT64_C(0x6a09e667f3bcc908));
        }
        print->sum += mixed;
    }
    print->count += count;
}

int kit_fingerprint_equal(struct kit_fingerprint a, struct kit_fingerprint b)
{
    return a.count == b.count && a.sum == b.sum;
}
