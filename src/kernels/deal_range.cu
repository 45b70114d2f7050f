/*
 * deal_range.cu - samples of keys to be dealt (deal.cuh): their range, which of them
 * repeat, and how many are in each part of the range.
 */

/* Clear what later kernels add to. */
DEVICE void clear_deal(const struct deal_args *args)
{
    for (int i = THREAD; i < DEAL_BINS; i += TILE_ROWS)
        STORE((unsigned_cell *)args->bins + i, 0);
    for (int i = THREAD; i < DEAL_FREQUENT; i += TILE_ROWS)
        STORE(frequent_row(args, FREQUENT_SAMPLES) + i, 0);
    if (THREAD < DEAL_HEAD)
        STORE((wide_cell *)args->head + THREAD, 0);
}

struct deal_range_shared {
    item_cell cells[TILE_ROWS * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];               /* of sort_tile; then each warp's reach */
    unsigned_cell sums[TILE_ROWS / WARP + 1]; /* of a block */
};

AGREE(sizeof(struct deal_range_shared) <=
      DEAL_RANGE_SHARED(TILE_ROWS, ITEMS, sizeof(item)));
AGREE(TILE_ROWS / WARP * DEAL_REACH * 2 <= TILE_ROWS);

/* Are the `count` samples from `place` on equal? */
DEVICE int are_equal(int cells, unsigned place, unsigned count)
{
    return place + count <= TILE &&
           sorted_code(cells, place) == sorted_code(cells, place + count - 1);
}

/* Does another code begin at `place`? */
DEVICE int is_other(int cells, unsigned place)
{
    return !place || sorted_code(cells, place) != sorted_code(cells, place - 1);
}

/* The reach of some samples. */
struct deal_reach {
    key least, most, below, above;
    unsigned equal;
};

DEVICE struct deal_reach no_reach(void)
{
    const struct deal_reach none = {(key) ~(key)0, 0, 0, (key) ~(key)0, 0};

    return none;
}

DEVICE void store_reach(wide_cell *to, const struct deal_reach *reach)
{
    STORE(to + REACH_LEAST, reach->least);
    STORE(to + REACH_MOST, reach->most);
    STORE(to + REACH_BELOW, reach->below);
    STORE(to + REACH_ABOVE, reach->above);
    STORE(to + REACH_EQUAL, reach->equal);
}

DEVICE struct deal_reach stored_reach(const wide_cell *from)
{
    struct deal_reach reach;

    reach.least = (key)LOAD(from + REACH_LEAST);
    reach.most = (key)LOAD(from + REACH_MOST);
    reach.below = (key)LOAD(from + REACH_BELOW);
    reach.above = (key)LOAD(from + REACH_ABOVE);
    reach.equal = (unsigned)LOAD(from + REACH_EQUAL);
    return reach;
}

DEVICE void reach_code(struct deal_reach *mine, key code, key zero)
{
    mine->least = code < mine->least ? code : mine->least;
    mine->most = code > mine->most ? code : mine->most;
    if (code < zero)
        mine->below = code > mine->below ? code : mine->below;
    else
        mine->above = code < mine->above ? code : mine->above;
}

/*
 * The reach of the samples in my row. Returns whether any of them is equal to one before or
 * after it; mostly none is.
 */
DEVICE int reach_of_row(int cells, key zero, struct deal_reach *mine)
{
    const unsigned first = (unsigned)(THREAD * ITEMS);
    const unsigned past = first + ITEMS;
    key last = sorted_code(cells, first ? first - 1 : 0);
    int again = past < TILE && !is_other(cells, past);

    *mine = no_reach();
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const key code = sorted_code(cells, first + (unsigned)i);

        again |= code == last && first + (unsigned)i > 0;
        reach_code(mine, code, zero);
        last = code;
    }
    return again;
}

/* The same without values of `alike` samples or more, and with the count of equal ones. */
DEVICE struct deal_reach reach_of_most(int cells, key zero, unsigned alike)
{
    const unsigned first = (unsigned)(THREAD * ITEMS);
    struct deal_reach mine = no_reach();
    int is_long = 0;

    NO_UNROLL
    for (unsigned i = first; i < first + ITEMS; i++) {
        const key code = sorted_code(cells, i);
        const int again = !is_other(cells, i);

        if (!again || i == first)
            is_long = are_equal(cells, again ? place_of_code(cells, i, code) : i, alike);
        if (is_long)
            continue;
        mine.equal += (unsigned)again;
        reach_code(&mine, code, zero);
    }
    return mine;
}

/* Join the reaches of all threads of `warps` warps. */
DEVICE struct deal_reach reach_of_all(struct deal_reach mine, wide_cell *words,
                                      const int warps)
{
    wide_cell *const own = words + THREAD / WARP * DEAL_REACH;

    mine.least = least_key(mine.least, 1);
    mine.most = greatest_key(mine.most, 1);
    mine.below = greatest_key(mine.below, 1);
    mine.above = least_key(mine.above, 1);
    mine.equal = SUM(mine.equal);
    if (LANE == 0)
        store_reach(own, &mine);
    BARRIER();
    mine.equal = 0;
    NO_UNROLL
    for (int i = 0; i < warps; i++) {
        const struct deal_reach other = stored_reach(words + i * DEAL_REACH);

        mine.least = other.least < mine.least ? other.least : mine.least;
        mine.most = other.most > mine.most ? other.most : mine.most;
        mine.below = other.below > mine.below ? other.below : mine.below;
        mine.above = other.above < mine.above ? other.above : mine.above;
        mine.equal += other.equal;
    }
    BARRIER();
    return mine;
}

/*
 * Store the values that may be frequent: those of at least 2 samples in the tile. If there
 * are more than DEAL_FREQUENT of them, only values of at least 4 samples, 8 and so on.
 * `again`: my row has a value twice.
 */
DEVICE void store_likely(const struct deal_args *args, int cells, int again,
                         unsigned_cell *sums)
{
    enum { SUMS = TILE_ROWS / WARP };
    const unsigned first = (unsigned)(THREAD * ITEMS);
    wide_cell *const codes = frequent_row(args, FREQUENT_CODE);
    unsigned length = 1, before, all;

    do {
        unsigned mine = 0;

        length *= 2;
        NO_UNROLL
        for (unsigned i = first; i < first + ITEMS && again; i++)
            mine += are_equal(cells, i, length) && is_other(cells, i);
        before = sum_before_in(mine, sums, SUMS);
        all = LOAD(&sums[SUMS]);
        BARRIER();
    } while (all > DEAL_FREQUENT);
    NO_UNROLL
    for (unsigned i = first; i < first + ITEMS && all && again; i++) {
        if (are_equal(cells, i, length) && is_other(cells, i))
            STORE(codes + before++, sorted_code(cells, i));
    }
    if (THREAD == 0)
        STORE((wide_cell *)args->head + DEAL_LIKELY, all);
}

/*
 * My block's sample of `turn`: one of BLOCKS consecutive samples, another one in each turn.
 * Samples at equal distances could all meet the same key of a periodic input.
 */
DEVICE unsigned turn_sample(unsigned turn)
{
    const unsigned blocks = (unsigned)BLOCKS;

    return turn * blocks + ((unsigned)BLOCK + (turn * 0x9e3779b1u >> 16)) % blocks;
}

/*
 * Each block sorts a tile of samples, spread over all keys, and tells what it found. It
 * also stores the samples for deal_sample, contiguously, in the array that keys are dealt
 * to later: among the keys each sample costs a sector.
 */
KERNEL(deal_range, struct deal_args)
{
    SHARED(struct deal_range_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct key_code no_code = {0, 0, 0};
    const key zero = args.merged.enter.is_float ? enter(0, &args.merged.enter) : 0;
    key_cell *const samples = (key_cell *)args.room + (wide)BLOCK * TILE;
    struct deal_reach mine;
    item r[ITEMS];

    if (BLOCK == 0)
        clear_deal(&args);
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] = sample_code(&args, turn_sample((unsigned)(TILE_ROWS * j + THREAD)));
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        STORE_AS(SAMPLE, samples + (TILE_ROWS * j + THREAD), (key)r[j]);
    sort_tile(cells, sm->splits, &no_code, r);
    BARRIER();

    const int again = reach_of_row(cells, zero, &mine);

    if (again)
        mine = reach_of_most(cells, zero, args.alike);

    const struct deal_reach all =
        reach_of_all(mine, (wide_cell *)sm->splits, TILE_ROWS / WARP);

    if (THREAD == 0)
        store_reach((wide_cell *)args.reach + BLOCK * DEAL_REACH, &all);
    if (BLOCK == 0)
        store_likely(&args, cells, again, sm->sums);
}

struct deal_sample_shared {
    key_cell tree[DEAL_FREQUENT + 1];
    unsigned_cell counts[DEAL_BINS + DEAL_FREQUENT]; /* first the words of each reach */
};

AGREE(sizeof(struct deal_sample_shared) <= DEAL_SAMPLE_SHARED);

/* What the blocks of deal_range found. */
DEVICE struct deal_reach load_reach(const struct deal_args *args, unsigned_cell *room)
{
    const wide_cell *const reach = (const wide_cell *)args->reach + THREAD * DEAL_REACH;

    return reach_of_all((unsigned)THREAD < args->samples / TILE ? stored_reach(reach)
                                                                : no_reach(),
                        (wide_cell *)room, DEAL_WARPS);
}

/*
 * Cut the range of the samples into bins. It is extended by 1/1024 on either side, for keys
 * that lie outside. If all samples are of frequent values, the range is all codes.
 */
DEVICE struct deal_bins cut_range(const struct deal_args *args,
                                  const struct deal_reach *reach)
{
    const int signs =
        args->merged.enter.is_float && reach->below && reach->above > reach->below;
    const key least = reach->least > reach->most ? 0 : reach->least;
    struct deal_bins bins;

    bins.below = reach->below;
    bins.gap = signs ? reach->above - reach->below - 1 : 0;
    if (~reach->above == 0)
        bins.gap = 0;

    const key most =
        reach->least > reach->most ? (key) ~(key)0 : (key)(reach->most - bins.gap);
    const key more = (key)(most - least) / 1024 + 1;
    const key to = (key)~most > more ? most + more : (key) ~(key)0;

    bins.base = least > more ? least - more : 0;

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
 * Count samples in bins, DEAL_SAMPLED a block, or with their value if that may be frequent;
 * and clear the bins of the buckets. If too many samples are equal, keys are not dealt: a
 * bin could be too full. Narrow bins are no problem: the bins of a bucket then have one
 * code each, and may have any number of keys.
 */
KERNEL(deal_sample, struct deal_args)
{
    enum { SAMPLES_EACH = DEAL_SAMPLED / DEAL_THREADS };
    SHARED(struct deal_sample_shared, sm);
    const key_cell *const samples =
        (const key_cell *)args.room + (BLOCK * DEAL_SAMPLED + THREAD);
    key codes[SAMPLES_EACH];

    UNROLL
    for (int i = 0; i < SAMPLES_EACH; i++) /* all under way at once */
        codes[i] = LOAD_AS(SAMPLE, samples + i * DEAL_THREADS);

    const struct deal_reach reach = load_reach(&args, sm->counts);
    const struct deal_bins bins = cut_range(&args, &reach);

    if (reach.equal > args.most_equal && (bins.shift > DEAL_EXACT || bins.gap)) {
        if (BLOCK == 0 && THREAD == 0)
            stop_dealing(&args, DEAL_SPLITTING);
        return;
    }

    const struct deal_tree tree = make_tree(&args, frequent_count(&args, DEAL_LIKELY),
                                            sm->tree, &sm->counts[DEAL_BINS]);

    if (BLOCK == 0 && THREAD == 0)
        store_bins(&args, &bins);
    for (unsigned i = (unsigned)(BLOCK * DEAL_THREADS + THREAD);
         i < args.buckets * DEAL_BINS; i += (unsigned)(BLOCKS * DEAL_THREADS))
        STORE((unsigned_cell *)args.fine + i, 0);
    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS)
        STORE(&sm->counts[i], 0);
    BARRIER();
    UNROLL
    for (int i = 0; i < SAMPLES_EACH; i++) {
        const unsigned node = find_node(&tree, codes[i]);

        ADD(SAMPLE,
            &sm->counts[node < DEAL_FREQUENT ? DEAL_BINS + node
                                             : bin_of(codes[i], &bins, bins.gap != 0)],
            1);
    }
    BARRIER();
    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS) {
        const unsigned count = LOAD(&sm->counts[i]);

        if (count)
            ADD(SAMPLE, (unsigned_cell *)args.bins + i, count);
    }
    add_counts(&args, &tree, &sm->counts[DEAL_BINS], FREQUENT_SAMPLES);
}
