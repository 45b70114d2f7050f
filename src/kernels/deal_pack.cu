/*
 * deal_pack.cu - the tiles of each bucket, and the places of frequent values among them
 * (deal.cuh, deal_frequent.cuh).
 */

/* The keys of all buckets before one. */
DEVICE unsigned keys_before(const struct deal_args *args, int bucket, unsigned_cell *sums)
{
    unsigned mine = 0;

    if (THREAD < bucket)
        mine = (unsigned)(LOAD((const wide_cell *)args->next + THREAD) -
                          LOAD((const wide_cell *)args->start + THREAD));
    BARRIER(); /* the sums are used again */
    sum_before(mine, sums);
    return LOAD(&sums[DEAL_WARPS]);
}

/* Does a tile begin at a bin of `count` keys, after `before` keys and a bin of `last`? */
DEVICE int begins_tile(unsigned before, unsigned last, unsigned count, unsigned fill)
{
    const unsigned spare = TILE - fill;

    return before / fill != (before - last) / fill || count > spare || last > spare;
}

/*
 * Keys after which a tile takes no further bin: what the fullest bin, of which my thread
 * knows `most`, leaves of a tile. A bin of more than half a tile is a tile of its own.
 */
DEVICE unsigned fill_of_tiles(unsigned most, unsigned_cell *room)
{
    most = GREATEST(most);
    if (LANE == 0)
        STORE(&room[THREAD / WARP], most);
    BARRIER();
    NO_UNROLL
    for (int i = 0; i < DEAL_WARPS; i++) {
        const unsigned other = LOAD(&room[i]);

        most = other > most ? other : most;
    }
    BARRIER();
    return most < TILE / 2 ? TILE - most : TILE / 2;
}

struct deal_pack_shared {
    struct deal_sums all;
    unsigned_cell begin[DEAL_MOST + 1]; /* of each tile: the keys before it */
    unsigned_cell lift[DEAL_MOST]; /* of each tile: keys of frequent values before it */
    unsigned_cell listed;          /* tiles of other buckets in the list */
};

AGREE(sizeof(struct deal_pack_shared) <= DEAL_PACK_SHARED);

/* Number the tiles: each bin's cell gets the number of its tile. */
DEVICE void number_tiles(struct deal_pack_shared *sm, unsigned fill)
{
    unsigned_cell *const cells = sm->all.before;
    const unsigned first = (unsigned)(THREAD * BINS_EACH);
    unsigned at = LOAD(&cells[bin_cell(first)]);
    unsigned last = THREAD ? at - LOAD(&cells[bin_cell(first - 1)]) : 0;
    unsigned before[BINS_EACH];
    unsigned begun = 0, begins = 0; /* a bit for each of my bins */

    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        const unsigned next = LOAD(&cells[bin_cell(first + (unsigned)i + 1)]);

        if (begins_tile(at, last, next - at, fill) || (THREAD == 0 && i == 0)) {
            begins |= 1u << i;
            begun++;
        }
        before[i] = at;
        last = next - at;
        at = next;
    }

    unsigned tile = sum_before(begun, sm->all.sums); /* all cells are read */

    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        if (begins >> i & 1) {
            if (tile < DEAL_MOST)
                STORE(&sm->begin[tile], before[i]);
            tile++;
        }
        STORE(&cells[bin_cell(first + (unsigned)i)], tile - 1);
    }
    BARRIER();
}

/* A frequent value, as the block of a bucket sees it. */
struct deal_value {
    int is_here;     /* it belongs to the bucket, ... */
    unsigned tile;   /* ... among the keys of this tile */
    unsigned keys;   /* with this value */
    unsigned before; /* keys of lower values */
};

/* My frequent value, if I have one. */
DEVICE struct deal_value load_value(const struct deal_args *args, int bucket)
{
    const struct deal_bins bins = all_bins(args);
    const key code = (key)LOAD(frequent_row(args, FREQUENT_CODE) + THREAD);
    const unsigned bin = bin_of(code, &bins, bins.gap != 0);
    const int owner = (int)LOAD((const place_cell *)args->bucket_of + bin) % DEAL_MOST;
    struct deal_value mine = {owner == bucket, 0, 0, 0};

    mine.keys = (unsigned)LOAD(frequent_row(args, FREQUENT_KEYS) + THREAD);
    mine.before = owner < bucket ? mine.keys : 0;
    if (mine.is_here) {
        const struct deal_bins own = bins_of_bucket(args, bucket);

        mine.tile = LOAD((const place_cell *)args->tile_of + (wide)bucket * DEAL_BINS +
                         bin_of(code, &own, own.gap != 0));
    }
    return mine;
}

/*
 * Find the tile of my frequent value, and store in `lift` how many keys of frequent values
 * come before each tile. Returns whether a frequent value is in the range of my tile.
 */
DEVICE int lift_tiles(const struct deal_args *args, struct deal_pack_shared *sm, int bucket,
                      unsigned found, struct deal_value *mine)
{
    const unsigned value = (unsigned)THREAD;

    STORE(&sm->lift[THREAD], 0);
    BARRIER();
    if (value < found)
        *mine = load_value(args, bucket);
    if (mine->is_here)
        ADD(PLAIN, &sm->lift[mine->tile], mine->keys);
    sum_before(mine->before, sm->all.sums);

    const unsigned lower = LOAD(&sm->all.sums[DEAL_WARPS]); /* in lower buckets */

    BARRIER();
    mine->before = sum_before(mine->keys, sm->all.sums);
    BARRIER();
    /* A part of a tile more, since fills begin at a multiple of WARP. */
    const unsigned fills = value < found ? (mine->keys + WARP - 1) / TILE + 1 : 0;
    const unsigned lower_fills = sum_before(fills, sm->all.sums);

    if (bucket == 0 && value < found)
        STORE(frequent_row(args, FREQUENT_FILL) + value, lower_fills);
    if (bucket == 0 && THREAD == 0)
        STORE((wide_cell *)args->head + DEAL_FILLS, LOAD(&sm->all.sums[DEAL_WARPS]));
    BARRIER();

    const unsigned inside = LOAD(&sm->lift[THREAD]);

    STORE(&sm->lift[THREAD], lower + sum_before(inside, sm->all.sums));
    BARRIER();
    return inside > 0;
}

/* Store the place of my frequent value; the bucket begins at `first`. */
DEVICE void place_value(const struct deal_args *args, const struct deal_pack_shared *sm,
                        const struct deal_value *mine, unsigned first)
{
    if (!mine->is_here)
        return;

    const unsigned begin = LOAD(&sm->begin[mine->tile]);
    const unsigned count = LOAD(&sm->begin[mine->tile + 1]) - begin;

    first += begin;
    STORE(frequent_row(args, FREQUENT_TILE) + THREAD, first + LOAD(&sm->lift[mine->tile]));
    STORE(frequent_row(args, FREQUENT_FIRST) + THREAD, first + mine->before);
    STORE(frequent_row(args, FREQUENT_PAST) + THREAD, first + mine->before + count);
}

/*
 * Are the keys of a tile, one bin, all equal? Bins must have one code each. Codes outside
 * the range, if there can be any, are in the first and the last bin.
 */
DEVICE int is_single(const struct deal_args *args, int bucket, unsigned tile,
                     unsigned tiles)
{
    const struct deal_bins bins = bins_of_bucket(args, bucket);
    const wide_cell *const first = (const wide_cell *)args->first + bucket;
    const int below = tile == 0 && LOAD(first) == 0 && bins.base > 0;
    const int above =
        tile + 1 == tiles && LOAD(first + 1) == DEAL_BINS && (key)~bins.base >= DEAL_BINS;

    return bins.shift == 0 && !bins.gap && !below && !above;
}

/* Most keys of one word of the list, if they are equal and need not be sorted. */
enum { EQUAL_MOST = 2 * TILE - WARP };

AGREE((int)EQUAL_MOST < (int)DEAL_EQUAL);

/* Words of the list for a tile of `count` keys; more keys than TILE are equal. */
DEVICE unsigned words_of_tile(unsigned count)
{
    return count > TILE ? (count + EQUAL_MOST - 1) / EQUAL_MOST : count > 0;
}

/* List my tile, which begins at `place`, from word `listed` on. */
DEVICE void list_tile(const struct deal_args *args, wide place, unsigned count, wide listed,
                      int around)
{
    const unsigned flags = (around ? DEAL_AROUND : 0) | (count > TILE ? DEAL_EQUAL : 0);
    wide_cell *const list = (wide_cell *)args->tiles + listed;

    NO_UNROLL
    for (unsigned first = 0; first < count; first += EQUAL_MOST) {
        const unsigned left = count - first;

        STORE(list + first / EQUAL_MOST,
              (place + first) << 16 | flags | (left < EQUAL_MOST ? left : EQUAL_MOST));
    }
}

/* Give the bucket's tiles their places, and list them; it begins at `first`. */
DEVICE void pack_tiles(const struct deal_args *args, struct deal_pack_shared *sm,
                       unsigned tiles, unsigned first)
{
    const int bucket = BLOCK;
    const unsigned tile = (unsigned)THREAD;
    const unsigned found = frequent_count(args, DEAL_FOUND);
    struct deal_value value = {0, 0, 0, 0};
    const int around = found ? lift_tiles(args, sm, bucket, found, &value) : 0;

    BARRIER();

    const unsigned begin = tile < tiles ? LOAD(&sm->begin[tile]) : 0;
    const unsigned count = tile < tiles ? LOAD(&sm->begin[tile + 1]) - begin : 0;
    const unsigned before = sum_before(words_of_tile(count), sm->all.sums);
    const unsigned all = LOAD(&sm->all.sums[DEAL_WARPS]);
    const wide place = (wide)first + begin + (found ? LOAD(&sm->lift[THREAD]) : 0);

    if (THREAD == 0)
        STORE(&sm->listed,
              (unsigned)ADD(PLAIN, (wide_cell *)args->head + DEAL_LISTED, all));
    BARRIER();

    const wide listed = LOAD(&sm->listed);

    if (listed + all > args->most_tiles ||
        (count > TILE && (around || !is_single(args, bucket, tile, tiles)))) {
        stop_dealing(args, DEAL_PACKING);
        return;
    }
    if (tile < tiles)
        STORE((wide_cell *)args->tile_next + (wide)bucket * DEAL_MOST + tile, place);
    list_tile(args, place, count, listed + before, around);
    place_value(args, sm, &value, first);
}

/*
 * A block for each bucket makes tiles of its bins. A tile begins where another multiple of
 * `fill` keys lies before it. So it has fewer than `fill` keys and those of its last bin.
 */
KERNEL(deal_pack, struct deal_args)
{
    SHARED(struct deal_pack_shared, sm);
    const int bucket = BLOCK;
    const wide bins = (wide)bucket * DEAL_BINS;

    if (!is_dealing(&args, DEAL_PACKING))
        return;

    const unsigned most = sum_bins(&sm->all, (const unsigned_cell *)args.fine + bins);

    number_tiles(sm, fill_of_tiles(most, sm->begin));
    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        const unsigned bin = (unsigned)(i * DEAL_THREADS + THREAD);

        STORE((place_cell *)args.tile_of + bins + bin,
              (unsigned short)(LOAD(&sm->all.before[bin_cell(bin)]) % DEAL_MOST));
    }

    const unsigned tiles = LOAD(&sm->all.sums[DEAL_WARPS]);
    const unsigned first = keys_before(&args, bucket, sm->all.sums);

    if (tiles > DEAL_MOST) {
        if (THREAD == 0)
            stop_dealing(&args, DEAL_PACKING);
        return;
    }
    if (THREAD == 0)
        STORE(&sm->begin[tiles], LOAD(&sm->all.before[bin_cell(DEAL_BINS)]));
    pack_tiles(&args, sm, tiles, first);
}
