/*
 * tile_stage.cuh - in a program with places, loading the rows of a tile's lists to shared
 * memory: codes, and values as far as there is room, in order of places.
 *
 * The staging area has TILE_STAGE_BYTES bytes for each row of the tile: arrays of codes or
 * of values, one after the other. It is apart from the cells, where items are sorted, so
 * codes stay there until the order of the rows is known.
 *
 * Each warp takes chunks of the lists in turn, and each lane the rows 32 apart. No lane
 * waits for what it copies before all copies of its warp are under way.
 */

enum { FEW_STEPS = (CHUNK_STEPS + 1) / 2 }; /* of a chunk with few rows */

AGREE(TILE / CHUNK < TILE_ROWS / 16); /* TILE_CHUNKS */

/* The staging area of a tile. */
struct tile_stage {
    wide_cell area[TILE_STAGE(TILE_ROWS, ITEMS) / 8];
    wide_cell chunks[2 * TILE_CHUNKS(TILE_ROWS)];
    unsigned_cell lists[TILE_CHUNKS(TILE_ROWS)]; /* of the chunks, in the table of lists */
    int_cell wrong[TILE_ROWS];                   /* struct carry_order */
    int_cell votes[2 * VOTES];
};

AGREE(sizeof(struct tile_stage) == TILE_STAGED(TILE_ROWS, ITEMS));

/* Where it is, and the number of chunks. */
struct tile_staging {
    const tile_input *in;
    struct tile_stage *at;
    int area; /* its address */
    int chunk_count;
};

/* What puts a tile of `count` rows in order, with its items in `cells`. */
DEVICE struct carry_order order_of(const struct tile_staging *stage, int cells,
                                   int_cell *splits, int count)
{
    const struct carry_order order = {
        cells, stage->area, splits, stage->at->wrong, stage->at->votes, count};

    return order;
}

/* A chunk of a list, as one lane sees it: rows 32 apart. */
struct stage_chunk {
    unsigned row;  /* my first row in the input */
    int left;      /* rows from mine to the end of the list's part */
    int staged;    /* my first row's place */
    int cell;      /* address of its item's cell, ... */
    int is_b;      /* ... from which items go down */
    unsigned list; /* with TILE_LISTS: the number of its list */
};

/* Cut the lists into chunks. Each warp writes down those that it will take. */
DEVICE struct tile_staging begin_staging(struct tile_stage *stage,
                                         const struct tile_list *mine, const tile_input *in)
{
    struct tile_staging to;

    to.in = in;
    to.at = stage;
    to.area = SHARED_ADDRESS(stage->area);
    to.chunk_count = SHUFFLE(mine->end_chunk, WARP - 1);
    NO_UNROLL
    for (int number = THREAD / WARP; number < to.chunk_count; number += TILE_ROWS / WARP) {
        const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= number));

        if (LANE == list) {
            const int done = (number - mine->first_chunk) * CHUNK;
            const int ahead = done / ITEMS * ROW_BYTES;
            const int cell = mine->place + (list % 2 ? -ahead : ahead);
            const int staged = 2 * (mine->staged + done) + list % 2;

            STORE(&stage->chunks[2 * number],
                  (wide)(mine->from + (unsigned)done) << 32 | (unsigned)staged);
            STORE(&stage->chunks[2 * number + 1],
                  (wide)(unsigned)cell << 32 | (unsigned)(mine->count - done));
#ifdef TILE_LISTS
            STORE(&stage->lists[number], mine->number);
#endif
        }
    }
    return to;
}

/* A chunk of my warp's. Lanes that had fewer rows of the chunk before wait for the others.
 */
DEVICE struct stage_chunk chunk_of(const struct tile_staging *stage, int number)
{
    WARP_BARRIER();

    const wide rows = LOAD(&stage->at->chunks[2 * number]);
    const wide cells = LOAD(&stage->at->chunks[2 * number + 1]);
    const int ahead = (LANE + LANE / ITEMS) * CELL_BYTES;
    struct stage_chunk chunk;

    chunk.row = (unsigned)(rows >> 32) + (unsigned)LANE;
    chunk.left = (int)cells - LANE;
    chunk.staged = (int)((unsigned)rows >> 1) + LANE;
    chunk.is_b = (int)(rows & 1);
    chunk.cell = (int)(cells >> 32) + (chunk.is_b ? -ahead : ahead);
#ifdef TILE_LISTS
    chunk.list = LOAD(&stage->at->lists[number]);
#else
    chunk.list = 0;
#endif
    return chunk;
}

/* Where the values of a piece come from. */
struct value_source {
    const void *at; /* of the first row; NULL: values are numbers of rows, from ... */
    unsigned first; /* ... this one on */
    unsigned pitch;
};

typedef unsigned char value_1;
typedef unsigned short value_2;
typedef unsigned value_4;
typedef wide value_8;

#define VALUE_BYTES 1
#include "tile_values.inl"
#define VALUE_BYTES 2
#include "tile_values.inl"
#define VALUE_BYTES 4
#include "tile_values.inl"
#define VALUE_BYTES 8
#include "tile_values.inl"

/* Piece `number` of a list: with TILE_LISTS each list has arrays of its own. */
DEVICE struct value_source source_of(const struct tile_staging *stage,
                                     const struct tile_piece *piece, int number,
                                     unsigned list)
{
    struct value_source from = {piece->in, 0, piece->in_pitch};
#ifdef TILE_LISTS
    const wide at = list_at(stage->in, 1 + number, list);

    from.at = at & LISTS_NUMBERS ? 0 : (const void *)at;
    from.first = (unsigned)at;
#else
    (void)stage, (void)number, (void)list;
#endif
    return from;
}

/* Stage piece `number` of all rows at `to`. */
DEVICE void stage_piece(const struct tile_staging *stage, const struct tile_piece *piece,
                        int number, int to)
{
    const struct tile_piece p = *piece;

    NO_UNROLL
    for (int c = THREAD / WARP; c < stage->chunk_count; c += TILE_ROWS / WARP) {
        const struct stage_chunk chunk = chunk_of(stage, c);
        const struct value_source from = source_of(stage, &p, number, chunk.list);

        if (p.bytes == 4)
            stage_any_4(&from, &chunk, to);
        else if (p.bytes == 8)
            stage_any_8(&from, &chunk, to);
        else if (p.bytes == 2)
            stage_any_2(&from, &chunk, to);
        else
            stage_any_1(&from, &chunk, to);
    }
}

/*
 * Stage pieces from `first` on, after the first `used` bytes of each row, as far as there
 * is room. Returns one past the last.
 */
DEVICE int stage_pieces(const struct tile_staging *stage, const struct tile_carry *carry,
                        int first, int used)
{
    int p = first;

    NO_UNROLL
    for (; p < carry->piece_count; p++) {
        const int bytes = (int)carry->piece[p].bytes;

        if (used + bytes > TILE_STAGE_BYTES)
            break;
        stage_piece(stage, &carry->piece[p], p, stage->area + used * TILE);
        used += bytes;
    }
    return p;
}

/* The code of a row that is made of parts. */
DEVICE key code_made(const struct tile_staging *stage, const struct stage_chunk *chunk,
                     wide row)
{
#ifdef TILE_LISTS
    return code_in_list(stage->in, chunk->list, row);
#else
    (void)chunk;
    return code_of_parts(stage->in, row);
#endif
}

/* Copy or make the codes of all rows. */
DEVICE void stage_codes(const struct tile_staging *stage, const struct tile_source *source)
{
    NO_UNROLL
    for (int number = THREAD / WARP; number < stage->chunk_count;
         number += TILE_ROWS / WARP) {
        const struct stage_chunk chunk = chunk_of(stage, number);
        struct value_source from = {source->keys, 0, (unsigned)source->pitch};

#ifdef TILE_LISTS
        from.at = (const void *)list_at(stage->in, 0, chunk.list);
#endif
        if (source->part_count) {
            key_cell *const codes = SHARED_CELL(key_cell, stage->area) + chunk.staged;

            NO_UNROLL
            for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk.left; i++)
                STORE_AS(VALUE, codes + WARP * i,
                         code_made(stage, &chunk, chunk.row + (wide)(WARP * i)));
        } else if (KEY_BITS == 32) {
            stage_any_4(&from, &chunk, stage->area);
        } else {
            stage_any_8(&from, &chunk, stage->area);
        }
    }
}

/* Lists of the caller's: turn the bits of the keys of a chunk into codes. */
DEVICE void enter_codes(const struct tile_staging *stage, const struct tile_source *source,
                        const struct stage_chunk *chunk)
{
#ifdef TILE_LISTS
    key_cell *const codes = SHARED_CELL(key_cell, stage->area) + chunk->staged;
    const struct key_code *const code = &stage->in->lists.enter;

    if (source->part_count || (!code->flip && !code->is_float))
        return;
    NO_UNROLL
    for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++)
        STORE_AS(VALUE, codes + WARP * i, enter(LOAD_AS(VALUE, codes + WARP * i), code));
#else
    (void)stage, (void)source, (void)chunk;
#endif
}

/* Make the items of a chunk, whose codes this lane has staged. */
DEVICE void make_items(const struct stage_chunk *chunk, int area, const struct tile_base *b,
                       const int steps, const int narrow)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES };
    const int codes = HELD(area + chunk->staged * (int)sizeof(key));
    const int place = HELD(chunk->staged);
    const int step = chunk->is_b ? -STEP : STEP;
    int to = chunk->cell;

    UNROLL
    for (int i = 0; i < steps; i++) {
        if (WARP * i < chunk->left)
            STORE(SHARED_CELL(item_cell, to),
                  item_from(LOAD_AS(VALUE, SHARED_CELL(key_cell, codes) + WARP * i), b,
                            place + WARP * i, narrow));
        to += step;
    }
}

/*
 * Load the lists: codes and the first pieces are staged, and items made of the codes.
 * Returns the number of pieces that are staged.
 */
DEVICE int load_lists(const struct tile_staging *stage, const struct tile_carry *carry,
                      const struct tile_base *b)
{
    stage_codes(stage, &carry->source);

    const int staged = stage_pieces(stage, carry, 0, (int)sizeof(key));

    COPIES_WAIT();
    NO_UNROLL
    for (int number = THREAD / WARP; number < stage->chunk_count;
         number += TILE_ROWS / WARP) {
        const struct stage_chunk chunk = chunk_of(stage, number);

        enter_codes(stage, &carry->source, &chunk);
        if (KEY_BITS == 64 && b->is_narrow)
            make_items(&chunk, stage->area, b, CHUNK_STEPS, 1);
        else if (chunk.left + LANE <= FEW_STEPS * WARP)
            make_items(&chunk, stage->area, b, FEW_STEPS, 0);
        else
            make_items(&chunk, stage->area, b, CHUNK_STEPS, 0);
    }
    return staged;
}
