/*
 * segment_store.cuh - storing a tile of rows of segments: those of complete segments to the
 * caller's arrays, others to temporary ones (launch_segments.h).
 */
#include "segment_bits.cuh"

/* Where my rows go: bit i of a word is row i. Rows in no segment go nowhere. */
struct segment_rows {
    unsigned out;
    unsigned temp;
};

#define VALUE_BYTES 1
#include "segment_values.inl"
#define VALUE_BYTES 2
#include "segment_values.inl"
#define VALUE_BYTES 4
#include "segment_values.inl"
#define VALUE_BYTES 8
#include "segment_values.inl"

/* The segments of a tile in shared memory, by place. */
struct segment_map {
    wide_cell bounds[SEGMENT_TILE_WORDS(TILE)];  /* a region begins there: a segment, or */
                                                 /*   a row that is in none */
    wide_cell covered[SEGMENT_TILE_WORDS(TILE)]; /* it is in a segment */
    int_cell before[SEGMENT_TILE_WORDS(TILE)];   /* regions that begin in words before */
    int_cell last[SEGMENT_TILE_WORDS(TILE)];     /* where the last of these begins */
    int_cell regions;                            /* of the tile */
    int_cell is_tiny;                            /* are all of them (segment_tiny.cuh)? */
    int_cell is_crossed; /* does any of them cross a multiple of ITEMS? */
    int_cell is_covered; /* are all rows in segments? */
};

/* Marks of a word up to a place, which is in it. */
DEVICE wide marks_up_to(wide marks, int place)
{
    return marks & ~(wide)0 >> (SEGMENT_WORD - 1 - place % SEGMENT_WORD);
}

/* The number of the region of a place, from 0 on. */
DEVICE int region_of(const struct segment_map *map, int place)
{
    const int word = place / SEGMENT_WORD;

    return LOAD(&map->before[word]) - 1 +
           count_marks(marks_up_to(LOAD(&map->bounds[word]), place));
}

/* The place where the region of a place begins. */
DEVICE int region_begin(const struct segment_map *map, int place)
{
    const int word = place / SEGMENT_WORD;
    const wide marks = marks_up_to(LOAD(&map->bounds[word]), place);

    return marks ? word * SEGMENT_WORD + highest_mark(marks) : LOAD(&map->last[word]);
}

/* Where the rows of my tile's segments begin: at one row, or as a map says. */
struct segment_homes {
    const struct segment_map *map; /* or NULL */
    unsigned first;                /* row of place 0, or the one row */
};

/* Positions become those in a segment when they leave. */
DEVICE void take_positions(const struct tile_piece *piece, void *temp, int area,
                           const struct carry_order *order, const struct carry_rows *mine,
                           const struct segment_rows *rows,
                           const struct segment_homes *homes)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    value_cell_4 *const kept = (value_cell_4 *)temp + mine->row;
    const unsigned step = WARP * piece->out_pitch;

    NO_UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const int at = mine->at + WARP * i;

        if (rows->out >> i & 1) {
            const unsigned home =
                homes->first + (homes->map ? (unsigned)region_begin(homes->map, at) : 0);
            const unsigned position =
                LOAD_AS(VALUE, SHARED_CELL(value_cell_4, area) + order_place(order, at)) -
                home;

            if (piece->out_bytes == 8)
                STORE_EVICT(BULK, (wide_cell *)(out + i * step), position);
            else
                STORE_EVICT(BULK, (value_cell_4 *)(out + i * step), position);
        } else if (rows->temp >> i & 1) {
            STORE_EVICT(
                BULK, kept + WARP * i,
                LOAD_AS(VALUE, SHARED_CELL(value_cell_4, area) + order_place(order, at)));
        }
    }
}

DEVICE void take_segments(const struct tile_piece *piece, void *temp, int area,
                          const struct carry_order *order, const struct carry_rows *mine,
                          const struct segment_rows *rows)
{
    if (piece->bytes == 4)
        take_segments_4(piece, temp, area, order, mine, rows);
    else if (piece->bytes == 8)
        take_segments_8(piece, temp, area, order, mine, rows);
    else if (piece->bytes == 2)
        take_segments_2(piece, temp, area, order, mine, rows);
    else
        take_segments_1(piece, temp, area, order, mine, rows);
}

/* Which of my rows the tile has, as bits. */
DEVICE unsigned rows_there(const struct carry_rows *mine)
{
    const int rows = mine->left > 0 ? (mine->left + WARP - 1) / WARP : 0;

    return rows >= ITEMS ? (unsigned)(((wide)1 << ITEMS) - 1) : (1u << rows) - 1;
}

/* The bits of my rows in arrays of bits by place: bit i is that of row i. */
DEVICE unsigned bits_of_rows(const wide_cell *bits, const struct carry_rows *mine)
{
    const wide_cell *const words = bits + mine->at / SEGMENT_WORD;
    unsigned mine_bits = 0;

    UNROLL
    for (int i = 0; i < ITEMS; i += 2) { /* a word has two of my rows */
        if (WARP * i - LANE < mine->left) {
            const wide word = LOAD(&words[i / 2]) >> LANE;

            mine_bits |= ((unsigned)word & 1) << i | ((unsigned)(word >> WARP) & 1)
                                                         << (i + 1);
        }
    }
    return mine_bits;
}

/*
 * Where the rows of a full warp go. MIXED: the warp is not full, its rows go to different
 * arrays, or need more than a flip.
 */
enum segment_side { SIDE_MIXED, SIDE_OUT, SIDE_TEMP };

DEVICE int side_of_warp(const struct tile_carry *carry, const struct segment_rows *rows,
                        const struct key_code *leave_by)
{
    const unsigned all = (unsigned)(((wide)1 << ITEMS) - 1);

    if (!BALLOT(rows->temp != all))
        return SIDE_TEMP;
    if (!BALLOT(rows->out != all) && !leave_by->is_float && carry->out_pitch == sizeof(key))
        return SIDE_OUT;
    return SIDE_MIXED;
}

/* Store the codes of my rows to one side. */
DEVICE void store_side_codes(key_cell *keys, const struct carry_order *order,
                             const struct carry_rows *mine, key flip)
{
    key_cell *const to = OPAQUE(keys);
    int place[ITEMS];

    load_places(order, mine, place);

    UNROLL
    for (int i = 0; i < ITEMS; i++)
        STORE_EVICT(BULK, to + WARP * i, (key)(code_at(order, place[i]) ^ flip));
}

/* Store the codes of my rows, which are staged by place: as keys, or as they are. */
DEVICE void store_segment_codes(const struct tile_carry *carry, key_cell *keys,
                                const struct segment_temp *temp,
                                const struct carry_order *order,
                                const struct carry_rows *mine,
                                const struct segment_rows *rows,
                                const struct key_code *leave_by, int side)
{
    char *const out = (char *)keys + mine->row * carry->out_pitch;
    key_cell *const kept = (key_cell *)temp->codes + mine->row;
    const unsigned step = WARP * (unsigned)carry->out_pitch;
    const unsigned leaving = keys ? rows->out : 0;

    if (side == SIDE_TEMP) {
        store_side_codes(kept, order, mine, 0);
        return;
    }
    if (side == SIDE_OUT) {
        if (keys)
            store_side_codes((key_cell *)out, order, mine, (key)leave_by->flip);
        return;
    }
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const int leaves = leaving >> i & 1;
        const int stays = rows->temp >> i & 1;
        key code = 0;

        if (leaves || stays)
            code = code_at(order, order_place(order, mine->at + WARP * i));
        if (leaves)
            STORE_EVICT(BULK, (key_cell *)(out + i * step), leave(code, leave_by));
        if (stays)
            STORE_EVICT(BULK, kept + WARP * i, code);
    }
}

/* Take the values of my rows to the one side. */
DEVICE void take_side(const struct tile_piece *piece, void *temp, int area,
                      const struct carry_order *order, const struct carry_rows *mine,
                      int side)
{
    struct tile_piece to = *piece;
    int place[ITEMS];

    if (side == SIDE_TEMP) {
        to.out = temp;
        to.out_pitch = to.out_bytes = to.bytes;
    }
    load_places(order, mine, place);
    take_piece(&to, order, mine, area, place);
}

/* Move the pieces of a tile whose order is known; the first `staged` are staged. */
DEVICE void store_segment_pieces(const struct tile_carry *carry,
                                 const struct segment_temp *temp,
                                 const struct tile_staging *stage, int staged,
                                 const struct carry_order *order,
                                 const struct carry_rows *mine,
                                 const struct segment_rows *rows,
                                 const struct segment_homes *homes, int side)
{
    int used = (int)sizeof(key); /* bytes of a row, before the piece */
    int end = staged;
    int p = 0;

    NO_UNROLL
    for (;;) {
        NO_UNROLL
        for (; p < end; p++) {
            const struct tile_piece *const piece = &carry->piece[p];
            const int area = stage->area + used * TILE;

            if (p == temp->position && side != SIDE_TEMP)
                take_positions(piece, temp->piece[p], area, order, mine, rows, homes);
            else if (side != SIDE_MIXED)
                take_side(piece, temp->piece[p], area, order, mine, side);
            else
                take_segments(piece, temp->piece[p], area, order, mine, rows);
            used += (int)piece->bytes;
            WARP_BARRIER(); /* lanes with fewer rows wait for the others */
        }
        if (p == carry->piece_count)
            return;
        BARRIER(); /* the area is free */
        end = stage_pieces(stage, carry, p, 0);
        used = 0;
        COPIES_WAIT();
        BARRIER();
    }
}

/* The segment that is open where a window begins. Rows are fewer than 2^32. */
struct segment_span {
    unsigned begin;
    unsigned end; /* 0: there is none; the window's first row: it ends there */
};

/* The segment between two neighbouring marks, as struct segment_scan_args tells them. */
DEVICE struct segment_span span_between(wide last, wide first, unsigned count)
{
    struct segment_span span;

    span.begin = (unsigned)(last / 2) - 1;
    span.end = first < count ? (unsigned)first : count;
    if (!(last & 1))
        span.begin = span.end = 0;
    return span;
}

DEVICE struct segment_span open_segment(const struct segment_windows *windows,
                                        unsigned window, unsigned count)
{
    return span_between(LOAD((const wide_cell *)windows->last + window),
                        LOAD((const wide_cell *)windows->first + window), count);
}

DEVICE int is_long(const struct segment_span *span, const struct segment_windows *windows)
{
    return span->end - span->begin > windows->least_long;
}

/* The number of runs, or windows, of `rows` rows each, that a segment has rows in. */
DEVICE unsigned runs_of(const struct segment_span *span, unsigned rows)
{
    return (span->end - 1) / rows - span->begin / rows + 1;
}
