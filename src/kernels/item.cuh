/*
 * item.cuh - the type `item` that networks and merges move, and its order `precedes`.
 *
 * An item is a key in a register. In a program compiled with TILE_PLACES it is a key
 * and its place, the position in the tile before the pass. Equal keys are ordered by
 * place, so no two items are equal and every network is stable. A filler sorts after
 * every item, even one with the greatest key.
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
 * One number: 49 bits of the key and the place. It is below the bits of infinity, and so
 * is the filler: all items are near (pipes.cuh). How 8-byte keys get 49 bits is told in
 * tile_scale.cuh.
 */
enum { PLACE_BITS = 13, PREFIX_BITS = 49 };

#define ITEM_BYTES TILE_PLACED_BYTES
typedef wide item;

AGREE(TILE_ROWS *TILE_ITEMS <= 1 << PLACE_BITS);
AGREE(KEY_BITS == 32 || KEY_BITS == 64);

#define SHUFFLE_ITEM(mine, mask) SHUFFLE_XOR(mine, mask)

DEVICE item item_of(bare k, int place)
{
    return (item)k << PLACE_BITS | (unsigned)place;
}

DEVICE bare key_of(item i)
{
    return (bare)(i >> PLACE_BITS);
}

DEVICE int place_of(item i)
{
    return (int)i & ((1 << PLACE_BITS) - 1);
}

DEVICE int precedes(item a, item b)
{
    return a < b;
}

DEVICE item filler(void)
{
    return (item)1 << (PREFIX_BITS + PLACE_BITS);
}

#endif

CELL(item_cell, item);

/* Are all items near (pipes.cuh)? */
enum { ITEMS_NEAR = PLACED };
