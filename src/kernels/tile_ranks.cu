/*
 * tile_ranks.cu - merge all runs in one launch by the ranks of keys, for few keys.
 *
 * Each block copies all keys to shared memory. Each thread has one of them, and counts the
 * keys of every other run that precede it; their sum is its place in the output. That takes
 * more work than merging, but almost nothing waits: no cuts are found, no tiles are laid
 * out, and a thread searches several runs at once.
 *
 * A key precedes an equal one of a later run, so the sort is stable.
 */

enum {
    tile_ranks_blocks = 1,
    RANK_RUNS = 4 /* runs that a thread searches at once */
};

/* Copy all keys, and wait for them. The input is aligned to 8 bytes. */
DEVICE void copy_all(key_cell *keys, const key_cell *in, unsigned count)
{
    enum { EACH = (int)sizeof(wide) / (int)sizeof(key) };
    const unsigned whole = count / EACH;
    const unsigned last = whole * EACH + (unsigned)THREAD;

    for (unsigned i = (unsigned)THREAD; i < whole; i += tile_ranks_threads)
        COPY(PLAIN, (wide_cell *)keys + i, (const wide_cell *)in + i);
    if (last < count)
        STORE(keys + last, LOAD(in + last));
    COPIES_WAIT();
    BARRIER();
}

/*
 * How many keys of runs [first, first + RANK_RUNS) precede the key `mine` of run `own`.
 * Runs have `run` keys, a power of two, and the last may have fewer.
 */
DEVICE unsigned rank_among(const key_cell *keys, unsigned count, unsigned run,
                           unsigned first, unsigned own, bare mine)
{
    unsigned at[RANK_RUNS];
    unsigned end[RANK_RUNS];
    bare most[RANK_RUNS];
    unsigned rank = 0;

    UNROLL
    for (unsigned i = 0; i < RANK_RUNS; i++) {
        const unsigned begin = (first + i) * run;
        const unsigned there = begin < count ? count - begin : 0;
        const int is_later = first + i > own;

        at[i] = begin;
        end[i] = begin + (there < run ? there : run);
        if (first + i == own || (is_later && mine == 0))
            end[i] = begin;
        most[i] = mine - (bare)is_later;
    }
    NO_UNROLL
    for (unsigned step = run; step > 0; step /= 2) {
        UNROLL
        for (unsigned i = 0; i < RANK_RUNS; i++) {
            const int is_inside = at[i] + step <= end[i];
            const bare other = LOAD_AS(SEARCH, keys + (is_inside ? at[i] + step - 1 : 0));

            at[i] += is_inside && other <= most[i] ? step : 0;
        }
    }
    UNROLL
    for (unsigned i = 0; i < RANK_RUNS; i++)
        rank += at[i] - (first + i) * run;
    return rank;
}

/* Each thread puts one key to its place. */
KERNEL(tile_ranks, struct tile_merge_args)
{
    SHARED(key_cell, keys);
    const struct tile_round *const round = &args.round;
    const unsigned count = (unsigned)round->count;
    const unsigned run = (unsigned)round->run;
    const unsigned number = (unsigned)BLOCK * tile_ranks_threads + (unsigned)THREAD;
    key_cell *const out = (key_cell *)round->out;

    if (is_skipped(&args))
        return;
    copy_all(keys, (const key_cell *)round->in, count);
    if (number >= count)
        return;

    const bare mine = LOAD(keys + number);
    const unsigned own = number >> HIGHEST_BIT(run);
    unsigned place = number - own * run;

    for (unsigned first = 0; first < (unsigned)round->ways; first += RANK_RUNS)
        place += rank_among(keys, count, run, first, own, mine);
    STORE(out + place, leave((key)mine, &args.leave));
}
