/*
 * rows_carry.c - what the kernels get in one pass of a sort of rows: see rows.h.
 */
#include "rows.h"

#include <string.h>

/* Where a segment of a column is on a side, and the distance of its rows. */
static char *segment_at(const struct rows *rows, const struct rows_segment *segment,
                        enum rows_side side, wide *pitch)
{
    const struct rows_column *const column = &rows->column[segment->column];

    *pitch = rows->apart[side] ? segment->bytes : column->bytes;
    if (!column->at[side])
        return NULL;
    return column->at[side] +
           (rows->apart[side] ? segment->before * rows->count : segment->offset);
}

/* Where the codes of a pass come from. */
static void set_source(const struct rows *rows, enum rows_side from,
                       struct tile_source *source)
{
    if (rows->has_parts && (rows->way == ROWS_WHOLE || from == ROWS_IN)) {
        source->order = rows->order;
        source->part_count = (int)rows->part_count;
        memcpy(source->part, rows->part, sizeof rows->part);
        for (uint32_t i = 0; i < rows->part_count && rows->way == ROWS_WHOLE; i++)
            source->part[i].at =
                rows->column[rows->part_column[i]].at[from] + rows->part_offset[i];
    } else if (rows->way == ROWS_WIDE && from != ROWS_IN) {
        source->keys = rows->codes.at[from];
        source->pitch = rows->keys.size;
    } else {
        source->keys = segment_at(rows, &rows->key, from, &source->pitch);
    }
}

static void add_piece(struct tile_carry *carry, const void *in, wide in_pitch, void *out,
                      wide out_pitch, uint32_t bytes, uint32_t out_bytes)
{
    if (out)
        carry->piece[carry->piece_count++] =
            (struct tile_piece){.in = in,
                                .out = out,
                                .in_pitch = (unsigned)in_pitch,
                                .out_pitch = (unsigned)out_pitch,
                                .bytes = bytes,
                                .out_bytes = out_bytes};
}

void rows_carry(const struct rows *rows, enum rows_side from, enum rows_side to,
                struct tile_carry *carry, void **out)
{
    const uint32_t position_bytes = to == ROWS_OUT ? rows->positions.bytes : 4;

    memset(carry, 0, offsetof(struct tile_carry, piece));
    set_source(rows, from, &carry->source);
    carry->condition = rows->condition;
    *out = NULL;
    if (rows->way == ROWS_KEYED)
        *out = segment_at(rows, &rows->key, to, &carry->out_pitch);
    if (rows->way == ROWS_WIDE) {
        *out = rows->codes.at[to];
        carry->out_pitch = rows->keys.size;
    }
    for (uint32_t i = 0; i < rows->segment_count; i++) {
        const struct rows_segment *const segment = &rows->segment[i];
        wide in_pitch, out_pitch;
        const char *const in = segment_at(rows, segment, from, &in_pitch);
        char *const at = segment_at(rows, segment, to, &out_pitch);

        add_piece(carry, in, in_pitch, at, out_pitch, segment->bytes, segment->bytes);
    }
    if (to == ROWS_OUT) /* before the others are written, perhaps in place */
        add_piece(carry, rows->positions.at[from], 4, rows->more_positions, 8, 4, 8);
    add_piece(carry, rows->positions.at[from], 4, rows->positions.at[to], position_bytes, 4,
              position_bytes);
}
