/*
 * item.cuh - the type `item` that networks and merges move, and its order `precedes`.
 *
 * An item is a key in a register. In a program compiled with TILE_PLACES it is a key
 * and its place, the position in the tile before the pass. Equal keys are ordered by
 * place, so no two items are equal and every network is stable.
 */

#ifndef TILE_PLACES

enum { PLACED = 0 };

#define ITEM_BYTES TILE_CELL_BYTES(KEY_BITS / 8)
typedef bare item;

#define SHUFFLE_ITEM(mine, mask) SHUFFLE_XOR(mine, mask)

DEVICE item item_of(bare k, int place)
{
    (void)place;
    return k;
}

DEVICE bare key_of(item i)
{
    return i;
}

DEVICE int place_of(item i)
{
    (void)i;
    return 0;
}

DEVICE int precedes(item a, item b)
{
    return less(a, b);
}

/* No key sorts after it. A key may equal it, so kernels also count their keys. */
DEVICE item filler(void)
{
    return (key) ~(key)0;
}

#else

enum { PLACED = 1 };

/*
 * One number: the prefix, some bits of the key, and the place. How a key gets its prefix
 * is told at base_between() (tile.cuh), and how equal prefixes of different keys are
 * sorted, in tile_carry.cuh.
 */
enum { PLACE_BITS = 12, PREFIX_BITS = 20 };

#define ITEM_BYTES TILE_PLACED_BYTES
typedef unsigned item;

AGREE(TILE_ROWS *TILE_ITEMS <= 1 << PLACE_BITS);
AGREE(KEY_BITS == 32 || KEY_BITS == 64);

#define SHUFFLE_ITEM(mine, mask) SHUFFLE_XOR(mine, mask)

DEVICE item item_of(bare k, int place)
{
    return (item)k << PLACE_BITS | (unsigned)place;
}

DEVICE bare key_of(item i)
{
    return i >> PLACE_BITS;
}

DEVICE int place_of(item i)
{
    return (int)(i & ((1u << PLACE_BITS) - 1));
}

DEVICE int precedes(item a, item b)
{
    return a < b;
}

/* An item that equals it has the same place: nothing is lost if they are exchanged. */
DEVICE item filler(void)
{
    return ~(item)0;
}

#endif

CELL(item_cell, item);
