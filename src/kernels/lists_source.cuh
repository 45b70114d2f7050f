/*
 * lists_source.cuh - where the keys of a merge of the caller's lists come from
 * (struct tile_lists). Keys have the caller's bits; they become codes when they are loaded.
 */

typedef struct lists_merge_args tile_input;

/* The address of array `array` of list `list`. */
DEVICE wide list_at(const tile_input *in, int array, unsigned list)
{
    return LOAD((const wide_cell *)in->lists.at + (wide)array * in->lists.list_count +
                list);
}

#ifndef TILE_PLACES

#define CARRY_OF(in) 0

/* A key is known by its address, in units of its size. */
typedef wide tile_index;

DEVICE const key_cell *key_of_row(const tile_input *in, wide row)
{
    (void)in;
    return (const key_cell *)(row * sizeof(key));
}

/* One lane's list. */
struct cut_list {
    const tile_input *in;
    wide first; /* its first key */
};

/* The key at place `at` of a list. */
DEVICE key list_key(const struct cut_list *list, unsigned at)
{
    return enter(LOAD_AS(PROBE, key_of_row(list->in, list->first + at)),
                 &list->in->lists.enter);
}

/* Another lane's list. */
DEVICE struct cut_list list_of_lane(const struct cut_list *mine, int lane)
{
    struct cut_list list = *mine;

    list.first = SHUFFLE(mine->first, lane);
    return list;
}

#else

#define CARRY_OF(in) (&(in)->merge.carry)
#define SOURCE_OF(in) (&(in)->merge.carry.source)

typedef unsigned tile_index; /* of a row in its list */

CELL(byte_cell, unsigned char);

#include "field_bits.cuh"

/* The code of a row that is made of parts: their arrays come after those of pieces. */
DEVICE key code_in_list(const tile_input *in, unsigned list, wide row)
{
    const struct tile_source *const source = SOURCE_OF(in);
    wide code = 0;

    NO_UNROLL
    for (int i = 0; i < source->part_count; i++) {
        const struct code_part *const part = &source->part[i];
        const wide at = list_at(in, 1 + in->merge.carry.piece_count + i, list);
        const wide field = field_code_of(
            load_bits((const char *)(at + row * part->pitch), part->bytes, part->is_string),
            &part->code);

        code = part->bits < 64 ? code << part->bits : 0;
        code |= field;
    }
    return (key)code;
}

/* Where the key of a row is, if it is not made of parts; `at` is where the list's are. */
DEVICE const key_cell *key_in_list(const tile_input *in, wide at, wide row)
{
    return (const key_cell *)(at + row * SOURCE_OF(in)->pitch);
}

/* One lane's list. */
struct cut_list {
    const tile_input *in;
    wide at; /* its keys */
    unsigned number;
};

DEVICE key list_key(const struct cut_list *list, unsigned at)
{
    return SOURCE_OF(list->in)->part_count
               ? code_in_list(list->in, list->number, at)
               : enter(LOAD_AS(PROBE, key_in_list(list->in, list->at, at)),
                       &list->in->lists.enter);
}

DEVICE struct cut_list list_of_lane(const struct cut_list *mine, int lane)
{
    struct cut_list list = *mine;

    list.at = SHUFFLE(mine->at, lane);
    list.number = SHUFFLE(mine->number, lane);
    return list;
}

#endif
