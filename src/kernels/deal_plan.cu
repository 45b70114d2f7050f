/*
 * deal_plan.cu - where to deal keys to (deal.cuh): buckets and tiles.
 */

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
