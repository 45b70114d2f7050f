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

/* With lists a piece is no array but the numbers of rows (piece_at). */
#ifdef TILE_LISTS
#define PIECE_IS_NUMBER(at) (((at)&LISTS_NUMBERS) != 0)
#else
#define PIECE_IS_NUMBER(at) 0
#endif

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
#if defined(TILE_LISTS) && defined(TILE_PLACES)
    struct cut_list list; /* the whole of it */
#endif
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

/*
 * Does a key lie outside the bounds of its tile, so that its item has not all of it? Only
 * in lists that are not sorted.
 */
DEVICE int is_stray(bare k, const struct tile_base *b)
{
#if defined(TILE_LISTS) && defined(TILE_PLACES)
    return b->rest_bits == 0 && (k - b->base) >> PREFIX_BITS != 0;
#else
    (void)k, (void)b;
    return 0;
#endif
}

/*
 * Store the registers to shared memory, 32 cells apart: upwards for A, down for B. Returns
 * whether some of them are stray.
 */
DEVICE int put_chunk(const struct tile_chunk *chunk, const bare *r,
                     const struct tile_base *b, const int steps)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    item_cell *const to = SHARED_CELL(item_cell, chunk->place);
    int strays = 0;

    if (chunk->is_b) {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left) {
                strays |= is_stray(k, b);
                STORE(to - STEP * i, item_made(k, b, chunk->staged + WARP * i));
            }
        }
    } else {
        UNROLL
        for (int i = 0; i < steps; i++) {
            const bare k = chunk->late ? r[(i + 1) % steps] : r[i];

            if (WARP * i < chunk->left) {
                strays |= is_stray(k, b);
                STORE(to + STEP * i, item_made(k, b, chunk->staged + WARP * i));
            }
        }
    }
    return strays;
}

#ifdef TILE_PLACES

/*
 * Where a piece of a list's first row is: an address, or the number of that row with the
 * highest bit set if the piece is that of row numbers.
 */
DEVICE wide piece_at(const tile_input *in, const struct tile_carry *carry, int piece,
                     unsigned list)
{
#ifdef TILE_LISTS
    (void)carry;
    return list_at(in, 1 + piece, list);
#else
    (void)in, (void)list;
    return (wide)carry->piece[piece].in;
#endif
}

/* Have L2 load the values of a chunk's rows, which are needed after merging. */
DEVICE void fetch_pieces(const tile_input *in, const struct tile_carry *carry,
                         unsigned list, wide row, int left)
{
    enum { LINE = 128 };
    const int rows = left < CHUNK ? left : CHUNK;

    NO_UNROLL
    for (int i = 0; i < carry->piece_count; i++) {
        const struct tile_piece *const piece = &carry->piece[i];
        const wide at = piece_at(in, carry, i, list);
        const char *const from = (const char *)at + row * piece->in_pitch;
        const unsigned bytes = (unsigned)rows * piece->in_pitch;

        if (PIECE_IS_NUMBER(at))
            continue;
        for (unsigned line = LANE * LINE; line < bytes; line += WARP * LINE)
            PREFETCH(from + line);
    }
}

/* The code of a row that is made of parts. */
DEVICE key code_made(const tile_input *in, unsigned list, wide row)
{
#ifdef TILE_LISTS
    return code_in_list(in, list, row);
#else
    (void)list;
    return code_of_parts(in, row);
#endif
}

/* Load a chunk of codes that are made of parts, straight to shared memory. */
DEVICE int put_parts(const tile_input *in, unsigned list, wide row,
                     const struct tile_chunk *chunk, const struct tile_base *b)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    const int step = chunk->is_b ? -STEP : STEP;
    int strays = 0;

    NO_UNROLL
    for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++) {
        const key k = code_made(in, list, row + WARP * i);

        strays |= is_stray(k, b);
        STORE(SHARED_CELL(item_cell, chunk->place) + step * i,
              item_made(k, b, chunk->staged + WARP * i));
    }
    return strays;
}

/* Where the key of a row of a lane's list is. */
DEVICE const key_cell *key_of_list(const tile_input *in, const struct tile_list *mine,
                                   int lane, wide row)
{
#ifdef TILE_LISTS
    return key_in_list(in, SHUFFLE(mine->list.at, lane), row);
#else
    (void)mine, (void)lane;
    return key_of_row(in, row);
#endif
}

/* The number of a lane's list in the table of lists. */
DEVICE unsigned number_of_list(const struct tile_list *mine, int lane)
{
#ifdef TILE_LISTS
    return SHUFFLE(mine->list.number, lane);
#else
    (void)mine, (void)lane;
    return 0;
#endif
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

/*
 * Load the lists; all warps take chunks in turn, whatever the lengths of the lists. Returns
 * whether some of my keys are stray.
 */
DEVICE int load_lists(const struct tile_list *mine, const tile_input *in,
                      const struct tile_carry *carry, const struct tile_base *b)
{
    (void)carry; /* without places there are no values */
    const int chunks = SHUFFLE(mine->end_chunk, WARP - 1);
    const int my_place = (LANE + LANE / ITEMS) * CELL_BYTES;
    int strays = 0;

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
        chunk.from = key_of_list(in, mine, list, (wide)begin + LANE);
        chunk.pitch = SOURCE_OF(in)->pitch;
#else
        chunk.from = key_of_row(in, begin) + LANE;
#endif
        chunk.left = SHUFFLE(mine->count, list) - done - LANE;
        chunk.late = (int)(begin % WARP) + LANE >= WARP;
        chunk.place = place + (chunk.is_b ? -ahead : ahead);
        chunk.staged = PLACED ? SHUFFLE(mine->staged, list) + done + LANE : 0;
#ifdef TILE_PLACES
        const unsigned number_in_table = number_of_list(mine, list);

        fetch_pieces(in, carry, number_in_table, (wide)begin, chunk.left + LANE);
        if (SOURCE_OF(in)->part_count) {
            strays |= put_parts(in, number_in_table, (wide)begin + LANE, &chunk, b);
            continue;
        }
        if (SOURCE_OF(in)->pitch != sizeof(key)) {
            load_part(&chunk, r, CHUNK_STEPS, 0);
            enter_chunk(in, r, CHUNK_STEPS);
            strays |= put_chunk(&chunk, r, b, CHUNK_STEPS);
            continue;
        }
#endif
        if (chunk.left + LANE <= SHORT_CHUNK) {
            load_part(&chunk, r, SHORT_STEPS, 1);
            enter_chunk(in, r, SHORT_STEPS);
            strays |= put_chunk(&chunk, r, b, SHORT_STEPS);
            continue;
        }
        if (chunk.left + LANE >= CHUNK)
            load_whole(&chunk, r, 1);
        else
            load_part(&chunk, r, CHUNK_STEPS, 1);
        enter_chunk(in, r, CHUNK_STEPS);
        strays |= put_chunk(&chunk, r, b, CHUNK_STEPS);
    }
    return strays;
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
