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

DEVICE unsigned short place_of(item i)
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

#define ITEM_BYTES TILE_PLACED_BYTES(KEY_BITS / 8)

#if KEY_BITS < 64

/* One number, the place in its low bits. 49 bits: below the bits of infinity. */
enum { PLACE_BITS = 16 };
typedef wide item;

AGREE(TILE_MOST_ROWS *WARP <= 1 << PLACE_BITS);

#define SHUFFLE_ITEM(mine, mask) SHUFFLE_XOR(mine, mask)

DEVICE item item_of(bare k, int place)
{
    return (item)k << PLACE_BITS | (unsigned)place;
}

DEVICE bare key_of(item i)
{
    return (bare)(i >> PLACE_BITS);
}

DEVICE unsigned short place_of(item i)
{
    return (unsigned short)i;
}

DEVICE int precedes(item a, item b)
{
    return a < b;
}

DEVICE item filler(void)
{
    return (item)1 << (KEY_BITS + PLACE_BITS);
}

#else

/*
 * Two numbers. The place is as wide as the key, so that one 16-byte instruction loads or
 * stores a cell; two instructions would cost twice the wavefronts.
 */
typedef struct {
    ALIGNED(16) key value;
    wide place; /* below 2^32; only its low word is compared */
} item;

DEVICE item SHUFFLE_ITEM(item mine, int mask)
{
    item other;

    other.value = SHUFFLE_XOR(mine.value, mask);
    other.place = SHUFFLE_XOR((unsigned)mine.place, mask);
    return other;
}

DEVICE item item_of(bare k, int place)
{
    item i;

    i.value = k;
    i.place = (unsigned)place;
    return i;
}

DEVICE bare key_of(item i)
{
    return i.value;
}

DEVICE unsigned short place_of(item i)
{
    return (unsigned short)i.place;
}

DEVICE int precedes(item a, item b)
{
    const unsigned first = (unsigned)a.place;
    const unsigned second = (unsigned)b.place;

    return less(a.value, b.value) || (a.value == b.value && first < second);
}

DEVICE item filler(void)
{
    return item_of((bare) ~(bare)0, TILE_MOST_ROWS * WARP);
}

#endif
#endif

CELL(item_cell, item);

/* Are all items near (pipes.cuh)? */
enum { ITEMS_NEAR = PLACED && ITEM_BYTES == 8 };
