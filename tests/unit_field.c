/*
 * unit_field.c - the code of a field orders values as the oracle does, for every type,
 * direction and flag: all values of 1 and 2 bytes, special and random ones beyond.
 */
#include "kit.h"
#include "request.h"

#include "tap.h"

#include <stdlib.h>

enum { VALUES = 1 << 16 };

static const mw_field *sorting; /* qsort passes nothing on */

static int compare(const void *a, const void *b)
{
    return kit_compare_field(sorting, a, b);
}

/* All values of a narrow type; of a wide one as many, special, few and random. */
static size_t fill(mw_type type, char *values)
{
    static const char *const shapes[] = {"specials", "extremes", "random", "few:100"};
    const size_t size = mw_type_size(type);
    const size_t count = size == 1 ? 256 : VALUES;

    for (size_t i = 0; size <= 2 && i < count; i++)
        memcpy(values + i * size, &i, size); /* little-endian */
    for (size_t i = 0; size > 2 && i < COUNT_OF(shapes); i++)
        kit_fill(type, shapes[i], i, values + i * (count / 4) * size, count / 4);
    return count;
}

/* Neighbours in the oracle's order have codes that rise, or stay where they are equal. */
static int agree(const mw_field *field, const struct field_code *code)
{
    static uint64_t room[VALUES];
    const size_t size = mw_type_size(field->type);
    char *const values = (char *)room;
    const size_t count = fill(field->type, values);

    sorting = field;
    qsort(values, count, size, compare);
    for (size_t i = 1; i < count; i++) {
        const char *const b = values + i * size;
        const field_bits x = field_code_of(kit_key_bits(field->type, b - size), code);
        const field_bits y = field_code_of(kit_key_bits(field->type, b), code);

        if (x > y || (x == y) != (kit_compare_field(field, b - size, b) == 0)) {
            tap_note("codes %llx and %llx after %zu", x, y, i);
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    struct tap tap = {0, 0};

    for (int i = 0; i < MW_TYPE_COUNT * 2 * 16; i++) {
        const mw_field field = {.type = (mw_type)(i / 32),
                                .direction = (mw_direction)(i / 16 % 2),
                                .flags = (uint32_t)i % 16};
        const mw_order order = {.size = sizeof order,
                                .element_bytes = (uint32_t)mw_type_size(field.type),
                                .field_size = sizeof field,
                                .fields = &field,
                                .field_count = 1};
        const int right = !(field.flags & ~kit_field_flags(field.type));
        struct error error = {""};
        struct request request;
        const mw_status status = order_read(&order, 0, &request, &error);

        tap_case(&tap,
                 right ? status == MW_OK && agree(&field, &request.order.field[0].code)
                       : status == MW_BAD_ARGUMENT && strstr(error.text, "flags"),
                 "%s %s, flags %x%s", mw_type_name(field.type),
                 field.direction ? "descending" : "ascending", field.flags,
                 right ? "" : " are refused");
    }
    return tap_end(&tap);
}
