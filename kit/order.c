/*
 * order.c - the documented order, written with the machine's own comparisons.
 */
#include "kit.h"

#include <math.h>
#include <string.h>

static int three_way(int before, int after)
{
    return after - before;
}

static int64_t signed_at(mw_type type, const void *key)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;

    switch (type) {
    case MW_I8:
        memcpy(&i8, key, sizeof i8);
        return i8;
    case MW_I16:
        memcpy(&i16, key, sizeof i16);
        return i16;
    case MW_I32:
        memcpy(&i32, key, sizeof i32);
        return i32;
    default:
        memcpy(&i64, key, sizeof i64);
        return i64;
    }
}

static int compare_signed(mw_type type, const void *a, const void *b)
{
    const int64_t x = signed_at(type, a);
    const int64_t y = signed_at(type, b);

    return three_way(x<y, x> y);
}

static int compare_bits(mw_type type, const void *a, const void *b)
{
    const uint64_t x = kit_key_bits(type, a);
    const uint64_t y = kit_key_bits(type, b);

    return three_way(x<y, x> y);
}

/* A double holds every float, so one comparison serves both. */
static double real_at(mw_type type, const void *key)
{
    float f32;
    double f64;

    if (type == MW_F32) {
        memcpy(&f32, key, sizeof f32);
        return f32;
    }
    memcpy(&f64, key, sizeof f64);
    return f64;
}

static int compare_reals(mw_type type, const void *a, const void *b)
{
    const double x = real_at(type, a);
    const double y = real_at(type, b);

    if (isnan(x) && isnan(y))
        return compare_bits(type, a, b);
    if (isnan(x) || isnan(y))
        return three_way(!isnan(x), !isnan(y));
    if (x == 0 && y == 0)
        return three_way(signbit(x) && !signbit(y), !signbit(x) && signbit(y));
    return three_way(x<y, x> y);
}

static int compare(mw_type type, const void *a, const void *b)
{
    switch (type) {
    case MW_I8:
    case MW_I16:
    case MW_I32:
    case MW_I64:
        return compare_signed(type, a, b);
    case MW_F32:
    case MW_F64:
        return compare_reals(type, a, b);
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
