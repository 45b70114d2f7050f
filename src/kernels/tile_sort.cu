/*
 * tile_sort.cu - sort tiles: the first pass of engine tile (tile_block.cuh).
 */

struct tile_sort_shared {
#ifdef TILE_PLACES
    struct tile_stage stage;
#endif
    item_cell cells[TILE_ROWS * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];
};

AGREE(sizeof(struct tile_sort_shared) ==
      (PLACED ? TILE_SORT_PLACED(TILE_ROWS, ITEMS)
              : TILE_SORT_SHARED(TILE_ROWS, ITEMS, sizeof(item))));

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

/* Stage fields of one or two words as they are, with all loads under way at once. */
DEVICE void stage_words(const struct code_part *part, wide row, int left, key_cell *mine)
{
    const char *from = (const char *)part->at + row * part->pitch;
    bare k[ITEMS];

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const unsigned_cell *const at = (const unsigned_cell *)from;

        k[j] = 0;
        if (TILE_ROWS * j < left) {
            k[j] = LOAD_AS(BULK, at);
            if (KEY_BITS == 64 && part->bytes > 4)
                k[j] |= (bare)((wide)LOAD_AS(BULK, at + 1) << 32);
        }
        from = OPAQUE(from + TILE_ROWS * part->pitch);
    }
    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        if (TILE_ROWS * j < left)
            STORE_AS(VALUE, mine + TILE_ROWS * j, (key)k[j]);
    }
}

/* The code of a field from its words. */
DEVICE key code_of_words(const struct code_part *part, key words)
{
    const wide turned =
        (wide)turn_bytes((unsigned)words) << 32 | turn_bytes((unsigned)((wide)words >> 32));

    return (key)part_code(part, !part->is_string  ? words
                                : part->bytes > 4 ? turned
                                                  : turned >> 32);
}

/* Stage codes that are made of parts; mine are TILE_ROWS apart. */
DEVICE void stage_parts(const struct tile_source *source, wide row, int left,
                        key_cell *mine)
{
    const int words = is_words(source);

    if (words)
        stage_words(&source->part[0], row, left, mine);
    NO_UNROLL
    for (int j = 0; j < ITEMS && TILE_ROWS * j < left; j++) {
        key_cell *const to = mine + TILE_ROWS * j;

        STORE_AS(VALUE, to,
                 words ? code_of_words(&source->part[0], LOAD_AS(VALUE, to))
                       : code_of_parts(source, row + TILE_ROWS * j));
    }
}

/* Load the codes of a tile, and stage them. */
DEVICE void load_codes(const struct tile_sort_args *args, const struct tile_target *to,
                       int area, bare *k)
{
    const struct tile_source *const source = &args->carry.source;
    key_cell *const mine = SHARED_CELL(key_cell, area) + THREAD;
    const int left = to->count - THREAD;

    if (source->part_count) {
        stage_parts(source, to->first + THREAD, left, mine);
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            k[j] = TILE_ROWS * j < left ? LOAD_AS(VALUE, mine + TILE_ROWS * j) : 0;
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
        UNROLL
        for (int j = 0; j < ITEMS; j++) {
            if (TILE_ROWS * j < left)
                STORE_AS(VALUE, mine + TILE_ROWS * j, (key)k[j]);
        }
    }
}

/* The codes of a tile are from `least` to `most`. */
struct code_range {
    key least;
    key most;
};

/* Those of a tile whose keys are not sorted yet; `votes` is room to exchange them. */
DEVICE struct code_range range_of_codes(const bare *k, int left, wide_cell *votes)
{
    struct code_range range;
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
    range.least = least;
    range.most = most;
    return range;
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

    const struct tile_list list = whole_list(&to);

    const struct tile_staging stage = begin_staging(&sm->stage, &list, &args.carry.source);
    const int staged = stage_pieces(&stage, &args.carry, 0, (int)sizeof(key));

    load_codes(&args, &to, stage.area, k);

    const struct code_range range = range_of_codes(k, left, (wide_cell *)sm->cells);
    const struct carry_order order = order_of(&stage, cells, sm->splits, to.count);
    struct tile_base b = base_between(range.least, range.most);
    const int skew = b.rest_bits ? find_skew(&order, &b) : 0;

    if (skew) {
        make_skewed(&order, skew, range.least, range.most, &b, r);
    } else {
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            r[j] = TILE_ROWS * j < left ? item_made(k[j], &b, TILE_ROWS * j + THREAD)
                                        : filler();
    }
    sort_tile(cells, sm->splits, &args.enter, r);
    COPIES_WAIT();
    store_carried(&args.carry, &stage, staged, find_ties(r), cells, sm->splits, &to, &b,
                  &args.leave, 0);
    clear_cuts(&args);
}

#endif
