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

/* A chunk of a list, as one lane sees it: rows 32 apart. */
struct stage_chunk {
    unsigned row; /* my first row in the input */
    int left;     /* rows from mine to the end of the list's part */
    int staged;   /* my first row's place */
    int cell;     /* address of its item's cell, ... */
    int is_b;     /* ... from which items go down */
};

/* Chunk `number` of a tile's lists. */
DEVICE struct stage_chunk chunk_of(const struct tile_list *mine, int number)
{
    const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= number));
    const int done = (number - SHUFFLE(mine->first_chunk, list)) * CHUNK;
    const int ahead = done / ITEMS * ROW_BYTES + (LANE + LANE / ITEMS) * CELL_BYTES;
    const int place = SHUFFLE(mine->place, list);
    struct stage_chunk chunk;

    chunk.row = SHUFFLE(mine->from, list) + (unsigned)(done + LANE);
    chunk.left = SHUFFLE(mine->count, list) - done - LANE;
    chunk.staged = SHUFFLE(mine->staged, list) + done + LANE;
    chunk.is_b = list % 2;
    chunk.cell = place + (chunk.is_b ? -ahead : ahead);
    return chunk;
}

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

/* Copy a chunk of a piece to the array at `to`. */
DEVICE void stage_piece(const struct tile_piece *piece, const struct stage_chunk *chunk,
                        int to)
{
    if (piece->bytes == 4)
        stage_any_4(piece->in, piece->in_pitch, chunk, to);
    else if (piece->bytes == 8)
        stage_any_8(piece->in, piece->in_pitch, chunk, to);
    else if (piece->bytes == 2)
        stage_any_2(piece->in, piece->in_pitch, chunk, to);
    else
        stage_any_1(piece->in, piece->in_pitch, chunk, to);
}

/* Copy or make a chunk of codes. */
DEVICE void stage_codes(const struct tile_source *source, const struct stage_chunk *chunk,
                        int to)
{
    if (source->part_count) {
        key_cell *const codes = SHARED_CELL(key_cell, to) + chunk->staged;

        NO_UNROLL
        for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++)
            STORE_AS(VALUE, codes + WARP * i, code_of_parts(source, chunk->row + WARP * i));
    } else if (KEY_BITS == 32) {
        stage_any_4(source->keys, (unsigned)source->pitch, chunk, to);
    } else {
        stage_any_8(source->keys, (unsigned)source->pitch, chunk, to);
    }
}

/*
 * The pieces that are staged together: one past the last of them, from `first` on. `used`
 * bytes of each row are taken.
 */
DEVICE int end_of_group(const struct tile_carry *carry, int first, int used)
{
    int end = first;

    NO_UNROLL
    while (end < carry->piece_count &&
           used + (int)carry->piece[end].bytes <= TILE_STAGE_BYTES)
        used += (int)carry->piece[end++].bytes;
    return end;
}

/* Stage a chunk of pieces [first, end). */
DEVICE void stage_pieces(const struct tile_carry *carry, int first, int end, int used,
                         const struct stage_chunk *chunk, int area)
{
    NO_UNROLL
    for (int p = first; p < end; p++) {
        stage_piece(&carry->piece[p], chunk, area + used * TILE);
        used += (int)carry->piece[p].bytes;
    }
}

/* Have L2 load the pieces from `first` on of a chunk's rows, which are needed later. */
DEVICE void fetch_pieces(const struct tile_carry *carry, int first,
                         const struct stage_chunk *chunk)
{
    enum { LINE = 128 };
    const int left = chunk->left + LANE;
    const int rows = left < CHUNK ? left : CHUNK;

    NO_UNROLL
    for (int p = first; p < carry->piece_count; p++) {
        const struct tile_piece *const piece = &carry->piece[p];
        const char *const from =
            (const char *)piece->in + (wide)(chunk->row - LANE) * piece->in_pitch;
        const unsigned bytes = piece->in ? (unsigned)rows * piece->in_pitch : 0;

        for (unsigned at = LANE * LINE; at < bytes; at += WARP * LINE)
            PREFETCH(from + at);
    }
}

/* Make the items of a chunk, whose codes this lane has staged. */
DEVICE void make_items(const struct stage_chunk *chunk, int area,
                       const struct tile_base *b, const int steps)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    const int codes = HELD(area + chunk->staged * (int)sizeof(key));
    const int place = HELD(chunk->staged);
    const int step = chunk->is_b ? -STEP * CELL_BYTES : STEP * CELL_BYTES;
    int to = chunk->cell;

    UNROLL
    for (int i = 0; i < steps; i++) {
        if (WARP * i < chunk->left)
            STORE(SHARED_CELL(item_cell, to),
                  item_made(LOAD_AS(VALUE, SHARED_CELL(key_cell, codes) + WARP * i), b,
                            place + WARP * i));
        to += step;
    }
}

/* Load the lists: codes and the first pieces are staged, and items made of the codes. */
DEVICE void load_lists(const struct tile_list *mine, const struct tile_carry *carry,
                       const struct tile_base *b, int area)
{
    const int chunks = SHUFFLE(mine->end_chunk, WARP - 1);
    const int end = end_of_group(carry, 0, (int)sizeof(key));

    NO_UNROLL
    for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
        const struct stage_chunk chunk = chunk_of(mine, number);

        stage_codes(&carry->source, &chunk, area);
        stage_pieces(carry, 0, end, (int)sizeof(key), &chunk, area);
        fetch_pieces(carry, end, &chunk);
    }
    COPIES_WAIT();
    NO_UNROLL
    for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
        const struct stage_chunk chunk = chunk_of(mine, number);

        if (chunk.left + LANE <= FEW_STEPS * WARP)
            make_items(&chunk, area, b, FEW_STEPS);
        else
            make_items(&chunk, area, b, CHUNK_STEPS);
    }
}
