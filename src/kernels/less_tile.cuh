/*
 * less_tile.cuh - a tile in shared memory: loaded from lists, merged, checked, stored.
 *
 * A level of merging goes from one array of cells to the other. Each thread finds by
 * binary search where its LESS_ITEMS outputs begin in the two lists, and merges one item
 * at a time; ties take the first list, which is what keeps the sort stable. An odd
 * number of items per thread avoids bank conflicts where lanes write theirs.
 *
 * A comparison that is no order may let two threads take the same item. Each thread
 * must end where its successor began: if one does not, the tile is stored as it was
 * loaded.
 */

enum { LESS_TILE = LESS_THREADS * LESS_ITEMS, LESS_WARPS = LESS_THREADS / WARP };

AGREE(LESS_ITEMS % 2 == 1 && LESS_THREADS % WARP == 0);

struct less_shared {
    item_cell cells[2][LESS_TILE + 1];  /* one readable cell after the last item */
    wide_cell origin[LESS_MOST_WAYS];   /* item i of the tile is item origin + i */
    int_cell bound[LESS_MOST_WAYS + 1]; /* of the array, if bound <= i < next bound */
    int_cell begin[2][LESS_THREADS];    /* where each thread began in its first list */
    unsigned_cell unsound[LESS_WARPS];
};

AGREE(sizeof(struct less_shared) <=
      LESS_SHARED(LESS_THREADS, LESS_ITEMS, (int)sizeof(item)));

/* Where the items of a tile come from. */
struct less_source {
    const void *in; /* NULL: they are the positions themselves */
    const struct less_order *order;
    int count;
};

/* A list of the tile, as a thread walks through it. */
struct less_walk {
    int list;
    int last; /* the first item of the next list */
    wide origin;
};

/* Go on to the list of item `i`. */
DEVICE void walk_to(const struct less_shared *sm, struct less_walk *walk, int i)
{
    while (i >= walk->last) {
        walk->list++;
        walk->last = LOAD(&sm->bound[walk->list + 1]);
        walk->origin = LOAD(&sm->origin[walk->list]);
    }
}

DEVICE struct less_walk walk_begin(void)
{
    struct less_walk walk;

    walk.list = -1;
    walk.last = 0;
    walk.origin = 0;
    return walk;
}

/* Item `at` of the source, read by words of `word` bytes. */
DEVICE item source_item(const struct less_source *source, wide at, int word)
{
    const int bytes = STORED_BYTES(source->order);

    if (POSITIONS && !source->in)
        return join_parts(at, 0);
    return fetch((const char *)source->in + at * (wide)bytes, bytes, word);
}

/*
 * Merging may read the cell after the last item, and compare what is there: it must be
 * an item of the user's, too.
 */
DEVICE void less_guard(struct less_shared *sm, int count, item it)
{
    STORE(&sm->cells[0][count], it);
    STORE(&sm->cells[1][count], it);
}

/* Load the tile to cells[0]. */
DEVICE void less_load(struct less_shared *sm, const struct less_source *source)
{
    const int word = natural_word(STORED_BYTES(source->order));
    struct less_walk walk = walk_begin();

    if (is_aligned(source->in, word) && word >= 4) {
        item r[LESS_ITEMS];

        UNROLL
        for (int j = 0; j < LESS_ITEMS; j++) {
            const int i = j * LESS_THREADS + THREAD;

            if (i < source->count) {
                walk_to(sm, &walk, i);
                r[j] = source_item(source, walk.origin + (wide)i, word);
            }
        }
        UNROLL
        for (int j = 0; j < LESS_ITEMS; j++) {
            const int i = j * LESS_THREADS + THREAD;

            if (i < source->count)
                STORE(&sm->cells[0][i], r[j]);
        }
        if (THREAD == 0)
            less_guard(sm, source->count, r[0]);
        return;
    }
    NO_UNROLL
    for (int i = THREAD; i < source->count; i += LESS_THREADS) {
        item it;

        walk_to(sm, &walk, i);
        it = source_item(source, walk.origin + (wide)i, 1);
        STORE(&sm->cells[0][i], it);
        if (i == 0)
            less_guard(sm, source->count, it);
    }
}

/* Store the tile from `cells`, or from its source if the cells are not sound. */
DEVICE void less_store(const struct less_shared *sm, const struct less_source *source,
                       const item_cell *cells, int sound, char *out)
{
    const int bytes = STORED_BYTES(source->order);
    const int natural = natural_word(bytes);
    const int whole = is_aligned(out, natural);
    const int readable = is_aligned(source->in, natural);
    struct less_walk walk = walk_begin();

    if (sound && whole && natural >= 4) {
        UNROLL
        for (int j = 0; j < LESS_ITEMS; j++) {
            const int i = j * LESS_THREADS + THREAD;

            if (i < source->count)
                deliver(out + (size_t)i * (size_t)bytes, LOAD(&cells[i]), bytes, natural);
        }
        return;
    }
    NO_UNROLL
    for (int i = THREAD; i < source->count; i += LESS_THREADS) {
        char *const to = out + (size_t)i * (size_t)bytes;
        item it;

        if (sound) {
            it = LOAD(&cells[i]);
        } else {
            walk_to(sm, &walk, i);
            it = readable ? source_item(source, walk.origin + (wide)i, natural)
                          : source_item(source, walk.origin + (wide)i, 1);
        }
        if (whole)
            deliver(to, it, bytes, natural);
        else
            deliver(to, it, bytes, 1);
    }
}

/* What a thread merges of the lists [first, middle) and [middle, last) of the tile. */
struct less_part {
    int first;
    int middle;
    int last;
    int diagonal; /* outputs of earlier threads */
    int count;    /* outputs of this one; may be 0 */
};

/* How many of the first `diagonal` merged items come from the first list. */
DEVICE int less_split(const struct less_order *order, const item_cell *cells,
                      const struct less_part *part)
{
    const item_cell *const a = &cells[part->first];
    const item_cell *const b = &cells[part->middle];
    const int a_count = part->middle - part->first;
    const int b_count = part->last - part->middle;
    int lo = part->diagonal > b_count ? part->diagonal - b_count : 0;
    int hi = part->diagonal < a_count ? part->diagonal : a_count;

    NO_UNROLL
    while (lo < hi) {
        const int middle = (lo + hi) / 2;

        if (comes_before_at(order, &b[part->diagonal - 1 - middle], &a[middle]))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/*
 * Merge my part from `from` to `to`. Returns how many items of the first list lie before
 * its end. Where a list has ended, the comparison gets an item of another list, and its
 * answer does not count.
 */
DEVICE int less_serial(const struct less_order *order, const item_cell *from, item_cell *to,
                       const struct less_part *part, int split)
{
    const int a_end = SHARED_ADDRESS(&from[part->middle]);
    const int b_end = SHARED_ADDRESS(&from[part->last]);
    int a_at = SHARED_ADDRESS(&from[part->first + split]);
    int b_at = SHARED_ADDRESS(&from[part->middle + part->diagonal - split]);
    int out_at = SHARED_ADDRESS(&to[part->first + part->diagonal]);
    const int out_end = out_at + part->count * ITEM_BYTES;
    item a = LOAD_AS(SERIAL, SHARED_CELL(item_cell, a_at));
    item b = LOAD_AS(SERIAL, SHARED_CELL(item_cell, b_at));

    NO_UNROLL
    for (; out_at < out_end; out_at += ITEM_BYTES) {
        const int take_b = (b_at < b_end) & ((a_at >= a_end) | comes_before(order, b, a));
        const int at = (take_b ? b_at : a_at) + ITEM_BYTES;

        STORE_AS(SCATTER, SHARED_CELL(item_cell, out_at), take_b ? b : a);
        a_at = take_b ? a_at : at;
        b_at = take_b ? at : b_at;

        const item next = LOAD_AS(SERIAL, SHARED_CELL(item_cell, at));

        a = take_b ? a : next;
        b = take_b ? next : b;
    }
    return (a_at - SHARED_ADDRESS(&from[part->first])) / ITEM_BYTES;
}

/*
 * One level, in three steps: begin, a BARRIER, check. Returns 1 if my part ends where
 * the next thread's begins. `level` counts from 0.
 */
DEVICE int less_merge_part(struct less_shared *sm, const struct less_order *order,
                           const struct less_part *part, int level)
{
    const item_cell *const from = sm->cells[level % 2];
    item_cell *const to = sm->cells[1 - level % 2];
    int split = 0;
    int end = 0;

    if (part->count > 0) {
        split = less_split(order, from, part);
        STORE(&sm->begin[level % 2][THREAD], split);
        end = less_serial(order, from, to, part, split);
    }
    BARRIER();
    if (part->count > 0 && part->diagonal + part->count < part->last - part->first)
        return LOAD(&sm->begin[level % 2][THREAD + 1]) == end;
    return 1;
}

/* Did every thread of the block find its parts sound? */
DEVICE int less_all_sound(struct less_shared *sm, int sound)
{
    const unsigned unsound = BALLOT(!sound);
    unsigned all = 0;

    if (LANE == 0)
        STORE(&sm->unsound[THREAD / WARP], unsound);
    BARRIER();
    for (int i = 0; i < LESS_WARPS; i++)
        all |= LOAD(&sm->unsound[i]);
    return all == 0;
}
