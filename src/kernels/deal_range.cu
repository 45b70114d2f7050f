/*
 * deal_range.cu - samples of keys to be dealt (deal.cuh): their range, and how many are in
 * each part of it.
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
    unsigned equal = 0, negative = 0, alike = 1, longest = 1;
    item r[ITEMS];

    if (BLOCK == 0)
        clear_deal(&args);
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] = sample_code(&args, (unsigned)((TILE_ROWS * j + THREAD) * BLOCKS + BLOCK));
    sort_tile(cells, sm->splits, &no_code, r);
    NO_UNROLL
    for (unsigned i = (unsigned)(THREAD * ITEMS); i < (unsigned)(THREAD + 1) * ITEMS; i++) {
        const key code = sorted_code(cells, i);
        const int again = i % ITEMS && code == sorted_code(cells, i - 1);

        alike = again ? alike + 1 : 1;
        longest = alike > longest ? alike : longest;
        equal += (unsigned)again;
        negative += code < zero;
    }
    equal = GREATEST(longest) > args.most_alike ? args.most_equal + 1 : SUM(equal);
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

/* The reach of some samples. */
struct deal_reach {
    key least, most, below, above;
    unsigned equal;
};

struct deal_sample_shared {
    unsigned_cell counts[DEAL_BINS]; /* first the words of each warp's reach */
};

AGREE(sizeof(struct deal_sample_shared) <= DEAL_SUMS_SHARED);

/* The reach of all threads' samples; mine is that of some. */
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
        const key code = sample_code(&args, mine + (unsigned)(i * DEAL_THREADS));

        ADD(SAMPLE, &sm->counts[bin_of(code, &bins, bins.gap != 0)], 1);
    }
    BARRIER();
    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS) {
        const unsigned count = LOAD(&sm->counts[i]);

        if (count)
            ADD(SAMPLE, (wide_cell *)args.bins + i, count);
    }
}
