/*
 * segment_whole.cu - the first and the last pass of sorting one segment as a whole array
 * (launch_segments.h). The passes between them are those of engine tile.
 *
 * The first pass takes the least code for all rows before the segment, and the greatest
 * for all after it. Sorts are stable. So the segment's rows end up in its own rows of the
 * result, and the last pass stores only those.
 */
#include "segment_number.cuh"

enum { segment_first_blocks = tile_sort_blocks, segment_last_blocks = tile_merge_blocks };

/* Are all rows of the tile in the segment? */
DEVICE int is_inside(const struct segment_only *segment, const struct tile_target *to)
{
    return to->first >= segment->begin &&
           to->first + (unsigned)to->count <= segment->begin + segment->count;
}

/* Change the codes of rows of the tile that are not in the segment. */
DEVICE void bound_codes(const struct segment_only *segment, const struct tile_target *to,
                        int area, bare *k)
{
    const wide end = segment->begin + segment->count;
    key_cell *const mine = SHARED_CELL(key_cell, area) + THREAD;

    if (is_inside(segment, to))
        return;
    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const wide row = to->first + (unsigned)(TILE_ROWS * j + THREAD);

        if (TILE_ROWS * j + THREAD < to->count && (row < segment->begin || row >= end)) {
            k[j] = row < segment->begin ? 0 : (key) ~(key)0;
            STORE_AS(VALUE, mine + TILE_ROWS * j, (key)k[j]);
        }
    }
}

/* Each block sorts one tile, as tile_sort does. */
KERNEL(segment_first, struct segment_first_args)
{
    SHARED(struct tile_sort_shared, sm);
    const struct segment_only segment = only_segment(&args.numbers, args.sort.count);
    const struct tile_target to = first_target(&args.sort);
    const struct tile_list list = whole_list(&to);
    const struct tile_carry *const carry = &args.sort.carry;
    const struct tile_staging stage = begin_staging(&sm->stage, &list, &carry->source);
    const int staged = stage_pieces(&stage, carry, 0, (int)sizeof(key));
    const int cells = SHARED_ADDRESS(sm->cells);
    const int left = to.count - THREAD;
    item r[ITEMS];
    bare k[ITEMS];

    load_codes(&args.sort, &to, stage.area, k);
    bound_codes(&segment, &to, stage.area, k);

    const struct code_range range = range_of_codes(k, left, (wide_cell *)sm->cells);
    const struct tile_base b = base_between(range.least, range.most);

    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] =
            TILE_ROWS * j < left ? item_made(k[j], &b, TILE_ROWS * j + THREAD) : filler();
    sort_tile(cells, sm->splits, &args.sort.enter, r);
    COPIES_WAIT();
    store_carried(carry, &stage, staged, find_ties(r), cells, sm->splits, &to, &b,
                  &args.sort.leave, 0);
    clear_cuts(&args.sort);
}

/* My rows of a tile that are in the segment, as bits. */
DEVICE unsigned rows_inside(const struct segment_only *segment,
                            const struct tile_target *to, const struct carry_rows *mine)
{
    const unsigned all = rows_there(mine);
    unsigned inside = 0;

    if (is_inside(segment, to))
        return all;

    UNROLL
    for (int i = 0; i < ITEMS; i++) /* before the segment the difference wraps around */
        inside |= (mine->row + (unsigned)(WARP * i) - segment->begin < segment->count) << i;
    return all & inside;
}

/* Each block finds cuts, or merges a tile, as tile_merge does. */
KERNEL(segment_last, struct segment_last_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.merge.round;
    const struct segment_only segment = only_segment(&args.numbers, round->count);
    const struct tile_part part = my_part(&args.merge);
    const unsigned group = part.number / round->pieces;
    const struct tile_cuts cuts = meet_cuts(round, INPUT_OF(&args.merge), &part, group);
    const unsigned first = group * (unsigned)(round->ways * round->run);

    if (part.cuts)
        return;

    const struct merged_tile m =
        merge_between(&args.merge, &cuts, first,
                      first + (unsigned)LANE * (unsigned)round->run, round->ways, sm);
    const struct carry_rows mine = my_rows(&m.to);
    const struct segment_rows where = {rows_inside(&segment, &m.to, &mine), 0};

    store_merged(&args.merge, &args.temp, &m, &mine, &where, (unsigned)segment.begin, sm);
}
