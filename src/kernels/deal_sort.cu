/*
 * deal_sort.cu - sort the tiles that keys were dealt to (deal.cuh), in place, and write the
 * keys of frequent values; or, if they could not be dealt, sort the tiles of the array,
 * which are merged then.
 */

enum { deal_sort_blocks = tile_sort_blocks };

/* The tile of the list that my block sorts; 0: none. */
DEVICE wide listed_tile(const struct deal_args *args)
{
    wide tile = 0;

    if ((wide)BLOCK < LOAD((const wide_cell *)args->head + DEAL_LISTED))
        tile = LOAD((const wide_cell *)args->tiles + BLOCK);
    return tile;
}

DEVICE struct tile_target listed_target(const struct deal_args *args, wide tile)
{
    struct tile_target to = {(key_cell *)args->keys, 0, 0, 0};

    to.first = tile >> 16;
    to.count = (int)(tile & (DEAL_EQUAL - 1));
    return to;
}

/* The tile of the array that my block sorts, as tile_sort does. */
DEVICE struct tile_target merged_target(const struct deal_args *args)
{
    struct tile_target to = {(key_cell *)args->keys, 0, 0, 0};

    if ((wide)BLOCK * TILE < args->count)
        to = first_target(&args->merged);
    return to;
}

/* Store a key at a place of the caller's array. */
DEVICE void store_at(const struct deal_args *args, wide place, key code)
{
    if (place < args->count)
        STORE_AS(BULK, (key_cell *)args->keys + place, leave(code, &args->leave));
}

/* All codes of a tile are equal: make keys of them. */
DEVICE void leave_equal(const struct deal_args *args, const struct tile_target *to)
{
    const key code = LOAD((const key_cell *)args->keys + to->first);

    BARRIER();
    NO_UNROLL
    for (int i = THREAD; i < to->count; i += TILE_ROWS)
        store_at(args, to->first + (wide)i, code);
}

/* Store the keys of frequent value `value` that are left to the block of its tile. */
DEVICE void store_rest(const struct deal_args *args, int cells, unsigned count,
                       unsigned value)
{
    const key code = (key)LOAD(frequent_row(args, FREQUENT_CODE) + value);
    const wide keys = LOAD(frequent_row(args, FREQUENT_KEYS) + value);
    const unsigned less = place_of_code(cells, count, code);
    const wide first = LOAD(frequent_row(args, FREQUENT_FIRST) + value) + less;
    const wide filled = keys > count ? keys - count : 0; /* by all blocks */

    NO_UNROLL
    for (unsigned i = (unsigned)THREAD; i < keys - filled; i += TILE_ROWS)
        store_at(args, first + i + (i < count - less ? 0 : filled), code);
}

/* Store a sorted tile, and the frequent values among its keys (deal_frequent.cuh). */
DEVICE void store_around(const struct deal_args *args, int cells,
                         const struct tile_target *to)
{
    const wide_cell *const tiles = frequent_row(args, FREQUENT_TILE);
    const wide_cell *const codes = frequent_row(args, FREQUENT_CODE);
    const wide_cell *const firsts = frequent_row(args, FREQUENT_FIRST);
    const unsigned found = frequent_count(args, DEAL_FOUND);
    const unsigned begin = find_word(tiles, 0, found, to->first);
    const unsigned end = find_word(tiles, begin, found, to->first + 1);
    const unsigned count = (unsigned)to->count;

    NO_UNROLL
    for (unsigned i = (unsigned)THREAD; i < count; i += TILE_ROWS) {
        const key code = sorted_code(cells, i);
        const unsigned lower = find_word(codes, begin, end, code);
        wide first = to->first; /* of the tile; after lower values, moved on by these */

        if (lower > begin)
            first = LOAD(firsts + lower - 1) +
                    LOAD(frequent_row(args, FREQUENT_KEYS) + lower - 1);
        store_at(args, first + i, code);
    }
    NO_UNROLL
    for (unsigned value = begin; value < end; value++)
        store_rest(args, cells, count, value);
}

/* Fill the places that have frequent values in any case; blocks take turns. */
DEVICE void fill_frequent(const struct deal_args *args)
{
    const unsigned fills = (unsigned)LOAD((const wide_cell *)args->head + DEAL_FILLS);
    const wide_cell *const lower = frequent_row(args, FREQUENT_FILL);

    NO_UNROLL
    for (unsigned fill = (unsigned)BLOCK; fill < fills; fill += (unsigned)BLOCKS) {
        const unsigned found = frequent_count(args, DEAL_FOUND);
        const unsigned value = find_word(lower, 1, found, fill + 1) - 1;
        const key code = (key)LOAD(frequent_row(args, FREQUENT_CODE) + value);
        const wide past = LOAD(frequent_row(args, FREQUENT_PAST) + value);
        const wide end = LOAD(frequent_row(args, FREQUENT_FIRST) + value) +
                         LOAD(frequent_row(args, FREQUENT_KEYS) + value);
        const wide part = (wide)(fill - (unsigned)LOAD(lower + value)) * TILE;
        const wide first = past / WARP * WARP + part + THREAD;

        NO_UNROLL
        for (int i = 0; i < TILE; i += TILE_ROWS) {
            if (first + i >= past && first + i < end)
                store_at(args, first + i, code);
        }
    }
}

/* A block for each tile of the list, of which there may be fewer. */
KERNEL(deal_sort, struct deal_args)
{
    SHARED(struct tile_sort_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const int dealt = is_dealing(&args, DEAL_STAGES);
    const wide tile = dealt ? listed_tile(&args) : 0;
    const struct tile_target to = dealt ? listed_target(&args, tile) : merged_target(&args);
    const struct key_code enter_by = {dealt ? 0 : args.merged.enter.flip,
                                      dealt ? 0 : args.merged.enter.is_float, 0};
    const struct key_code leave_by = {dealt ? args.leave.flip : 0,
                                      dealt ? args.leave.is_float : 0, 0};
    item r[ITEMS];

    if (dealt) /* first: at the end the number of fills would no longer be in L1 */
        fill_frequent(&args);
    if (tile & DEAL_EQUAL) {
        leave_equal(&args, &to);
    } else if (to.count) {
        load_tile((const key_cell *)args.keys + to.first, to.count, &enter_by, r);
        sort_tile(cells, sm->splits, &enter_by, r);
        if (tile & DEAL_AROUND) {
            BARRIER();
            store_around(&args, cells, &to);
        } else {
            store_rows(cells, &to, (int)(to.first % WARP), 0, &leave_by);
        }
    }
    if (!dealt)
        clear_cuts(&args.merged);
}
