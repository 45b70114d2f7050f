/*
 * deal_keys.cu - deal keys to buckets, and buckets to tiles (deal.cuh).
 *
 * A digit is a bucket or a tile. A block deals DEAL_KEYS keys at once. It counts the keys
 * of each digit and reserves their places in the output. Then it orders the keys by digit
 * in shared memory and writes them from there, so that keys of one digit are written next
 * to each other.
 */
#include "deal_runs.cuh"

enum {
    SKEW = 256,       /* ordered keys have a spare cell after this many, ... */
    DIGIT_SKEW = 128, /* ... and digits of bins after this many */
    NO_COUNTER = DEAL_MOST + DEAL_FREQUENT /* the counter of places after the last key */
};

AGREE(NO_COUNTER < 1 << DIGIT_BITS && DEAL_FREQUENT < DEAL_MOST);

struct deal_shared {
    key_cell cells[DEAL_KEYS + DEAL_KEYS / SKEW];
    key_cell tree[DEAL_FREQUENT + 1];
    place_cell digit_of[DEAL_BINS + DEAL_BINS / DIGIT_SKEW];
    unsigned_cell counts[NO_COUNTER + 1]; /* of digits and of nodes */
    unsigned_cell before[DEAL_MOST];      /* of the block's keys, those with lower digits */
    unsigned_cell to[DEAL_MOST]; /* where the first of a digit goes, less `before` */
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
    struct deal_tree frequent; /* values that are counted, and not dealt */
};

/*
 * The cell of an ordered key, and of a bin's digit. If sorted sequences are interleaved, a
 * warp's accesses are a constant stride apart. Without spare cells that could put all of
 * them in one bank.
 */
DEVICE unsigned ordered_cell(unsigned place)
{
    return place + place / SKEW;
}

DEVICE unsigned digit_cell(unsigned bin)
{
    return bin + bin / DIGIT_SKEW;
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

/* The digit of a code's bin; `flagged`, a constant: bins may have flags. */
DEVICE unsigned digit_of(const struct deal_shared *sm, const struct deal_way *way, key code,
                         const int gapped, const int flagged)
{
    const unsigned digit =
        LOAD(&sm->digit_of[digit_cell(bin_of(code, &way->bins, gapped))]);

    return flagged ? digit % DEAL_MOST : digit;
}

/* The counter of a code: its digit; if it is a frequent value, DEAL_MOST and its node. */
DEVICE unsigned counter_of(const struct deal_shared *sm, const struct deal_way *way,
                           key code, const int gapped, const int flagged)
{
    const unsigned digit =
        LOAD(&sm->digit_of[digit_cell(bin_of(code, &way->bins, gapped))]);

    if (!flagged)
        return digit;
    if (digit & DEAL_FLAG) {
        const unsigned node = find_node(&way->frequent, code);

        if (node < DEAL_FREQUENT)
            return DEAL_MOST + node;
    }
    return digit % DEAL_MOST;
}

/* Load my keys of `count` from place `first` on. */
DEVICE void load_keys(const struct deal_way *way, unsigned first, int count, key *k)
{
    const key_cell *const in = way->in + first + my_first();
    const int left = count - my_first();

    UNROLL
    for (int j = 0; j < DEAL_EACH; j++)
        k[j] = WARP * j < left ? LOAD_EVICT(BULK, &in[WARP * j]) : 0;
}

/* Make codes of my keys. Integers have their own loop, of fewer instructions. */
DEVICE void enter_keys(key *k, const struct key_code *by)
{
    const struct key_code integers = {by->flip, 0, 0};

    if (by->is_float) {
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++)
            k[j] = enter(k[j], by);
    } else {
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++)
            k[j] = enter(k[j], &integers);
    }
}

/*
 * Order the block's `count` keys by digit in the cells, without those of frequent values.
 * Returns 0 if there is no room.
 */
DEVICE int order_keys(struct deal_shared *sm, const struct deal_way *way, int count, key *k,
                      const int gapped, const int flagged)
{
    const int left = count - my_first();
    unsigned told[DEAL_EACH]; /* a key's counter, and its number there */

    enter_keys(k, &way->enter);
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        const unsigned counter = counter_of(sm, way, k[j], gapped, flagged);

        told[j] = WARP * j < left ? counter : (unsigned)NO_COUNTER;
    }
    count_keys(sm->counts, told);
    BARRIER();
    reserve(sm, way);
    BARRIER();
    if (LOAD(&sm->full))
        return 0;
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        if (WARP * j < left && !(flagged && told[j] & DEAL_MOST)) {
            const unsigned before = LOAD(&sm->before[told[j] & (DEAL_MOST - 1)]);

            STORE(&sm->cells[ordered_cell(before + (told[j] >> DIGIT_BITS))], k[j]);
        }
    }
    return 1;
}

/* Write the block's ordered keys. */
DEVICE void store_keys_dealt(const struct deal_shared *sm, const struct deal_way *way,
                             int count, const int gapped, const int flagged)
{
    enum { AT_ONCE = 4 }; /* more would need registers that the next keys are in */

    NO_UNROLL
    for (int first = THREAD; first < count; first += AT_ONCE * DEAL_THREADS) {
        key code[AT_ONCE];
        unsigned to[AT_ONCE];

        UNROLL
        for (int j = 0; j < AT_ONCE; j++) {
            const int i = first + DEAL_THREADS * j;

            code[j] = j == 0 || i < count ? LOAD(&sm->cells[ordered_cell((unsigned)i)]) : 0;
        }
        UNROLL
        for (int j = 0; j < AT_ONCE; j++)
            to[j] = LOAD(&sm->to[digit_of(sm, way, code[j], gapped, flagged)]);
        UNROLL
        for (int j = 0; j < AT_ONCE; j++) {
            const int i = first + DEAL_THREADS * j;

            if (j == 0 || i < count)
                STORE_AS(BULK, &way->out[to[j] + (unsigned)i], code[j]);
        }
    }
}

/*
 * Deal the keys from `first` on, up to `end`, in turns that begin `step` keys apart. The
 * keys of the next turn are loaded while those of this one are written. Returns 0 if a
 * digit has no room left.
 */
DEVICE int deal_turns(struct deal_shared *sm, const struct deal_way *way, unsigned first,
                      unsigned end, unsigned step, const int gapped, const int flagged)
{
    int count = count_from(first, end);
    key k[DEAL_EACH];

    load_keys(way, first, count, k);
    NO_UNROLL
    while (count) {
        STORE(&sm->counts[THREAD], 0);
        BARRIER();
        if (!order_keys(sm, way, count, k, gapped, flagged))
            return 0;
        BARRIER();
        first += step;

        const int next = count_from(first, end);
        const int dealt = flagged ? (int)LOAD(&sm->sums[DEAL_WARPS]) : count;

        load_keys(way, first, next, k);
        store_keys_dealt(sm, way, dealt, gapped, flagged);
        count = next;
        BARRIER();
    }
    return 1;
}

/* The same, in a loop of its own for keys without a gap: it has fewer instructions. */
DEVICE int deal_all(struct deal_shared *sm, const struct deal_way *way, unsigned first,
                    unsigned end, unsigned step)
{
    return way->bins.gap ? deal_turns(sm, way, first, end, step, 1, 0)
                         : deal_turns(sm, way, first, end, step, 0, 0);
}

DEVICE void load_digits(struct deal_shared *sm, const unsigned short *digits)
{
    const place_cell *const from = (const place_cell *)digits;

    UNROLL
    for (int i = 0; i < BINS_EACH; i++) {
        const unsigned bin = (unsigned)(i * DEAL_THREADS + THREAD);

        STORE(&sm->digit_of[digit_cell(bin)], LOAD(&from[bin]));
    }
    if (THREAD == 0) {
        STORE(&sm->full, 0);
        STORE(&sm->counts[NO_COUNTER], 0);
    }
}

/*
 * Deal the caller's keys, as codes, to buckets, and count those of frequent values; blocks
 * take turns.
 */
KERNEL(deal_out, struct deal_args)
{
    SHARED(struct deal_shared, sm);

    if (!is_dealing(&args, DEAL_DEALING))
        return;

    const unsigned first = (unsigned)(BLOCK * DEAL_KEYS);
    const unsigned end = (unsigned)args.count;
    const unsigned step = (unsigned)(BLOCKS * DEAL_KEYS);
    const unsigned found = frequent_count(&args, DEAL_FOUND);
    struct deal_way way = {
        all_bins(&args),
        (const key_cell *)args.keys,
        (key_cell *)args.room,
        (wide_cell *)args.next,
        (const wide_cell *)args.start + 1,
        args.merged.enter,
        {0, 0, 0}
    };
    int dealt;

    load_digits(sm, args.bucket_of);
    if (found) { /* the tree lives here only: the other loops have no register to spare */
        unsigned_cell *const counts = &sm->counts[DEAL_MOST];

        way.frequent = make_tree(&args, found, sm->tree, counts);
        dealt = deal_turns(sm, &way, first, end, step, way.bins.gap != 0, 1);
        if (dealt)
            add_counts(&args, &way.frequent, counts, FREQUENT_KEYS);
    } else {
        dealt = deal_all(sm, &way, first, end, step);
    }
    if (!dealt)
        stop_dealing(&args, DEAL_DEALING);
}

/* The keys of a bucket that a block takes. */
struct deal_piece {
    int bucket;
    unsigned first;
    unsigned end;
};

DEVICE struct deal_piece my_piece(const struct deal_args *args)
{
    struct deal_piece mine;
    const unsigned piece = (unsigned)BLOCK % args->pieces;

    mine.bucket = (int)((unsigned)BLOCK / args->pieces);

    const wide start = LOAD((const wide_cell *)args->start + mine.bucket);
    const wide count = LOAD((const wide_cell *)args->next + mine.bucket) - start;

    mine.first = (unsigned)(start + count * piece / args->pieces);
    mine.end = (unsigned)(start + count * (piece + 1) / args->pieces);
    return mine;
}

/* Count keys of a piece of a bucket in the bucket's bins. */
KERNEL(deal_count, struct deal_args)
{
    SHARED(unsigned_cell, counts);

    if (!is_dealing(&args, DEAL_PACKING))
        return;

    const struct deal_piece mine = my_piece(&args);

    if (mine.first >= mine.end)
        return;

    const struct deal_bins bins = bins_of_bucket(&args, mine.bucket);
    unsigned_cell *const fine = (unsigned_cell *)args.fine + (wide)mine.bucket * DEAL_BINS;

    for (int i = THREAD; i <= DEAL_BINS; i += DEAL_THREADS)
        STORE(&counts[i], 0);
    BARRIER();
    NO_UNROLL
    for (unsigned first = mine.first; first < mine.end; first += DEAL_KEYS)
        count_turn(counts, &bins, (const key_cell *)args.room + first,
                   count_from(first, mine.end) - my_first(), bins.gap != 0);
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

    if (mine.first >= mine.end)
        return;

    const struct deal_way way = {
        bins_of_bucket(&args, mine.bucket),
        (const key_cell *)args.room,
        (key_cell *)args.keys,
        (wide_cell *)args.tile_next + (wide)mine.bucket * DEAL_MOST,
        0,
        {0, 0, 0},
        {0, 0, 0}
    };

    load_digits(sm, args.tile_of + (wide)mine.bucket * DEAL_BINS);
    deal_all(sm, &way, mine.first, mine.end, DEAL_KEYS);
}
