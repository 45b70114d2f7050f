/*
 * tile_source.cuh - where the keys of a pass come from: an array of keys; or, in a program
 * with places, rows whose codes are a number of the caller's or are made of the parts of a
 * field order (struct tile_source).
 */

#ifndef TILE_PLACES

typedef key_cell tile_input;

#define INPUT_OF(args) ((const key_cell *)(args)->round.in)
#define CARRY_OF(args) 0

DEVICE const key_cell *key_of_row(const tile_input *in, wide row)
{
    return in + row;
}

#else

typedef struct tile_source tile_input;

#define INPUT_OF(args) (&(args)->carry.source)
#define CARRY_OF(args) (&(args)->carry)

CELL(byte_cell, unsigned char);

#include "field_bits.cuh"

DEVICE key code_of_parts(const struct tile_source *source, wide number)
{
    return (key)bits_of_parts(source, number);
}

/* Where the key of a row is, if it is not made of parts. */
DEVICE const key_cell *key_of_row(const struct tile_source *source, wide row)
{
    return (const key_cell *)((const char *)source->keys + row * source->pitch);
}

DEVICE key code_of_row(const struct tile_source *source, wide row)
{
    return source->part_count ? code_of_parts(source, row)
                              : LOAD_AS(PROBE, key_of_row(source, row));
}

/* Are the codes an array of keys, one after the other? */
DEVICE int is_dense(const struct tile_source *source)
{
    return source->part_count == 0 && source->pitch == sizeof(key);
}

#endif
