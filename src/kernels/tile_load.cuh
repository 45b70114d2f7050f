/*
 * tile_load.cuh - loading the lists of a tile to shared memory (tile_merge.cu), in chunks
 * that are distributed over the warps, by requests aligned to multiples of 32 keys.
 */

enum {
    CHUNK_STEPS = TILE_ITEMS / 2 + 1,    /* a little more than 1/16 of a tile of 256 rows */
    CHUNK = CHUNK_STEPS * WARP,          /* keys of one list that a warp loads at once */
    SHORT_STEPS = (CHUNK_STEPS + 1) / 2, /* steps of a list's last chunk ... */
    SHORT_CHUNK = (SHORT_STEPS - 1) * WARP /* ... if it has at most SHORT_CHUNK keys */
};

/* One lane's list: its part of the tile, and where that goes. */
struct tile_list {
    tile_index from; /* its first key in the input */
    int count;       /* keys */
    int staged;      /* with places: keys of the lists before it, its first key's place */
    int place;       /* address of its first key's cell */
    int first_chunk; /* the number of its first chunk, ... */
    int end_chunk;   /* ... and one past its last */
    int end_row;     /* one past the last row of its pair */
#if defined(TILE_LISTS) && defined(TILE_PLACES)
    unsigned number; /* of the list, in the table of lists */
#endif
};

#ifndef TILE_PLACES /* otherwise tile_stage.cuh loads them */

/*
 * A chunk of a list, as one lane sees it: keys 32 positions apart. A list's part begins
 * anywhere, but a request should touch no more sectors than 32 keys fill. So requests
 * begin at multiples of 32 keys of the array. A lane is `late` if its first key lies past
 * the next multiple; it loads each key one request later than the other lanes, and its
 * last key with the first request.
 */
struct tile_chunk {
    const key_cell *from; /* my first key */
    int left;             /* keys from mine to the end of the part */
    int late;
    int place; /* address of my first key's cell */
    int is_b;
};

/* The key `n` keys after another. */
DEVICE const key_cell *key_after(const key_cell *first, int n)
{
    return first + n;
}

/* Load a whole chunk: register i gets key (i - late) modulo CHUNK_STEPS. */
DEVICE void load_whole(const struct tile_chunk *chunk, bare *r)
{
    const key_cell *const from = key_after(chunk->from, -(chunk->late ? WARP : 0));

    r[0] = LOAD_EVICT(BULK,
                      key_after(chunk->from, chunk->late ? (CHUNK_STEPS - 1) * WARP : 0));
    UNROLL
    for (int i = 1; i < CHUNK_STEPS; i++)
        r[i] = LOAD_EVICT(BULK, key_after(from, WARP * i));
}

/* The same for a chunk with fewer keys or fewer steps. */
DEVICE void load_part(const struct tile_chunk *chunk, bare *r, const int steps)
{
    const int early =
        chunk->late ? (CHUNK_STEPS - 1) * WARP : 0; /* my key of the first request */
    const int offset = chunk->late ? WARP : 0;      /* offset in all other requests */
    const key_cell *const from = key_after(chunk->from, -offset);

    UNROLL
    for (int i = 0; i < steps; i++)
        r[i] = 0;
    if (early < chunk->left)
        r[0] = LOAD_EVICT(BULK, key_after(chunk->from, early));
    UNROLL
    for (int i = 1; i < steps; i++) {
        if (WARP * i - offset < chunk->left)
            r[i] = LOAD_EVICT(BULK, key_after(from, WARP * i));
    }
}

/* Store the registers to shared memory, 32 cells apart: upwards for A, down for B. */
DEVICE void put_chunk(const struct tile_chunk *chunk, const bare *r,
                      const struct tile_base *b, const int steps)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    item_cell *const to = SHARED_CELL(item_cell, chunk->place);

    if (chunk->is_b) {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left)
                STORE(to - STEP * i, item_made(k, b, 0));
        }
    } else {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left)
                STORE(to + STEP * i, item_made(k, b, 0));
        }
    }
}

/* Lists of the caller's: turn the bits of the keys into codes. */
DEVICE void enter_chunk(const tile_input *in, bare *r, const int steps)
{
#ifdef TILE_LISTS
    enter_all(r, steps, &in->lists.enter);
#else
    (void)in, (void)r, (void)steps;
#endif
}

#if TILE_ITEMS == 8

/*
 * The chunk of a number, if there is one; otherwise it has no keys. `my_place` is my lane's
 * distance in shared memory from its first key.
 */
DEVICE struct tile_chunk chunk_of(const struct tile_list *mine, const tile_input *in,
                                  int number, int my_place)
{
    const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= number));
    const int done = (number - SHUFFLE(mine->first_chunk, list)) * CHUNK;
    const tile_index begin = SHUFFLE(mine->from, list) + done;
    const int ahead = done / ITEMS * ROW_BYTES + my_place;
    const int place = SHUFFLE(mine->place, list);
    struct tile_chunk chunk;

    chunk.is_b = list % 2;
    chunk.from = key_of_row(in, begin) + LANE;
    chunk.left = SHUFFLE(mine->count, list) - done - LANE;
    chunk.late = (int)(begin % WARP) + LANE >= WARP;
    chunk.place = place + (chunk.is_b ? -ahead : ahead);
    return chunk;
}

enum { TOGETHER = 4 }; /* chunks that a warp loads before it waits for the first */

/*
 * Load the lists; all warps take chunks in turn, whatever the lengths of the lists. Tiles
 * with rows of 8 keys are for few keys: they have many lists of a few keys each. So a warp
 * has several chunks under way, and requests are not aligned.
 */
DEVICE void load_lists(const struct tile_list *mine, const tile_input *in,
                       const struct tile_base *b)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES };
    const int chunks = SHUFFLE(mine->end_chunk, WARP - 1);
    const int my_place = (LANE + LANE / ITEMS) * CELL_BYTES;

    NO_UNROLL
    for (int first = THREAD / WARP; first < chunks;
         first += TOGETHER * (TILE_ROWS / WARP)) {
        struct tile_chunk chunk[TOGETHER];
        bare r[TOGETHER][CHUNK_STEPS];

        UNROLL
        for (int n = 0; n < TOGETHER; n++) {
            chunk[n] = chunk_of(mine, in, first + n * (TILE_ROWS / WARP), my_place);
            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++) {
                r[n][i] = 0;
                if (WARP * i < chunk[n].left)
                    r[n][i] = LOAD_EVICT(BULK, key_after(chunk[n].from, WARP * i));
            }
        }
        UNROLL
        for (int n = 0; n < TOGETHER; n++) {
            const int step = chunk[n].is_b ? -STEP : STEP;

            enter_chunk(in, r[n], CHUNK_STEPS);
            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++) {
                if (WARP * i < chunk[n].left)
                    STORE(SHARED_CELL(item_cell, chunk[n].place + step * i),
                          item_made(r[n][i], b, 0));
            }
        }
    }
}

#else

/* Load the lists; all warps take chunks in turn, whatever the lengths of the lists. */
DEVICE void load_lists(const struct tile_list *mine, const tile_input *in,
                       const struct tile_base *b)
{
    const int chunks = SHUFFLE(mine->end_chunk, WARP - 1);
    const int my_place = (LANE + LANE / ITEMS) * CELL_BYTES;

    for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
        const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= number));
        const int done = (number - SHUFFLE(mine->first_chunk, list)) * CHUNK;
        const tile_index begin = SHUFFLE(mine->from, list) + done;
        const int ahead = done / ITEMS * ROW_BYTES + my_place;
        const int place = SHUFFLE(mine->place, list);
        struct tile_chunk chunk;
        bare r[CHUNK_STEPS];

        chunk.is_b = list % 2;
        chunk.from = key_of_row(in, begin) + LANE;
        chunk.left = SHUFFLE(mine->count, list) - done - LANE;
        chunk.late = (int)(begin % WARP) + LANE >= WARP;
        chunk.place = place + (chunk.is_b ? -ahead : ahead);
        if (chunk.left + LANE <= SHORT_CHUNK) {
            load_part(&chunk, r, SHORT_STEPS);
            enter_chunk(in, r, SHORT_STEPS);
            put_chunk(&chunk, r, b, SHORT_STEPS);
            continue;
        }
        if (chunk.left + LANE >= CHUNK)
            load_whole(&chunk, r);
        else
            load_part(&chunk, r, CHUNK_STEPS);
        enter_chunk(in, r, CHUNK_STEPS);
        put_chunk(&chunk, r, b, CHUNK_STEPS);
    }
}

#endif

#endif

/* Fill the cells of each pair's rows after B's last key, fewer than ITEMS of them. */
DEVICE void fill_pairs(const struct tile_list *mine, int ways, item fill)
{
    for (int pair = THREAD / WARP; pair < ways / 2; pair += TILE_ROWS / WARP) {
        const int a_count = SHUFFLE(mine->count, 2 * pair);
        const int b_count = SHUFFLE(mine->count, 2 * pair + 1);
        const int last =
            SHUFFLE(mine->place, 2 * pair + 1); /* B's first key is in the last cell */
        const int rows = (int)((unsigned)(a_count + b_count + ITEMS - 1) / ITEMS);
        const int back = rows * ITEMS - 1 - (a_count + LANE);

        if (back >= b_count)
            STORE(SHARED_CELL(item_cell, last) - back - (int)((unsigned)back / ITEMS),
                  fill);
    }
}
