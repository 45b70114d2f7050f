/*
 * tile_sort.cu - sort tiles: the first pass of engine tile (tile_block.cuh).
 */

#ifndef TILE_PLACES

struct tile_sort_shared {
    item_cell cells[TILE_ROWS * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];
};

AGREE(sizeof(struct tile_sort_shared) == TILE_SORT_SHARED(TILE_ROWS, ITEMS, sizeof(item)));

#else

struct tile_sort_shared {
    item_cell cells[TILE_ROOM(TILE_ROWS, ITEMS) / CELL_BYTES];
    place_cell order[TILE];
    int_cell splits[TILE_ROWS];
};

AGREE(sizeof(struct tile_sort_shared) == TILE_SORT_PLACED(TILE_ROWS, ITEMS));

#endif

enum {
    tile_sort_blocks =
        TILE_SORT_BLOCKS ? TILE_SORT_BLOCKS : TILE_BLOCKS(TILE_ROWS, ITEMS, ITEM_BYTES)
};

/* Clear the cells of later rounds' cuts, so that none looks posted. */
DEVICE void clear_cuts(const struct tile_sort_args *args)
{
    const unsigned step = (unsigned)BLOCKS * TILE_ROWS;

    for (unsigned i = (unsigned)BLOCK * TILE_ROWS + THREAD; i < args->cells; i += step)
        STORE((wide_cell *)args->cuts + i, 0);
}

/* Where my block's tile goes. */
DEVICE struct tile_target first_target(const struct tile_sort_args *args)
{
    const wide left = args->count - (wide)BLOCK * TILE;
    struct tile_target to;

    to.array = (key_cell *)args->out;
    to.samples = (key_cell *)args->samples;
    to.first = (wide)BLOCK * TILE;
    to.count = (int)(left < TILE ? left : TILE);
    return to;
}

#ifndef TILE_PLACES

/*
 * Load coalesced: any assignment of keys to threads will do. A short tile is filled up
 * with the bits whose code is the greatest.
 */
DEVICE void load_tile(const key_cell *in, int count, const struct key_code *code, item *r)
{
    bare k[ITEMS];

    if (count == TILE) {
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            k[j] = LOAD_AS(BULK, &in[TILE_ROWS * j + THREAD]);
    } else {
        const bare last = leave((key) ~(key)0, code);

        UNROLL
        for (int j = 0; j < ITEMS; j++) {
            const int there = TILE_ROWS * j + THREAD < count;

            k[j] = there ? LOAD_AS(BULK, &in[TILE_ROWS * j + THREAD]) : last;
        }
    }
    enter_all(k, ITEMS, code);
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] = k[j];
}

/* Each block sorts one tile; the last tile may be short. */
KERNEL(tile_sort, struct tile_sort_args)
{
    SHARED(struct tile_sort_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct tile_target to = first_target(&args);
    item r[ITEMS];

    load_tile((const key_cell *)args.in + to.first, to.count, &args.enter, r);
    sort_tile(cells, sm->splits, &args.enter, r);
    store_rows(cells, &to, 0, 0, &args.leave);
    clear_cuts(&args);
}

#else

/*
 * Load the codes of a tile: mine are TILE_ROWS apart. Codes of parts take a loop, so they
 * go by way of my cells of shared memory.
 */
DEVICE void load_codes(const struct tile_sort_args *args, const struct tile_target *to,
                       int cells, bare *k)
{
    const struct tile_source *const source = &args->carry.source;
    const int left = to->count - THREAD;

    if (source->part_count) {
        key_cell *const mine = SHARED_CELL(key_cell, cells) + THREAD;

        NO_UNROLL
        for (int j = 0; j < ITEMS && TILE_ROWS * j < left; j++)
            STORE(mine + TILE_ROWS * j,
                  code_of_parts(source, to->first + THREAD + TILE_ROWS * j));
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            k[j] = TILE_ROWS * j < left ? LOAD(mine + TILE_ROWS * j) : 0;
        BARRIER(); /* the rows may be written */
    } else {
        const char *const from = (const char *)key_of_row(source, to->first + THREAD);
        const wide step = TILE_ROWS * source->pitch;

        UNROLL
        for (int j = 0; j < ITEMS; j++) {
            k[j] = 0;
            if (TILE_ROWS * j < left)
                k[j] = LOAD_AS(BULK, (const key_cell *)(from + j * step));
        }
        enter_all(k, ITEMS, &args->enter);
    }
}

/*
 * The base of a tile whose keys are not sorted yet; `votes` is room to exchange them. Items
 * have `prefix` bits of a key.
 */
DEVICE struct tile_base base_of_codes(const bare *k, int left, wide_cell *votes, int prefix)
{
    key least = (key) ~(key)0, most = 0;

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        if (TILE_ROWS * j < left) {
            most = k[j] > most ? k[j] : most;
            least = k[j] < least ? k[j] : least;
        }
    }
    least = least_key(least, 1);
    most = greatest_key(most, 1);
    if (LANE == 0) {
        STORE(&votes[2 * (THREAD / WARP)], least);
        STORE(&votes[2 * (THREAD / WARP) + 1], most);
    }
    BARRIER();
    UNROLL
    for (int i = 0; i < TILE_ROWS / WARP; i++) {
        const key other_least = (key)LOAD(&votes[2 * i]);
        const key other_most = (key)LOAD(&votes[2 * i + 1]);

        most = other_most > most ? other_most : most;
        least = other_least < least ? other_least : least;
    }
    BARRIER();
    return base_within(least, most, prefix);
}

/* The tile as one list, of lane 0. */
DEVICE struct tile_list whole_list(const struct tile_target *to)
{
    const int chunks = (to->count + CHUNK - 1) / CHUNK;
    struct tile_list list = {0, 0, 0, 0, 0, 0, 0};

    list.from = (unsigned)to->first;
    list.count = LANE == 0 ? to->count : 0;
    list.first_chunk = LANE == 0 ? 0 : chunks;
    list.end_chunk = chunks;
    return list;
}

/* Each block sorts one tile; the last tile may be short. */
KERNEL(tile_sort, struct tile_sort_args)
{
    SHARED(struct tile_sort_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct tile_target to = first_target(&args);
    const int left = to.count - THREAD;
    item r[ITEMS];
    bare k[ITEMS];

    if (args.carry.condition && LOAD((const unsigned_cell *)args.carry.condition) == 0)
        return;
    load_codes(&args, &to, cells, k);

    const struct tile_base b = base_of_codes(k, left, (wide_cell *)sm->cells, PREFIX_BITS);
    const struct tile_list list = whole_list(&to);

    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] =
            TILE_ROWS * j < left ? item_made(k[j], &b, TILE_ROWS * j + THREAD) : filler();
    sort_tile(cells, sm->splits, &args.enter, r);
    store_carried(&args.carry, &args.enter, &list, cells, sm->order, sm->splits, &to, &b,
                  &args.leave);
    clear_cuts(&args);
}

#endif
