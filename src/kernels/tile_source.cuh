/*
 * tile_source.cuh - where the keys of a pass come from: an array of keys; or, in a program
 * with places, rows whose codes are a number of the caller's or are made of the parts of a
 * field order (struct tile_source). In a program with lists they come from any number of
 * arrays (lists_source.cuh).
 */

/*
 * A rank among the keys of a group, and the sum of such numbers of all lanes. Lists are
 * always shorter than 2^32 keys; with TILE_LARGE a group need not be.
 */
#ifdef TILE_LARGE
typedef wide tile_rank;
#define RANK_SUM(v) rank_sum(v)
DEVICE wide rank_sum(unsigned v)
{
    return ((wide)SUM(v >> 16) << 16) + SUM(v & 0xffff);
}
#else
typedef unsigned tile_rank;
#define RANK_SUM(v) SUM(v)
#endif

#ifdef TILE_LISTS

#include "lists_source.cuh"

#elif !defined(TILE_PLACES)

typedef key_cell tile_input;
#ifdef TILE_LARGE
typedef wide tile_index; /* of a key in the input */
#else
typedef unsigned tile_index; /* the same if there are fewer than 2^32 keys */
#endif

#define INPUT_OF(args) ((const key_cell *)(args)->round.in)

DEVICE const key_cell *key_of_row(const tile_input *in, wide row)
{
    return in + row;
}

#else

typedef struct tile_source tile_input;
typedef unsigned tile_index;

#define SOURCE_OF(in) (in)
#define INPUT_OF(args) (&(args)->carry.source)

CELL(byte_cell, unsigned char);

#include "field_bits.cuh"

APART key code_of_parts(const struct tile_source *source, wide number)
{
    return (key)bits_of_parts(source, number);
}

/* Is each code one part, a field of whole words? */
DEVICE int is_words(const struct tile_source *source)
{
    const struct code_part *const part = &source->part[0];

    return source->part_count == 1 && !source->order &&
           ((wide)part->at | part->pitch | (unsigned)part->bytes) % 4 == 0 &&
           part->bytes <= (int)sizeof(key);
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
