/*
 * tile_skew.cuh - in a program with places, prefixes of keys that crowd.
 *
 * Usually an item has the highest PREFIX_BITS bits in which the keys of its tile differ,
 * less the least of them (base_within, tile.cuh). If most keys share these bits, tiles have
 * to be sorted again by whole codes (resort, tile_order.cuh). So tile_sort looks at some
 * keys first, and for a tile that would be, it makes prefixes in one of two other ways:
 *   - if no more than PREFIX_BITS bits vary, these bits: then prefixes say all
 *   - else, as a float would: the highest bit of the distance from the least or from the
 *     greatest key, and the bits that follow it
 * Any prefix will do that keeps the order of the keys.
 */

enum {
    FLOAT_BITS = KEY_BITS == 32 ? 15 : 14, /* of the prefix, after the highest bit */
    SAMPLE_BITS = 12                       /* of the prefix, that a sample looks at */
};

AGREE((KEY_BITS - FLOAT_BITS) << FLOAT_BITS <= 1 << PREFIX_BITS);

/* PREFIX_BITS bits that keep the order of `far`, the distance from an end of the range. */
DEVICE unsigned float_prefix(wide far)
{
    const unsigned upper = (unsigned)(far >> 32);
    const int highest =
        upper ? 32 + HIGHEST_BIT(upper) : HIGHEST_BIT((unsigned)far | 1u << FLOAT_BITS);
    const int more = highest - FLOAT_BITS; /* bits that the prefix lacks */

    return far >> FLOAT_BITS == 0
               ? (unsigned)far
               : (unsigned)((more + 1) << FLOAT_BITS) |
                     ((unsigned)(far >> more) & ((1u << FLOAT_BITS) - 1));
}

/* How the keys of a skewed tile get their prefixes. */
struct tile_skew {
    wide packed; /* bits of the code; 0: as floats */
    wide origin; /* floats: the key that distances are from ... */
    int down;    /* ... if that is the greatest */
};

DEVICE unsigned skewed_prefix(const struct tile_skew *skew, wide code)
{
    if (skew->packed)
        return pack_bits(code, skew->packed);
    return skew->down ? (1u << PREFIX_BITS) - 1 - float_prefix(skew->origin - code)
                      : float_prefix(code - skew->origin);
}

enum { LEAST_ALIKE = 2 }; /* of 80 pairs; of keys that spread evenly 0.02 are alike */

/* How many of 80 pairs of lanes have the same number, and not the same `other`? */
DEVICE int pairs_alike(unsigned mine, unsigned other, const int may_equal)
{
    int lanes = 0;

    UNROLL
    for (int mask = 1; mask < WARP; mask *= 2) {
        const int same = SHUFFLE_XOR(mine, mask) == mine;
        const int differs = may_equal || SHUFFLE_XOR(other, mask) != other;

        lanes += BITS(BALLOT(same && differs));
    }
    return lanes / 2;
}

/*
 * Do the staged codes of a tile crowd? All warps look at the same 32 of them, for pairs
 * that differ, but hardly. If so, say on which side: 1 if more are near the least than
 * near the greatest, otherwise 2.
 */
DEVICE int find_skew(const struct carry_order *order, const struct tile_base *b)
{
    const int step = (order->count / WARP - 1) | 1; /* odd: other banks */
    const key code = code_at(order, step > 1 ? LANE * step : 0);
    const unsigned sample = item_made(code, b, 0) >> (32 - SAMPLE_BITS);
    const unsigned folded = (unsigned)code ^ (unsigned)((wide)code >> 32);

    if (step < 2 || pairs_alike(sample, folded, 1) < LEAST_ALIKE)
        return 0; /* the usual case */
    if (pairs_alike(sample, folded, 0) < LEAST_ALIKE)
        return 0;
    return BITS(BALLOT(sample >> (SAMPLE_BITS - 1))) <= WARP / 2 ? 1 : 2;
}

/* Make the items of a skewed tile, from its codes. */
DEVICE void make_skewed(const struct carry_order *order, int side, key least, key most,
                        struct tile_base *b, item *r)
{
    item_cell *const mine = SHARED_CELL(item_cell, order->cells) + THREAD;
    const wide varying = varying_bits(order);
    struct tile_skew skew;

    skew.packed = 0;
    skew.origin = side == 1 ? least : most;
    skew.down = side != 1;
    if (BITS((unsigned)varying) + BITS((unsigned)(varying >> 32)) <= PREFIX_BITS) {
        skew.packed = varying;
        b->rest_bits = 0;
    }
    NO_UNROLL
    for (int at = THREAD; at < order->count; at += TILE_ROWS)
        STORE(mine + at - THREAD, item_of(skewed_prefix(&skew, code_at(order, at)), at));
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] =
            TILE_ROWS * j + THREAD < order->count ? LOAD(mine + TILE_ROWS * j) : filler();
    BARRIER(); /* all have read the cells, and the bits where splits go now */
}
