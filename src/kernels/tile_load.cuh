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

/* Keys are loaded once; with places they may be loaded again, then from L2. */
#ifndef TILE_PLACES
#define LOAD_ONCE(p) LOAD_EVICT(BULK, p)
#else
#define LOAD_ONCE(p) LOAD_AS(BULK, p)
#endif

/* One lane's list: its part of the tile, and where that goes. */
struct tile_list {
    tile_index from; /* its first key in the input */
    int count;       /* keys */
    int staged;      /* keys of the lists before it: the place of its first key */
    int place;       /* address of its first key's cell */
    int first_chunk; /* the number of its first chunk, ... */
    int end_chunk;   /* ... and one past its last */
    int end_row;     /* one past the last row of its pair */
};

/*
 * A chunk of a list, as one lane sees it: keys 32 positions apart. A list's part begins
 * anywhere, but a request should touch no more sectors than 32 keys fill. So requests
 * begin at multiples of 32 keys of the array. A lane is `late` if its first key lies past
 * the next multiple; it loads each key one request later than the other lanes, and its
 * last key with the first request.
 */
struct tile_chunk {
    const key_cell *from; /* my first key */
    wide pitch;           /* TILE_PLACES: bytes from one key to the next */
    int left;             /* keys from mine to the end of the part */
    int late;
    int place;  /* address of my first key's cell */
    int staged; /* my first key's place in the tile */
    int is_b;
};

/* Where the key `n` keys after the first one is; `dense` keys lie one after the other. */
DEVICE const key_cell *key_after(const struct tile_chunk *chunk, const key_cell *first,
                                 int n, const int dense)
{
    return !PLACED || dense
               ? first + n
               : (const key_cell *)((const char *)first + n * (long long)chunk->pitch);
}

/* Load a whole chunk: register i gets key (i - late) modulo CHUNK_STEPS. */
DEVICE void load_whole(const struct tile_chunk *chunk, bare *r, const int dense)
{
    const key_cell *const from =
        key_after(chunk, chunk->from, -(chunk->late ? WARP : 0), dense);

    r[0] = LOAD_ONCE(
        key_after(chunk, chunk->from, chunk->late ? (CHUNK_STEPS - 1) * WARP : 0, dense));
    UNROLL
    for (int i = 1; i < CHUNK_STEPS; i++)
        r[i] = LOAD_ONCE(key_after(chunk, from, WARP * i, dense));
}

/* The same for a chunk with fewer keys or fewer steps. */
DEVICE void load_part(const struct tile_chunk *chunk, bare *r, const int steps,
                      const int dense)
{
    const int early =
        chunk->late ? (CHUNK_STEPS - 1) * WARP : 0; /* my key of the first request */
    const int offset = chunk->late ? WARP : 0;      /* offset in all other requests */
    const key_cell *const from = key_after(chunk, chunk->from, -offset, dense);

    UNROLL
    for (int i = 0; i < steps; i++)
        r[i] = 0;
    if (early < chunk->left)
        r[0] = LOAD_ONCE(key_after(chunk, chunk->from, early, dense));
    UNROLL
    for (int i = 1; i < steps; i++) {
        if (WARP * i - offset < chunk->left)
            r[i] = LOAD_ONCE(key_after(chunk, from, WARP * i, dense));
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
                STORE(to - STEP * i, item_made(k, b, chunk->staged + WARP * i));
        }
    } else {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left)
                STORE(to + STEP * i, item_made(k, b, chunk->staged + WARP * i));
        }
    }
}

#ifdef TILE_PLACES

/* Have L2 load the values of a chunk's rows, which are needed after merging. */
DEVICE void fetch_pieces(const struct tile_carry *carry, wide row, int left)
{
    enum { LINE = 128 };
    const int rows = left < CHUNK ? left : CHUNK;

    NO_UNROLL
    for (int i = 0; i < carry->piece_count; i++) {
        const struct tile_piece *const piece = &carry->piece[i];
        const char *const from = (const char *)piece->in + row * piece->in_pitch;
        const unsigned bytes = (unsigned)rows * piece->in_pitch;

        for (unsigned at = LANE * LINE; at < bytes; at += WARP * LINE)
            PREFETCH(from + at);
    }
}

/* Load a chunk of codes that are made of parts, straight to shared memory. */
DEVICE void put_parts(const struct tile_source *source, wide row,
                      const struct tile_chunk *chunk, const struct tile_base *b)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    const int step = chunk->is_b ? -STEP : STEP;

    NO_UNROLL
    for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++)
        STORE(
            SHARED_CELL(item_cell, chunk->place) + step * i,
            item_made(code_of_parts(source, row + WARP * i), b, chunk->staged + WARP * i));
}

#endif

/* Lists of the caller's: turn the bits of the keys into codes. */
DEVICE void enter_chunk(const tile_input *in, bare *r, const int steps)
{
#ifdef TILE_LISTS
    enter_all(r, steps, &in->lists.enter);
#else
    (void)in, (void)r, (void)steps;
#endif
}

/* Load the lists; all warps take chunks in turn, whatever the lengths of the lists. */
DEVICE void load_lists(const struct tile_list *mine, const tile_input *in,
                       const struct tile_carry *carry, const struct tile_base *b)
{
    (void)carry; /* without places there are no values */
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
#ifdef TILE_PLACES
        chunk.from = key_of_row(in, (wide)begin + LANE);
        chunk.pitch = in->pitch;
#else
        chunk.from = key_of_row(in, begin) + LANE;
#endif
        chunk.left = SHUFFLE(mine->count, list) - done - LANE;
        chunk.late = (int)(begin % WARP) + LANE >= WARP;
        chunk.place = place + (chunk.is_b ? -ahead : ahead);
        chunk.staged = PLACED ? SHUFFLE(mine->staged, list) + done + LANE : 0;
#ifdef TILE_PLACES
        fetch_pieces(carry, (wide)begin, chunk.left + LANE);
        if (in->part_count) {
            put_parts(in, (wide)begin + LANE, &chunk, b);
            continue;
        }
        if (in->pitch != sizeof(key)) {
            load_part(&chunk, r, CHUNK_STEPS, 0);
            enter_chunk(in, r, CHUNK_STEPS);
            put_chunk(&chunk, r, b, CHUNK_STEPS);
            continue;
        }
#endif
        if (chunk.left + LANE <= SHORT_CHUNK) {
            load_part(&chunk, r, SHORT_STEPS, 1);
            enter_chunk(in, r, SHORT_STEPS);
            put_chunk(&chunk, r, b, SHORT_STEPS);
            continue;
        }
        if (chunk.left + LANE >= CHUNK)
            load_whole(&chunk, r, 1);
        else
            load_part(&chunk, r, CHUNK_STEPS, 1);
        enter_chunk(in, r, CHUNK_STEPS);
        put_chunk(&chunk, r, b, CHUNK_STEPS);
    }
}

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
