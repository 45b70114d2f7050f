/*
 * deal.cuh - sorting keys by dealing them out: what its kernels share.
 *
 * Bare keys that compare equal are equal bit by bit, so they may move in any order. Two
 * passes deal the keys to buckets by ranges of their codes, and the buckets of the second
 * pass, tiles, are sorted one by one. That writes every key three times, where merging
 * writes 2^28 keys five times.
 *
 *   deal_range   sorts tiles of samples: the range of codes, and values that repeat
 *   deal_sample  counts samples in DEAL_BINS bins of that range, and of these values
 *   deal_split   makes buckets of bins, about equal in samples, with room to spare
 *   deal_out     deals the keys from the caller's array to the buckets' room; keys of
 *                frequent values are only counted (deal_frequent.cuh)
 *   deal_count   counts the keys of each bucket in DEAL_BINS bins of its own
 *   deal_pack    makes tiles of these bins, and gives each its exact place
 *   deal_in      deals each bucket to its tiles, in the caller's array
 *   deal_sort    sorts each tile in place, and writes the frequent values
 *
 * Keys that are too uneven for that are noticed by deal_sample, deal_split, deal_out or
 * deal_pack, before the caller's array is written to. The kernels up to deal_in then do
 * nothing more, deal_sort does what tile_sort does, and the keys are merged by the rounds
 * of engine tile (deal_merge.cu), which are launched as well. Otherwise these do nothing.
 */

AGREE(TILE * sizeof(key) == DEAL_BYTES);

enum {
    DEAL_KEYS = DEAL_BYTES / sizeof(key), /* that a block deals at once, ... */
    DEAL_EACH = DEAL_KEYS / DEAL_THREADS, /* ... and a thread */
    DEAL_WARPS = DEAL_THREADS / WARP,
    BINS_EACH = DEAL_BINS / DEAL_THREADS
};

/*
 * Are the keys still to be dealt after the stages before `stage`? A kernel does not ask for
 * a stage of its own: its threads might get different answers.
 */
DEVICE int is_dealing(const struct deal_args *args, const int stage)
{
    wide stopped = 0;

    UNROLL
    for (int i = 0; i < stage; i++)
        stopped |= LOAD((const wide_cell *)args->head + DEAL_STOPPED + i);
    return stopped == 0;
}

/* The keys cannot be dealt. Several blocks may find that. */
DEVICE void stop_dealing(const struct deal_args *args, const int stage)
{
    POST(PLAIN, (wide_cell *)args->head + DEAL_STOPPED + stage, 1);
    POST(PLAIN, (wide_cell *)args->head + DEAL_FAILED, 1);
}

/*
 * Bins of a range of codes. Codes outside belong to the first or the last one. Floats of
 * both signs have a gap in the middle, where the codes of very small numbers are: it is
 * left out, or most bins would be in it.
 */
struct deal_bins {
    key base;
    key below; /* the last code before the gap, ... */
    key gap;   /* ... and the codes in it; 0: there is none */
    int shift;
};

/* `gapped`, perhaps a constant: is there a gap? */
DEVICE unsigned bin_of(key code, const struct deal_bins *bins, const int gapped)
{
    if (gapped && code > bins->below)
        code -= code - bins->below > bins->gap ? bins->gap : code - bins->below;

    const key above = (key)(code > bins->base ? code - bins->base : 0) >> bins->shift;

    return above < DEAL_BINS ? (unsigned)above : DEAL_BINS - 1;
}

/* The bins of the whole range. */
DEVICE struct deal_bins all_bins(const struct deal_args *args)
{
    const wide_cell *const head = (const wide_cell *)args->head;
    struct deal_bins bins;

    bins.base = (key)LOAD(head + DEAL_BASE);
    bins.below = (key)LOAD(head + DEAL_BELOW);
    bins.gap = (key)LOAD(head + DEAL_GAP);
    bins.shift = (int)LOAD(head + DEAL_SHIFT);
    return bins;
}

/* The bins of a bucket: its codes, in as many bins of 2^shift codes as there can be. */
DEVICE struct deal_bins bins_of_bucket(const struct deal_args *args, int bucket)
{
    const wide_cell *const first = (const wide_cell *)args->first + bucket;
    const unsigned begin = (unsigned)LOAD(first);
    const unsigned whole = (unsigned)LOAD(first + 1) - begin;
    const int finer = DEAL_BIN_BITS - (whole > 1 ? HIGHEST_BIT(whole - 1) + 1 : 0);
    struct deal_bins bins = all_bins(args);

    bins.base += (key)((key)begin << bins.shift);
    bins.shift = bins.shift > finer ? bins.shift - finer : 0;
    return bins;
}

/*
 * The place of a sample: one in each stretch of the keys, at a varying offset. The first
 * key is no sample. It may lie far from all others, as 0 does among sorted floats, and
 * would make the range of the samples, and so the bins, much wider.
 */
DEVICE wide sample_place(const struct deal_args *args, unsigned number)
{
    const unsigned whole = (unsigned)(args->stretch >> DEAL_STRETCH_BITS);

    return (number * args->stretch >> DEAL_STRETCH_BITS) +
           ((number + 1) * 0x9e3779b1u >> 7) % whole;
}

DEVICE key sample_code(const struct deal_args *args, unsigned number)
{
    const key_cell *const keys = (const key_cell *)args->keys;

    return enter(LOAD_AS(SAMPLE, keys + sample_place(args, number)), &args->merged.enter);
}

/* Item `place` of a tile that sort_tile sorted; a barrier came before. */
DEVICE key sorted_code(int cells, unsigned place)
{
    return (key)LOAD(SHARED_CELL(item_cell, cells) + place + place / ITEMS);
}

/* Of the first `count` items of the sorted tile, those less than `code`. */
DEVICE unsigned place_of_code(int cells, unsigned count, key code)
{
    unsigned first = 0, last = count;

    NO_UNROLL
    while (first < last) {
        const unsigned middle = (first + last) / 2;

        if (sorted_code(cells, middle) < code)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/*
 * The sum of `mine` over the threads before mine, of `warps` warps; `sums` has a cell for
 * each warp and one for all.
 */
DEVICE unsigned sum_before_in(unsigned mine, unsigned_cell *sums, const int warps)
{
    const unsigned within = sum_up_to_lane(mine);

    if (LANE == WARP - 1)
        STORE(&sums[THREAD / WARP], within);
    BARRIER();
    if (THREAD < WARP) {
        const unsigned warp = LANE < warps ? LOAD(&sums[LANE]) : 0;
        const unsigned up_to = sum_up_to_lane(warp);

        WARP_BARRIER();
        if (LANE < warps)
            STORE(&sums[LANE], up_to - warp);
        if (LANE == WARP - 1)
            STORE(&sums[warps], up_to);
    }
    BARRIER();
    return LOAD(&sums[THREAD / WARP]) + within - mine;
}

/* The same of DEAL_THREADS threads. */
DEVICE unsigned sum_before(unsigned mine, unsigned_cell *sums)
{
    return sum_before_in(mine, sums, DEAL_WARPS);
}

/*
 * Numbers by bin, summed up: before[bin_cell(i)] is what the bins before bin i have. A
 * thread has BINS_EACH neighbouring bins. One cell in WARP is left out, or those of a
 * warp's threads would be in few banks.
 */
struct deal_sums {
    unsigned_cell before[DEAL_BINS + DEAL_BINS / WARP + 1];
    unsigned_cell sums[DEAL_WARPS + 1];
};

AGREE(sizeof(struct deal_sums) <= DEAL_SUMS_SHARED);

DEVICE unsigned bin_cell(unsigned bin)
{
    return bin + bin / WARP;
}

/* Sum up the numbers of DEAL_BINS bins. Returns the greatest of mine. */
DEVICE unsigned sum_bins(struct deal_sums *sm, const unsigned_cell *bins)
{
    unsigned mine[BINS_EACH];
    unsigned sum = 0, most = 0;

    UNROLL
    for (int i = 0; i < BINS_EACH; i++)
        mine[i] = LOAD(&bins[i * DEAL_THREADS + THREAD]);
    UNROLL
    for (int i = 0; i < BINS_EACH; i++)
        STORE(&sm->before[bin_cell((unsigned)(i * DEAL_THREADS + THREAD))], mine[i]);
    BARRIER();
    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        mine[i] = LOAD(&sm->before[bin_cell((unsigned)(THREAD * BINS_EACH + i))]);
        most = mine[i] > most ? mine[i] : most;
        sum += mine[i];
    }
    sum = sum_before(sum, sm->sums);
    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        STORE(&sm->before[bin_cell((unsigned)(THREAD * BINS_EACH + i))], sum);
        sum += mine[i];
    }
    if (THREAD == DEAL_THREADS - 1)
        STORE(&sm->before[bin_cell(DEAL_BINS)], sum);
    BARRIER();
    return most;
}
