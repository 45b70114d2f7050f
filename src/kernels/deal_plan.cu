/*
 * deal_plan.cu - where to deal keys to (deal.cuh): the range, buckets and tiles.
 */

/* Clear what later kernels add to. */
DEVICE void clear_deal(const struct deal_args *args)
{
    for (int i = THREAD; i < DEAL_BINS; i += TILE_ROWS)
        STORE((wide_cell *)args->bins + i, 0);
    if (THREAD < DEAL_HEAD)
        STORE((wide_cell *)args->head + THREAD, 0);
}

struct deal_range_shared {
    item_cell cells[TILE_ROWS * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];
    unsigned_cell equal[TILE_ROWS / WARP];
    unsigned_cell negative[TILE_ROWS / WARP];
};

AGREE(sizeof(struct deal_range_shared) <=
      DEAL_RANGE_SHARED(TILE_ROWS, ITEMS, sizeof(item)));

/* Item `place` of the sorted tile. */
DEVICE key sorted_code(int cells, unsigned place)
{
    return (key)LOAD(SHARED_CELL(item_cell, cells) + place + place / ITEMS);
}

/* Each block sorts a tile of samples, spread over all keys, and tells what it found. */
KERNEL(deal_range, struct deal_args)
{
    SHARED(struct deal_range_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct key_code no_code = {0, 0, 0};
    const key zero = args.merged.enter.is_float ? enter(0, &args.merged.enter) : 0;
    wide_cell *const reach = (wide_cell *)args.reach + BLOCK * DEAL_REACH;
    unsigned equal = 0, negative = 0;
    item r[ITEMS];

    if (BLOCK == 0)
        clear_deal(&args);
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] = sample_code(&args, (unsigned)((TILE_ROWS * j + THREAD) * BLOCKS + BLOCK),
                           (unsigned)(TILE * BLOCKS));
    sort_tile(cells, sm->splits, &no_code, r);
    NO_UNROLL
    for (unsigned i = (unsigned)(THREAD * ITEMS); i < (unsigned)(THREAD + 1) * ITEMS; i++) {
        equal += i % ITEMS && sorted_code(cells, i) == sorted_code(cells, i - 1);
        negative += sorted_code(cells, i) < zero;
    }
    equal = SUM(equal);
    negative = SUM(negative);
    if (LANE == 0) {
        STORE(&sm->equal[THREAD / WARP], equal);
        STORE(&sm->negative[THREAD / WARP], negative);
    }
    BARRIER();
    if (THREAD == 0) {
        for (int i = 1; i < TILE_ROWS / WARP; i++) {
            equal += LOAD(&sm->equal[i]);
            negative += LOAD(&sm->negative[i]);
        }
        STORE(reach + REACH_LEAST, sorted_code(cells, 0));
        STORE(reach + REACH_MOST, sorted_code(cells, TILE - 1));
        STORE(reach + REACH_BELOW, negative ? sorted_code(cells, negative - 1) : 0);
        STORE(reach + REACH_ABOVE,
              negative < TILE ? sorted_code(cells, negative) : (key) ~(key)0);
        STORE(reach + REACH_EQUAL, equal);
    }
}

/* The reach of all samples, as bins. */
struct deal_reach {
    key least, most, below, above;
    unsigned equal;
};

struct deal_sample_shared {
    unsigned_cell counts[DEAL_BINS]; /* first the words of each warp's reach */
};

/* The reach that each thread has, of all threads. */
DEVICE struct deal_reach reach_of_all(struct deal_reach mine, unsigned_cell *room)
{
    wide_cell *const words = (wide_cell *)room;
    wide_cell *const own = words + THREAD / WARP * DEAL_REACH;

    mine.least = least_key(mine.least, 1);
    mine.most = greatest_key(mine.most, 1);
    mine.below = greatest_key(mine.below, 1);
    mine.above = least_key(mine.above, 1);
    mine.equal = SUM(mine.equal);
    if (LANE == 0) {
        STORE(own + REACH_LEAST, mine.least);
        STORE(own + REACH_MOST, mine.most);
        STORE(own + REACH_BELOW, mine.below);
        STORE(own + REACH_ABOVE, mine.above);
        STORE(own + REACH_EQUAL, mine.equal);
    }
    BARRIER();
    mine.equal = 0;
    NO_UNROLL
    for (int i = 0; i < DEAL_WARPS; i++) {
        const wide_cell *const other = words + i * DEAL_REACH;
        const key least = (key)LOAD(other + REACH_LEAST);
        const key most = (key)LOAD(other + REACH_MOST);
        const key below = (key)LOAD(other + REACH_BELOW);
        const key above = (key)LOAD(other + REACH_ABOVE);

        mine.least = least < mine.least ? least : mine.least;
        mine.most = most > mine.most ? most : mine.most;
        mine.below = below > mine.below ? below : mine.below;
        mine.above = above < mine.above ? above : mine.above;
        mine.equal += (unsigned)LOAD(other + REACH_EQUAL);
    }
    BARRIER();
    return mine;
}

/* What the blocks of deal_range found. */
DEVICE struct deal_reach load_reach(const struct deal_args *args, unsigned_cell *room)
{
    const wide_cell *const reach = (const wide_cell *)args->reach + THREAD * DEAL_REACH;
    struct deal_reach mine = {(key) ~(key)0, 0, 0, (key) ~(key)0, 0};

    if ((unsigned)THREAD < args->samples / TILE) {
        mine.least = (key)LOAD(reach + REACH_LEAST);
        mine.most = (key)LOAD(reach + REACH_MOST);
        mine.below = (key)LOAD(reach + REACH_BELOW);
        mine.above = (key)LOAD(reach + REACH_ABOVE);
        mine.equal = (unsigned)LOAD(reach + REACH_EQUAL);
    }
    return reach_of_all(mine, room);
}

/*
 * Cut the range of the samples into bins. A 1024th more on either side has what other keys
 * exceed the samples by, if they are spread as evenly there.
 */
DEVICE struct deal_bins cut_range(const struct deal_args *args,
                                  const struct deal_reach *reach)
{
    const int signs =
        args->merged.enter.is_float && reach->below && reach->above > reach->below;
    struct deal_bins bins;

    bins.below = reach->below;
    bins.gap = signs ? reach->above - reach->below - 1 : 0;
    if (~reach->above == 0)
        bins.gap = 0;

    const key most = reach->most - bins.gap;
    const key more = (key)(most - reach->least) / 1024 + 1;
    const key to = (key)~most > more ? most + more : (key) ~(key)0;

    bins.base = reach->least > more ? reach->least - more : 0;

    const wide range = (wide)(key)(to - bins.base);
    const int bits = range >> 32 ? 33 + HIGHEST_BIT((unsigned)(range >> 32))
                                 : 1 + HIGHEST_BIT((unsigned)range | 1);

    bins.shift = bits > DEAL_BIN_BITS ? bits - DEAL_BIN_BITS : 0;
    return bins;
}

/* Tell later kernels. */
DEVICE void store_bins(const struct deal_args *args, const struct deal_bins *bins)
{
    wide_cell *const head = (wide_cell *)args->head;

    STORE(head + DEAL_BASE, bins->base);
    STORE(head + DEAL_SHIFT, (wide)bins->shift);
    STORE(head + DEAL_BELOW, bins->below);
    STORE(head + DEAL_GAP, bins->gap);
}

/*
 * Count samples in bins, DEAL_SAMPLES a block; and clear the bins of the buckets. Keys of
 * which many are equal are not dealt: a bin could be too full.
 */
KERNEL(deal_sample, struct deal_args)
{
    SHARED(struct deal_sample_shared, sm);
    const unsigned mine = (unsigned)(BLOCK * DEAL_SAMPLES + THREAD);
    const struct deal_reach reach = load_reach(&args, sm->counts);

    if (reach.equal > args.most_equal) {
        if (BLOCK == 0 && THREAD == 0)
            stop_dealing(&args, DEAL_SPLITTING);
        return;
    }

    const struct deal_bins bins = cut_range(&args, &reach);

    if (BLOCK == 0 && THREAD == 0)
        store_bins(&args, &bins);
    for (unsigned i = (unsigned)(BLOCK * DEAL_THREADS + THREAD);
         i < args.buckets * DEAL_BINS; i += (unsigned)(BLOCKS * DEAL_THREADS))
        STORE((wide_cell *)args.fine + i, 0);
    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS)
        STORE(&sm->counts[i], 0);
    BARRIER();
    UNROLL
    for (int i = 0; i < DEAL_SAMPLES / DEAL_THREADS; i++) {
        const key code =
            sample_code(&args, mine + (unsigned)(i * DEAL_THREADS), args.samples);

        ADD(SAMPLE, &sm->counts[bin_of(code, &bins, bins.gap != 0)], 1);
    }
    BARRIER();
    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS) {
        const unsigned count = LOAD(&sm->counts[i]);

        if (count)
            ADD(SAMPLE, (wide_cell *)args.bins + i, count);
    }
}

/* Room for a bucket with these samples: a tenth more than it should have, and some. */
DEVICE unsigned bucket_room(const struct deal_args *args, unsigned samples)
{
    const wide likely = (wide)samples * args->count / args->samples;
    const wide spare = likely / 10 + 64 * (args->count / args->samples + 1);

    return (unsigned)(likely + spare + WARP - 1) / WARP * WARP;
}

/* The bucket of a bin: a new one begins at every share, and at every DEAL_WIDEST bins. */
DEVICE unsigned bucket_of_bin(const struct deal_sums *sm, const struct deal_args *args,
                              unsigned bin)
{
    const wide before = LOAD_AS(SEARCH, &sm->before[bin]);
    const unsigned share = (unsigned)(before * args->shares / args->samples);

    return (share < args->shares ? share : args->shares - 1) + bin / DEAL_WIDEST;
}

/* The first bin of a bucket, or of a later one if it has none. */
DEVICE unsigned first_bin(const struct deal_sums *sm, const struct deal_args *args,
                          unsigned bucket)
{
    unsigned at = 0;

    NO_UNROLL
    for (int step = DEAL_BINS / 2; step > 0; step /= 2) {
        if (bucket_of_bin(sm, args, at + (unsigned)step - 1) < bucket)
            at += (unsigned)step;
    }
    return bucket_of_bin(sm, args, at) < bucket ? at + 1 : at;
}

/* One block makes buckets of bins, about equal in samples. */
KERNEL(deal_split, struct deal_args)
{
    SHARED(struct deal_sums, sm);
    const unsigned bucket = (unsigned)THREAD;

    if (!is_dealing(&args, DEAL_DEALING))
        return;
    sum_bins(sm, (const wide_cell *)args.bins);

    const unsigned begin = first_bin(sm, &args, bucket);
    const unsigned end = first_bin(sm, &args, bucket + 1);
    const unsigned samples = LOAD(&sm->before[end]) - LOAD(&sm->before[begin]);
    const unsigned room = begin < end ? bucket_room(&args, samples) : 0;
    const wide likely = (wide)samples * args.count / args.samples;

    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        const unsigned bin = (unsigned)(i * DEAL_THREADS + THREAD);

        STORE((place_cell *)args.bucket_of + bin,
              (unsigned short)bucket_of_bin(sm, &args, bin));
    }
    BARRIER();

    const unsigned start = sum_before(room, sm->sums);

    STORE((wide_cell *)args.first + bucket, begin);
    STORE((wide_cell *)args.start + bucket, start);
    STORE((wide_cell *)args.next + bucket, start);
    if (THREAD == DEAL_THREADS - 1) {
        STORE((wide_cell *)args.first + DEAL_MOST, DEAL_BINS);
        STORE((wide_cell *)args.start + DEAL_MOST, start + room);
    }
    /* Three quarters of the tiles that a bucket can have: samples do not tell exactly. */
    if (likely > (wide)args.fill * (DEAL_MOST * 3 / 4) || start + room > args.room_count)
        stop_dealing(&args, DEAL_SPLITTING);
}

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
    unsigned_cell listed;               /* tiles of other buckets in the list */
};

AGREE(sizeof(struct deal_pack_shared) <= DEAL_PACK_SHARED);

/* Number the tiles: mine[i] is one more than that of the tile of my bin i. */
DEVICE void number_tiles(struct deal_pack_shared *sm, unsigned fill, unsigned *mine)
{
    const unsigned_cell *const before = &sm->all.before[THREAD * BINS_EACH];
    unsigned last = THREAD ? LOAD(before) - LOAD(before - 1) : 0;
    unsigned begun = 0;

    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        const unsigned at = LOAD(&before[i]);
        const unsigned count = LOAD(&before[i + 1]) - at;

        begun += begins_tile(at, last, count, fill) || (THREAD == 0 && i == 0);
        mine[i] = begun;
        last = count;
    }

    const unsigned others = sum_before(begun, sm->all.sums);

    begun = 0;
    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        if (mine[i] > begun && others + begun < DEAL_MOST)
            STORE(&sm->begin[others + begun], LOAD(&before[i]));
        begun = mine[i];
        mine[i] += others;
    }
}

/*
 * A block for each bucket makes tiles of its bins. A tile begins where another multiple of
 * `fill` keys lies before it. So it has fewer than `fill` keys and those of its last bin.
 */
KERNEL(deal_pack, struct deal_args)
{
    SHARED(struct deal_pack_shared, sm);
    const int bucket = BLOCK;
    const unsigned tile = (unsigned)THREAD;
    unsigned mine[BINS_EACH];

    if (!is_dealing(&args, DEAL_PACKING))
        return;

    const unsigned most =
        sum_bins(&sm->all, (const wide_cell *)args.fine + (wide)bucket * DEAL_BINS);

    number_tiles(sm, fill_of_tiles(most, sm->begin), mine);
    UNROLL
    for (int i = 0; i < BINS_EACH; i++)
        STORE((place_cell *)args.tile_of + (wide)bucket * DEAL_BINS + THREAD * BINS_EACH +
                  i,
              (unsigned short)((mine[i] - 1) % DEAL_MOST));

    const unsigned tiles = LOAD(&sm->all.sums[DEAL_WARPS]);
    const unsigned all = LOAD(&sm->all.before[DEAL_BINS]);
    const unsigned first = keys_before(&args, bucket, sm->all.sums);

    if (THREAD == 0) {
        const wide listed = ADD(PLAIN, (wide_cell *)args.head + DEAL_LISTED, tiles);
        const int fits = tiles <= DEAL_MOST && listed + tiles <= args.most_tiles;

        STORE(&sm->listed, (unsigned)listed);
        if (tiles <= DEAL_MOST)
            STORE(&sm->begin[tiles], all);
        if (!fits)
            stop_dealing(&args, DEAL_PACKING);
        STORE(&sm->all.before[0], (unsigned)fits);
    }
    BARRIER();
    if (tile < tiles && LOAD(&sm->all.before[0])) {
        const unsigned begin = LOAD(&sm->begin[tile]);
        const unsigned count = LOAD(&sm->begin[tile + 1]) - begin;

        STORE((wide_cell *)args.tile_next + (wide)bucket * DEAL_MOST + tile, first + begin);
        STORE((wide_cell *)args.tiles + LOAD(&sm->listed) + tile,
              (wide)(first + begin) << 16 | (count <= TILE ? count : 0));
        if (count > TILE)
            stop_dealing(&args, DEAL_PACKING);
    }
}
