/*
 * anything_case.c - random jobs for anything.c, and their stable order.
 */
#include "anything.h"

#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

MW_RECORD(pair, {
    uint32_t x;
    float y;
});
MW_RECORD(wide, {
    uint16_t x;
    uint8_t name[7];
    double y;
});
MW_RECORD(byte, { uint8_t x; });

MW_ORDER(by_x, pair, a->x < b->x);
MW_ORDER(by_low_bits, pair,
         (a->x & 7) > (b->x & 7) ||
             ((a->x & 7) == (b->x & 7) && (a->x >> 30) < (b->x >> 30)));
MW_ORDER(by_name, wide, memcmp(a->name, b->name, sizeof a->name) < 0);
MW_ORDER(by_high_bits, byte, a->x >> 4 < b->x >> 4);
MW_ORDER(not_after, pair, a->x <= b->x);
MW_ORDER(always, wide, 1);
MW_ORDER(never, pair, 0);
MW_ORDER(at_random, pair, ((a->x * 2654435769u ^ b->x * 2246822519u) >> 13) % 2 == 0);
MW_ORDER(nan_blind, pair, a->y < b->y);
MW_ORDER(in_circles, byte, (a->x % 3 + 1) % 3 == b->x % 3);

static const struct {
    const char *name;
    const mw_order *order;
    int is_order;
} own_orders[] = {
    {"by_x",         &by_x,         1},
    {"by_low_bits",  &by_low_bits,  1},
    {"by_name",      &by_name,      1},
    {"by_high_bits", &by_high_bits, 1},
    {"not_after",    &not_after,    0},
    {"always",       &always,       0},
    {"never",        &never,        1},
    {"at_random",    &at_random,    0},
    {"nan_blind",    &nan_blind,    0},
    {"in_circles",   &in_circles,   0},
};

uint64_t roll(struct case_of_rows *c, uint64_t sides)
{
    c->seed = kit_mix(c->seed + UINT64_C(0x9e3779b97f4a7c15));
    return (c->seed >> 20) % sides;
}

/* ---- Arrays between guards ---------------------------------------------------------- */

uint64_t array_room(const struct array *array)
{
    return GUARD + array->shift + array->bytes + GUARD;
}

int array_make(struct array *array, uint64_t bytes, uint32_t shift)
{
    *array = (struct array){.bytes = bytes, .shift = shift};
    array->room = aligned_alloc(GUARD, (size_t)((array_room(array) / GUARD + 1) * GUARD));
    if (array->room)
        memset(array->room, GUARD_BYTE, (size_t)array_room(array));
    return array->room != NULL;
}

int array_guarded(const struct array *array)
{
    const unsigned char *const after = array_at(array) + array->bytes;
    int right = 1;

    for (uint32_t i = 0; i < GUARD + array->shift; i++)
        right &= array->room[i] == GUARD_BYTE;
    for (uint32_t i = 0; i < GUARD; i++)
        right &= after[i] == GUARD_BYTE;
    return right;
}

/* ---- Orders ---------------------------------------------------------------------------
 */

static uint32_t random_bytes(struct case_of_rows *c)
{
    static const uint32_t rare[] = {64, 100, 255, 256, 1000, 4095, 4096};

    return roll(c, 25) ? 1 + (uint32_t)roll(c, 40) : rare[roll(c, COUNT_OF(rare))];
}

/* A field that fits into a column of `bytes`. */
static mw_field random_field(struct case_of_rows *c, uint32_t column, uint32_t bytes)
{
    mw_field f = {.column = column, .type = (mw_type)roll(c, MW_TYPE_COUNT)};

    if (mw_type_size(f.type) > bytes || roll(c, 4) == 0) {
        const uint32_t most = bytes < 24 ? bytes : 24;

        f.type = MW_BYTES;
        f.bytes = 1 + (uint32_t)roll(c, most);
    }
    f.offset = (uint32_t)roll(c, bytes - (f.bytes ? f.bytes : mw_type_size(f.type)) + 1);
    f.direction = (mw_direction)roll(c, 2);
    f.flags = (uint32_t)roll(c, 16) & kit_field_flags(f.type);
    return f;
}

/* A built-in type; fields of elements and columns; an order of one's own. */
static void make_order(struct case_of_rows *c)
{
    const uint64_t kind = roll(c, 8);

    c->order = (mw_order)MW_ORDER_INIT;
    c->order.fields = c->fields;
    c->is_order = 1;
    if (kind == 0) {
        const uint64_t row = roll(c, COUNT_OF(own_orders));

        c->order = *own_orders[row].order;
        c->own = own_orders[row].name;
        c->is_order = own_orders[row].is_order;
        c->bytes[0] = c->order.element_bytes;
    } else if (kind <= 3) {
        c->order.field_count = 1;
        c->fields[0] = (mw_field){.type = (mw_type)roll(c, MW_TYPE_COUNT)};
        c->fields[0].direction = (mw_direction)roll(c, 2);
        c->fields[0].flags = (uint32_t)roll(c, 16) & kit_field_flags(c->fields[0].type);
        c->bytes[0] = (uint32_t)mw_type_size(c->fields[0].type);
    } else {
        c->order.field_count = 1 + (uint32_t)roll(c, roll(c, 3) ? 3 : 16);
        for (uint32_t i = 0; i < c->order.field_count; i++) {
            const uint32_t column = roll(c, 2) ? 0 : (uint32_t)roll(c, c->columns);

            c->fields[i] = random_field(c, column, c->bytes[column]);
        }
    }
    c->order.element_bytes = c->bytes[0];
    c->is_bare = c->order.field_count == 1 && c->fields[0].type != MW_BYTES &&
                 c->fields[0].column == 0 && mw_type_size(c->fields[0].type) == c->bytes[0];
}

/* ---- Data ------------------------------------------------------------------------------
 */

/* Numbers of fields get values of their type: special ones, few or any. */
static void fill_fields(struct case_of_rows *c, uint64_t *keys)
{
    static const char *const shapes[] = {"specials", "few:3", "random", "extremes",
                                         "sorted"};

    for (uint32_t i = 0; i < c->order.field_count; i++) {
        const mw_field *const f = &c->fields[i];
        const size_t size = mw_type_size(f->type);

        if (f->type == MW_BYTES || !roll(c, 3))
            continue;
        kit_fill(f->type, shapes[roll(c, COUNT_OF(shapes))], roll(c, 1000), keys, c->count);
        for (uint64_t row = 0; row < c->count; row++)
            memcpy(value_at(c, f->column, row) + f->offset, (char *)keys + row * size,
                   size);
    }
}

/* Bytes at random, of few kinds, or rows that are copies of few. */
static void fill_column(struct case_of_rows *c, uint32_t column)
{
    static const unsigned char few[] = {0, 1, 127, 128, 255};
    const uint64_t kinds = roll(c, 3) ? UINT64_MAX : 1 + roll(c, 5);
    const int is_few = roll(c, 3) == 0;

    for (uint64_t row = 0; row < c->count; row++) {
        unsigned char *const at = value_at(c, column, row);

        for (uint32_t i = 0; i < c->bytes[column]; i++)
            at[i] = is_few ? few[roll(c, 5)] : (unsigned char)roll(c, 256);
        if (row >= kinds)
            memcpy(at, value_at(c, column, roll(c, kinds)), c->bytes[column]);
    }
}

void case_arrange(struct case_of_rows *c, const uint64_t *positions)
{
    for (uint32_t i = 0; i < c->columns; i++) {
        const size_t bytes = c->bytes[i];
        unsigned char *const copy = malloc((size_t)c->count * bytes + 1);

        for (uint64_t row = 0; copy && row < c->count; row++)
            memcpy(copy + row * bytes, value_at(c, i, positions[row]), bytes);
        if (copy)
            memcpy(array_at(&c->in[i]), copy, (size_t)c->count * bytes);
        free(copy);
    }
}

void case_number(struct case_of_rows *c)
{
    for (uint64_t row = 0; c->has_numbers && row < c->count; row++)
        memcpy(value_at(c, c->columns - 1, row), &row, 4); /* little-endian */
}

/* Data as it is, or brought in order, turned around, or with some rows misplaced. */
static void fill(struct case_of_rows *c, uint64_t *order, uint64_t *room)
{
    const uint64_t kind = roll(c, 8);

    for (uint32_t i = 0; i < c->columns; i++)
        fill_column(c, i);
    fill_fields(c, room);
    c->shape = kind == 0   ? "sorted"
               : kind == 1 ? "reversed"
               : kind == 2 ? "nearly"
                           : "mixed";
    if (kind <= 2 && c->is_order) {
        case_sort(c, order);
        for (uint64_t i = 0; kind == 1 && i < c->count / 2; i++) {
            const uint64_t swapped = order[i];

            order[i] = order[c->count - 1 - i];
            order[c->count - 1 - i] = swapped;
        }
        for (uint64_t i = 0; kind == 2 && i < c->count / 50 + 1 && c->count; i++)
            order[roll(c, c->count)] = order[roll(c, c->count)];
        case_arrange(c, order);
    }
    case_number(c);
}

/* ---- Cases
 * ------------------------------------------------------------------------------- */

/* What is wanted, and where. */
static void make_places(struct case_of_rows *c)
{
    static const mw_type types[] = {MW_U32, MW_I32, MW_U64, MW_I64};
    const uint64_t kind = roll(c, 6); /* in place 0 1, all elsewhere 2 3, mixed 4, none 5 */
    int wanted = 0;

    c->with_out = kind > 1 || roll(c, 4) == 0;
    c->position_type = types[roll(c, 4)];
    for (uint32_t i = 0; i < c->columns; i++) {
        c->place[i] = kind < 2    ? IN_PLACE
                      : kind < 4  ? ELSEWHERE
                      : kind == 4 ? (enum place)roll(c, 3)
                                  : NOWHERE;
        wanted |= c->place[i] != NOWHERE;
    }
    c->has_positions = !wanted || roll(c, 3) == 0;
    if (!c->is_order && !c->has_positions) /* to see what became of each row */
        c->place[c->columns - 1] = c->with_out ? ELSEWHERE : IN_PLACE;
}

static int make_arrays(struct case_of_rows *c)
{
    const uint32_t position_bytes = (uint32_t)mw_type_size(c->position_type);
    int right = array_make(&c->positions, c->count * position_bytes,
                           position_bytes * (uint32_t)roll(c, 4));

    for (uint32_t i = 0; i < c->columns; i++) {
        const uint32_t step = i ? 1 : c->is_bare ? c->bytes[0] : c->own ? 8 : 1;

        right &= array_make(&c->in[i], c->count * c->bytes[i], step * (uint32_t)roll(c, 9));
        right &=
            array_make(&c->out[i], c->count * c->bytes[i], step * (uint32_t)roll(c, 9));
    }
    return right;
}

int case_make(struct case_of_rows *c, uint64_t seed, uint64_t most)
{
    uint64_t *order, *room;
    int right;

    *c = (struct case_of_rows){.seed = seed};
    c->columns = 1 + (uint32_t)(roll(c, 2) ? roll(c, 2) : roll(c, MOST_COLUMNS - 1));
    for (uint32_t i = 0; i < c->columns; i++)
        c->bytes[i] = random_bytes(c);
    make_order(c);
    if (!c->is_order) {
        c->has_numbers = 1;
        c->bytes[c->columns++] = 4;
    }
    for (uint32_t i = 0; i < c->columns; i++)
        c->row_bytes += c->bytes[i];
    c->count = roll(c, (most >> roll(c, 12)) + 2);
    if (c->count > (4u << 20) / c->row_bytes)
        c->count = (4u << 20) / c->row_bytes;
    make_places(c);
    c->enqueued = (int)roll(c, 2);
    order = malloc((size_t)(c->count + 1) * 8);
    room = malloc((size_t)(c->count + 1) * 8);
    right = order && room && make_arrays(c);
    if (right)
        fill(c, order, room);
    free(order);
    free(room);
    return right;
}

void case_free(struct case_of_rows *c)
{
    free(c->positions.room);
    for (uint32_t i = 0; i < MOST_COLUMNS; i++) {
        free(c->in[i].room);
        free(c->out[i].room);
    }
}

void case_print(const struct case_of_rows *c)
{
    static const char *const places[] = {"nowhere", "in place", "elsewhere"};

    tap_note("%" PRIu64 " rows, %s data, %s, %s, positions %s", c->count, c->shape,
             c->enqueued ? "mw_enqueue" : "mw_run", c->with_out ? "with out" : "no out",
             c->has_positions ? mw_type_name(c->position_type) : "none");
    for (uint32_t i = 0; i < c->columns; i++)
        tap_note("column %u: %u bytes, %s, shifted by %u and %u", i, c->bytes[i],
                 places[c->place[i]], c->in[i].shift, c->out[i].shift);
    if (c->own)
        tap_note("by %s", c->own);
    for (uint32_t i = 0; i < c->order.field_count; i++)
        tap_note("field %u: column %u at %u, %s %u, %s, flags %x", i, c->fields[i].column,
                 c->fields[i].offset,
                 c->fields[i].bytes ? "bytes" : mw_type_name(c->fields[i].type),
                 c->fields[i].bytes, c->fields[i].direction ? "descending" : "ascending",
                 c->fields[i].flags);
}

/* ---- Their order
 * -------------------------------------------------------------------------- */

int case_less(const struct case_of_rows *c, uint64_t a, uint64_t b)
{
    if (c->own)
        return c->order.less_on_host(value_at(c, 0, a), value_at(c, 0, b));
    for (uint32_t i = 0; i < c->order.field_count; i++) {
        const uint32_t column = c->fields[i].column;
        const int found = kit_compare_field(&c->fields[i], value_at(c, column, a),
                                            value_at(c, column, b));

        if (found)
            return found < 0;
    }
    return 0;
}

int case_less_bits(const struct case_of_rows *c, uint64_t a, uint64_t b)
{
    mw_field field = c->fields[0];

    if (!c->is_bare || c->columns > 1 || c->has_positions)
        return 0;
    field.flags &= MW_NANS_LAST | MW_LEAST_LAST;
    return kit_compare_field(&field, value_at(c, 0, a), value_at(c, 0, b)) < 0;
}

static const struct case_of_rows *sorting; /* qsort passes nothing on */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    const int found = case_less(sorting, y, x) - case_less(sorting, x, y);
    const int by_bits = case_less_bits(sorting, y, x) - case_less_bits(sorting, x, y);

    return found ? found : by_bits ? by_bits : (x > y) - (x < y);
}

void case_sort(const struct case_of_rows *c, uint64_t *order)
{
    for (uint64_t i = 0; i < c->count; i++)
        order[i] = i;
    sorting = c;
    qsort(order, (size_t)c->count, sizeof *order, compare);
}
