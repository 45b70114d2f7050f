/*
 * compare.c - compare two rows of a request, by its fields or by the caller's function.
 */
#include "cpu/compare.h"

#include <string.h>

#include "cpu/inlined.h"

struct comparison comparison_of(const struct request *request, uint64_t first)
{
    const uint64_t skipped = first * request->order.element_bytes;
    struct comparison c;

    c.order = &request->order;
    c.elements = (const unsigned char *)request->in.elements + skipped;
    c.map = NULL;
    c.map_bytes = 0;
    for (uint32_t i = 0; i < c.order->field_count; i++) {
        const struct request_field *const field = &c.order->field[i];
        const struct request_column column = request_column(request, field->column);

        c.field[i].first =
            (const unsigned char *)column.in + first * column.bytes + field->offset;
        c.field[i].step = column.bytes;
    }
    return c;
}

void comparison_of_list(const struct request *request, const mw_table *list,
                        struct comparison *c)
{
    c->order = &request->order;
    c->elements = list->elements;
    c->map = NULL;
    c->map_bytes = 0;
    for (uint32_t i = 0; i < c->order->field_count; i++) {
        const struct request_field *const field = &c->order->field[i];
        const unsigned char *at = list->elements;
        uint32_t step = c->order->element_bytes;

        if (field->column) {
            const char *const all = (const char *)list->columns;
            mw_column column;

            memcpy(&column, all + (size_t)(field->column - 1) * request->column_size,
                   sizeof column);
            at = column.data;
            step = column.bytes;
        }
        c->field[i].first = at + field->offset;
        c->field[i].step = step;
    }
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

/* Below 0, 0 or above 0, as the fields `number` at `x` and at `y` compare. */
static int compare_field(const struct request_field *field, const unsigned char *x,
                         const unsigned char *y)
{
    if (field->is_string) {
        const int found = memcmp(x, y, field->bytes);

        return field->code.flip ? (found < 0) - (found > 0) : found;
    }

    const field_bits left = field_code_of(load(x, field->bytes), &field->code);
    const field_bits right = field_code_of(load(y, field->bytes), &field->code);

    return (left > right) - (left < right);
}

static inline int less_between(const struct comparison *c, uint64_t a,
                               const struct comparison *d, uint64_t b, uint32_t from)
{
    const struct request_order *const order = c->order;
    const uint64_t bytes = order->element_bytes;

    if (order->field_count == 0)
        return order->less_on_host(c->elements + a * bytes, d->elements + b * bytes) != 0;
    for (uint32_t i = from; i < order->field_count; i++) {
        const int found =
            compare_field(&order->field[i], c->field[i].first + a * c->field[i].step,
                          d->field[i].first + b * d->field[i].step);

        if (found)
            return found < 0;
    }
    return 0;
}

int comparison_between(const struct comparison *c, uint64_t a, const struct comparison *d,
                       uint64_t b, uint32_t from)
{
    return less_between(c, a, d, b, from);
}

int comparison_less(const struct comparison *c, uint64_t a, uint64_t b, uint32_t from)
{
    if (c->map) {
        a = number_at(c->map, c->map_bytes, a);
        b = number_at(c->map, c->map_bytes, b);
    }
    return less_between(c, a, c, b, from);
}

/* Eight bytes as a number, the first on top: compilers make one load of it. */
static inline uint64_t load_string(const unsigned char *at)
{
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 |
           (uint64_t)at[3] << 32 | (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 |
           (uint64_t)at[6] << 8 | (uint64_t)at[7];
}

/* The first 8 bytes of a string, or fewer, as a number; `flip` is 0 or all ones. */
static uint64_t string_code(const unsigned char *at, uint32_t bytes, uint64_t flip)
{
    uint64_t code = 0;

    if (bytes >= 8)
        return load_string(at) ^ flip;
    for (uint32_t i = 0; i < bytes; i++)
        code |= (at[i] ^ (flip & 255)) << (56 - 8 * i);
    return code;
}

/* The codes of rows whose first field is a string of at least 8 bytes. */
static void string_codes(const struct comparison *c, uint64_t first, uint32_t count,
                         uint64_t *codes)
{
    const uint64_t flip = c->order->field[0].code.flip;
    const uint64_t step = c->field[0].step;
    const unsigned char *const at = c->field[0].first + first * step;

    for (uint32_t i = 0; i < count; i++)
        codes[i] = load_string(at + i * step) ^ flip;
}

uint64_t comparison_code(const struct comparison *c, uint64_t row)
{
    uint64_t code = 0;
    unsigned used = 0;

    if (c->map)
        row = number_at(c->map, c->map_bytes, row);
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

uint64_t comparison_number(const struct request_field *field, const unsigned char *at)
{
    return field_code_of(load(at, field->bytes), &field->code) << (64 - 8 * field->bytes);
}

/*
 * The codes of one number in each row; `bytes` and `plain`, of numbers that are only
 * flipped, are constants.
 */
INLINED void number_codes(const struct comparison *c, uint64_t first, uint32_t count,
                          uint32_t bytes, int plain, uint64_t *codes)
{
    const struct field_code code = c->order->field[0].code;
    const uint64_t step = c->field[0].step;
    const unsigned char *const at = c->field[0].first + first * step;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bits = load(at + i * step, bytes);

        codes[i] = (plain ? bits ^ code.flip : field_code_of(bits, &code))
                   << (64 - 8 * bytes);
    }
}

/* Is a field's code the field, but for flipped bits? */
static int is_plain(const struct field_code *code)
{
    return !code->lowest && !code->rotate && !code->zero && !code->low &&
           code->high == code->mask;
}

INLINED void codes_of_bytes(const struct comparison *c, uint64_t first, uint32_t count,
                            uint32_t bytes, uint64_t *codes)
{
    if (is_plain(&c->order->field[0].code))
        number_codes(c, first, count, bytes, 1, codes);
    else
        number_codes(c, first, count, bytes, 0, codes);
}

void comparison_codes(const struct comparison *c, uint64_t first, uint32_t count,
                      uint64_t *codes)
{
    const int is_number =
        c->order->field_count == 1 && !c->order->field[0].is_string && !c->map;

    if (c->order->field_count && c->order->field[0].is_string &&
        c->order->field[0].bytes >= 8 && !c->map) {
        string_codes(c, first, count, codes);
        return;
    }
    switch (is_number ? c->order->field[0].bytes : 0) {
    case 1:
        codes_of_bytes(c, first, count, 1, codes);
        break;
    case 2:
        codes_of_bytes(c, first, count, 2, codes);
        break;
    case 4:
        codes_of_bytes(c, first, count, 4, codes);
        break;
    case 8:
        codes_of_bytes(c, first, count, 8, codes);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            codes[i] = comparison_code(c, first + i);
    }
}

int comparison_is_plain(const struct comparison *c, uint32_t bytes)
{
    const struct request_field *const field = &c->order->field[0];

    return c->order->field_count == 1 && field->bytes == bytes && !field->is_string &&
           !c->map && is_plain(&field->code);
}

void comparison_range(const struct comparison *c, uint64_t first, uint64_t last,
                      uint64_t *least, uint64_t *most)
{
    enum { BLOCK = 256 };
    uint64_t codes[BLOCK];

    *least = UINT64_MAX;
    *most = 0;
    for (uint64_t at = first; at < last; at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;

        comparison_codes(c, at, count, codes);
        for (uint32_t i = 0; i < count; i++) {
            *least = codes[i] < *least ? codes[i] : *least;
            *most = codes[i] > *most ? codes[i] : *most;
        }
    }
}

uint64_t comparison_bits(const struct comparison *c)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < c->order->field_count; i++)
        bits += UINT64_C(8) * c->order->field[i].bytes;
    return bits;
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
