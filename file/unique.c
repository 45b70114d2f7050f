/*
 * unique.c - drop sorted rows that equal their predecessor (MW_FILE_UNIQUE).
 */
#include "unique.h"

#include <string.h>

/* The fields of the bits of a float: of 2 (two kinds), 4 or 8 bytes. */
static uint64_t infinity_of(mw_type type)
{
    switch (type) {
    case MW_F16:
        return UINT64_C(0x7C00);
    case MW_BF16:
        return UINT64_C(0x7F80);
    case MW_F32:
        return UINT64_C(0x7F800000);
    default:
        return UINT64_C(0x7FF0000000000000);
    }
}

/* Are two floats equal by flags, though their bits differ? */
static int is_equal_float(const mw_field *field, uint64_t a, uint64_t b)
{
    const uint64_t sign = UINT64_C(1) << (8 * mw_type_size(field->type) - 1);
    const uint64_t infinity = infinity_of(field->type);
    const int both_zero = (a & ~sign) == 0 && (b & ~sign) == 0;
    const int both_nan = (a & ~sign) > infinity && (b & ~sign) > infinity;

    return (both_zero && field->flags & MW_ZEROS_EQUAL) ||
           (both_nan && field->flags & MW_NANS_EQUAL);
}

static int is_equal_field(const mw_field *field, const unsigned char *a,
                          const unsigned char *b)
{
    const size_t bytes = field->type == MW_BYTES ? field->bytes : mw_type_size(field->type);
    uint64_t x = 0, y = 0;

    if (memcmp(a + field->offset, b + field->offset, bytes) == 0)
        return 1;
    if (!(field->flags & (MW_ZEROS_EQUAL | MW_NANS_EQUAL)))
        return 0;
    memcpy(&x, a + field->offset, bytes);
    memcpy(&y, b + field->offset, bytes);
    return is_equal_float(field, x, y);
}

/* `b` does not precede `a`: they are equal if `a` does not precede `b`, either. */
static int is_equal(const mw_order *order, const unsigned char *a, const unsigned char *b)
{
    if (!order->field_count)
        return !order->less_on_host(a, b);
    for (uint32_t i = 0; i < order->field_count; i++) {
        if (!is_equal_field(&order->fields[i], a, b))
            return 0;
    }
    return 1;
}

uint64_t unique_rows(struct unique *unique, unsigned char *rows, uint64_t count)
{
    const uint32_t bytes = unique->order->element_bytes;
    const unsigned char *last = unique->has_last ? unique->last : NULL;
    unsigned char *to = rows;

    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *const row = rows + i * bytes;

        if (last && is_equal(unique->order, last, row))
            continue;
        if (to != row)
            memcpy(to, row, bytes);
        last = to;
        to += bytes;
    }
    if (to != rows) {
        memcpy(unique->last, last, bytes);
        unique->has_last = 1;
    }
    return (uint64_t)(to - rows) / bytes;
}
