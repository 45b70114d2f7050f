/*
 * field.c - how fields compare, written apart from the library: decoded values, one flag
 * after the other, no codes.
 */
#include "kit.h"

#include <math.h>

/* Floats in one direction. `a` and `b` are keys of that type. */
static int compare_floats(const mw_field *f, const void *a, const void *b)
{
    const double x = kit_float_value(f->type, a);
    const double y = kit_float_value(f->type, b);
    const int way = f->direction == MW_DESCENDING ? -1 : 1;

    if (isnan(x) != isnan(y))
        return (isnan(x) ? 1 : -1) * (f->flags & MW_NANS_LAST ? 1 : way);
    if (isnan(x) && f->flags & MW_NANS_EQUAL)
        return 0;
    if (!isnan(x) && x == 0 && y == 0 && f->flags & MW_ZEROS_EQUAL)
        return 0;
    return kit_compare(f->type, f->direction, a, b); /* by value, then by bits */
}

static int compare_integers(const mw_field *f, const void *a, const void *b)
{
    const uint64_t least = UINT64_C(1) << (8 * mw_type_size(f->type) - 1);
    const int x = kit_key_bits(f->type, a) == least;
    const int y = kit_key_bits(f->type, b) == least;

    if (f->flags & MW_LEAST_LAST && x != y)
        return x ? 1 : -1;
    return kit_compare(f->type, f->direction, a, b);
}

int kit_compare_field(const mw_field *f, const void *a, const void *b)
{
    const unsigned char *const x = (const unsigned char *)a + f->offset;
    const unsigned char *const y = (const unsigned char *)b + f->offset;
    uint64_t keys[2] = {0, 0};

    for (uint32_t i = 0; f->type == MW_BYTES && i < f->bytes; i++)
        if (x[i] != y[i])
            return (x[i] < y[i]) == (f->direction == MW_ASCENDING) ? -1 : 1;
    if (f->type == MW_BYTES)
        return 0;
    memcpy(&keys[0], x, mw_type_size(f->type));
    memcpy(&keys[1], y, mw_type_size(f->type));
    return f->type >= MW_F32 ? compare_floats(f, &keys[0], &keys[1])
                             : compare_integers(f, &keys[0], &keys[1]);
}

uint32_t kit_field_flags(mw_type type)
{
    const char name = type == MW_BYTES ? 'b' : *mw_type_name(type);

    return type == MW_BYTES || name == 'u' ? 0
           : name == 'i'                   ? MW_LEAST_LAST
                                           : MW_ZEROS_EQUAL | MW_NANS_EQUAL | MW_NANS_LAST;
}
