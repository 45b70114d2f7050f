/*
 * segments_case.c - random sorts of segments (segments.h).
 */
#include "segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t random_bits(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);

    uint64_t z = state;

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t below(uint64_t n)
{
    return random_bits() % n;
}

void array_make(struct array *a, uint64_t bytes, uint64_t shift)
{
    a->bytes = bytes;
    a->shift = shift;
    a->here = malloc(array_room(a));
    a->before = malloc(array_room(a));
    a->there = NULL;
    for (uint64_t i = 0; i < array_room(a); i++)
        a->here[i] = (unsigned char)random_bits();
}

int less_of_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 4) < 0;
}

static mw_type any_number(void)
{
    static const mw_type types[] = {MW_U8,  MW_I16, MW_I32, MW_U32,
                                    MW_I64, MW_U64, MW_F32, MW_F64};

    return types[below(8)];
}

static void make_order(struct one_case *c)
{
    const uint64_t kind = c->is_lone ? 0 : below(10);

    c->order = (mw_order)MW_ORDER_INIT;
    if (kind < 5) { /* a built-in type */
        const mw_type type = any_number();

        c->bytes[0] = (uint32_t)number_bytes(type);
        c->fields[0] = (mw_field){.type = type};
        c->order.field_count = 1;
    } else if (kind == 5) {
        c->bytes[0] = 4 + (uint32_t)below(20);
        c->order.less_on_host = less_of_bytes;
        c->order.less = "memcmp(a, b, 4) < 0";
        snprintf(c->declarations, sizeof c->declarations,
                 "typedef struct { char c[%u]; } mw_element;", c->bytes[0]);
        c->order.declarations = c->declarations;
    } else {
        c->bytes[0] = 8 + (uint32_t)below(40);
        c->order.field_count = 1 + (uint32_t)below(MOST_FIELDS);
    }
    c->order.element_bytes = c->bytes[0];
    c->order.fields = c->order.field_count ? c->fields : NULL;
    for (uint32_t i = 0; i < c->order.field_count; i++) {
        mw_field *const f = &c->fields[i];

        if (kind > 5) {
            f->column = (uint32_t)below(c->columns);
            f->type = any_number();
            if (below(3) == 0 || (uint32_t)number_bytes(f->type) > c->bytes[f->column]) {
                f->type = MW_BYTES;
                f->bytes = 1 + (uint32_t)below(c->bytes[f->column]);
            }
            f->offset = (uint32_t)below(
                c->bytes[f->column] -
                (f->type == MW_BYTES ? f->bytes : (uint32_t)number_bytes(f->type)) + 1);
        }
        f->direction = below(2) ? MW_DESCENDING : MW_ASCENDING;
    }
}

/* Values that tie often; floats without NaNs and zeros. */
static void tie_values(struct array *a, uint64_t keep)
{
    unsigned char *const at = array_at(a);

    for (uint64_t i = 0; i < a->bytes; i++)
        at[i] = (unsigned char)(keep ? 0x40 | (at[i] & keep) : 0x40 | (at[i] & 0x3f));
}

/* Make about half of the elements negative, if they are numbers; none becomes a NaN. */
static void negate(struct array *a, uint32_t bytes)
{
    unsigned char *const at = array_at(a);

    for (uint64_t i = bytes - 1; i < a->bytes; i += bytes) {
        if ((at[i] & 0x3f) < 0x30 && below(2))
            at[i] |= 0x80;
    }
}

/* Elements that differ in their first two bytes only, but for a few of them. */
static void flatten(struct array *a, uint32_t bytes)
{
    unsigned char *const at = array_at(a);

    for (uint64_t i = 0; i < a->bytes; i++) {
        if (i % bytes > 1 && below(1000))
            at[i] = 0x40;
    }
}

static void set_number(struct array *a, mw_type type, uint64_t i, uint64_t value)
{
    const int bytes = number_bytes(type);

    memcpy((char *)array_at(a) + i * (uint64_t)bytes, &value, (size_t)bytes);
}

/* Cut the rows into segments and holes; then list the segments in some order. */
static void make_segments(struct one_case *c)
{
    static const uint64_t mosts[] = {1, 2, 8, 40, 300, 2500, 9000, 40000};
    const int is_mixed = (int)below(2); /* or a few long ones among many short ones */
    const uint64_t most = mosts[below(is_mixed ? 8 : 3)];
    const uint64_t also = is_mixed ? mosts[below(8)] : 200000;
    const uint64_t rare = is_mixed ? 8 : 4096; /* one in `rare` has up to `also` rows */
    const int holes = (int)below(3), shuffled = (int)below(2);
    uint64_t n = 0, at = 0;

    c->segment_begin = malloc((2 * c->count + 10) * sizeof(uint64_t));
    c->segment_end = malloc((2 * c->count + 10) * sizeof(uint64_t));
    while (at < c->count) {
        uint64_t length = below((below(rare) ? most : also) + 1);

        length = length < c->count - at ? length : c->count - at;
        if (length == 0 && below(4))
            length = 1;
        if (!holes || below(4)) {
            c->segment_begin[n] = at;
            c->segment_end[n++] = at + length;
        }
        at += length;
        if (n > 2 * c->count)
            break;
    }
    for (int i = 0; i < 3; i++) { /* empty ones */
        const uint64_t begin = below(c->count + 9);

        c->segment_begin[n] = begin;
        c->segment_end[n++] = below(2) ? begin / 2 : c->count + 1 + below(5);
    }
    if (c->overlap)
        for (int i = 0; i < 3; i++) {
            c->segment_begin[n] = below(c->count + 1);
            c->segment_end[n++] = below(c->count + 1);
        }
    if (c->is_lone || below(3) == 0) { /* one, perhaps an empty one */
        c->segment_begin[0] = below(2) ? 0 : below(c->count);
        c->segment_end[0] = below(2) ? c->count : below(c->count + 2);
        n = 1;
    }
    for (uint64_t i = n; shuffled && i > 1; i--) {
        const uint64_t j = below(i), b = c->segment_begin[j], e = c->segment_end[j];

        c->segment_begin[j] = c->segment_begin[i - 1];
        c->segment_end[j] = c->segment_end[i - 1];
        c->segment_begin[i - 1] = b;
        c->segment_end[i - 1] = e;
    }
    c->segments = n;
    array_make(&c->begins, n * (uint64_t)number_bytes(c->segment_type), 0);
    array_make(&c->ends, n * (uint64_t)number_bytes(c->segment_type), 0);
    for (uint64_t i = 0; i < n; i++) {
        const int negative = c->segment_begin[i] >= c->segment_end[i] && below(2) &&
                             (c->segment_type == MW_I32 || c->segment_type == MW_I64);

        set_number(&c->begins, c->segment_type, i,
                   negative ? UINT64_MAX - below(9) : c->segment_begin[i]);
        set_number(&c->ends, c->segment_type, i, c->segment_end[i]);
    }
}

void make_case(struct one_case *c, uint64_t seed, uint64_t most)
{
    static const mw_type indices[] = {MW_U32, MW_I32, MW_U64, MW_I64};
    uint64_t keep;
    int mode; /* in place, out, mixed, argsort */

    state = seed;
    keep = below(3) ? 0 : 1 + below(7);
    mode = (int)below(4);
    memset(c, 0, sizeof *c);
    c->count = 1 + below(1 + below(most));
    c->is_lone = below(10) == 0;
    mode = c->is_lone ? mode % 2 : mode;
    c->columns = 1 + (below(2) && !c->is_lone ? (uint32_t)below(MOST_COLUMNS) : 0);
    for (uint32_t i = 1; i < c->columns; i++)
        c->bytes[i] = 1 + (uint32_t)below(below(3) ? 8 : 40);
    make_order(c);
    c->overlap = below(12) == 0;
    c->has_positions = mode == 3 || (below(3) == 0 && !c->is_lone);
    c->position_type = indices[below(4)];
    c->segment_type = indices[below(4)];
    for (uint32_t i = 0; i < c->columns; i++) {
        const uint64_t shift = c->order.field_count == 1 && i == 0 ? 0
                               : below(2)                          ? 0
                                                                   : 4 * below(5);

        c->place[i] = mode == 3 ? 2 : mode == 2 ? (int)below(3) : mode;
        array_make(&c->in[i], c->count * c->bytes[i], shift);
        array_make(&c->out[i], c->count * c->bytes[i], shift);
        tie_values(&c->in[i], keep);
        if (i == 0 && below(2))
            negate(&c->in[i], c->bytes[i]);
        if (i == 0 && below(4) == 0)
            flatten(&c->in[i], c->bytes[i]);
    }
    if (mode == 2)
        c->place[below(c->columns)] = (int)below(2); /* something is wanted */
    array_make(&c->positions, c->count * (uint64_t)number_bytes(c->position_type), 0);
    make_segments(c);
}
