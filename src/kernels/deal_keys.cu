/*
 * deal_keys.cu - deal keys to buckets, and buckets to tiles (deal.cuh).
 *
 * A block deals DEAL_KEYS keys at once: it counts the keys of each digit, a bucket or a
 * tile, reserves their places in the output, orders the keys by digit in shared memory and
 * writes them from there, so that keys of one digit are written next to each other.
 */

struct deal_shared {
    key_cell cells[DEAL_KEYS];
    place_cell digit_of[DEAL_BINS];
    unsigned_cell counts[DEAL_MOST];
    unsigned_cell before[DEAL_MOST]; /* of the block's keys, those with lower digits */
    unsigned_cell to[DEAL_MOST];     /* where the first of a digit goes, less `before` */
    unsigned_cell sums[DEAL_WARPS + 1];
    unsigned_cell full; /* a digit has no room left */
};

AGREE(sizeof(struct deal_shared) <= DEAL_SHARED);

/* Where keys come from and go to. */
struct deal_way {
    struct deal_bins bins;
    const key_cell *in;
    key_cell *out;
    wide_cell *next;       /* of each digit, the place of its next key ... */
    const wide_cell *last; /* ... and one past the last; NULL: it is exact */
    struct key_code enter;
};

/*
 * The number of my key among the block's keys of its digit. Lanes that all have the same
 * digit, as with sorted keys, are counted at once: one by one they would wait for each
 * other.
 */
DEVICE unsigned count_key(unsigned_cell *counts, unsigned digit, int present)
{
    const unsigned same = SHUFFLE(digit, 0);

    if (BALLOT(!present || digit != same) == 0) {
        unsigned first = 0;

        if (LANE == 0)
            first = ADD(PLAIN, &counts[same], WARP);
        return SHUFFLE(first, 0) + (unsigned)LANE;
    }
    return present ? ADD(PLAIN, &counts[digit], 1) : 0;
}

/* Reserve places for the keys of my digit. */
DEVICE void reserve(struct deal_shared *sm, const struct deal_way *way)
{
    const unsigned mine = LOAD(&sm->counts[THREAD]);
    const unsigned before = sum_before(mine, sm->sums);
    wide at = 0;

    if (mine) {
        at = ADD(PLAIN, way->next + THREAD, mine);
        if (way->last && at + mine > LOAD(way->last + THREAD))
            ADD(PLAIN, &sm->full, 1);
    }
    STORE(&sm->before[THREAD], before);
    STORE(&sm->to[THREAD], (unsigned)at - before);
}

DEVICE unsigned digit_of(const struct deal_shared *sm, const struct deal_way *way, key code)
{
    return LOAD(&sm->digit_of[bin_of(code, &way->bins)]);
}

/* Deal `count` keys from place `first` on. Returns 0 if a digit has no room left. */
DEVICE int deal_some(struct deal_shared *sm, const struct deal_way *way, wide first,
                     int count)
{
    enum { DIGIT_BITS = 9 };
    const key_cell *const in = way->in + first;
    unsigned told[DEAL_EACH]; /* a key's digit, and its number among those */
    key k[DEAL_EACH];

    AGREE(DEAL_MOST <= 1 << DIGIT_BITS);
    STORE(&sm->counts[THREAD], 0);
    BARRIER();
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        const int i = DEAL_THREADS * j + THREAD;

        k[j] = i < count ? LOAD_EVICT(BULK, &in[i]) : 0;
    }
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        const int present = DEAL_THREADS * j + THREAD < count;

        k[j] = enter(k[j], &way->enter);

        const unsigned digit = digit_of(sm, way, k[j]);

        told[j] = digit | count_key(sm->counts, digit, present) << DIGIT_BITS;
    }
    BARRIER();
    reserve(sm, way);
    BARRIER();
    if (LOAD(&sm->full))
        return 0;
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        if (DEAL_THREADS * j + THREAD < count)
            STORE(&sm->cells[LOAD(&sm->before[told[j] & (DEAL_MOST - 1)]) +
                             (told[j] >> DIGIT_BITS)],
                  k[j]);
    }
    BARRIER();
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        const int i = DEAL_THREADS * j + THREAD;

        if (i < count) {
            const key code = LOAD(&sm->cells[i]);

            STORE_AS(BULK, &way->out[LOAD(&sm->to[digit_of(sm, way, code)]) + (unsigned)i],
                     code);
        }
    }
    BARRIER();
    return 1;
}

DEVICE void load_digits(struct deal_shared *sm, const unsigned short *digits)
{
    const unsigned_cell *const from = (const unsigned_cell *)digits;
    unsigned_cell *const to = (unsigned_cell *)sm->digit_of;

    for (int i = THREAD; i < DEAL_BINS / 2; i += DEAL_THREADS)
        STORE(&to[i], LOAD(&from[i]));
    if (THREAD == 0)
        STORE(&sm->full, 0);
}

/* Deal the caller's keys, as codes, to buckets; blocks take turns. */
KERNEL(deal_out, struct deal_args)
{
    SHARED(struct deal_shared, sm);

    if (!is_dealing(&args, DEAL_DEALING))
        return;

    const struct deal_way way = {all_bins(&args),
                                 (const key_cell *)args.keys,
                                 (key_cell *)args.room,
                                 (wide_cell *)args.next,
                                 (const wide_cell *)args.start + 1,
                                 args.enter};

    load_digits(sm, args.bucket_of);
    for (wide first = (wide)BLOCK * DEAL_KEYS; first < args.count;
         first += (wide)BLOCKS * DEAL_KEYS) {
        const wide left = args.count - first;

        if (!deal_some(sm, &way, first, left < DEAL_KEYS ? (int)left : DEAL_KEYS)) {
            stop_dealing(&args, DEAL_DEALING);
            return;
        }
    }
}

/* The keys of a bucket that a block takes. */
struct deal_piece {
    int bucket;
    wide first;
    wide end;
};

DEVICE struct deal_piece my_piece(const struct deal_args *args)
{
    struct deal_piece mine;
    const unsigned piece = (unsigned)BLOCK % args->pieces;

    mine.bucket = (int)((unsigned)BLOCK / args->pieces);

    const wide start = LOAD((const wide_cell *)args->start + mine.bucket);
    const wide count = LOAD((const wide_cell *)args->next + mine.bucket) - start;

    mine.first = start + count * piece / args->pieces;
    mine.end = start + count * (piece + 1) / args->pieces;
    return mine;
}

/* Count keys of a piece of a bucket in the bucket's bins. */
KERNEL(deal_count, struct deal_args)
{
    SHARED(unsigned_cell, counts);

    if (!is_dealing(&args, DEAL_PACKING))
        return;

    const struct deal_piece mine = my_piece(&args);
    const struct deal_bins bins = bins_of_bucket(&args, mine.bucket);
    const key_cell *const in = (const key_cell *)args.room;
    wide_cell *const fine = (wide_cell *)args.fine + (wide)mine.bucket * DEAL_BINS;

    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS)
        STORE(&counts[i], 0);
    BARRIER();
    for (wide first = mine.first; first < mine.end; first += DEAL_KEYS) {
        key k[DEAL_EACH];

        UNROLL
        for (int j = 0; j < DEAL_EACH; j++) {
            const wide i = first + (wide)(DEAL_THREADS * j + THREAD);

            k[j] = i < mine.end ? LOAD_AS(BULK, &in[i]) : 0;
        }
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++)
            count_key(counts, bin_of(k[j], &bins),
                      first + (wide)(DEAL_THREADS * j + THREAD) < mine.end);
    }
    BARRIER();
    for (int i = THREAD; i < DEAL_BINS; i += DEAL_THREADS) {
        const unsigned count = LOAD(&counts[i]);

        if (count)
            ADD(PLAIN, &fine[i], count);
    }
}

/* Deal a piece of a bucket to its tiles. */
KERNEL(deal_in, struct deal_args)
{
    SHARED(struct deal_shared, sm);

    if (!is_dealing(&args, DEAL_STAGES))
        return;

    const struct deal_piece mine = my_piece(&args);
    const struct deal_way way = {bins_of_bucket(&args, mine.bucket),
                                 (const key_cell *)args.room,
                                 (key_cell *)args.keys,
                                 (wide_cell *)args.tile_next + (wide)mine.bucket * DEAL_MOST,
                                 0,
                                 {0, 0, 0}};

    load_digits(sm, args.tile_of + (wide)mine.bucket * DEAL_BINS);
    for (wide first = mine.first; first < mine.end; first += DEAL_KEYS) {
        const wide left = mine.end - first;

        deal_some(sm, &way, first, left < DEAL_KEYS ? (int)left : DEAL_KEYS);
    }
}
