/*
 * deal_plan.cu - which values are frequent, and where to deal the other keys to (deal.cuh):
 * the buckets.
 */

/* Room for a bucket with these samples: a tenth more than it should have, and some. */
DEVICE unsigned bucket_room(const struct deal_args *args, unsigned samples)
{
    const wide likely = (wide)samples * args->count / args->samples;
    const wide spare = likely / 10 + 64 * (args->count / args->samples + 1);

    return (unsigned)(likely + spare + WARP - 1) / WARP * WARP;
}

/* The samples of all bins, to be divided into shares. */
struct deal_shares {
    const unsigned_cell *before; /* of struct deal_sums */
    unsigned samples;
    unsigned count;
};

/* The bucket of a bin: a new one begins at every share, and at every DEAL_WIDEST bins. */
DEVICE unsigned bucket_of_bin(const struct deal_shares *shares, unsigned bin)
{
    const wide before = LOAD_AS(SEARCH, &shares->before[bin_cell(bin)]);
    const unsigned share = (unsigned)(before * shares->count / shares->samples);

    return (share < shares->count ? share : shares->count - 1) + bin / DEAL_WIDEST;
}

/* The first bin of a bucket, or of a later one if it has none. */
DEVICE unsigned first_bin(const struct deal_shares *shares, unsigned bucket)
{
    unsigned at = 0;

    NO_UNROLL
    for (int step = DEAL_BINS / 2; step > 0; step /= 2) {
        if (bucket_of_bin(shares, at + (unsigned)step - 1) < bucket)
            at += (unsigned)step;
    }
    return bucket_of_bin(shares, at) < bucket ? at + 1 : at;
}

/*
 * Keep the values that have half a tile of keys or more, as far as samples tell. Samples of
 * the other values are added to their bins. Returns how many values are kept.
 */
DEVICE unsigned choose_frequent(const struct deal_args *args, const struct deal_bins *bins,
                                unsigned_cell *sums)
{
    const unsigned value = (unsigned)THREAD;
    const int likely = value < frequent_count(args, DEAL_LIKELY);
    wide_cell *const codes = frequent_row(args, FREQUENT_CODE);
    const key code = likely ? (key)LOAD(codes + value) : 0;
    const wide samples = likely ? LOAD(frequent_row(args, FREQUENT_SAMPLES) + value) : 0;
    const int kept = samples * args->count >= (wide)args->samples * (TILE / 2);

    if (likely && !kept)
        ADD(SAMPLE, (unsigned_cell *)args->bins + bin_of(code, bins, bins->gap != 0),
            (unsigned)samples);

    const unsigned place = sum_before((unsigned)kept, sums); /* all codes are loaded */
    const unsigned found = LOAD(&sums[DEAL_WARPS]);

    if (kept) {
        STORE(codes + place, code);
        STORE(frequent_row(args, FREQUENT_KEYS) + place, 0);
    }
    if (THREAD == 0)
        STORE((wide_cell *)args->head + DEAL_FOUND, found);
    BARRIER();
    return found;
}

/* Flag the bin of my frequent value, of `found`, unless another thread does. */
DEVICE void flag_bin(const struct deal_args *args, const struct deal_bins *bins,
                     unsigned found)
{
    const unsigned value = (unsigned)THREAD;
    const wide_cell *const codes = frequent_row(args, FREQUENT_CODE);

    if (value >= found)
        return;

    const unsigned bin = bin_of((key)LOAD(codes + value), bins, bins->gap != 0);
    place_cell *const bucket = (place_cell *)args->bucket_of + bin;

    if (!value || bin != bin_of((key)LOAD(codes + value - 1), bins, bins->gap != 0))
        STORE(bucket, (unsigned short)(LOAD(bucket) | DEAL_FLAG));
}

/* One block makes buckets of bins, about equal in samples. */
KERNEL(deal_split, struct deal_args)
{
    SHARED(struct deal_sums, sm);
    const unsigned bucket = (unsigned)THREAD;

    if (!is_dealing(&args, DEAL_DEALING))
        return;

    const struct deal_bins bins = all_bins(&args);
    const unsigned found = choose_frequent(&args, &bins, sm->sums);

    sum_bins(sm, (const unsigned_cell *)args.bins);

    const unsigned all = LOAD(&sm->before[bin_cell(DEAL_BINS)]);
    const struct deal_shares shares = {sm->before, all ? all : 1, args.shares};
    const unsigned begin = first_bin(&shares, bucket);
    const unsigned end = first_bin(&shares, bucket + 1);
    const unsigned samples =
        LOAD(&sm->before[bin_cell(end)]) - LOAD(&sm->before[bin_cell(begin)]);
    const unsigned room = begin < end ? bucket_room(&args, samples) : 0;
    const wide likely = (wide)samples * args.count / args.samples;
    const int equal = begin + 1 == end && bins.shift == 0;

    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        const unsigned bin = (unsigned)(i * DEAL_THREADS + THREAD);

        STORE((place_cell *)args.bucket_of + bin,
              (unsigned short)bucket_of_bin(&shares, bin));
    }
    BARRIER();
    flag_bin(&args, &bins, found);

    const unsigned start = sum_before(room, sm->sums);

    STORE((wide_cell *)args.first + bucket, begin);
    STORE((wide_cell *)args.start + bucket, start);
    STORE((wide_cell *)args.next + bucket, start);
    if (THREAD == DEAL_THREADS - 1) {
        STORE((wide_cell *)args.first + DEAL_MOST, DEAL_BINS);
        STORE((wide_cell *)args.start + DEAL_MOST, start + room);
    }
    /* Three quarters of the tiles that a bucket can have: samples do not tell exactly. */
    if ((likely > (wide)args.fill * (DEAL_MOST * 3 / 4) && !equal) ||
        start + room > args.room_count)
        stop_dealing(&args, DEAL_SPLITTING);
}
