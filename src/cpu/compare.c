/*
 * compare.c - compare two rows of a request, by its fields or by the caller's function.
 */
#include "cpu/compare.h"

#include <string.h>

struct comparison comparison_of(const struct request *request)
{
    struct comparison c = {.order = &request->order, .elements = request->in.elements};

    for (uint32_t i = 0; i < c.order->field_count; i++) {
        const struct request_field *const field = &c.order->field[i];
        const struct request_column column = request_column(request, field->column);

        c.field[i].first = (const unsigned char *)column.in + field->offset;
        c.field[i].step = column.bytes;
    }
    return c;
}

/* A number of 1, 2, 4 or 8 bytes at any address. */
static uint64_t load(const unsigned char *at, uint32_t bytes)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, sizeof two);
        return two;
    case 4:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

/* Below 0, 0 or above 0, as rows `a` and `b` compare by field `number`. */
static int compare_field(const struct comparison *c, uint64_t a, uint64_t b,
                         uint32_t number)
{
    const struct request_field *const field = &c->order->field[number];
    const unsigned char *const x = c->field[number].first + a * c->field[number].step;
    const unsigned char *const y = c->field[number].first + b * c->field[number].step;

    if (field->is_string) {
        const int found = memcmp(x, y, field->bytes);

        return field->code.flip ? (found < 0) - (found > 0) : found;
    }

    const field_bits left = field_code_of(load(x, field->bytes), &field->code);
    const field_bits right = field_code_of(load(y, field->bytes), &field->code);

    return (left > right) - (left < right);
}

int comparison_less(const struct comparison *c, uint64_t a, uint64_t b, uint32_t from)
{
    const uint64_t bytes = c->order->element_bytes;

    if (c->order->field_count == 0)
        return c->order->less_on_host(c->elements + a * bytes, c->elements + b * bytes) !=
               0;
    for (uint32_t i = from; i < c->order->field_count; i++) {
        const int found = compare_field(c, a, b, i);

        if (found)
            return found < 0;
    }
    return 0;
}

/* The first 8 bytes of a string, or fewer, as a number; the first byte on top. */
static uint64_t string_code(const unsigned char *at, uint32_t bytes, uint64_t flip)
{
    uint64_t code = 0;

    for (uint32_t i = 0; i < 8 && i < bytes; i++)
        code |= (at[i] ^ (flip & 255)) << (56 - 8 * i);
    return code;
}

uint64_t comparison_code(const struct comparison *c, uint64_t row)
{
    uint64_t code = 0;
    unsigned used = 0;

    for (uint32_t i = 0; i < c->order->field_count && used < 64; i++) {
        const struct request_field *const field = &c->order->field[i];
        const unsigned char *const at = c->field[i].first + row * c->field[i].step;
        /* on top of 64 bits */
        const uint64_t next = field->is_string
                                  ? string_code(at, field->bytes, field->code.flip)
                                  : field_code_of(load(at, field->bytes), &field->code)
                                        << (64 - 8 * field->bytes);

        code |= next >> used;
        used += 8 * field->bytes;
    }
    return code;
}

uint32_t comparison_covered(const struct comparison *c, unsigned bits)
{
    uint32_t covered = 0;
    uint64_t used = 0;

    for (; covered < c->order->field_count; covered++) {
        used += UINT64_C(8) * c->order->field[covered].bytes;
        if (used > bits)
            break;
    }
    return covered;
}
