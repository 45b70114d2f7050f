/*
 * tile_load.cuh - loading the lists of a tile to shared memory (tile_merge.cu): in
 * chunks, shared out among the warps, by requests that begin at multiples of 32 keys.
 */

enum {
    CHUNK_STEPS = TILE_ITEMS / 2 + 1, /* a little more than a 16th of a tile of 256 rows */
    CHUNK = CHUNK_STEPS * WARP,       /* keys of one list that a warp loads at once */
    SHORT_STEPS = (CHUNK_STEPS + 1) / 2, /* of a list's end that is no longer than ... */
    SHORT_CHUNK = (SHORT_STEPS - 1) * WARP
};

/* One lane's list: its part of the tile, and where that goes. */
struct tile_list {
    unsigned from;   /* where it begins in the input, which has less than 2^32 keys */
    int count;       /* keys */
    int staged;      /* keys of the lists before it: its first key's place */
    int place;       /* address of its first key's cell */
    int first_chunk; /* chunks of the lists before it, ... */
    int end_chunk;   /* ... and with it */
    int end_row;     /* rows of the pairs up to its own */
};

/*
 * A chunk of a list, as one lane sees it: keys 32 apart. A list's part begins
 * anywhere, but a request of the warp should touch no more sectors than 32 keys
 * fill. So requests begin at multiples of 32 keys of the array: lanes whose
 * first key is `late`, in the line after the others', take each key one request
 * later than those do, and their last key with the first request.
 */
struct tile_chunk {
    const key_cell *from; /* my first key */
    int left;             /* keys from mine on to the end of the part */
    int late;
    int place;  /* address of my first key's cell */
    int staged; /* its place in the tile */
    int is_b;
};

/* A whole chunk's keys into registers: key (i - late) modulo CHUNK_STEPS to register i. */
DEVICE void load_whole(const struct tile_chunk *chunk, bare *r)
{
    const key_cell *const from = chunk->from - (chunk->late ? WARP : 0);

    r[0] = LOAD_EVICT(BULK, &chunk->from[chunk->late ? (CHUNK_STEPS - 1) * WARP : 0]);
    UNROLL
    for (int i = 1; i < CHUNK_STEPS; i++)
        r[i] = LOAD_EVICT(BULK, &from[WARP * i]);
}

/* The same of a chunk that has fewer keys, or fewer steps. */
DEVICE void load_part(const struct tile_chunk *chunk, bare *r, const int steps)
{
    const int early =
        chunk->late ? (CHUNK_STEPS - 1) * WARP : 0; /* first request: my key */
    const int behind = chunk->late ? WARP : 0;      /* all others */
    const key_cell *const from = chunk->from - behind;

    UNROLL
    for (int i = 0; i < steps; i++)
        r[i] = 0;
    if (early < chunk->left)
        r[0] = LOAD_EVICT(BULK, &chunk->from[early]);
    UNROLL
    for (int i = 1; i < steps; i++) {
        if (WARP * i - behind < chunk->left)
            r[i] = LOAD_EVICT(BULK, &from[WARP * i]);
    }
}

/* The registers to shared memory: 32 places apart, upwards for A, downwards for B. */
DEVICE void put_chunk(const struct tile_chunk *chunk, const bare *r, bare base,
                      const int steps)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    item_cell *const to = SHARED_CELL(item_cell, chunk->place);

    if (chunk->is_b) {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left)
                STORE(to - STEP * i, item_of(take_base(k, base), chunk->staged + WARP * i));
        }
    } else {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left)
                STORE(to + STEP * i, item_of(take_base(k, base), chunk->staged + WARP * i));
        }
    }
}

/* Load the lists in chunks, shared out among all warps whatever the lists' lengths. */
DEVICE void load_lists(const struct tile_list *mine, const key_cell *in, bare base)
{
    const int chunks = SHUFFLE(mine->end_chunk, WARP - 1);
    const int my_place = (LANE + LANE / ITEMS) * CELL_BYTES;

    for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
        const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= number));
        const int done = (number - SHUFFLE(mine->first_chunk, list)) * CHUNK;
        const unsigned begin = SHUFFLE(mine->from, list) + done;
        const int ahead = done / ITEMS * ROW_BYTES + my_place;
        const int place = SHUFFLE(mine->place, list);
        struct tile_chunk chunk;
        bare r[CHUNK_STEPS];

        chunk.is_b = list % 2;
        chunk.from = in + begin + LANE;
        chunk.left = SHUFFLE(mine->count, list) - done - LANE;
        chunk.late = (int)(begin % WARP) + LANE >= WARP;
        chunk.place = place + (chunk.is_b ? -ahead : ahead);
        chunk.staged = PLACED ? SHUFFLE(mine->staged, list) + done + LANE : 0;
        if (chunk.left + LANE <= SHORT_CHUNK) {
            load_part(&chunk, r, SHORT_STEPS);
            put_chunk(&chunk, r, base, SHORT_STEPS);
            continue;
        }
        if (chunk.left + LANE >= CHUNK)
            load_whole(&chunk, r);
        else
            load_part(&chunk, r, CHUNK_STEPS);
        put_chunk(&chunk, r, base, CHUNK_STEPS);
    }
}

/* Fill each pair's rows up behind the last key of B; fewer than ITEMS places. */
DEVICE void fill_pairs(const struct tile_list *mine, int ways, item fill)
{
    for (int pair = THREAD / WARP; pair < ways / 2; pair += TILE_ROWS / WARP) {
        const int a_count = SHUFFLE(mine->count, 2 * pair);
        const int b_count = SHUFFLE(mine->count, 2 * pair + 1);
        const int last =
            SHUFFLE(mine->place, 2 * pair + 1); /* where B begins: its last cell */
        const int rows = (int)((unsigned)(a_count + b_count + ITEMS - 1) / ITEMS);
        const int back = rows * ITEMS - 1 - (a_count + LANE);

        if (back >= b_count)
            STORE(SHARED_CELL(item_cell, last) - back - (int)((unsigned)back / ITEMS),
                  fill);
    }
}
